import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useReopenedDraft } from '../../app/drafts.ts'
import { useSessionContext } from '../../app/session-context.tsx'
import { budgetsQuery } from '../../data/budgets.ts'
import { categoriesQuery, type Category } from '../../data/categories.ts'
import { budgetComparisonQuery, everyCurrency } from '../../data/reports.ts'
import { today } from '../../locale/days.ts'
import { daysOf, monthOf, passedOf } from '../../locale/months.ts'
import { categories as m } from '../../messages/categories.ts'
import { rules as rulesText } from '../../messages/rules.ts'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { EmptyState, MonthSteps, PageHead, Skeleton } from '../../parts/ui.tsx'
import { BudgetForm } from './budget-form.tsx'
import { CategoryForm } from './category-form.tsx'
import { CategoryTable } from './category-table.tsx'
import { DeleteCategory } from './delete-category.tsx'

/** The open dialog and its category. */
type Opened = { dialog: 'new' } | { dialog: 'edit' | 'budget' | 'delete', category: Category, currency: string | null } | null

export function Page() {
  const { context, rights } = useSessionContext()
  const { month = monthOf(today()) } = useSearch({ from: '/inside/categories' })
  const navigate = useNavigate({ from: '/categories' })
  const days = daysOf(month)
  const categories = useQuery(categoriesQuery(context))
  const compared = useQuery(budgetComparisonQuery(context, days, everyCurrency))
  const budgets = useQuery(budgetsQuery(context, month))
  const [opened, setOpened] = useState<Opened>(null)
  useReopenedDraft('category', (id) => {
    const category = categories.data?.find((one) => one.id === id)
    if (category !== undefined) setOpened({ dialog: 'edit', category, currency: null })
    else if (id === 'new') setOpened({ dialog: 'new' })
  }, categories.isSuccess)
  const close = () => setOpened(null)
  return (
    <>
      <PageHead title={m.categories}>
        <MonthSteps month={month} onChange={(other) => void navigate({ search: { month: other }, replace: true })} />
        <Link to='/rules'>{rulesText.rules}</Link>
        {rights.write && <button type='button' className='primary' onClick={() => setOpened({ dialog: 'new' })}>{m.newCategory}</button>}
      </PageHead>
      <QueryBoundary
        of={[categories, compared, budgets]}
        empty={<EmptyState>{m.noCategoryYetCategoriesSay}</EmptyState>}
        loading={<Skeleton rows={6} />}
      >
        {(rows, comparisons, all) => (
          <CategoryTable
            categories={rows}
            compared={comparisons}
            budgets={all}
            days={days}
            passed={passedOf(days, today())}
            onOpen={(dialog, category, currency) => setOpened({ dialog, category, currency })}
          />
        )}
      </QueryBoundary>
      {opened?.dialog === 'new' && <CategoryForm category={null} others={categories.data ?? []} onClose={close} />}
      {opened?.dialog === 'edit' && <CategoryForm category={opened.category} others={categories.data ?? []} onClose={close} />}
      {opened?.dialog === 'budget' && (
        <BudgetForm category={opened.category} currency={opened.currency} month={month} budgets={budgets.data ?? []} onClose={close} />
      )}
      {opened?.dialog === 'delete' && <DeleteCategory category={opened.category} others={categories.data ?? []} onClose={close} />}
    </>
  )
}

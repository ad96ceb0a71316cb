import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { budgetsQuery } from '../../data/budgets.ts'
import { categoriesQuery, type Category } from '../../data/categories.ts'
import { budgetComparisonQuery } from '../../data/reports.ts'
import { today } from '../../locale/days.ts'
import { daysOf, monthOf, passedOf } from '../../locale/months.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { MonthSteps } from '../../parts/month-steps.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { BudgetForm } from './budget-form.tsx'
import { CategoryForm } from './category-form.tsx'
import { CategoryTable } from './category-table.tsx'
import { DeleteCategory } from './delete-category.tsx'

/** The dialog that is open, and the category it is about. */
type Opened = { dialog: 'new' } | { dialog: 'edit' | 'budget' | 'delete', category: Category, currency: string | null } | null

export function Page() {
  const { context, rights } = useHere()
  const { month = monthOf(today()) } = useSearch({ from: '/inside/categories' })
  const navigate = useNavigate({ from: '/categories' })
  const days = daysOf(month)
  const categories = useQuery(categoriesQuery(context))
  const compared = useQuery(budgetComparisonQuery(context, days, null))
  const budgets = useQuery(budgetsQuery(context, month))
  const [opened, setOpened] = useState<Opened>(null)
  const close = () => setOpened(null)
  const isThere = categories.data !== undefined && compared.data !== undefined && budgets.data !== undefined
  const error = categories.error ?? compared.error ?? budgets.error
  return (
    <>
      <PageHead title='Categories'>
        <MonthSteps month={month} onChange={(other) => void navigate({ search: { month: other }, replace: true })} />
        {rights.write && <button type='button' className='primary' onClick={() => setOpened({ dialog: 'new' })}>New category</button>}
      </PageHead>
      <ErrorNote error={error} />
      {!isThere && error === null && <Skeleton rows={6} />}
      {isThere && categories.data.length === 0 && (
        <EmptyState>No category yet. Categories say what money was for: food, rent, travel. Each may have a budget.</EmptyState>
      )}
      {isThere && categories.data.length > 0 && (
        <CategoryTable
          categories={categories.data}
          compared={compared.data}
          budgets={budgets.data}
          days={days}
          passed={passedOf(days, today())}
          onOpen={(dialog, category, currency) => setOpened({ dialog, category, currency })}
        />
      )}
      {opened?.dialog === 'new' && <CategoryForm category={null} onClose={close} />}
      {opened?.dialog === 'edit' && <CategoryForm category={opened.category} onClose={close} />}
      {opened?.dialog === 'budget' && (
        <BudgetForm category={opened.category} currency={opened.currency} month={month} budgets={budgets.data ?? []} onClose={close} />
      )}
      {opened?.dialog === 'delete' && <DeleteCategory category={opened.category} others={categories.data ?? []} onClose={close} />}
    </>
  )
}

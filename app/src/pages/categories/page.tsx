import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useReopenedDraft } from '../../shell/drafts.ts'
import { useSessionContext } from '../../shell/session-context.tsx'
import { categoriesQuery, type Category } from '../../data/categories.ts'
import { budgets as budgetsText } from '../../messages/budgets.ts'
import { categories as m } from '../../messages/categories.ts'
import { rules as rulesText } from '../../messages/rules.ts'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { EmptyState, PageHead, Skeleton } from '../../parts/ui.tsx'
import { CategoryForm } from './category-form.tsx'
import { CategoryTable } from './category-table.tsx'
import { DeleteCategory } from './delete-category.tsx'

/** The open dialog and its category. */
type Opened = { dialog: 'new' } | { dialog: 'edit' | 'delete', category: Category } | null

export function Page() {
  const { context, rights } = useSessionContext()
  const categories = useQuery(categoriesQuery(context))
  const [opened, setOpened] = useState<Opened>(null)
  useReopenedDraft('category', (id) => {
    const category = categories.data?.find((one) => one.id === id)
    if (category !== undefined) setOpened({ dialog: 'edit', category })
    else if (id === 'new') setOpened({ dialog: 'new' })
  }, categories.isSuccess)
  const close = () => setOpened(null)
  return (
    <>
      <PageHead title={m.title}>
        <Link to='/budgets'>{budgetsText.budgets}</Link>
        <Link to='/rules'>{rulesText.title}</Link>
        {rights.write && (
          <button
            type='button'
            className='primary'
            onClick={() => setOpened({ dialog: 'new' })}
          >
            {m.newCategory}
          </button>
        )}
      </PageHead>
      <QueryBoundary
        of={[categories]}
        empty={<EmptyState>{m.empty}</EmptyState>}
        loading={<Skeleton rows={6} />}
      >
        {(rows) => (
          <CategoryTable
            categories={rows}
            onOpen={(dialog, category) => setOpened({ dialog, category })}
          />
        )}
      </QueryBoundary>
      {opened?.dialog === 'new' && (
        <CategoryForm category={null} others={categories.data ?? []} onClose={close} />
      )}
      {opened?.dialog === 'edit' && (
        <CategoryForm category={opened.category} others={categories.data ?? []} onClose={close} />
      )}
      {opened?.dialog === 'delete' && (
        <DeleteCategory category={opened.category} others={categories.data ?? []} onClose={close} />
      )}
    </>
  )
}

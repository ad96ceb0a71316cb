import { useQueries, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ComponentProps, useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { gridRows, monthsAround } from '../../data/budget-grid.ts'
import { budgetsQuery, pastBudgetsQuery } from '../../data/budgets.ts'
import { categoriesQuery, type Category, inFamilies } from '../../data/categories.ts'
import type { Context } from '../../data/client.ts'
import { budgetComparisonQuery, everyCurrency } from '../../data/reports.ts'
import { today } from '../../locale/days.ts'
import { addMonths, daysOf, formatMonths, monthOf } from '../../locale/months.ts'
import { budgets as m } from '../../messages/budgets.ts'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { useSize } from '../../parts/reports/use-size.ts'
import { EmptyState, ErrorNote, MonthSteps, PageHead, Skeleton } from '../../parts/ui.tsx'
import { BudgetForm } from './budget-form.tsx'
import { BudgetGrid } from './grid.tsx'
import './budgets.css'

/** Widths in pixels: of the names, and the least of a month. */
const widths = { names: 176, month: 160 }
const mostMonths = 6

/** The budget in the open dialog. */
type Opened = { category: Category, currency: string | null, month: string }

/** The queries of the page. Without a measured width there are none of months. */
function useBudgetQueries(context: Context, months: string[], isMeasured: boolean) {
  const categories = useQuery(categoriesQuery(context))
  const budgets = useQuery({ ...budgetsQuery(context, months), enabled: isMeasured })
  const past = useQuery(pastBudgetsQuery(context))
  // only the first month of a range has its carried amount
  const compared = useQueries({
    queries: months.map((one) => ({
      ...budgetComparisonQuery(context, daysOf(one), everyCurrency),
      enabled: isMeasured,
    })),
  })
  return { categories, budgets, past, compared }
}

export function Page() {
  const { context } = useSessionContext()
  const { month = monthOf(today()) } = useSearch({ from: '/inside/budgets' })
  const [ref, { width }] = useSize<HTMLDivElement>()
  const count = Math.min(Math.max(Math.floor((width - widths.names) / widths.month), 1), mostMonths)
  const months = monthsAround(month, count, addMonths)
  const { categories, budgets, past, compared } = useBudgetQueries(context, months, width > 0)
  const [opened, setOpened] = useState<Opened | null>(null)
  const loaded = compared.map(({ data }) => data)
  const isLoaded = loaded.some((rows) => rows !== undefined)
  return (
    <>
      <Head month={month} months={months} />
      <div ref={ref} className='budget'>
        <ErrorNote error={compared.find(({ error }) => error !== null)?.error ?? null} />
        <QueryBoundary
          of={[categories, past]}
          empty={
            <EmptyState action={<Link to='/categories'>{m.goToCategories}</Link>}>
              {m.noCategories}
            </EmptyState>
          }
          loading={<Skeleton rows={8} />}
        >
          {(all, former) =>
            !isLoaded || budgets.data === undefined ? <Skeleton rows={8} /> : (
              <Months
                {...{ month, months }}
                compared={loaded}
                sources={{ budgets: budgets.data, past: former, categories: all }}
                categories={all}
                onOpen={setOpened}
              />
            )}
        </QueryBoundary>
      </div>
      {opened !== null && (
        <BudgetForm
          {...opened}
          months={months}
          budgets={budgets.data ?? []}
          past={past.data ?? []}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  )
}

/** The title, and the steps to other months. */
function Head({ month, months }: { month: string, months: string[] }) {
  const navigate = useNavigate({ from: '/budgets' })
  const show = (other: string) => void navigate({ search: { month: other }, replace: true })
  return (
    <PageHead title={m.budgets}>
      {month !== monthOf(today()) && (
        <button
          type='button'
          className='quiet'
          onClick={() => show(monthOf(today()))}
        >
          {m.thisMonth}
        </button>
      )}
      <MonthSteps
        month={month}
        name={formatMonths(months[0] ?? month, months.at(-1) ?? month)}
        onChange={show}
      />
    </PageHead>
  )
}

type MonthsProps =
  & Pick<
    ComponentProps<typeof BudgetGrid>,
    'months' | 'compared' | 'sources' | 'categories'
  >
  & { month: string, onOpen: (opened: Opened) => void }

/** The budgets of the shown months, and the categories without one. */
function Months({ month, months, compared, sources, categories, onOpen }: MonthsProps) {
  const { rights } = useSessionContext()
  const families = inFamilies(categories)
  const rows = gridRows(families, compared.map((some) => some ?? []))
  return (
    <>
      {rows.length === 0 && <EmptyState>{m.empty}</EmptyState>}
      {rows.length > 0 && (
        <BudgetGrid
          {...{ rows, months, compared, sources, categories }}
          onEdit={(category, currency, of) => onOpen({ category, currency, month: of })}
        />
      )}
      {rights.write && (
        <Unlimited
          categories={families.filter(({ id, kind }) =>
            kind === 'expense' && !rows.some(({ category }) => category.id === id)
          )}
          onChoose={(category) => onOpen({ category, currency: null, month })}
        />
      )}
    </>
  )
}

/** Categories without a budget in the shown months. */
function Unlimited(
  { categories, onChoose }: { categories: Category[], onChoose: (category: Category) => void },
) {
  return categories.length > 0 && (
    <section className='budget-unlimited' aria-labelledby='budget-unlimited'>
      <h2 id='budget-unlimited'>{m.unbudgeted}</h2>
      <ul className='budget-choices'>
        {categories.map((category) => (
          <li key={category.id}>
            <button
              type='button'
              aria-label={m.budgetOf(category.name)}
              onClick={() => onChoose(category)}
            >
              <span aria-hidden='true'>+</span> {category.name}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

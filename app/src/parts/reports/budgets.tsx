import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSessionContext } from '../../shell/session-context.tsx'
import { categoriesQuery, type Category } from '../../data/categories.ts'
import { budgetComparisonQuery, type Comparison, type Money } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { today } from '../../locale/days.ts'
import { type Days, passedOf } from '../../locale/months.ts'
import { QueryBoundary } from '../query-boundary.tsx'
import { EmptyState, RowsLink, Skeleton } from '../ui.tsx'
import { Bar, Dot } from './marks.tsx'
import { ReportNotes } from './report-notes.tsx'
import { common } from '../../messages/common.ts'
import { reports as m } from '../../messages/reports.ts'

/** Budgets and expenses of some days, with a mark for today. */
export function Budgets({ days, money }: { days: Days, money: Money }) {
  const { context, rights } = useSessionContext()
  const compared = useQuery(budgetComparisonQuery(context, days, money))
  const { data: categories = [] } = useQuery(categoriesQuery(context))
  const passed = passedOf(days, today())
  return (
    <>
      {passed > 0 && passed < 1 && <small>{m.todayMark}</small>}
      <QueryBoundary
        of={[compared]}
        empty={
          <EmptyState action={rights.write && <Link to='/budgets'>{m.setBudget}</Link>}>
            {m.budgetsEmpty}
          </EmptyState>
        }
        loading={<Skeleton rows={5} />}
      >
        {(rows) => (
          <>
            <table>
              <thead>
                <tr>
                  <th>{common.category}</th>
                  <th className='amount'>{m.spent}</th>
                  <th className='amount'>{m.left}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <BudgetRow
                    key={`${row.category_id} ${row.currency}`}
                    {...{ row, rows, categories, days, money, passed }}
                  />
                ))}
              </tbody>
            </table>
            <ReportNotes rows={rows} money={money} />
          </>
        )}
      </QueryBoundary>
    </>
  )
}

type BudgetRowProps = {
  row: Comparison
  /** All budgets of the days. */
  rows: Comparison[]
  categories: Category[]
  days: Days
  money: Money
  /** The share of passed days, from 0 to 1. */
  passed: number
}

function BudgetRow({ row, rows, categories, days, money, passed }: BudgetRowProps) {
  const { category_id: id, name, currency, budget, actual, difference } = row
  return (
    <tr>
      <th scope='row'>
        <Dot color={categories.find((category) => category.id === id)?.color ?? null} />
        <RowsLink
          {...transactionsOf(id, categories, rows)}
          days={days}
          currency={money.convertTo === null ? currency : null}
        >
          {name}
        </RowsLink>
        <BudgetBar budget={budget} actual={actual} passed={passed} />
      </th>
      <td className='amount'>
        {formatAmount(actual, currency)}
        <small>{m.of(formatAmount(budget, currency))}</small>
      </td>
      <td className='amount'>{leftOf(difference, currency)}</td>
    </tr>
  )
}

/**
 * Returns the filter for the transactions of a budget. They include those of the subcategories,
 * except if each of these has a budget of its own.
 * @param compared all budgets of the days
 */
export const transactionsOf = (
  id: string,
  categories: readonly Category[],
  compared: readonly Comparison[],
): { parent: string } | { category: string } =>
  categories.some((one) =>
      one.parent_id === id && !compared.some(({ category_id: budgeted }) => budgeted === one.id)
    )
    ? { parent: id }
    : { category: id }

/** @param difference negative if overspent */
const leftOf = (difference: number, currency: string): string =>
  difference < 0 ? m.over(formatAmount(-difference, currency)) : formatAmount(difference, currency)

/** @param passed the share of passed days, from 0 to 1 */
export const BudgetBar = (
  { budget, actual, passed }: Pick<Comparison, 'budget' | 'actual'> & { passed: number },
) => (
  <Bar
    share={budget > 0 ? actual / budget : Number(actual > 0)}
    mark={passed > 0 && passed < 1 ? passed : undefined}
    isOver={actual > budget}
  />
)

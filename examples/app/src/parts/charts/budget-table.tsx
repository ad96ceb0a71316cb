import type { Comparison } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import type { Days } from '../../locale/months.ts'
import { RowsLink } from '../rows-link.tsx'
import { Bar } from './bar.tsx'

type BudgetTableProps = {
  rows: Comparison[]
  days: Days
  /** How much of these days has passed, from 0 to 1. */
  passed: number
  /** Of which currency the transactions behind a figure are; null for all of them. */
  only: string | null
}

/** Budgets and what was spent of them. Words say what is over, and the bar repeats it. */
export const BudgetTable = ({ rows, days, passed, only }: BudgetTableProps) => (
  <table>
    <thead>
      <tr>
        <th>Category</th>
        <th className='amount'>Spent</th>
        <th className='amount'>Left</th>
      </tr>
    </thead>
    <tbody>
      {rows.map(({ category_id: id, name, currency, budget, actual, difference }) => (
        <tr key={`${id} ${currency}`}>
          <th scope='row'>
            <RowsLink category={id} days={days} currency={only}>{name}</RowsLink>
            <BudgetBar budget={budget} actual={actual} passed={passed} />
          </th>
          <td className='amount'>
            {formatAmount(actual, currency)}
            <small>of {formatAmount(budget, currency)}</small>
          </td>
          <td className='amount'>{leftOf(difference, currency)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** @param difference what is left, negative where it was overspent */
export const leftOf = (difference: number, currency: string): string =>
  difference < 0 ? `${formatAmount(-difference, currency)} over` : formatAmount(difference, currency)

export const BudgetBar = ({ budget, actual, passed }: Pick<Comparison, 'budget' | 'actual'> & { passed: number }) => (
  <Bar share={budget > 0 ? actual / budget : Number(actual > 0)} mark={passed > 0 && passed < 1 ? passed : undefined} isOver={actual > budget} />
)

import { useQuery } from '@tanstack/react-query'
import type { Reply } from 'finance-client'
import { useSessionContext } from '../../shell/session-context.tsx'
import { categoriesQuery } from '../../data/categories.ts'
import { type Money, sharesQuery } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { formatChange, formatPercent } from '../../locale/figures.ts'
import { type Days, formatDays } from '../../locale/months.ts'
import { QueryBoundary } from '../query-boundary.tsx'
import { EmptyState, RowsLink, Skeleton } from '../ui.tsx'
import { Bar, Dot } from './marks.tsx'
import { ReportNotes } from './report-notes.tsx'
import { common } from '../../messages/common.ts'
import { reports as m } from '../../messages/reports.ts'

type Share = Reply<'get_transaction_distribution_by_category'>[number]

type SpendingProps = {
  kind?: 'income' | 'expense'
  days: Days | null
  /** The days to compare with. */
  before?: Days
  money: Money
}

/** Expenses or income of some days by category, the largest first. */
export function Spending({ kind = 'expense', days, before, money }: SpendingProps) {
  const { context } = useSessionContext()
  const shares = useQuery(sharesQuery(context, kind, days, money))
  // without days to compare with, both queries are the same request
  const sharesBefore = useQuery(sharesQuery(context, kind, before ?? days, money))
  const categories = useQuery(categoriesQuery(context))
  const sizeOf = ({ total }: { total: number }) => kind === 'expense' ? -total : total
  /** The amount of the same category and currency; 0 without one. */
  const sizeIn = (others: Share[], { category_id: id, currency }: Share) => {
    const same = others.find((one) => one.category_id === id && one.currency === currency)
    return same === undefined ? 0 : sizeOf(same)
  }
  return (
    <>
      {before !== undefined && <small>{m.comparedWith(formatDays(before))}</small>}
      <QueryBoundary
        of={[shares, sharesBefore, categories]}
        empty={<EmptyState>{kind === 'expense' ? m.spendingEmpty : m.incomeEmpty}</EmptyState>}
        loading={<Skeleton rows={5} />}
      >
        {(rows, rowsBefore, known) => (
          <>
            <table>
              <thead>
                <tr>
                  <th>{common.category}</th>
                  <th className='amount'>{kind === 'expense' ? m.spent : m.received}</th>
                  <th className='amount'>{m.share}</th>
                  {before !== undefined && <th className='amount'>{m.change}</th>}
                </tr>
              </thead>
              <tbody>
                {rows.toSorted((a, b) => sizeOf(b) - sizeOf(a)).map((row) => (
                  <ShareRow
                    key={`${row.category_id} ${row.currency}`}
                    {...{ row, rows, days, money, sizeOf }}
                    color={known.find(({ id }) => id === row.category_id)?.color ?? null}
                    before={before === undefined ? null : sizeIn(rowsBefore, row)}
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

type ShareRowProps = Pick<SpendingProps, 'days' | 'money'> & {
  row: Share
  rows: Share[]
  color: string | null
  /** The amount in the days to compare with; null without such days. */
  before: number | null
  /** Returns the amount of a share, which is positive for expenses too. */
  sizeOf: (share: Share) => number
}

/** A category with its share of the amounts in its currency. */
function ShareRow({ row, rows, days, money, color, before, sizeOf }: ShareRowProps) {
  const { category_id: id, name, currency, share } = row
  const ofCurrency = rows.filter((one) => one.currency === currency)
  return (
    <tr>
      <th scope='row'>
        <Dot color={color} />
        <RowsLink
          category={id}
          days={days}
          currency={money.convertTo === null ? currency : null}
        >
          {name ?? m.uncategorized}
        </RowsLink>
        <Bar share={sizeOf(row) / Math.max(...ofCurrency.map(sizeOf))} color={color} />
      </th>
      <td className='amount'>{formatAmount(sizeOf(row), currency)}</td>
      <td className='amount'>{formatPercent(share)}</td>
      {before !== null && <td className='amount'>{formatChange(sizeOf(row), before) ?? m.new}</td>}
    </tr>
  )
}

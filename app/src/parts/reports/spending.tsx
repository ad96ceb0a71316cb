import { useQuery } from '@tanstack/react-query'
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
                {rows.toSorted((a, b) => sizeOf(b) - sizeOf(a)).map((row) => {
                  const { category_id: id, name, currency, share } = row
                  const ofCurrency = rows.filter((one) => one.currency === currency)
                  const same = rowsBefore.find((one) =>
                    one.category_id === id && one.currency === currency
                  )
                  const color = known.find((category) => category.id === id)?.color ?? null
                  return (
                    <tr key={`${id} ${currency}`}>
                      <th scope='row'>
                        <Dot color={color} />
                        <RowsLink
                          category={id}
                          days={days}
                          currency={money.convertTo === null ? currency : null}
                        >
                          {name ?? m.uncategorized}
                        </RowsLink>
                        <Bar
                          share={sizeOf(row) / Math.max(...ofCurrency.map(sizeOf))}
                          color={color}
                        />
                      </th>
                      <td className='amount'>{formatAmount(sizeOf(row), currency)}</td>
                      <td className='amount'>{formatPercent(share)}</td>
                      {before !== undefined && (
                        <td className='amount'>
                          {formatChange(sizeOf(row), same === undefined ? 0 : sizeOf(same)) ??
                            m.new}
                        </td>
                      )}
                    </tr>
                  )
                })}
              </tbody>
            </table>
            <ReportNotes rows={rows} money={money} />
          </>
        )}
      </QueryBoundary>
    </>
  )
}

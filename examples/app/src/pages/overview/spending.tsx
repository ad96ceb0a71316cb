import { useQuery } from '@tanstack/react-query'
import { useHere } from '../../app/here.tsx'
import { categoriesQuery } from '../../data/categories.ts'
import { type Share, spendingQuery } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { formatMonth } from '../../locale/days.ts'
import { formatChange, formatPercent } from '../../locale/figures.ts'
import { comparedDays, type Days, daysOf, formatDays } from '../../locale/months.ts'
import { Card } from '../../parts/card.tsx'
import { Bar } from '../../parts/charts/bar.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { RowsLink } from '../../parts/rows-link.tsx'
import type { View } from './view.ts'

/** What a month went to, the most first, beside the month before. */
export function Spending({ view: { month, now, currency, convertTo, only } }: { view: View }) {
  const { context } = useHere()
  const before = comparedDays(month, now)
  const spent = useQuery(spendingQuery(context, daysOf(month), convertTo))
  const spentBefore = useQuery(spendingQuery(context, before, convertTo))
  const categories = useQuery(categoriesQuery(context))
  const ofCurrency = (shares: Share[] = []) => shares.filter((share) => share.currency === currency)
  const colors = new Map(categories.data?.map(({ id, color }) => [id, color]))
  return (
    <Card title='Spending' note={`compared with ${formatDays(before)}`} queries={[spent, spentBefore, categories]}>
      {() =>
        ofCurrency(spent.data).length === 0
          ? <EmptyState>Nothing was spent in {formatMonth(month)}.</EmptyState>
          : <SpendingTable shares={ofCurrency(spent.data)} before={ofCurrency(spentBefore.data)} colors={colors} days={daysOf(month)} only={only} />}
    </Card>
  )
}

type SpendingTableProps = { shares: Share[], before: Share[], colors: Map<string, string | null>, days: Days, only: View['only'] }

function SpendingTable({ shares, before, colors, days, only }: SpendingTableProps) {
  const totals = new Map(before.map(({ category_id, total }) => [category_id, -total]))
  const sorted = shares.toSorted((a, b) => a.total - b.total)
  const most = -(sorted[0]?.total ?? 0)
  return (
    <table>
      <thead>
        <tr>
          <th>Category</th>
          <th className='amount'>Spent</th>
          <th className='amount'>Share</th>
          <th className='amount'>Change</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map(({ category_id: id, name, total, share, currency }) => (
          <tr key={id}>
            <th scope='row'>
              <RowsLink category={id} days={days} currency={only}>{name ?? 'Without a category'}</RowsLink>
              <Bar share={-total / most} color={colors.get(id ?? '') ?? null} />
            </th>
            <td className='amount'>{formatAmount(-total, currency)}</td>
            <td className='amount'>{formatPercent(share)}</td>
            <td className='amount'>{formatChange(-total, totals.get(id) ?? 0) ?? 'new'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

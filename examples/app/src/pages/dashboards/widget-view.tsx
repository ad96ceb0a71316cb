/** What a widget shows, by its kind: the reports of the overview over the days of the dashboard, all currencies each by itself. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useHere } from '../../app/here.tsx'
import type { Widget } from '../../data/dashboards.ts'
import { dayOf } from '../../data/transactions.ts'
import { everyCurrency, figuresQuery, type Grouping, type Measure, newestQuery } from '../../data/reports.ts'
import { formatDay } from '../../locale/days.ts'
import type { Days } from '../../locale/months.ts'
import { Amount } from '../../parts/amount.tsx'
import { Answer } from '../../parts/answer.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Balances } from '../../parts/reports/balances.tsx'
import { Budgets } from '../../parts/reports/budgets.tsx'
import { CashFlow } from '../../parts/reports/cash-flow.tsx'
import { DueNext } from '../../parts/reports/due-next.tsx'
import { Spending } from '../../parts/reports/spending.tsx'
import { RowsLink } from '../../parts/rows-link.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { type KindName, settingOf } from './kinds.ts'

/** `days` are null for all time. */
type ViewProps = { widget: Widget, days: Days | null }

const views: Record<KindName, (props: ViewProps) => ReactNode> = {
  stat: Stat,
  cash_flow: ({ widget }) => (
    <CashFlow
      grouping={settingOf(widget, 'grouping') as Grouping}
      periods={Number(settingOf(widget, 'periods'))}
      upcoming={0}
      money={everyCurrency}
    />
  ),
  distribution: ({ widget, days }) => <Spending kind={settingOf(widget, 'transaction_type') as 'income' | 'expense'} days={days} money={everyCurrency} />,
  budgets: ({ days }) =>
    days === null ? <EmptyState>A budget is of days that end. Choose others than all time.</EmptyState> : <Budgets days={days} money={everyCurrency} />,
  balances: Balances,
  upcoming: DueNext,
  transactions: Newest,
}

export function WidgetView({ widget, days }: ViewProps) {
  if (!Object.hasOwn(views, widget.type)) return <p>This app does not know the widget “{widget.type}”. It stays as it is.</p>
  const View = views[widget.type as KindName]
  return <View widget={widget} days={days} />
}

const nothing = <EmptyState>Nothing in these days.</EmptyState>

/** One figure, for each currency because two are never added up. What it is most made of stands first among the transactions behind it. */
function Stat({ widget, days }: ViewProps) {
  const { context } = useHere()
  const measure = settingOf(widget, 'measure') as Measure
  const figures = useQuery(figuresQuery(context, measure, days))
  const sort = { income: '-amount', expense: 'amount', balance: undefined, count: undefined } as const
  return (
    <Answer to={[figures]} empty={nothing} shape={<Skeleton rows={1} />}>
      {(rows) =>
        measure === 'count'
          ? (
            <p className='figure'>
              <RowsLink days={days}>{rows.reduce((sum, { count }) => sum + count, 0)}</RowsLink>
            </p>
          )
          : rows.map(({ currency, value }) => (
            <p key={currency} className='figure'>
              <RowsLink days={days} currency={currency} sort={sort[measure]}>
                <Amount value={value} currency={currency} />
              </RowsLink>
            </p>
          ))}
    </Answer>
  )
}

function Newest({ widget, days }: ViewProps) {
  const { context } = useHere()
  const most = Number(settingOf(widget, 'rows'))
  const newest = useQuery(newestQuery(context, days, most))
  return (
    <>
      <Answer to={[newest]} empty={nothing} shape={<Skeleton rows={most} />}>
        {(rows) => (
          <table>
            <thead>
              <tr>
                <th>Name</th>
                <th>Day</th>
                <th className='amount'>Amount</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ id, name, amount, currency, ...dates }) => (
                <tr key={id}>
                  <th scope='row'>{name}</th>
                  <td>{formatDay(dayOf(dates))}</td>
                  <td className='amount'>
                    <Amount value={amount} currency={currency} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Answer>
      <RowsLink days={days}>All of these days</RowsLink>
    </>
  )
}

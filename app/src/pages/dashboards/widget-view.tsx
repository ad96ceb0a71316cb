/** The content of a widget: a report over the days of the dashboard, in each currency. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import type { Widget } from '../../data/dashboards.ts'
import { dayOf } from '../../data/transactions/day.ts'
import {
  everyCurrency,
  figuresQuery,
  type Grouping,
  type Measure,
  newestQuery,
} from '../../data/reports.ts'
import { formatDay } from '../../locale/days.ts'
import type { Days } from '../../locale/months.ts'
import { common } from '../../messages/common.ts'
import { dashboards as m } from '../../messages/dashboards.ts'
import { Amount, EmptyState, RowsLink, Skeleton } from '../../parts/ui.tsx'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { Balances } from '../../parts/reports/balances.tsx'
import { Budgets } from '../../parts/reports/budgets.tsx'
import { CashFlow } from '../../parts/reports/cash-flow.tsx'
import { DueNext } from '../../parts/reports/due-next.tsx'
import { Spending } from '../../parts/reports/spending.tsx'
import { type KindName, settingOf } from './kinds.ts'

/** `days` is null for all time. */
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
  distribution: ({ widget, days }) => (
    <Spending
      kind={settingOf(widget, 'transaction_type') as 'income' | 'expense'}
      days={days}
      money={everyCurrency}
    />
  ),
  budgets: ({ days }) =>
    days === null
      ? <EmptyState>{m.budgetNeedsRange}</EmptyState>
      : <Budgets days={days} money={everyCurrency} />,
  balances: Balances,
  upcoming: () => <DueNext />,
  transactions: Newest,
}

export function WidgetView({ widget, days }: ViewProps) {
  if (!Object.hasOwn(views, widget.type)) return <p>{m.unknownWidget(widget.type)}</p>
  const View = views[widget.type as KindName]
  return <View widget={widget} days={days} />
}

const nothing = <EmptyState>{m.noData}</EmptyState>

/** One figure per currency. Its link sorts the transactions by their share in it. */
function Stat({ widget, days }: ViewProps) {
  const { context } = useSessionContext()
  const measure = settingOf(widget, 'measure') as Measure
  const figures = useQuery(figuresQuery(context, measure, days))
  const sort = {
    income: '-amount',
    expense: 'amount',
    balance: undefined,
    count: undefined,
  } as const
  return (
    <QueryBoundary of={[figures]} empty={nothing} loading={<Skeleton rows={1} />}>
      {(rows) =>
        measure === 'count'
          ? (
            <p className='dashboard-figure'>
              <RowsLink days={days}>{rows.reduce((sum, { count }) => sum + count, 0)}</RowsLink>
            </p>
          )
          : rows.map(({ currency, value }) => (
            <p key={currency} className='dashboard-figure'>
              <RowsLink days={days} currency={currency} sort={sort[measure]}>
                <Amount value={value} currency={currency} />
              </RowsLink>
            </p>
          ))}
    </QueryBoundary>
  )
}

function Newest({ widget, days }: ViewProps) {
  const { context } = useSessionContext()
  const most = Number(settingOf(widget, 'rows'))
  const newest = useQuery(newestQuery(context, days, most))
  return (
    <>
      <QueryBoundary of={[newest]} empty={nothing} loading={<Skeleton rows={most} />}>
        {(rows) => (
          <table>
            <thead>
              <tr>
                <th>{common.name}</th>
                <th>{m.day}</th>
                <th className='amount'>{common.amount}</th>
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
      </QueryBoundary>
      <RowsLink days={days}>{m.showAll}</RowsLink>
    </>
  )
}

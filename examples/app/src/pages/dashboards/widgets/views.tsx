/** What a widget shows, by its kind. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { DateRange } from 'finance-client'
import type { ReactNode } from 'react'
import { useHere } from '../../../app/here.tsx'
import type { Widget } from '../../../data/dashboards.ts'
import { budgetsOfRangeQuery, figuresQuery, flowQuery, type Grouping, type Measure, newestQuery, sharesQuery } from '../../../data/widgets.ts'
import { formatAmount } from '../../../locale/amounts.ts'
import { formatDay, inWords } from '../../../locale/days.ts'
import { Amount } from '../../../parts/amount.tsx'
import { ErrorNote } from '../../../parts/error-note.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { kindOf, settingOf } from '../kinds.ts'
import { Bars } from './bars.tsx'

type ViewProps = { widget: Widget, range: DateRange }

export function WidgetView({ widget, range }: ViewProps) {
  const View = views[widget.type]
  if (View === undefined || kindOf(widget.type) === undefined) return <p>This app does not know the widget “{widget.type}”. It stays as it is.</p>
  return <View widget={widget} range={range} />
}

/** Rows when they are there, and until then what there is to say. */
function Answered<Item>({ query, empty, children }: { query: UseQueryResult<Item[]>, empty: string, children: (rows: Item[]) => ReactNode }) {
  if (query.data === undefined) return query.error === null ? <Skeleton /> : <ErrorNote error={query.error} />
  return query.data.length === 0 ? <p className='field-note'>{empty}</p> : children(query.data)
}

function Stat({ widget, range }: ViewProps) {
  const { context } = useHere()
  const measure = settingOf(widget, 'measure') as Measure
  const figures = useQuery(figuresQuery(context, range, measure))
  return (
    <Answered query={figures} empty='Nothing in these days.'>
      {(rows) =>
        measure === 'count'
          ? <p className='figure'>{rows.reduce((sum, { count }) => sum + count, 0)}</p>
          : rows.map(({ currency, value }) => (
            <p key={currency} className='figure'>
              <Amount value={value} currency={currency} />
            </p>
          ))}
    </Answered>
  )
}

/** A period by as much of its first day as tells it apart. */
function periodOf(day: string, grouping: Grouping): string {
  if (grouping === 'weekly' || grouping === 'daily') return formatDay(day)
  const month = grouping === 'yearly' ? {} : { month: 'short' } as const
  return new Intl.DateTimeFormat(inWords(), { ...month, year: 'numeric', timeZone: 'UTC' }).format(new Date(day))
}

function CashFlow({ widget }: ViewProps) {
  const { context } = useHere()
  const grouping = settingOf(widget, 'grouping') as Grouping
  const flow = useQuery(flowQuery(context, grouping, Number(settingOf(widget, 'periods'))))
  return (
    <Answered query={flow} empty='Nothing yet.'>
      {(rows) => (
        <table className='figures'>
          <thead>
            <tr>
              <th>Period</th>
              <th className='amount'>Income</th>
              <th className='amount'>Expenses</th>
              <th className='amount'>Net</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ period, currency, income, expenses, net }) => (
              <tr key={`${period} ${currency}`}>
                <th scope='row'>{periodOf(period, grouping)}</th>
                <td className='amount'>
                  <Amount value={income} currency={currency} />
                </td>
                <td className='amount'>
                  <Amount value={-expenses} currency={currency} />
                </td>
                <td className='amount'>
                  <Amount value={net} currency={currency} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Answered>
  )
}

function Distribution({ widget, range }: ViewProps) {
  const { context } = useHere()
  const shares = useQuery(sharesQuery(context, range, settingOf(widget, 'transaction_type') as 'income' | 'expense'))
  return (
    <Answered query={shares} empty='Nothing in these days.'>
      {(rows) => (
        <Bars
          rows={rows.map(({ category_id, name, currency, total, share }) => ({
            key: `${category_id} ${currency}`,
            name: name ?? 'Without a category',
            part: share,
            says: <Amount value={total} currency={currency} />,
          }))}
        />
      )}
    </Answered>
  )
}

function Budgets({ range }: ViewProps) {
  const { context } = useHere()
  const budgets = useQuery(budgetsOfRangeQuery(context, range))
  return (
    <Answered query={budgets} empty='No category has a budget.'>
      {(rows) => (
        <Bars
          rows={rows.map(({ category_id, name, currency, budget, actual }) => ({
            key: `${category_id} ${currency}`,
            name,
            part: budget > 0 ? actual / budget : 1,
            says: `${formatAmount(actual, currency)} of ${formatAmount(budget, currency)}${actual > budget ? ', overspent' : ''}`,
          }))}
        />
      )}
    </Answered>
  )
}

function Transactions({ widget, range }: ViewProps) {
  const { context } = useHere()
  const newest = useQuery(newestQuery(context, range, Number(settingOf(widget, 'rows'))))
  return (
    <Answered query={newest} empty='Nothing in these days.'>
      {(rows) => (
        <table className='figures'>
          <thead>
            <tr>
              <th>Name</th>
              <th>Day</th>
              <th className='amount'>Amount</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, name, transaction_date: day, amount, currency }) => (
              <tr key={id}>
                <th scope='row'>{name}</th>
                <td>{formatDay(day)}</td>
                <td className='amount'>
                  <Amount value={amount} currency={currency} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Answered>
  )
}

const views: Record<string, (props: ViewProps) => ReactNode> = {
  stat: Stat,
  cash_flow: CashFlow,
  distribution: Distribution,
  budgets: Budgets,
  transactions: Transactions,
}

/**
 * Recurring income and costs by the days on which they are due: a month as a table, or its days as
 * a list on narrow screens.
 */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useSessionContext } from '../../shell/session-context.tsx'
import { type DueItem, dueItems, monthOfItems, sumOfItems } from '../../data/due-items.ts'
import { recordedQuery } from '../../data/recurring.ts'
import { upcomingQuery } from '../../data/reports.ts'
import { weekdaysOf, weeksOf } from '../../locale/calendar.ts'
import { formatAmount, formatChangeOf, formatFigure } from '../../locale/amounts.ts'
import { formatDay, formatDayInWords, today } from '../../locale/days.ts'
import { daysOf, formatPeriod, monthOf } from '../../locale/months.ts'
import { recurring as m } from '../../messages/recurring.ts'
import { useSize } from '../../parts/reports/use-size.ts'
import { ErrorNote, MonthSteps } from '../../parts/ui.tsx'
import { Item } from './item.tsx'

/** The least width of a table, in pixels. A narrower place has a list. */
const leastWidth = 640

type CalendarProps = { onEdit: (subscriptionId: string) => void }

export function Calendar({ onEdit }: CalendarProps) {
  const { context, rights } = useSessionContext()
  const { month = monthOf(today()) } = useSearch({ from: '/inside/recurring' })
  const navigate = useNavigate({ from: '/recurring' })
  const [ref, { width }] = useSize<HTMLElement>()
  const upcoming = useQuery(upcomingQuery(context, daysOf(month)))
  const recorded = useQuery(recordedQuery(context, daysOf(month)))
  const isLoading = upcoming.data === undefined || recorded.data === undefined
  const items = isLoading ? [] : dueItems(upcoming.data, recorded.data, today())
  const props = { month, items, isLoading, ...(rights.write && { onEdit }) }
  return (
    <section ref={ref} aria-labelledby='recurring-calendar'>
      <header className='recurring-head'>
        <h2 id='recurring-calendar'>{m.calendar}</h2>
        <MonthSteps
          month={month}
          onChange={(other) => void navigate({ search: { month: other }, replace: true })}
        />
      </header>
      <ErrorNote error={upcoming.error ?? recorded.error} />
      <Sums items={items} />
      {width >= leastWidth && <Month {...props} />}
      {width > 0 && width < leastWidth && <Agenda {...props} />}
    </section>
  )
}

/** Income, costs and the open rest of a month. */
function Sums({ items }: { items: DueItem[] }) {
  const sums = monthOfItems(items)
  return (
    <dl className='recurring-sums'>
      {([['income', m.income], ['expenses', m.expenses], ['open', m.stillOpen]] as const)
        .map(([part, name]) => (
          <div key={part}>
            <dt>{name}</dt>
            {sums.length === 0 && <dd>–</dd>}
            {sums.map((sum) => <dd key={sum.currency}>{formatChangeOf(sum[part], sum.currency)}
            </dd>)}
          </div>
        ))}
    </dl>
  )
}

type MonthProps = {
  month: string
  items: DueItem[]
  isLoading: boolean
  /** Undefined for a viewer. */
  onEdit?: CalendarProps['onEdit']
}

const sumText = (items: DueItem[]) =>
  sumOfItems(items).map(({ sum, currency }) => formatChangeOf(sum, currency)).join(', ')

/** The weeks of a month. */
function Month({ month, items, isLoading, onEdit }: MonthProps) {
  const hasOneCurrency = new Set(items.map(({ currency }) => currency)).size < 2
  // the sums above name the currency
  const say = hasOneCurrency ? formatFigure : formatAmount
  return (
    <table className='recurring-month' aria-busy={isLoading}>
      <caption className='unseen'>{m.dueIn(formatPeriod(month, 'month'))}</caption>
      <thead>
        <tr>
          {weekdaysOf().map(({ short, long }) => (
            <th key={long} scope='col'>
              <abbr title={long}>{short}</abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(month).map((week, row) => (
          <tr key={row}>
            {week.map((day, column) => {
              if (day === null) return <td key={column} className='recurring-outside' />
              const some = items.filter((item) => item.day === day)
              return (
                <td
                  key={day}
                  className='recurring-day'
                  aria-current={day === today() ? 'date' : undefined}
                >
                  <time dateTime={day} className='recurring-date'>{Number(day.slice(8))}</time>
                  {some.length > 0 && (
                    <ul className='recurring-items' aria-label={formatDay(day)}>
                      {some.map((item) => (
                        <li key={item.key}>
                          <Item item={item} say={say} onEdit={onEdit} />
                        </li>
                      ))}
                    </ul>
                  )}
                  {some.length > 1 && sumText(some) !== '' && (
                    <p className='recurring-day-sum'>
                      <span className='unseen'>{m.sum}</span>{' '}
                      {sumOfItems(some).map(({ sum, currency }) => signed(sum, currency, say)).join(
                        ', ',
                      )}
                    </p>
                  )}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const signed = (amount: number, currency: string, say: typeof formatAmount) =>
  `${amount > 0 ? '+' : ''}${say(amount, currency)}`

/** The days of a month on which an item is due, and today. */
function Agenda({ month, items, isLoading, onEdit }: MonthProps) {
  const now = today()
  const days = [
    ...new Set([...items.map(({ day }) => day), ...(monthOf(now) === month ? [now] : [])]),
  ].toSorted()
  if (items.length === 0 && !isLoading)
    return <p className='recurring-none'>{m.nothingDueIn(formatPeriod(month, 'month'))}</p>
  return (
    <ol
      className='recurring-agenda'
      aria-label={m.dueIn(formatPeriod(month, 'month'))}
      aria-busy={isLoading}
    >
      {days.map((day) => {
        const some = items.filter((item) => item.day === day)
        return (
          <li
            key={day}
            className='recurring-agenda-day'
            aria-current={day === now ? 'date' : undefined}
          >
            <div className='recurring-agenda-head'>
              <h3>
                <time dateTime={day}>{formatDayInWords(day, now)}</time>
              </h3>
              <span className='recurring-agenda-sum'>
                <span className='unseen'>{m.sum}</span> {sumText(some)}
              </span>
            </div>
            {some.length === 0 ?
              <p className='recurring-none'>{m.nothingToday}</p> :
              (
                <ul className='recurring-items'>
                  {some.map((item) => (
                    <li key={item.key}>
                      <Item item={item} say={formatAmount} onEdit={onEdit} />
                    </li>
                  ))}
                </ul>
              )}
          </li>
        )
      })}
    </ol>
  )
}

/**
 * The balances of the coming days: per account or all in one currency, with rows that are only
 * tried.
 */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { type Account, accountsQuery, offered } from '../../data/accounts.ts'
import { type Forecast as Day, forecastQuery, type WhatIf } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { formatDay, today } from '../../locale/days.ts'
import { balancesByDay } from '../../locale/figures.ts'
import { addDays, formatPeriod } from '../../locale/months.ts'
import { forecast as m } from '../../messages/forecast.ts'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { everyDay, lowestOf } from '../../parts/reports/course.ts'
import { LazyLineChart } from '../../parts/reports/lazy-line-chart.tsx'
import { Sparkline, TableSwitch } from '../../parts/reports/marks.tsx'
import { RateNote } from '../../parts/reports/report-notes.tsx'
import { Card, EmptyState, Skeleton } from '../../parts/ui.tsx'
import { WhatIfRows } from './what-if.tsx'
import './forecast.css'

export function Forecast() {
  const { context } = useSessionContext()
  const accounts = useQuery({ ...accountsQuery(context), select: (all) => offered(all) })
  return (
    <Card id='ahead' title={m.title} className='report-card report-card-wide'>
      <QueryBoundary
        of={[accounts]}
        empty={
          <EmptyState action={<Link to='/accounts'>{m.addAccount}</Link>}>{m.empty}</EmptyState>
        }
      >
        {(open) => <OfAccounts key={context.key} accounts={open} />}
      </QueryBoundary>
    </Card>
  )
}

function OfAccounts({ accounts }: { accounts: Account[] }) {
  const { context } = useSessionContext()
  const [reach, setReach] = useState('30')
  const [convertTo, setConvertTo] = useState<string | null>(null)
  const [tried, setTried] = useState<WhatIf[]>([])
  const [isTable, setIsTable] = useState(false)
  const until = addDays(today(), Number(reach))
  // an account may be closed or deleted meanwhile
  const existing = tried.filter((row) => accounts.some(({ id }) => id === row.account_id))
  const whatIf = existing.filter(({ on_date: day }) => day <= until)
  const days = useQuery({
    ...forecastQuery(context, until, { whatIf, convertTo }),
    placeholderData: keepPreviousData,
  })
  const asPlanned = useQuery({
    ...forecastQuery(context, until, { whatIf: [], convertTo }),
    enabled: whatIf.length > 0,
  })
  const series = (rows: Day[]): Series[] =>
    [...accounts, { id: null, name: m.allAccounts }]
      .map(({ id, name }) => ({ id, name, days: rows.filter((row) => row.account_id === id) }))
      .filter(({ days: some }) => some.length > 0)
  return (
    <div className='forecast'>
      <div className='report-card'>
        <Chooser
          {...{ accounts, reach, convertTo }}
          onReach={setReach}
          onConvert={setConvertTo}
        />
        <QueryBoundary of={[days]} empty={null} loading={<Skeleton rows={4} />}>
          {(rows) => (
            <>
              {isTable ?
                series(rows).map((one) => <DayTable key={one.id} {...one} />) :
                (
                  <Courses
                    series={series(rows)}
                    asPlanned={whatIf.length > 0 ? asPlanned.data ?? [] : []}
                    until={until}
                  />
                )}
              <TableSwitch isTable={isTable} onChange={setIsTable} />
              {rows.some(({ left_out: count }) => count > 0) && (
                <RateNote rate={{}}>{m.missingRates}</RateNote>
              )}
            </>
          )}
        </QueryBoundary>
      </div>
      <WhatIfRows accounts={accounts} rows={existing} until={until} onChange={setTried} />
    </div>
  )
}

type ChooserProps = {
  accounts: Account[]
  reach: string
  convertTo: string | null
  onReach: (reach: string) => void
  onConvert: (currency: string | null) => void
}

/** The days ahead, and the currency of all accounts together. */
function Chooser({ accounts, reach, convertTo, onReach, onConvert }: ChooserProps) {
  const currencies = [...new Set(accounts.map(({ currency }) => currency))]
  return (
    <div className='report-chooser'>
      <select
        aria-label={m.range}
        value={reach}
        onChange={({ target }) => onReach(target.value)}
      >
        {Object.entries(m.reaches).map(([count, name]) => (
          <option key={count} value={count}>{name}</option>
        ))}
      </select>
      {accounts.length > 1 && (
        <select
          aria-label={m.view}
          value={convertTo ?? ''}
          onChange={({ target }) => onConvert(target.value || null)}
        >
          <option value=''>{m.eachAccount}</option>
          {currencies.map((currency) => (
            <option key={currency} value={currency}>{m.allIn(currency.toUpperCase())}</option>
          ))}
        </select>
      )}
    </div>
  )
}

/** One account, or all of them in one currency. */
type Series = { id: string | null, name: string, days: Day[] }

/** The difference between the highest and the lowest balance. */
function spreadOf({ days }: Series): number {
  const balances = days.map(({ balance }) => balance)
  return Math.max(...balances) - Math.min(...balances)
}

/**
 * The course of the chosen account, otherwise of the one that changes most, and a list of all
 * accounts with their lowest days.
 */
function Courses(
  { series, asPlanned, until }: { series: Series[], asPlanned: Day[], until: string },
) {
  const [chosen, setChosen] = useState<string | null>(null)
  const current = series.find(({ id }) => id === chosen) ??
    series.toSorted((one, other) => spreadOf(other) - spreadOf(one))[0]
  return (
    <>
      {current !== undefined && (
        <Course
          key={current.id}
          {...current}
          asPlanned={asPlanned.filter((row) => row.account_id === current.id)}
          until={until}
        />
      )}
      <ul className='list'>
        {series.map((one) => (
          <Summary
            key={one.id}
            {...one}
            until={until}
            isChosen={series.length > 1 && one === current}
            onChoose={() => setChosen(one.id)}
          />
        ))}
      </ul>
    </>
  )
}

/**
 * The line of a balance, with its lowest day. A second line is the balance without the rows that
 * are only tried.
 */
function Course({ name, days, asPlanned, until }: Series & { asPlanned: Day[], until: string }) {
  const [first] = days
  if (first === undefined) return null
  const all = everyDay({ start: first.day, end: until })
  const values = balancesByDay(days, until)
  const planned = asPlanned.length > 0 ? balancesByDay(asPlanned, until) : null
  const say = (amount: number | undefined) => formatAmount(amount ?? 0, first.currency)
  const reasonsOf = (day: string) =>
    days.filter((row) => row.day === day).flatMap(({ reasons }) =>
      reasons.map((reason) => textOfReason(reason, first.currency))
    )
  const textOf = (index: number) => {
    const day = all[index] ?? ''
    const without = planned === null || planned[index] === values[index]
      ? []
      : [m.withoutIt(say(planned[index]))]
    return [
      m.reason(formatPeriod(day, 'day', 'short'), say(values[index])),
      ...without,
      ...reasonsOf(day),
    ].join(', ')
  }
  const lowest = lowestOf(values)
  return (
    <LazyLineChart
      name={m.chartOf(name)}
      currency={first.currency}
      lines={[
        { kind: 'planned', values },
        ...planned === null ? [] : [{ kind: 'former' as const, values: planned }],
      ]}
      names={all}
      shortNames={all.map((day) => formatPeriod(day, 'day', 'short'))}
      textOf={textOf}
      start={lowest}
      lowest={lowest}
    />
  )
}

type SummaryProps = Series & { until: string, isChosen: boolean, onChoose: () => void }

/** The lowest and the last balance of an account. Its name chooses it for the chart. */
function Summary({ name, days, until, isChosen, onChoose }: SummaryProps) {
  const [lowest, last] = [days.find(({ is_lowest: isLowest }) => isLowest), days.at(-1)]
  if (lowest === undefined || last === undefined) return null
  const say = (amount: number) => formatAmount(amount, lowest.currency)
  return (
    <li>
      <span>
        <button
          type='button'
          className='forecast-course'
          aria-pressed={isChosen}
          onClick={onChoose}
        >
          {name}
        </button>
        <small>
          {m.lowestAndLast(
            say(lowest.balance),
            formatDay(lowest.day),
            say(last.balance),
            formatDay(until),
          )}
        </small>
      </span>
      <Sparkline values={balancesByDay(days, until)} />
    </li>
  )
}

const textOfReason = ({ name, amount }: Day['reasons'][number], currency: string) =>
  m.reason(name, amount === null ? m.withoutRate : formatAmount(amount, currency))

/** The days on which a balance changes, with the reasons. */
const DayTable = ({ name, days }: Series) => (
  <>
    <h3>{name}</h3>
    <table>
      <thead>
        <tr>
          <th>{m.day}</th>
          <th className='amount'>{m.change}</th>
          <th className='amount'>{m.balance}</th>
        </tr>
      </thead>
      <tbody>
        {days.map(({ day, currency, balance, change, reasons, is_lowest: isLowest }) => (
          <tr key={day}>
            <th scope='row'>
              {formatDay(day)}
              {isLowest && <small>{m.lowest}</small>}
              {reasons.map((reason, index) => (
                <small key={index}>{textOfReason(reason, currency)}</small>
              ))}
            </th>
            <td className='amount'>{formatAmount(change, currency)}</td>
            <td className='amount'>{formatAmount(balance, currency)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </>
)

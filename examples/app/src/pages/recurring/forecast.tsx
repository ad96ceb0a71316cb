/** The balances of the coming days: per account or all in one currency, with rows that are only tried. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSessionContext } from '../../app/session-context.tsx'
import { type Account, accountsQuery, offered } from '../../data/accounts.ts'
import { type Forecast as Day, forecastQuery, type WhatIf } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { formatDay, today } from '../../locale/days.ts'
import { balancesByDay } from '../../locale/figures.ts'
import { addDays } from '../../locale/months.ts'
import { forecast as m } from '../../messages/forecast.ts'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { Sparkline, TableSwitch } from '../../parts/reports/marks.tsx'
import { RateNote } from '../../parts/reports/report-notes.tsx'
import { Card, EmptyState, Skeleton } from '../../parts/ui.tsx'
import { WhatIfRows } from './what-if.tsx'

export function Forecast() {
  const { context } = useSessionContext()
  const accounts = useQuery({ ...accountsQuery(context), select: (all) => offered(all) })
  return (
    <Card title={m.lookingAhead} className='report-card report-card-wide'>
      <QueryBoundary of={[accounts]} empty={<EmptyState action={<Link to='/accounts'>{m.addAnAccount}</Link>}>{m.aForecastIsOfAccounts}</EmptyState>}>
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
  const days = useQuery({ ...forecastQuery(context, until, { whatIf, convertTo }), placeholderData: keepPreviousData })
  const series = (rows: Day[]): Series[] =>
    [...accounts, { id: null, name: m.allAccounts }]
      .map(({ id, name }) => ({ id, name, days: rows.filter((row) => row.account_id === id) }))
      .filter(({ days: some }) => some.length > 0)
  const currencies = [...new Set(accounts.map(({ currency }) => currency))]
  return (
    <>
      <div className='report-chooser'>
        <select aria-label={m.howFar} value={reach} onChange={({ target }) => setReach(target.value)}>
          {Object.entries(m.reaches).map(([count, name]) => <option key={count} value={count}>{name}</option>)}
        </select>
        {accounts.length > 1 && (
          <select aria-label={m.shownAs} value={convertTo ?? ''} onChange={({ target }) => setConvertTo(target.value || null)}>
            <option value=''>{m.eachAccount}</option>
            {currencies.map((currency) => <option key={currency} value={currency}>{m.allIn(currency.toUpperCase())}</option>)}
          </select>
        )}
      </div>
      <QueryBoundary of={[days]} empty={null} loading={<Skeleton rows={4} />}>
        {(rows) => (
          <>
            {isTable ?
              series(rows).map((one) => <DayTable key={one.id} {...one} />) :
              <ul className='list'>{series(rows).map((one) => <Course key={one.id} until={until} {...one} />)}</ul>}
            <TableSwitch isTable={isTable} onChange={setIsTable} />
            {rows.some(({ left_out: count }) => count > 0) && <RateNote rate={{}}>{m.someHaveNoRate}</RateNote>}
          </>
        )}
      </QueryBoundary>
      <WhatIfRows accounts={accounts} rows={existing} until={until} onChange={setTried} />
    </>
  )
}

/** One account, or all of them in one currency. */
type Series = { id: string | null, name: string, days: Day[] }

/** The course of a balance, with its lowest day. */
function Course({ name, days, until }: Series & { until: string }) {
  const [lowest, last] = [days.find(({ is_lowest: isLowest }) => isLowest), days.at(-1)]
  if (lowest === undefined || last === undefined) return null
  const say = (amount: number) => formatAmount(amount, lowest.currency)
  return (
    <li>
      <span>
        {name}
        <small>{m.lowestAndLast(say(lowest.balance), formatDay(lowest.day), say(last.balance), formatDay(until))}</small>
      </span>
      <Sparkline values={balancesByDay(days, until)} />
    </li>
  )
}

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
                <small key={index}>{m.reason(reason.name, reason.amount === null ? m.withoutARate : formatAmount(reason.amount, currency))}</small>
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

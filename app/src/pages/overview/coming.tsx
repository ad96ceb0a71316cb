/**
 * The days to come: the forecast with its lowest day, and the next costs. For a month that is over,
 * what remained of it.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { type Account, accountsQuery, isClosed } from '../../data/accounts.ts'
import { recurringQuery } from '../../data/recurring.ts'
import { type Forecast, forecastQuery, type Money, sharesQuery } from '../../data/reports.ts'
import { formatAmount, sumOf } from '../../locale/amounts.ts'
import { today } from '../../locale/days.ts'
import { addDays, daysOf, formatPeriod } from '../../locale/months.ts'
import { forecast } from '../../messages/forecast.ts'
import { overview as m } from '../../messages/overview.ts'
import { reports } from '../../messages/reports.ts'
import { everyDay, lowestOf, totalByDay } from '../../parts/reports/course.ts'
import { DueNext } from '../../parts/reports/due-next.tsx'
import { LazyLineChart } from '../../parts/reports/lazy-line-chart.tsx'
import { Bar, TableSwitch } from '../../parts/reports/marks.tsx'
import { RateNote } from '../../parts/reports/report-notes.tsx'
import { Card, ErrorNote, RowsLink } from '../../parts/ui.tsx'
import { FigureTable } from './figure-table.tsx'
import { Hero, HeroSkeleton } from './hero.tsx'

const reach = 45

/** Money that can be spent. A loan or a house says nothing about the next weeks. */
const liquid: ReadonlyArray<Account['type']> = ['checking', 'savings', 'cash', 'credit_card']

/** The first day below zero of an account. A credit card is meant to be below. */
const belowZero = (account: Account, rows: readonly Forecast[]) =>
  account.type === 'credit_card'
    ? undefined
    : rows.find((row) => row.account_id === account.id && row.balance < 0)

const shortDay = (day: string) => formatPeriod(day, 'day', 'short')

const Due = () => (
  <Card title={m.dueNext} className='report-due'>
    <DueNext most={3} />
  </Card>
)

export function Coming({ money }: { money: Money }) {
  const { context } = useSessionContext()
  const until = addDays(today(), reach)
  const accounts = useQuery({
    ...accountsQuery(context),
    select: (all) => all.filter((one) => !isClosed(one) && liquid.includes(one.type)),
  })
  const each = useQuery(forecastQuery(context, until))
  const ids = accounts.data?.map(({ id }) => id) ?? []
  const converts = money.convertTo !== null && ids.length > 0
  const total = useQuery({
    ...forecastQuery(context, until, { whatIf: [], convertTo: money.convertTo, accounts: ids }),
    enabled: converts,
  })
  const error = accounts.error ?? each.error ?? total.error
  const { currency } = money
  if (error !== null)
    return (
      <Hero title={m.comingUp} figure='–' meaning='' words={<ErrorNote error={error} />}>
        <Due />
      </Hero>
    )
  if (
    accounts.data === undefined || each.data === undefined || currency == null ||
    (converts && total.data === undefined)
  ) {
    return (
      <HeroSkeleton title={m.comingUp}>
        <Due />
      </HeroSkeleton>
    )
  }
  const visible =
    (converts ? total.data ?? [] : each.data.filter((row) => ids.includes(row.account_id ?? '')))
      .filter((row) => row.currency === currency)
  const start = visible.map(({ day }) => day).toSorted()[0]
  if (start === undefined) {
    return (
      <Hero title={m.comingUp} figure='–' meaning={m.forecastEmpty} words={null}>
        <div className='report-line' />
        <Due />
      </Hero>
    )
  }
  return (
    <OfDays
      days={everyDay({ start, end: until })}
      values={totalByDay(visible, { start, end: until })}
      accounts={accounts.data}
      {...{ visible, currency }}
      each={each.data}
    />
  )
}

type OfDaysProps = {
  days: string[]
  values: number[]
  visible: Forecast[]
  each: Forecast[]
  accounts: Account[]
  currency: string
}

function OfDays({ days, values, visible, each, accounts, currency }: OfDaysProps) {
  const [isTable, setIsTable] = useState(false)
  const at = lowestOf(values)
  const say = (amount: number | undefined) => formatAmount(amount ?? 0, currency)
  const reasonsOf = (day: string | undefined) =>
    visible.filter((row) => row.day === day).flatMap(({ reasons }) => reasons)
      .map(({ name, amount }) =>
        forecast.reason(name, amount === null ? forecast.withoutRate : say(amount))
      )
  const textOf = (index: number) =>
    [`${shortDay(days[index] ?? '')}: ${say(values[index])}`, ...reasonsOf(days[index])].join(', ')
  return (
    <Hero
      title={m.comingUp}
      figure={<Link to='/recurring' hash='ahead'>{say(values[at])}</Link>}
      meaning={at === 0 ? m.lowestToday : m.lowestOn(shortDay(days[at] ?? ''))}
      words={
        <>
          <p>{m.todayAndLast(days.length - 1, say(values[0]), say(values.at(-1)))}</p>
          {accounts.map((account) => <BelowZero key={account.id} {...{ account, each }} />)}
          <WithoutAccount />
          {visible.some(({ left_out: count }) => count > 0) && (
            <RateNote rate={{ quote: currency }}>{forecast.missingRates}</RateNote>
          )}
        </>
      }
    >
      {isTable ?
        (
          <FigureTable
            heads={[m.day, forecast.balance]}
            rows={days.map((day, index) => [shortDay(day), say(values[index])])}
          />
        ) :
        (
          <LazyLineChart
            name={m.forecastChart}
            currency={currency}
            lines={[{ kind: 'planned', values }]}
            names={days}
            shortNames={days.map(shortDay)}
            textOf={textOf}
            start={at}
            lowest={at}
          />
        )}
      <div className='report-hero-links'>
        <Link to='/recurring' hash='ahead'>{m.forecast}</Link>
        <TableSwitch isTable={isTable} onChange={setIsTable} />
      </div>
      <Due />
    </Hero>
  )
}

/** Warns of the first day below zero of an account. */
function BelowZero({ account, each }: { account: Account, each: Forecast[] }) {
  const row = belowZero(account, each)
  return row !== undefined && (
    <p className='report-warning'>
      <TriangleAlert className='icon' aria-hidden='true' />
      <RowsLink account={account.id}>
        {m.fallsBelowZero(
          account.name,
          shortDay(row.day),
          formatAmount(row.balance, row.currency),
        )}
      </RowsLink>
    </p>
  )
}

/**
 * A month that is over has no forecast: its income less its expenses, which is the sum of its rows.
 */
export function Remained({ month, money }: { month: string, money: Money }) {
  const { context } = useSessionContext()
  const days = daysOf(month)
  const income = useQuery(sharesQuery(context, 'income', days, money))
  const expense = useQuery(sharesQuery(context, 'expense', days, money))
  const { currency } = money
  const error = income.error ?? expense.error
  if (error !== null)
    return (
      <Hero title={m.leftOver} figure='–' meaning='' words={<ErrorNote error={error} />}>
        {null}
      </Hero>
    )
  if (income.data === undefined || expense.data === undefined || currency == null)
    return <HeroSkeleton title={m.leftOver} />
  const [came, went] = [income.data, expense.data].map((rows) =>
    sumOf(rows.map(({ total }) => total))
  ) as [number, number]
  return (
    <Hero
      title={m.leftOver}
      figure={
        <RowsLink days={days} currency={money.convertTo === null ? currency : null}>
          {formatAmount(sumOf([came, went]), currency)}
        </RowsLink>
      }
      meaning={m.leftOverIn(formatPeriod(month, 'month'))}
      words={null}
    >
      <ul className='report-sides'>
        {([[reports.income, came, true], [reports.expenses, -went, false]] as const)
          .map(([side, amount, isIncome]) => (
            <li key={side}>
              <span>{side}</span>
              <span className='amount'>{formatAmount(amount, currency)}</span>
              <Bar share={amount / Math.max(came, -went, 1)} isIncome={isIncome} />
            </li>
          ))}
      </ul>
    </Hero>
  )
}

/** A note about the costs that the forecast lacks. */
function WithoutAccount() {
  const { context } = useSessionContext()
  const count =
    useQuery(recurringQuery(context)).data?.filter((one) =>
      one.is_active && one.account_id === null
    ).length ?? 0
  return count > 0 && (
    <p>
      <Link to='/recurring'>{m.withoutAccount(count)}</Link>
    </p>
  )
}

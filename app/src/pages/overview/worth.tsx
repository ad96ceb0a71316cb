/** The card of the net worth and its course over a year. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { type Account, accountsQuery, isClosed } from '../../data/accounts.ts'
import { type Money, netWorthQuery } from '../../data/reports.ts'
import { formatAmount, formatChangeOf, sumOf } from '../../locale/amounts.ts'
import { formatDay, today } from '../../locale/days.ts'
import { daysOf, formatPeriod, monthOf, monthsBetween } from '../../locale/months.ts'
import { overview as m } from '../../messages/overview.ts'
import { accounts as named } from '../../messages/accounts.ts'
import { reports } from '../../messages/reports.ts'
import { LazyLineChart } from '../../parts/reports/lazy-line-chart.tsx'
import { TableSwitch } from '../../parts/reports/marks.tsx'
import { RateNote } from '../../parts/reports/report-notes.tsx'
import { ErrorNote } from '../../parts/ui.tsx'
import { Hero, HeroSkeleton } from './hero.tsx'
import { FigureTable } from './figure-table.tsx'

/** The months of the course and the one before, to compare with. */
const months = 13

/** The most months that the service reports. */
const most = 120

type WorthProps = { month: string, money: Money, canConvert: boolean }

export function Worth({ month, money, canConvert }: WorthProps) {
  const { context } = useSessionContext()
  const thisMonth = monthOf(today())
  const back = Math.max(monthsBetween(month, thisMonth), 0)
  const worth = useQuery(
    netWorthQuery(context, { grouping: 'monthly', periods: Math.min(back + months, most) }, money),
  )
  const { currency } = money
  const rows = worth.data?.filter(({ period }) => period <= month)
  if (worth.error !== null)
    return (
      <Hero title={m.netWorth} figure='–' meaning='' words={<ErrorNote error={worth.error} />}>
        {null}
      </Hero>
    )
  if (rows === undefined || currency == null) return <HeroSkeleton title={m.netWorth} />
  return (
    <OfMonth
      key={month}
      rows={rows}
      isPast={month < thisMonth}
      {...{ month, currency, money, canConvert }}
    />
  )
}

type WorthRow = {
  period: string
  currency: string
  assets: number
  liabilities: number
  net: number
}
type OfMonthProps = {
  rows: WorthRow[]
  currency: string
  money: Money
  canConvert: boolean
  month: string
  isPast: boolean
}

/** Returns the months of one currency, and the amounts in others beside the last one. */
function courseOf(rows: WorthRow[], currency: string) {
  /** The amounts of other currencies at the end of a month. */
  const apartIn = (period: string) =>
    rows.filter((row) =>
      row.period === period && row.currency !== currency &&
      (row.assets !== 0 || row.liabilities !== 0)
    )
  const periods = [...new Set(rows.map(({ period }) => period))].toSorted().slice(-months)
  // a currency without an account has no rows
  const all = periods.map((period) =>
    rows.find((row) => row.period === period && row.currency === currency) ??
      { period, currency, assets: 0, liabilities: 0, net: 0 }
  )
  const apart = apartIn(all.at(-1)?.period ?? '')
  // a month that lacks a rate is not comparable
  const isComparable = ({ period }: WorthRow) => apartIn(period).length === apart.length
  return { all, apart, isComparable }
}

type Course = ReturnType<typeof courseOf>

const nameOf = (period: string) => formatPeriod(period, 'month')

function OfMonth(
  { rows, currency, money: { convertTo }, canConvert, month, isPast }: OfMonthProps,
) {
  const { context } = useSessionContext()
  const loaded = useQuery(accountsQuery(context)).data
  const [isTable, setIsTable] = useState(false)
  const { all, apart, isComparable } = courseOf(rows, currency)
  const now = all.at(-1)
  if (now === undefined || (isPast && now.period !== month))
    return (
      <Hero title={m.netWorth} figure='–' meaning={m.noFigures} words={null}>
        <div className='report-line' />
      </Hero>
    )
  if (loaded?.length === 0) {
    return (
      <Hero
        title={m.netWorth}
        figure='–'
        meaning={reports.balancesEmpty}
        words={<Link to='/accounts'>{reports.addAccount}</Link>}
      >
        <div className='report-line' />
      </Hero>
    )
  }
  return (
    <Hero
      title={m.netWorth}
      figure={<Link to='/accounts'>{formatAmount(now.net, currency)}</Link>}
      meaning={isPast ? m.netWorthAtEnd(nameOf(month)) : m.netWorthOn(formatDay(today()))}
      words={
        <>
          <Changes {...{ all, now, isComparable }} />
          <Apart
            {...{ apart, now }}
            accounts={loaded ?? []}
            text={convertTo === null && canConvert ? m.plusNotIncluded : m.plusWithoutRate}
          />
        </>
      }
    >
      {isTable ?
        (
          <FigureTable
            heads={[reports.period, named.netWorth]}
            rows={all.map((row) => [nameOf(row.period), formatAmount(row.net, currency)])}
          />
        ) :
        <WorthChart {...{ all, isComparable, currency, convertTo, month }} />}
      <div className='report-hero-links'>
        <Link to='/accounts'>{m.accounts}</Link>
        <TableSwitch isTable={isTable} onChange={setIsTable} />
      </div>
    </Hero>
  )
}

type ChangesProps = Pick<Course, 'all' | 'isComparable'> & { now: WorthRow }

/** The changes since the month before and since a year before. */
const Changes = ({ all, isComparable, now }: ChangesProps) =>
  [all.at(-2), all.length === months ? all[0] : undefined].filter((row) => row !== undefined)
    .filter(isComparable)
    .map((row) => {
      const change = sumOf([now.net, -row.net])
      return (
        <p key={row.period}>
          {change === 0
            ? m.unchangedSince(nameOf(row.period))
            : m.sinceEndOf(formatChangeOf(change, now.currency), nameOf(row.period))}
        </p>
      )
    })

type ApartProps = Pick<Course, 'apart'> & {
  now: WorthRow
  accounts: Account[]
  /** The sentence about an amount and the number of its accounts. */
  text: (amount: string, count: number) => string
}

/** The amounts in other currencies, which the figure does not include. */
const Apart = ({ apart, now, accounts, text }: ApartProps) =>
  apart.map((row) => {
    const count = accounts.filter((account) =>
      account.currency === row.currency && !isClosed(account)
    ).length
    return (
      <RateNote
        key={row.currency}
        rate={{ base: row.currency, quote: now.currency, on_date: now.period }}
      >
        {text(formatAmount(row.net, row.currency), count)}
      </RateNote>
    )
  })

type WorthChartProps = Pick<Course, 'all' | 'isComparable'> & {
  currency: string
  convertTo: string | null
  month: string
}

/** The net worth by months. A month opens its transactions. */
function WorthChart({ all, isComparable, currency, convertTo, month }: WorthChartProps) {
  const navigate = useNavigate()
  const textOf = (index: number) =>
    `${nameOf(all[index]?.period ?? '')}: ${formatAmount(all[index]?.net ?? 0, currency)}`
  return (
    <LazyLineChart
      name={m.netWorthChart}
      currency={currency}
      lines={[{ kind: 'main', values: all.map((row) => isComparable(row) ? row.net : null) }]}
      names={all.map(({ period }) => period)}
      shortNames={all.map(({ period }) => formatPeriod(period, 'month', 'short'))}
      textOf={textOf}
      start={all.length - 1}
      onOpen={(index) => {
        const { start: from, end: to } = daysOf(all[index]?.period ?? month)
        void navigate({
          to: '/transactions',
          search: { from, to, ...(convertTo === null && { currency }) },
        })
      }}
    />
  )
}

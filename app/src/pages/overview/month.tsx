/** The figures of a month: spent, left, and compared with the same days of the months before. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import {
  budgetComparisonQuery,
  cashFlowQuery,
  type Money,
  sharesQuery,
} from '../../data/reports.ts'
import { formatAmount, sumOf } from '../../locale/amounts.ts'
import { today } from '../../locale/days.ts'
import {
  addMonths,
  comparedDays,
  type Days,
  daysOf,
  formatDays,
  formatPeriod,
  monthOf,
} from '../../locale/months.ts'
import { overview as m } from '../../messages/overview.ts'
import { countOf, everyDay, runningSum } from '../../parts/reports/course.ts'
import { LazyLineChart } from '../../parts/reports/lazy-line-chart.tsx'
import { TableSwitch } from '../../parts/reports/marks.tsx'
import { ReportNotes } from '../../parts/reports/report-notes.tsx'
import { ErrorNote, RowsLink } from '../../parts/ui.tsx'
import { FigureTable } from './figure-table.tsx'
import { Hero, HeroSkeleton } from './hero.tsx'

/** The most days that the service reports. */
const most = 120

type Sum = { total: number }
const sizeOf = (rows: readonly Sum[]) => -sumOf(rows.map(({ total }) => total))

/** The days of a month until today. */
function passedDays(month: string): Days {
  const whole = daysOf(month)
  return month === monthOf(today()) ? { start: month, end: today() } : whole
}

export function Month({ month, money }: { month: string, money: Money }) {
  const { context } = useSessionContext()
  const days = passedDays(month)
  const spent = useQuery(sharesQuery(context, 'expense', days, money))
  const [before, second, third] = [
    useQuery(sharesQuery(context, 'expense', comparedDays(month, today()), money)),
    useQuery(sharesQuery(context, 'expense', comparedDays(month, today(), 2), money)),
    useQuery(sharesQuery(context, 'expense', comparedDays(month, today(), 3), money)),
  ]
  const income = useQuery(sharesQuery(context, 'income', days, money))
  const budgets = useQuery(budgetComparisonQuery(context, daysOf(month), money))
  const title = month === monthOf(today()) ? m.thisMonth : formatPeriod(month, 'month')
  const error =
    [spent, before, second, third, income, budgets].find((query) => query.error !== null)?.error ??
      null
  if (error !== null)
    return (
      <Hero title={title} figure='–' meaning='' words={<ErrorNote error={error} />}>{null}</Hero>
    )
  const { currency } = money
  const loaded = [before.data, second.data, third.data].filter((rows) => rows !== undefined)
  if (
    currency == null || loaded.length < 3 || spent.data === undefined ||
    income.data === undefined || budgets.data === undefined
  ) {
    return <HeroSkeleton title={title} />
  }
  const figures = {
    spent: sizeOf(spent.data),
    income: sumOf(income.data.map(({ total }) => total)),
    former: loaded.map(sizeOf),
  }
  const only = money.convertTo === null ? currency : null
  const say = (amount: number) => formatAmount(amount, currency)
  return (
    <Hero
      title={title}
      figure={
        <RowsLink days={days} currency={only} side='out' sort='amount'>
          {say(figures.spent)}
        </RowsLink>
      }
      meaning={title === m.thisMonth ? m.spentSoFar : m.spentIn(title)}
      words={
        <>
          <Left month={month} budgets={budgets.data} {...figures} say={say} />
          <Compared month={month} {...figures} say={say} />
          <ReportNotes rows={spent.data} money={money} />
        </>
      }
    >
      <Course {...{ month, days, money, currency }} />
    </Hero>
  )
}

type LeftProps = {
  month: string
  budgets: Array<{ budget: number, difference: number }>
  spent: number
  income: number
  say: (amount: number) => string
}

/** The rest of the budgets, or of the income if there are none. */
function Left({ month, budgets, spent, income, say }: LeftProps) {
  const planned = sumOf(budgets.map(({ budget }) => budget))
  const left = sumOf(
    budgets.length > 0 ? budgets.map(({ difference }) => difference) : [income, -spent],
  )
  if (budgets.length > 0)
    return (
      <p>
        <Link to='/budgets' search={{ month }}>
          {left < 0
            ? m.overBudgets(say(-left), say(planned))
            : m.leftOfBudgets(say(left), say(planned))}
        </Link>
      </p>
    )
  return (
    <p>
      {left < 0
        ? m.moreThanIncome(say(-left), say(income))
        : m.leftOfIncome(say(left), say(income))}
    </p>
  )
}

type ComparedProps = {
  month: string
  spent: number
  former: number[]
  say: (amount: number) => string
}

/** The same days of the month before, and the average of the last three months. */
function Compared({ month, spent, former, say }: ComparedProps) {
  const [lastMonth = 0] = former
  const change = sumOf([spent, -lastMonth])
  const usual = sumOf([spent, -sumOf(former) / former.length])
  const days = formatDays(comparedDays(month, today()))
  return (
    <>
      <p>
        {change === 0
          ? m.asMuchAs(days)
          : change > 0
          ? m.moreThan(say(change), days)
          : m.lessThan(say(-change), days)}
      </p>
      <p>
        {usual === 0
          ? m.asMuchAsUsual
          : usual > 0
          ? m.moreThanUsual(say(usual))
          : m.lessThanUsual(say(-usual))}
      </p>
    </>
  )
}

type CourseProps = { month: string, days: Days, money: Money, currency: string }

/** The spending of each day, added up, over that of the month before. */
function Course(props: CourseProps) {
  const { month, money } = props
  const { context } = useSessionContext()
  const [isTable, setIsTable] = useState(false)
  const before = daysOf(addMonths(month, -1))
  const periods = countOf({ start: before.start, end: today() })
  const isReachable = periods > 0 && periods <= most
  const flow = useQuery({
    ...cashFlowQuery(context, {
      grouping: 'daily',
      periods: isReachable ? periods : 1,
      upcoming: 0,
    }, money),
    enabled: isReachable,
  })
  if (!isReachable)
    return (
      <div className='report-line'>
        <p>{m.spendingChartLimit}</p>
      </div>
    )
  if (flow.data === undefined)
    return (
      <div className='report-line'>
        <ErrorNote error={flow.error} />
      </div>
    )
  const rows = flow.data.map(({ period, expenses }) => ({ day: period, amount: expenses }))
  return <RunningSums {...props} rows={rows} isTable={isTable} onTable={setIsTable} />
}

/** Adds up the amounts of a month and of the one before, and names their days. */
function sumsOf(rows: DayAmount[], month: string, days: Days) {
  const before = daysOf(addMonths(month, -1))
  const [now, former] = [runningSum(rows, days), runningSum(rows, before)]
  const names = everyDay(daysOf(month))
  while (names.length < former.length) names.push('')
  const nameOf = (index: number) =>
    formatPeriod(names[index] || (everyDay(before)[index] ?? ''), 'day', 'short')
  // a month before with fewer days keeps its last sum
  const formerAt = (index: number) => former[index] ?? former.at(-1)
  return { now, former, names, nameOf, formerAt }
}

type DayAmount = { day: string, amount: number }

type RunningSumsProps = CourseProps & {
  rows: DayAmount[]
  isTable: boolean
  onTable: (isTable: boolean) => void
}

/** The sums as a chart or as a table. */
function RunningSums({ rows, isTable, onTable, ...props }: RunningSumsProps) {
  const { month, days, money, currency } = props
  const sums = sumsOf(rows, month, days)
  const { now, names, nameOf, formerAt } = sums
  const say = (amount: number | undefined) =>
    amount === undefined ? '–' : formatAmount(amount, currency)
  return (
    <>
      {isTable ?
        (
          <FigureTable
            heads={[m.day, m.thisMonthsLine, m.lastMonthsLine]}
            rows={names.map((_, index) => [nameOf(index), say(now[index]), say(formerAt(index))])}
          />
        ) :
        <SumsChart {...props} sums={sums} say={say} />}
      <div className='report-hero-links'>
        <RowsLink days={days} currency={money.convertTo === null ? currency : null}>
          {m.transactions}
        </RowsLink>
        <TableSwitch isTable={isTable} onChange={onTable} />
      </div>
    </>
  )
}

type SumsChartProps = CourseProps & {
  sums: ReturnType<typeof sumsOf>
  say: (amount: number | undefined) => string
}

/** Both sums as lines. A day opens the expenses until then. */
function SumsChart({ sums, month, money, currency, say }: SumsChartProps) {
  const navigate = useNavigate()
  const { now, former, names, nameOf, formerAt } = sums
  const textOf = (index: number) =>
    now[index] === undefined
      ? m.spentBeforeUntil(nameOf(index), say(formerAt(index)))
      : m.spentUntil(nameOf(index), say(now[index]), say(formerAt(index)))
  const open = (index: number) => {
    const to = names[index]
    const only = money.convertTo === null && { currency }
    if (to)
      void navigate({
        to: '/transactions',
        search: { from: month, to, side: 'out', sort: 'amount', ...only },
      })
  }
  return (
    <LazyLineChart
      name={m.spendingChart}
      currency={currency}
      lines={[{ kind: 'main', values: names.map((_, index) => now[index] ?? null) }, {
        kind: 'former',
        values: names.map((_, index) => former[index] ?? null),
      }]}
      names={names}
      shortNames={names.map((_, index) => String(index + 1))}
      textOf={textOf}
      start={now.length - 1}
      today={month === monthOf(today()) ? now.length - 1 : undefined}
      fromZero
      onOpen={open}
    />
  )
}

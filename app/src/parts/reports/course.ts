/** Courses of amounts over days and months, for line charts. */
import { sumOf } from '../../locale/amounts.ts'
import { balancesByDay } from '../../locale/figures.ts'
import { addDays, type Days } from '../../locale/months.ts'

/** Returns all days of a range. */
export function everyDay({ start, end }: Days): string[] {
  const days: string[] = []
  for (let day = start; day <= end; day = addDays(day, 1)) days.push(day)
  return days
}

/** Returns the number of days of a range. */
export const countOf = ({ start, end }: Days): number =>
  Math.round((Date.parse(end) - Date.parse(start)) / 86_400_000) + 1

/** Returns the running sum of each day of a range. A day without a row adds nothing. */
export function runningSum(
  rows: ReadonlyArray<{ day: string, amount: number }>,
  days: Days,
): number[] {
  let sum = 0
  return everyDay(days).map((day) => {
    sum = sumOf([sum, ...rows.filter((row) => row.day === day).map(({ amount }) => amount)])
    return sum
  })
}

type Balance = { account_id: string | null, day: string, balance: number }

/**
 * Returns the sum of the balances of all accounts for each day. @param rows the days with a change
 * of each account
 */
export function totalByDay(rows: readonly Balance[], days: Days): number[] {
  const accounts = [...new Set(rows.map(({ account_id: id }) => id))]
  const courses = accounts.map((id) =>
    balancesByDay(rows.filter((row) => row.account_id === id), days.end)
  )
  return everyDay(days).map((_, index) => sumOf(courses.map((course) => course[index] ?? 0)))
}

/** Returns the position of the first of the lowest values. */
export const lowestOf = (values: readonly number[]): number => values.indexOf(Math.min(...values))

/** Returns at most five ticks of a scale. */
export function fewTicks(scale: { ticks: (count: number) => number[] }): number[] {
  for (let count = 4; count > 1; count--) {
    const ticks = scale.ticks(count)
    if (ticks.length <= 5) return ticks
  }
  return scale.ticks(1).slice(0, 5)
}

/** Returns the position that a key moves to; null for other keys. */
export function movedBy(key: string, position: number, count: number): number | null {
  const moves: Record<string, number> = {
    ArrowRight: position + 1,
    ArrowUp: position + 1,
    ArrowLeft: position - 1,
    ArrowDown: position - 1,
    Home: 0,
    End: count - 1,
  }
  const moved = moves[key]
  return moved === undefined ? null : Math.min(Math.max(moved, 0), count - 1)
}

/**
 * Returns the width of the labels of an axis, in pixels, with the gap to the chart. A digit is
 * about 7 pixels wide.
 */
export const labelWidth = (labels: readonly string[]): number =>
  Math.max(...labels.map((label) => label.length)) * 7 + 14

/** Calendar days and periods in the service's format: `YYYY-MM-DD`, a period by its first day. */

import { locale as appLocale } from './language.ts'

/** An inclusive range of days. */
export type Days = { start: string, end: string }

export type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year'

const dayOf = (time: Date) => time.toISOString().slice(0, 10)
const timeOf = (day: string) => new Date(`${day}T00:00:00Z`)

/** @param count negative for earlier days */
export function addDays(day: string, count: number): string {
  const time = timeOf(day)
  time.setUTCDate(time.getUTCDate() + count)
  return dayOf(time)
}

/** Returns the first day of a day's month. */
export const monthOf = (day: string): string => `${day.slice(0, 7)}-01`

/** @param count negative for earlier months */
export function addMonths(month: string, count: number): string {
  const time = timeOf(monthOf(month))
  time.setUTCMonth(time.getUTCMonth() + count)
  return dayOf(time)
}

/** Returns the number of months from a month to another. */
export const monthsBetween = (from: string, to: string): number =>
  (Number(to.slice(0, 4)) - Number(from.slice(0, 4))) * 12 + Number(to.slice(5, 7)) -
  Number(from.slice(5, 7))

/** Returns the first day of a day's period. Weeks begin on Monday, as in the service. */
export function startOf(day: string, unit: Unit): string {
  if (unit === 'day') return day
  if (unit === 'week') return addDays(day, -(timeOf(day).getUTCDay() + 6) % 7)
  if (unit === 'quarter') return addMonths(day, -(timeOf(day).getUTCMonth() % 3))
  return unit === 'month' ? monthOf(day) : `${day.slice(0, 4)}-01-01`
}

/** @param count negative for earlier periods */
function addPeriods(start: string, unit: Unit, count: number): string {
  if (unit === 'day' || unit === 'week') return addDays(start, unit === 'week' ? count * 7 : count)
  return addMonths(start, count * { month: 1, quarter: 3, year: 12 }[unit])
}

/** Returns all days of a period. @param start its first day */
export const daysOf = (start: string, unit: Unit = 'month'): Days => ({
  start,
  end: addDays(addPeriods(start, unit, 1), -1),
})

/** Returns the days of a preset, by the rules of docs/data.md; null for all time. */
export function daysOfPreset(preset: string, now: string): Days | null {
  if (preset === 'all_time') return null
  if (preset === 'today') return daysOf(now, 'day')
  if (preset === 'yesterday') return daysOf(addDays(now, -1), 'day')
  const [which, size = '', unit] = preset.split('_')
  if (unit === 'days') return { start: addDays(now, 1 - Number(size)), end: now }
  const start = startOf(now, size as Unit)
  return daysOf(which === 'last' ? addPeriods(start, size as Unit, -1) : start, size as Unit)
}

/** Returns the share of days that have passed at the end of today, from 0 to 1. */
export function passedOf({ start, end }: Days, now: string): number {
  const [from, to, at] = [timeOf(start), timeOf(end), timeOf(now)].map(Number) as [
    number,
    number,
    number,
  ]
  const day = 86_400_000
  return Math.min(Math.max((at - from + day) / (to - from + day), 0), 1)
}

/**
 * Returns the days of a former month to compare with: as many as have passed of the month, or all
 * if it is over.
 * @param month its first day
 * @param now today
 * @param back the number of months between them
 */
export function comparedDays(month: string, now: string, back = 1): Days {
  const before = daysOf(addMonths(month, -back))
  const isOver = daysOf(month).end <= now
  if (isOver || monthOf(now) !== month) return before
  const sameDay = addDays(before.start, Number(now.slice(8)) - 1)
  return { start: before.start, end: sameDay < before.end ? sameDay : before.end }
}

const [year, month, day] = [{ year: 'numeric' }, { month: 'short' }, { day: 'numeric' }] as const

/** Formats of a period: alone, and short for the axis of a chart. */
const formats: Record<
  Unit,
  { long: Intl.DateTimeFormatOptions, short: Intl.DateTimeFormatOptions }
> = {
  day: { long: { ...day, ...month, ...year }, short: { ...day, ...month } },
  week: { long: { ...day, ...month, ...year }, short: { ...day, ...month } },
  month: { long: { month: 'long', ...year }, short: month },
  quarter: { long: { ...month, ...year }, short: month },
  year: { long: year, short: year },
}

/** Formats a period, such as `October 2025`. */
export const formatPeriod = (
  start: string,
  unit: Unit,
  length: 'long' | 'short' = 'long',
  locale = appLocale,
): string =>
  new Intl.DateTimeFormat(locale, { ...formats[unit][length], timeZone: 'UTC' }).format(
    timeOf(start),
  )

/** Formats a month without its year. */
export const formatMonthName = (start: string, locale = appLocale): string =>
  new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' }).format(timeOf(start))

/** Formats a range of days, such as `Oct 1 – 22`. */
export const formatDays = ({ start, end }: Days, locale = appLocale): string =>
  new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }).formatRange(
    timeOf(start),
    timeOf(end),
  )

/** Formats a range of months, such as `Aug – Dec 2026`. One month has its long name. */
export const formatMonths = (from: string, to: string, locale = appLocale): string =>
  from === to
    ? formatPeriod(from, 'month', 'long', locale)
    : new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' })
      .formatRange(timeOf(from), timeOf(to))

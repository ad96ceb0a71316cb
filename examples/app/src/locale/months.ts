/** Days, months and other periods as the service writes them: `YYYY-MM-DD`, a period by its first day. Calendar days, which no time zone moves. */

import { inWords } from './days.ts'

/** Two days, both included. */
export type Days = { start: string, end: string }

export type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year'

const dayOf = (time: Date) => time.toISOString().slice(0, 10)
const timeOf = (day: string) => new Date(`${day}T00:00:00Z`)

/** @param count days later, or earlier when it is negative */
export function addDays(day: string, count: number): string {
  const time = timeOf(day)
  time.setUTCDate(time.getUTCDate() + count)
  return dayOf(time)
}

/** The first day of the month of a day. */
export const monthOf = (day: string): string => `${day.slice(0, 7)}-01`

/** @param count months later, or earlier when it is negative */
export function addMonths(month: string, count: number): string {
  const time = timeOf(monthOf(month))
  time.setUTCMonth(time.getUTCMonth() + count)
  return dayOf(time)
}

/** The first day of the period of a day. Weeks begin on Monday, as the service has them. */
export function startOf(day: string, unit: Unit): string {
  if (unit === 'day') return day
  if (unit === 'week') return addDays(day, -(timeOf(day).getUTCDay() + 6) % 7)
  if (unit === 'quarter') return addMonths(day, -(timeOf(day).getUTCMonth() % 3))
  return unit === 'month' ? monthOf(day) : `${day.slice(0, 4)}-01-01`
}

/** @param count periods later, or earlier when it is negative */
function addPeriods(start: string, unit: Unit, count: number): string {
  if (unit === 'day' || unit === 'week') return addDays(start, unit === 'week' ? count * 7 : count)
  return addMonths(start, count * { month: 1, quarter: 3, year: 12 }[unit])
}

/** The whole of a period. @param start its first day */
export const daysOf = (start: string, unit: Unit = 'month'): Days => ({ start, end: addDays(addPeriods(start, unit, 1), -1) })

/** The days of a preset, as docs/data.md has them. @returns null for all time */
export function daysOfPreset(preset: string, now: string): Days | null {
  if (preset === 'all_time') return null
  if (preset === 'today') return daysOf(now, 'day')
  if (preset === 'yesterday') return daysOf(addDays(now, -1), 'day')
  const [which, size = '', unit] = preset.split('_')
  if (unit === 'days') return { start: addDays(now, 1 - Number(size)), end: now }
  const start = startOf(now, size as Unit)
  return daysOf(which === 'last' ? addPeriods(start, size as Unit, -1) : start, size as Unit)
}

/** How much of some days has passed when today is over, from 0 to 1. */
export function passedOf({ start, end }: Days, now: string): number {
  const [from, to, at] = [timeOf(start), timeOf(end), timeOf(now)].map(Number) as [number, number, number]
  const day = 86_400_000
  return Math.min(Math.max((at - from + day) / (to - from + day), 0), 1)
}

/**
 * The days of the month before that a month is compared with: all of them, or while it is not over only as many as have passed.
 * @param month its first day
 * @param now today
 */
export function comparedDays(month: string, now: string): Days {
  const before = daysOf(addMonths(month, -1))
  const isOver = daysOf(month).end <= now
  if (isOver || monthOf(now) !== month) return before
  const sameDay = addDays(before.start, Number(now.slice(8)) - 1)
  return { start: before.start, end: sameDay < before.end ? sameDay : before.end }
}

const [year, month, day] = [{ year: 'numeric' }, { month: 'short' }, { day: 'numeric' }] as const

/** As much of a period's first day as tells it apart: alone, and below a column beside its neighbours. */
const formats: Record<Unit, { long: Intl.DateTimeFormatOptions, short: Intl.DateTimeFormatOptions }> = {
  day: { long: { ...day, ...month, ...year }, short: { ...day, ...month } },
  week: { long: { ...day, ...month, ...year }, short: { ...day, ...month } },
  month: { long: { month: 'long', ...year }, short: month },
  quarter: { long: { ...month, ...year }, short: month },
  year: { long: year, short: year },
}

/** A period by name, such as `October 2025`. */
export const formatPeriod = (start: string, unit: Unit, length: 'long' | 'short' = 'long', locale?: string): string =>
  new Intl.DateTimeFormat(inWords(locale), { ...formats[unit][length], timeZone: 'UTC' }).format(timeOf(start))

/** Some days in few words, such as `Oct 1 – 22`. */
export const formatDays = ({ start, end }: Days, locale?: string): string =>
  new Intl.DateTimeFormat(inWords(locale), { day: 'numeric', month: 'short', timeZone: 'UTC' }).formatRange(timeOf(start), timeOf(end))

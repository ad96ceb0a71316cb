/** Months and days as the service writes them: `YYYY-MM-DD`, a month by its first day. Calendar days, which no time zone moves. */

import { inWords } from './days.ts'

/** Two days, both included. */
export type Days = { start: string, end: string }

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

/** The whole of a month. */
export const daysOf = (month: string): Days => ({ start: month, end: addDays(addMonths(month, 1), -1) })

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

/** A month's name, short enough to stand below a column. */
export const formatShortMonth = (month: string, locale?: string): string =>
  new Intl.DateTimeFormat(inWords(locale), { month: 'short', timeZone: 'UTC' }).format(timeOf(month))

/** Some days in few words, such as `Oct 1 – 22`. */
export const formatDays = ({ start, end }: Days, locale?: string): string =>
  new Intl.DateTimeFormat(inWords(locale), { day: 'numeric', month: 'short', timeZone: 'UTC' }).formatRange(timeOf(start), timeOf(end))

/** Dates as `YYYY-MM-DD` and calendar arithmetic. Pure: no clock. */

const at = (day: string): number => Date.parse(`${day}T00:00:00Z`)
const named = (time: number): string => new Date(time).toISOString().slice(0, 10)
const parts = (day: string): [number, number, number] =>
  day.split('-').map(Number) as [number, number, number]

export const plusDays = (day: string, days: number): string => named(at(day) + days * 86_400_000)
export const daysBetween = (first: string, last: string): number =>
  Math.round((at(last) - at(first)) / 86_400_000)

/** Adds months: the same day, or the last day of a shorter month. */
export function plusMonths(day: string, months: number): string {
  const [year, month, date] = parts(day)
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  return named(Date.UTC(year, month - 1 + months, Math.min(date, last)))
}

export const monthOf = (day: string): string => `${day.slice(0, 7)}-01`
export const daysOfMonth = (day: string): number =>
  daysBetween(monthOf(day), plusMonths(monthOf(day), 1))

export const units = ['day', 'week', 'month', 'quarter', 'year'] as const
export type Unit = typeof units[number]

/** Returns the first day of the period. Weeks begin on Monday. */
export function periodOf(day: string, unit: Unit): string {
  const [year, month] = parts(day)
  if (unit === 'day') return day
  if (unit === 'week') return plusDays(day, -((new Date(at(day)).getUTCDay() + 6) % 7))
  if (unit === 'month') return monthOf(day)
  return unit === 'quarter'
    ? named(Date.UTC(year, month - 1 - (month - 1) % 3, 1))
    : `${year}-01-01`
}

/** Returns the date of a moment in a time zone. A whole day stays the same. */
export function dayIn(zone: string, moment: string): string {
  if (!moment.includes('T')) return moment
  const written = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  return written.format(new Date(moment))
}

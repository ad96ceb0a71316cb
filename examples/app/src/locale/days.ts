/** Days and times as people read them. A day is `2025-01-31`, of no time zone; a moment is a time stamp. */

/** The days that the service takes. */
export const [firstDay, lastDay] = ['1900-01-01', '2199-12-31'] as const

/** The day it is where the person is. */
export function today(now = new Date()): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}

/** @param day a day, or a time stamp whose day counts */
export function formatDay(day: string, locale?: string): string {
  const format = formats.get(locale) ?? new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  formats.set(locale, format)
  return format.format(new Date(`${day.slice(0, 10)}T00:00:00Z`))
}

/** Kept, because a list asks at each of its rows, and to make one takes long. */
const formats = new Map<string | undefined, Intl.DateTimeFormat>()

export const formatMoment = (moment: string, locale?: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(moment))

/** Formats days and time stamps. A day is `2025-01-31` and has no time zone. */
import { locale as appLocale } from './language.ts'

/** The range of days that the service accepts. */
export const [firstDay, lastDay] = ['1900-01-01', '2199-12-31'] as const

/** The range of months that a page shows. Pages also read months before and after theirs. */
export const [firstMonth, lastMonth] = ['1901-01-01', '2198-12-01'] as const

/** Returns the current day in the user's time zone. */
export function today(now = new Date()): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}

/** Whether a text is an existing day. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text)

/** @param day a day or a time stamp */
export function formatDay(day: string, locale = appLocale): string {
  const format = formats.get(locale) ??
    new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  formats.set(locale, format)
  return format.format(new Date(`${day.slice(0, 10)}T00:00:00Z`))
}

/** Cached, because creating a format is slow. */
const formats = new Map<string, Intl.DateTimeFormat>()

export const formatMoment = (moment: string, locale = appLocale): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(moment),
  )

/** Formats the time of a time stamp in the user's time zone. */
export const formatTime = (moment: string, locale = appLocale): string =>
  new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(new Date(moment))

/**
 * Formats a day of the recent past and the near future in words: today, yesterday, or with its
 * weekday. The year is left out if it is the current one.
 */
export function formatDayInWords(day: string, now: string, locale = appLocale): string {
  const distance = Math.round((Date.parse(day) - Date.parse(now)) / 86_400_000)
  if (Math.abs(distance) <= 1) {
    const word = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(distance, 'day')
    return `${word.charAt(0).toLocaleUpperCase(locale)}${word.slice(1)}`
  }
  const year = day.slice(0, 4) === now.slice(0, 4) ? {} : { year: 'numeric' as const }
  const format = new Intl.DateTimeFormat(locale, {
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    ...year,
    timeZone: 'UTC',
  })
  return format.format(new Date(`${day}T00:00:00Z`))
}

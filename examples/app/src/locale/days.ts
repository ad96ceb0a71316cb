/** Days and times as people read them. A day is `2025-01-31`, of no time zone; a moment is a time stamp. */

/** The days that the service takes. */
export const [firstDay, lastDay] = ['1900-01-01', '2199-12-31'] as const
/**
 * The locale for what has words in it: the language is the page's, and the order that of where the person is.
 * @param locale the browser's unless told
 */
export function inWords(locale = new Intl.DateTimeFormat().resolvedOptions().locale): string {
  const { region } = new Intl.Locale(locale).maximize()
  return region === undefined ? 'en' : `en-${region}`
}

/** The day it is where the person is. */
export function today(now = new Date()): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}

/** Whether a text is a day that there is. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)

/** Days as the locale writes them where that is figures alone; a month's name is a word. */
function inFigures(locale: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const own = new Intl.DateTimeFormat(locale, options)
  const isWord = own.formatToParts(0).some(({ type, value }) => type === 'month' && !/\d/.test(value))
  return isWord ? new Intl.DateTimeFormat(inWords(locale), options) : own
}

/** @param day a day, or a time stamp whose day counts */
export function formatDay(day: string, locale?: string): string {
  const format = formats.get(locale) ?? inFigures(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  formats.set(locale, format)
  return format.format(new Date(`${day.slice(0, 10)}T00:00:00Z`))
}

/** Kept, because a list asks at each of its rows, and to make one takes long. */
const formats = new Map<string | undefined, Intl.DateTimeFormat>()

export const formatMoment = (moment: string, locale?: string): string => inFigures(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(moment))

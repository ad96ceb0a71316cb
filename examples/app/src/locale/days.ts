/** Days and times as people read them. A day is `2025-01-31`, of no time zone; a moment is a time stamp. */

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
export const formatDay = (day: string, locale?: string): string =>
  inFigures(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(`${day.slice(0, 10)}T00:00:00Z`))

export const formatMoment = (moment: string, locale?: string): string => inFigures(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(moment))

/** @param day any day of the month */
export const formatMonth = (day: string, locale?: string): string =>
  new Intl.DateTimeFormat(inWords(locale), { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${day.slice(0, 7)}-01T00:00:00Z`))

/** Formats days and time stamps. A day is `2025-01-31` and has no time zone. */

/** The range of days that the service accepts. */
export const [firstDay, lastDay] = ['1900-01-01', '2199-12-31'] as const

/**
 * Returns the locale of texts with words: the page's language, with the order of the user's region.
 * @param locale by default the browser's
 */
export function inWords(locale = new Intl.DateTimeFormat().resolvedOptions().locale): string {
  const { region } = new Intl.Locale(locale).maximize()
  return region === undefined ? 'en' : `en-${region}`
}

/** Returns the current day in the user's time zone. */
export function today(now = new Date()): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}

/** Whether a text is an existing day. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)

/** Returns the locale's own format if it has only figures. Otherwise its words are in the page's language. */
function inFigures(locale: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const localeFormat = new Intl.DateTimeFormat(locale, options)
  const isWord = localeFormat.formatToParts(0).some(({ type, value }) => type === 'month' && !/\d/.test(value))
  return isWord ? new Intl.DateTimeFormat(inWords(locale), options) : localeFormat
}

/** @param day a day or a time stamp */
export function formatDay(day: string, locale?: string): string {
  const format = formats.get(locale) ?? inFigures(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  formats.set(locale, format)
  return format.format(new Date(`${day.slice(0, 10)}T00:00:00Z`))
}

/** Cached, because creating a format is slow. */
const formats = new Map<string | undefined, Intl.DateTimeFormat>()

export const formatMoment = (moment: string, locale?: string): string => inFigures(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(moment))

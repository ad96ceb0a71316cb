/** Reads days as users write them. */
import { addDays } from './months.ts'
import { isDay } from './days.ts'

type Part = 'day' | 'month' | 'year'

/** Returns the order of the parts of a day in a locale. */
const orderOf = (locale: string): Part[] =>
  new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'numeric',
    year: 'numeric',
    timeZone: 'UTC',
  }).formatToParts(0)
    .flatMap(({ type }) => type === 'day' || type === 'month' || type === 'year' ? [type] : [])

const two = (part: number) => String(part).padStart(2, '0')

/** Returns a day as the locale writes it in figures: `21.11.2025` or `11/21/2025`. */
export const typedDay = (day: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, {
    day: '2-digit',
    month: '2-digit',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${day}T00:00:00Z`))

/** The words for days near today, in each language of the app. */
const nearDays: Record<string, number> = {
  today: 0,
  t: 0,
  heute: 0,
  h: 0,
  yesterday: -1,
  y: -1,
  gestern: -1,
  g: -1,
  tomorrow: 1,
  morgen: 1,
}

/**
 * Returns the day of a typed text, or null if there is none. Accepts the locale's figures, without
 * the year or the month, the words for today and yesterday, and a number of days with a sign. A day
 * without a year is of the current year.
 */
export function parseDay(typed: string, today: string, locale: string): string | null {
  const text = typed.trim().toLowerCase()
  if (isDay(text)) return text
  const word = nearDays[text]
  if (word !== undefined) return addDays(today, word)
  if (/^[+\-−]\d{1,4}$/.test(text)) return addDays(today, Number(text.replace('−', '-')))
  const figures =
    /^(\d{1,4})(?:[./\-\s]+(\d{1,2}))?(?:[./\-\s]+(\d{2}|\d{4}))?[./]?$/.exec(text)?.slice(1)
      .filter((part) => part !== undefined) ?? []
  const order = figures.length === 3
    ? orderOf(locale)
    : orderOf(locale).filter((part) => part === 'day' || (part === 'month' && figures.length === 2))
  if (figures.length === 0) return null
  const part = (name: Part) => {
    const at = order.indexOf(name)
    return at < 0 ? null : Number(figures[at])
  }
  const year = part('year') ?? Number(today.slice(0, 4))
  const day = `${String(year < 100 ? 2000 + year : year).padStart(4, '0')}-${
    two(part('month') ?? Number(today.slice(5, 7)))
  }-${two(part('day') ?? 0)}`
  return isDay(day) ? day : null
}

/** Parses dates in the notations of banks, and detects the date order of a file. */
import type { DateOrder } from './layout.ts'

/** The three parts of a date as written, and the orders that the notation allows. */
type Written = {
  parts: [string, string, string]
  orders: DateOrder[]
  /** No country writes the month before the day with dots, but the user may say so. */
  hasDots?: boolean
}

/** The names of each month, from January. An abbreviation is the beginning of a name. */
const MONTH_NAMES = [
  'january januar jänner janvier enero gennaio gener janeiro januari ocak ianuarie январь января януари',
  'february februar feber février febrero febbraio fevereiro februari şubat februarie február февраль февраля февруари',
  'march märz mrz mars marts marzo março maart mrt mart martie március maret mac март марта',
  'april avril abril aprile nisan aprilie április апрель апреля април',
  'may mai mayo maggio maig maio mei maj mayıs május май мая',
  'june juni juin junio giugno juny junho haziran iunie június июнь июня юни',
  'july juli juillet julio luglio juliol julho temmuz iulie július julai июль июля юли',
  'august août agosto agost augustus augusti ağustos augusztus agustus ogos август августа',
  'september septembre septiembre setiembre settembre setembro eylül septembrie szeptember сентябрь сентября септември',
  'october oktober octobre octubre ottobre outubro ekim octombrie október октябрь октября октомври',
  'november novembre noviembre novembro kasım noiembrie ноябрь ноября ноември',
  'december dezember décembre diciembre dicembre dezembro desember aralık decembrie disember декабрь декабря декември',
]

/** Returns the letters in lower case and without accents: `août` and `aout` are the same. */
const plainLetters = (text: string) => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')

const MONTHS = MONTH_NAMES.map((names) => plainLetters(names).split(' '))

/** Returns the month whose names begin with the word; undefined if several months or none do. */
function monthOf(word: string): string | undefined {
  const found = MONTHS.flatMap((names, index) =>
    names.some((name) => name.startsWith(plainLetters(word))) ? [index] : []
  )
  return found.length === 1 ? String(found[0]! + 1) : undefined
}

/**
 * Returns the orders of a date of three numbers. A year has two digits or four, and any number
 * after the only apostrophe of QIF.
 */
function ordersOf(first: string, before: string, between: string, last: string): DateOrder[] {
  if (first.length === 4) return ['ymd']
  const isMarked = between === `'` && before !== `'`
  const yearLast: DateOrder[] = isMarked || last.length > 1
    ? ['dmy', ...before === '.' ? [] : ['mdy' as const]]
    : []
  return isMarked || first.length === 1 || last.length > 2 ? yearLast : [...yearLast, 'ymd']
}

/** Returns the year in four digits. Years of three digits count from 1900. */
const fullYear = (digits: string) =>
  Number(digits) +
  (digits.length === 4 ? 0 : digits.length < 3 && Number(digits) < 70 ? 2000 : 1900)

/** Returns a date with the name of its month; undefined if no month has this name. */
function named(year: string, month: string, date: string): Written | undefined {
  const number = monthOf(month)
  return number === undefined
    ? undefined
    : { parts: [String(fullYear(year)), number, date], orders: ['ymd'] }
}

/** Notations of dates. A time, a time zone or words may follow. */
const NOTATIONS: Array<[RegExp, (found: string[]) => Written | undefined]> = [
  [
    /^(\d{4}|\d{1,2})([-/.'])(\d{1,2})([-/.'])(\d{1,4})(?!\d)/,
    ([, a = '', before = '', b = '', between = '', c = '']) => {
      const orders = ordersOf(a, before, between, c)
      return orders.length === 0
        ? undefined
        : { parts: [a, b, c], orders, hasDots: before === '.' && orders.includes('dmy') }
    },
  ],
  [
    /^((?:19|20|21)\d\d)(0\d|1[0-2])(\d\d)(?=\D|$|\d{4,6}(?!\d))/,
    ([, y = '', m = '', d = '']) => ({ parts: [y, m, d], orders: ['ymd'] }),
  ],
  [
    /^(\d\d)(\d\d)((?:19|20|21)\d\d)(?!\d)/,
    ([, a = '', b = '', y = '']) => ({ parts: [a, b, y], orders: ['dmy', 'mdy'] }),
  ],
  [
    /^(\d{1,2})(?:st|nd|rd|th|er|[.ºª°]{1,2})?[-/ ]?(?:de )?(\p{L}{3,10})[-/, .]{0,2}(?:del? )?'?(\d{4}|\d\d)(?!\d)/iu,
    ([, d = '', m = '', y = '']) => named(y, m, d),
  ],
  [
    /^(\p{L}{3,10})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)/iu,
    ([, m = '', d = '', y = '']) => named(y, m, d),
  ],
  [
    /^(\d{4})[-/. ]{1,2}(\p{L}{3,10})[-/. ]{1,2}(\d{1,2})(?!\d)/u,
    ([, y = '', m = '', d = '']) => named(y, m, d),
  ],
]

function written(text: string): Written | undefined {
  // Quicken writes 1/ 5'26, and spreadsheets mark a text with an apostrophe in front
  const tight = text.trim().replace(/^'/, '').slice(0, 60).replace(
    /(\d) ?([-/.']) ?(?=\d)/g,
    '$1$2',
  ).replace(/(\d) ?[年月년월] ?(?=\d)/g, '$1-')
  // a day of the week may stand before the date
  for (const date of [tight, tight.replace(/^\p{L}{2,12}\.?,? (?=\d)/u, '')]) {
    for (const [notation, read] of NOTATIONS) {
      const found = notation.exec(date)
      const parts = found === null ? undefined : read(found)
      if (parts !== undefined) return parts
    }
  }
  return undefined
}

const POSITIONS = { dmy: [2, 1, 0], mdy: [2, 0, 1], ymd: [0, 1, 2] } as const

/** Returns `YYYY-MM-DD`, or undefined for a date that does not exist. */
function day(parts: Written['parts'], order: DateOrder): string | undefined {
  const [y, m, d] = POSITIONS[order].map((index) => parts[index]) as [string, string, string]
  const year = fullYear(y)
  const last = new Date(Date.UTC(year, Number(m), 0)).getUTCDate()
  const exists = year >= 1900 && year < 2200 && Number(m) >= 1 && Number(m) <= 12 &&
    Number(d) >= 1 && Number(d) <= last
  return exists ? `${year}-${m.padStart(2, '0')}-${d.padStart(2, '0')}` : undefined
}

/** Returns true if a text begins with a date. */
export const looksLikeDay = (text: string): boolean => written(text) !== undefined

/** Ambiguous dates, and the orders that can be meant. */
export type OpenOrder = { unclear: string[], orders: DateOrder[] }

const DAY = 86_400_000
const YEAR = 366 * DAY

/** Banks date some booked rows a few days ahead. */
const WEEK = 7 * DAY

/** Fewer different dates can be sorted by accident. */
const MIN_DATES = 4

/** The dates of a file in one order, in milliseconds. */
type Range = { span: number, isSorted: boolean, last: number }

function rangeOf(dates: string[]): Range {
  const times = dates.map((date) => Date.parse(date))
  const [first, last] = [
    times.reduce((one, other) => Math.min(one, other)),
    times.reduce((one, other) => Math.max(one, other)),
  ]
  const steps = times.slice(1).map((time, index) => time - times[index]!)
  return {
    span: last - first,
    isSorted: steps.every((step) => step >= 0) || steps.every((step) => step <= 0),
    last,
  }
}

/**
 * Returns the orders without those that date a booked row more than a year ahead. Another order
 * must date all rows until today: the file may be a plan.
 *
 * @param datesIn the dates of the booked rows in an order
 */
function withoutFuture(
  orders: readonly DateOrder[],
  datesIn: (order: DateOrder) => string[],
): readonly DateOrder[] {
  const isUntil = (time: number) => (order: DateOrder) =>
    datesIn(order).every((date) => Date.parse(date) <= time)
  return orders.some(isUntil(Date.now() + WEEK))
    ? orders.filter(isUntil(Date.now() + YEAR))
    : orders
}

/**
 * Returns the order that the span of a file proves: its dates are sorted and within a year, and in
 * every other order they are unsorted and spread over more than five years. Neither a week nor
 * yearly interest proves an order.
 */
function orderBySpan(
  orders: readonly DateOrder[],
  datesIn: (order: DateOrder) => string[],
): DateOrder | undefined {
  const ranges = orders.map((order) => ({ order, range: rangeOf(datesIn(order)) }))
  const found = ranges.find(({ range }) =>
    range.span <= YEAR && range.isSorted && range.last <= Date.now() + YEAR
  )
  return ranges.every((one) => one === found || (one.range.span > 5 * YEAR && !one.range.isSorted))
    ? found?.order
    : undefined
}

/**
 * Detects the order of dates like 03/04/2025 or 26/02/01 by all dates of a file.
 *
 * @param days the dates in the order of the file
 * @param pending the dates that only pending rows have: these may lie ahead
 * @param orders the orders that the bank writes
 * @returns the order. `unclear` has one ambiguous date if several orders fit all dates, or two
 * dates that no order fits together.
 */
export function dateOrderOf(
  days: string[],
  pending: ReadonlySet<string> = new Set(),
  orders: readonly DateOrder[] = ['dmy', 'mdy', 'ymd'],
): DateOrder | OpenOrder {
  const open = days.flatMap((text) => {
    const found = written(text)
    // a date with one order and four digits of the year says nothing about the others
    if (
      found === undefined ||
      (found.orders.length === 1 && found.parts.some(({ length }) => length === 4))
    ) return []
    const readings = new Map(
      found.orders.map((order) => [order, day(found.parts, order)] as const).filter(([, date]) =>
        date !== undefined
      ),
    )
    return readings.size === 0 ? [] : [{ text, readings }]
  })
  let possible = orders
  let proof = ''
  for (const { text, readings } of open) {
    const left = possible.filter((order) => readings.has(order))
    if (left.length === 0)
      return {
        unclear: [proof, text].filter((one) => one !== ''),
        orders: [...new Set([...possible, ...readings.keys()])],
      }
    if (left.length < possible.length) proof = text
    possible = left
  }
  const booked = open.filter(({ text }) => !pending.has(text))
  possible = withoutFuture(possible, (order) => booked.map(({ readings }) => readings.get(order)!))
  const unclear = open.find(({ readings }) =>
    new Set(possible.map((order) => readings.get(order))).size > 1
  )
  if (unclear === undefined) return possible[0]!
  const isMany = new Set(open.map(({ text }) => text)).size >= MIN_DATES
  const bySpan = !isMany
    ? undefined
    : orderBySpan(possible, (order) => open.map(({ readings }) => readings.get(order)!))
  return bySpan ?? { unclear: [unclear.text], orders: [...possible] }
}

/**
 * Returns a date as `YYYY-MM-DD`; undefined if the text is no date.
 *
 * @param isOption true if the user set the order. Then the month may also be first in dates with
 * dots.
 */
export function dayIn(text: string, order: DateOrder, isOption = false): string | undefined {
  const found = written(text)
  if (found === undefined) return undefined
  const { parts, orders, hasDots = false } = found
  if (orders.includes(order) || (isOption && hasDots && order === 'mdy')) return day(parts, order)
  return orders.length === 1 ? day(parts, orders[0]!) : undefined
}

/** Parses dates in the notations of banks, and detects the date order of a file. */
import type { DateOrder } from './layout.ts'

/** The three numbers of a date as written. `order` is set if the notation proves it. */
type Written = { parts: [string, string, string], order?: DateOrder }

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const month = (name: string) => String(MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1)

/** Notations of dates. A time, a time zone or words may follow. */
const NOTATIONS: Array<[RegExp, (found: string[]) => Written]> = [
  [/^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/, ([, y = '', m = '', d = '']) => ({ parts: [y, m, d], order: 'ymd' })],
  [/^(\d{4})(\d\d)(\d\d)(?=\D|$|\d{4,6}(?!\d))/, ([, y = '', m = '', d = '']) => ({ parts: [y, m, d], order: 'ymd' })],
  // no country writes the month before the day with dots
  [/^(\d{1,2})\.(\d{1,2})\.(\d{4}|\d\d)(?!\d)/, ([, d = '', m = '', y = '']) => ({ parts: [d, m, y], order: 'dmy' })],
  [/^(\d{1,2})[-/'](\d{1,2})[-/'](\d{4}|\d{1,2})(?!\d)/, ([, a = '', b = '', c = '']) => ({ parts: [a, b, c] })],
  [/^(\d{1,2})[- ]?([A-Za-z]{3,9})[-, .]{0,2}(\d{4}|\d\d)(?!\d)/, ([, d = '', m = '', y = '']) => ({ parts: [d, month(m), y], order: 'dmy' })],
  [/^([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})(?!\d)/, ([, m = '', d = '', y = '']) => ({ parts: [m === '' ? '' : month(m), d, y], order: 'mdy' })],
]

function written(text: string): Written | undefined {
  // Quicken writes 1/ 5'26
  const tight = text.trim().slice(0, 60).replace(/ ?([-/.']) ?(?=\d)/g, '$1')
  for (const [notation, read] of NOTATIONS) {
    const found = notation.exec(tight)
    if (found !== null) return read(found)
  }
  return undefined
}

const ORDERS = { dmy: [2, 1, 0], mdy: [2, 0, 1], ymd: [0, 1, 2] } as const

/** Returns `YYYY-MM-DD`, or undefined for a date that does not exist. */
function day(parts: Written['parts'], order: DateOrder): string | undefined {
  const [y, m, d] = ORDERS[order].map((index) => parts[index]) as [string, string, string]
  const year = y.length <= 2 ? (Number(y) < 70 ? 2000 : 1900) + Number(y) : Number(y)
  const last = new Date(Date.UTC(year, Number(m), 0)).getUTCDate()
  const exists = year >= 1900 && year < 2200 && Number(m) >= 1 && Number(m) <= 12 && Number(d) >= 1 && Number(d) <= last
  return exists ? `${year}-${m.padStart(2, '0')}-${d.padStart(2, '0')}` : undefined
}

/** Returns true if a text begins with a date. */
export const looksLikeDay = (text: string): boolean => written(text) !== undefined

/**
 * Detects the order of dates like 03/04/2025 by all dates of a file.
 *
 * @returns the order. `unclear` has one ambiguous date if no date proves an order, or two dates that prove different orders.
 */
export function dateOrderOf(days: string[]): DateOrder | { unclear: string[] } {
  const proofs = new Map<DateOrder, string>()
  let unclear: string | undefined
  for (const text of days) {
    const found = written(text)
    if (found === undefined || found.order !== undefined) continue
    const dmy = day(found.parts, 'dmy')
    const mdy = day(found.parts, 'mdy')
    if (dmy === mdy) continue
    if (mdy === undefined) proofs.set('dmy', text)
    else if (dmy === undefined) proofs.set('mdy', text)
    else unclear ??= text
  }
  if (proofs.size === 2) return { unclear: [...proofs.values()] }
  return [...proofs.keys()][0] ?? (unclear === undefined ? 'dmy' : { unclear: [unclear] })
}

/**
 * Returns a date as `YYYY-MM-DD`; undefined if the text is no date.
 *
 * @param isOption true if the user set the order. Then it also applies to dates with dots.
 */
export function dayIn(text: string, order: DateOrder, isOption = false): string | undefined {
  const found = written(text)
  if (found === undefined) return undefined
  const proved = found.order === 'dmy' && isOption && /^\d+\.\d/.test(text.trim()) ? undefined : found.order
  return day(found.parts, proved ?? order)
}

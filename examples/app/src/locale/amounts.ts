/** Amounts as people read and type them. */

/** The separators of a locale: `,` and `.` in `1.234,56`. */
function separatorsOf(locale: string | undefined): { decimal: string, group: string } {
  const parts = new Intl.NumberFormat(locale, { useGrouping: true }).formatToParts(12_345_678.9)
  const find = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return { decimal: find('decimal') || '.', group: find('group') }
}

/**
 * One number without a sign, or null where it is none. Where only one kind of `.` and `,` stands in it, once, and could be
 * either, the locale decides.
 */
function parseNumber(text: string, locale: string | undefined): number | null {
  const plain = text.replace(/[\s'’\u00a0\u202f]/g, '')
  if (!/^(?=.*\d)[\d.,]+$/.test(plain)) return null
  const marks = [...plain.matchAll(/[.,]/g)].map(([mark]) => mark)
  const last = marks.at(-1)
  if (last === undefined) return Number(plain)
  const after = plain.length - plain.lastIndexOf(last) - 1
  const isGroup = new Set(marks).size === 1 && (marks.length > 1 || (last === separatorsOf(locale).group && after === 3))
  const decimal = isGroup ? '' : last
  const [whole = '', fraction = '', ...more] = decimal === '' ? [plain] : plain.split(decimal)
  const isGrouped = /^\d*$/.test(whole) || /^\d{1,3}([.,]\d{2,3})*([.,]\d{3})$/.test(whole)
  return more.length === 0 && isGrouped && /^\d*$/.test(fraction) ? Number(`${whole.replace(/[.,]/g, '') || '0'}.${fraction || '0'}`) : null
}

/**
 * An amount as it was typed: `1.234,56` or `1,234.56`, with a sign, or a sum such as `12+3.5-1`.
 * @param locale the browser's unless told
 * @returns the amount to a ten thousandth, or null where it is none
 */
export function parseAmount(text: string, locale?: string): number | null {
  const terms = text.trim().replaceAll('−', '-').match(/[+-]?[^+-]+/g)
  if (terms === null || terms.join('') !== text.trim().replaceAll('−', '-')) return null
  let sum = 0
  for (const term of terms) {
    const size = parseNumber(term.replace(/^[+-]/, ''), locale)
    if (size === null) return null
    sum += term.startsWith('-') ? -size : size
  }
  return Number(sum.toFixed(4))
}

/** @param currency three letters, as rows have them. @returns the amount as the locale writes it, with its currency; nothing is never less than nothing */
export function formatAmount(amount: number, currency: string, locale?: string): string {
  const key = `${currency} ${locale ?? ''}`
  const format = formats.get(key) ?? new Intl.NumberFormat(locale, { style: 'currency', currency: currency.toUpperCase(), signDisplay: 'negative' })
  formats.set(key, format)
  return format.format(amount)
}

/** Kept, because to make one takes longer than all else that a row of a list needs. */
const formats = new Map<string, Intl.NumberFormat>()

/** How many decimals amounts of a currency have. */
export const decimalsOf = (currency: string): number =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency: currency.toUpperCase() }).resolvedOptions().maximumFractionDigits ?? 2

/** An amount as it stands in a field, where it is changed: without groups and currency. */
export const typedAmount = (amount: number, locale?: string): string =>
  new Intl.NumberFormat(locale, { useGrouping: false, maximumFractionDigits: 4 }).format(amount)

/** A recurring amount. The service has costs: what comes in is less than nothing there, and has a plus here. */
export const formatCost = (cost: number, currency: string, locale?: string): string => `${cost < 0 ? '+' : ''}${formatAmount(Math.abs(cost), currency, locale)}`

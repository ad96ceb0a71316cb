/** Formats and parses amounts. */
import { locale as appLocale } from './language.ts'

/** The separators of a locale: `,` and `.` in `1.234,56`. */
function separatorsOf(locale: string): { decimal: string, group: string } {
  const parts = new Intl.NumberFormat(locale, { useGrouping: true }).formatToParts(12_345_678.9)
  const find = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return { decimal: find('decimal') || '.', group: find('group') }
}

/**
 * Parses a number without a sign; null if it is invalid. If a single `.` or `,` could be a group or
 * a decimal separator, the locale decides.
 */
function parseNumber(text: string, locale: string): number | null {
  const plain = text.replace(/[\s'’\u00a0\u202f]/g, '')
  if (!/^(?=.*\d)[\d.,]+$/.test(plain)) return null
  const marks = [...plain.matchAll(/[.,]/g)].map(([mark]) => mark)
  const last = marks.at(-1)
  if (last === undefined) return Number(plain)
  const after = plain.length - plain.lastIndexOf(last) - 1
  const isGroup = new Set(marks).size === 1 &&
    (marks.length > 1 || (last === separatorsOf(locale).group && after === 3))
  const decimal = isGroup ? '' : last
  const [whole = '', fraction = '', ...more] = decimal === '' ? [plain] : plain.split(decimal)
  const isGrouped = /^\d*$/.test(whole) || /^\d{1,3}([.,]\d{2,3})*([.,]\d{3})$/.test(whole)
  return more.length === 0 && isGrouped && /^\d*$/.test(fraction)
    ? Number(`${whole.replace(/[.,]/g, '') || '0'}.${fraction || '0'}`)
    : null
}

/**
 * Parses an amount: `1.234,56` or `1,234.56`, with a sign, or a sum such as `12+3.5-1`.
 * @param locale by default the app's
 * @returns the amount to a ten thousandth; null if it is invalid
 */
export function parseAmount(text: string, locale = appLocale): number | null {
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

export const centsOf = (amount: number): number => Math.round(amount * 100)

/** Returns the sum of amounts, to the cent. */
export const sumOf = (amounts: readonly number[]): number =>
  amounts.reduce((cents, amount) => cents + centsOf(amount), 0) / 100

/** Formats an amount with its currency. Zero has no sign. */
export function formatAmount(amount: number, currency: string, locale = appLocale): string {
  const key = `${currency} ${locale}`
  const format = formats.get(key) ??
    new Intl.NumberFormat(locale, {
      style: 'currency',
      currency: currency.toUpperCase(),
      signDisplay: 'negative',
    })
  formats.set(key, format)
  return format.format(amount)
}

/** Formats an amount as with its currency, but without it, for a table that names the currency. */
export function formatFigure(amount: number, currency: string, locale = appLocale): string {
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: currency.toUpperCase(),
    signDisplay: 'negative',
  })
  return format.formatToParts(amount).filter(({ type }) => type !== 'currency').map(({ value }) =>
    value
  ).join('').trim()
}

/** Cached, because creating a format is slow. */
const formats = new Map<string, Intl.NumberFormat>()

/** Returns the number of decimals of a currency. */
export const decimalsOf = (currency: string): number =>
  new Intl.NumberFormat(appLocale, { style: 'currency', currency: currency.toUpperCase() })
    .resolvedOptions().maximumFractionDigits ?? 2

/**
 * Formats an amount for a field: without groups and currency, and with two decimals unless it is
 * whole.
 */
export const typedAmount = (amount: number, locale = appLocale): string =>
  new Intl.NumberFormat(locale, {
    useGrouping: false,
    minimumFractionDigits: Number.isInteger(amount) ? 0 : 2,
    maximumFractionDigits: 4,
  }).format(amount)

/** Formats a recurring cost. Income is a negative cost and gets a plus. */
export const formatCost = (cost: number, currency: string, locale = appLocale): string =>
  `${cost < 0 ? '+' : ''}${formatAmount(Math.abs(cost), currency, locale)}`

/** Formats a change of an amount, always with its sign. */
export const formatChangeOf = (change: number, currency: string, locale = appLocale): string =>
  `${change > 0 ? '+' : ''}${formatAmount(change, currency, locale)}`

/** Parses amounts in the notations of banks to whole cents, and detects the decimal sign of a file. */
import type { Decimal } from './layout.ts'

/** In cents. The database stores amounts below 10^12. */
const TOO_LARGE = 1e14

const CURRENCY = String.raw`(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3}|[Kk]r|zł|Kč|Ft|Fr|lei|Rs|RM|R)\.?`
const CURRENCY_BEFORE = new RegExp(`^${CURRENCY}(?=[-+\\d ,.])`, 'u')
const CURRENCY_AFTER = new RegExp(`(?<=[-+\\d ,.])${CURRENCY}$`, 'u')

/** An amount without currency and brackets: its sign, and its digits with separators. */
export type Written = { negative: boolean, digits: string }

/**
 * Separates the sign, the currency and the brackets from the digits.
 *
 * @example writtenAmount('(1.234,56 €)') // { negative: true, digits: '1.234,56' }
 * @returns undefined if the text is no amount
 */
export function writtenAmount(text: string): Written | undefined {
  if (text.length > 60) return undefined
  // most amounts match this; the rest of the function is several times slower
  const plain = /^([-+]?)([\d.,]*\d)$/.exec(text)
  if (plain !== null) return { negative: plain[1] === '-', digits: plain[2]! }
  let rest = text.replace(/\s/g, ' ').replace(/[−–]/g, '-').replace(/[’´`]/g, `'`).trim()
  let negative = false
  let signs = 0
  const sign = (minus: boolean) => {
    signs += 1
    negative ||= minus
  }
  const strip = (pattern: RegExp): string | undefined => {
    const found = pattern.exec(rest)?.[0]
    if (found !== undefined) rest = rest.replace(pattern, '').trim()
    return found?.trim()
  }
  if (strip(/^\(|\)$/) !== undefined) {
    if (strip(/^\(|\)$/) === undefined) return undefined
    sign(true)
  }
  // `12,-` is 12
  strip(/(?<=\d[.,])-{1,2}$/)
  const suffix = strip(/(?<=[\d\p{Sc}] ?)(?:CR|DR|DB|[SH])$/iu)?.toUpperCase()
  if (suffix !== undefined) sign(['DR', 'DB', 'S'].includes(suffix))
  for (let turn = 0; turn < 2; turn += 1) {
    for (const edge of [/^[-+]/, /[-+]$/]) {
      const found = strip(edge)
      if (found !== undefined) sign(found === '-')
    }
    strip(CURRENCY_BEFORE)
    strip(CURRENCY_AFTER)
  }
  return signs <= 1 && /^[\d.,' ]*$/.test(rest) && /\d/.test(rest) ? { negative, digits: rest } : undefined
}

/** Returns true for an amount with an explicit plus, `CR` or `H`. */
export const hasPlus = (text: string): boolean => writtenAmount(text)?.negative === false && /^\s*\+|\+\s*$|\d.{0,4}(?:CR|H)\s*$/i.test(text)

/** Returns true for digits without groups and for valid groups such as 1.234.567 or 12,34,567. */
function isGrouped(whole: string): boolean {
  if (!/\D/.test(whole)) return true
  const separators = new Set(whole.replace(/\d/g, ''))
  const groups = whole.split(/\D/)
  const first = groups[0] ?? ''
  return separators.size === 1 && first.length >= 1 && first.length <= 3 && !first.startsWith('0') && groups.at(-1)?.length === 3
    && groups.slice(1).every((group) => group.length === 2 || group.length === 3)
}

/** Returns the cents of digits, rounded half up, and if they are exact. Returns undefined if the digits contradict the decimal sign. */
function centsOf(digits: string, decimal: Decimal): { cents: number, exact: boolean } | undefined {
  const [whole = '', fraction = '', ...more] = digits.split(decimal)
  if (more.length > 0 || !/^\d*$/.test(fraction) || (whole === '' && fraction === '') || !isGrouped(whole)) return undefined
  const cents = Number(whole.replace(/\D/g, '') + fraction.slice(0, 2).padEnd(2, '0'))
  return { cents: cents + (Number(fraction[2] ?? 0) >= 5 ? 1 : 0), exact: !/[1-9]/.test(fraction.slice(2)) }
}

/**
 * Detects the decimal sign of a file by all of its amounts.
 *
 * @returns the sign. `unclear` has one ambiguous amount if no amount proves a sign, or two amounts that prove different signs.
 */
export function decimalOf(amounts: string[]): Decimal | { unclear: string[] } {
  const proofs = new Map<Decimal, string>()
  let unclear: string | undefined
  for (const text of amounts) {
    const digits = writtenAmount(text)?.digits
    if (digits === undefined) continue
    const point = centsOf(digits, '.')
    const comma = centsOf(digits, ',')
    if (point?.cents === comma?.cents && point?.exact === comma?.exact) continue
    if (point === undefined) proofs.set(',', text)
    else if (comma === undefined) proofs.set('.', text)
    else unclear ??= text
  }
  if (proofs.size === 2) return { unclear: [...proofs.values()] }
  return [...proofs.keys()][0] ?? (unclear === undefined ? '.' : { unclear: [unclear] })
}

/** Returns true for an amount with more than two significant decimals. */
export function hasMoreDecimals(text: string, decimal: Decimal): boolean {
  const written = writtenAmount(text)
  return written !== undefined && centsOf(written.digits, decimal)?.exact === false
}

/**
 * Returns an amount in whole cents, so that sums are exact, or an error message. Rounds further decimals half away from zero.
 */
export function amountIn(text: string, decimal: Decimal): number | string {
  const written = writtenAmount(text)
  const cents = written === undefined ? undefined : centsOf(written.digits, decimal)?.cents
  if (cents === undefined || written === undefined) return `"${text.slice(0, 40)}" is no amount.`
  if (cents >= TOO_LARGE) return `"${text}" is too large.`
  return written.negative && cents > 0 ? -cents : cents
}

/** Amounts as banks write them, in whole cents, and which sign a file has before its decimals. */
import type { Decimal } from './layout.ts'

/** In cents: an amount is stored below 10^12. */
const TOO_LARGE = 1e14

const CURRENCY = String.raw`(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3}|[Kk]r|zł|Kč|Ft|Fr|lei|Rs|RM|R)\.?`
const CURRENCY_BEFORE = new RegExp(`^${CURRENCY}(?=[-+\\d ,.])`, 'u')
const CURRENCY_AFTER = new RegExp(`(?<=[-+\\d ,.])${CURRENCY}$`, 'u')

/** A number without what surrounds it: its sign, and digits with their separators. */
export type Written = { negative: boolean, digits: string }

/**
 * Takes the sign, the currency and the brackets off.
 *
 * @example writtenAmount('(1.234,56 €)') // { negative: true, digits: '1.234,56' }
 * @returns undefined for what is no amount
 */
export function writtenAmount(text: string): Written | undefined {
  if (text.length > 60) return undefined
  // as most are; the rest is several times slower
  const plain = /^([-+]?)([\d.,]*\d)$/.exec(text)
  if (plain !== null) return { negative: plain[1] === '-', digits: plain[2]! }
  let rest = text.replace(/\s/g, ' ').replace(/[−–]/g, '-').replace(/[’´`]/g, `'`).trim()
  let negative = false
  let signs = 0
  const sign = (minus: boolean) => {
    signs += 1
    negative ||= minus
  }
  const bare = (pattern: RegExp): string | undefined => {
    const found = pattern.exec(rest)?.[0]
    if (found !== undefined) rest = rest.replace(pattern, '').trim()
    return found?.trim()
  }
  if (bare(/^\(|\)$/) !== undefined) {
    if (bare(/^\(|\)$/) === undefined) return undefined
    sign(true)
  }
  // 12,- is twelve and nothing
  bare(/(?<=\d[.,])-{1,2}$/)
  const suffix = bare(/(?<=[\d\p{Sc}] ?)(?:CR|DR|DB|[SH])$/iu)?.toUpperCase()
  if (suffix !== undefined) sign(['DR', 'DB', 'S'].includes(suffix))
  for (let turn = 0; turn < 2; turn += 1) {
    for (const edge of [/^[-+]/, /[-+]$/]) {
      const found = bare(edge)
      if (found !== undefined) sign(found === '-')
    }
    bare(CURRENCY_BEFORE)
    bare(CURRENCY_AFTER)
  }
  return signs <= 1 && /^[\d.,' ]*$/.test(rest) && /\d/.test(rest) ? { negative, digits: rest } : undefined
}

/** True for an amount that says by itself that it is above zero: with a plus, `CR` or `H`. */
export const hasPlus = (text: string): boolean => writtenAmount(text)?.negative === false && /^\s*\+|\+\s*$|\d.{0,4}(?:CR|H)\s*$/i.test(text)

/** Digits in groups, as 1.234.567 or 12,34,567. */
function grouped(whole: string): boolean {
  if (!/\D/.test(whole)) return true
  const separators = new Set(whole.replace(/\d/g, ''))
  const groups = whole.split(/\D/)
  const first = groups[0] ?? ''
  return separators.size === 1 && first.length >= 1 && first.length <= 3 && !first.startsWith('0') && groups.at(-1)?.length === 3
    && groups.slice(1).every((group) => group.length === 2 || group.length === 3)
}

/** The cents of digits, rounded half up, and whether they are exact; undefined if the digits cannot be read so. */
function centsOf(digits: string, decimal: Decimal): { cents: number, exact: boolean } | undefined {
  const [whole = '', fraction = '', ...more] = digits.split(decimal)
  if (more.length > 0 || !/^\d*$/.test(fraction) || (whole === '' && fraction === '') || !grouped(whole)) return undefined
  const cents = Number(whole.replace(/\D/g, '') + fraction.slice(0, 2).padEnd(2, '0'))
  return { cents: cents + (Number(fraction[2] ?? 0) >= 5 ? 1 : 0), exact: !/[1-9]/.test(fraction.slice(2)) }
}

/**
 * What all amounts of a file together prove.
 *
 * @returns the sign; or an amount that can be read both ways while nothing else proves one; or two amounts that prove
 * opposite signs
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

/** True for an amount that has more than two significant decimals. */
export function hasMoreDecimals(text: string, decimal: Decimal): boolean {
  const written = writtenAmount(text)
  return written !== undefined && centsOf(written.digits, decimal)?.exact === false
}

/**
 * Returns an amount in cents, which are whole and so add up exactly. More than two decimals are rounded half away from zero.
 *
 * @returns or a sentence of what is wrong with it
 */
export function amountIn(text: string, decimal: Decimal): number | string {
  const written = writtenAmount(text)
  const cents = written === undefined ? undefined : centsOf(written.digits, decimal)?.cents
  if (cents === undefined || written === undefined) return `"${text.slice(0, 40)}" is no amount.`
  if (cents >= TOO_LARGE) return `"${text}" is too large.`
  return written.negative && cents > 0 ? -cents : cents
}

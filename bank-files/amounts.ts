/**
 * Parses amounts in the notations of banks to whole cents, and detects the decimal sign of a file.
 */
import type { Decimal } from './layout.ts'

/** In cents. The database stores amounts below 10^12. */
const TOO_LARGE = 1e14

/**
 * Abbreviations of currencies, which may end with a dot. Codes such as EUR and signs such as € need
 * no entry.
 */
const ABBREVIATIONS =
  'kr|zł|zl|kč|kc|ft|fr|sfr|lei|leu|rs|rp|rm|k?shs?|tshs?|ushs?|s/|b/|bs|лв|руб|р|грн|ден|дин|din|km|kn|tl|tk|nu|le|lek|đ|gs|dh|dt|da|kd|sr|qr|bd|jd|br|birr|kz|mt'
  + '|f ?cfa|euro?s?|元|円|원|บาท|ر\\.س|د\\.إ|د\\.ك|د\\.م|ج\\.م|ل\\.ل'

/** Letters that mean a currency only in front of an amount. After it, an M can mean millions. */
const LETTERS = 'q|l|p|k|n'

const CODE = String.raw`[A-Z]{0,3}\p{Sc}[A-Z]?|[A-Z]{3}`
const [before, after] = [String.raw`(?=[-+(\d ,.])`, String.raw`(?<=[-+)\d ,.])`]
/** A dot after a code or a sign can be a decimal sign: `$.50`. */
const CURRENCIES = [
  new RegExp(String.raw`^(?:${CODE})(?:\.(?= ))?${before}`, 'u'),
  new RegExp(String.raw`^(?:(?:${ABBREVIATIONS})\.?|r|${LETTERS})${before}`, 'iu'),
  new RegExp(String.raw`${after}(?:${CODE})\.?$`, 'u'),
  new RegExp(String.raw`${after}(?:${ABBREVIATIONS}|r)\.?$`, 'iu'),
]

/** Currencies without decimals: their codes, signs and abbreviations. */
const WITHOUT_DECIMALS = new Set(
  'bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf ₩ ₫ ₲ đ gs 円 원 cfa fcfa ush ushs'
    .split(' '),
)

/** Returns true for a currency without decimals. */
export const hasNoDecimals = (currency = ''): boolean =>
  WITHOUT_DECIMALS.has(currency.toLowerCase().replace(/[. ]/g, ''))

/** An amount without currency and brackets: its sign, and its digits with separators. */
export type Written = { negative: boolean, isSigned: boolean, digits: string, currency?: string }

/**
 * Separates the sign, the currency and the brackets from the digits.
 *
 * @example writtenAmount('(1.234,56 €)') // { negative: true, isSigned: true, digits: '1.234,56',
 * currency: '€' }
 * @returns undefined if the text is no amount
 */
export function writtenAmount(text: string): Written | undefined {
  if (text.length > 60) return undefined
  // most amounts match this; the rest of the function is several times slower
  const plain = /^([-+]?)([\d.,]*\d)$/.exec(text)
  if (plain !== null)
    return { negative: plain[1] === '-', isSigned: plain[1] !== '', digits: plain[2]! }
  // Japanese banks write wide digits, and a triangle for a minus
  const narrow = text.normalize('NFC').replace(
    /[\uff01-\uff5e\uffe0-\uffe6]/g,
    (wide) => wide.normalize('NFKC'),
  )
  let rest = narrow.replace(/\p{Cf}/gu, '').replace(/\s/g, ' ').replace(/[\p{Pd}−△▲]/gu, '-')
    .replace(/[’´`]/g, `'`).trim().replace(/^'/, '')
  const signs: boolean[] = []
  const currencies: string[] = []
  const strip = (pattern: RegExp): string | undefined => {
    const found = pattern.exec(rest)?.[0]
    if (found !== undefined) rest = rest.replace(pattern, '').trim()
    return found?.trim()
  }
  for (let last = ''; last !== rest && signs.length < 2;) {
    last = rest
    if (/^\(.*\)$/.test(rest)) {
      rest = rest.slice(1, -1).trim()
      signs.push(true)
    }
    // a dash for no cents is no minus: `12,-`, `12:-`, `12/-`
    strip(/(?<=\d[.,]) ?-{1,2}$|(?<=\d) ?(?::-{1,2}|\/[-=])$/)
    const mark = strip(
      /(?<=[\d\p{Sc}).,-] ?|\p{L} )(?:CR|DR|DB|[CDHS]|cr[eé]dit|d[eé]bit|haben|soll)\.?$/iu,
    ) ?? strip(/^(?:CR|DR|DB)\.?(?=[ \d])/i)
    if (mark !== undefined) signs.push(/^[DS]/i.test(mark))
    for (const edge of [/^[-+]/, /[-+]$/]) {
      const found = strip(edge)
      if (found !== undefined) signs.push(found === '-')
    }
    currencies.push(...CURRENCIES.map(strip).filter((found) => found !== undefined))
  }
  const [currency] = currencies
  return signs.length <= 1 && /^[\d.,' ]*$/.test(rest) && /\d/.test(rest)
    ? {
      negative: signs[0] === true,
      isSigned: signs.length === 1,
      digits: rest,
      ...currency === undefined ? {} : { currency },
    }
    : undefined
}

/** Returns the mark of a currency in an amount, such as `eur`, `$` or `kr`. */
export const currencyMark = (text: string): string | undefined =>
  writtenAmount(text)?.currency?.toLowerCase().replace(/\.$/, '').replace(/^(?:€|euros?)$/, 'eur')

/** Returns true for an amount with an explicit plus, `CR`, `C` or `H`. */
export function hasPlus(text: string): boolean {
  const written = writtenAmount(text)
  return written?.isSigned === true && !written.negative
}

/** Returns true for digits without groups and for valid groups such as 1.234.567 or 12,34,567. */
function isGrouped(whole: string): boolean {
  if (!/\D/.test(whole)) return true
  const separators = new Set(whole.replace(/\d/g, ''))
  const groups = whole.split(/\D/)
  const first = groups[0] ?? ''
  return separators.size === 1 && first.length >= 1 && first.length <= 3 &&
    !first.startsWith('0') && groups.at(-1)?.length === 3
    && groups.slice(1).every((group) => group.length === 2 || group.length === 3)
}

/**
 * Returns the cents of digits, rounded half up, and if they are exact. Returns undefined if the
 * digits contradict the decimal sign.
 */
function centsOf(digits: string, decimal: Decimal): { cents: number, exact: boolean } | undefined {
  const [whole = '', fraction = '', ...more] = digits.split(decimal)
  if (
    more.length > 0 || !/^\d*$/.test(fraction) || (whole === '' && fraction === '') ||
    !isGrouped(whole)
  ) return undefined
  const cents = Number(whole.replace(/\D/g, '') + fraction.slice(0, 2).padEnd(2, '0'))
  return {
    cents: cents + (Number(fraction[2] ?? 0) >= 5 ? 1 : 0),
    exact: !/[1-9]/.test(fraction.slice(2)),
  }
}

/**
 * Detects the decimal sign of a file by all of its amounts.
 *
 * @param whole amounts of currencies without decimals, in which three digits after a separator are
 * a group
 * @returns the sign. `unclear` has one ambiguous amount if no amount proves a sign, or two amounts
 * that prove different signs.
 */
export function decimalOf(
  amounts: string[],
  whole: ReadonlySet<string> = new Set(),
): Decimal | { unclear: string[] } {
  const proofs = new Map<Decimal, string>()
  let unclear: string | undefined
  for (const text of amounts) {
    const { digits, currency } = writtenAmount(text) ?? {}
    if (digits === undefined) continue
    const isWhole = whole.has(text) || hasNoDecimals(currency)
    const [point, comma] = (['.', ','] as const).map((decimal) =>
      isWhole && digits.split(decimal)[1]?.length === 3 ? undefined : centsOf(digits, decimal)
    )
    if (point?.cents === comma?.cents && point?.exact === comma?.exact) continue
    if (point === undefined) proofs.set(',', text)
    else if (comma === undefined) proofs.set('.', text)
    else unclear ??= text
  }
  if (proofs.size === 2) return { unclear: [...proofs.values()] }
  return [...proofs.keys()][0] ?? (unclear === undefined ? '.' : { unclear: [unclear] })
}

/**
 * Returns true for an amount with more decimals than its currency has, or than can be stored: two.
 */
export function hasMoreDecimals(text: string, decimal: Decimal, currency?: string): boolean {
  const written = writtenAmount(text)
  const found = written === undefined ? undefined : centsOf(written.digits, decimal)
  return found !== undefined &&
    (!found.exact || (hasNoDecimals(currency) && found.cents % 100 !== 0))
}

/** Rounds cents to a unit of the currency, half away from zero. */
export const inUnits = (cents: number, currency?: string): number =>
  hasNoDecimals(currency) ? Math.sign(cents) * Math.round(Math.abs(cents) / 100) * 100 : cents

/** Returns cents as text, with the decimals of the currency. */
export const centsText = (cents: number, currency?: string): string =>
  (cents / 100).toFixed(hasNoDecimals(currency) ? 0 : 2)

/**
 * Returns an amount in whole cents, so that sums are exact, or an error message. Rounds further
 * decimals half away from zero.
 */
export function amountIn(text: string, decimal: Decimal): number | string {
  const written = writtenAmount(text)
  const cents = written === undefined ? undefined : centsOf(written.digits, decimal)?.cents
  if (cents === undefined || written === undefined)
    return `"${text.slice(0, 40)}" is not an amount.`
  if (cents >= TOO_LARGE) return `"${text}" is too large.`
  return written.negative && cents > 0 ? -cents : cents
}

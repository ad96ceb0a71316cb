/** Default currencies. */
import { locale as appLocale } from './language.ts'

/** Regions per currency. All other regions fall back to `usd`. */
const regions: Record<string, string> = {
  eur: 'AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK AD MC SM VA ME XK',
  gbp: 'GB IM JE GG',
  chf: 'CH LI',
  sek: 'SE',
  nok: 'NO',
  dkk: 'DK FO GL',
  pln: 'PL',
  czk: 'CZ',
  huf: 'HU',
  ron: 'RO',
  try: 'TR',
  uah: 'UA',
  cad: 'CA',
  aud: 'AU',
  nzd: 'NZ',
  jpy: 'JP',
  cny: 'CN',
  krw: 'KR',
  inr: 'IN',
  brl: 'BR',
  mxn: 'MX',
  zar: 'ZA',
}

/** Returns the currency of a locale's region. @param locale by default the app's */
export function localCurrency(locale = appLocale): string {
  const region = new Intl.Locale(locale).maximize().region ?? ''
  return Object.entries(regions).find(([, some]) => some.split(' ').includes(region))?.[0] ?? 'usd'
}

/** Returns the most frequent currency of rows, otherwise the currency of the locale. */
export function usualCurrency(
  rows: ReadonlyArray<{ currency: string }>,
  locale = appLocale,
): string {
  const counts = new Map<string, number>()
  for (const { currency } of rows) counts.set(currency, (counts.get(currency) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? localCurrency(locale)
}

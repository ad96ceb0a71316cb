/** Which currency somebody is likely to mean. */

/** Regions by the currency that is paid with there; of others, which no browser tells, `usd` is as good a guess as any. */
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

/** The currency of where a locale is at home. @param locale the browser's unless told */
export function localCurrency(locale = new Intl.NumberFormat().resolvedOptions().locale): string {
  const region = new Intl.Locale(locale).maximize().region ?? ''
  return Object.entries(regions).find(([, some]) => some.split(' ').includes(region))?.[0] ?? 'usd'
}

/** The currency that is offered first: that of most rows, the first of them where several are as many, else the one of the locale. */
export function usualCurrency(rows: ReadonlyArray<{ currency: string }>, locale?: string): string {
  const counts = new Map<string, number>()
  for (const { currency } of rows) counts.set(currency, (counts.get(currency) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? localCurrency(locale)
}

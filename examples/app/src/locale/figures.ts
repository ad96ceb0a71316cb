/** Figures that stand in charts and beside them. */

/** @param share from 0 to 1 */
export const formatPercent = (share: number, locale?: string): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(share)

/** How much something is more or less than it was; null where nothing was. */
export function formatChange(now: number, before: number, locale?: string): string | null {
  if (before === 0) return null
  return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' }).format((now - before) / before)
}

/** An amount in the few characters that an axis has room for, such as `€3K`. */
export const formatShort = (amount: number, currency: string, locale?: string): string =>
  new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: currency.toUpperCase(),
    notation: 'compact',
    maximumFractionDigits: 1,
    minimumFractionDigits: 0,
  }).format(amount)

/** Amounts added up to the cent, each currency by itself, in the order in which they are first met. */
export function sumsByCurrency(amounts: ReadonlyArray<{ amount: number, currency: string }>): Array<{ currency: string, count: number, sum: number }> {
  const currencies = [...new Set(amounts.map(({ currency }) => currency))]
  return currencies.map((currency) => {
    const some = amounts.filter((one) => one.currency === currency)
    return { currency, count: some.length, sum: some.reduce((cents, { amount }) => cents + Math.round(amount * 100), 0) / 100 }
  })
}

/**
 * What there was at the end of each month, to the cent.
 * @param now what there is, which is what the last month has
 * @param booked what has moved since the first of the months began, each in its month; what is still to come is in `now` already
 */
export function balancesOf(now: number, booked: ReadonlyArray<{ month: string, amount: number }>, months: readonly string[]): number[] {
  return months.map((month) => {
    const later = booked.filter((one) => one.month > month && month !== months.at(-1))
    return later.reduce((cents, { amount }) => cents - Math.round(amount * 100), Math.round(now * 100)) / 100
  })
}

/** Figures of charts and reports. */
import { sumOf } from './amounts.ts'
import { locale as appLocale } from './language.ts'
import { addDays } from './months.ts'

/** @param share from 0 to 1 */
export const formatPercent = (share: number, locale = appLocale): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(share)

/** Formats a relative change; null if the former value is zero. */
export function formatChange(now: number, before: number, locale = appLocale): string | null {
  if (before === 0) return null
  return new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  }).format((now - before) / before)
}

/** Formats an amount for an axis, such as `€3K`. */
export const formatShort = (amount: number, currency: string, locale = appLocale): string =>
  new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: currency.toUpperCase(),
    notation: 'compact',
    maximumFractionDigits: 1,
    minimumFractionDigits: 0,
  }).format(amount)

/** Sums amounts per currency to the cent, in order of appearance. */
export function sumsByCurrency(
  amounts: ReadonlyArray<{ amount: number, currency: string }>,
): Array<{ currency: string, count: number, sum: number }> {
  const currencies = [...new Set(amounts.map(({ currency }) => currency))]
  return currencies.map((currency) => {
    const some = amounts.filter((one) => one.currency === currency)
    return { currency, count: some.length, sum: sumOf(some.map(({ amount }) => amount)) }
  })
}

/**
 * Returns the balance of each day from the first row to the last day.
 * @param rows the days with a change, in their order
 */
export function balancesByDay(
  rows: ReadonlyArray<{ day: string, balance: number }>,
  until: string,
): number[] {
  const balances: number[] = []
  let now = 0
  let next = 0
  for (let day = rows[0]?.day ?? until; day <= until; day = addDays(day, 1)) {
    while (rows[next] !== undefined && (rows[next]?.day ?? '') <= day)
      now = rows[next++]?.balance ?? now
    balances.push(now)
  }
  return balances
}

/**
 * Returns the balances at the ends of months, to the cent.
 * @param now the current balance, which is also the one of the last month
 * @param booked sums per month since the first month
 */
export function balancesOf(
  now: number,
  booked: ReadonlyArray<{ month: string, amount: number }>,
  months: readonly string[],
): number[] {
  return months.map((month) => {
    const later = booked.filter((one) => one.month > month && month !== months.at(-1))
    return sumOf([now, ...later.map(({ amount }) => -amount)])
  })
}

/** What of the overview stands in its address. Anybody may have written it, so that only what fits is taken. */

export type Search = {
  /** The first day of a month; this month where it is left out. */
  month?: string
  /** One currency alone. */
  currency?: string
  /** All currencies, converted to this one. */
  convert?: string
}

const fitting = (value: unknown, pattern: RegExp) => typeof value === 'string' && pattern.test(value) ? value : undefined

const currency = /^[a-z]{3}$/

export function searchOf(all: Record<string, unknown>): Search {
  const search = {
    ...monthIn(all),
    currency: fitting(all['currency'], currency),
    convert: fitting(all['convert'], currency),
  }
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))
}

export function monthIn(all: Record<string, unknown>): Pick<Search, 'month'> {
  const month = fitting(all['month'], /^(?:19|20|21)\d\d-(?:0[1-9]|1[0-2])-01$/)
  return month === undefined ? {} : { month }
}

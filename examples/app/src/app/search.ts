/** What stands in addresses. Anybody may have written it, so that only what fits is taken. */

/** What the overview shows. */
export type Search = {
  /** The first day of a month; this month where it is left out. */
  month?: string
  /** One currency alone. */
  currency?: string
  /** All currencies, converted to this one. */
  convert?: string
}

/** A value where it fits; the router makes numbers of what looks like one. */
export function matching(value: unknown, pattern: RegExp): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  return pattern.test(text) ? text : undefined
}

/** What is there of an address. */
export const there = <Fields extends object>(all: Fields): { [Field in keyof Fields]?: NonNullable<Fields[Field]> } =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as { [Field in keyof Fields]?: NonNullable<Fields[Field]> }

export const currencyPattern = /^[a-z]{3}$/
export const dayPattern = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/

export const monthIn = ({ month }: Record<string, unknown>): Pick<Search, 'month'> =>
  there({ month: matching(month, /^(?:19|20|21)\d\d-(?:0[1-9]|1[0-2])-01$/) })

export const searchOf = (all: Record<string, unknown>): Search =>
  there({ ...monthIn(all), currency: matching(all['currency'], currencyPattern), convert: matching(all['convert'], currencyPattern) })

/** The exchange rate that somebody lacks. */
export const rateIn = ({ base, quote, on_date: day }: Record<string, unknown>): { base?: string, quote?: string, on_date?: string } =>
  there({ base: matching(base, currencyPattern), quote: matching(quote, currencyPattern), on_date: matching(day, dayPattern) })

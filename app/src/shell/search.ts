/**
 * Search parameters. Only valid values are accepted, because an attacker may have written the link.
 */
import { firstMonth, lastMonth } from '../locale/days.ts'

/** The parameters of the overview. */
export type Search = {
  /** The first day of a month. The default is this month. */
  month?: string
  /** The only currency. */
  currency?: string
  /** The target currency of all amounts. */
  convert?: string
}

/** Returns a parameter that matches. The router turns digits into numbers. */
export function matching(value: unknown, pattern: RegExp): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  return pattern.test(text) ? text : undefined
}

/** Drops undefined values. */
export const defined = <Fields extends object>(
  all: Fields,
): { [Field in keyof Fields]?: NonNullable<Fields[Field]> } =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as {
    [Field in keyof Fields]?: NonNullable<Fields[Field]>
  }

/**
 * Returns a path of this app, such as `/budgets?month=2026-01-01`. Undefined for an address of
 * another site and for the start page.
 * @param origin the app's own
 */
export function ownPath(value: unknown, origin: string): string | undefined {
  if (typeof value !== 'string' || !value.startsWith('/') || !URL.canParse(value, origin))
    return undefined
  const url = new URL(value, origin)
  // a path that begins with two slashes would be the address of another host
  const isOwn = url.origin === origin && !url.pathname.startsWith('//')
  const path = `${url.pathname}${url.search}${url.hash}`
  return isOwn && path !== '/' ? path : undefined
}

export const currencyPattern = /^[a-z]{3}$/
export const dayPattern = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/

export function monthIn({ month }: Record<string, unknown>): Pick<Search, 'month'> {
  const found = matching(month, /^\d{4}-(?:0[1-9]|1[0-2])-01$/)
  return found !== undefined && found >= firstMonth && found <= lastMonth ? { month: found } : {}
}

export const searchOf = (all: Record<string, unknown>): Search =>
  defined({
    ...monthIn(all),
    currency: matching(all['currency'], currencyPattern),
    convert: matching(all['convert'], currencyPattern),
  })

/** The exchange rate that a report is missing. */
export const rateIn = (
  { base, quote, on_date: day }: Record<string, unknown>,
): { base?: string, quote?: string, on_date?: string } =>
  defined({
    base: matching(base, currencyPattern),
    quote: matching(quote, currencyPattern),
    on_date: matching(day, dayPattern),
  })

/** The usual values of a payee, from the latest transactions. */
import { folded } from '../../locale/matching.ts'

type Former = {
  name: string
  amount: number
  category_id: string | null
  account_id: string | null
}

/** Returns the most frequent value. Among values of one frequency it is the first. */
function mostFrequent<Value>(values: readonly Value[]): Value | undefined {
  const uses = new Map<Value, number>()
  for (const value of values) uses.set(value, (uses.get(value) ?? 0) + 1)
  return [...uses].toSorted(([, one], [, other]) => other - one)[0]?.[0]
}

/**
 * Returns the names of payees, the most frequent first. Payees of one frequency are in the order of
 * their latest use.
 */
export function payeesOf(latest: readonly Former[]): string[] {
  const uses = new Map<string, number>()
  for (const { name } of latest) uses.set(name, (uses.get(name) ?? 0) + 1)
  return [...uses].toSorted(([, one], [, other]) => other - one).map(([name]) => name)
}

/**
 * Returns the usual category and account of a payee, and its latest amount; undefined for a new
 * payee. @param latest the newest first
 */
export function usualOf(latest: readonly Former[], name: string): Omit<Former, 'name'> | undefined {
  const rows = latest.filter((row) => folded(row.name) === folded(name))
  const [last] = rows
  if (last === undefined) return undefined
  return {
    amount: last.amount,
    category_id: mostFrequent(rows.map(({ category_id: category }) => category)) ?? null,
    account_id: mostFrequent(rows.map(({ account_id: account }) => account)) ?? null,
  }
}

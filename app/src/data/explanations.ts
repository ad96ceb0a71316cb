/**
 * Compares a statement with the rows since the last one that agrees, and explains their difference.
 */
import { centsOf, sumOf } from '../locale/amounts.ts'
import type { Account } from './accounts.ts'
import type { Reconciliation } from './balances.ts'
import type { Transaction } from './transactions/api.ts'
import { dayOf } from './transactions/day.ts'

/** A change of rows after which the account agrees with the bank. */
export type Explanation =
  /** The bank has booked them. */
  | { kind: 'pending', rows: Transaction[] }
  /** `row` is the same payment as `other`. */
  | { kind: 'twice', row: Transaction, other: Transaction }
  /** The bank does not have it. */
  | { kind: 'extra', row: Transaction }
  /** An income is stored as an expense, or the other way round. */
  | { kind: 'sign', row: Transaction, amount: number }
  /** Two digits next to each other are in the wrong order. */
  | { kind: 'digits', row: Transaction, amount: number }

/** The days between two rows that look like the same payment. */
const nearDays = 5

/** The most explanations of a difference. More say nothing. */
const most = 5

const daysApart = (one: Transaction, other: Transaction) =>
  Math.abs(Date.parse(dayOf(one)) - Date.parse(dayOf(other))) / 86_400_000

/** Whether two amounts are alike but for two digits next to each other. */
function areSwapped(one: number, other: number): boolean {
  const [first, second] = [one, other].map((cents) => String(Math.abs(cents))) as [string, string]
  let at = 0
  while (at < first.length && first[at] === second[at]) at += 1
  return at < first.length && Math.sign(one) === Math.sign(other)
    && first.slice(0, at) + (first[at + 1] ?? '') + (first[at] ?? '') + first.slice(at + 2) ===
      second
}

/**
 * Returns the single changes that explain a difference, the likeliest first.
 * @param difference the bank's balance less the computed one
 * @param rows the paid and pending rows that the user has not found on the statement
 */
export function explanationsOf(difference: number, rows: readonly Transaction[]): Explanation[] {
  const missing = centsOf(difference)
  if (missing === 0) return []
  const pending = rows.filter(({ status }) => status === 'pending')
  // a change of one half of a transfer also changes another account
  const paid = rows.filter(({ status, transfer_id: transfer }) =>
    status === 'paid' && transfer === null
  )
  const tooMuch = paid.filter(({ amount }) => centsOf(amount) === -missing)
  const twinOf = (row: Transaction) =>
    paid.find((other) =>
      other.id !== row.id && other.amount === row.amount && daysApart(row, other) <= nearDays
    )
  const all = pending.reduce((sum, { amount }) => sum + centsOf(amount), 0)
  const found: Explanation[] = [
    ...pending.filter(({ amount }) => centsOf(amount) === missing).map((row) => ({
      kind: 'pending' as const,
      rows: [row],
    })),
    ...pending.length > 1 && all === missing ? [{ kind: 'pending' as const, rows: pending }] : [],
    ...tooMuch.flatMap((row) => {
      const other = twinOf(row)
      // the later one of two is the copy
      return other === undefined || dayOf(other) > dayOf(row) ||
          (dayOf(other) === dayOf(row) && other.id > row.id)
        ? []
        : [{ kind: 'twice' as const, row, other }]
    }),
    ...paid.filter(({ amount }) => 2 * centsOf(amount) === -missing).map((row) => ({
      kind: 'sign' as const,
      row,
      amount: -row.amount,
    })),
    ...paid.filter(({ amount }) => areSwapped(centsOf(amount), centsOf(amount) + missing))
      .map((row) => ({
        kind: 'digits' as const,
        row,
        amount: (centsOf(row.amount) + missing) / 100,
      })),
    ...tooMuch.filter((row) => twinOf(row) === undefined).map((row) => ({
      kind: 'extra' as const,
      row,
    })),
  ]
  return found.slice(0, most)
}

/** A stated balance, and the balance that its rows begin with. */
export type StatementStart = {
  of: Reconciliation
  /** The last day before it that agrees with the bank; null for the beginning of the account. */
  agreedOn: string | null
  balance: number
}

/** Returns the start of the statement of a day. Undefined if no balance is stated for it. */
export function startOf(
  { opened_on: opened, balance }: Pick<Account, 'opened_on' | 'balance'>,
  compared: readonly Reconciliation[],
  day: string,
): StatementStart | undefined {
  const of = compared.find(({ on_date }) => on_date === day)
  if (of === undefined) return undefined
  const agreed = compared.find(({ on_date, difference }) => on_date < day && difference === 0)
  const countsUntil = (until: string) => opened === null || opened <= until
  // the account may open between the two days
  const opening = countsUntil(day) && (agreed === undefined || !countsUntil(agreed.on_date))
    ? balance
    : 0
  return { of, agreedOn: agreed?.on_date ?? null, balance: sumOf([agreed?.computed ?? 0, opening]) }
}

/** The items of the inbox, derived from rows without a category. Pure functions. */
import type { Reason } from './reasons.ts'
import type { Transaction } from './transactions/api.ts'
import { dayOf } from './transactions/day.ts'

/** An open row, with the learned category of its payee. */
export type Judged = {
  row: Transaction
  payee: string
  categoryId: string | null
  reason: Reason | null
}

/** A due day of a recurring cost without a transaction. */
export type Due = {
  subscription_id: string
  title: string
  due_on: string
  amount: number
  currency: string
  kind: string
  category_id: string | null
}

/** The days since which the balance of the bank differs from the transactions. */
export type Difference = {
  accountId: string
  name: string
  currency: string
  since: string
  amount: number
}

export type TransferItem = {
  kind: 'transfer'
  key: string
  rows: [from: Transaction, to: Transaction]
}
export type MatchItem = { kind: 'match', key: string, rows: [Transaction], due: Due }
/** Open rows of a payee. `isCertain` means that all former rows of the payee have the category. */
type PayeeItem = {
  kind: 'payee'
  key: string
  payee: string
  rows: Transaction[]
  categoryId: string | null
  reason: Reason | null
  isCertain: boolean
}
export type InboxItem = TransferItem | MatchItem | PayeeItem

/** Groups values by a key. */
function groupBy<One>(values: readonly One[], keyOf: (value: One) => string): Map<string, One[]> {
  const groups = new Map<string, One[]>()
  for (const value of values) {
    const group = groups.get(keyOf(value))
    if (group === undefined) groups.set(keyOf(value), [value])
    else group.push(value)
  }
  return groups
}

const transferDays = 5
const dueDays = 7

const distance = (one: string, other: string): number =>
  Math.abs(Date.parse(one) - Date.parse(other)) / 86_400_000

/**
 * Makes pairs of the candidates, the nearest days first. Each row and each counterpart is in one
 * pair at most.
 */
function nearest<One, Other>(
  pairs: Array<{ one: One, other: Other, days: number }>,
): Array<{ one: One, other: Other }> {
  const used = new Set<One | Other>()
  return pairs.toSorted((a, b) => a.days - b.days).filter(({ one, other }) => {
    if (used.has(one) || used.has(other)) return false
    used.add(one).add(other)
    return true
  })
}

/** Returns the likely transfers: opposite amounts in two accounts within five days. */
function transfersIn(rows: readonly Transaction[]): TransferItem[] {
  const incoming = groupBy(
    rows.filter(({ amount, account_id: account }) => amount > 0 && account !== null),
    (row) => `${row.amount} ${row.currency}`,
  )
  const pairs = rows.filter(({ amount, account_id: account }) => amount < 0 && account !== null)
    .flatMap((one) =>
      (incoming.get(`${-one.amount} ${one.currency}`) ?? []).flatMap((other) => {
        const days = distance(dayOf(one), dayOf(other))
        return days <= transferDays && one.account_id !== other.account_id
          ? [{ one, other, days }]
          : []
      })
    )
  return nearest(pairs).map(({ one, other }) => ({
    kind: 'transfer',
    key: `transfer ${one.id}`,
    rows: [one, other],
  }))
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}{3,}/gu) ?? []

/** Whether a name contains a word of a title. */
const isNamed = (name: string, title: string): boolean =>
  wordsOf(title).some((word) => name.toLowerCase().includes(word))

/**
 * Returns the rows that are likely due days: about the same day, and the same amount or a similar
 * one with the name.
 */
function matchesIn(rows: readonly Transaction[], due: readonly Due[]): MatchItem[] {
  const pairs = due.filter(({ kind }) => kind !== 'transfer').flatMap((other) =>
    rows.flatMap((one) => {
      const days = distance(dayOf(one), other.due_on)
      const amount = other.kind === 'income' ? one.amount : -one.amount
      if (days > dueDays || one.currency !== other.currency || amount <= 0) return []
      const isNear = Math.abs(amount - other.amount) <= other.amount / 5
      return isNear && isNamed(one.name, other.title) ? [{ one, other, days }] : []
    })
  )
  return nearest(pairs).map(({ one, other }) => ({
    kind: 'match',
    key: `match ${one.id}`,
    rows: [one],
    due: other,
  }))
}

/** Groups rows by payee and sign. Groups with a suggestion are first, then the larger ones. */
function payeesIn(judged: readonly Judged[]): PayeeItem[] {
  const groups = groupBy(
    judged,
    ({ row, payee, categoryId }) =>
      `payee ${payee} ${row.amount < 0 ? '-' : '+'} ${categoryId ?? ''}`,
  )
  return [...groups].map(([key, members]): PayeeItem => {
    const first = members[0]
    const [payee, categoryId, reason] = [
      first?.payee ?? '',
      first?.categoryId ?? null,
      first?.reason ?? null,
    ]
    const isCertain = categoryId !== null && reason?.kind === 'seen' &&
      reason.agreeing === reason.seen
    return {
      kind: 'payee',
      key,
      payee,
      rows: members.map(({ row }) => row),
      categoryId,
      reason,
      isCertain,
    }
  }).toSorted((one, other) =>
    Number(other.categoryId !== null) - Number(one.categoryId !== null) ||
    other.rows.length - one.rows.length
  )
}

/** Returns all items. A row is in one of them. */
export function itemsOf(judged: readonly Judged[], due: readonly Due[]): InboxItem[] {
  const rows = judged.map(({ row }) => row)
  const transfers = transfersIn(rows)
  const taken = new Set(transfers.flatMap((item) => item.rows.map(({ id }) => id)))
  const matches = matchesIn(rows.filter(({ id }) => !taken.has(id)), due)
  for (const { rows: [row] } of matches) taken.add(row.id)
  return [...transfers, ...matches, ...payeesIn(judged.filter(({ row }) => !taken.has(row.id)))]
}

/** Whether accepting the item needs no choice. */
export const isAcceptable = (item: InboxItem): boolean =>
  item.kind !== 'payee' || item.categoryId !== null

/** Words of banks for the kind of a payment, which the names of most payees have. */
const paymentWord =
  /^(?:card|credit|debit|ec|girocard|karte|kartenzahlung|kauf|lastschrift|maestro|mastercard|payment|paypal|pos|purchase|sepa|sq|sumup|visa|zahlung)$/i

/**
 * Returns the part of a name that a rule should look for: its words before a number, at most three.
 * Skips words for the kind of a payment.
 */
export function ruleTextOf(name: string): string {
  const runs = name.split(/\s*[\d/*#,]+\s*/).map((run) => run.trim().split(/\s+/))
  const isPayee = (run: readonly string[]) =>
    run.some((word) => word !== '' && !paymentWord.test(word))
  const before = runs[0] ?? []
  const chosen = isPayee(before)
    ? before
    : before.join('') === ''
    ? name.trim().split(/\s+/)
    : runs.find(isPayee) ?? before
  return chosen.slice(0, 3).join(' ')
}

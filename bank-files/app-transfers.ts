/** Finds the pairs of transactions that are one transfer. */
import type { AppRow, ExportedTransaction } from './app-types.ts'
import { type AppName, APP_RULES, type AppRules } from './app-rules.ts'

/** Maximum number of days between the halves, where the app does not name the other account. */
const MAX_DAYS = 5

const dayNumber = (day: string) => Date.parse(day) / 86_400_000

/**
 * Returns the pairs of outgoing and incoming halves, one to one. The halves have opposite amounts
 * in one currency. Firefly also converts.
 *
 * @param rows the first row of each transaction
 */
export function linkTransfers(
  transactions: ExportedTransaction[],
  rows: AppRow[],
  app: AppName,
): Array<[from: number, to: number]> {
  const rules: AppRules = APP_RULES[app]
  const names = new Set(transactions.map(({ account }) => account))
  const candidates = rows.map((row, index) => {
    const other = rules.otherAccount?.(row)
    const isTransfer = rules.isTransfer(row) && transactions[index]!.items.length === 0 &&
      (other === undefined ? rules.otherAccount === undefined : names.has(other))
    return isTransfer ? { index, row, other } : undefined
  }).filter((one) => one !== undefined)
  const key = ({ amount, currency, external_id = '' }: AppRow['row'], isFrom: boolean) =>
    app === 'firefly'
      ? isFrom ? `${external_id} in` : external_id
      : `${Math.abs(amount)} ${currency}`
  const incoming = new Map<string, typeof candidates>()
  for (const to of candidates) {
    if (to.row.row.amount < 0) continue
    const same = incoming.get(key(to.row.row, false))
    if (same === undefined) incoming.set(key(to.row.row, false), [to])
    else same.push(to)
  }
  const used = new Set<number>()
  const pairs: Array<[number, number]> = []
  for (const from of candidates.filter(({ row }) => row.row.amount < 0)) {
    let best: { index: number, days: number } | undefined
    for (const to of incoming.get(key(from.row.row, true)) ?? []) {
      if (used.has(to.index) || to.row.account === from.row.account) continue
      const days = Math.abs(
        dayNumber(to.row.row.transaction_date) - dayNumber(from.row.row.transaction_date),
      )
      const isSame = from.other === undefined
        ? days <= MAX_DAYS
        : days === 0 && from.other === to.row.account && to.other === from.row.account
      if (isSame && (best === undefined || days < best.days)) best = { index: to.index, days }
    }
    if (best === undefined) continue
    used.add(best.index)
    pairs.push([from.index, best.index])
  }
  return pairs
}

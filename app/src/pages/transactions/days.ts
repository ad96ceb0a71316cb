/** Groups the rows of the list by day. Pure functions. */
import type { Transaction } from '../../data/transactions/api.ts'
import { dayOf } from '../../data/transactions/day.ts'
import { sumsByCurrency } from '../../locale/figures.ts'

/** A day of the list. `sums` is null if they are not known. */
export type Day = { day: string, sums: Array<{ currency: string, sum: number }> | null }

type Counted = Pick<
  Transaction,
  'id' | 'booked_on' | 'transaction_date' | 'amount' | 'currency' | 'status' | 'transfer_id'
>

/**
 * Returns the day of each row that is the first of its day. The sums follow the rules of reports:
 * transfers and failed rows do not count.
 * @param rows in the order of their days
 * @param hasMore whether further rows are not loaded
 * @param hasSums whether all of each row counts
 */
export function daysOfRows(
  rows: readonly Counted[],
  hasMore: boolean,
  hasSums = true,
): ReadonlyMap<string, Day> {
  const days = new Map<string, Counted[]>()
  for (const row of rows) {
    const day = dayOf(row)
    days.set(day, [...days.get(day) ?? [], row])
  }
  const last = rows.length === 0 ? null : dayOf(rows.at(-1)!)
  return new Map([...days].map(([day, some]) => {
    const counted = some.filter(({ status, transfer_id: transfer }) =>
      status !== 'failed' && transfer === null
    )
    return [some[0]?.id ?? '', {
      day,
      sums: !hasSums || (hasMore && day === last) ? null : sumsByCurrency(counted),
    }]
  }))
}

/**
 * The last balance of a CSV file, which its column of running balances and its amounts prove
 * together.
 */
import { amountIn } from './amounts.ts'
import type { Entry } from './entries.ts'
import type { Decimal } from './layout.ts'
import type { StatementBalance, StatementRow } from './types.ts'

/** Fewer balances fit by accident. */
const MIN_ROWS = 3

type Step = { day: string, cents: number, balance: number }

/** Returns true if each balance is the one before plus the amount. */
const addsUp = (steps: Step[]) =>
  steps.length >= MIN_ROWS &&
  steps.every(({ day, cents, balance }, index) => {
    const before = steps[index - 1]
    return before === undefined || (before.day <= day && before.balance + cents === balance)
  })

/**
 * Returns the balance at the end of the last day that the file certainly has whole: the day before
 * the newest row's. Later rows of the newest day may be missing. Every balance must be the sum of
 * the one before and the amount, in one order of the rows only.
 *
 * @param entries the entry of each row
 */
export function provenBalance(
  entries: Entry[],
  rows: StatementRow[],
  decimal: Decimal,
): StatementBalance | undefined {
  const isOne = new Set(rows.map(({ currency }) => currency)).size === 1 &&
    rows.every(({ status = 'paid' }) => status === 'paid')
  const found = new Map<string, StatementBalance>()
  for (const column of isOne ? entries[0]?.balances?.keys() ?? [] : []) {
    const steps = rows.map(({ transaction_date: day, amount }, index): Step => {
      const balance = amountIn(entries[index]?.balances?.[column] ?? '', decimal)
      return {
        day,
        cents: Math.round(amount * 100),
        balance: typeof balance === 'number' ? balance : Number.NaN,
      }
    })
    const [order, ...others] = [steps, steps.map((_, index) => steps[steps.length - 1 - index]!)]
      .filter(addsUp)
    const last = others.length > 0
      ? undefined
      : order?.filter(({ day }) => day !== order.at(-1)?.day).at(-1)
    if (last !== undefined)
      found.set(`${last.day} ${last.balance}`, { amount: last.balance / 100, on: last.day })
  }
  return found.size === 1 ? [...found.values()][0] : undefined
}

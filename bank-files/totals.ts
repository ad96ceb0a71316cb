/** Recognizes the total that some banks write as the last row of a file. */
import type { StatementRow } from './types.ts'

/** Words for totals. Shops have such names too, so the amounts must prove the total. */
const TOTAL_NAME = /\b(?:totals?|totaal|totale|sum|summe|summa|somme|suma|saldo)\b|gesamt/i

const cents = (amount: number) => Math.round(amount * 100)

/** Returns true if the last row has the name of a total and is the sum of at least two others. */
export function endsWithTotal(rows: StatementRow[]): boolean {
  const last = rows.at(-1)
  if (
    last === undefined || rows.length < 3 ||
    !TOTAL_NAME.test(`${last.name} ${last.description ?? ''}`)
  ) return false
  return rows.slice(0, -1).reduce((sum, { amount }) => sum + cents(amount), 0) ===
    cents(last.amount)
}

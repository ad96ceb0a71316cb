/** Resolves duplicate ids: some banks give one id to several transactions. */
import { amountIn } from './amounts.ts'
import { type Entry, type FileStatement, nameOf, placeOf } from './entries.ts'
import { grouped } from './grouped.ts'
import type { Decimal } from './layout.ts'
import { isOff } from './statement-sums.ts'
import type { Problem, StatementRow } from './types.ts'

/**
 * Returns true if the entry after an equal one has another running balance, which differs by the
 * amount.
 */
function isStep(before: Entry, after: Entry, { amount }: StatementRow, decimal: Decimal): boolean {
  return after.balances?.some((text, column) => {
    const [from, to] = [amountIn(before.balances?.[column] ?? '', decimal), amountIn(text, decimal)]
    return typeof from === 'number' && typeof to === 'number' &&
      Math.abs(to - from) === Math.round(Math.abs(amount) * 100)
  }) === true
}

/**
 * The rows of a file, their entries and accounts, the entries of each statement, and the decimal
 * sign.
 */
type Context = {
  rows: StatementRow[]
  entries: Entry[]
  keys: string[]
  statements: Map<FileStatement, Entry[]>
  decimal: Decimal
}

/**
 * Returns true if the balances prove that each of several equal rows is a transaction: the
 * statement only adds up with all of them.
 */
function areProven(indexes: number[], { rows, entries, statements, decimal }: Context): boolean {
  const booked = indexes.filter((index) => rows[index]!.status !== 'pending')
  return booked.some((index, at) => {
    const [before, after] = [entries[booked[at - 1] ?? -1], entries[index]!]
    if (before === undefined || before.statement !== after.statement) return false
    return after.statement === undefined
      ? isStep(before, after, rows[index]!, decimal)
      : isOff(after.statement, statements.get(after.statement) ?? []) === false
  })
}

/**
 * Removes an id from the rows that share it if they differ: the database then recognizes each by
 * its day, amount and name. Equal rows with the same id are duplicates unless the balances prove
 * that they are several transactions. A pending row that the file also has as booked is a duplicate
 * too.
 *
 * @param problems receives one problem for each of these rows
 * @returns the indexes of the duplicates
 */
export function removeSharedIds(context: Context, problems: Problem[]): Set<number> {
  const { rows, entries, keys } = context
  const identified = [...rows.keys()].filter((index) => rows[index]!.external_id !== undefined)
  const duplicates = new Set<number>()
  for (
    const same of grouped(
      identified,
      (index) => JSON.stringify([keys[index], rows[index]!.external_id]),
    ).values()
  ) {
    if (same.length < 2) continue
    const isBooked = (index: number) =>
      same.some((other) =>
        rows[other]!.status === 'paid' && rows[other]!.amount === rows[index]!.amount
      )
    const former = same.filter((index) => rows[index]!.status === 'pending' && isBooked(index))
    for (const index of former) {
      duplicates.add(index)
      problems.push({
        ...placeOf(entries[index]!),
        field: 'status',
        message:
          'The file also contains this pending transaction as booked, with the same ID, so it was skipped.',
      })
    }
    const all = same.filter((index) => !duplicates.has(index))
    if (all.length < 2) continue
    // files of one archive can describe a transaction differently, such as a report of the day and
    // the statement
    const isOnePerFile = new Set(all.map((index) => entries[index]!.file)).size === all.length
    const factsOf = ({ amount, transaction_date }: StatementRow) => [amount, transaction_date]
    const different = new Set(
      all.map((index) => JSON.stringify(isOnePerFile ? factsOf(rows[index]!) : rows[index])),
    )
    const isShared = different.size > 1 || areProven(all, context)
    for (const [position, index] of all.entries()) {
      const place = placeOf(entries[index]!)
      const row = rows[index]!
      if (isShared) {
        problems.push({
          ...place,
          row: index,
          field: 'external_id',
          message:
            `The bank gave the ID "${row.external_id}" to several transactions, so this one is identified by its date, amount and name.`,
        })
        row.metadata = { ...row.metadata, shared_id: row.external_id! }
        delete row.external_id
      } else if (position > 0) {
        duplicates.add(index)
        const message = `This repeats ${
          nameOf(entries[all[0]!]!)
        }, with the same ID, so it was skipped.`
        problems.push({ ...place, field: 'external_id', message })
      }
    }
  }
  return duplicates
}

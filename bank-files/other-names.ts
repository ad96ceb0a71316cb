/**
 * Finds rows of reports that a complete statement has under another name, or as one row: the report
 * of a day is briefer, a notification is longer.
 */
import { type Entry, type FileStatement, nameOf, placeOf } from './entries.ts'
import { grouped } from './grouped.ts'
import { type Context, textOf } from './repeats.ts'
import { isOff } from './statement-sums.ts'
import type { StatementRow } from './types.ts'

/** A row of a report without balances. */
type Reported = { index: number, statement: FileStatement }

/** The rows to compare. */
type Comparison = {
  reported: Reported[]
  /** The texts of each statement's booked rows. */
  texts: Map<FileStatement, Set<string>>
  /** The rows of complete statements by account, day and amount. */
  completeRows: Map<string, number[]>
  /** The rows of complete statements that each report has claimed. */
  claimed: Map<FileStatement, Set<number>>
}

const keyOf = (keys: string[], rows: StatementRow[], index: number, amount = rows[index]!.amount) =>
  JSON.stringify([keys[index], rows[index]!.transaction_date, amount])

/** Returns the rows of reports, and the texts of all booked rows. */
function reportedRows(
  { rows, entries, duplicates }: Context,
): Pick<Comparison, 'reported' | 'texts'> {
  const texts: Comparison['texts'] = new Map()
  const reported: Reported[] = []
  for (const [index, { statement }] of entries.entries()) {
    if (statement === undefined || rows[index]!.status === 'pending') continue
    const ofStatement = texts.get(statement) ?? new Set()
    texts.set(statement, ofStatement.add(textOf(rows[index]!)))
    if (duplicates.has(index)) continue
    if (statement.opening === undefined && statement.closing === undefined)
      reported.push({ index, statement })
  }
  return { reported, texts }
}

/** Returns the booked rows of statements that are complete by their balances. */
function completeRowsOf(
  keys: string[],
  { rows, entries, duplicates }: Context,
  statements: Map<FileStatement, Entry[]>,
): Comparison['completeRows'] {
  const complete = new Set(
    [...statements].filter(([statement, ofStatement]) => isOff(statement, ofStatement) === false)
      .map(([statement]) => statement),
  )
  const isComplete = (index: number) =>
    complete.has(entries[index]!.statement!) && !duplicates.has(index) &&
    rows[index]!.status !== 'pending'
  return grouped([...rows.keys()].filter(isComplete), (index) => keyOf(keys, rows, index))
}

/** Claims the row of a complete statement that a report does not have; undefined for none. */
function claimOriginal(
  { statement }: Reported,
  key: string,
  { texts, completeRows, claimed }: Comparison,
  { rows }: Context,
  isSame: (other: number) => boolean,
): number | undefined {
  const taken = claimed.get(statement) ?? new Set()
  const found = completeRows.get(key)?.find((other) =>
    !taken.has(other) && texts.get(statement)?.has(textOf(rows[other]!)) !== true && isSame(other)
  )
  if (found !== undefined) claimed.set(statement, taken.add(found))
  return found
}

/** Removes rows that a complete statement has under another name. */
function removeSingles(keys: string[], context: Context, comparison: Comparison): void {
  const { rows, entries, duplicates, problems } = context
  for (const one of comparison.reported) {
    const { index } = one
    const { external_id: id } = rows[index]!
    const original = claimOriginal(
      one,
      keyOf(keys, rows, index),
      comparison,
      context,
      (other) =>
        (id === undefined || rows[other]!.external_id === undefined) &&
        comparison.texts.get(entries[other]!.statement!)?.has(textOf(rows[index]!)) !== true,
    )
    if (original === undefined) continue
    duplicates.add(index)
    problems.push({
      ...placeOf(entries[index]!),
      message: `This may repeat ${
        nameOf(entries[original]!)
      } under a different name. The statement there is complete, so this row was skipped. If it's a separate transaction, add it manually.`,
    })
  }
}

/** Removes the rows of a batch that a complete statement has as one row. */
function removeBatches(keys: string[], context: Context, comparison: Comparison): void {
  const { rows, entries, duplicates, problems } = context
  const batches = grouped(comparison.reported, ({ index }) => entries[index]!.batch)
  for (const [batch, parts] of batches) {
    if (batch === undefined || parts.some(({ index }) => duplicates.has(index))) continue
    const [first] = parts as [Reported]
    const cents = parts.reduce((sum, { index }) => sum + Math.round(rows[index]!.amount * 100), 0)
    const original = claimOriginal(
      first,
      keyOf(keys, rows, first.index, cents / 100),
      comparison,
      context,
      (other) =>
        entries[other]!.batch === undefined &&
        (batch.id === '' || [undefined, batch.id].includes(rows[other]!.external_id)),
    )
    if (original === undefined) continue
    for (const { index } of parts) {
      duplicates.add(index)
      problems.push({
        ...placeOf(entries[index]!),
        message: `This transaction is in a batch that is one row in ${
          nameOf(entries[original]!)
        }, so it was skipped.`,
      })
    }
  }
}

/**
 * Adds booked rows of reports without balances to `duplicates` if a statement has the same account,
 * day and amount. Its balances prove that the statement is complete, so it has all rows of its
 * days. Rows with different ids of the bank stay different.
 *
 * @param keys the account of each row
 * @param context its `problems` receive one for each of these rows
 */
export function removeRenamed(
  keys: string[],
  context: Context,
  statements: Map<FileStatement, Entry[]>,
): void {
  const { reported, texts } = reportedRows(context)
  if (reported.length === 0) return
  const comparison: Comparison = {
    reported,
    texts,
    completeRows: completeRowsOf(keys, context, statements),
    claimed: new Map(),
  }
  removeSingles(keys, context, comparison)
  removeBatches(keys, context, comparison)
}

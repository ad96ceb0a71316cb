/**
 * Finds rows of reports that a complete statement has under another name, or as one row: the report
 * of a day is briefer, a notification is longer.
 */
import { type Entry, type FileStatement, nameOf, placeOf } from './entries.ts'
import { grouped } from './grouped.ts'
import { textOf } from './repeats.ts'
import { isOff } from './statement-sums.ts'
import type { Problem, StatementRow } from './types.ts'

/**
 * Adds booked rows of reports without balances to `duplicates` if a statement has the same account,
 * day and amount. Its balances prove that the statement is complete, so it has all rows of its
 * days. Rows with different ids of the bank stay different.
 *
 * @param keys the account of each row
 * @param problems receives one problem for each of these rows
 */
export function removeRenamed(
  keys: string[],
  { rows, entries, duplicates, problems }: {
    rows: StatementRow[]
    entries: Entry[]
    duplicates: Set<number>
    problems: Problem[]
  },
  statements: Map<FileStatement, Entry[]>,
): void {
  const texts = new Map<FileStatement, Set<string>>()
  const reported: Array<{ index: number, statement: FileStatement }> = []
  const keyOf = (index: number, amount = rows[index]!.amount) =>
    JSON.stringify([keys[index], rows[index]!.transaction_date, amount])
  for (const [index, { statement }] of entries.entries()) {
    if (statement === undefined || rows[index]!.status === 'pending') continue
    const ofStatement = texts.get(statement) ?? new Set()
    texts.set(statement, ofStatement.add(textOf(rows[index]!)))
    if (duplicates.has(index)) continue
    if (statement.opening === undefined && statement.closing === undefined)
      reported.push({ index, statement })
  }
  if (reported.length === 0) return
  const complete = new Set(
    [...statements].filter(([statement, ofStatement]) => isOff(statement, ofStatement) === false)
      .map(([statement]) => statement),
  )
  const isComplete = (index: number) =>
    complete.has(entries[index]!.statement!) && !duplicates.has(index) &&
    rows[index]!.status !== 'pending'
  const completeRows = grouped([...rows.keys()].filter(isComplete), (index) => keyOf(index))
  const claimed = new Map<FileStatement, Set<number>>()
  /** Returns the row of a complete statement that a report does not have. */
  const originalOf = (
    statement: FileStatement,
    key: string,
    isSame: (other: number) => boolean,
  ): number | undefined => {
    const taken = claimed.get(statement) ?? new Set()
    const found = completeRows.get(key)?.find((other) =>
      !taken.has(other) && texts.get(statement)?.has(textOf(rows[other]!)) !== true && isSame(other)
    )
    if (found !== undefined) claimed.set(statement, taken.add(found))
    return found
  }
  for (const one of reported) {
    const { external_id: id } = rows[one.index]!
    const original = originalOf(
      one.statement,
      keyOf(one.index),
      (other) =>
        (id === undefined || rows[other]!.external_id === undefined) &&
        texts.get(entries[other]!.statement!)?.has(textOf(rows[one.index]!)) !== true,
    )
    if (original === undefined) continue
    duplicates.add(one.index)
    problems.push({
      ...placeOf(entries[one.index]!),
      message: `This may be ${
        nameOf(entries[original]!)
      } once more, under another name. The statement there is complete, so this row was left out. If it is another transaction, add it by hand.`,
    })
  }
  for (const [batch, parts] of grouped(reported, ({ index }) => entries[index]!.batch)) {
    if (batch === undefined || parts.some(({ index }) => duplicates.has(index))) continue
    const cents = parts.reduce((sum, { index }) => sum + Math.round(rows[index]!.amount * 100), 0)
    const original = originalOf(
      parts[0]!.statement,
      keyOf(parts[0]!.index, cents / 100),
      (other) =>
        entries[other]!.batch === undefined &&
        (batch.id === '' || [undefined, batch.id].includes(rows[other]!.external_id)),
    )
    if (original === undefined) continue
    for (const { index } of parts) {
      duplicates.add(index)
      problems.push({
        ...placeOf(entries[index]!),
        message: `The batch of this transaction is ${
          nameOf(entries[original]!)
        } as one row, so this row was left out.`,
      })
    }
  }
}

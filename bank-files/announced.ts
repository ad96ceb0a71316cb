/** Finds pending rows that a later statement of the same file or archive has as booked. */
import { type Entry, type FileStatement, nameOf, placeOf } from './entries.ts'
import { grouped } from './grouped.ts'
import type { Problem, StatementRow } from './types.ts'

/** Maximum number of days between the announcement and the booking, as in `import_transactions`. */
const MAX_DAYS = 5

const daysBetween = (one: string, other: string) =>
  Math.abs(Date.parse(one) - Date.parse(other)) / 86_400_000

/**
 * Adds pending rows to `duplicates` that another statement has as booked: with the same account,
 * amount and name, on a day near it. That statement must not be older, and must not have the row as
 * pending any more. A statement by itself never has a transaction in both states.
 *
 * @param keys the account of each row
 * @param problems receives one problem for each of these rows
 */
export function removeAnnounced(
  keys: string[],
  { rows, entries, duplicates, problems }: {
    rows: StatementRow[]
    entries: Entry[]
    duplicates: Set<number>
    problems: Problem[]
  },
): void {
  const lastBooked = new Map<FileStatement | undefined, string>()
  for (const [index, { statement }] of entries.entries()) {
    const { status, transaction_date: day } = rows[index]!
    if (status !== 'pending' && day > (lastBooked.get(statement) ?? ''))
      lastBooked.set(statement, day)
  }
  const statementOf = (index: number) => entries[index]!.statement
  const isPending = (index: number) => rows[index]!.status === 'pending'
  for (
    const group of grouped(
      rows.keys(),
      (index) =>
        JSON.stringify([keys[index], rows[index]!.amount, rows[index]!.name.toLowerCase()]),
    ).values()
  ) {
    const announced = group.filter(isPending)
    /**
     * The pending rows of each statement and day, the number of all that are left of a day, and of
     * those in a statement.
     */
    const groups = new Map<
      string,
      { statement: FileStatement | undefined, day: string, indexes: number[] }
    >()
    const [left, listed] = [
      new Map<string, number>(),
      new Map<FileStatement | undefined, Map<string, number>>(),
    ]
    const numbers = new Map<FileStatement | undefined, number>()
    for (const index of announced) {
      const { transaction_date: day } = rows[index]!
      const statement = statementOf(index)
      const days = listed.get(statement) ?? new Map<string, number>()
      listed.set(statement, days.set(day, (days.get(day) ?? 0) + 1))
      if (duplicates.has(index)) continue
      left.set(day, (left.get(day) ?? 0) + 1)
      const number = numbers.get(statement) ?? numbers.size
      numbers.set(statement, number)
      const same = groups.get(`${number} ${day}`)
      if (same === undefined) groups.set(`${number} ${day}`, { statement, day, indexes: [index] })
      else same.indexes.push(index)
    }
    for (const booked of groups.size === 0 ? [] : group) {
      if (isPending(booked) || duplicates.has(booked)) continue
      const statement = statementOf(booked)
      const former = [...groups.values()].find(({ statement: other, day, indexes }) =>
        indexes.length > 0 && other !== statement &&
        daysBetween(day, rows[booked]!.transaction_date) <= MAX_DAYS
        && (lastBooked.get(other) ?? '') <= lastBooked.get(statement)! &&
        left.get(day)! > (listed.get(statement)?.get(day) ?? 0)
      )?.indexes.shift()
      if (former === undefined) continue
      duplicates.add(former)
      left.set(rows[former]!.transaction_date, left.get(rows[former]!.transaction_date)! - 1)
      problems.push({
        ...placeOf(entries[former]!),
        field: 'status',
        message: `This pending transaction is booked in ${
          nameOf(entries[booked]!)
        }, so it was left out.`,
      })
    }
  }
}

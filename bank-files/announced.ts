/** Finds pending rows that a later statement of the same file or archive has as booked. */
import { type FileStatement, nameOf, placeOf } from './entries.ts'
import { grouped } from './grouped.ts'
import type { Context } from './repeats.ts'

/** Maximum number of days between the announcement and the booking, as in `import_transactions`. */
const MAX_DAYS = 5

const daysBetween = (one: string, other: string) =>
  Math.abs(Date.parse(one) - Date.parse(other)) / 86_400_000

/** Returns the day of the last booked row of each statement. */
function lastBookedDays({ rows, entries }: Context): Map<FileStatement | undefined, string> {
  const lastBooked = new Map<FileStatement | undefined, string>()
  for (const [index, { statement }] of entries.entries()) {
    const { status, transaction_date: day } = rows[index]!
    if (status !== 'pending' && day > (lastBooked.get(statement) ?? ''))
      lastBooked.set(statement, day)
  }
  return lastBooked
}

/** The pending rows of one account, amount and name. */
type Announced = {
  /** The rows of each statement and day, without duplicates. */
  groups: Array<{ statement: FileStatement | undefined, day: string, indexes: number[] }>
  /** The number of rows that are left of each day. */
  left: Map<string, number>
  /** The number of rows of each statement and day, including duplicates. */
  listed: Map<FileStatement | undefined, Map<string, number>>
}

/** Returns the pending rows among rows of one account, amount and name. */
function announcedIn(indexes: number[], { rows, entries, duplicates }: Context): Announced {
  const groups = new Map<string, Announced['groups'][number]>()
  const left: Announced['left'] = new Map()
  const listed: Announced['listed'] = new Map()
  const numbers = new Map<FileStatement | undefined, number>()
  for (const index of indexes) {
    const { status, transaction_date: day } = rows[index]!
    if (status !== 'pending') continue
    const { statement } = entries[index]!
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
  return { groups: [...groups.values()], left, listed }
}

/** Takes the pending row out of its group that a booked row replaces; undefined for none. */
function takeFormer(
  booked: number,
  { groups, left, listed }: Announced,
  lastBooked: ReadonlyMap<FileStatement | undefined, string>,
  { rows, entries }: Context,
): number | undefined {
  const { statement } = entries[booked]!
  const former = groups.find(({ statement: other, day, indexes }) =>
    indexes.length > 0 && other !== statement &&
    daysBetween(day, rows[booked]!.transaction_date) <= MAX_DAYS
    && (lastBooked.get(other) ?? '') <= lastBooked.get(statement)! &&
    left.get(day)! > (listed.get(statement)?.get(day) ?? 0)
  )
  if (former === undefined) return undefined
  left.set(former.day, left.get(former.day)! - 1)
  return former.indexes.shift()
}

/**
 * Adds pending rows to `duplicates` that another statement has as booked: with the same account,
 * amount and name, on a day near it. That statement must not be older, and must not have the row as
 * pending any more. A statement by itself never has a transaction in both states.
 *
 * @param keys the account of each row
 * @param context its `problems` receive one for each of these rows
 */
export function removeAnnounced(keys: string[], context: Context): void {
  const { rows, entries, duplicates, problems } = context
  const lastBooked = lastBookedDays(context)
  const groups = grouped(
    rows.keys(),
    (index) => JSON.stringify([keys[index], rows[index]!.amount, rows[index]!.name.toLowerCase()]),
  )
  for (const indexes of groups.values()) {
    const announced = announcedIn(indexes, context)
    for (const booked of announced.groups.length === 0 ? [] : indexes) {
      if (rows[booked]!.status === 'pending' || duplicates.has(booked)) continue
      const former = takeFormer(booked, announced, lastBooked, context)
      if (former === undefined) continue
      duplicates.add(former)
      problems.push({
        ...placeOf(entries[former]!),
        field: 'status',
        message: `This pending transaction is already booked in ${
          nameOf(entries[booked]!)
        }, so it was skipped.`,
      })
    }
  }
}

/** Resolves duplicate ids: some banks give one id to several transactions. */
import type { Entry } from './entries.ts'
import type { Problem, StatementRow } from './types.ts'

export const placeOf = ({ line, file }: Pick<Entry, 'line' | 'file'>) => ({ line, ...file === undefined ? {} : { file } })

export const nameOf = ({ line, file }: Pick<Entry, 'line' | 'file'>) => file === undefined ? `line ${line}` : `line ${line} of ${file}`

/**
 * Removes an id from the rows that share it if they differ: the database then recognizes each by its day, amount and name. Equal rows with
 * the same id are duplicates, and so is a pending row that the file also has as booked.
 *
 * @param keys the account of each row
 * @param problems receives one problem for each of these rows
 * @returns the indexes of the duplicates
 */
export function removeSharedIds(rows: StatementRow[], entries: Entry[], keys: string[], problems: Problem[]): Set<number> {
  const indexesById = new Map<string, number[]>()
  rows.forEach(({ external_id }, index) => {
    if (external_id === undefined) return
    const key = JSON.stringify([keys[index], external_id])
    const same = indexesById.get(key)
    if (same === undefined) indexesById.set(key, [index])
    else same.push(index)
  })
  const duplicates = new Set<number>()
  for (const same of indexesById.values()) {
    if (same.length < 2) continue
    const isBooked = (index: number) => same.some((other) => rows[other]!.status === 'paid' && rows[other]!.amount === rows[index]!.amount)
    const former = same.filter((index) => rows[index]!.status === 'pending' && isBooked(index))
    for (const index of former) {
      duplicates.add(index)
      problems.push({
        ...placeOf(entries[index]!),
        field: 'status',
        message: 'The file also has this pending transaction as booked, under the same id, so it was left out.',
      })
    }
    const all = same.filter((index) => !duplicates.has(index))
    if (all.length < 2) continue
    // files of one archive can describe a transaction differently, such as a report of the day and the statement
    const isOnePerFile = new Set(all.map((index) => entries[index]!.file)).size === all.length
    const factsOf = ({ amount, transaction_date }: StatementRow) => [amount, transaction_date]
    const different = new Set(all.map((index) => JSON.stringify(isOnePerFile ? factsOf(rows[index]!) : rows[index])))
    for (const [position, index] of all.entries()) {
      const place = placeOf(entries[index]!)
      const row = rows[index]!
      if (different.size > 1) {
        problems.push({
          ...place,
          row: index,
          field: 'external_id',
          message: `The bank gave the id "${row.external_id}" to different transactions, so this one is known by its day, amount and name.`,
        })
        row.metadata = { ...row.metadata, shared_id: row.external_id! }
        delete row.external_id
      } else if (position > 0) {
        duplicates.add(index)
        const message = `This is ${nameOf(entries[all[0]!]!)} once more, with the same id, and was left out.`
        problems.push({ ...place, field: 'external_id', message })
      }
    }
  }
  return duplicates
}

/** Resolves duplicate ids: some banks give one id to several transactions. */
import type { Entry } from './entries.ts'
import type { Problem, StatementRow } from './types.ts'

/**
 * Removes an id from the rows that share it if they differ: the database then recognizes each by its day, amount and name. Equal rows with
 * the same id are duplicates.
 *
 * @param problems receives one problem for each of these rows
 * @returns the indexes of the duplicates
 */
export function removeSharedIds(rows: StatementRow[], entries: Entry[], problems: Problem[]): Set<number> {
  const indexesById = new Map<string, number[]>()
  rows.forEach(({ external_id }, index) => {
    if (external_id === undefined) return
    const key = JSON.stringify([entries[index]?.account, external_id])
    const same = indexesById.get(key)
    if (same === undefined) indexesById.set(key, [index])
    else same.push(index)
  })
  const duplicates = new Set<number>()
  for (const all of indexesById.values()) {
    if (all.length < 2) continue
    const different = new Set(all.map((index) => JSON.stringify(rows[index])))
    for (const [position, index] of all.entries()) {
      const { line } = entries[index]!
      const row = rows[index]!
      if (different.size > 1) {
        problems.push({
          line,
          row: index,
          field: 'external_id',
          message: `The bank gave the id "${row.external_id}" to different transactions, so this one is known by its day, amount and name.`,
        })
        row.metadata = { ...row.metadata, shared_id: row.external_id! }
        delete row.external_id
      } else if (position > 0) {
        duplicates.add(index)
        problems.push({ line, field: 'external_id', message: `This is line ${entries[all[0]!]!.line} once more, with the same id, and was left out.` })
      }
    }
  }
  return duplicates
}

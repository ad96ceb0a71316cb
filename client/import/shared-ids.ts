/** The ids that banks give, where they give one to more than one transaction. */
import type { Entry } from './entries.ts'
import type { Problem, StatementRow } from './types.ts'

/**
 * An id is the bank's name for one transaction. Where several different rows share one it names none of them, and each is
 * known by what it says; the same row once more is the same transaction.
 *
 * @param problems is told of each
 * @returns the places of the rows that are there already
 */
export function takeSharedIdsAway(rows: StatementRow[], entries: Entry[], problems: Problem[]): Set<number> {
  const places = new Map<string, number[]>()
  rows.forEach(({ external_id }, place) => {
    if (external_id === undefined) return
    const key = JSON.stringify([entries[place]?.account, external_id])
    const same = places.get(key)
    if (same === undefined) places.set(key, [place])
    else same.push(place)
  })
  const gone = new Set<number>()
  for (const all of places.values()) {
    if (all.length < 2) continue
    const different = new Set(all.map((place) => JSON.stringify(rows[place])))
    for (const [turn, place] of all.entries()) {
      const { line } = entries[place]!
      const row = rows[place]!
      if (different.size > 1) {
        problems.push({
          line,
          row: place,
          field: 'external_id',
          message: `The bank gave the id "${row.external_id}" to different transactions, so this one is known by its day, amount and name.`,
        })
        row.metadata = { ...row.metadata, shared_id: row.external_id! }
        delete row.external_id
      } else if (turn > 0) {
        gone.add(place)
        problems.push({ line, field: 'external_id', message: `This is line ${entries[all[0]!]!.line} once more, with the same id, and was left out.` })
      }
    }
  }
  return gone
}

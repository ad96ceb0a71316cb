/** Follows corrections: a bank replaces or deletes a transaction that it sent before. */
import { type Entry, nameOf, placeOf } from './entries.ts'
import { grouped } from './grouped.ts'
import type { Problem } from './types.ts'

type Correction = Entry & Required<Pick<Entry, 'corrects'>>

const isCorrection = (entry: Entry): entry is Correction => entry.corrects !== undefined

/** Returns the id of the first transaction in a chain of corrections. */
function firstId(id: string, corrected: Map<string, string>): string {
  const seen = new Set<string>()
  let first = id
  for (
    let next: string | undefined = id;
    next !== undefined && !seen.has(next);
    next = corrected.get(next)
  ) {
    seen.add(next)
    first = next
  }
  return first
}

/**
 * Returns the entries of one account that no correction replaces or deletes, each with its result.
 */
function followed(entries: Entry[], problems: Problem[]): Array<[entry: Entry, result: Entry]> {
  const corrections = entries.filter(isCorrection)
  const originals = grouped(entries, ({ external_id: id = '' }) => id)
  const corrected = new Map(
    corrections.flatMap(({ external_id: id = '', corrects }) =>
      id === '' ? [] : [[id, corrects.id] as const]
    ),
  )
  const left = new Set<Entry>(entries)
  for (const correction of corrections) {
    const { id, isDeleted } = correction.corrects
    const found = (originals.get(id) ?? []).filter((entry) =>
      entry !== correction && entry.corrects?.id !== correction.external_id
    )
    // an id that a bank gave to several transactions says nothing about one of them
    const [original] = found.length === 1 ? found : []
    if (original !== undefined) left.delete(original)
    if (isDeleted) left.delete(correction)
    const message = original === undefined
      ? isDeleted
        ? `The bank deleted the earlier transaction "${id}". If it was imported, delete it manually.`
        : `The bank replaced the earlier transaction "${id}" with this one. If it was imported, this row updates it.`
      : isDeleted
      ? `The bank deleted ${nameOf(original)} with this line, so both were skipped.`
      : `The bank replaced ${nameOf(original)} with this transaction, so that line was skipped.`
    problems.push({ ...placeOf(correction), message })
  }
  return [...left].map((entry) => {
    if (!isCorrection(entry)) return [entry, entry]
    const { external_id: id = '', metadata } = entry
    return [entry, {
      ...entry,
      external_id: firstId(entry.corrects.id, corrected),
      metadata: { ...metadata, correction: id },
    }]
  })
}

/**
 * Returns the entries without those that others correct. A replacement has the id of the first
 * transaction that it replaces, so that the import updates it.
 *
 * @param problems receives one problem for each correction
 */
export function followCorrections(entries: Entry[], problems: Problem[]): Entry[] {
  if (!entries.some(isCorrection)) return entries
  const accounts = grouped(
    entries,
    ({ account }) => JSON.stringify([account?.id, account?.bank, account?.type]),
  )
  const results = new Map(
    [...accounts.values()].flatMap((ofAccount) => followed(ofAccount, problems)),
  )
  return entries.flatMap((entry) => results.get(entry) ?? [])
}

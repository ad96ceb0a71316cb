/** What was said of a bank's files, for the next one: kept in this browser, by the header line that the bank writes. */
import type { Answers, Read } from '../../data/bank-file.ts'

/** `accounts` by the end of the number that the file has. */
export type Remembered = { answers: Answers, accounts: Record<string, string>, currency?: string }

/** What files of the same bank have in common; undefined for a file that cannot be read at all. */
export function signOf(read: Read): string | undefined {
  const header = 'refusal' in read ? read.refusal.lines[0] : read.statement.header ?? []
  if (header === undefined) return undefined
  return header.length === 0 && 'statement' in read ? read.statement.format : header.map((cell) => cell.replace(/\s+/g, ' ').trim()).join('|')
}

const placeOf = (owner: string, sign: string) => `finance import ${owner} ${sign}`

/** @param owner whose it is: the person in a context, whose accounts are others than the next one's */
export function recall(owner: string, sign: string): Remembered | undefined {
  try {
    const kept = localStorage.getItem(placeOf(owner, sign))
    return kept === null ? undefined : JSON.parse(kept) as Remembered
  } catch {
    // a browser that keeps nothing asks again
    return undefined
  }
}

export function remember(owner: string, sign: string, what: Remembered): void {
  try {
    localStorage.setItem(placeOf(owner, sign), JSON.stringify(what))
  } catch {
    // a browser that keeps nothing asks again
  }
}

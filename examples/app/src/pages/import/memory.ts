/** Remembers the user's answers for the next file of a bank, by its header line, in this browser. */
import type { Answers, Read } from '../../data/bank-file.ts'

/** `accounts` by the last digits of the account number in the file. */
export type Remembered = { answers: Answers, accounts: Record<string, string>, currency?: string }

/** Returns the signature of a bank's files; undefined for an unreadable file. */
export function signatureOf(read: Read): string | undefined {
  const header = 'refusal' in read ? read.refusal.lines[0] : read.statement.header ?? []
  if (header === undefined) return undefined
  return header.length === 0 && 'statement' in read ? read.statement.format : header.map((cell) => cell.replace(/\s+/g, ' ').trim()).join('|')
}

const keyOf = (owner: string, sign: string) => `finance import ${owner} ${sign}`

/** @param owner the user and the context, because accounts differ */
export function recall(owner: string, sign: string): Remembered | undefined {
  try {
    const kept = localStorage.getItem(keyOf(owner, sign))
    return kept === null ? undefined : JSON.parse(kept) as Remembered
  } catch {
    // without storage the app asks again
    return undefined
  }
}

export function remember(owner: string, sign: string, what: Remembered): void {
  try {
    localStorage.setItem(keyOf(owner, sign), JSON.stringify(what))
  } catch {
    // without storage the app asks again
  }
}

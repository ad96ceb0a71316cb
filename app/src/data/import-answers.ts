/**
 * Remembers the user's answers for the next file of a bank, by its header line, in this browser
 * until the user signs out.
 */
import type { Answers, Read } from './bank-file.ts'

/** `accounts` by the last digits, the type and the currency of the account in the file. */
export type Remembered = { answers: Answers, accounts: Record<string, string>, currency?: string }

/** Returns the signature of a bank's files; undefined for an unreadable file. */
export function signatureOf(read: Read): string | undefined {
  const header = 'refusal' in read ? read.refusal.lines[0] : read.statement.header ?? []
  if (header === undefined) return undefined
  return header.length === 0 && 'statement' in read
    ? read.statement.format
    : header.map((cell) => cell.replace(/\s+/g, ' ').trim()).join('|')
}

const prefix = 'finance import '
const keyOf = (owner: string, sign: string) => `${prefix}${owner} ${sign}`

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

/** Deletes the answers of all users but one. @param userId null deletes all */
export function forgetAnswers(userId: string | null): void {
  try {
    const isKept = (key: string) =>
      !key.startsWith(prefix) || (userId !== null && key.startsWith(`${prefix}${userId} `))
    for (const key of Object.keys(localStorage)) if (!isKept(key)) localStorage.removeItem(key)
  } catch {
    // without storage there are none
  }
}

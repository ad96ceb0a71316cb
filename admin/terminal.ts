/** What the operator's commands share: how they are told what to do, and how they answer. */
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/types.ts'

export type Output = {
  /** @param written is called when somebody has taken it, or it could not be written */
  write(text: string | Uint8Array, written?: (error?: Error | null) => void): unknown
  /** Whether a person reads it at a terminal. */
  isTTY?: boolean
}
type Options = { days?: string | undefined, limit?: string | undefined, all?: boolean | undefined, organization?: string | undefined }
export type Command = (db: Kysely<Tables>, words: string[], options: Options, out: Output) => Promise<void>

/** A mistake of the person at the keyboard: told as one sentence. */
export const mistake = (message: string): Error => Object.assign(new Error(message), { name: 'Mistake' })

/** A mistake in the words of the command itself: the sentence is followed by where to find the right ones. */
export const misspelled = (message: string): Error => Object.assign(new Error(message), { name: 'Misspelled' })

/** @throws a mistake that says what is missing */
export function word(words: string[], index: number, what: string): string {
  const value = words[index]
  if (value === undefined) throw misspelled(`Say the ${what}.`)
  return value
}

/** @throws a mistake where nobody has the address */
export async function userNamed(db: Kysely<Tables>, email: string): Promise<{ id: string, email: string }> {
  const user = await db.selectFrom('auth.users').select(['id', 'email']).where('email', '=', sql<string>`lower(${email})`).executeTakeFirst()
  if (user === undefined) throw mistake(`There is no user with the e-mail ${email}.`)
  return user
}

export type Cell = string | number | boolean | Date | null | undefined

/** Columns as wide as their widest value, so that a terminal shows a table. Headings are in the words of SQL. */
export function table<Name extends string>(rows: Record<Name, Cell>[], columns: Name[]): string {
  const text = (value: Cell) => (value instanceof Date ? value.toISOString() : String(value ?? ''))
  const headings = columns.map((column) => column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  const cells = [headings, ...rows.map((row) => columns.map((column) => text(row[column])))]
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)))
  return cells.map((row) => `${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ').trimEnd()}\n`).join('')
}

/** Arguments, errors and tables of the operator's commands. */
import { sql, type Kysely } from 'kysely'
import type pg from 'pg'
import type { ObjectStorage } from '../common/object-storage.ts'
import type { Tables } from '../db/types.ts'

export type Output = {
  /** @param written called after the text is written or has failed */
  write(text: string | Uint8Array, written?: (error?: Error | null) => void): unknown
  /** Whether the output is a terminal. */
  isTTY?: boolean
}
type Options = {
  days?: string | undefined
  limit?: string | undefined
  all?: boolean | undefined
  organization?: string | undefined
  to?: string | undefined
  'dry-run'?: boolean | undefined
}
/** The parts of the deployment that only some commands need. */
export type Deployment = {
  /** The only connection, which `db` uses too. */
  pool: pg.Pool
  /** The owner's URL, for further connections. */
  databaseUrl: string
  /** Opens the object storage of FILES_URL. Undefined for the database. */
  openFiles: () => Promise<ObjectStorage | undefined>
  /** Sends a test mail. Returns the server's answer. */
  sendMail: (to: string) => Promise<string>
  /** The time for which an object stays after its file has moved into the database, in seconds. */
  graceSeconds: number
}
export type Command = (
  db: Kysely<Tables>,
  args: string[],
  options: Options,
  out: Output,
  deployment: Deployment,
) => Promise<void>

/** An error of the operator. The program prints its message and exits with 1. */
export const operatorError = (message: string): Error =>
  Object.assign(new Error(message), { name: 'OperatorError' })

/** An error in the command line itself. The program also refers to `--help`. */
export const usageError = (message: string): Error =>
  Object.assign(new Error(message), { name: 'UsageError' })

/** @throws a usage error if the argument is missing */
export function argument(args: string[], index: number, name: string): string {
  const value = args[index]
  if (value === undefined) throw usageError(`Missing argument: ${name}.`)
  return value
}

/** @throws an operator error if no user has the address */
export async function userByEmail(
  db: Kysely<Tables>,
  email: string,
): Promise<{ id: string, email: string }> {
  const user = await db.selectFrom('auth.users').select(['id', 'email']).where(
    'email',
    '=',
    sql<string>`lower(${email})`,
  ).executeTakeFirst()
  if (user === undefined) throw operatorError(`No user has the email ${email}.`)
  return user
}

export type Cell = string | number | boolean | Date | null | undefined

/** Returns rows as a text table. The headings are the names of the columns in SQL. */
export function table<Name extends string>(rows: Record<Name, Cell>[], columns: Name[]): string {
  const text = (value: Cell) => (value instanceof Date ? value.toISOString() : String(value ?? ''))
  const headings = columns.map((column) =>
    column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  )
  const cells = [headings, ...rows.map((row) => columns.map((column) => text(row[column])))]
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)))
  return cells.map((row) =>
    `${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ').trimEnd()}\n`
  ).join('')
}

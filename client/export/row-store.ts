/** Stores rows with ids of their own: for a restore, and for the export of another app. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { TableName } from '../database.ts'
import { FinanceError } from '../errors.ts'
import type { Problem } from '../../bank-files/types.ts'
import type { Client } from '../index.ts'
import { fetchText } from './export-mine.ts'
import { tables } from './format.ts'
import { members, objectOf } from './raw-json.ts'
import { problemOf } from './row-problem.ts'

export type Restored = {
  /** Number of rows per table: stored now, and already present. */
  tables: Partial<Record<TableName, { stored: number, present: number }>>
  /**
   * Rows that could not be stored, by their id in the file. The message is a sentence for the user.
   * A question has its `option` and no id.
   */
  problems: { table: TableName, id: string, message: string, option?: Problem['option'] }[]
}

/** Rows as JSON texts that must be stored together. */
export type Unit = readonly string[]

/** Limits of one request. A single unit can exceed them. */
const MAX_REQUEST = { rows: 500, characters: 200_000 }

/**
 * Error codes that concern one row: foreign key violation, unique violation, check violation,
 * invalid parameter.
 */
const rowErrors = new Set(['23503', '23505', '23514', '22023'])

/** Returns the JSON text of the id that a text always has: a UUID of version 8 (RFC 9562). */
export function uuidOf(text: string): string {
  const hex = bytesToHex(sha256(utf8ToBytes(text)))
  return `"${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${
    hex.slice(20, 32)
  }"`
}

export const withoutTransfer = (row: string): string =>
  objectOf(members(row).set('transfer_id', 'null'))

/** Inserts rows, except existing ones. @returns the number of new rows @throws FinanceError */
async function insert(client: Client, table: TableName, rows: readonly string[]): Promise<number> {
  const inserted = await fetchText(client, `/${table}?select=${tables[table].key[0]}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      prefer: 'resolution=ignore-duplicates,return=representation',
    },
    body: `[${rows.join()}]`,
  })
  return (JSON.parse(inserted) as unknown[]).length
}

/** Joins units to batches within the limits of a request. */
async function* batchesOf(
  all: AsyncIterable<Unit> | Iterable<Unit>,
  onUnit: (unit: Unit) => void,
): AsyncGenerator<Unit[]> {
  let units: Unit[] = []
  let size = { rows: 0, characters: 0 }
  for await (const unit of all) {
    const length = unit.reduce((sum, row) => sum + row.length, 0)
    if (
      units.length > 0 &&
      (size.rows + unit.length > MAX_REQUEST.rows ||
        size.characters + length > MAX_REQUEST.characters)
    ) {
      yield units
      units = []
      size = { rows: 0, characters: 0 }
    }
    units.push(unit)
    size.rows += unit.length
    size.characters += length
    onUnit(unit)
  }
  if (units.length > 0) yield units
}

/** Returns the problem of a row that the service refused. */
function refusedRow(
  table: TableName,
  row: string,
  error: FinanceError,
): Restored['problems'][number] {
  const values = members(row)
  const id = JSON.parse(values.get(tables[table].key.at(-1)!) ?? '""') as string
  return { table, id, message: problemOf(error, values) }
}

/**
 * Returns a function that stores the units of a table. Existing rows stay unchanged.
 *
 * @param restored receives the counts and the problems
 * @param toRequestRow converts a row to its form in the request
 * @param onRows called after each request with its number of rows
 */
export function rowStore(
  client: Client,
  restored: Restored,
  toRequestRow: (table: TableName, row: string) => string,
  onRows: (rows: number) => void,
) {
  /**
   * Stores units in one request. If the service refuses a row, halves the request until it finds
   * that row.
   */
  const send = async (table: TableName, units: readonly Unit[]): Promise<void> => {
    const count = restored.tables[table]!
    const rows = units.flat()
    try {
      const stored = await insert(client, table, rows.map((row) => toRequestRow(table, row)))
      count.stored += stored
      count.present += rows.length - stored
    } catch (error) {
      if (!(error instanceof FinanceError) || !rowErrors.has(error.code)) throw error
      if (units.length > 1) {
        const middle = units.length >> 1
        await send(table, units.slice(0, middle))
        return send(table, units.slice(middle))
      }
      // the rows are no longer a valid transfer, such as after the deletion of an account
      if (table === 'transactions' && rows.length > 1)
        return send(table, rows.map((row) => [withoutTransfer(row)]))
      for (const row of rows) restored.problems.push(refusedRow(table, row, error))
    }
    onRows(rows.length)
  }

  return async (
    table: TableName,
    all: AsyncIterable<Unit> | Iterable<Unit>,
    onUnit: (unit: Unit) => void = () => undefined,
  ): Promise<void> => {
    restored.tables[table] = { stored: 0, present: 0 }
    for await (const units of batchesOf(all, onUnit)) await send(table, units)
  }
}

/** `restoreMine`: stores the rows of an export in the active context. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { TableName } from '../database.ts'
import { FinanceError } from '../errors.ts'
import type { Client } from '../index.ts'
import { ExportFileError, type Folder, pathOf, restoredTables, tables } from './format.ts'
import { members, objectOf } from './raw-json.ts'
import { fetchText } from './export-mine.ts'
import { openExport } from './archive-reader.ts'

export type RestoreOptions = {
  /** The rows to restore. Default: those of the same kind as the active context */
  from?: 'personal' | 'organization'
  /** Called after each request with the number of processed rows and of all rows. */
  onProgress?: (done: number, rows: number) => void
}

export type Restored = {
  /** Number of rows per table: stored now, and already present. */
  tables: Partial<Record<TableName, { stored: number, present: number }>>
  /** Rows that could not be stored, by their id in the file. The message is a sentence for the user. */
  problems: { table: TableName, id: string, message: string }[]
}

/** Rows that must be stored together. */
type Unit = readonly string[]

/** Columns that the service sets. */
const serverColumns = ['user_id', 'organization_id', 'created_at', 'updated_at', 'import_id']

/** Limits of one request. A single unit can exceed them. */
const MAX_REQUEST = { rows: 500, characters: 200_000 }

/** Error codes that concern one row: foreign key violation, unique violation, check violation, invalid parameter. */
const rowErrors = new Set(['23503', '23505', '23514', '22023'])

const uuid = /^"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"$/

/** Returns the mapping of ids. In its original context a row keeps its id; in another context it always gets the same new id. */
function idMapping(from: string, to: string): (id: string) => string {
  if (from === to) return (id) => id
  return (id) => {
    const hex = bytesToHex(sha256(utf8ToBytes(`${to} ${id}`)))
    // a UUID of version 8 (RFC 9562)
    return `"${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}"`
  }
}

/**
 * Restores an export in the active context, with its references and complete transfers. Existing rows stay unchanged, so a second restore
 * changes nothing and an interrupted one can be repeated.
 *
 * Checks the whole file before it stores a row. Does not restore the account, plans, imports and activity.
 *
 * @param file an export by `exportMine` or by the operator's command
 * @throws ExportFileError if the file is no export, or was damaged or changed
 * @throws FinanceError without a session, or if the user's role cannot create rows
 */
export async function restoreMine(client: Client, file: Blob, { from, onProgress }: RestoreOptions = {}): Promise<Restored> {
  const { manifest, lines } = await openExport(file)
  const { user, session } = await client.auth.getSession()
  const active = session.active_organization_id
  const folder: Folder = from ?? (active === null ? 'personal' : 'organization')
  if (folder === 'organization' && manifest.organization === null) throw new ExportFileError('This export has no rows of an organization.')
  const origin = folder === 'personal' ? `user ${manifest.user.id}` : `organization ${manifest.organization!.id}`
  const idOf = idMapping(origin, active === null ? `user ${user.id}` : `organization ${active}`)

  const rowsOf = (table: TableName) => manifest.files.find(({ path }) => path === pathOf(folder, table))?.rows ?? 0
  const all = restoredTables.reduce((sum, table) => sum + rowsOf(table), 0)
  const restored: Restored = { tables: {}, problems: [] }
  let done = 0
  /** Ids in the file that rows and dashboard widgets can reference. Categories, accounts and tags are few enough for memory. */
  const referencedIds = new Set<string>()

  /** Converts a row of the file to the row of the request. A reference to a row that the file lacks becomes null. */
  const toRequestRow = (table: TableName, row: string): string => {
    const values = members(row)
    // older exports have no `starts_on`: use the month of creation
    if (table === 'budgets' && values.get('month') === 'null' && !values.has('starts_on')) {
      values.set('starts_on', (values.get('created_at') ?? 'null').replace(/^("\d{4}-\d\d).*$/, '$1-01"'))
    }
    for (const column of serverColumns) values.delete(column)
    for (const [column, value] of values) {
      const referenced = tables[table].references?.[column]
      if ((column !== 'id' && column !== 'transfer_id' && referenced === undefined) || value === 'null') continue
      if (!uuid.test(value)) throw new ExportFileError(`${pathOf(folder, table)} has an id that is none: ${value.slice(0, 50)}`)
      const exists = referenced === undefined || referenced === 'transactions' || referenced === 'tags' || referencedIds.has(value)
      values.set(column, exists ? idOf(value) : 'null')
    }
    for (const column of table === 'dashboards' ? ['layout', 'filters'] : []) {
      values.set(column, (values.get(column) ?? 'null').replace(/"[0-9a-f-]{36}"/g, (id) => (referencedIds.has(id) ? idOf(id) : id)))
    }
    return objectOf(values)
  }

  /** Stores units in one request. If the service refuses a row, halves the request until it finds that row. */
  const send = async (table: TableName, units: readonly Unit[]): Promise<void> => {
    const count = restored.tables[table]!
    const rows = units.flat()
    try {
      const inserted = await fetchText(client, `/${table}?select=${tables[table].key[0]}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', prefer: 'resolution=ignore-duplicates,return=representation' },
        body: `[${rows.map((row) => toRequestRow(table, row)).join()}]`,
      })
      const stored = (JSON.parse(inserted) as unknown[]).length
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
      if (table === 'transactions' && rows.length > 1) return send(table, rows.map((row) => [withoutTransfer(row)]))
      const { key } = tables[table]
      restored.problems.push(...rows.map((row) => ({ table, id: JSON.parse(members(row).get(key.at(-1)!) ?? '""') as string, message: error.message })))
    }
    done += rows.length
    onProgress?.(done, all)
  }

  for (const table of restoredTables) {
    if (rowsOf(table) === 0) continue
    restored.tables[table] = { stored: 0, present: 0 }
    let units: Unit[] = []
    let size = { rows: 0, characters: 0 }
    for await (const unit of unitsOf(table, lines(pathOf(folder, table)))) {
      const length = unit.reduce((sum, row) => sum + row.length, 0)
      if (units.length > 0 && (size.rows + unit.length > MAX_REQUEST.rows || size.characters + length > MAX_REQUEST.characters)) {
        await send(table, units)
        units = []
        size = { rows: 0, characters: 0 }
      }
      units.push(unit)
      size.rows += unit.length
      size.characters += length
      if (['categories', 'accounts', 'tags'].includes(table)) { for (const row of unit) referencedIds.add(members(row).get('id') ?? '') }
    }
    if (units.length > 0) await send(table, units)
  }
  return restored
}

const withoutTransfer = (row: string) => objectOf(members(row).set('transfer_id', 'null'))

/** Groups rows into units: both halves of a transfer, and all line items of a transaction, because their sum must fit it. */
async function* unitsOf(table: TableName, rows: AsyncIterable<string>): AsyncGenerator<Unit> {
  if (table === 'line_items') {
    let items: string[] = []
    let current: string | undefined
    for await (const row of rows) {
      const transaction = members(row).get('transaction_id')
      if (transaction !== current && items.length > 0) {
        yield items
        items = []
      }
      current = transaction
      items.push(row)
    }
    if (items.length > 0) yield items
  } else if (table === 'transactions') {
    const halves = new Map<string, string>()
    for await (const row of rows) {
      const transfer = members(row).get('transfer_id') ?? 'null'
      const other = halves.get(transfer)
      if (transfer === 'null') yield [row]
      else if (other === undefined) halves.set(transfer, row)
      else {
        halves.delete(transfer)
        yield [other, row]
      }
    }
    for (const row of halves.values()) yield [withoutTransfer(row)]
  } else {
    for await (const row of rows) yield [row]
  }
}

/** An export's rows are stored again, in whichever context is active. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { TableName } from '../database.ts'
import { FinanceError } from '../errors.ts'
import type { Client } from '../index.ts'
import { ExportFileError, type Folder, pathOf, restoredTables, tables } from './format.ts'
import { members, objectOf } from './json.ts'
import { ask } from './mine.ts'
import { openExport } from './read.ts'

export type RestoreOptions = {
  /** Which rows of the file; those of the kind of the active context unless told. */
  from?: 'personal' | 'organization'
  /** Told after each request how many rows the file has, and how many of them are done. */
  onProgress?: (done: number, rows: number) => void
}

export type Restored = {
  /** Of each table, how many rows were stored now, and how many were there already. */
  tables: Partial<Record<TableName, { stored: number, present: number }>>
  /** Rows that could not be stored, by the id that they have in the file, in sentences for people. */
  problems: { table: TableName, id: string, message: string }[]
}

/** Rows that are stored together or not at all. */
type Unit = readonly string[]

/** The service fills these, from who stores the row, when, and how. */
const filled = ['user_id', 'organization_id', 'created_at', 'updated_at', 'import_id']

/** A request has so many rows and characters; one row alone may have more. */
const AT_ONCE = { rows: 500, characters: 200_000 }

/** What the context says of a single row: what it refers to is not there, it is there under another id, or a value is refused. */
const ofOneRow = new Set(['23503', '23505', '23514', '22023'])

const uuid = /^"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"$/

/** In the context that a row comes from it has the id that it had; in each other one always the same. */
function idsOf(from: string, to: string): (id: string) => string {
  if (from === to) return (id) => id
  return (id) => {
    const hex = bytesToHex(sha256(utf8ToBytes(`${to} ${id}`)))
    // as RFC 9562 has ids of one's own making
    return `"${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}"`
  }
}

/**
 * Stores what an export has in the context that is active: rows with what they refer to, and transfers whole. What is there already stays as
 * it is, so that a second time changes nothing and one that broke off is begun again.
 *
 * All of the file is looked at before anything is stored. Accounts of the service, its plans, imports and the activity are read and not
 * stored.
 *
 * @param file as `exportMine` or the operator's command has written it
 * @throws ExportFileError if it is no export or not as it was written
 * @throws FinanceError without a session, or when the role may not create rows
 */
export async function restoreMine(client: Client, file: Blob, { from, onProgress }: RestoreOptions = {}): Promise<Restored> {
  const { manifest, lines } = await openExport(file)
  const { user, session } = await client.auth.getSession()
  const active = session.active_organization_id
  const folder: Folder = from ?? (active === null ? 'personal' : 'organization')
  if (folder === 'organization' && manifest.organization === null) throw new ExportFileError('This export has no rows of an organization.')
  const origin = folder === 'personal' ? `user ${manifest.user.id}` : `organization ${manifest.organization!.id}`
  const idOf = idsOf(origin, active === null ? `user ${user.id}` : `organization ${active}`)

  const rowsOf = (table: TableName) => manifest.files.find(({ path }) => path === pathOf(folder, table))?.rows ?? 0
  const all = restoredTables.reduce((sum, table) => sum + rowsOf(table), 0)
  const restored: Restored = { tables: {}, problems: [] }
  let done = 0
  /** What rows refer to and a dashboard's widgets name: categories, accounts and tags are few. */
  const known = new Set<string>()

  /** A row as it is sent. A reference that the file has not is none. */
  const translated = (table: TableName, row: string): string => {
    const values = members(row)
    // a file of before budgets had a beginning of their own says it by the month in which the row was created
    if (table === 'budgets' && values.get('month') === 'null' && !values.has('starts_on')) {
      values.set('starts_on', (values.get('created_at') ?? 'null').replace(/^("\d{4}-\d\d).*$/, '$1-01"'))
    }
    for (const column of filled) values.delete(column)
    for (const [column, value] of values) {
      const referred = tables[table].references?.[column]
      if ((column !== 'id' && column !== 'transfer_id' && referred === undefined) || value === 'null') continue
      if (!uuid.test(value)) throw new ExportFileError(`${pathOf(folder, table)} has an id that is none: ${value.slice(0, 50)}`)
      const isThere = referred === undefined || referred === 'transactions' || referred === 'tags' || known.has(value)
      values.set(column, isThere ? idOf(value) : 'null')
    }
    for (const column of table === 'dashboards' ? ['layout', 'filters'] : []) {
      values.set(column, (values.get(column) ?? 'null').replace(/"[0-9a-f-]{36}"/g, (id) => (known.has(id) ? idOf(id) : id)))
    }
    return objectOf(values)
  }

  /** Sends units, and where one of them is refused, finds out which. */
  const send = async (table: TableName, units: readonly Unit[]): Promise<void> => {
    const count = restored.tables[table]!
    const rows = units.flat()
    try {
      const answer = await ask(client, `/${table}?select=${tables[table].key[0]}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', prefer: 'resolution=ignore-duplicates,return=representation' },
        body: `[${rows.map((row) => translated(table, row)).join()}]`,
      })
      const now = (JSON.parse(answer) as unknown[]).length
      count.stored += now
      count.present += rows.length - now
    } catch (error) {
      if (!(error instanceof FinanceError) || !ofOneRow.has(error.code)) throw error
      if (units.length > 1) {
        const middle = units.length >> 1
        await send(table, units.slice(0, middle))
        return send(table, units.slice(middle))
      }
      // a transfer that is none any more, such as one of which an account was deleted
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
      if (units.length > 0 && (size.rows + unit.length > AT_ONCE.rows || size.characters + length > AT_ONCE.characters)) {
        await send(table, units)
        units = []
        size = { rows: 0, characters: 0 }
      }
      units.push(unit)
      size.rows += unit.length
      size.characters += length
      if (['categories', 'accounts', 'tags'].includes(table)) { for (const row of unit) known.add(members(row).get('id') ?? '') }
    }
    if (units.length > 0) await send(table, units)
  }
  return restored
}

const withoutTransfer = (row: string) => objectOf(members(row).set('transfer_id', 'null'))

/** Both halves of a transfer are a unit, and the line items of a transaction, because together they have to fit it; else each row is. */
async function* unitsOf(table: TableName, rows: AsyncIterable<string>): AsyncGenerator<Unit> {
  if (table === 'line_items') {
    let items: string[] = []
    let of: string | undefined
    for await (const row of rows) {
      const transaction = members(row).get('transaction_id')
      if (transaction !== of && items.length > 0) {
        yield items
        items = []
      }
      of = transaction
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

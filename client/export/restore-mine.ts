/** `restoreMine`: stores the rows of an export in the active context. */
import type { TableName } from '../database.ts'
import type { Client } from '../index.ts'
import { ExportFileError, type Folder, pathOf, restoredTables, tables } from './format.ts'
import { members, objectOf } from './raw-json.ts'
import { restoreFiles } from './restore-files.ts'
import { openExport } from './archive-reader.ts'
import { fetchText } from './export-mine.ts'
import { formerIncome } from './former-kinds.ts'
import { formerExpenses, withSign } from './former-signs.ts'
import { type Restored, rowStore, type Unit, uuidOf, withoutTransfer } from './row-store.ts'

export type RestoreOptions = {
  /** The rows to restore. Default: those of the same kind as the active context */
  from?: 'personal' | 'organization'
  /**
   * Called after each request and each uploaded file, with the number of processed rows and of all
   * rows.
   */
  onProgress?: (done: number, rows: number) => void
}

/** Columns that the service sets. */
const serverColumns = [
  'user_id',
  'organization_id',
  'tenant',
  'created_at',
  'updated_at',
  'import_id',
]

/** Columns whose JSON contains ids of other rows. */
const columnsWithIds: Partial<Record<TableName, readonly string[]>> = {
  dashboards: ['layout', 'filters'],
  rules: ['conditions', 'add_tags'],
}

const uuid = /^"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"$/

/**
 * Returns the mapping of ids. In its original context a row keeps its id; in another context it
 * always gets the same new id.
 */
function idMapping(from: string, to: string): (id: string) => string {
  if (from === to) return (id) => id
  return (id) => uuidOf(`${to} ${id}`)
}

/**
 * Restores an export in the active context, with its references and complete transfers. Existing
 * rows stay unchanged, so a second restore changes nothing and an interrupted one can be repeated.
 *
 * Uploads the files of attachments again; equal ones that a transaction already has are not sent.
 * Checks the whole file before it stores a row. Does not restore the account, plans, imports and
 * activity.
 *
 * @param file an export by `exportMine` or by the operator's command
 * @throws ExportFileError if the file is no export, or was damaged or changed
 * @throws FinanceError without a session, or if the user's role cannot create rows
 */
export async function restoreMine(
  client: Client,
  file: Blob,
  { from, onProgress }: RestoreOptions = {},
): Promise<Restored> {
  const exported = await openExport(file)
  const { manifest, lines } = exported
  const { user, session } = await client.auth.getSession()
  const active = session.active_organization_id
  const folder: Folder = from ?? (active === null ? 'personal' : 'organization')
  if (folder === 'organization' && manifest.organization === null)
    throw new ExportFileError('This export has no rows of an organization.')
  const origin = folder === 'personal'
    ? `user ${manifest.user.id}`
    : `organization ${manifest.organization!.id}`
  const idOf = idMapping(origin, active === null ? `user ${user.id}` : `organization ${active}`)

  const rowsOf = (table: TableName) => {
    const listed = manifest.files.find(({ path }) => path === pathOf(folder, table))
    return listed !== undefined && 'rows' in listed ? listed.rows : 0
  }
  const all = restoredTables.reduce((sum, table) => sum + rowsOf(table), 0)
  const restored: Restored = { tables: {}, problems: [] }
  let done = 0
  /**
   * Ids in the file that rows and dashboard widgets can reference. Categories, accounts,
   * subscriptions and tags are few enough for memory.
   */
  const referencedIds = new Set<string>()

  /**
   * Ids of accounts in the context, with the last closed day of each. It is restored after the
   * transactions, which it would refuse.
   */
  const closedUntil = new Map<string, string>()

  const income = await formerIncome((path) => lines(path), folder)
  const expenses = manifest.signed_line_items === true
    ? undefined
    : await formerExpenses((path) => lines(path), folder)

  /**
   * Converts a row of the file to the row of the request. A reference to a row that the file lacks
   * becomes null.
   */
  const toRequestRow = (table: TableName, row: string): string => {
    const values = members(row)
    // older exports have no `starts_on`: use the month of creation
    if (table === 'budgets' && !values.has('starts_on')) {
      const month = (values.get('created_at') ?? 'null').replace(/^("\d{4}-\d\d).*$/, '$1-01"')
      values.set('starts_on', values.get('month') === 'null' ? month : 'null')
    }
    if (table === 'categories' && !values.has('kind'))
      values.set('kind', income.has(values.get('id') ?? '') ? '"income"' : '"expense"')
    if (table === 'line_items' && expenses !== undefined) {
      values.set(
        'amount',
        withSign(values.get('amount') ?? '0', expenses.has(values.get('transaction_id') ?? '')),
      )
    }
    // older exports have an income as a negative cost
    if (table === 'subscriptions' && !values.has('kind')) {
      const amount = values.get('amount') ?? '0'
      values.set('kind', amount.startsWith('-') ? '"income"' : '"expense"').set(
        'amount',
        withSign(amount, false),
      )
    }
    // older exports mark the transaction of a recorded day only in its `external_id`
    if (table === 'transactions' && !values.has('subscription_id')) {
      const [, subscription, day] = recordedDay.exec(values.get('external_id') ?? '') ?? []
      const isRecorded = subscription !== undefined && referencedIds.has(`"${subscription}"`)
      // the rows of a request have the same columns
      values.set('subscription_id', isRecorded ? `"${subscription}"` : 'null').set(
        'due_on',
        isRecorded ? `"${day}"` : 'null',
      )
    }
    for (const column of serverColumns) values.delete(column)
    const closed = values.get('closed_until') ?? 'null'
    if (table === 'accounts') {
      if (closed !== 'null') closedUntil.set(idOf(values.get('id') ?? ''), closed)
      values.delete('closed_until')
    }
    for (const [column, value] of values) {
      const referenced = tables[table].references?.[column]
      if (
        (column !== 'id' && column !== 'transfer_id' && referenced === undefined) ||
        value === 'null'
      ) continue
      if (!uuid.test(value))
        throw new ExportFileError(
          `${pathOf(folder, table)} has an id that is none: ${value.slice(0, 50)}`,
        )
      const exists = referenced === undefined || referenced === 'transactions' ||
        referenced === 'tags' || referencedIds.has(value)
      values.set(column, exists ? idOf(value) : 'null')
    }
    for (const column of columnsWithIds[table] ?? []) {
      values.set(
        column,
        (values.get(column) ?? 'null').replace(
          /"[0-9a-f-]{36}"/g,
          (id) => (referencedIds.has(id) ? idOf(id) : id),
        ),
      )
    }
    return objectOf(values)
  }

  const onRows = (rows: number) => {
    done += rows
    onProgress?.(done, all)
  }
  const store = rowStore(client, restored, toRequestRow, onRows)

  for (const table of restoredTables) {
    if (table === 'closings') {
      for (const [id, day] of closedUntil) {
        await fetchText(
          client,
          `/accounts?id=eq.${JSON.parse(id) as string}&closed_until=is.null`,
          {
            method: 'PATCH',
            headers: { 'content-type': 'application/json', prefer: 'return=minimal' },
            body: `{"closed_until":${day}}`,
          },
        )
      }
    }
    if (rowsOf(table) === 0) continue
    if (table === 'attachments') {
      await restoreFiles(client, exported, folder, restored, toRequestRow, onRows)
      continue
    }
    await store(table, unitsOf(table, lines(pathOf(folder, table))), (unit) => {
      if (['categories', 'accounts', 'subscriptions', 'tags'].includes(table)) {
        for (const row of unit)
          referencedIds.add(members(row).get('id') ?? '')
      }
    })
  }
  return restored
}

const recordedDay = /^"([0-9a-f-]{36}):(\d{4}-\d\d-\d\d)"$/

/**
 * Groups rows into units: both halves of a transfer, and all line items of a transaction, because
 * their sum must fit it. Categories with a parent come after those without one.
 */
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
      const values = members(row)
      const transfer = values.get('transfer_id') ?? 'null'
      const other = halves.get(transfer)
      // a transfer without another half has the id of its transaction
      if (transfer === 'null' || transfer === values.get('id')) yield [row]
      else if (other === undefined) halves.set(transfer, row)
      else {
        halves.delete(transfer)
        yield [other, row]
      }
    }
    for (const row of halves.values()) yield [withoutTransfer(row)]
  } else if (table === 'categories') {
    const children: string[] = []
    for await (const row of rows) {
      if ((members(row).get('parent_id') ?? 'null') === 'null') yield [row]
      else children.push(row)
    }
    for (const row of children) yield [row]
  } else {
    for await (const row of rows) yield [row]
  }
}

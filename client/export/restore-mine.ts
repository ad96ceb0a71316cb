/** `restoreMine`: stores the rows of an export in the active context. */
import type { TableName } from '../database.ts'
import type { Client } from '../index.ts'
import { type ExportFile, openExport } from './archive-reader.ts'
import { fetchText } from './export-mine.ts'
import { ExportFileError, type Folder, pathOf, restoredTables } from './format.ts'
import { formerIncome } from './former-kinds.ts'
import { formerExpenses } from './former-signs.ts'
import { members } from './raw-json.ts'
import { type Conversion, requestRow } from './request-row.ts'
import { restoreFiles } from './restore-files.ts'
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

/**
 * Returns the mapping of ids. In its original context a row keeps its id; in another context it
 * always gets the same new id.
 */
function idMapping(from: string, to: string): (id: string) => string {
  if (from === to) return (id) => id
  return (id) => uuidOf(`${to} ${id}`)
}

/** Returns the conversion of a folder's rows for the active context. */
async function conversionOf(
  { manifest, lines }: ExportFile,
  folder: Folder,
  context: string,
): Promise<Conversion> {
  const origin = folder === 'personal'
    ? `user ${manifest.user.id}`
    : `organization ${manifest.organization!.id}`
  return {
    folder,
    idOf: idMapping(origin, context),
    referencedIds: new Set(),
    closedUntil: new Map(),
    income: await formerIncome(lines, folder),
    expenses: manifest.signed_line_items === true ? undefined : await formerExpenses(lines, folder),
  }
}

/** Closes the days of accounts that have no closed day in the context. */
async function closeDays(client: Client, closedUntil: ReadonlyMap<string, string>): Promise<void> {
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
    throw new ExportFileError('This export has no team data.')
  const context = active === null ? `user ${user.id}` : `organization ${active}`

  const rowsOf = (table: TableName) => {
    const listed = manifest.files.find(({ path }) => path === pathOf(folder, table))
    return listed !== undefined && 'rows' in listed ? listed.rows : 0
  }
  const all = restoredTables.reduce((sum, table) => sum + rowsOf(table), 0)
  const restored: Restored = { tables: {}, problems: [] }
  let done = 0
  const onRows = (rows: number) => {
    done += rows
    onProgress?.(done, all)
  }
  const conversion = await conversionOf(exported, folder, context)
  const toRequestRow = (table: TableName, row: string) => requestRow(table, row, conversion)
  const store = rowStore(client, restored, toRequestRow, onRows)

  for (const table of restoredTables) {
    if (table === 'closings') await closeDays(client, conversion.closedUntil)
    if (rowsOf(table) === 0) continue
    if (table === 'attachments') {
      await restoreFiles(client, exported, folder, restored, toRequestRow, onRows)
      continue
    }
    await store(table, unitsOf(table, lines(pathOf(folder, table))), (unit) => {
      if (!['categories', 'accounts', 'subscriptions', 'tags'].includes(table)) return
      for (const row of unit) conversion.referencedIds.add(members(row).get('id') ?? '')
    })
  }
  return restored
}

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

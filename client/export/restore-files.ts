/** Uploads the files of an export again, as attachments of the restored transactions. */
import type { Row, TableName } from '../database.ts'
import { FinanceError } from '../errors.ts'
import type { Client } from '../index.ts'
import type { ExportFile } from './archive-reader.ts'
import { fetchPages } from './export-mine.ts'
import { type Folder, pathOf } from './format.ts'
import type { Restored } from './row-store.ts'

/** Number of attachments per request for the existing ones. Their ids must fit into an address. */
const BATCH = 50

/**
 * Statuses that concern one file: invalid name, missing transaction, limit of space, type that the
 * service does not accept.
 */
const fileRejections = new Set([400, 404, 413, 415])

type Attachment = { idInFile: string, row: Row<'attachments'> }

const keyOf = (
  { transaction_id: transaction, sha256 }: Pick<Row<'attachments'>, 'transaction_id' | 'sha256'>,
) => `${transaction} ${sha256}`

/** Returns the keys of attachments that their transactions already have. */
async function presentKeys(
  client: Client,
  attachments: readonly Attachment[],
): Promise<Set<string>> {
  const transactions = new Set(attachments.map(({ row }) => row.transaction_id))
  const keys = new Set<string>()
  const filter = `select=id,transaction_id,sha256&status=eq.ready&transaction_id=in.(${
    [...transactions].join()
  })`
  for await (const page of fetchPages(client, 'attachments', filter))
    for (const row of page) keys.add(keyOf(JSON.parse(row) as Row<'attachments'>))
  return keys
}

async function* batchesOf(rows: AsyncIterable<Attachment>): AsyncGenerator<Attachment[]> {
  let batch: Attachment[] = []
  for await (const row of rows) {
    batch.push(row)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/**
 * Restores the attachments of an export. Memory holds one file at a time. A file that the service
 * refuses becomes a problem.
 *
 * @param restored receives the counts and the problems
 * @param toRequestRow converts a row to the ids of the target
 * @param onRows called after each attachment with 1
 * @throws FinanceError
 */
export async function restoreFiles(
  client: Client,
  exported: ExportFile,
  folder: Folder,
  restored: Restored,
  toRequestRow: (table: TableName, row: string) => string,
  onRows: (rows: number) => void,
): Promise<void> {
  const count = { stored: 0, present: 0 }
  restored.tables.attachments = count

  const attachments = async function*(): AsyncGenerator<Attachment> {
    for await (const line of exported.lines(pathOf(folder, 'attachments'))) {
      const { id, status } = JSON.parse(line) as Row<'attachments'>
      // the file of a pending attachment was not uploaded yet
      if (status === 'ready')
        yield {
          idInFile: id,
          row: JSON.parse(toRequestRow('attachments', line)) as Row<'attachments'>,
        }
      else onRows(1)
    }
  }
  /** @returns the reason why the file could not be stored */
  const upload = async (
    { transaction_id: transaction, sha256, name, note }: Row<'attachments'>,
  ): Promise<string | undefined> => {
    const file = await exported.file(sha256)
    if (file === undefined) return 'The export does not contain this file.'
    try {
      await client.attach(transaction, file, {
        name,
        shrink: false,
        ...(note !== null && { note }),
      })
      return undefined
    } catch (error) {
      if (error instanceof FinanceError && fileRejections.has(error.status)) return error.message
      throw error
    }
  }

  for await (const batch of batchesOf(attachments())) {
    const present = await presentKeys(client, batch)
    for (const { idInFile, row } of batch) {
      if (present.has(keyOf(row))) count.present += 1
      else {
        const problem = await upload(row)
        if (problem === undefined) count.stored += 1
        else restored.problems.push({ table: 'attachments', id: idInFile, message: problem })
      }
      onRows(1)
    }
  }
}

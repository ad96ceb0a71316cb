/** Imports of bank files: preview, import, revert. */
import { queryOptions } from '@tanstack/react-query'
import { type Reply, type Row, unwrap } from 'finance-client'
import { inParts, type StatementRow } from 'finance-client/import'
import { type Context, finance, within } from './client.ts'
import { imports as m } from '../messages/en.ts'

/** Keeps a request below 2 MiB. */
const rowsAtOnce = 2_000

export type Verdict = 'new' | 'updated' | 'duplicate' | 'changed' | 'invalid'

/** Whether an import stores the row. */
export const isStored = ({ verdict }: Judged) => verdict === 'new' || verdict === 'updated'

/** Rows of one account of a file, with their destination. `currency` is the default of rows without one. */
export type Portion = { source: string, accountId: string | null, currency: string, rows: StatementRow[] }

export type Judged = { row: StatementRow, currency: string, verdict: Verdict, reason: string | null }

type Progress = (done: number, of: number) => void

type Send = { rows: StatementRow[], portion: Portion, fileName: string, isDry: boolean }

const send = ({ rows, portion, fileName, isDry }: Send): Promise<Reply<'import_transactions'>> =>
  unwrap(
    finance.data.rpc('import_transactions', {
      // an account determines the currency
      p_rows: portion.accountId === null ? rows.map((row) => ({ currency: portion.currency, ...row })) : rows,
      p_source: portion.source,
      p_account_id: portion.accountId,
      p_file_name: fileName.slice(0, 255),
      p_dry_run: isDry,
    }),
  )

/** Sends portions in batches, one after the other, because a batch is compared with the former ones. */
async function sendAll(portions: Portion[], fileName: string, isDry: boolean, onProgress: Progress): Promise<Judged[]> {
  const parts = portions.flatMap((portion) => inParts(portion.rows, rowsAtOnce).map((rows) => ({ portion, rows })))
  const judged: Judged[] = []
  for (const [done, { portion, rows }] of parts.entries()) {
    onProgress(done, parts.length)
    // a number distinguishes the imports of a long file
    const name = parts.length === 1 ? fileName : m.of(fileName.slice(0, 230), done + 1, parts.length)
    const verdicts = await send({ rows, portion, fileName: name, isDry })
    for (const { row_number, verdict, reason } of verdicts) {
      const row = rows[row_number - 1]
      if (row !== undefined) judged.push({ row, currency: row.currency ?? portion.currency, verdict: verdict as Verdict, reason })
    }
  }
  onProgress(parts.length, parts.length)
  return judged
}

/**
 * A preview: the verdict of each row. Stores nothing.
 * @param key the user's choices
 */
export const verdictsQuery = (context: Context, key: readonly unknown[], portions: Portion[], fileName: string, onProgress: Progress) =>
  queryOptions({
    queryKey: [context.key, 'verdicts', ...key],
    queryFn: () => sendAll(portions, fileName, true, onProgress),
    gcTime: 0,
    refetchOnWindowFocus: false,
  })

type Order = { portions: Portion[], fileName: string, onProgress: Progress }

/** Stores new and updated rows. @returns their number */
export async function importAll(_: Context, { portions, fileName, onProgress }: Order): Promise<number> {
  const judged = await sendAll(portions, fileName, false, onProgress)
  return judged.filter(isStored).length
}

export type Import = Pick<Row<'imports'>, 'id' | 'source' | 'file_name' | 'row_count' | 'created_at'> & { account: { name: string } | null }

export const importsQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'imports'],
    queryFn: ({ signal }): Promise<Import[]> =>
      unwrap(
        within(context, finance.data.from('imports').select('id,source,file_name,row_count,created_at,account:accounts(name)'))
          .order('created_at', { ascending: false }).order('id').limit(100).abortSignal(signal),
      ),
  })

/** Deletes an import with its transactions and reverts its updates. @throws FinanceError 409 if a transaction was changed since */
export const revertImport = async (_: Context, { id }: Import): Promise<void> => {
  await unwrap(finance.data.from('imports').delete().eq('id', id))
}

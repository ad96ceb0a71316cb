/** Imports of bank files: preview, import, revert. */
import { queryOptions } from '@tanstack/react-query'
import { type Reply, type Row, unwrap } from 'finance-client'
import { inParts, type StatementRow } from 'finance-client/import'
import { type Context, finance, within } from './client.ts'
import { imports as m } from '../messages/imports.ts'

/** Keeps a request below 2 MiB. */
const rowsAtOnce = 2_000

export type Verdict =
  | 'new'
  | 'updated'
  | 'matched'
  | 'transfer'
  | 'duplicate'
  | 'changed'
  | 'deleted'
  | 'invalid'

/** Whether an import stores the row. */
export const isStored = ({ verdict }: Judged) =>
  ['new', 'updated', 'matched', 'transfer'].includes(verdict)

/**
 * Rows of one account of a file, with their destination. `currency` is the default of rows without
 * one, `balance` that of the statement.
 */
export type Portion = {
  source: string
  accountId: string | null
  currency: string
  rows: StatementRow[]
  balance: { amount: number, on: string } | null
}

/**
 * A row with its verdict. `because` names the rule that changes the row, and the reason of the
 * suggested category.
 */
export type Judged = {
  row: StatementRow
  currency: string
  verdict: Verdict
  reason: string | null
  suggestedId: string | null
  because: string | null
}

/** The user's choices about rows and transactions that are there already. */
export type ImportOptions = { match: boolean, linkTransfers: boolean, again: boolean }

export const usualOptions: ImportOptions = { match: true, linkTransfers: true, again: false }

/** Categories by row, which the user has accepted. */
type Accepted = ReadonlyMap<StatementRow, string>

type Progress = (done: number, of: number) => void

type Order = {
  portions: Portion[]
  fileName: string
  options: ImportOptions
  accepted: Accepted
  onProgress: Progress
}

type Send = Omit<Order, 'portions' | 'onProgress'> & {
  rows: StatementRow[]
  portion: Portion
  isDry: boolean
  isLast: boolean
}

const send = (
  { rows, portion, fileName, options, accepted, isDry, isLast }: Send,
): Promise<Reply<'import_transactions'>> =>
  unwrap(
    finance.data.rpc('import_transactions', {
      p_rows: rows.map((row) => ({
        // an account determines the currency
        ...(portion.accountId === null && { currency: portion.currency }),
        ...row,
        ...(accepted.has(row) && { category_id: accepted.get(row) ?? null }),
      })),
      p_source: portion.source,
      p_account_id: portion.accountId,
      p_file_name: fileName.slice(0, 255),
      p_match: options.match,
      p_link_transfers: options.linkTransfers,
      p_again: options.again,
      p_dry_run: isDry,
      ...isLast && portion.balance !== null &&
        { p_balance: portion.balance.amount, p_balance_on: portion.balance.on },
    }),
  )

/**
 * Sends portions in batches, one after the other, because a batch is compared with the former ones.
 */
async function sendAll(
  { portions, fileName, onProgress, ...order }: Order & { isDry: boolean },
): Promise<Judged[]> {
  // a statement without rows can have a balance
  const parts = portions.filter(({ rows, balance }) => rows.length > 0 || balance !== null)
    .flatMap((portion) => inParts(portion.rows, rowsAtOnce).map((rows) => ({ portion, rows })))
  const judged: Judged[] = []
  for (const [done, { portion, rows }] of parts.entries()) {
    onProgress(done, parts.length)
    // a number distinguishes the imports of a long file
    const name = parts.length === 1
      ? fileName
      : m.portion(fileName.slice(0, 230), done + 1, parts.length)
    const verdicts = await send({
      rows,
      portion,
      fileName: name,
      isLast: parts[done + 1]?.portion !== portion,
      ...order,
    })
    for (
      const { row_number, verdict, reason, suggested_category_id: suggestedId, because } of verdicts
    ) {
      const row = rows[row_number - 1]
      if (row !== undefined)
        judged.push({
          row,
          currency: row.currency ?? portion.currency,
          verdict: verdict as Verdict,
          reason,
          suggestedId,
          because,
        })
    }
  }
  onProgress(parts.length, parts.length)
  return judged
}

/**
 * A preview: the verdict of each row. Stores nothing.
 * @param key the user's choices
 */
export const verdictsQuery = (
  context: Context,
  key: readonly unknown[],
  order: Omit<Order, 'accepted'>,
) =>
  queryOptions({
    queryKey: [context.key, 'verdicts', ...key, order.options],
    queryFn: () => sendAll({ ...order, accepted: new Map(), isDry: true }),
    gcTime: 0,
    refetchOnWindowFocus: false,
  })

/** Stores the rows of an import, with the accepted categories. @returns their number */
export async function importAll(_: Context, order: Order): Promise<number> {
  const judged = await sendAll({ ...order, isDry: false })
  return judged.filter(isStored).length
}

export type Import =
  & Pick<Row<'imports'>, 'id' | 'source' | 'file_name' | 'row_count' | 'created_at'>
  & { account: { name: string } | null }

export const importsQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'imports'],
    queryFn: ({ signal }): Promise<Import[]> =>
      unwrap(
        within(
          context,
          finance.data.from('imports').select(
            'id,source,file_name,row_count,created_at,account:accounts(name)',
          ),
        )
          .order('created_at', { ascending: false }).order('id').limit(100).abortSignal(signal),
      ),
  })

/**
 * Deletes an import with its transactions and reverts its updates. @throws FinanceError 409 if a
 * transaction was changed since
 */
export const revertImport = async (_: Context, { id }: Import): Promise<void> => {
  await unwrap(finance.data.from('imports').delete().eq('id', id))
}

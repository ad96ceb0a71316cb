/** Receipts and other files of transactions, and the space that is left for them. */
import { queryOptions } from '@tanstack/react-query'
import { type Row, type RowChange, unwrap } from 'finance-client'
import { type Context, finance, stored } from './client.ts'
import { queries } from './queries.ts'
import { cachedList } from './transactions/pages.ts'

export type Attachment = Row<'attachments'>

/** The uploaded files of a transaction, the oldest first. */
export const attachmentsQuery = (context: Context, transactionId: string) =>
  queryOptions({
    queryKey: [context.key, 'attachments', transactionId],
    queryFn: ({ signal }): Promise<Attachment[]> =>
      unwrap(
        finance.data.from('attachments').select().eq('transaction_id', transactionId).eq(
          'status',
          'ready',
        ).order('created_at').order('id').abortSignal(signal),
      ),
  })

/** The space in the personal context and in the active team. */
export const fileSpaceQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'file space'],
    queryFn: ({ signal }) => unwrap(finance.data.rpc('get_file_space').abortSignal(signal)),
  })

/**
 * The address of a file, for an image. It expires after a minute, so each later use reads a new
 * one.
 */
export const fileUrlQuery = (context: Context, id: string) =>
  queryOptions({
    queryKey: [context.key, 'file address', id],
    queryFn: async () => (await finance.fileUrl(id)).url,
    staleTime: 40_000,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })

/** Reads a file. */
export const readFile = (id: string): Promise<Blob> => finance.readFile(id)

/** Changes the name or the note of a file. */
export const changeAttachment = (
  _: Context,
  { id, values }: { id: string, values: RowChange<'attachments'> },
) => stored(finance.data.from('attachments').update(values).eq('id', id).select())

export const deleteAttachment = async (_: Context, { id }: Attachment): Promise<void> => {
  await unwrap(finance.data.from('attachments').delete().eq('id', id))
}

/**
 * Reads the files of a transaction and the space again, and updates the number of files in the list
 * without reading its pages.
 */
export async function refreshAttachments(context: Context, transactionId: string): Promise<void> {
  const query = attachmentsQuery(context, transactionId)
  await queries.cancelQueries({ queryKey: query.queryKey })
  const rows = await queries.fetchQuery({ ...query, staleTime: 0 })
  await cachedList(queries, context).change(transactionId, {
    attachments: rows.map(({ id, status }) => ({ id, status })),
  })
  await Promise.all([
    queries.invalidateQueries({ queryKey: fileSpaceQuery(context).queryKey }),
    queries.invalidateQueries({ queryKey: [context.key, 'activity'] }),
  ])
}

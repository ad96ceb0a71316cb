/** The open rows, which the inbox sorts: without a category, neither split nor a transfer. */
import { queryOptions } from '@tanstack/react-query'
import { unwrap } from 'finance-client'
import { type Context, finance, withinOf } from './client.ts'

/** The maximum number of rows in the inbox. */
export const openAtOnce = 1_000

/** The methods of postgrest-js that narrow a query to open rows. */
type Narrowable = {
  eq: (column: 'organization_id' | 'user_id', value: string) => unknown
  is: (column: 'organization_id' | 'category_id' | 'transfer_id', value: null) => unknown
  neq: (column: 'status', value: 'failed') => unknown
}

/**
 * Narrows a query of transactions to the open rows of a context. Split rows stay: `isWhole` leaves
 * them out.
 */
export function onlyOpen<Query extends Narrowable>(
  context: Context,
  userId: string,
  query: Query,
): Query {
  const rows = withinOf(context, userId, query)
  rows.is('category_id', null)
  rows.is('transfer_id', null)
  rows.neq('status', 'failed')
  return rows
}

export const isWhole = ({ line_items: items }: { line_items: readonly unknown[] }): boolean =>
  items.length === 0

export const inboxCountQuery = (context: Context, userId: string) =>
  queryOptions({
    queryKey: [context.key, 'inbox', 'count'],
    queryFn: async ({ signal }): Promise<number> => {
      const open = onlyOpen(
        context,
        userId,
        finance.data.from('transactions').select('id,line_items(id)'),
      )
      return (await unwrap(open.limit(openAtOnce).abortSignal(signal))).filter(isWhole).length
    },
  })

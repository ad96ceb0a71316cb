/** The number of rows in the inbox. */
import { queryOptions } from '@tanstack/react-query'
import { unwrap } from 'finance-client'
import { type Context, finance, within } from './client.ts'

/** The maximum number of rows in the inbox. */
const maximum = 1_000

export const inboxCountQuery = (context: Context, userId: string) =>
  queryOptions({
    queryKey: [context.key, 'inbox', 'count'],
    queryFn: async ({ signal }): Promise<number> => {
      const all = within(context, finance.data.from('transactions').select('id,line_items(id)'))
      const rows = (context.id === null ? all.eq('user_id', userId) : all).is('category_id', null).is('transfer_id', null).neq('status', 'failed')
      return (await unwrap(rows.limit(maximum).abortSignal(signal))).filter(({ line_items: items }) => items.length === 0).length
    },
  })

import { queryOptions } from '@tanstack/react-query'
import { unwrap } from 'finance-client'
import { type Context, finance, within } from '../client.ts'
import { markedIds } from './mark.ts'

/** Whether a context has example books, or could have them because it has no rows of its own. */
export const examplesQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'examples'],
    queryFn: async ({ signal }): Promise<'there' | 'possible' | 'impossible'> => {
      const { data } = finance
      const [examples, transactions, accounts, categories] = await Promise.all([
        unwrap(
          within(context, data.from('transactions').select('id')).gte('id', markedIds.first).lte(
            'id',
            markedIds.last,
          ).limit(1).abortSignal(signal),
        ),
        unwrap(
          within(context, data.from('transactions').select('id')).limit(1).abortSignal(signal),
        ),
        unwrap(within(context, data.from('accounts').select('id')).limit(1).abortSignal(signal)),
        unwrap(within(context, data.from('categories').select('id')).limit(1).abortSignal(signal)),
      ])
      if (examples.length > 0) return 'there'
      return [transactions, accounts, categories].every(({ length }) => length === 0)
        ? 'possible'
        : 'impossible'
    },
  })

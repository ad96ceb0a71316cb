/** Bank accounts, cards and cash. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type Row, unwrap } from 'finance-client'
import { useSessionContext } from '../app/session-context.tsx'
import { usualCurrency } from '../locale/currencies.ts'
import { type Context, finance, rowOf, stored, within } from './client.ts'
import { accounts as m } from '../messages/en.ts'

export type Account = Row<'accounts'>

export const accountTypes = m.types

export const accountsQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'accounts'],
    queryFn: ({ signal }) => unwrap(within(context, finance.data.from('accounts').select('*,current_balance')).order('name').order('id').abortSignal(signal)),
  })

/** The default currency of the context: the most frequent one of its accounts. */
export function useUsualCurrency(): string {
  const { context } = useSessionContext()
  return usualCurrency(useQuery(accountsQuery(context)).data ?? [])
}

/** The current balance of an account. */
export const balanceOf = ({ current_balance, balance }: Account): number => current_balance ?? balance

/**
 * Sums per month of an account since a day. The aggregate cannot group by account, so each account takes a request. It has a
 * few rows, while half a year of transactions may have thousands. Only paid transactions count, as in balances.
 */
export const bookedQuery = (context: Context, accountId: string, since: string) =>
  queryOptions({
    queryKey: [context.key, 'accounts', 'booked', accountId, since],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.rpc('get_transaction_aggregate', {
          p_group_by: 'month',
          p_aggregate_fn: 'sum',
          p_filters: [
            { field: 'account_id', operation: 'eq', value: accountId },
            { field: 'status', operation: 'eq', value: 'paid' },
            { field: 'transaction_date', operation: 'from', value: since },
          ],
        }).abortSignal(signal),
      ),
  })

/** The halves of transfers since a day. Reports exclude them, balances include them. */
export const transfersQuery = (context: Context, since: string) =>
  queryOptions({
    queryKey: [context.key, 'accounts', 'transfers', since],
    queryFn: ({ signal }) =>
      unwrap(
        within(context, finance.data.from('transactions').select('account_id,amount,transaction_date,booked_on'))
          .not('transfer_id', 'is', null).eq('status', 'paid').gte('transaction_date', since).abortSignal(signal),
      ),
  })

type AccountValues = Pick<Account, 'name' | 'type' | 'currency' | 'balance' | 'institution'>

/** Creates an account, or changes the one of the `id`. */
export const saveAccount = (context: Context, { id, values }: { id: string | undefined, values: AccountValues }) =>
  id === undefined
    ? unwrap(finance.data.from('accounts').insert(rowOf(context, values)).select().single())
    : stored(finance.data.from('accounts').update(values).eq('id', id).select())

/** Keeps the account's transactions. */
export const deleteAccount = async (_: Context, { id }: Account): Promise<void> => {
  await unwrap(finance.data.from('accounts').delete().eq('id', id))
}

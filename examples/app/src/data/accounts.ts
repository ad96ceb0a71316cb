/** Accounts: where money lies. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type Row, unwrap } from 'finance-client'
import { useHere } from '../app/here.tsx'
import { usualCurrency } from '../locale/currencies.ts'
import { finance, stored } from './client.ts'
import { type Context, rowOf, within } from './context.ts'

export type Account = Row<'accounts'>

export const accountTypes = { checking: 'Checking', savings: 'Savings', credit_card: 'Credit card', cash: 'Cash', investment: 'Investment' } as const

export const accountsQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'accounts'],
    queryFn: ({ signal }) => unwrap(within(context, finance.data.from('accounts').select('*,current_balance')).order('name').order('id').abortSignal(signal)),
  })

/** The currency that is offered first in the context: that of its accounts. */
export function useUsualCurrency(): string {
  const { context } = useHere()
  return usualCurrency(useQuery(accountsQuery(context)).data ?? [])
}
/** What lies in an account now. */
export const balanceOf = ({ current_balance, balance }: Account): number => current_balance ?? balance

/**
 * What was booked on an account month by month since a day. An aggregate has no group by account, so that each account is a
 * request: of a few rows, where all transactions of half a year could be thousands. What is paid counts, as in a balance.
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

/** The halves of transfers since a day, which reports leave out and balances do not. */
export const transfersQuery = (context: Context, since: string) =>
  queryOptions({
    queryKey: [context.key, 'accounts', 'transfers', since],
    queryFn: ({ signal }) =>
      unwrap(
        within(context, finance.data.from('transactions').select('account_id,amount,transaction_date,booked_on'))
          .not('transfer_id', 'is', null).eq('status', 'paid').gte('transaction_date', since).abortSignal(signal),
      ),
  })

/** What the form has of an account. */
type AccountValues = Pick<Account, 'name' | 'type' | 'currency' | 'balance' | 'institution'>

/** Stores a new account, or with an `id` the change of one. */
export const saveAccount = (context: Context, { id, values }: { id: string | undefined, values: AccountValues }) =>
  id === undefined
    ? unwrap(finance.data.from('accounts').insert(rowOf(context, values)).select().single())
    : stored(finance.data.from('accounts').update(values).eq('id', id).select())

/** Its transactions stay, without an account. */
export const deleteAccount = async (_: Context, { id }: Account): Promise<void> => {
  await unwrap(finance.data.from('accounts').delete().eq('id', id))
}

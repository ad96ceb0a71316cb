/** Accounts: where money lies. */
import { queryOptions } from '@tanstack/react-query'
import { type Row, unwrap } from 'finance-client'
import { finance, stored } from './client.ts'
import { type Context, rowOf, within } from './context.ts'

export type Account = Row<'accounts'>

export const accountTypes = { checking: 'Checking', savings: 'Savings', credit_card: 'Credit card', cash: 'Cash', investment: 'Investment' } as const

export const accountsQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'accounts'],
    queryFn: ({ signal }) => unwrap(within(context, finance.data.from('accounts').select('*,current_balance')).order('name').order('id').abortSignal(signal)),
  })

/** What the form has of an account. */
export type AccountValues = Pick<Account, 'name' | 'type' | 'currency' | 'balance' | 'institution'>

/** Stores a new account, or with an `id` the change of one. */
export const saveAccount = (context: Context, { id, values }: { id: string | undefined, values: AccountValues }) =>
  id === undefined
    ? unwrap(finance.data.from('accounts').insert(rowOf(context, values)).select().single())
    : stored(finance.data.from('accounts').update(values).eq('id', id).select())

/** Its transactions stay, without an account. */
export const deleteAccount = async (_: Context, { id }: Account): Promise<void> => {
  await unwrap(finance.data.from('accounts').delete().eq('id', id))
}

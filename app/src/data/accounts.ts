/** Bank accounts, cards and cash. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type Row, type TransactionFilter, unwrap } from 'finance-client'
import { useSessionContext } from '../shell/session-context.tsx'
import { usualCurrency } from '../locale/currencies.ts'
import { today } from '../locale/days.ts'
import { addDays, type Days } from '../locale/months.ts'
import type { RowInput } from './changed-fields.ts'
import { type Context, finance, rowOf, stored, within } from './client.ts'
import { accounts as m } from '../messages/accounts.ts'

export type Account = Row<'accounts'>

export const accountTypes = m.types

export const accountsQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'accounts'],
    queryFn: ({ signal }) =>
      unwrap(
        within(context, finance.data.from('accounts').select('*,current_balance')).order('name')
          .order('id').abortSignal(signal),
      ),
  })

/** The default currency of the context: the most frequent one of its accounts. */
export function useUsualCurrency(): string {
  const { context } = useSessionContext()
  return usualCurrency(useQuery(accountsQuery(context)).data ?? [])
}

/** Whether the account is closed. Its rows stay. */
export const isClosed = ({ closed_on }: Account): boolean =>
  closed_on !== null && closed_on <= today()

/** The accounts that a form offers: the open ones, and those that its row has. */
export const offered = (
  accounts: readonly Account[],
  ...ofRow: Array<string | null | undefined>
): Account[] => accounts.filter((account) => !isClosed(account) || ofRow.includes(account.id))

/** The current balance of an account. */
export const balanceOf = ({ current_balance, balance }: Account): number =>
  current_balance ?? balance

/** A pending or future amount of an account. */
export type Coming = { account_id: string | null, amount: number, currency: string }

/** Pending and future amounts per account. A balance is of today and has neither. */
export const comingQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'accounts', 'coming', today()],
    queryFn: async ({ signal }): Promise<Coming[]> => {
      const sums = (p_filters: TransactionFilter[]) =>
        unwrap(
          finance.data.rpc('get_transaction_aggregate', {
            p_group_by: 'account',
            p_aggregate_fn: 'sum',
            p_filters,
          }).abortSignal(signal),
        )
      const [pending, later] = await Promise.all([
        sums([{ field: 'status', operation: 'eq', value: 'pending' }]),
        sums([{ field: 'status', operation: 'eq', value: 'paid' }, {
          field: 'transaction_date',
          operation: 'from',
          value: addDays(today(), 1),
        }]),
      ])
      return [...pending, ...later].map(({ key, value, currency }) => ({
        account_id: key,
        amount: value,
        currency,
      }))
    },
  })

/**
 * Sums per month of an account from a day to today, including its transfers. The aggregate has one
 * group, so each account takes a request. It has a few rows, while half a year of transactions may
 * have thousands. Only paid transactions count, as in balances.
 */
export const bookedQuery = (context: Context, accountId: string, days: Days) =>
  queryOptions({
    queryKey: [context.key, 'accounts', 'booked', accountId, days],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.rpc('get_transaction_aggregate', {
          p_group_by: 'month',
          p_aggregate_fn: 'sum',
          p_filters: [
            { field: 'account_id', operation: 'eq', value: accountId },
            { field: 'status', operation: 'eq', value: 'paid' },
            { field: 'transaction_date', operation: 'between', value: [days.start, days.end] },
          ],
        }).abortSignal(signal),
      ),
  })

type AccountValues = Pick<
  Account,
  'name' | 'type' | 'currency' | 'balance' | 'institution' | 'opened_on' | 'closed_on'
>

/** Creates an account, or changes the one of the `id`. */
export const saveAccount = (context: Context, { id, values }: RowInput<AccountValues>) =>
  id === undefined
    ? unwrap(finance.data.from('accounts').insert(rowOf(context, values)).select().single())
    : stored(finance.data.from('accounts').update(values).eq('id', id).select())

/** Keeps the account's transactions. */
export const deleteAccount = async (_: Context, { id }: Account): Promise<void> => {
  await unwrap(finance.data.from('accounts').delete().eq('id', id))
}

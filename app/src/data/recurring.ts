/** Recurring costs. The service calls them subscriptions. */
import { queryOptions } from '@tanstack/react-query'
import { type NewRow, type Row, type RowChange, unwrap } from 'finance-client'
import type { Days } from '../locale/months.ts'
import type { RowInput } from './changed-fields.ts'
import { type Context, finance, rowOf, stored, within } from './client.ts'
import { recurring as m } from '../messages/recurring.ts'

export type Recurring = Row<'subscriptions'>

export const periods = m.periods

/** The amount as a cost: an income is a negative one. */
export const costOf = ({ kind, amount }: { kind: string, amount: number }): number =>
  kind === 'income' ? -amount : amount

/** Active costs first, by their next due day. */
export const recurringQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'recurring'],
    queryFn: ({ signal }) =>
      unwrap(
        within(context, finance.data.from('subscriptions').select('*,next_due_on,monthly_cost'))
          .order('is_active', { ascending: false }).order('next_due_on', { nullsFirst: false })
          .order('title').order('id').abortSignal(signal),
      ),
  })

/** The stored transactions of due days. A transfer is only its outgoing half. */
export const recordedQuery = (context: Context, { start, end }: Days) =>
  queryOptions({
    queryKey: [context.key, 'recurring', 'recorded', start, end],
    queryFn: ({ signal }) =>
      unwrap(
        within(
          context,
          finance.data.from('transactions').select(
            'id,name,due_on,amount,currency,status,transfer_id,booked_on,transaction_date',
          ),
        ).gte('due_on', start).lte('due_on', end).or('transfer_id.is.null,amount.lt.0').order(
          'due_on',
        ).order('id').abortSignal(signal),
      ),
  })

/** Creates a cost, or changes the one of the `id`. */
export const saveRecurring = (
  context: Context,
  { id, values }: RowInput<Omit<NewRow<'subscriptions'>, 'id'>>,
) =>
  id === undefined
    ? unwrap(finance.data.from('subscriptions').insert(rowOf(context, values)).select().single())
    : stored(
      finance.data.from('subscriptions').update(values as RowChange<'subscriptions'>).eq('id', id)
        .select(),
    )

/** Pauses or resumes a cost. */
export const setActive = (_: Context, { id, is_active }: Pick<Recurring, 'id' | 'is_active'>) =>
  stored(finance.data.from('subscriptions').update({ is_active }).eq('id', id).select())

/** Keeps the recorded transactions. */
export const deleteRecurring = async (_: Context, { id }: Recurring): Promise<void> => {
  await unwrap(finance.data.from('subscriptions').delete().eq('id', id))
}

/** Creates the transaction of a due day. */
export const recordDue = (
  _: Context,
  { subscription_id, due_on }: { subscription_id: string, due_on: string },
) => unwrap(finance.data.rpc('record_subscription', { p_subscription_id: subscription_id, due_on }))

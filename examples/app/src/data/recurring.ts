/** Recurring costs, which the service calls subscriptions. */
import { queryOptions } from '@tanstack/react-query'
import { type NewRow, type Row, type RowChange, unwrap } from 'finance-client'
import { finance, stored } from './client.ts'
import { type Context, rowOf, within } from './context.ts'

export type Recurring = Row<'subscriptions'>

export const periods = {
  daily: 'Every day',
  weekly: 'Every week',
  monthly: 'Every month',
  quarterly: 'Every quarter',
  'semi-annually': 'Every half year',
  yearly: 'Every year',
} as const

/** Those that go on first, by the day on which they are due next. */
export const recurringQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'recurring'],
    queryFn: ({ signal }) =>
      unwrap(
        within(context, finance.data.from('subscriptions').select('*,next_due_on,monthly_cost'))
          .order('is_active', { ascending: false }).order('next_due_on', { nullsFirst: false }).order('title').order('id').abortSignal(signal),
      ),
  })

/** Stores a new one, or what has changed of one with an `id`. */
export const saveRecurring = (context: Context, { id, ...values }: { id?: string | undefined } & Omit<NewRow<'subscriptions'>, 'id'>) =>
  id === undefined
    ? unwrap(finance.data.from('subscriptions').insert(rowOf(context, values)).select().single())
    : stored(finance.data.from('subscriptions').update(values as RowChange<'subscriptions'>).eq('id', id).select())

/** Pauses one, or lets it go on. */
export const setActive = (_: Context, { id, is_active }: Pick<Recurring, 'id' | 'is_active'>) =>
  stored(finance.data.from('subscriptions').update({ is_active }).eq('id', id).select())

/** What was recorded of it stays. */
export const deleteRecurring = async (_: Context, { id }: Recurring): Promise<void> => {
  await unwrap(finance.data.from('subscriptions').delete().eq('id', id))
}

/** Makes one due day a transaction. */
export const recordDue = (_: Context, { subscription_id, due_on }: { subscription_id: string, due_on: string }) =>
  unwrap(finance.data.rpc('record_subscription', { p_subscription_id: subscription_id, due_on }))

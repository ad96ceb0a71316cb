/** Exchange rates of reports. */
import { queryOptions } from '@tanstack/react-query'
import { type Row, unwrap } from 'finance-client'
import { type Context, finance, rowOf, within } from './client.ts'

export type Rate = Row<'exchange_rates'>

/** The currencies and the first day of a rate. */
export type RateKey = Pick<Rate, 'base' | 'quote' | 'on_date'>

/** The newest rates. */
export const ratesQuery = (context: Context, most: number) =>
  queryOptions({
    queryKey: [context.key, 'exchange rates', most],
    queryFn: ({ signal }) =>
      unwrap(
        within(context, finance.data.from('exchange_rates').select())
          .order('on_date', { ascending: false }).order('base').order('quote').order('id').limit(
            most,
          ).abortSignal(signal),
      ),
  })

/**
 * The latest rates of the instance, which it downloads from the European Central Bank; none if its
 * operator has not switched that on.
 */
export const instanceRatesQuery = () =>
  queryOptions({
    queryKey: ['instance rates'],
    queryFn: ({ signal }) =>
      unwrap(finance.data.rpc('get_instance_rates', {}, { get: true }).abortSignal(signal)),
  })

type RateValues = RateKey & Pick<Rate, 'rate'>

/**
 * Creates a rate, or changes the one of the `id`. @throws FinanceError 409 if the day and the
 * currencies have another rate
 */
export const saveRate = (
  context: Context,
  { id, values }: { id: string | undefined, values: RateValues },
) =>
  unwrap(
    id === undefined
      ? finance.data.from('exchange_rates').insert(rowOf(context, values)).select().single()
      : finance.data.from('exchange_rates').update(values).eq('id', id).select().single(),
  )

export const deleteRate = async (_: Context, { id }: Rate): Promise<void> => {
  await unwrap(finance.data.from('exchange_rates').delete().eq('id', id))
}

/**
 * The transactions that a converted report leaves out: one row per currency, with the first day
 * without a rate.
 */
export const missingRatesQuery = (context: Context, convertTo: string) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'missing rates', convertTo],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.rpc('get_missing_rates', { p_convert_to: convertTo }, { get: true })
          .abortSignal(signal),
      ),
  })

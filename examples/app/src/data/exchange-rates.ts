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
          .order('on_date', { ascending: false }).order('base').order('quote').order('id').limit(most).abortSignal(signal),
      ),
  })

type RateValues = RateKey & Pick<Rate, 'rate'>

/** Creates a rate, or changes the one of the `id`. @throws FinanceError 409 if the day and the currencies have another rate */
export const saveRate = (context: Context, { id, values }: { id: string | undefined, values: RateValues }) =>
  unwrap(
    id === undefined
      ? finance.data.from('exchange_rates').insert(rowOf(context, values)).select().single()
      : finance.data.from('exchange_rates').update(values).eq('id', id).select().single(),
  )

export const deleteRate = async (_: Context, { id }: Rate): Promise<void> => {
  await unwrap(finance.data.from('exchange_rates').delete().eq('id', id))
}

/** Returns the rate that a report is missing; null for other errors. Only the message names it. */
export function missingRate({ message }: Error): RateKey | null {
  const [, base, quote, on_date] = /^no exchange rate from ([a-z]{3}) to ([a-z]{3}) on or before (\d{4}-\d{2}-\d{2})/.exec(message) ?? []
  return base === undefined || quote === undefined || on_date === undefined ? null : { base, quote, on_date }
}

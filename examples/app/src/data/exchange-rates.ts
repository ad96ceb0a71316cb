/** Exchange rates, by which reports convert. */
import { queryOptions } from '@tanstack/react-query'
import { type Row, unwrap } from 'finance-client'
import { finance } from './client.ts'
import { type Context, rowOf, within } from './context.ts'

export type Rate = Row<'exchange_rates'>

/** Of which two currencies a rate is, and from which day on. */
export type RateKey = Pick<Rate, 'base' | 'quote' | 'on_date'>

/** The newest first. @param most how many are read */
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

/** Stores a new one, or with an `id` the change of one. @throws FinanceError 409 where the day and the two currencies have one */
export const saveRate = (context: Context, { id, values }: { id: string | undefined, values: RateValues }) =>
  unwrap(
    id === undefined
      ? finance.data.from('exchange_rates').insert(rowOf(context, values)).select().single()
      : finance.data.from('exchange_rates').update(values).eq('id', id).select().single(),
  )

export const deleteRate = async (_: Context, { id }: Rate): Promise<void> => {
  await unwrap(finance.data.from('exchange_rates').delete().eq('id', id))
}

/** The rate for want of which a report was refused; null where it was not for that. The answer says it in its message alone. */
export function missingRate({ message }: Error): RateKey | null {
  const [, base, quote, on_date] = /^no exchange rate from ([a-z]{3}) to ([a-z]{3}) on or before (\d{4}-\d{2}-\d{2})/.exec(message) ?? []
  return base === undefined || quote === undefined || on_date === undefined ? null : { base, quote, on_date }
}

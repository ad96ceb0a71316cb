/** What the service's reports say of the context that is shown. The app adds nothing up that a report already has. */
import { queryOptions } from '@tanstack/react-query'
import { type Reply, unwrap } from 'finance-client'
import type { Days } from '../locale/months.ts'
import { finance } from './client.ts'
import { type Context, within } from './context.ts'

export type Share = Reply<'get_transaction_distribution_by_category'>[number]
export type Comparison = Reply<'get_budget_comparison'>[number]
export type Due = Reply<'get_upcoming'>[number]

/** In an address null would be the word `null`, so that it is left out. */
const convertedTo = (currency: string | null) => currency === null ? {} : { p_convert_to: currency }

/** @param convertTo the currency that everything is converted to; null keeps currencies apart */
export const cashFlowQuery = (context: Context, { periods, upcoming, convertTo }: { periods: number, upcoming: number, convertTo: string | null }) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'cash flow', periods, upcoming, convertTo],
    queryFn: ({ signal }) => unwrap(finance.data.rpc('get_cash_flow', { periods, upcoming, ...convertedTo(convertTo) }, { get: true }).abortSignal(signal)),
  })

/** What was spent by category in some days. */
export const spendingQuery = (context: Context, { start, end }: Days, convertTo: string | null) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'spending', start, end, convertTo],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.rpc('get_transaction_distribution_by_category', {
          params: {
            organization_id: context.id,
            filters: { start_date: start, end_date: end, transaction_type: 'expense' },
          },
          p_convert_to: convertTo,
        }).abortSignal(signal),
      ),
  })

/** Budgets of some days, and what was spent of them. */
export const budgetComparisonQuery = (context: Context, { start, end }: Days, convertTo: string | null) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'budgets', start, end, convertTo],
    queryFn: ({ signal }) =>
      unwrap(finance.data.rpc('get_budget_comparison', { start_date: start, end_date: end, ...convertedTo(convertTo) }, { get: true }).abortSignal(signal)),
  })

/** The recurring costs that are due in some days. */
export const upcomingQuery = (context: Context, { start, end }: Days) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'upcoming', start, end],
    queryFn: ({ signal }) => unwrap(finance.data.rpc('get_upcoming', { start_date: start, end_date: end }, { get: true }).abortSignal(signal)),
  })

/** The currencies of what was booked since a day, with how often each. */
export const currenciesQuery = (context: Context, since: string) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'currencies', since],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.rpc('get_transaction_aggregate', {
          p_group_by: 'currency',
          p_aggregate_fn: 'count',
          p_filters: [{ field: 'transaction_date', operation: 'from', value: since }],
        }).abortSignal(signal),
      ),
  })

/** Whether the context has exchange rates, so that currencies can be converted at all. */
export const hasRatesQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'exchange rates', 'any'],
    queryFn: async ({ signal }) => {
      const rates = await unwrap(within(context, finance.data.from('exchange_rates').select('id')).limit(1).abortSignal(signal))
      return rates.length > 0
    },
  })

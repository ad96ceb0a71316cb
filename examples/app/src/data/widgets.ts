/** What widgets show: the service's reports over the days of a dashboard. */
import { queryOptions } from '@tanstack/react-query'
import { type Arguments, type DateRange, type DateRangePreset, type Reply, type TransactionFilter, unwrap } from 'finance-client'
import { finance } from './client.ts'
import { type Context, within } from './context.ts'

export type Measure = 'income' | 'expense' | 'balance' | 'count'
export type Grouping = NonNullable<Arguments<'get_cash_flow'>['grouping']>
export type Figure = Reply<'get_transaction_aggregate'>[number]

const presetOf = (range: DateRange): DateRangePreset | null => range.preset === undefined || range.preset === 'custom' ? null : range.preset

const filterOf = (range: DateRange): TransactionFilter => {
  const preset = presetOf(range)
  if (preset !== null) return { field: 'transaction_date', operation: 'in', value: preset }
  return { field: 'transaction_date', operation: 'between', value: [range.start_date ?? '', range.end_date ?? ''] }
}

/** The same days as the arguments of a report. */
const daysOf = (range: DateRange) => {
  const preset = presetOf(range)
  return preset === null ? { start_date: range.start_date ?? null, end_date: range.end_date ?? null } : { preset }
}

const signs: Record<Measure, TransactionFilter[]> = {
  income: [{ field: 'amount', operation: 'gt', value: 0 }],
  expense: [{ field: 'amount', operation: 'lt', value: 0 }],
  balance: [],
  count: [],
}

/** A number for each currency, because two are never added up. */
export const figuresQuery = (context: Context, range: DateRange, measure: Measure) =>
  queryOptions({
    queryKey: [context.key, 'widgets', 'stat', range, measure],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.rpc('get_transaction_aggregate', { p_group_by: 'currency', p_aggregate_fn: 'sum', p_filters: [filterOf(range), ...signs[measure]] })
          .abortSignal(
            signal,
          ),
      ),
  })

export const flowQuery = (context: Context, grouping: Grouping, periods: number) =>
  queryOptions({
    queryKey: [context.key, 'widgets', 'cash flow', grouping, periods],
    queryFn: ({ signal }) => unwrap(finance.data.rpc('get_cash_flow', { grouping, periods }, { get: true }).abortSignal(signal)),
  })

export const sharesQuery = (context: Context, range: DateRange, kind: 'income' | 'expense') =>
  queryOptions({
    queryKey: [context.key, 'widgets', 'distribution', range, kind],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.rpc('get_transaction_distribution_by_category', {
          params: { organization_id: context.id, filters: { ...daysOf(range), transaction_type: kind } },
        }).abortSignal(signal),
      ),
  })

export const budgetsOfRangeQuery = (context: Context, range: DateRange) =>
  queryOptions({
    queryKey: [context.key, 'widgets', 'budgets', range],
    queryFn: ({ signal }) => unwrap(finance.data.rpc('get_budget_comparison', daysOf(range)).abortSignal(signal)),
  })

/** The newest first. */
export const newestQuery = (context: Context, range: DateRange, rows: number) =>
  queryOptions({
    queryKey: [context.key, 'widgets', 'transactions', range, rows],
    queryFn: ({ signal }) =>
      unwrap(within(context, finance.data.rpc('get_filtered_transactions', { filters: [filterOf(range)] })).limit(rows).abortSignal(signal)),
  })

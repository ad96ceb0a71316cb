/** Reports of the service. The app adds up nothing that a report already has. */
import { queryOptions } from '@tanstack/react-query'
import { type Arguments, type Reply, type TransactionFilter, unwrap } from 'finance-client'
import type { Days } from '../locale/months.ts'
import { type Context, finance, within } from './client.ts'

export type Comparison = Reply<'get_budget_comparison'>[number]
export type Grouping = NonNullable<Arguments<'get_cash_flow'>['grouping']>
export type Measure = 'income' | 'expense' | 'balance' | 'count'

/** The currencies of a report. */
export type Money = {
  /** One currency; null for each of them, undefined while loading. */
  currency: string | null | undefined
  /** The target of conversions; null for none. */
  convertTo: string | null
}

export const everyCurrency: Money = { currency: null, convertTo: null }

/** Filters a report, which has all currencies, so that choosing one needs no request. */
const ofCurrency = ({ currency }: Money) => <Row extends { currency: string }>(rows: Row[]): Row[] | undefined =>
  currency === undefined ? undefined : rows.filter((row) => currency === null || row.currency === currency)

/** Leaves null out, because a URL would have the word `null`. */
const converted = ({ convertTo }: Money) => convertTo === null ? {} : { p_convert_to: convertTo }

/** @param days null for all time */
const inDays = (days: Days | null) => days === null ? { preset: 'all_time' as const } : { start_date: days.start, end_date: days.end }

const daysFilter = (days: Days | null): TransactionFilter[] =>
  days === null ? [] : [{ field: 'transaction_date', operation: 'between', value: [days.start, days.end] }]

export type FlowPeriods = { grouping: Grouping, periods: number, upcoming: number }

/** Income and expenses per period, including planned ones. */
export const cashFlowQuery = (context: Context, periods: FlowPeriods, money: Money) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'cash flow', periods, money.convertTo],
    queryFn: ({ signal }) => unwrap(finance.data.rpc('get_cash_flow', { ...periods, ...converted(money) }, { get: true }).abortSignal(signal)),
    select: ofCurrency(money),
  })

/** Income or expenses per category. */
export const sharesQuery = (context: Context, kind: 'income' | 'expense', days: Days | null, money: Money) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'shares', kind, days, money.convertTo],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.rpc('get_transaction_distribution_by_category', {
          params: { organization_id: context.id, filters: { ...inDays(days), transaction_type: kind } },
          ...converted(money),
        }).abortSignal(signal),
      ),
    select: ofCurrency(money),
  })

/** Budgets and actual expenses of some days. */
export const budgetComparisonQuery = (context: Context, days: Days, money: Money) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'budgets', days, money.convertTo],
    queryFn: ({ signal }) => unwrap(finance.data.rpc('get_budget_comparison', { ...inDays(days), ...converted(money) }, { get: true }).abortSignal(signal)),
    select: ofCurrency(money),
  })

/** Recurring costs that are due in some days. */
export const upcomingQuery = (context: Context, days: Days) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'upcoming', days],
    queryFn: ({ signal }) => unwrap(finance.data.rpc('get_upcoming', inDays(days), { get: true }).abortSignal(signal)),
  })

const signs: Record<Measure, TransactionFilter[]> = {
  income: [{ field: 'amount', operation: 'gt', value: 0 }],
  expense: [{ field: 'amount', operation: 'lt', value: 0 }],
  balance: [],
  count: [],
}

/** The sum and the count of transactions per currency. */
export const figuresQuery = (context: Context, measure: Measure, days: Days | null) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'figures', measure, days],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.rpc('get_transaction_aggregate', { p_group_by: 'currency', p_aggregate_fn: 'sum', p_filters: [...daysFilter(days), ...signs[measure]] })
          .abortSignal(signal),
      ),
  })

/** The newest transactions. */
export const newestQuery = (context: Context, days: Days | null, rows: number) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'newest', days, rows],
    queryFn: ({ signal }) =>
      unwrap(within(context, finance.data.rpc('get_filtered_transactions', { filters: daysFilter(days) })).limit(rows).abortSignal(signal)),
  })

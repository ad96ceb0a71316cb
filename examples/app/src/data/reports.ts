/** What the service's reports say of the context that is shown. The app adds nothing up that a report already has. */
import { queryOptions } from '@tanstack/react-query'
import { type Arguments, type Reply, type TransactionFilter, unwrap } from 'finance-client'
import type { Days } from '../locale/months.ts'
import { finance } from './client.ts'
import { type Context, within } from './context.ts'

export type Share = Reply<'get_transaction_distribution_by_category'>[number]
export type Comparison = Reply<'get_budget_comparison'>[number]
export type Due = Reply<'get_upcoming'>[number]
export type Grouping = NonNullable<Arguments<'get_cash_flow'>['grouping']>
export type Measure = 'income' | 'expense' | 'balance' | 'count'

/** Which money a report is about. */
export type Money = {
  /** One currency alone; null for each by itself, undefined until it is known. */
  currency: string | null | undefined
  /** What everything is converted to; null keeps currencies apart. */
  convertTo: string | null
}

export const everyCurrency: Money = { currency: null, convertTo: null }

/** Reports answer all currencies at once, so that the choice of one asks nothing. */
const ofCurrency = ({ currency }: Money) => <Row extends { currency: string }>(rows: Row[]): Row[] | undefined =>
  currency === undefined ? undefined : rows.filter((row) => currency === null || row.currency === currency)

/** In an address null would be the word `null`, so that it is left out. */
const converted = ({ convertTo }: Money) => convertTo === null ? {} : { p_convert_to: convertTo }

/** @param days null for all time */
const inDays = (days: Days | null) => days === null ? { preset: 'all_time' as const } : { start_date: days.start, end_date: days.end }

const daysFilter = (days: Days | null): TransactionFilter[] =>
  days === null ? [] : [{ field: 'transaction_date', operation: 'between', value: [days.start, days.end] }]

export type FlowPeriods = { grouping: Grouping, periods: number, upcoming: number }

/** What came in and went out, period by period, the current one and coming ones last. */
export const cashFlowQuery = (context: Context, asked: FlowPeriods, money: Money) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'cash flow', asked, money.convertTo],
    queryFn: ({ signal }) => unwrap(finance.data.rpc('get_cash_flow', { ...asked, ...converted(money) }, { get: true }).abortSignal(signal)),
    select: ofCurrency(money),
  })

/** What was spent, or what came in, by category. */
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

/** Budgets of some days, and what was spent of them. */
export const budgetComparisonQuery = (context: Context, days: Days, money: Money) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'budgets', days, money.convertTo],
    queryFn: ({ signal }) => unwrap(finance.data.rpc('get_budget_comparison', { ...inDays(days), ...converted(money) }, { get: true }).abortSignal(signal)),
    select: ofCurrency(money),
  })

/** The recurring costs that are due in some days. */
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

/** A sum of each currency, and of how many transactions. */
export const figuresQuery = (context: Context, measure: Measure, days: Days | null) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'figures', measure, days],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.rpc('get_transaction_aggregate', { p_group_by: 'currency', p_aggregate_fn: 'sum', p_filters: [...daysFilter(days), ...signs[measure]] })
          .abortSignal(signal),
      ),
  })

/** The newest transactions first. */
export const newestQuery = (context: Context, days: Days | null, rows: number) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'newest', days, rows],
    queryFn: ({ signal }) =>
      unwrap(within(context, finance.data.rpc('get_filtered_transactions', { filters: daysFilter(days) })).limit(rows).abortSignal(signal)),
  })

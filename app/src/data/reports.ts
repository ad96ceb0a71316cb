/** Reports of the service. The app adds up nothing that a report already has. */
import { queryOptions } from '@tanstack/react-query'
import { type Arguments, type Reply, type TransactionFilter, unwrap } from 'finance-client'
import { sumsByCurrency } from '../locale/figures.ts'
import type { Days } from '../locale/months.ts'
import { type Context, finance, within } from './client.ts'

export type Comparison = Reply<'get_budget_comparison'>[number]
export type Grouping = NonNullable<Arguments<'get_cash_flow'>['grouping']>
/** A figure of one currency. `count` is only of all transactions. */
export type Figure = { currency: string, value: number, count: number }
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
const ofCurrency =
  ({ currency }: Money) => <Row extends { currency: string }>(rows: Row[]): Row[] | undefined =>
    currency === undefined
      ? undefined
      : rows.filter((row) => currency === null || row.currency === currency)

/** Leaves null out, because a URL would have the word `null`. */
const converted = ({ convertTo }: Pick<Money, 'convertTo'>) =>
  convertTo === null ? {} : { p_convert_to: convertTo }

/** @param days null for all time */
const inDays = (days: Days | null) =>
  days === null ? { preset: 'all_time' as const } : { start_date: days.start, end_date: days.end }

const daysFilter = (days: Days | null): TransactionFilter[] =>
  days === null
    ? []
    : [{ field: 'transaction_date', operation: 'between', value: [days.start, days.end] }]

export type FlowPeriods = { grouping: Grouping, periods: number, upcoming: number }

/** Income and expenses per period, including planned ones. */
export const cashFlowQuery = (context: Context, periods: FlowPeriods, money: Money) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'cash flow', periods, money.convertTo],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.rpc('get_cash_flow', { ...periods, ...converted(money) }, { get: true })
          .abortSignal(signal),
      ),
    select: ofCurrency(money),
  })

/**
 * Assets, liabilities and net worth per period. A conversion leaves rows of currencies without a
 * rate.
 */
export const netWorthQuery = (
  context: Context,
  periods: Omit<FlowPeriods, 'upcoming'>,
  { convertTo }: Pick<Money, 'convertTo'>,
) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'net worth', periods, convertTo],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.rpc('get_net_worth', { ...periods, ...converted({ convertTo }) }, {
          get: true,
        }).abortSignal(signal),
      ),
  })

/** Income or expenses per category. */
export const sharesQuery = (
  context: Context,
  kind: 'income' | 'expense',
  days: Days | null,
  money: Money,
) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'shares', kind, days, money.convertTo],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.rpc('get_transaction_distribution_by_category', {
          params: {
            organization_id: context.id,
            filters: { ...inDays(days), transaction_type: kind },
          },
          ...converted(money),
        }).abortSignal(signal),
      ),
    select: ofCurrency(money),
  })

/** Budgets and actual expenses of some days. */
export const budgetComparisonQuery = (context: Context, days: Days, money: Money) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'budgets', days, money.convertTo],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.rpc('get_budget_comparison', { ...inDays(days), ...converted(money) }, {
          get: true,
        }).abortSignal(signal),
      ),
    select: ofCurrency(money),
  })

/** Recurring costs that are due in some days. */
export const upcomingQuery = (context: Context, days: Days) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'upcoming', days],
    queryFn: ({ signal }) =>
      unwrap(finance.data.rpc('get_upcoming', inDays(days), { get: true }).abortSignal(signal)),
  })

export type Forecast = Reply<'get_forecast'>[number]

/** A row that a forecast adds. It is stored nowhere. */
export type WhatIf = { account_id: string, on_date: string, amount: number, name: string }

type ForecastOptions = {
  whatIf: WhatIf[]
  convertTo: string | null
  /** The ids of the accounts. By default all open ones. */
  accounts?: string[]
}

/**
 * The balances of the coming days: of each account, or all of them as one series if `convertTo` is
 * a currency.
 */
export const forecastQuery = (
  context: Context,
  until: string,
  { whatIf, convertTo, accounts }: ForecastOptions = { whatIf: [], convertTo: null },
) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'forecast', until, whatIf, convertTo, accounts],
    queryFn: ({ signal }) =>
      unwrap(
        finance.data.rpc('get_forecast', {
          p_until: until,
          p_what_if: whatIf,
          ...converted({ convertTo }),
          ...(accounts !== undefined && { p_account_ids: accounts }),
        }).abortSignal(signal),
      ),
  })

/**
 * The sum and the count of transactions per currency; of income or expenses the sum of their
 * categories.
 */
export const figuresQuery = (context: Context, measure: Measure, days: Days | null) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'figures', measure, days],
    queryFn: async ({ signal }): Promise<Figure[]> => {
      if (measure === 'balance' || measure === 'count')
        return unwrap(
          finance.data.rpc('get_transaction_aggregate', {
            p_group_by: 'currency',
            p_aggregate_fn: 'sum',
            p_filters: daysFilter(days),
          }).abortSignal(signal),
        )
      const parts = await unwrap(
        finance.data.rpc('get_transaction_distribution_by_category', {
          params: {
            organization_id: context.id,
            filters: { ...inDays(days), transaction_type: measure },
          },
        }).abortSignal(signal),
      )
      return sumsByCurrency(parts.map(({ currency, total }) => ({ currency, amount: total })))
        .map(({ currency, sum }) => ({ currency, value: sum, count: 0 }))
    },
  })

/** The newest transactions. */
export const newestQuery = (context: Context, days: Days | null, rows: number) =>
  queryOptions({
    queryKey: [context.key, 'reports', 'newest', days, rows],
    queryFn: ({ signal }) =>
      unwrap(
        within(
          context,
          finance.data.rpc('get_filtered_transactions', { filters: daysFilter(days) }),
        ).limit(rows).abortSignal(signal),
      ),
  })

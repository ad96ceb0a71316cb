/** Budgets per category: for one month, or the default for all other months. */
import { queryOptions } from '@tanstack/react-query'
import { type NewRow, type Row, unwrap } from 'finance-client'
import { type Context, finance, rowOf, within } from './client.ts'

export type Budget = Row<'budgets'>

/** Budgets of months, and default budgets. */
export const budgetsQuery = (context: Context, months: readonly string[]) =>
  queryOptions({
    queryKey: [context.key, 'budgets', months],
    queryFn: ({ signal }) =>
      unwrap(
        within(context, finance.data.from('budgets').select()).or(
          `month.is.null,month.in.(${months.join()})`,
        ).order('month').order('currency')
          .abortSignal(signal),
      ),
  })

/** Creates or replaces the budget of a category, currency and month. */
export const setBudget = (context: Context, budget: NewRow<'budgets'>) =>
  unwrap(
    finance.data.from('budgets').upsert(rowOf(context, budget), {
      onConflict: 'category_id,currency,month',
    }).select().single(),
  )

export const deleteBudget = async (_: Context, { id }: Pick<Budget, 'id'>): Promise<void> => {
  await unwrap(finance.data.from('budgets').delete().eq('id', id))
}

export type PastBudget = Row<'past_budgets'>

/** Former budgets, newest first. Each applies to the months before its `until`. */
export const pastBudgetsQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'past_budgets'],
    queryFn: ({ signal }) =>
      unwrap(
        within(context, finance.data.from('past_budgets').select()).order('until', {
          ascending: false,
        }).order('currency').abortSignal(signal),
      ),
  })

export const deletePastBudget = async (
  _: Context,
  { id }: Pick<PastBudget, 'id'>,
): Promise<void> => {
  await unwrap(finance.data.from('past_budgets').delete().eq('id', id))
}

/** Rules, which set the category, the name and tags of transactions, or mark them as transfers. */
import { queryOptions } from '@tanstack/react-query'
import { type Row, unwrap } from 'finance-client'
import type { RowInput } from './changed-fields.ts'
import { type Context, finance, rowOf, stored, within } from './client.ts'
import { readBy, type Transaction } from './transactions/api.ts'

export type Rule = Row<'rules'>
export type RuleValues = Pick<
  Rule,
  | 'name'
  | 'priority'
  | 'is_active'
  | 'conditions'
  | 'set_category_id'
  | 'set_name'
  | 'add_tags'
  | 'mark_as_transfer'
>

/** The rules of a context, the first match first. */
export const rulesQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'rules'],
    queryFn: ({ signal }) =>
      unwrap(
        within(context, finance.data.from('rules').select()).order('priority').order('created_at')
          .order('id').abortSignal(signal),
      ),
  })

/** Creates a rule, or changes the one of the `id`. */
export const saveRule = (context: Context, { id, values }: RowInput<RuleValues>) =>
  unwrap(
    id === undefined
      ? finance.data.from('rules').insert(rowOf(context, values)).select().single()
      : finance.data.from('rules').update(values).eq('id', id).select().single(),
  )

export const deleteRule = async (_: Context, { id }: Rule): Promise<void> => {
  await unwrap(finance.data.from('rules').delete().eq('id', id))
}

/** Switches a rule on or off. */
export const setActive = (_: Context, { id, is_active }: Pick<Rule, 'id' | 'is_active'>) =>
  stored(finance.data.from('rules').update({ is_active }).eq('id', id).select())

/**
 * Calls the function. @param ruleId null for all rules @returns the first rows, and the number of
 * all
 */
async function callRules(ruleId: string | null, isDryRun: boolean, limit: number) {
  const response = await finance.data.rpc(
    'apply_rules',
    { p_rule_id: ruleId, p_dry_run: isDryRun },
    { count: 'exact' },
  ).limit(limit)
  const rows = await unwrap(Promise.resolve(response))
  return { rows, count: response.count ?? rows.length }
}

export type RuleChange = Awaited<ReturnType<typeof callRules>>['rows'][number] & {
  transaction: Transaction | undefined
}

/** The maximum number of previewed changes. */
export const previewed = 50

/** The changes of stored transactions that a rule would make, or all rules if the id is null. */
export const ruleChangesQuery = (context: Context, ruleId: string | null) =>
  queryOptions({
    queryKey: [context.key, 'rules', 'changes', ruleId],
    queryFn: async (): Promise<{ rows: RuleChange[], count: number }> => {
      const { rows, count } = await callRules(ruleId, true, previewed)
      const transactions = await readBy('id', rows.map(({ transaction_id }) => transaction_id))
      return {
        count,
        rows: rows.map((row) => ({
          ...row,
          transaction: transactions.find(({ id }) => id === row.transaction_id),
        })),
      }
    },
    // a former result may be wrong by now
    gcTime: 0,
    staleTime: 0,
  })

/**
 * Applies a rule to the rows without a category. @returns the number of changed transactions, and
 * one of them
 */
export async function applyRuleToOpen(ruleId: string) {
  const rows = await unwrap(
    finance.data.rpc('apply_rules', {
      p_rule_id: ruleId,
      p_dry_run: false,
      p_filters: [{ field: 'category_id', operation: 'is_null', value: true }],
    }),
  )
  return { count: rows.length, transactionId: rows[0]?.transaction_id }
}

/**
 * Applies a rule, or all rules if the id is null. @returns the number of changed transactions, and
 * one of them
 */
export async function applyRules(_: Context, ruleId: string | null) {
  const { rows: [first], count } = await callRules(ruleId, false, 1)
  return { count, transactionId: first?.transaction_id }
}

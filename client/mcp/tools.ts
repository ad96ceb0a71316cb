/** What an assistant may ask: reports and lists, each of them bounded. */
import { z } from 'zod'
import type { TransactionFilter } from '../database.ts'
import { unwrap, type Client } from '../index.ts'

/** A question an assistant can ask. */
export type Tool = {
  name: string
  title: string
  description: string
  input: z.ZodObject
  /** @returns what the assistant is told, as JSON. @throws FinanceError */
  read: (data: Client['data'], input: never) => PromiseLike<unknown>
}

const tool = <Input extends z.ZodObject>(
  row: Omit<Tool, 'input' | 'read'> & { input: Input, read: (data: Client['data'], input: z.output<Input>) => PromiseLike<unknown> },
): Tool => row

const mostRows = 200
const day = z.iso.date().describe('YYYY-MM-DD')
const id = z.uuid()
const currency = z.string().length(3).describe('ISO 4217 code, such as eur: amounts are converted to it by the rates that are stored').optional()

/** Which transactions are meant; what is left out does not matter. */
const which = z.object({
  from: day.optional(),
  to: day.optional(),
  search: z.string().max(200).describe('part of the name, the description or the reference number').optional(),
  status: z.enum(['paid', 'pending', 'failed']).optional(),
  category_id: id.optional(),
  account_id: id.optional(),
  tag: z.string().max(255).describe('name of a tag').optional(),
  currency: z.string().length(3).optional(),
  min_amount: z.number().describe('expenses are negative').optional(),
  max_amount: z.number().optional(),
})

function filtersOf(asked: z.output<typeof which>): TransactionFilter[] {
  const { from, to, search, status, category_id, account_id, tag, currency: code, min_amount, max_amount } = asked
  const given: (TransactionFilter | false)[] = [
    from !== undefined && { field: 'transaction_date', operation: 'from', value: from },
    to !== undefined && { field: 'transaction_date', operation: 'to', value: to },
    search !== undefined && { field: 'search', operation: 'contains', value: search },
    status !== undefined && { field: 'status', operation: 'eq', value: status },
    category_id !== undefined && { field: 'category_id', operation: 'eq', value: category_id },
    account_id !== undefined && { field: 'account_id', operation: 'eq', value: account_id },
    tag !== undefined && { field: 'tag', operation: 'eq', value: tag },
    code !== undefined && { field: 'currency', operation: 'eq', value: code.toLowerCase() },
    min_amount !== undefined && { field: 'amount', operation: 'gte', value: min_amount },
    max_amount !== undefined && { field: 'amount', operation: 'lte', value: max_amount },
  ]
  return given.filter((filter) => filter !== false)
}

/** Rows as they are told: no more than were asked for, and whether there are more. */
const bounded = <Row>(rows: Row[], most = mostRows) => ({ rows: rows.slice(0, most), has_more: rows.length > most })
/** Without what was left out. */
const named = <Args extends object>(args: Args) =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)) as { [Name in keyof Args]: NonNullable<Args[Name]> }

const range = { start_date: day.optional(), end_date: day.optional() }

export const tools: Tool[] = [
  tool({
    name: 'list_transactions',
    title: 'List transactions',
    description:
      'Transactions, the newest first, with the names of their category, account and tags. Expenses are negative. Ask again with a larger offset while has_more is true.',
    input: which.extend({
      limit: z.int().min(1).max(mostRows).default(50),
      offset: z.int().min(0).default(0),
    }),
    read: async (data, { limit, offset, ...asked }) =>
      bounded(
        await unwrap(
          data.rpc('get_filtered_transactions', { filters: filtersOf(asked) })
            .select('id, transaction_date, name, amount, currency, status, description, category:categories(id, name), account:accounts(id, name), tags(name)')
            .range(offset, offset + limit),
        ),
        limit,
      ),
  }),
  tool({
    name: 'sum_transactions',
    title: 'Add transactions up',
    description: 'What the transactions of each group add up to, or their average or number, in each currency. Transfers between own accounts do not count.',
    input: which.extend({
      group_by: z.enum(['day', 'week', 'month', 'quarter', 'year', 'category', 'status', 'currency']).default('month'),
      aggregate: z.enum(['sum', 'avg', 'count']).default('sum'),
      convert_to: currency,
    }),
    read: async (data, { group_by: p_group_by, aggregate: p_aggregate_fn, convert_to: p_convert_to, ...asked }) =>
      bounded(
        await unwrap(
          data.rpc('get_transaction_aggregate', named({ p_filters: filtersOf(asked), p_group_by, p_aggregate_fn, p_convert_to })).range(0, mostRows),
        ),
      ),
  }),
  tool({
    name: 'compare_budgets',
    title: 'Compare budgets',
    description: 'Budget, actual spending and the difference of each category, of this month unless dates are given. The end is part of it.',
    input: z.object({ ...range, convert_to: currency }),
    read: async (data, { convert_to: p_convert_to, ...dates }) =>
      bounded(await unwrap(data.rpc('get_budget_comparison', named({ ...dates, p_convert_to })).range(0, mostRows))),
  }),
  tool({
    name: 'cash_flow',
    title: 'Cash flow',
    description: 'Income, expenses and net of the last periods, and of the coming ones as subscriptions plan them.',
    input: z.object({
      grouping: z.enum(['daily', 'weekly', 'monthly', 'quarterly', 'yearly']).default('monthly'),
      periods: z.int().min(1).max(60).default(12),
      upcoming: z.int().min(0).max(24).default(0),
      account_id: id.optional(),
      convert_to: currency,
    }),
    read: async (data, { account_id: p_account_id, convert_to: p_convert_to, ...args }) =>
      bounded(await unwrap(data.rpc('get_cash_flow', named({ ...args, p_account_id, p_convert_to })).range(0, mostRows))),
  }),
  tool({
    name: 'list_accounts',
    title: 'List accounts',
    description: 'Accounts with their current balance.',
    input: z.object({}),
    read: async (data) =>
      bounded(await unwrap(data.from('accounts').select('id, name, type, currency, current_balance, institution').order('name').range(0, mostRows))),
  }),
  tool({
    name: 'list_categories',
    title: 'List categories',
    description: 'Categories with their ids, by which transactions can be asked for.',
    input: z.object({}),
    read: async (data) => bounded(await unwrap(data.from('categories').select('id, name').order('name').range(0, mostRows))),
  }),
  tool({
    name: 'list_subscriptions',
    title: 'List recurring costs',
    description: 'Recurring expenses, with what each costs a month and when it is due next.',
    input: z.object({}),
    read: async (data) =>
      bounded(
        await unwrap(
          data.from('subscriptions').select('id, title, amount, currency, period, monthly_cost, next_due_on, is_active, category:categories(name)').order(
            'title',
          )
            .range(0, mostRows),
        ),
      ),
  }),
  tool({
    name: 'upcoming_payments',
    title: 'Upcoming payments',
    description: 'The days on which recurring expenses are due, of this month unless dates are given, and whether each is recorded as a transaction already.',
    input: z.object(range),
    read: async (data, dates) => bounded(await unwrap(data.rpc('get_upcoming', named(dates)).range(0, mostRows))),
  }),
]

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

/** An object schema that refuses unknown arguments. Dropping one would answer another question than the assistant asked. */
const strict = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined
      const known = Object.keys(shape)
      return `Unknown arguments: ${issue.keys.join(', ')}. ${known.length === 0 ? 'This tool takes none.' : `Known arguments: ${known.join(', ')}.`}`
    },
  })

const mostRows = 200
/** Names per request while one is looked up, and names of an error. */
const pageOfNames = 1_000
const mostCandidates = 50
const day = z.iso.date().describe('YYYY-MM-DD')
const id = z.uuid()
const currency = z.string().length(3).describe('ISO 4217 code, such as eur: amounts are converted to it by the rates that are stored').optional()

const byAccount = { account: z.string().max(255).describe('name of an account, in any case').optional(), account_id: id.optional() }

/** Filters of transactions. */
const which = {
  from: day.optional(),
  to: day.optional(),
  search: z.string().max(200).describe('part of the name, the description or the reference number').optional(),
  status: z.enum(['paid', 'pending', 'failed']).optional(),
  category: z.string().max(255).describe('name of a category, in any case').optional(),
  category_id: id.optional(),
  ...byAccount,
  tag: z.string().max(255).describe('name of a tag').optional(),
  currency: z.string().length(3).optional(),
  min_amount: z.number().describe('expenses are negative').optional(),
  max_amount: z.number().optional(),
}
const filters = z.object(which)

/**
 * Finds a category or an account by its name.
 * @returns its id; undefined if neither a name nor an id is given
 * @throws Error that lists the names that there are, or those that fit
 */
async function idOf(data: Client['data'], table: 'categories' | 'accounts', name: string | undefined, given: string | undefined): Promise<string | undefined> {
  if (name === undefined) return given
  const what = { categories: 'category', accounts: 'account' }[table]
  if (given !== undefined) throw new Error(`Give ${what} or ${what}_id, not both.`)
  const rows: { id: string, name: string }[] = []
  for (let more = true; more;) {
    const page = await unwrap(data.from(table).select('id, name').order('name').order('id').range(rows.length, rows.length + pageOfNames - 1))
    rows.push(...page)
    more = page.length === pageOfNames
  }
  const plain = (text: string) => text.trim().normalize('NFC').toLowerCase()
  const [found, ...others] = rows.filter((row) => plain(row.name) === plain(name))
  const list = (candidates: typeof rows, text: (row: typeof rows[number]) => string) =>
    `${candidates.slice(0, mostCandidates).map(text).join(', ')}${candidates.length > mostCandidates ? ', …' : ''}`
  if (found === undefined) {
    throw new Error(
      `No ${what} is named ${JSON.stringify(name)}. ${
        rows.length === 0 ? `There are no ${table}.` : `There are: ${list(rows, (row) => JSON.stringify(row.name))}.`
      }`,
    )
  }
  if (others.length > 0) {
    throw new Error(
      `Several ${table} are named ${JSON.stringify(name)}. Ask by ${what}_id: ${list([found, ...others], (row) => `${row.id} (${JSON.stringify(row.name)})`)}.`,
    )
  }
  return found.id
}

async function filtersOf(data: Client['data'], asked: z.output<typeof filters>): Promise<TransactionFilter[]> {
  const { from, to, search, status, tag, currency: code, min_amount, max_amount } = asked
  if (from !== undefined && to !== undefined && from > to) throw new Error('from is after to.')
  if (min_amount !== undefined && max_amount !== undefined && min_amount > max_amount) throw new Error('min_amount is above max_amount.')
  const category_id = await idOf(data, 'categories', asked.category, asked.category_id)
  const account_id = await idOf(data, 'accounts', asked.account, asked.account_id)
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
    input: strict({
      ...which,
      limit: z.int().min(1).max(mostRows).default(50),
      offset: z.int().min(0).default(0),
    }),
    read: async (data, { limit, offset, ...asked }) =>
      bounded(
        await unwrap(
          data.rpc('get_filtered_transactions', { filters: await filtersOf(data, asked) })
            .select(
              'id, transaction_date, booked_on, name, amount, currency, status, description, category:categories(id, name), account:accounts(id, name), tags(name)',
            )
            .range(offset, offset + limit),
        ),
        limit,
      ),
  }),
  tool({
    name: 'sum_transactions',
    title: 'Add transactions up',
    description: 'What the transactions of each group add up to, or their average or number, in each currency. Transfers between own accounts do not count.',
    input: strict({
      ...which,
      group_by: z.enum(['day', 'week', 'month', 'quarter', 'year', 'category', 'status', 'currency']).default('month'),
      aggregate: z.enum(['sum', 'avg', 'count']).default('sum'),
      convert_to: currency,
    }),
    read: async (data, { group_by: p_group_by, aggregate: p_aggregate_fn, convert_to: p_convert_to, ...asked }) =>
      bounded(
        await unwrap(
          data.rpc('get_transaction_aggregate', named({ p_filters: await filtersOf(data, asked), p_group_by, p_aggregate_fn, p_convert_to })).range(
            0,
            mostRows,
          ),
        ),
      ),
  }),
  tool({
    name: 'compare_budgets',
    title: 'Compare budgets',
    description: 'Budget, actual spending and the difference of each category, of this month unless dates are given. The end is part of it.',
    input: strict({ ...range, convert_to: currency }),
    read: async (data, { convert_to: p_convert_to, ...dates }) =>
      bounded(await unwrap(data.rpc('get_budget_comparison', named({ ...dates, p_convert_to })).range(0, mostRows))),
  }),
  tool({
    name: 'cash_flow',
    title: 'Cash flow',
    description: 'Income, expenses and net of the last periods, and of the coming ones as subscriptions plan them.',
    input: strict({
      grouping: z.enum(['daily', 'weekly', 'monthly', 'quarterly', 'yearly']).default('monthly'),
      periods: z.int().min(1).max(60).default(12),
      upcoming: z.int().min(0).max(24).default(0),
      ...byAccount,
      convert_to: currency,
    }),
    read: async (data, { account, account_id, convert_to: p_convert_to, ...args }) => {
      const p_account_id = await idOf(data, 'accounts', account, account_id)
      return bounded(await unwrap(data.rpc('get_cash_flow', named({ ...args, p_account_id, p_convert_to })).range(0, mostRows)))
    },
  }),
  tool({
    name: 'list_accounts',
    title: 'List accounts',
    description: 'Accounts with their current balance.',
    input: strict({}),
    read: async (data) =>
      bounded(await unwrap(data.from('accounts').select('id, name, type, currency, current_balance, institution').order('name').range(0, mostRows))),
  }),
  tool({
    name: 'list_categories',
    title: 'List categories',
    description: 'Categories with their ids.',
    input: strict({}),
    read: async (data) => bounded(await unwrap(data.from('categories').select('id, name').order('name').range(0, mostRows))),
  }),
  tool({
    name: 'list_subscriptions',
    title: 'List recurring costs',
    description: 'Recurring expenses, with what each costs a month and when it is due next.',
    input: strict({}),
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
    input: strict(range),
    read: async (data, dates) => bounded(await unwrap(data.rpc('get_upcoming', named(dates)).range(0, mostRows))),
  }),
]

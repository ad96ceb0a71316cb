/** The tools of the MCP server: reports and lists, each with a maximum number of rows. */
import { z } from 'zod'
import type { TransactionFilter } from '../database.ts'
import { unwrap, type Client } from '../index.ts'

export type Tool = {
  name: string
  title: string
  description: string
  input: z.ZodObject
  /** @returns the JSON of the response to the assistant. @throws FinanceError */
  read: (data: Client['data'], input: never) => PromiseLike<unknown>
}

const tool = <Input extends z.ZodObject>(
  row: Omit<Tool, 'input' | 'read'> & {
    input: Input
    read: (data: Client['data'], input: z.output<Input>) => PromiseLike<unknown>
  },
): Tool => row

/**
 * Returns an object schema that refuses unknown arguments. If the tool ignored a misspelt filter,
 * the result would be wrong.
 */
const strict = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined
      const supported = Object.keys(shape)
      return `Unknown arguments: ${issue.keys.join(', ')}. ${
        supported.length === 0
          ? 'This tool has no arguments.'
          : `Valid arguments: ${supported.join(', ')}.`
      }`
    },
  })

const maxRows = 200
/** Rows per request while a name is looked up. */
const namesPerRequest = 1_000
/** Maximum number of names in an error message. */
const maxCandidates = 50
const day = z.iso.date().describe('YYYY-MM-DD')
const id = z.uuid()
const currency = z.string().length(3).describe(
  'ISO 4217 code, such as eur. Converts amounts by the stored exchange rates',
).optional()

const byAccount = {
  account: z.string().max(255).describe('name of an account, case-insensitive').optional(),
  account_id: id.optional(),
}

const filterArguments = {
  from: day.optional(),
  to: day.optional(),
  search: z.string().max(200).describe('part of the name, the description or the reference number')
    .optional(),
  status: z.enum(['paid', 'pending', 'failed']).optional(),
  category: z.string().max(255).describe('name of a category, case-insensitive').optional(),
  category_id: id.optional(),
  ...byAccount,
  tag: z.string().max(255).describe('name of a tag').optional(),
  currency: z.string().length(3).optional(),
  min_amount: z.number().describe('expenses are negative').optional(),
  max_amount: z.number().optional(),
}
const filters = z.object(filterArguments)

/**
 * Returns the id of a category or an account by its name; undefined without a name and an id.
 * @throws Error with the existing names if none matches, or with the ids if several match
 */
async function idOf(
  data: Client['data'],
  table: 'categories' | 'accounts',
  name: string | undefined,
  idArgument: string | undefined,
): Promise<string | undefined> {
  if (name === undefined) return idArgument
  const kind = { categories: 'category', accounts: 'account' }[table]
  if (idArgument !== undefined) throw new Error(`Set ${kind} or ${kind}_id, not both.`)
  const rows: { id: string, name: string }[] = []
  for (let more = true; more;) {
    const page = await unwrap(
      data.from(table).select('id, name').order('name').order('id').range(
        rows.length,
        rows.length + namesPerRequest - 1,
      ),
    )
    rows.push(...page)
    more = page.length === namesPerRequest
  }
  const plain = (text: string) => text.trim().normalize('NFC').toLowerCase()
  const [found, ...others] = rows.filter((row) => plain(row.name) === plain(name))
  const list = (candidates: typeof rows, text: (row: typeof rows[number]) => string) =>
    `${candidates.slice(0, maxCandidates).map(text).join(', ')}${
      candidates.length > maxCandidates ? ', …' : ''
    }`
  if (found === undefined) {
    throw new Error(
      `No ${kind} is named ${JSON.stringify(name)}. ${
        rows.length === 0
          ? `No ${table} yet.`
          : `Available: ${list(rows, (row) => JSON.stringify(row.name))}.`
      }`,
    )
  }
  if (others.length > 0) {
    throw new Error(
      `Several ${table} are named ${JSON.stringify(name)}. Use ${kind}_id: ${
        list([found, ...others], (row) => `${row.id} (${JSON.stringify(row.name)})`)
      }.`,
    )
  }
  return found.id
}

async function filtersOf(
  data: Client['data'],
  input: z.output<typeof filters>,
): Promise<TransactionFilter[]> {
  const { from, to, search, status, tag, currency: code, min_amount, max_amount } = input
  if (from !== undefined && to !== undefined && from > to) throw new Error('from is after to.')
  if (min_amount !== undefined && max_amount !== undefined && min_amount > max_amount)
    throw new Error('min_amount is above max_amount.')
  const category_id = await idOf(data, 'categories', input.category, input.category_id)
  const account_id = await idOf(data, 'accounts', input.account, input.account_id)
  const list: (TransactionFilter | false)[] = [
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
  return list.filter((filter) => filter !== false)
}

/** Limits the rows of a response. `has_more` is true if the query returned more. */
const bounded = <Row>(rows: Row[], max = maxRows) => ({
  rows: rows.slice(0, max),
  has_more: rows.length > max,
})
/** Removes undefined arguments. */
const defined = <Args extends object>(args: Args) =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Args]: NonNullable<Args[Name]>
  }

const range = { start_date: day.optional(), end_date: day.optional() }

export const tools: Tool[] = [
  tool({
    name: 'list_transactions',
    title: 'List transactions',
    description:
      'Transactions, newest first, with the names of their category, account and tags. Expenses are negative. While has_more is true, call again with a larger offset.',
    input: strict({
      ...filterArguments,
      limit: z.int().min(1).max(maxRows).default(50),
      offset: z.int().min(0).default(0),
    }),
    read: async (data, { limit, offset, ...input }) =>
      bounded(
        await unwrap(
          data.rpc('get_filtered_transactions', { filters: await filtersOf(data, input) })
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
    description:
      'Sum, average or count of the transactions per group and currency. Transfers between own accounts count only in a report by account. left_out counts transactions without an exchange rate, which are not in the value.',
    input: strict({
      ...filterArguments,
      group_by: z.enum([
        'day',
        'week',
        'month',
        'quarter',
        'year',
        'category',
        'parent',
        'tag',
        'account',
        'payee',
        'status',
        'currency',
      ]).default('month'),
      aggregate: z.enum(['sum', 'avg', 'count']).default('sum'),
      convert_to: currency,
    }),
    read: async (
      data,
      { group_by: p_group_by, aggregate: p_aggregate_fn, convert_to: p_convert_to, ...input },
    ) =>
      bounded(
        await unwrap(
          data.rpc(
            'get_transaction_aggregate',
            defined({
              p_filters: await filtersOf(data, input),
              p_group_by,
              p_aggregate_fn,
              p_convert_to,
            }),
          ).range(
            0,
            maxRows,
          ),
        ),
      ),
  }),
  tool({
    name: 'compare_budgets',
    title: 'Compare budgets',
    description:
      'Budget, actual spending and difference per category. Default: this month. end_date is included.',
    input: strict({ ...range, convert_to: currency }),
    read: async (data, { convert_to: p_convert_to, ...dates }) =>
      bounded(
        await unwrap(
          data.rpc('get_budget_comparison', defined({ ...dates, p_convert_to })).range(0, maxRows),
        ),
      ),
  }),
  tool({
    name: 'cash_flow',
    title: 'Cash flow',
    description:
      'Income, expenses and net by period: between two days, or of the last periods; and of future periods as planned by subscriptions.',
    input: strict({
      grouping: z.enum(['daily', 'weekly', 'monthly', 'quarterly', 'yearly']).default('monthly'),
      periods: z.int().min(1).max(60).describe('number of periods; leave it out with from')
        .optional(),
      from: day.optional(),
      to: day.describe('YYYY-MM-DD, included; leave it out with upcoming').optional(),
      upcoming: z.int().min(0).max(24).default(0),
      ...byAccount,
      convert_to: currency,
    }),
    read: async (
      data,
      { account, account_id, convert_to: p_convert_to, from: p_from, to: p_to, ...args },
    ) => {
      const p_account_id = await idOf(data, 'accounts', account, account_id)
      return bounded(
        await unwrap(
          data.rpc('get_cash_flow', defined({ ...args, p_account_id, p_convert_to, p_from, p_to }))
            .range(0, maxRows),
        ),
      )
    },
  }),
  tool({
    name: 'list_accounts',
    title: 'List accounts',
    description: 'Accounts with their current balance.',
    input: strict({}),
    read: async (data) =>
      bounded(
        await unwrap(
          data.from('accounts').select('id, name, type, currency, current_balance, institution')
            .order('name').range(0, maxRows),
        ),
      ),
  }),
  tool({
    name: 'list_categories',
    title: 'List categories',
    description: 'Categories with their ids.',
    input: strict({}),
    read: async (data) =>
      bounded(
        await unwrap(data.from('categories').select('id, name').order('name').range(0, maxRows)),
      ),
  }),
  tool({
    name: 'list_subscriptions',
    title: 'List recurring expenses, income and transfers',
    description:
      'Recurring expenses, income and transfers with their next due date; expenses also with their monthly cost.',
    input: strict({}),
    read: async (data) =>
      bounded(
        await unwrap(
          data.from('subscriptions').select(
            'id, title, kind, amount, currency, period, monthly_cost, next_due_on, is_active, category:categories(name)',
          ).order(
            'title',
          )
            .range(0, maxRows),
        ),
      ),
  }),
  tool({
    name: 'upcoming_payments',
    title: 'Upcoming payments',
    description:
      'Due dates of recurring expenses, income and transfers. Default: this month. Each says if it is already recorded as a transaction.',
    input: strict(range),
    read: async (data, dates) =>
      bounded(await unwrap(data.rpc('get_upcoming', defined(dates)).range(0, maxRows))),
  }),
]

/**
 * Random books: every report matches the model, exact to the cent. A failure prints the seed and
 * the smallest failing books and question.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type Answer, type Caller, type DataStack } from '../support/data.ts'
import { comparison } from './budgets.ts'
import { cents, questionOf, sketches, store } from './books.ts'
import { periodOf, plusDays, units, type Unit } from './days.ts'
import {
  aggregate,
  balanceOn,
  balances,
  cashFlow,
  distribution,
  measured,
  missingRates,
  stat,
  worthOf,
  type Books,
  type Fn,
  type Group,
  type Grouping,
  type Question,
} from './model.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const fns: Fn[] = ['sum', 'avg', 'count']
const groupings: Grouping[] = [
  ...units,
  'category',
  'parent',
  'tag',
  'account',
  'payee',
  'status',
  'currency',
]
const flows: Record<Unit, string> = {
  day: 'daily',
  week: 'weekly',
  month: 'monthly',
  quarter: 'quarterly',
  year: 'yearly',
}

type Query = { question: Question, call: (name: string, body: unknown) => Promise<Answer> }

const filtersOf = (
  { filter: { first, last, currency, accounts, categories, statuses } }: Question,
) => [
  ...(first === undefined
    ? []
    : [{ field: 'transaction_date', operation: 'between', value: [first, last] }]),
  ...(currency === undefined ? [] : [{ field: 'currency', operation: 'eq', value: currency }]),
  ...(accounts === undefined ? [] : [
    accounts.length === 1
      ? { field: 'account_id', operation: 'eq', value: accounts[0] }
      : { field: 'account_id', operation: 'in', value: accounts },
  ]),
  ...(categories === undefined ? [] : [
    categories.includes(null)
      ? { field: 'category_id', operation: 'is_null', value: true }
      : { field: 'category_id', operation: 'in', value: categories },
  ]),
  ...(statuses === undefined ? [] : [{ field: 'status', operation: 'in', value: statuses }]),
]
const converting = ({ convertTo }: Question) =>
  convertTo === undefined ? {} : { p_convert_to: convertTo }

const inOrder = (rows: (string | null | bigint)[][]): string[] =>
  rows.map((row) => row.map(String).join(' ')).toSorted()
/** The figures of a group in the order of figuresOf(). */
const expectedOf = (group: Group, fn: Fn) => [
  group.key,
  group.currency,
  measured(group, fn),
  group.count,
  fn === 'avg' ? null : fn === 'sum' ? group.pending : group.pendingCount,
  group.leftOut,
]
const numberOf = (value: unknown, fn: Fn): bigint | null =>
  value === null ? null : fn === 'count' ? BigInt(Number(value)) : cents(value)

async function compareStat(books: Books, { question, call }: Query, fn: Fn): Promise<void> {
  const expected = stat(books, question, fn)
  const answer = await call('get_transaction_stat', {
    p_filters: filtersOf(question),
    p_aggregate_fn: fn,
    p_transaction_type: question.filter.type,
    ...converting(question),
  })
  if (Array.isArray(expected))
    return expect([answer.status, answer.body.message]).toEqual([
      400,
      expect.stringContaining(expected.join(', ').toUpperCase()),
    ])
  expect([answer.status, numberOf(answer.body, fn)], answer.text).toEqual([200, expected.figure])
  expect(BigInt(answer.headers.get('x-left-out') ?? 0)).toBe(expected.leftOut)
}

async function compareAggregate(
  books: Books,
  { question, call }: Query,
  grouping: Grouping,
  fn: Fn,
): Promise<void> {
  const { type: _, ...filter } = question.filter
  const expected = aggregate(books, { ...question, filter }, grouping)
  const answer = await call('get_transaction_aggregate', {
    p_filters: filtersOf(question),
    p_group_by: grouping,
    p_aggregate_fn: fn,
    ...converting(question),
  })
  expect(answer.status, answer.text).toBe(200)
  const found = answer.body.map((row: Record<string, any>) => [
    row['key'],
    row['currency'],
    numberOf(row['value'], fn),
    BigInt(row['count']),
    numberOf(row['pending'], fn),
    BigInt(row['left_out']),
  ])
  expect(inOrder(found)).toEqual(inOrder(expected.map((group) => expectedOf(group, fn))))
}

async function compareDistribution(
  books: Books,
  { question, call }: Query,
  isByParent: boolean,
): Promise<void> {
  const { categories: _, statuses: __, ...filter } = question.filter
  const { first, last, currency, accounts, type } = filter
  // The report takes one account.
  if (accounts !== undefined && accounts.length > 1) return
  const expected = distribution(books, { ...question, filter }, isByParent)
  const answer = await call('get_transaction_distribution_by_category', {
    params: {
      filters: {
        transaction_type: type,
        ...(first === undefined ? {} : { start_date: first, end_date: last }),
        ...(currency === undefined ? {} : { currency }),
        ...(accounts === undefined ? {} : { account_id: accounts[0] }),
      },
      ...converting(question),
      ...(isByParent ? { p_group_by: 'parent' } : {}),
    },
  })
  expect(answer.status, answer.text).toBe(200)
  const found = answer.body.map((row: Record<string, any>) => [
    row['category_id'],
    row['currency'],
    cents(row['total']),
    BigInt(row['count']),
    cents(row['pending']),
    BigInt(row['left_out']),
  ])
  expect(inOrder(found)).toEqual(inOrder(expected.map((group) => expectedOf(group, 'sum'))))
}

/**
 * The number of periods. The books end before this year, so 120 periods cover them by months and
 * longer. By days and weeks only a part is covered.
 */
async function compareCashFlow(books: Books, { question, call }: Query, unit: Unit): Promise<void> {
  const { currency, accounts } = question.filter
  if (accounts !== undefined && accounts.length > 1) return
  const filter = {
    ...(currency === undefined ? {} : { currency }),
    ...(accounts === undefined ? {} : { accounts }),
  }
  const answer = await call('get_cash_flow', {
    grouping: flows[unit],
    periods: 120,
    ...(currency === undefined ? {} : { p_currency: currency }),
    ...(accounts === undefined ? {} : { p_account_id: accounts[0] }),
    ...converting(question),
  })
  expect(answer.status, answer.text).toBe(200)
  const first: string = answer.body[0].period
  const isWhole = unit !== 'day' && unit !== 'week'
  const expected = cashFlow(books, {
    ...question,
    filter: { ...filter, ...(isWhole ? {} : { first }) },
  }, unit)
  const found = answer.body.flatMap((row: Record<string, any>) => {
    const [income, expenses, net, pending] = [
      cents(row['income']),
      cents(row['expenses']),
      cents(row['net']),
      cents(row['pending']),
    ]
    const leftOut = BigInt(row['left_out'])
    expect(net).toBe(income - expenses)
    expect(periodOf(row['period'], unit)).toBe(row['period'])
    return income === 0n && expenses === 0n && leftOut === 0n
      ? []
      : [[`${row['currency']} ${row['period']}`, income, expenses, pending, leftOut]]
  })
  const wanted = [...expected].filter(([, { income, expenses, leftOut }]) =>
    income !== 0n || expenses !== 0n || leftOut !== 0n
  )
    .map((
      [name, { income, expenses, pending, leftOut }],
    ) => [name, income, expenses, pending, leftOut])
  expect(inOrder(found)).toEqual(inOrder(wanted))
}

async function compareMissingRates(books: Books, { question, call }: Query): Promise<void> {
  if (question.convertTo === undefined) return
  const { type: _, ...filter } = question.filter
  const answer = await call('get_missing_rates', {
    p_filters: filtersOf(question),
    p_convert_to: question.convertTo,
  })
  expect(answer.status, answer.text).toBe(200)
  const found = answer.body.map((row: Record<string, any>) => {
    expect(row['transaction_ids']).toHaveLength(row['transactions'])
    return [row['currency'], row['day'], BigInt(row['transactions'])]
  })
  const expected = missingRates(books, { ...question, filter })
  expect(inOrder(found)).toEqual(
    inOrder(expected.map(({ currency, day, transactions }) => [currency, day, transactions])),
  )
}

async function compareBudgets(books: Books, { question, call }: Query): Promise<void> {
  const { first, last, currency } = question.filter
  if (first === undefined || last === undefined) return
  const filter = { first, last, ...(currency === undefined ? {} : { currency }) }
  const expected = comparison(books, { ...question, filter })
  const answer = await call('get_budget_comparison', {
    start_date: first,
    end_date: last,
    ...(currency === undefined ? {} : { p_currency: currency }),
    ...converting(question),
  })
  expect(answer.status, answer.text).toBe(200)
  const found = answer.body.map((row: Record<string, any>) => {
    const [budget, actual] = [cents(row['budget']), cents(row['actual'])]
    expect(cents(row['difference'])).toBe(budget - actual)
    return [
      row['category_id'],
      row['currency'],
      budget,
      actual,
      cents(row['pending']),
      BigInt(row['left_out']),
    ]
  })
  expect(inOrder(found)).toEqual(
    inOrder(
      expected.map((
        row,
      ) => [row.category, row.currency, row.budget, row.actual, row.pending, row.leftOut]),
    ),
  )
}

/** The books end before this year, so the balances of its first day are those of today. */
async function compareCurrentBalances(caller: Caller, books: Books): Promise<void> {
  const { body } = await caller.get('/accounts?select=id,current_balance')
  expect(
    inOrder(body.map((row: Record<string, any>) => [row['id'], cents(row['current_balance'])])),
  )
    .toEqual(
      inOrder(
        books.accounts.map((
          account,
        ) => [account.id, balanceOn(books, account, 'UTC', books.present)]),
      ),
    )
}

async function compareBalances(books: Books, { question, call }: Query, on: string): Promise<void> {
  const answer = await call('get_balances', { on_date: on, ...converting(question) })
  expect(answer.status, answer.text).toBe(200)
  expect(
    inOrder(
      answer.body.map((
        row: Record<string, any>,
      ) => [row['account_id'], row['currency'], cents(row['balance'])]),
    ),
  )
    .toEqual(
      inOrder(
        balances(books, question.zone, on, question.convertTo).map((
          row,
        ) => [row.account, row.currency, row.amount]),
      ),
    )
}

/**
 * The last day of a period is the day before the next one, and of the last period today: of the
 * books, a day of this year.
 */
async function compareWorth(books: Books, { question, call }: Query, unit: Unit): Promise<void> {
  const answer = await call('get_net_worth', {
    grouping: flows[unit],
    periods: 60,
    ...converting(question),
  })
  expect(answer.status, answer.text).toBe(200)
  const periods: string[] = [
    ...new Set<string>(answer.body.map((row: Record<string, any>) => row['period'])),
  ].toSorted()
  expect(periods).toHaveLength(60)
  const expected = periods.flatMap((period, at) => {
    const next = periods[at + 1]
    const last = next !== undefined
      ? plusDays(next, -1)
      : period > books.present
      ? period
      : books.present
    return [...worthOf(balances(books, question.zone, last, question.convertTo))]
      .map(([currency, { assets, liabilities }]) => [period, currency, assets, liabilities])
  })
  const found = answer.body.map((row: Record<string, any>) => {
    const [assets, liabilities] = [cents(row['assets']), cents(row['liabilities'])]
    expect(cents(row['net'])).toBe(assets - liabilities)
    return [row['period'], row['currency'], assets, liabilities]
  })
  const moved = (rows: (string | bigint)[][]) =>
    inOrder(rows.filter(([, , assets, liabilities]) => assets !== 0n || liabilities !== 0n))
  expect(moved(found)).toEqual(moved(expected))
}

test('every report of random books matches the model, to the cent', async () => {
  const year = new Date().getUTCFullYear()
  await fc.assert(
    fc.asyncProperty(sketches(year), async (sketch) => {
      const caller = stack.as(await stack.person())
      const { books, categories } = await store(caller, sketch, year)
      await compareCurrentBalances(caller, books)
      for (const one of sketch.questions) {
        const question = questionOf(one, books, categories)
        const query: Query = {
          question,
          call: (name, body) =>
            caller.post(`/rpc/${name}`, body, { prefer: `timezone=${question.zone}` }),
        }
        for (const fn of fns) {
          await compareStat(books, query, fn)
          for (const grouping of groupings) await compareAggregate(books, query, grouping, fn)
        }
        await compareDistribution(books, query, false)
        await compareDistribution(books, query, true)
        await compareMissingRates(books, query)
        await compareBudgets(books, query)
        await compareBalances(books, query, one.on)
        for (const unit of units) {
          await compareCashFlow(books, query, unit)
          await compareWorth(books, query, unit)
        }
      }
    }),
    { numRuns: Number(process.env['BOOKS'] ?? 40) },
  )
})

test('a later change of budgets does not change the months before', async () => {
  const year = new Date().getUTCFullYear()
  const change = fc.record({
    which: fc.nat({ max: 7 }),
    to: fc.oneof(
      fc.record({ amount: fc.nat({ max: 200 }) }),
      fc.record({ rollover: fc.boolean() }),
      fc.record({ currency: fc.constantFrom('usd', 'eur', 'jpy', 'chf') }),
      fc.constant('deleted' as const),
    ),
  })
  await fc.assert(
    fc.asyncProperty(
      sketches(year),
      fc.array(change, { minLength: 1, maxLength: 6 }),
      async (sketch, changes) => {
        const caller = stack.as(await stack.person())
        const { books, categories } = await store(caller, sketch, year)
        const questions = sketch.questions.map((one) => questionOf(one, books, categories))
        const queryOf = (question: Question): Query => ({
          question,
          call: (name, body) =>
            caller.post(`/rpc/${name}`, body, { prefer: `timezone=${question.zone}` }),
        })
        for (const { which, to } of changes) {
          const { body: rows } = await caller.get('/budgets?month=is.null&select=id&order=id')
          const row = rows[which]
          const category = categories[which % categories.length]
          // A second row of a currency is refused, and a category without a number stays without
          // one.
          if (row !== undefined)
            await (to === 'deleted'
              ? caller.delete(`/budgets?id=eq.${row.id}`)
              : caller.patch(`/budgets?id=eq.${row.id}`, to))
          else {
            const number = to === 'deleted' ?
              { monthly_budget: null } :
              'amount' in to ?
              { monthly_budget: to.amount } :
              {
                budget_currency: 'currency' in to ? to.currency : 'usd',
              }
            await caller.patch(`/categories?id=eq.${category}&monthly_budget=not.is.null`, number)
          }
          for (const question of questions) await compareBudgets(books, queryOf(question))
        }
      },
    ),
    { numRuns: Number(process.env['BOOKS'] ?? 20) },
  )
})

test('all reports of the same range agree with each other', async () => {
  const year = new Date().getUTCFullYear()
  await fc.assert(
    fc.asyncProperty(sketches(year), async (sketch) => {
      const caller = stack.as(await stack.person())
      const { books, categories } = await store(caller, sketch, year)
      for (const one of sketch.questions) {
        const question = questionOf(
          {
            ...one,
            categories: undefined,
            statuses: undefined,
            accounts: one.accounts?.slice(0, 1),
            type: 'balance',
          },
          books,
          categories,
        )
        const headers = { prefer: `timezone=${question.zone}` }
        const add = (rows: Record<string, any>[], column: string) =>
          rows.reduce((sum, row) => sum + cents(row[column]), 0n)
        const filters = filtersOf(question)
        let total: bigint | undefined
        // One after the other, because a user has few slow requests at once.
        for (
          const p_group_by of groupings.filter((grouping) =>
            !['status', 'account', 'tag'].includes(grouping)
          )
        ) {
          const { status, text, body } = await caller.post(
            '/rpc/get_transaction_aggregate',
            { p_filters: filters, p_group_by, ...converting(question) },
            headers,
          )
          expect(status, text).toBe(200)
          total ??= add(body, 'value')
          expect(add(body, 'value')).toBe(total)
        }
        const { first, last, currency, accounts } = question.filter
        const distributed = await caller.post('/rpc/get_transaction_distribution_by_category', {
          params: {
            filters: {
              ...(first === undefined ? {} : { start_date: first, end_date: last }),
              currency: currency ?? null,
              account_id: accounts?.[0] ?? null,
            },
            ...converting(question),
          },
        }, headers)
        expect(distributed.status === 200 ? add(distributed.body, 'total') : distributed.text).toBe(
          total,
        )
      }
    }),
    { numRuns: Number(process.env['BOOKS'] ?? 20) },
  )
})

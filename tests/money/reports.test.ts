/** Random books: every report matches the model, exact to the cent. A failure prints the seed and the smallest failing books and question. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type Answer, type Caller, type DataStack } from '../support/data.ts'
import { comparison } from './budgets.ts'
import { cents, questionOf, sketches, store } from './books.ts'
import { periodOf, units, type Unit } from './days.ts'
import {
  aggregate,
  cashFlow,
  converted,
  currentBalance,
  distribution,
  measured,
  MissingRate,
  stat,
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
const groupings: Grouping[] = [...units, 'category', 'status', 'currency']
const flows: Record<Unit, string> = { day: 'daily', week: 'weekly', month: 'monthly', quarter: 'quarterly', year: 'yearly' }

type Query = { question: Question, call: (name: string, body: unknown) => Promise<Answer> }

/** The result of the model, or its refusal. */
function orMissing<Value>(answer: () => Value): Value | MissingRate {
  try {
    return answer()
  } catch (error) {
    if (error instanceof MissingRate) return error
    throw error
  }
}

/** Expects a refusal that names a currency pair and a day without a rate in the books. */
function expectMissing({ rates }: Books, { status, body }: Answer): void {
  expect([status, body.code]).toEqual([400, '22023'])
  const [, from = '', to = '', day = ''] = /^no exchange rate from (\w+) to (\w+) on or before ([\d-]+)$/.exec(body.message) ?? []
  expect(() => converted(100n, rates, from, to, day), body.message).toThrow(MissingRate)
}

const filtersOf = ({ filter: { first, last, currency, account, categories, statuses } }: Question) => [
  ...(first === undefined ? [] : [{ field: 'transaction_date', operation: 'between', value: [first, last] }]),
  ...(currency === undefined ? [] : [{ field: 'currency', operation: 'eq', value: currency }]),
  ...(account === undefined ? [] : [{ field: 'account_id', operation: 'eq', value: account }]),
  ...(categories === undefined ? [] : [
    categories.includes(null)
      ? { field: 'category_id', operation: 'is_null', value: true }
      : { field: 'category_id', operation: 'in', value: categories },
  ]),
  ...(statuses === undefined ? [] : [{ field: 'status', operation: 'in', value: statuses }]),
]
const converting = ({ convertTo }: Question) => convertTo === undefined ? {} : { p_convert_to: convertTo }

const inOrder = (rows: (string | null | bigint)[][]): string[] => rows.map((row) => row.map(String).join(' ')).toSorted()
const rowsOf = (groups: Group[], fn: Fn) => inOrder(groups.map((group) => [group.key, group.currency, measured(group, fn), group.count]))
const numberOf = (value: unknown, fn: Fn): bigint => fn === 'count' ? BigInt(Number(value)) : cents(value)

async function compareStat(books: Books, { question, call }: Query, fn: Fn): Promise<void> {
  const expected = orMissing(() => stat(books, question, fn))
  const answer = await call('get_transaction_stat', {
    p_filters: filtersOf(question),
    p_aggregate_fn: fn,
    p_transaction_type: question.filter.type,
    ...converting(question),
  })
  if (expected instanceof MissingRate) expectMissing(books, answer)
  else if (Array.isArray(expected)) expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(expected.join(', '))])
  else expect([answer.status, numberOf(answer.body, fn)], answer.text).toEqual([200, expected])
}

async function compareAggregate(books: Books, { question, call }: Query, grouping: Grouping, fn: Fn): Promise<void> {
  const { type: _, ...filter } = question.filter
  const expected = orMissing(() => aggregate(books, { ...question, filter }, grouping))
  const answer = await call('get_transaction_aggregate', { p_filters: filtersOf(question), p_group_by: grouping, p_aggregate_fn: fn, ...converting(question) })
  if (expected instanceof MissingRate) return expectMissing(books, answer)
  expect(answer.status, answer.text).toBe(200)
  const found = inOrder(answer.body.map((row: Record<string, any>) => [row['key'], row['currency'], numberOf(row['value'], fn), BigInt(row['count'])]))
  expect(found).toEqual(rowsOf(expected, fn))
}

async function compareDistribution(books: Books, { question, call }: Query): Promise<void> {
  const { categories: _, statuses: __, ...filter } = question.filter
  const { first, last, currency, account, type } = filter
  const expected = orMissing(() => distribution(books, { ...question, filter }))
  const answer = await call('get_transaction_distribution_by_category', {
    params: {
      filters: {
        transaction_type: type,
        ...(first === undefined ? {} : { start_date: first, end_date: last }),
        ...(currency === undefined ? {} : { currency }),
        ...(account === undefined ? {} : { account_id: account }),
      },
      ...converting(question),
    },
  })
  if (expected instanceof MissingRate) return expectMissing(books, answer)
  expect(answer.status, answer.text).toBe(200)
  const found = inOrder(answer.body.map((row: Record<string, any>) => [row['category_id'], row['currency'], cents(row['total']), BigInt(row['count'])]))
  expect(found).toEqual(rowsOf(expected, 'sum'))
}

/**
 * The number of periods. The books end before this year, so 120 periods cover them by months and longer. By days and weeks only a part is covered.
 */
async function compareCashFlow(books: Books, { question, call }: Query, unit: Unit): Promise<void> {
  const { currency, account } = question.filter
  const filter = { ...(currency === undefined ? {} : { currency }), ...(account === undefined ? {} : { account }) }
  const answer = await call('get_cash_flow', {
    grouping: flows[unit],
    periods: 120,
    ...(currency === undefined ? {} : { p_currency: currency }),
    ...(account === undefined ? {} : { p_account_id: account }),
    ...converting(question),
  })
  const first: string | undefined = answer.status === 200 ? answer.body[0].period : undefined
  const isWhole = unit !== 'day' && unit !== 'week'
  const expected = orMissing(() => cashFlow(books, { ...question, filter: { ...filter, ...(first === undefined || isWhole ? {} : { first }) } }, unit))
  if (expected instanceof MissingRate && (isWhole || answer.status !== 200)) return expectMissing(books, answer)
  expect(answer.status, answer.text).toBe(200)
  if (expected instanceof MissingRate) throw new Error(`answered without a rate: ${expected.message}`)
  const found = answer.body.flatMap((row: Record<string, any>) => {
    const [income, expenses, net] = [cents(row['income']), cents(row['expenses']), cents(row['net'])]
    expect(net).toBe(income - expenses)
    expect(periodOf(row['period'], unit)).toBe(row['period'])
    return income === 0n && expenses === 0n ? [] : [[`${row['currency']} ${row['period']}`, income, expenses]]
  })
  const wanted = [...expected].filter(([, flow]) => flow.income !== 0n || flow.expenses !== 0n).map(([name, flow]) => [name, flow.income, flow.expenses])
  expect(inOrder(found)).toEqual(inOrder(wanted))
}

async function compareBudgets(books: Books, { question, call }: Query): Promise<void> {
  const { first, last, currency } = question.filter
  if (first === undefined || last === undefined) return
  const filter = { first, last, ...(currency === undefined ? {} : { currency }) }
  const expected = orMissing(() => comparison(books, { ...question, filter }))
  const answer = await call('get_budget_comparison', {
    start_date: first,
    end_date: last,
    ...(currency === undefined ? {} : { p_currency: currency }),
    ...converting(question),
  })
  if (expected instanceof MissingRate) return expectMissing(books, answer)
  expect(answer.status, answer.text).toBe(200)
  const found = answer.body.map((row: Record<string, any>) => {
    const [budget, actual] = [cents(row['budget']), cents(row['actual'])]
    expect(cents(row['difference'])).toBe(budget - actual)
    return [row['category_id'], row['currency'], budget, actual]
  })
  expect(inOrder(found)).toEqual(inOrder(expected.map((row) => [row.category, row.currency, row.budget, row.actual])))
}

async function compareBalances(caller: Caller, books: Books): Promise<void> {
  const { body } = await caller.get('/accounts?select=id,current_balance')
  expect(inOrder(body.map((row: Record<string, any>) => [row['id'], cents(row['current_balance'])])))
    .toEqual(inOrder(books.accounts.map((account) => [account.id, currentBalance(books, account)])))
}

test('every report of random books matches the model, to the cent', async () => {
  const year = new Date().getUTCFullYear()
  await fc.assert(
    fc.asyncProperty(sketches(year), async (sketch) => {
      const caller = stack.as(await stack.person())
      const { books, categories } = await store(caller, sketch, year)
      await compareBalances(caller, books)
      for (const one of sketch.questions) {
        const question = questionOf(one, books, categories)
        const query: Query = { question, call: (name, body) => caller.post(`/rpc/${name}`, body, { prefer: `timezone=${question.zone}` }) }
        for (const fn of fns) {
          await compareStat(books, query, fn)
          for (const grouping of groupings) await compareAggregate(books, query, grouping, fn)
        }
        await compareDistribution(books, query)
        await compareBudgets(books, query)
        for (const unit of units) await compareCashFlow(books, query, unit)
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
    fc.asyncProperty(sketches(year), fc.array(change, { minLength: 1, maxLength: 6 }), async (sketch, changes) => {
      const caller = stack.as(await stack.person())
      const { books, categories } = await store(caller, sketch, year)
      const questions = sketch.questions.map((one) => questionOf(one, books, categories))
      const queryOf = (question: Question): Query => ({
        question,
        call: (name, body) => caller.post(`/rpc/${name}`, body, { prefer: `timezone=${question.zone}` }),
      })
      for (const { which, to } of changes) {
        const { body: rows } = await caller.get('/budgets?month=is.null&select=id&order=id')
        const row = rows[which]
        const category = categories[which % categories.length]
        // A second row of a currency is refused, and a category without a number stays without one.
        if (row !== undefined) await (to === 'deleted' ? caller.delete(`/budgets?id=eq.${row.id}`) : caller.patch(`/budgets?id=eq.${row.id}`, to))
        else {
          const number = to === 'deleted' ? { monthly_budget: null } : 'amount' in to ? { monthly_budget: to.amount } : {
            budget_currency: 'currency' in to ? to.currency : 'usd',
          }
          await caller.patch(`/categories?id=eq.${category}&monthly_budget=not.is.null`, number)
        }
        for (const question of questions) await compareBudgets(books, queryOf(question))
      }
    }),
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
        const question = questionOf({ ...one, categories: undefined, statuses: undefined, type: 'balance' }, books, categories)
        const headers = { prefer: `timezone=${question.zone}` }
        const add = (rows: Record<string, any>[], column: string) => rows.reduce((sum, row) => sum + cents(row[column]), 0n)
        const filters = filtersOf(question)
        const groups = await Promise.all(
          groupings.filter((grouping) => grouping !== 'status').map((p_group_by) =>
            caller.post('/rpc/get_transaction_aggregate', { p_filters: filters, p_group_by, ...converting(question) }, headers)
          ),
        )
        if (groups.some(({ status }) => status !== 200)) {
          // If a rate is missing for one report, it is missing for all.
          expect(new Set(groups.map(({ text }) => text)).size).toBe(1)
          continue
        }
        const [total] = groups.map(({ body }) => add(body, 'value'))
        for (const { body } of groups) expect(add(body, 'value')).toBe(total)
        const { first, last, currency, account } = question.filter
        const distributed = await caller.post('/rpc/get_transaction_distribution_by_category', {
          params: {
            filters: { ...(first === undefined ? {} : { start_date: first, end_date: last }), currency: currency ?? null, account_id: account ?? null },
            ...converting(question),
          },
        }, headers)
        expect(distributed.status === 200 ? add(distributed.body, 'total') : distributed.text).toBe(total)
      }
    }),
    { numRuns: Number(process.env['BOOKS'] ?? 20) },
  )
})

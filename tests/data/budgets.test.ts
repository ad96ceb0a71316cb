/**
 * Budgets: the budget of each month, the rollover, the comparison with what was spent, and planned
 * costs beside the cash flow.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  dataStack,
  type Account,
  type Caller,
  type DataStack,
  type Organization,
} from '../support/data.ts'
import { budget, category, compare, figures, spend, type Row } from './budget-calls.ts'

let stack: DataStack
let ada: Account
let team: Organization
let ours: Caller
let viewer: Caller

beforeAll(async () => {
  stack = await dataStack()
  ada = await stack.person('ada')
  const bob = await stack.person('bob')
  team = await stack.organization({ owner: ada, viewer: bob })
  ours = stack.as(ada, team)
  viewer = stack.as(bob, team)
})
afterAll(() => stack.stop())

const someone = async () => stack.as(await stack.person())

test("the budget of a month is the month's own budget, otherwise the budget of every month, otherwise the category's number", async () => {
  const caller = await someone()
  const food = await category(caller, { monthly_budget: 100 })
  expect(figures(await compare(caller, '2025-01-01', '2025-03-31'))).toEqual([['usd', 300, 0, 300]])
  await budget(caller, food, null, 200)
  expect(figures(await compare(caller, '2025-01-01', '2025-03-31'))).toEqual([['usd', 600, 0, 600]])
  await budget(caller, food, '2025-02', 50)
  expect(figures(await compare(caller, '2025-01-01', '2025-03-31'))).toEqual([['usd', 450, 0, 450]])
  // Half of February, and one day of March.
  expect(figures(await compare(caller, '2025-02-15', '2025-03-01'))).toEqual([[
    'usd',
    31.45,
    0,
    31.45,
  ]])
  const other = await category(caller, { name: 'None' })
  await spend(caller, other, '2025-01-05', 5)
  await budget(caller, other, '2025-06', 1)
  expect((await compare(caller, '2025-01-01', '2025-03-31')).body).toHaveLength(1)
})

test('the budget of a month has one row for each currency that is budgeted or spent', async () => {
  const caller = await someone()
  const food = await category(caller, { monthly_budget: 310, budget_currency: 'eur' })
  await budget(caller, food, '2025-01', 80, { currency: 'CHF' })
  for (const [currency, amount] of [['usd', 1], ['eur', 10], ['chf', -2.5]] as const)
    await spend(caller, food, '2025-01-05', amount, currency)
  const january = ['2025-01-01', '2025-01-31'] as const
  const rows = [['chf', 80, -2.5, 82.5], ['eur', 310, 10, 300], ['usd', 0, 1, -1]]
  expect(figures(await compare(caller, ...january))).toEqual(rows)
  for (const [index, currency] of ['chf', 'EUR', 'usd'].entries())
    expect(figures(await compare(caller, ...january, `&p_currency=${currency}`))).toEqual([
      rows[index],
    ])
  expect(figures(await compare(caller, ...january, '&p_currency=gbp'))).toEqual([])
})

test('the budget of a month has no decimals in yen, also for a part of a month', async () => {
  const caller = await someone()
  await category(caller, { monthly_budget: 1000, budget_currency: 'jpy' })
  expect(figures(await compare(caller, '2025-01-01', '2025-01-10'))).toEqual([['jpy', 323, 0, 323]])
})

test("the budget of a month is converted at the rate of the range's last day, and each transaction at the rate of its own day", async () => {
  const caller = await someone()
  const food = await category(caller, { monthly_budget: 100, budget_currency: 'eur' })
  await spend(caller, food, '2025-01-05', 10, 'eur')
  await spend(caller, food, '2025-01-25', 10, 'eur')
  await spend(caller, food, '2025-01-25', 3)
  const converted = () => compare(caller, '2025-01-01', '2025-01-31', '&p_convert_to=USD')
  // The budget and two transactions have no rate.
  expect((await converted()).body).toMatchObject([{
    currency: 'usd',
    budget: 0,
    actual: 3,
    left_out: 3,
  }])
  await caller.create('exchange_rates', [{
    on_date: '2025-01-01',
    base: 'eur',
    quote: 'usd',
    rate: 1.1,
  }, {
    on_date: '2025-01-20',
    base: 'eur',
    quote: 'usd',
    rate: 1.2,
  }])
  expect(figures(await converted())).toEqual([['usd', 120, 26, 94]])
  expect(
    figures(await compare(caller, '2025-01-01', '2025-01-31', '&p_convert_to=eur&p_currency=eur')),
  ).toEqual([['eur', 100, 20, 80]])
})

test('the budget of a month counts line items in their own category, and does not count transfers', async () => {
  const caller = await someone()
  const [food, home] = [
    await category(caller, { monthly_budget: 100 }),
    await category(caller, { name: 'Home', monthly_budget: 10 }),
  ]
  const { id: transaction_id } = await spend(caller, food, '2025-01-05', 40)
  await caller.create('line_items', {
    transaction_id,
    name: 'Soap',
    amount: -15,
    category_id: home,
  })
  expect(figures(await compare(caller, '2025-01-01', '2025-01-31'))).toEqual([
    ['usd', 100, 25, 75],
    ['usd', 10, 15, -5],
  ])
})

describe('rollover', () => {
  test('rollover carries over the remainder or the overspending while each month has rollover', async () => {
    const caller = await someone()
    const food = await category(caller)
    for (
      const [month, amount, rollover] of [
        ['2025-01', 100, false],
        ['2025-02', 100, true],
        ['2025-03', 100, true],
        ['2025-04', 100, false],
        [
          '2025-05',
          100,
          true,
        ],
      ] as const
    )
      await budget(caller, food, month, amount, { rollover })
    for (
      const [day, amount] of [['2024-12-31', 999], ['2025-01-31', 70], ['2025-02-01', 150], [
        '2025-03-31',
        10,
      ], ['2025-04-02', 130]] as const
    )
      await spend(caller, food, day, amount)
    const month = async (from: string, to: string) => figures(await compare(caller, from, to))
    expect(await month('2025-01-01', '2025-01-31')).toEqual([['usd', 100, 70, 30]])
    expect(await month('2025-02-01', '2025-02-28')).toEqual([['usd', 130, 150, -20]])
    expect(await month('2025-03-01', '2025-03-31')).toEqual([['usd', 80, 10, 70]])
    expect(await month('2025-04-01', '2025-04-30')).toEqual([['usd', 100, 130, -30]])
    expect(await month('2025-05-01', '2025-05-31')).toEqual([['usd', 70, 0, 70]])
    // Rollover counts only into the first month of a range, and by half for half a month.
    expect(await month('2025-02-01', '2025-03-31')).toEqual([['usd', 230, 160, 70]])
    expect(await month('2025-02-01', '2025-02-14')).toEqual([['usd', 65, 150, -85]])
  })

  const storeEvery = async (
    owner: Account,
    category_id: string,
    amount: number,
    createdAt: string,
  ) => {
    await stack.owner.query(
      `insert into api.budgets (category_id, amount, rollover, user_id, created_at) values ($1, $2, true, $3, $4)`,
      [
        category_id,
        amount,
        owner.id,
        createdAt,
      ],
    )
  }

  test('rollover of a budget for every month begins in the month of its creation, and goes back sixty months at most', async () => {
    const account = await stack.person()
    const caller = stack.as(account)
    const food = await category(caller)
    await storeEvery(account, food, 10, '2010-03-20T00:00:00Z')
    expect(figures(await compare(caller, '2010-03-01', '2010-03-31'))).toEqual([['usd', 10, 0, 10]])
    expect(figures(await compare(caller, '2010-05-01', '2010-05-31'))).toEqual([['usd', 30, 0, 30]])
    expect(figures(await compare(caller, '2015-03-01', '2015-03-31'))).toEqual([[
      'usd',
      610,
      0,
      610,
    ]])
    expect(figures(await compare(caller, '2020-03-01', '2020-03-31'))).toEqual([[
      'usd',
      610,
      0,
      610,
    ]])
    expect(figures(await compare(caller, '2010-01-01', '2010-01-31'))).toEqual([['usd', 10, 0, 10]])
  })

  test('rollover matches a model that computes month after month', async () => {
    const months = Array.from({ length: 8 }, (_, n) => `2025-0${n + 1}`)
    const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
    const cents = fc.integer({ min: 0, max: 50_000 })
    const month = fc.record({
      own: optional(fc.record({ cents, rollover: fc.boolean() })),
      spent: fc.integer({ min: -5_000, max: 50_000 }),
    })
    const book = fc.record({
      months: fc.array(month, { minLength: 8, maxLength: 8 }),
      every: optional(
        fc.record({ cents, rollover: fc.boolean(), since: fc.integer({ min: 0, max: 7 }) }),
      ),
      usual: optional(cents),
      asked: fc.integer({ min: 0, max: 7 }),
    })
    await fc.assert(
      fc.asyncProperty(book, async ({ months: entries, every, usual, asked }) => {
        const account = await stack.person()
        const caller = stack.as(account)
        const food = await category(caller, {
          monthly_budget: usual === undefined ? null : usual / 100,
        })
        if (every !== undefined)
          await stack.owner.query(
            'insert into api.budgets (category_id, amount, rollover, user_id, created_at) values ($1, $2, $3, $4, $5)',
            [
              food,
              every.cents / 100,
              every.rollover,
              account.id,
              `${months[every.since]}-15`,
            ],
          )
        const monthBudgets = entries.flatMap((entry, n) =>
          entry.own === undefined
            ? []
            : [{
              category_id: food,
              month: `${months[n]}-01`,
              amount: entry.own.cents / 100,
              rollover: entry.own.rollover,
            }]
        )
        if (monthBudgets.length > 0) await caller.create('budgets', monthBudgets)
        await caller.create(
          'transactions',
          entries.map(({ spent }, n) => ({
            name: 'x',
            category_id: food,
            amount: -spent / 100,
            transaction_date: `${months[n]}-10`,
          })),
        )

        const begun = Math.min(
          every?.since ?? Infinity,
          ...entries.flatMap((entry, n) => entry.own === undefined ? [] : [n]),
        )
        const budgetOf = (n: number) =>
          entries[n]?.own ?? every ??
            (usual === undefined ? undefined : { cents: usual, rollover: false })
        const whole = (n: number): number => {
          const one = budgetOf(n)
          const before = n > begun && one?.rollover === true && budgetOf(n - 1) !== undefined
            ? whole(n - 1) - (entries[n - 1]?.spent ?? 0)
            : 0
          return (one?.cents ?? 0) + before
        }
        const last = new Date(Date.UTC(2025, asked + 1, 0)).toISOString().slice(0, 10)
        const { body } = await compare(caller, `${months[asked]}-01`, last)
        const spent = entries[asked]?.spent ?? 0
        expect(
          body.map((row: Row) =>
            [row.budget, row.actual, row.difference].map((value) => Math.round(value * 100))
          ),
        ).toEqual(
          budgetOf(asked) === undefined ? [] : [[whole(asked), spent, whole(asked) - spent]],
        )
      }),
      { numRuns: 25 },
    )
  })
})

test('a row of budgets is unique by category, month and currency: a second insert is 409, and an upsert changes the first', async () => {
  const caller = await someone()
  const food = await category(caller)
  for (const month of ['2025-01-01', null]) {
    const row = { category_id: food, month, amount: 1 }
    await caller.create('budgets', row)
    expect(await caller.post('/budgets', row)).toMatchObject({
      status: 409,
      body: { code: '23505', message: expect.stringContaining('budgets_one_a_month') },
    })
    const merge = await caller.post('/budgets?on_conflict=category_id,currency,month', {
      ...row,
      currency: 'usd',
      amount: 2,
    }, {
      prefer: 'resolution=merge-duplicates,return=representation',
    })
    expect(merge).toMatchObject({ status: 200, body: [{ amount: 2, month }] })
  }
  expect((await caller.get('/budgets')).body).toHaveLength(2)
  expect(await caller.post('/budgets', { category_id: food, month: '2025-01-02', amount: 1 }))
    .toMatchObject({ status: 400, body: { code: '23514' } })
  expect(await caller.post('/budgets', { category_id: food, month: '2025-03-01', amount: -1 }))
    .toMatchObject({ status: 400, body: { code: '23514' } })
})

test("a row of budgets needs a category of its own context, and the error does not reveal another context's category", async () => {
  const caller = await someone()
  const food = await category(ours)
  await budget(ours, food, '2025-01', 1)
  const missing = await caller.post('/budgets', {
    category_id: crypto.randomUUID(),
    month: '2025-01-01',
    amount: 1,
  })
  expect(missing.status).toBe(409)
  for (const month of ['2025-01-01', '2025-02-01']) {
    for (
      const [path, prefer] of [['/budgets', ''], [
        '/budgets?on_conflict=category_id,currency,month',
        'resolution=merge-duplicates',
      ]] as const
    ) {
      const answer = await caller.post(path, { category_id: food, month, amount: 1 }, { prefer })
      expect([answer.status, answer.body]).toEqual([missing.status, missing.body])
    }
  }
  const { id } = await budget(caller, await category(caller), '2025-01', 1)
  expect((await caller.patch(`/budgets?id=eq.${id}`, { category_id: food })).body).toEqual(
    missing.body,
  )
  expect(
    (await viewer.post('/budgets', { category_id: food, month: '2025-01-01', amount: 1 })).status,
  ).toBe(403)
  expect((await viewer.get('/budgets')).body).toHaveLength(1)
})

test('a row of budgets is deleted with its category', async () => {
  const caller = await someone()
  for (
    const remove of [
      (id: string) => caller.delete(`/categories?id=eq.${id}`),
      (id: string) => caller.post('/rpc/delete_category', { p_category_id: id }),
    ]
  ) {
    const food = await category(caller)
    await budget(caller, food, null, 1)
    await remove(food)
    expect((await caller.get('/budgets')).body).toEqual([])
  }
})

describe('get_cash_flow with upcoming periods', () => {
  const flow = (caller: Caller, query: string) => caller.get(`/rpc/get_cash_flow?${query}`)
  type Flow = {
    period: string
    currency: string
    income: number
    expenses: number
    is_planned: boolean
  }

  test('get_cash_flow with upcoming periods adds the recurring costs that are still due from today, in their own columns', async () => {
    const caller = await someone()
    const { rows: [today] } = await stack.owner.query<
      { day: string, month: string, ahead: string, next: string }
    >(
      `select to_char(day, 'YYYY-MM-DD') as day, to_char(date_trunc('month', day), 'YYYY-MM-DD') as month,
         to_char(date_trunc('month', day) + interval '1 month', 'YYYY-MM-DD') as ahead, to_char(day + interval '1 month', 'YYYY-MM-DD') as next
       from (select (now() at time zone 'UTC')::date::timestamp as day) d`,
    )
    const { day, month, ahead, next } = today ?? { day: '', month: '', ahead: '', next: '' }
    const [rent, , job] = await caller.create('subscriptions', [
      {
        title: 'Rent',
        kind: 'expense',
        amount: 900,
        period: 'monthly',
        starts_on: day,
        ends_on: null,
        currency: 'usd',
      },
      {
        title: 'Past',
        kind: 'expense',
        amount: 5,
        period: 'daily',
        starts_on: '2000-01-01',
        ends_on: '2000-12-31',
        currency: 'usd',
      },
      {
        title: 'Job',
        kind: 'income',
        amount: 2000,
        period: 'yearly',
        starts_on: ahead,
        ends_on: null,
        currency: 'eur',
      },
    ])
    const planned = async (query: string) =>
      ((await flow(caller, query)).body as Flow[]).filter(({ is_planned }) => is_planned)
    expect(await planned('periods=1')).toEqual([])
    expect(await planned('periods=1&upcoming=1')).toMatchObject([
      { period: month, currency: 'eur', income: 0 },
      { period: ahead, currency: 'eur', income: 2000, expenses: 0 },
      { period: month, currency: 'usd', expenses: 900 },
      { period: ahead, currency: 'usd', expenses: 900 },
    ])
    expect(await planned('periods=1&upcoming=1&p_currency=usd')).toHaveLength(2)
    await caller.create('exchange_rates', {
      on_date: '2000-01-01',
      base: 'eur',
      quote: 'usd',
      rate: 1.5,
    })
    expect(await planned('periods=1&upcoming=1&p_convert_to=usd')).toMatchObject([{
      period: month,
      expenses: 900,
      income: 0,
    }, {
      period: ahead,
      expenses: 900,
      income: 3000,
    }])
    await caller.post('/rpc/record_subscription', { p_subscription_id: rent.id, due_on: day })
    expect((await flow(caller, 'periods=1&upcoming=1&p_currency=usd')).body).toMatchObject([
      { period: month, is_planned: false, expenses: 900 },
      { period: month, is_planned: true, expenses: 0 },
      { period: ahead, is_planned: true, expenses: 900 },
    ])
    // a day that is recorded ahead stays in its period, as pending
    await caller.post('/rpc/record_subscription', { p_subscription_id: rent.id, due_on: next })
    await caller.create('transactions', {
      name: 'Deposit',
      amount: -100,
      currency: 'usd',
      booked_on: ahead,
      status: 'paid',
    })
    expect((await planned('periods=1&upcoming=1&p_currency=usd'))[1]).toMatchObject({
      period: ahead,
      expenses: 1000,
      pending: -900,
    })
    expect((await planned('periods=1&upcoming=1&p_convert_to=usd'))[1]).toMatchObject({
      period: ahead,
      income: 3000,
      expenses: 1000,
    })
    const { id: account } = await caller.create('accounts', {
      name: 'x',
      type: 'cash',
      currency: 'eur',
    })
    await caller.patch(`/subscriptions?id=eq.${job.id}`, { account_id: account })
    expect(
      (await planned(`periods=1&upcoming=1&p_account_id=${account}`)).map(({ income }) => income),
    ).toEqual([0, 2000])
  })

  test.each(['-1', '121'])(
    'get_cash_flow with upcoming periods upcoming=%s is 400',
    async (upcoming) => {
      expect(await flow(ours, `upcoming=${upcoming}`)).toMatchObject({
        status: 400,
        body: { code: '22023', message: 'upcoming is out of range' },
      })
    },
  )

  test('get_cash_flow with upcoming periods is 400 for more occurrences than can be planned in time', async () => {
    const caller = await someone()
    await caller.create(
      'subscriptions',
      ['Milk', 'Bread', 'Eggs'].map((title) => ({
        title,
        amount: 1,
        period: 'daily',
        starts_on: '2000-01-01',
      })),
    )
    expect((await flow(caller, 'grouping=yearly&upcoming=20')).status).toBe(200)
    expect(await flow(caller, 'grouping=yearly&upcoming=120')).toMatchObject({
      status: 400,
      body: { code: '22023' },
    })
  })
})

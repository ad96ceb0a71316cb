/**
 * Budgets for every month: their first month, and changes that keep the past months and that an
 * undo takes back.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'
import { budget, category, compare, figures, spend } from './budget-calls.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const someone = async () => stack.as(await stack.person())

/** Returns the first day of a month, counted from the current month. */
const monthAfter = (months: number): string => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)).toISOString()
    .slice(0, 10)
}
const endOf = (month: string): string => {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10)
}
/** Returns currency, budget, actual and difference of each row of a month. */
const inMonth = async (caller: Caller, month: string) =>
  figures(await compare(caller, month, endOf(month)))
const thisMonth = monthAfter(0)
const [before, longBefore] = [monthAfter(-1), monthAfter(-10)]

test('a budget for every month starts in the month of its creation, or in the month that the client sends', async () => {
  const caller = await someone()
  const food = await category(caller)
  expect(await budget(caller, food, null, 100, { rollover: true })).toMatchObject({
    starts_on: thisMonth,
  })
  expect(await budget(caller, food, '2025-01', 100, { currency: 'eur' })).toMatchObject({
    starts_on: null,
  })
  expect(await inMonth(caller, thisMonth)).toContainEqual(['usd', 100, 0, 100])
  const every = '/budgets?month=is.null'
  expect((await caller.patch(every, { starts_on: longBefore })).status).toBe(204)
  expect(await inMonth(caller, thisMonth)).toContainEqual(['usd', 1100, 0, 1100])
  // An upsert without the column keeps its value.
  await caller.post('/budgets?on_conflict=category_id,currency,month', {
    category_id: food,
    currency: 'usd',
    month: null,
    amount: 100,
  }, {
    prefer: 'resolution=merge-duplicates',
  })
  expect((await caller.get(every)).body).toMatchObject([{ starts_on: longBefore }])
})

test("a budget for every month starts in the current month of the request's time zone", async () => {
  const caller = await someone()
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    const { body: [row] } = await caller.post('/budgets', {
      category_id: await category(caller),
      amount: 1,
    }, {
      prefer: `return=representation,timezone=${zone}`,
    })
    expect(row.starts_on).toBe(
      `${
        new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(new Date(row.created_at)).slice(
          0,
          7,
        )
      }-01`,
    )
  }
})

test('a budget for every month accepts only the first day of a month, and a budget of one month accepts no start', async () => {
  const caller = await someone()
  const food = await category(caller)
  for (const starts_on of ['2025-01-02', '1899-12-01', '2200-01-01'])
    expect(await caller.post('/budgets', { category_id: food, amount: 1, starts_on }))
      .toMatchObject({ status: 400, body: { code: '23514' } })
  expect(await caller.post('/budgets', { category_id: food, amount: 1, starts_on: 'soon' }))
    .toMatchObject({ status: 400, body: { code: '22007' } })
  expect(
    await caller.post('/budgets', {
      category_id: food,
      amount: 1,
      month: '2025-01-01',
      starts_on: '2025-01-01',
    }),
  ).toMatchObject({
    status: 400,
    body: {
      code: '23514',
      message: expect.stringContaining('budgets_starts_on_of_every_month'),
      hint: expect.stringContaining('starts_on: First month'),
    },
  })
  const { id } = await budget(caller, food, null, 1, { starts_on: '2025-01-01' })
  const at = `/budgets?id=eq.${id}`
  expect(
    (await caller.patch(at, { month: '2025-02-01' }, { prefer: 'return=representation' })).body,
  ).toMatchObject([{ starts_on: null }])
  expect((await caller.patch(at, { month: null }, { prefer: 'return=representation' })).body)
    .toMatchObject([{ starts_on: thisMonth }])
})

describe('a change of a budget', () => {
  const merging = { prefer: 'resolution=merge-duplicates' }
  const upsert = (caller: Caller, row: Record<string, unknown>) =>
    caller.post('/budgets?on_conflict=category_id,currency,month', row, merging)
  type Stored = Record<string, unknown>[]
  const tablesOf = async (caller: Caller) => {
    const [budgets, past, categories] = await Promise.all(
      ['budgets', 'past_budgets', 'categories'].map(async (table) =>
        (await caller.get(`/${table}?order=id`)).body as Stored
      ),
    )
    return [budgets, past, categories].map((rows) =>
      rows?.map((row) => ({ ...row, updated_at: undefined }))
    )
  }
  const undoLast = async (caller: Caller) => {
    const { body: [last] } = await caller.get('/activity?order=happened_at.desc,id.desc&limit=1')
    return caller.post('/rpc/undo', { p_activity_id: last.id })
  }

  const changes: [
    string,
    (caller: Caller, food: string) => Promise<{ status: number }>,
    unknown[][],
  ][] = [
    [
      'of its amount',
      (caller, food) => caller.patch(`/budgets?category_id=eq.${food}`, { amount: 250 }),
      [['usd', 250, 0, 250]],
    ],
    [
      'by an upsert',
      (caller, food) =>
        upsert(caller, { category_id: food, currency: 'usd', month: null, amount: 250 }),
      [['usd', 250, 0, 250]],
    ],
    [
      'of its currency',
      (caller, food) => caller.patch(`/budgets?category_id=eq.${food}`, { currency: 'eur' }),
      [['eur', 300, 0, 300]],
    ],
    [
      'of its rollover',
      (caller, food) => caller.patch(`/budgets?category_id=eq.${food}`, { rollover: true }),
      [['usd', 300, 0, 300]],
    ],
    ['by its deletion', (caller, food) => caller.delete(`/budgets?category_id=eq.${food}`), []],
    [
      'to a single month',
      (caller, food) => caller.patch(`/budgets?category_id=eq.${food}`, { month: '2190-01-01' }),
      [],
    ],
  ]
  test.each(changes)(
    'a change of a budget for every month %s keeps the months before, and its undo restores everything',
    async (_, change, now) => {
      const caller = await someone()
      const food = await category(caller)
      await budget(caller, food, null, 300)
      await spend(caller, food, `${before}T12:00:00Z`, 300)
      const former = await tablesOf(caller)
      expect((await change(caller, food)).status).toBeLessThan(300)
      expect(await inMonth(caller, before)).toEqual([['usd', 300, 300, 0]])
      expect(await inMonth(caller, longBefore)).toEqual([['usd', 300, 0, 300]])
      expect((await inMonth(caller, thisMonth)).slice(0, now.length || 1)).toEqual(now)
      expect((await undoLast(caller)).status).toBe(200)
      expect(await tablesOf(caller)).toEqual(former)
    },
  )

  test.each<[string, Record<string, unknown>, unknown[][]]>([
    ['its number', { monthly_budget: 250 }, [['usd', 250, 0, 250]]],
    ['its currency', { budget_currency: 'eur' }, [['eur', 300, 0, 300]]],
    ['both', { monthly_budget: 20, budget_currency: 'CHF' }, [['chf', 20, 0, 20]]],
    ['that takes it away', { monthly_budget: null }, []],
  ])(
    'a change of a budget of a category, %s, keeps the months before, and its undo restores everything',
    async (_, change, now) => {
      const caller = await someone()
      const food = await category(caller, { monthly_budget: 300 })
      await spend(caller, food, `${before}T12:00:00Z`, 300)
      const former = await tablesOf(caller)
      expect((await caller.patch(`/categories?id=eq.${food}`, change)).status).toBe(204)
      expect(await inMonth(caller, before)).toEqual([['usd', 300, 300, 0]])
      expect(await inMonth(caller, thisMonth)).toEqual(now)
      expect((await undoLast(caller)).status).toBe(200)
      expect(await tablesOf(caller)).toEqual(former)
    },
  )

  test('a change of a budget that corrects a slip of the same month changes only this and later months', async () => {
    const caller = await someone()
    const food = await category(caller)
    const { id } = await budget(caller, food, null, 300)
    for (const amount of [2500, 250]) await caller.patch(`/budgets?id=eq.${id}`, { amount })
    expect([
      await inMonth(caller, before),
      await inMonth(caller, thisMonth),
      await inMonth(caller, monthAfter(1)),
    ])
      .toEqual([[['usd', 300, 0, 300]], [['usd', 250, 0, 250]], [['usd', 250, 0, 250]]])
    expect((await caller.get('/past_budgets')).body).toMatchObject([{
      category_id: food,
      currency: 'usd',
      until: thisMonth,
      amount: 300,
      rollover: false,
    }])
  })

  test('a change of a budget keeps the amounts that were carried over before', async () => {
    const caller = await someone()
    const food = await category(caller)
    await budget(caller, food, null, 100, { rollover: true, starts_on: longBefore })
    await spend(caller, food, `${before}T12:00:00Z`, 30)
    expect(await inMonth(caller, before)).toEqual([['usd', 1000, 30, 970]])
    await caller.patch(`/budgets?category_id=eq.${food}`, { amount: 50 })
    expect(await inMonth(caller, before)).toEqual([['usd', 1000, 30, 970]])
    expect(await inMonth(caller, thisMonth)).toEqual([['usd', 1020, 0, 1020]])
    await caller.patch(`/budgets?category_id=eq.${food}`, { rollover: false })
    expect(await inMonth(caller, before)).toEqual([['usd', 1000, 30, 970]])
    expect(await inMonth(caller, thisMonth)).toEqual([['usd', 50, 0, 50]])
    await caller.delete(`/budgets?category_id=eq.${food}`)
    expect(await inMonth(caller, before)).toEqual([['usd', 1000, 30, 970]])
    expect(await inMonth(caller, thisMonth)).toEqual([])
  })

  test('a change of a budget that sends another start takes effect from there: the user changes the past', async () => {
    const caller = await someone()
    const food = await category(caller)
    await budget(caller, food, null, 300, { starts_on: longBefore })
    await caller.patch(`/budgets?category_id=eq.${food}`, { amount: 250 })
    const middle = monthAfter(-5)
    await caller.patch(`/budgets?category_id=eq.${food}`, { starts_on: middle })
    expect(await inMonth(caller, monthAfter(-6))).toEqual([['usd', 300, 0, 300]])
    expect(await inMonth(caller, middle)).toEqual([['usd', 250, 0, 250]])
    // A start in the future works too.
    await caller.patch(`/budgets?category_id=eq.${food}`, { amount: 400, starts_on: monthAfter(2) })
    expect([await inMonth(caller, monthAfter(1)), await inMonth(caller, monthAfter(2))]).toEqual([[[
      'usd',
      250,
      0,
      250,
    ]], [['usd', 400, 0, 400]]])
    // A month's own budget still takes precedence.
    await budget(caller, food, before.slice(0, 7), 1)
    expect(await inMonth(caller, before)).toEqual([['usd', 1, 0, 1]])
  })

  test('a change of a budget that sets a budget again after months without one keeps those months without', async () => {
    const account = await stack.person()
    const caller = stack.as(account)
    const food = await category(caller, { monthly_budget: 300 })
    await caller.patch(`/categories?id=eq.${food}`, { monthly_budget: null })
    // The budget was removed some months ago.
    await stack.owner.query('update api.past_budgets set until = $2 where category_id = $1', [
      food,
      monthAfter(-3),
    ])
    await caller.patch(`/categories?id=eq.${food}`, { monthly_budget: 400 })
    expect([
      await inMonth(caller, monthAfter(-4)),
      await inMonth(caller, before),
      await inMonth(caller, thisMonth),
    ])
      .toEqual([[['usd', 300, 0, 300]], [], [['usd', 400, 0, 400]]])
  })

  test('a change of a budget that replaces an older number of the category keeps the months before its start', async () => {
    const account = await stack.person()
    const caller = stack.as(account)
    const { rows: [{ id: food } = { id: '' }] } = await stack.owner.query<{ id: string }>(
      `insert into api.categories (name, monthly_budget, user_id, created_at) values ('Food', 300, $1, $2) returning id`,
      [account.id, `${longBefore}T00:00:00Z`],
    )
    await budget(caller, food, null, 250)
    expect([await inMonth(caller, before), await inMonth(caller, thisMonth)]).toEqual([[[
      'usd',
      300,
      0,
      300,
    ]], [['usd', 250, 0, 250]]])
  })

  test("a change of a budget by an editor keeps the team's past months, which a viewer reads", async () => {
    const [owner, editor, reader] = [
      await stack.person(),
      await stack.person(),
      await stack.person(),
    ]
    const organization = await stack.organization({ owner, editor, viewer: reader })
    const [mine, theirs] = [stack.as(owner, organization), stack.as(editor, organization)]
    const food = await category(mine)
    await budget(mine, food, null, 300)
    await theirs.patch(`/budgets?category_id=eq.${food}`, { amount: 250 })
    expect((await stack.as(reader, organization).get('/past_budgets')).body).toMatchObject([{
      amount: 300,
      user_id: editor.id,
    }])
    expect((await stack.as(owner).get('/past_budgets')).body).toEqual([])
    expect(await inMonth(mine, before)).toEqual([['usd', 300, 0, 300]])
    await theirs.delete(`/categories?id=eq.${food}`)
    expect((await mine.get('/past_budgets')).body).toEqual([])
  })
})

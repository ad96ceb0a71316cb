/** Categories have a kind and one level of subcategories. Every report follows both. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

type Row = Record<string, any>
const inOrder = (rows: unknown[][]) => rows.map((row) => row.map(String).join(' ')).toSorted()
const newCaller = async (): Promise<Caller> => stack.as(await stack.person())
const categoriesOf = async (caller: Caller, columns = 'name,kind'): Promise<Row[]> =>
  (await caller.get(`/categories?select=${columns}&order=name`)).body
const january = 'start_date=2025-01-01&end_date=2025-01-31'
const inJanuary = [{
  field: 'transaction_date',
  operation: 'between',
  value: ['2025-01-01', '2025-01-31'],
}]

/** Stores transactions of 2025-01-10 with [category, amount] and returns them. */
const spend = (
  caller: Caller,
  rows: [string | null, number][],
  rest: object = {},
): Promise<Row[]> =>
  caller.create(
    'transactions',
    rows.map(([category_id, amount]) => ({
      name: 'x',
      amount,
      category_id,
      transaction_date: '2025-01-10',
      ...rest,
    })),
  )

test('the kind of a category is expense by default, and decides where a refund stands in every report alike', async () => {
  const caller = await newCaller()
  const [clothes, salary] = [
    await caller.create('categories', { name: 'Clothes', monthly_budget: 300 }),
    await caller.create('categories', { name: 'Salary', kind: 'income' }),
  ]
  expect([clothes.kind, clothes.parent_id, salary.kind]).toEqual(['expense', null, 'income'])
  // a refund of 120, a correction of the salary, and two amounts without a category
  await spend(caller, [
    [clothes.id, -250],
    [clothes.id, 120],
    [salary.id, 3000],
    [salary.id, -100],
    [null, 10],
    [null, -5],
  ])
  const stat = async (p_transaction_type: string, p_aggregate_fn = 'sum') =>
    (await caller.post('/rpc/get_transaction_stat', {
      p_transaction_type,
      p_aggregate_fn,
      p_filters: inJanuary,
    })).body
  expect([await stat('income'), await stat('expense'), await stat('balance')]).toEqual([
    2910,
    -135,
    2775,
  ])
  expect([await stat('income', 'count'), await stat('expense', 'count')]).toEqual([3, 3])
  const { body: flow } = await caller.get('/rpc/get_cash_flow?grouping=monthly&periods=120')
  expect(flow.find(({ period }: Row) => period === '2025-01-01')).toMatchObject({
    income: 2910,
    expenses: 135,
    net: 2775,
  })
  const distribution = async (transaction_type: string) =>
    (await caller.post('/rpc/get_transaction_distribution_by_category', {
      params: { filters: { transaction_type } },
    })).body
      .map(({ name, total }: Row) => [name, total])
  expect(await distribution('expense')).toEqual([['Clothes', -130], [null, -5]])
  expect(await distribution('income')).toEqual([['Salary', 2900], [null, 10]])
  expect((await caller.get(`/rpc/get_budget_comparison?${january}`)).body).toMatchObject([{
    name: 'Clothes',
    actual: 130,
  }])
  const { body: groups } = await caller.post('/rpc/get_transaction_aggregate', {
    p_group_by: 'category',
  })
  expect(inOrder(groups.map(({ name, value }: Row) => [name, value]))).toEqual(
    inOrder([['Clothes', -130], ['Salary', 2900], [null, 5]]),
  )
})

test('the kind of a category is that of the part for a line item', async () => {
  const caller = await newCaller()
  const [pay, phone] = await caller.create('categories', [{ name: 'Pay', kind: 'income' }, {
    name: 'Phone',
    kind: 'expense',
  }])
  // The employer pays 50 of the phone back with the salary.
  const [transaction] = await spend(caller, [[pay.id, 1050]])
  await caller.create('line_items', {
    transaction_id: transaction?.['id'],
    name: 'Phone',
    amount: 50,
    category_id: phone.id,
  })
  const { body: flow } = await caller.get('/rpc/get_cash_flow?grouping=monthly&periods=120')
  expect(flow.find(({ period }: Row) => period === '2025-01-01')).toMatchObject({
    income: 1000,
    expenses: -50,
    net: 1050,
  })
  const stat = async (p_transaction_type: string, p_aggregate_fn: string) =>
    (await caller.post('/rpc/get_transaction_stat', { p_transaction_type, p_aggregate_fn })).body
  expect([
    await stat('income', 'sum'),
    await stat('expense', 'sum'),
    await stat('income', 'count'),
    await stat('expense', 'count'),
  ]).toEqual([1000, 50, 1, 1])
})

test('the kind of a category is expense or income: 400 for another', async () => {
  const caller = await newCaller()
  expect(await caller.post('/categories', { name: 'x', kind: 'transfer' }))
    .toMatchObject({
      status: 400,
      body: { code: '23514', hint: expect.stringContaining('expense or income') },
    })
  const { id } = await caller.create('categories', { name: 'x' })
  expect(await caller.patch(`/categories?id=eq.${id}`, { kind: null })).toMatchObject({
    status: 400,
    body: { code: '23502' },
  })
})

describe('a subcategory', () => {
  test("a subcategory takes its parent's kind, also when the parent's kind changes, and one undo reverts both", async () => {
    const caller = await newCaller()
    const [work] = await caller.create('categories', [{ name: 'Work', kind: 'income' }])
    const bonus = await caller.create('categories', { name: 'Bonus', parent_id: work.id })
    expect(bonus).toMatchObject({ kind: 'income', parent_id: work.id })
    await caller.patch(`/categories?id=eq.${work.id}`, { kind: 'expense' })
    expect(await categoriesOf(caller)).toEqual([{ name: 'Bonus', kind: 'expense' }, {
      name: 'Work',
      kind: 'expense',
    }])
    const { body: [{ id }] } = await caller.get('/activity?action=eq.update&order=id.desc&limit=1')
    expect((await caller.post('/rpc/undo', { p_activity_id: id })).body).toMatchObject({
      update: 2,
    })
    expect(await categoriesOf(caller)).toEqual([{ name: 'Bonus', kind: 'income' }, {
      name: 'Work',
      kind: 'income',
    }])
    const home = await caller.create('categories', { name: 'Home' })
    await caller.patch(`/categories?id=eq.${bonus.id}`, { parent_id: home.id })
    expect(await categoriesOf(caller)).toMatchObject([{ name: 'Bonus', kind: 'expense' }, {}, {}])
  })

  test.each<[string, (ids: Record<'top' | 'child' | 'other', string>) => [string, object], RegExp]>(
    [
      [
        'below a subcategory',
        ({ child, other }) => [other, { parent_id: child }],
        /a subcategory can't be a parent/,
      ],
      [
        'below another while it has subcategories',
        ({ top, other }) => [top, { parent_id: other }],
        /with subcategories can't have a parent/,
      ],
      [
        'below itself',
        ({ other }) => [other, { parent_id: other }],
        /categories_parent_is_another/,
      ],
      [
        "of another kind than its parent's",
        ({ child }) => [child, { kind: 'income' }],
        /same kind as its parent: expense/,
      ],
    ],
  )('%s is 400, and nothing changes', async (_, change, message) => {
    const caller = await newCaller()
    const [top, other] = await caller.create('categories', [{ name: 'Top' }, { name: 'Other' }])
    const child = await caller.create('categories', { name: 'Child', parent_id: top.id })
    const before = await categoriesOf(caller, '*')
    const [id, body] = change({ top: top.id, child: child.id, other: other.id })
    expect(await caller.patch(`/categories?id=eq.${id}`, body))
      .toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(message), hint: expect.any(String) },
      })
    expect(await categoriesOf(caller, '*')).toEqual(before)
  })

  test("a subcategory of another context's category fails as one of a missing category", async () => {
    const owner = await stack.person()
    const team = await stack.organization({ owner })
    const [mine, ours] = [stack.as(owner), stack.as(owner, team)]
    const { id: parent_id } = await ours.create('categories', { name: 'Team' })
    for (const id of [parent_id, '00000000-0000-4000-8000-000000000000'])
      expect(await mine.post('/categories', { name: 'x', parent_id: id })).toMatchObject({
        status: 409,
        body: { code: '23503', details: expect.any(String) },
      })
  })

  test('a subcategory stays without a parent after its deletion, and an undo gives it back', async () => {
    const caller = await newCaller()
    const top = await caller.create('categories', { name: 'Top' })
    await caller.create('categories', { name: 'Child', parent_id: top.id })
    await caller.delete(`/categories?id=eq.${top.id}`)
    expect(await categoriesOf(caller, 'name,parent_id')).toEqual([{
      name: 'Child',
      parent_id: null,
    }])
    const { body: [{ id }] } = await caller.get('/activity?action=eq.delete&order=id.desc&limit=1')
    expect((await caller.post('/rpc/undo', { p_activity_id: id })).status).toBe(200)
    expect(await categoriesOf(caller, 'name,parent_id')).toEqual([{
      name: 'Child',
      parent_id: top.id,
    }, { name: 'Top', parent_id: null }])
  })

  test.each<[string, string, Record<string, string | null>]>([
    ['moves below the replacement of its parent', 'Other', {
      Child: 'Other',
      Other: null,
      Sub: 'Other',
      Twin: 'Other',
    }],
    ['moves below the parent of a replacement that is a subcategory', 'Sub', {
      Child: 'Other',
      Other: null,
      Sub: 'Other',
      Twin: 'Other',
    }],
    ['takes the place of its parent if it is the replacement', 'Child', {
      Child: null,
      Other: null,
      Sub: 'Other',
      Twin: 'Child',
    }],
  ])('%s', async (_, replacement, expected) => {
    const caller = await newCaller()
    const [top, other] = await caller.create('categories', [{ name: 'Top' }, { name: 'Other' }])
    const [child, , sub] = await caller.create('categories', [
      { name: 'Child', parent_id: top.id },
      { name: 'Twin', parent_id: top.id },
      { name: 'Sub', parent_id: other.id },
    ])
    const ids: Row = { Other: other.id, Child: child.id, Sub: sub.id }
    expect(
      (await caller.post('/rpc/delete_category', {
        p_category_id: top.id,
        p_replacement_id: ids[replacement],
      })).status,
    ).toBe(200)
    const rows = await categoriesOf(caller, 'id,name,parent_id')
    const nameOf = (id: string | null) => rows.find((row) => row['id'] === id)?.['name'] ?? null
    expect(Object.fromEntries(rows.map(({ name, parent_id: parent }) => [name, nameOf(parent)])))
      .toEqual(expected)
  })

  test('a subcategory comes with its parent in one request, in any order', async () => {
    const caller = await newCaller()
    const id = '8d0c2b7e-50f1-4a57-9d39-0f5c6e1b7a21'
    await caller.create(
      'categories',
      [{ name: 'Child', parent_id: id, kind: 'income', id: undefined }, {
        id,
        name: 'Top',
        kind: 'income',
        parent_id: null,
      }].map((row) => ({
        ...row,
        id: row.id ?? 'f2a4c1d6-7c1b-4a0e-8a55-2d3b9e6f1c48',
      })),
    )
    expect(await categoriesOf(caller)).toEqual([{ name: 'Child', kind: 'income' }, {
      name: 'Top',
      kind: 'income',
    }])
  })
})

test('a report by parent adds subcategories to their parent, and a purchase split over two of them counts once', async () => {
  const caller = await newCaller()
  const [food, fun] = await caller.create('categories', [{ name: 'Food' }, { name: 'Fun' }])
  const [market, out] = await caller.create('categories', [{ name: 'Market', parent_id: food.id }, {
    name: 'Eating out',
    parent_id: food.id,
  }])
  const [split] = await spend(caller, [[market.id, -30], [food.id, -5], [fun.id, -7], [null, -1]])
  await caller.create('line_items', {
    transaction_id: split?.['id'],
    name: 'Lunch',
    amount: -12,
    category_id: out.id,
  })
  const expected = [['Food', -35, 2], ['Fun', -7, 1], [null, -1, 1]]
  const { body: groups } = await caller.post('/rpc/get_transaction_aggregate', {
    p_group_by: 'parent',
  })
  expect(inOrder(groups.map(({ name, value, count }: Row) => [name, value, count]))).toEqual(
    inOrder(expected),
  )
  for (const body of [{ params: {}, p_group_by: 'parent' }, { params: { p_group_by: 'parent' } }]) {
    const { body: parts } = await caller.post('/rpc/get_transaction_distribution_by_category', body)
    expect(parts.map(({ name, total, count }: Row) => [name, total, count])).toEqual(expected)
  }
  expect((await caller.post('/rpc/get_transaction_distribution_by_category', { params: {} })).body)
    .toHaveLength(5)
  expect(
    await caller.post('/rpc/get_transaction_distribution_by_category', {
      params: {},
      p_group_by: 'tag',
    }),
  )
    .toMatchObject({ status: 400, body: { code: '22023', hint: 'Must be category or parent.' } })
})

test('a report by parent of budgets counts the spending of subcategories without a budget, and leaves out those with one', async () => {
  const caller = await newCaller()
  const food = await caller.create('categories', { name: 'Food', monthly_budget: 500 })
  const [market, out] = await caller.create('categories', [
    { name: 'Market', parent_id: food.id, monthly_budget: null },
    { name: 'Out', parent_id: food.id, monthly_budget: 200 },
  ])
  await spend(caller, [[food.id, -50], [market.id, -100], [out.id, -80]])
  await spend(caller, [[market.id, -20]], { status: 'pending' })
  const { body } = await caller.get(`/rpc/get_budget_comparison?${january}`)
  expect(body.map(({ name, budget, actual, pending }: Row) => [name, budget, actual, pending]))
    .toEqual([['Food', 500, 170, 20], ['Out', 200, 80, 0]])
})

test('a report by parent of budgets carries over what the subcategories left', async () => {
  const caller = await newCaller()
  const food = await caller.create('categories', { name: 'Food' })
  const market = await caller.create('categories', { name: 'Market', parent_id: food.id })
  await caller.create('budgets', {
    category_id: food.id,
    amount: 100,
    rollover: true,
    starts_on: '2025-01-01',
  })
  await spend(caller, [[market.id, -30]])
  expect(
    (await caller.get('/rpc/get_budget_comparison?start_date=2025-02-01&end_date=2025-02-28')).body,
  ).toMatchObject([{ name: 'Food', budget: 170 }])
})

test('a report by tag, account or payee counts a transaction in each of its tags, and in none without one', async () => {
  const caller = await newCaller()
  const [trip, gift] = await caller.create('tags', [{ name: 'Trip' }, { name: 'Gift' }])
  const [both, one] = await spend(caller, [[null, -10], [null, -20], [null, -40]])
  await caller.create(
    'transaction_tags',
    [[both, trip], [both, gift], [one, trip]].map(([t, g]) => ({
      transaction_id: t?.['id'],
      tag_id: g.id,
    })),
  )
  const { body } = await caller.post('/rpc/get_transaction_aggregate', { p_group_by: 'tag' })
  expect(inOrder(body.map(({ key, name, value, count }: Row) => [key, name, value, count])))
    .toEqual(inOrder([[trip.id, 'Trip', -30, 2], [gift.id, 'Gift', -10, 1], [null, null, -40, 1]]))
})

test("a report by tag, account or payee groups by the transaction's name as the payee", async () => {
  const caller = await newCaller()
  await spend(caller, [[null, -10], [null, -20]], { name: 'Shop' })
  await spend(caller, [[null, -1]], { name: 'Bakery' })
  expect((await caller.post('/rpc/get_transaction_aggregate', { p_group_by: 'payee' })).body)
    .toMatchObject([{ key: 'Bakery', name: 'Bakery', value: -1, count: 1 }, {
      key: 'Shop',
      value: -30,
      count: 2,
    }])
})

test('a report by tag, account or payee counts the halves of transfers in their accounts, but none between two selected accounts', async () => {
  const caller = await newCaller()
  const accounts: Row[] = await caller.create(
    'accounts',
    ['Giro', 'Savings', 'Cash'].map((name) => ({ name, type: 'checking' })),
  )
  const [giro, savings, cash] = accounts.map(({ id }) => id)
  for (const [from_account_id, to_account_id, amount] of [[giro, savings, 30], [giro, cash, 7]])
    await caller.post('/rpc/create_transfer', {
      from_account_id,
      to_account_id,
      amount,
      transfer_date: '2025-01-10',
    })
  await spend(caller, [[null, -5]], { account_id: giro })
  const of = (operation: string, value: unknown) => [{ field: 'account_id', operation, value }]
  const stat = async (p_filters: unknown, p_transaction_type = 'balance') =>
    (await caller.post('/rpc/get_transaction_stat', { p_filters, p_transaction_type })).body
  expect([
    await stat(of('eq', savings)),
    await stat(of('eq', giro)),
    await stat(of('eq', giro), 'expense'),
  ]).toEqual([30, -42, -42])
  expect([
    await stat(of('in', [giro, savings])),
    await stat(of('in', [giro, savings, cash])),
    await stat([]),
  ]).toEqual([-12, -5, -5])
  expect([await stat(of('neq', cash)), await stat(of('is_null', false))]).toEqual([-5, -5])
  const { body: groups } = await caller.post('/rpc/get_transaction_aggregate', {
    p_group_by: 'account',
  })
  expect(inOrder(groups.map(({ name, value, count }: Row) => [name, value, count]))).toEqual(
    inOrder([['Cash', 7, 1], ['Giro', -42, 3], ['Savings', 30, 1]]),
  )
  const { body: flow } = await caller.get(`/rpc/get_cash_flow?periods=120&p_account_id=${savings}`)
  expect(flow.find(({ period }: Row) => period === '2025-01-01')).toMatchObject({
    income: 30,
    expenses: 0,
    net: 30,
  })
  expect(
    (await caller.post('/rpc/get_transaction_distribution_by_category', {
      params: { filters: { account_id: savings } },
    })).body,
  )
    .toMatchObject([{ category_id: null, total: 30, count: 1 }])
})

test('every report shows the pending part of its figures, which is in them', async () => {
  const caller = await newCaller()
  const { id } = await caller.create('categories', { name: 'Home', monthly_budget: 100 })
  await spend(caller, [[id, -50]], { status: 'pending' })
  await spend(caller, [[id, -20]])
  const aggregate = async (p_aggregate_fn: string) =>
    (await caller.post('/rpc/get_transaction_aggregate', { p_group_by: 'year', p_aggregate_fn }))
      .body
  expect(await aggregate('sum')).toMatchObject([{ value: -70, pending: -50 }])
  expect(await aggregate('count')).toMatchObject([{ value: 2, pending: 1 }])
  expect(await aggregate('avg')).toMatchObject([{ value: -35, pending: null }])
  expect((await caller.post('/rpc/get_transaction_distribution_by_category', { params: {} })).body)
    .toMatchObject([{ total: -70, pending: -50 }])
  expect((await caller.get(`/rpc/get_budget_comparison?${january}`)).body).toMatchObject([{
    actual: 70,
    pending: 50,
  }])
  const { body: flow } = await caller.get('/rpc/get_cash_flow?periods=120')
  expect(flow.find(({ period }: Row) => period === '2025-01-01')).toMatchObject({
    expenses: 70,
    net: -70,
    pending: -50,
  })
  const p_filters = [{ field: 'status', operation: 'eq', value: 'pending' }]
  expect((await caller.post('/rpc/get_transaction_stat', { p_filters })).body).toBe(-50)
})

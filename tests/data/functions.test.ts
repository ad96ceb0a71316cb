/**
 * The functions under /rpc that list transactions and delete categories, in both contexts, and with
 * invalid arguments; and the presets of their date ranges.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  dataStack,
  type Account,
  type Caller,
  type DataStack,
  type Organization,
} from '../support/data.ts'
import { refusal as refusalOfVersion, refusalOf } from '../support/postgrest-versions.ts'
import { book, fill, names, refusal, type Entry } from './function-books.ts'

let stack: DataStack
let ada: Account
let team: Organization
let mine: Caller
let ours: Caller
let viewer: Caller
let nobody: Caller
const ids: Record<string, string> = {}

beforeAll(async () => {
  stack = await dataStack()
  ada = await stack.person('ada')
  const bob = await stack.person('bob')
  team = await stack.organization({ owner: ada, viewer: bob })
  mine = stack.as(ada)
  ours = stack.as(ada, team)
  viewer = stack.as(bob, team)
  nobody = stack.as(await stack.person('nobody'))
  await fill(ids, mine, 1)
  await fill(ids, ours, 2)
})
afterAll(() => stack.stop())

describe('get_filtered_transactions', () => {
  const filtered = (caller: Caller, filters: unknown, query = '') =>
    caller.post(`/rpc/get_filtered_transactions${query}`, { filters })
  const personal = { field: 'organization_id', operation: 'is_null', value: true }

  test.each<[string, unknown, unknown, (entry: Entry) => boolean]>([
    ['amount', 'gt', 0, ({ cents }) => cents > 0],
    ['amount', 'gte', -1.01, ({ cents }) => cents >= -101],
    ['amount', 'lt', -100, ({ cents }) => cents < -10_000],
    ['amount', 'lte', '-2.02', ({ cents }) => cents <= -202],
    ['amount', 'eq', 0.5, ({ cents }) => cents === 50],
    ['amount', 'neq', 0.5, ({ cents }) => cents !== 50],
    ['amount', 'in', [0.5, -1.01], ({ cents }) => [50, -101].includes(cents)],
    ['amount', 'between', [-8, 1], ({ cents }) => cents >= -800 && cents <= 100],
    ['amount', 'from', 0, ({ cents }) => cents >= 0],
    ['amount', 'to', 0, ({ cents }) => cents <= 0],
    ['transaction_date', 'from', '2025-01-31', ({ on }) => on >= '2025-01-31'],
    ['transaction_date', 'to', '2025-01-31', ({ on }) => on <= '2025-01-31'],
    [
      'transaction_date',
      'between',
      ['2025-01-31', '2025-02-15'],
      ({ on }) => on >= '2025-01-31' && on <= '2025-02-15',
    ],
    ['transaction_date', 'gt', '2025-02-01', ({ on }) => on >= '2025-02-01'],
    ['transaction_date', 'lte', '2025-01-31', ({ on }) => on < '2025-01-31'],
    ['transaction_date', 'eq', '2025-02-15T12:00:00Z', ({ on }) => on === '2025-02-15'],
    ['transaction_date', 'eq', '2025-02-15T13:00:00+01:00', ({ on }) => on === '2025-02-15'],
    ['transaction_date', 'in', 'all_time', () => true],
    ['transaction_date', 'from', 'today', () => false],
    ['transaction_date', 'lt', 'this_year', () => true],
    ['transaction_date', 'neq', 'all_time', () => false],
    ['name', 'eq', 'Rent', ({ name }) => name === 'Rent'],
    ['name', 'neq', 'Rent', ({ name }) => name !== 'Rent'],
    ['name', 'like', 'R*', ({ name }) => name.startsWith('R')],
    ['name', 'ilike', '*E*', ({ name }) => name.toLowerCase().includes('e')],
    ['name', 'in', ['Bread', "O'Hara"], ({ name }) => name === 'Bread'],
    ['status', 'in', ['pending', 'failed'], ({ status }) => status !== 'paid'],
    ['category_id', 'is_null', undefined, ({ category }) => category === null],
    ['category_id', 'is_null', false, ({ category }) => category !== null],
  ])('%s %s %j', async (field, operation, value, keeps) => {
    const { status, body } = await filtered(mine, [{ field, operation, value }])
    expect([status, names(body)]).toEqual([200, names(book.filter(keeps))])
  })

  test('get_filtered_transactions returns rows that match all filters, and all rows without a filter, newest first', async () => {
    const two = [{ field: 'amount', operation: 'lt', value: 0 }, {
      field: 'category_id',
      operation: 'eq',
      value: ids['Food 1'],
    }]
    expect(names((await filtered(mine, two)).body)).toBe('Bread Cheese Wine')
    const { body } = await filtered(mine, [])
    const dates: string[] = body.map((row: { transaction_date: string }) => row.transaction_date)
    expect(dates).toEqual(dates.toSorted((a, b) => a < b ? 1 : -1))
    expect(body).toHaveLength(book.length)
  })

  test.each([{}, [], { p_filters: [] }, {
    filter: [{ field: 'amount', operation: 'gt', value: 1e6 }],
  }])(
    'a body that names no filters, such as %j, is 404 and not everything',
    async (body) => {
      expect(refusalOf(await mine.post('/rpc/get_filtered_transactions', body))).toBe(
        refusalOfVersion('missingParameter'),
      )
      expect(await mine.post('/rpc/get_transaction_distribution_by_category', body)).toMatchObject({
        status: 404,
        body: { code: 'PGRST202' },
      })
    },
  )

  test('get_filtered_transactions returns the rows that the caller may see: both contexts while an organization is active, and none of others', async () => {
    expect((await filtered(ours, [])).body).toHaveLength(2 * book.length)
    expect((await filtered(ours, [personal])).body).toHaveLength(book.length)
    expect((await filtered(viewer, [])).body).toHaveLength(book.length)
    expect((await filtered(nobody, [])).body).toEqual([])
    expect(await filtered(stack.anonymous, [])).toMatchObject({
      status: 401,
      body: { code: '42501' },
    })
  })

  test('get_filtered_transactions can be used as a table: with select, order, limit and embedding', async () => {
    const { body } = await filtered(
      mine,
      [{ field: 'category_id', operation: 'is_null', value: false }],
      '?select=name,amount,category:categories(name)&order=amount.desc&limit=2',
    )
    expect(body).toEqual([{ name: 'Refund', amount: 0.5, category: { name: 'Food' } }, {
      name: 'Bread',
      amount: -1.01,
      category: { name: 'Food' },
    }])
  })

  test.each<[unknown, string]>([
    [[{ field: 'colour', operation: 'eq', value: 1 }], 'Valid fields: account_id, amount, '],
    [
      [{ field: 'amount; drop table api.transactions', operation: 'eq', value: 1 }],
      'Valid fields: ',
    ],
    [[{ field: ['amount'], operation: 'eq', value: 1 }], 'Valid fields: '],
    [[{ operation: 'eq', value: 1 }], 'Valid fields: '],
    [[{ field: 'metadata', operation: 'eq', value: 1 }], 'Valid fields: '],
    [
      [{ field: 'amount', operation: 'like', value: '1*' }],
      'Valid operations for amount: eq, neq, gt, gte, lt, lte, in, from, to, between, is_null.',
    ],
    [[{ field: 'amount', operation: '= 1 or 1', value: 1 }], 'Valid operations for amount: '],
    [[{ field: 'amount', operation: 5, value: 1 }], 'Valid operations for amount: '],
    [[{ field: 'amount', value: 1 }], 'Valid operations for amount: '],
    [[{ field: 'amount', operation: 'gt', value: '0 or true' }], 'Must be a number'],
    [[{ field: 'amount', operation: 'gt', value: 'NaN' }], 'Must be a number'],
    [[{ field: 'amount', operation: 'gt', value: null }], 'Must be a number'],
    [[{ field: 'amount', operation: 'gt' }], 'Must be a number'],
    [[{ field: 'amount', operation: 'gt', value: [1] }], 'Must be a number'],
    [[{ field: 'amount', operation: 'gt', value: { a: 1 } }], 'Must be a number'],
    [[{ field: 'amount', operation: 'in', value: 5 }], 'Must be an array'],
    [[{ field: 'amount', operation: 'in', value: [] }], 'Must be an array'],
    [[{ field: 'amount', operation: 'between', value: [1] }], 'Must be an array of two'],
    [[{ field: 'amount', operation: 'in', value: [1, '2)'] }], 'Must be a number'],
    [[{ field: 'id', operation: 'eq', value: '1' }], 'Must be an ID'],
    [[{ field: 'category_id', operation: 'in', value: ["'"] }], 'Must be an ID'],
    [
      [{ field: 'transaction_date', operation: 'from', value: '2025-02-30' }],
      'Use YYYY-MM-DD or an ISO 8601 date-time',
    ],
    [
      [{ field: 'transaction_date', operation: 'to', value: 'infinity' }],
      'Use YYYY-MM-DD or an ISO 8601 date-time',
    ],
    [
      [{ field: 'transaction_date', operation: 'to', value: '0001-01-01' }],
      'Use YYYY-MM-DD or an ISO 8601 date-time',
    ],
    [
      [{ field: 'transaction_date', operation: 'between', value: ['2025-01-01', 'x'] }],
      'Use YYYY-MM-DD or an ISO 8601 date-time',
    ],
    [[{ field: 'transaction_date', operation: 'from', value: 5 }], 'Must be a date'],
    [[{ field: 'transaction_date', operation: 'eq', value: 'custom' }], 'Send both'],
    [[{ field: 'name', operation: 'like', value: 'a\\' }], 'Must be a text pattern'],
    [[{ field: 'name', operation: 'eq', value: 'x'.repeat(1001) }], 'Must be text'],
    [[{ field: 'name', operation: 'is_null', value: 'yes' }], 'Must be true or false'],
    [[{ field: 'account_id', operation: 'eq', value: 'x' }], 'Must be an ID'],
    [
      [{ field: 'account_id', operation: 'like', value: '*' }],
      'Valid operations for account_id: eq, neq, in, is_null.',
    ],
    [
      [{ field: 'tag', operation: 'like', value: 'a*' }],
      'Valid operations for tag: eq, neq, in, is_null.',
    ],
    [[{ field: 'tag', operation: 'in', value: 'a' }], 'Must be an array'],
    [[{ field: 'tag', operation: 'is_null', value: 1 }], 'Must be true or false'],
    [
      [{ field: 'search', operation: 'like', value: 'a*' }],
      'Valid operations for search: eq, ilike, contains.',
    ],
    [[{ field: 'search', operation: 'contains', value: ['a'] }], 'Must be text'],
    [[{ field: 'search', operation: 'contains', value: 'x'.repeat(1001) }], 'Must be text'],
    [
      [{ field: 'name', operation: 'eq', value: 'x', or: 1 }],
      'Must have field, operation and value',
    ],
    [[null], 'Must have field'],
    [['amount'], 'Must have field'],
    [{}, 'Each must have field'],
    ['all', 'Each must have field'],
    [5, 'Each must have field'],
    [
      Array.from({ length: 51 }, () => ({ field: 'amount', operation: 'gt', value: 0 })),
      'Each must have field',
    ],
  ])(
    'get_filtered_transactions is 400 for the filters %j, and says what is allowed',
    async (filters, allowed) => {
      expect(await filtered(mine, filters)).toMatchObject(
        refusal({ hint: expect.stringContaining(allowed) }),
      )
    },
  )
})

describe('delete_category', () => {
  const remove = (caller: Caller, body: Record<string, unknown>) =>
    caller.post('/rpc/delete_category', body)
  async function filed(caller: Caller) {
    const [from, to] = [
      await caller.create('categories', { name: 'from' }),
      await caller.create('categories', { name: 'to' }),
    ]
    const transaction = await caller.create('transactions', {
      name: 'x',
      amount: 1,
      category_id: from.id,
    })
    await caller.create('subscriptions', {
      title: 'x',
      amount: 1,
      period: 'daily',
      category_id: from.id,
    })
    await caller.create('line_items', {
      transaction_id: transaction.id,
      name: 'x',
      amount: 1,
      category_id: from.id,
    })
    return { from, to }
  }

  test.each(['personal', 'team'])(
    'delete_category moves the transactions of the category and deletes it, in the %s context',
    async (context) => {
      const caller = context === 'team' ? ours : mine
      const { from, to } = await filed(caller)
      expect(await remove(caller, { p_category_id: from.id, p_replacement_id: to.id }))
        .toMatchObject({
          status: 200,
          body: {
            category_id: from.id,
            replacement_id: to.id,
            transactions: 1,
            subscriptions: 1,
            line_items: 1,
          },
        })
      expect((await caller.get(`/categories?id=eq.${from.id}`)).body).toEqual([])
      for (const table of ['transactions', 'subscriptions', 'line_items'])
        expect((await caller.get(`/${table}?category_id=eq.${to.id}`)).body).toHaveLength(1)
      expect(await remove(caller, { p_category_id: to.id })).toMatchObject({
        status: 200,
        body: { replacement_id: null, transactions: 1, subscriptions: 1, line_items: 1 },
      })
    },
  )

  test('delete_category changes nothing if the replacement is missing, of another context, or the category itself', async () => {
    const { from } = await filed(mine)
    const shared = await ours.create('categories', { name: 'x' })
    const hers = await nobody.create('categories', { name: 'x' })
    for (const id of ['00000000-0000-4000-8000-000000000000', shared.id, hers.id]) {
      expect(await remove(ours, { p_category_id: from.id, p_replacement_id: id })).toMatchObject({
        status: 404,
        body: { message: 'replacement category not found' },
      })
    }
    expect(await remove(mine, { p_category_id: from.id, p_replacement_id: from.id })).toMatchObject(
      refusal({}),
    )
    expect((await mine.get(`/transactions?category_id=eq.${from.id}`)).body).toHaveLength(1)
  })

  test('delete_category is 404 for a category that the caller cannot see, and 403 for a viewer', async () => {
    const { from } = await filed(ours)
    for (const id of [from.id, '00000000-0000-4000-8000-000000000000'])
      expect(await remove(nobody, { p_category_id: id })).toMatchObject({
        status: 404,
        body: { message: 'category not found' },
      })
    expect(await remove(viewer, { p_category_id: from.id })).toMatchObject({
      status: 403,
      body: { code: '42501', message: 'permission denied for table categories' },
    })
    expect(await remove(mine, { p_category_id: '1' })).toMatchObject({
      status: 400,
      body: { code: '22P02' },
    })
    expect((await ours.get(`/categories?id=eq.${from.id}`)).body).toHaveLength(1)
  })
})

describe('date range presets', () => {
  /** The first and the last day of each preset, on Thursday 2024-02-29. */
  const expected: Record<string, [string, string] | [null, null]> = {
    today: ['2024-02-29', '2024-02-29'],
    yesterday: ['2024-02-28', '2024-02-28'],
    last_7_days: ['2024-02-23', '2024-02-29'],
    last_30_days: ['2024-01-31', '2024-02-29'],
    this_week: ['2024-02-26', '2024-03-03'],
    last_week: ['2024-02-19', '2024-02-25'],
    this_month: ['2024-02-01', '2024-02-29'],
    last_month: ['2024-01-01', '2024-01-31'],
    this_quarter: ['2024-01-01', '2024-03-31'],
    last_quarter: ['2023-10-01', '2023-12-31'],
    this_year: ['2024-01-01', '2024-12-31'],
    last_year: ['2023-01-01', '2023-12-31'],
    all_time: [null, null],
  }

  test.each(Object.keys(expected))('%s covers its days', async (preset) => {
    const { rows } = await stack.owner.query(
      `select to_char(lower(days), 'YYYY-MM-DD') as first, to_char(upper(days) - 1, 'YYYY-MM-DD') as last from private.preset_days($1, date '2024-02-29') as days`,
      [preset],
    )
    expect([rows[0].first, rows[0].last]).toEqual(expected[preset])
  })
})

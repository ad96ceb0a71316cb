/**
 * The rows of the tables as the interface lists them: columns, defaults, enumerations, and the
 * values that are refused.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, returning, type Account, type Caller, type DataStack } from '../support/data.ts'
import { samples, tables } from '../support/tables.ts'

let stack: DataStack
let ada: Account
let mine: Caller

beforeAll(async () => {
  stack = await dataStack()
  ada = await stack.person('ada')
  mine = stack.as(ada)
})
afterAll(() => stack.stop())

const row = async (table: string, caller: Caller = mine) =>
  await samples[table]?.row(caller, {}) ?? {}
const layout = { widgets: [] }

/** "Resources and their fields", copied, and the tables that the interface only names. */
const interfaceColumns: Record<string, string> = {
  transactions:
    'id amount name currency user_id organization_id external_id category_id reference_no description status source metadata transaction_date created_at updated_at',
  subscriptions:
    'id title amount period description logo_url interval_in_days category_id user_id organization_id',
  accounts:
    'id name type currency balance description institution account_number color icon user_id organization_id metadata created_at updated_at',
  dashboards:
    'id name description layout filters date_range is_default visibility user_id organization_id created_at updated_at',
  categories: 'id name color icon monthly_budget user_id organization_id created_at updated_at',
  tags: 'id name user_id organization_id created_at',
  line_items: 'id transaction_id name amount quantity category_id user_id organization_id',
  transaction_tags: 'transaction_id tag_id user_id organization_id',
}

/** Additional columns that connect the tables. */
const additionalColumns: Record<string, string> = {
  transactions: 'account_id transfer_id import_id booked_on subscription_id due_on',
  subscriptions: 'currency starts_on ends_on account_id is_active kind to_account_id',
  categories: 'budget_currency kind parent_id',
  accounts: 'opened_on closed_on closed_until',
  closings: 'id closed_until user_id organization_id created_at updated_at',
  balances: 'id account_id on_date balance source user_id organization_id created_at updated_at',
  budgets:
    'id category_id month starts_on amount currency rollover user_id organization_id created_at updated_at',
  past_budgets:
    'id category_id currency until amount rollover starts_on user_id organization_id created_at updated_at',
  rules:
    'id name priority conditions set_category_id set_name add_tags is_active mark_as_transfer user_id organization_id created_at updated_at',
  exchange_rates: 'id on_date base quote rate user_id organization_id created_at updated_at',
}

test.each(tables)(
  'a row of %s has the columns of the interface and the additional ones',
  async (table) => {
    const columns = [
      'tenant',
      ...[interfaceColumns, additionalColumns].flatMap((list) => list[table]?.split(' ') ?? []),
    ]
    expect(Object.keys(await mine.create(table, await row(table))).toSorted()).toEqual(
      columns.toSorted(),
    )
  },
)

test("a row of transactions has the interface's defaults", async () => {
  const before = Date.now()
  const created = await mine.create('transactions', { name: 'Coffee', amount: 3.5 })
  expect(created).toMatchObject({
    amount: 3.5,
    currency: 'usd',
    status: 'paid',
    source: 'manual',
    organization_id: null,
    user_id: ada.id,
    metadata: null,
  })
  expect(Math.abs(new Date(created.transaction_date).getTime() - before)).toBeLessThan(10_000)
})

test("a row of accounts and dashboards has the interface's defaults", async () => {
  expect(await mine.create('accounts', { name: 'x', type: 'cash' })).toMatchObject({
    currency: 'usd',
    balance: 0,
  })
  expect(await mine.create('dashboards', { name: 'x', layout })).toMatchObject({
    is_default: false,
    visibility: 'private',
    date_range: null,
  })
})

test.each([
  ['transactions', 'amount'],
  ['transactions', 'name'],
  ['subscriptions', 'title'],
  ['subscriptions', 'amount'],
  ['subscriptions', 'period'],
  ['accounts', 'name'],
  ['accounts', 'type'],
  ['dashboards', 'name'],
  ['dashboards', 'layout'],
  ['categories', 'name'],
  ['tags', 'name'],
  ['closings', 'closed_until'],
  ['balances', 'account_id'],
  ['balances', 'on_date'],
  ['balances', 'balance'],
  ['budgets', 'category_id'],
  ['budgets', 'amount'],
  ['rules', 'name'],
  ['rules', 'conditions'],
  ['exchange_rates', 'on_date'],
  ['exchange_rates', 'base'],
  ['exchange_rates', 'quote'],
  ['exchange_rates', 'rate'],
])('a row of %s requires %s', async (table, column) => {
  const { [column]: _, ...rest } = await row(table)
  expect(await mine.post(`/${table}`, rest)).toMatchObject({ status: 400, body: { code: '23502' } })
})

test.each([
  ['transactions', 'status', ['paid', 'pending', 'failed']],
  ['subscriptions', 'period', [
    'monthly',
    'yearly',
    'quarterly',
    'semi-annually',
    'weekly',
    'daily',
  ]],
  ['accounts', 'type', [
    'checking',
    'savings',
    'credit_card',
    'cash',
    'investment',
    'loan',
    'asset',
  ]],
  ['dashboards', 'visibility', ['private', 'shared', 'public']],
])(
  'a row of %s accepts for %s the values of the interface, and no others',
  async (table, column, values) => {
    const body = await row(table)
    for (const value of values)
      expect(
        (await mine.post(`/${table}`, { ...body, [column]: value })).status,
      ).toBe(201)
    for (const value of ['other', '', values[0]?.toUpperCase()]) {
      expect(await mine.post(`/${table}`, { ...body, [column]: value })).toMatchObject({
        status: 400,
        body: { code: '23514' },
      })
    }
  },
)

test('a row stores a currency in lower case', async () => {
  expect(await mine.create('transactions', { name: 'x', amount: 1, currency: 'EUR' }))
    .toMatchObject({ currency: 'eur' })
  const { id } = await mine.create('accounts', { name: 'x', type: 'cash' })
  expect((await mine.patch(`/accounts?id=eq.${id}`, { currency: 'CHF' }, returning)).body)
    .toMatchObject([{ currency: 'chf' }])
})

test('a row stores only the last four digits of an account number', async () => {
  for (
    const [sent, kept] of [
      ['1234567890', '7890'],
      ['DE89 3704 0044 0532 0130 00', '3000'],
      ['****4242', '4242'],
      ['12', '12'],
      ['none', null],
      ['', null],
      [
        4242424242424242,
        '4242',
      ],
    ]
  ) {
    const created = await mine.create('accounts', { name: 'x', type: 'cash', account_number: sent })
    expect(created.account_number).toBe(kept)
    expect(
      (await mine.patch(`/accounts?id=eq.${created.id}`, { account_number: '99998888' }, returning))
        .body[0].account_number,
    ).toBe('8888')
    expect(
      (await mine.post('/accounts', { ...created, account_number: sent }, {
        prefer: 'return=representation,resolution=merge-duplicates',
      })).body[0]
        .account_number,
    ).toBe(kept)
  }
  const { rows } = await stack.owner.query(
    'select count(*) from api.accounts a where length(account_number) > 4',
  )
  expect(rows[0].count).toBe('0')
})

describe('an invalid value is 400 and stores nothing', () => {
  const long = (length: number) => 'x'.repeat(length)
  const deep = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`
  const widget = { id: 'a', type: 'chart', position: { x: 0, y: 0 }, size: { w: 1, h: 1 } }
  const cases: [string, Record<string, unknown>][] = [
    ...['NaN', 'Infinity', '-Infinity', 1e12, -1e12, 'ten', '', {}, null]
      .map((amount): [string, Record<string, unknown>] => ['transactions', { amount }]),
    ...['NaN', 'Infinity', 1e12].flatMap((amount): [string, Record<string, unknown>][] => [
      ['subscriptions', { amount }],
      ['accounts', { balance: amount }],
      ['line_items', { amount }],
      ['line_items', { quantity: amount }],
      ['categories', { monthly_budget: amount }],
    ]),
    ...[
      'infinity',
      '-infinity',
      '0001-01-01',
      '1899-12-31',
      '2200-01-01',
      '294000-01-01',
      '2025-02-30',
      'soon',
    ].map((
      transaction_date,
    ): [string, Record<string, unknown>] => ['transactions', { transaction_date }]),
    ['transactions', { name: '' }],
    ['transactions', { name: long(256) }],
    ['transactions', { description: long(5001) }],
    ['transactions', { source: long(65) }],
    ['transactions', { external_id: long(256) }],
    ['transactions', { external_id: '' }],
    ['transactions', { reference_no: long(256) }],
    ['transactions', { currency: 'us' }],
    ['transactions', { currency: 'us1' }],
    ['transactions', { category_id: 'food' }],
    ['transactions', { id: '1' }],
    ['transactions', { metadata: { a: long(16_384) } }],
    ['transactions', { metadata: JSON.parse(deep(17)) }],
    ['transactions', { name: 'a\u0000b' }],
    ['transactions', { colour: 'red' }],
    ['categories', { monthly_budget: -1 }],
    ['categories', { color: 'red' }],
    ['categories', { icon: long(101) }],
    ['tags', { name: long(101) }],
    ['subscriptions', { title: long(256) }],
    ['subscriptions', { logo_url: 'javascript:alert(1)' }],
    ['subscriptions', { logo_url: `https://${long(2048)}` }],
    ['subscriptions', { interval_in_days: 0 }],
    ['subscriptions', { interval_in_days: 3661 }],
    ['subscriptions', { interval_in_days: 1.5 }],
    ['accounts', { color: '#12345' }],
    ['accounts', { institution: long(256) }],
    ['accounts', { metadata: JSON.parse(deep(17)) }],
    ...[
      {},
      [],
      'x',
      1,
      { widgets: {} },
      { widgets: [1] },
      { widgets: [{}] },
      { widgets: [{ ...widget, id: 1 }] },
      { widgets: [{ ...widget, id: '' }] },
      { widgets: [{ ...widget, type: null }] },
      { widgets: [{ ...widget, position: { x: 0 } }] },
      { widgets: [{ ...widget, position: { x: '0', y: 0 } }] },
      { widgets: [{ ...widget, size: { w: 0, h: 1 } }] },
      { widgets: [{ ...widget, position: { x: -1, y: 0 } }] },
      { widgets: [widget, { ...widget, size: [1, 1] }] },
      { widgets: [{ ...widget, config: { text: long(65_536) } }] },
      { widgets: [{ ...widget, config: JSON.parse(deep(16)) }] },
    ].map((malformed): [string, Record<string, unknown>] => ['dashboards', { layout: malformed }]),
    ...[
      'this_month',
      { preset: 'next_month' },
      { preset: 1 },
      { preset: 'this_month', start_date: '2025-01-01' },
      {},
      { start_date: '2025-01-01' },
      { start_date: '2025-01-02', end_date: '2025-01-01' },
      { start_date: '2025-02-30', end_date: '2025-03-01' },
      { from: '2025-01-01' },
    ].map((date_range): [string, Record<string, unknown>] => ['dashboards', { date_range }]),
    ['dashboards', { filters: JSON.parse(deep(17)) }],
    ['dashboards', { is_default: 'maybe' }],
  ]
  test.each(cases)(
    'an invalid value is 400 and stores nothing in %s: %j',
    async (table, change) => {
      const body = await row(table)
      const before = (await mine.get(`/${table}?limit=0`, { prefer: 'count=exact' })).headers.get(
        'content-range',
      )
      const answer = await mine.post(`/${table}`, { ...body, ...change })
      expect(answer.status).toBe(400)
      expect(Object.keys(answer.body).toSorted()).toEqual(['code', 'details', 'hint', 'message'])
      expect(
        (await mine.get(`/${table}?limit=0`, { prefer: 'count=exact' })).headers.get(
          'content-range',
        ),
      ).toBe(before)
    },
  )

  test('an invalid value is 400 and stores nothing valid layouts and date ranges are accepted', async () => {
    for (
      const date_range of [null, { preset: 'last_30_days' }, {
        start_date: '2025-01-01',
        end_date: '2025-01-31',
      }, {
        preset: 'custom',
        start_date: '2025-01-01',
        end_date: '2025-01-31',
      }]
    ) {
      expect(
        (await mine.post('/dashboards', {
          name: 'x',
          layout: { widgets: [widget, { ...widget, config: { any: [1] } }] },
          date_range,
        })).status,
      ).toBe(201)
    }
    expect(
      (await mine.post('/transactions', { name: 'x', amount: 1, metadata: JSON.parse(deep(15)) }))
        .status,
    ).toBe(201)
  })
})

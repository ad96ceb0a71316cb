/** GET / describes exactly the exposed tables and functions. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type DataStack } from '../support/data.ts'
import { readTables, tables } from '../support/tables.ts'

let stack: DataStack
let description: any
const functions = [
  'create_transfer',
  'get_filtered_transactions',
  'get_transaction_stat',
  'get_transaction_aggregate',
  'delete_category',
  'get_transaction_distribution_by_category',
  'get_budget_comparison',
  'get_cash_flow',
  'get_balances',
  'get_net_worth',
  'get_reconciliation',
  'set_balance',
  'get_forecast',
  'get_upcoming',
  'get_instance_rates',
  'get_missing_rates',
  'import_transactions',
  'apply_rules',
  'suggest_categories',
  'link_transfer',
  'record_subscription',
  'undo',
  'unlink_transfer',
  'begin_upload',
  'open_attachment',
  'get_file_space',
]

beforeAll(async () => {
  stack = await dataStack()
  const answer = await stack.anonymous.get('/', { accept: 'application/openapi+json' })
  expect(answer.status).toBe(200)
  description = answer.body
})
afterAll(() => stack.stop())

test('the description lists the tables and functions of the interface, and nothing more', () => {
  expect(Object.keys(description.paths).toSorted()).toEqual(
    [
      '/',
      ...[...tables, ...readTables].map((table) => `/${table}`),
      ...functions.map((name) => `/rpc/${name}`),
    ].toSorted(),
  )
  expect(Object.keys(description.definitions).toSorted()).toEqual(
    [...tables, ...readTables].toSorted(),
  )
})

test('the description has text for the API, each table, each column and each function', () => {
  expect(description.info.description).toContain('Authorization: Bearer')
  for (
    const [table, { description: text, properties }] of Object.entries<any>(description.definitions)
  ) {
    expect(text, table).toMatch(/\S/)
    for (const [column, property] of Object.entries<any>(properties))
      expect(property.description, `${table}.${column}`).toMatch(/\S/)
    expect(description.paths[`/${table}`].get.summary, table).toMatch(/\S/)
  }
  for (const name of functions) {
    const { summary, description: text } = description.paths[`/rpc/${name}`].post
    expect(summary, name).toMatch(/\S/)
    expect(text, name).toMatch(/\S/)
  }
})

/** The required parameters of each function. */
const needed: Record<string, object> = {
  create_transfer: {
    from_account_id: crypto.randomUUID(),
    to_account_id: crypto.randomUUID(),
    amount: 1,
  },
  delete_category: { p_category_id: crypto.randomUUID() },
  get_filtered_transactions: { filters: [] },
  get_forecast: { p_until: 'today' },
  get_missing_rates: { p_convert_to: 'usd' },
  get_transaction_distribution_by_category: { params: {} },
  get_reconciliation: { p_account_id: crypto.randomUUID() },
  set_balance: { p_account_id: crypto.randomUUID(), p_balance: 1 },
  record_subscription: { p_subscription_id: crypto.randomUUID(), due_on: '2025-01-01' },
  apply_rules: {},
  suggest_categories: { p_rows: [{ name: 'Coffee', amount: -3.5 }] },
  import_transactions: { p_rows: [{ name: 'Coffee', amount: -3.5 }] },
  link_transfer: {
    p_from_transaction_id: crypto.randomUUID(),
    p_to_transaction_id: crypto.randomUUID(),
  },
  unlink_transfer: { p_transfer_id: crypto.randomUUID() },
  begin_upload: {
    transaction_id: crypto.randomUUID(),
    name: 'receipt.pdf',
    size: 1,
    sha256: 'a'.repeat(64),
  },
  open_attachment: { id: crypto.randomUUID() },
  undo: { p_activity_id: '00000000-0000-4000-8000-000000000000' },
}

test('an anonymous caller cannot call any function', async () => {
  for (const name of functions)
    expect(await stack.anonymous.post(`/rpc/${name}`, needed[name] ?? {}), name).toMatchObject({
      status: 401,
      body: { code: '42501' },
    })
})

test('a client can call functions by GET that only read and need no JSON, and none that deletes', async () => {
  const caller = stack.as(await stack.person())
  for (const name of functions.filter((one) => needed[one] === undefined))
    expect((await caller.get(`/rpc/${name}`)).status, name).toBe(200)
  const { id } = await caller.create('categories', { name: 'x' })
  expect((await caller.get(`/rpc/delete_category?p_category_id=${id}`)).status).toBe(405)
  expect((await caller.get(`/categories?id=eq.${id}`)).body).toHaveLength(1)
})

test('the required columns of a row are those of the interface', () => {
  // Owner columns are filled from the token, and ids are generated.
  const required = Object.fromEntries(
    Object.entries<any>(description.definitions)
      .map(([table, { required: columns, properties }]) => [
        table,
        (columns ?? []).filter((column: string) => properties[column].default === undefined),
      ]),
  )
  expect(required).toMatchObject({
    transactions: ['amount', 'name'],
    subscriptions: ['title', 'amount', 'period'],
    accounts: ['name', 'type'],
    dashboards: ['name', 'layout'],
    categories: ['name'],
    tags: ['name'],
    line_items: ['transaction_id', 'name', 'amount'],
  })
})

test('no caller can call a helper function under /rpc', async () => {
  const caller = stack.as(await stack.person())
  const { rows } = await stack.owner.query<{ proname: string }>(
    `select distinct proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('private', 'public', 'auth')`,
  )
  for (const { proname } of [...rows, { proname: 'one_object' }, { proname: 'pg_sleep' }]) {
    for (const who of [caller, stack.anonymous])
      expect((await who.post(`/rpc/${proname}`, {})).status, proname).toBe(404)
  }
})

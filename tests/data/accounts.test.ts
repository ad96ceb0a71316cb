/**
 * Accounts: the balance follows from the transactions, which must have the account's context and
 * currency.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  dataStack,
  type Account,
  type Caller,
  type DataStack,
  type Organization,
} from '../support/data.ts'

let stack: DataStack
let ada: Account
let team: Organization
let mine: Caller
let ours: Caller
let bobs: Caller

beforeAll(async () => {
  stack = await dataStack()
  ada = await stack.person('ada')
  team = await stack.organization({ owner: ada })
  mine = stack.as(ada)
  ours = stack.as(ada, team)
  bobs = stack.as(await stack.person('bob'))
})
afterAll(() => stack.stop())

const account = async (caller: Caller, row: object = {}): Promise<string> =>
  (await caller.create('accounts', { name: 'Bank', type: 'checking', ...row })).id
const balances = async (caller: Caller, query = ''): Promise<Record<string, number>> => {
  const { status, body } = await caller.get(`/accounts?select=name,current_balance${query}`)
  expect(status).toBe(200)
  return Object.fromEntries(
    body.map((row: { name: string, current_balance: number }) => [row.name, row.current_balance]),
  )
}

test('current_balance is the opening balance plus all paid transactions, for a whole list of accounts in one request', async () => {
  const carla = stack.as(await stack.person('carla'))
  const bank = await account(carla, { name: 'Bank', balance: 100.5 })
  const card = await account(carla, { name: 'Card', type: 'credit_card' })
  await account(carla, { name: 'Empty', balance: -7 })
  await carla.create('transactions', [
    { name: 'Salary', amount: 2000, status: 'paid', account_id: bank },
    { name: 'Rent', amount: -900.25, status: 'paid', account_id: bank },
    { name: 'Soon', amount: -50, status: 'pending', account_id: bank },
    { name: 'Bounced', amount: -60, status: 'failed', account_id: bank },
    { name: 'Shoes', amount: -80, status: 'paid', account_id: card },
    { name: 'Elsewhere', amount: -1, status: 'paid', account_id: null },
  ])
  expect(await balances(carla)).toEqual({ Bank: 1200.25, Card: -80, Empty: -7 })
})

test('current_balance can be filtered and ordered by, and is not part of *', async () => {
  const carla = stack.as(await stack.person('carla'))
  await account(carla, { name: 'Low', balance: 1 })
  await account(carla, { name: 'High', balance: 9 })
  expect((await carla.get('/accounts?select=name&order=current_balance.desc')).body).toEqual([{
    name: 'High',
  }, { name: 'Low' }])
  expect((await carla.get('/accounts?select=name&current_balance=gt.5')).body).toEqual([{
    name: 'High',
  }])
  expect((await carla.get('/accounts?limit=1')).body[0]).not.toHaveProperty('current_balance')
  expect((await carla.get('/accounts?select=*,current_balance&limit=1')).body[0]).toHaveProperty(
    'current_balance',
  )
})

test('current_balance follows the creation, change and deletion of a transaction', async () => {
  const carla = stack.as(await stack.person('carla'))
  const bank = await account(carla, { balance: 10 })
  const { id } = await carla.create('transactions', {
    name: 'Coffee',
    amount: -3,
    account_id: bank,
  })
  await carla.patch(`/transactions?id=eq.${id}`, { amount: -4 })
  expect(await balances(carla)).toEqual({ Bank: 6 })
  await carla.create('transactions', { name: 'Correction', amount: 0.5, account_id: bank })
  expect(await balances(carla)).toEqual({ Bank: 6.5 })
  await carla.delete(`/transactions?id=eq.${id}`)
  expect(await balances(carla)).toEqual({ Bank: 10.5 })
})

test('current_balance cannot be called as a function under /rpc', async () => {
  const { body } = await mine.get('/', { accept: 'application/openapi+json' })
  expect(Object.keys(body.paths)).toContain('/rpc/create_transfer')
  expect(Object.keys(body.paths)).not.toContain('/rpc/current_balance')
  expect((await mine.post('/rpc/current_balance', { id: crypto.randomUUID() })).status).toBe(404)
})

test('current_balance reads only an index, even if other users have many transactions', async () => {
  const bank = await account(mine)
  await stack.owner.query(
    `insert into api.transactions (name, amount, user_id, account_id, transaction_date) select 'many', 1, $1, $2, now() - i * interval '1 hour' from generate_series(1, 3000) i`,
    [ada.id, bank],
  )
  await stack.owner.query('vacuum analyze api.transactions')
  await stack.owner.query('begin')
  try {
    await stack.owner.query(
      `select set_config('request.jwt.claims', $1, true), set_config('plan_cache_mode', 'force_generic_plan', true)`,
      [
        JSON.stringify({
          user_id: ada.id,
          claims: { organization_id: team.id, organization_role: 'owner' },
        }),
      ],
    )
    await stack.owner.query('set local role authenticated')
    // The body of the function, for one account.
    await stack.owner.query(`
        prepare balance (uuid) as
        select sum(t.amount) from api.transactions t
        where t.account_id = $1 and t.status = 'paid'
          and case when t.booked_on is null then t.transaction_date < (current_date + 1)::timestamptz else t.booked_on <= current_date end`)
    const { rows } = await stack.owner.query<{ 'QUERY PLAN': string }>(
      `explain (costs off) execute balance ('${bank}')`,
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('Index Only Scan using transactions_account')
    expect(plan).toMatch(/Index Cond: \(+account_id = /)
  } finally {
    await stack.owner.query('rollback')
  }
})

test("the currency of a transaction is its account's currency by default, and usd without an account", async () => {
  const euros = await account(mine, { currency: 'EUR' })
  expect(await mine.create('transactions', { name: 'x', amount: 1, account_id: euros }))
    .toMatchObject({ currency: 'eur' })
  expect(
    await mine.create('transactions', { name: 'x', amount: 1, account_id: euros, currency: 'EUR' }),
  ).toMatchObject({ currency: 'eur' })
  expect(await mine.create('transactions', { name: 'x', amount: 1 })).toMatchObject({
    currency: 'usd',
  })
  const rows = [{ name: 'x', amount: 1, account_id: euros }, {
    name: 'y',
    amount: 2,
    account_id: null,
  }]
  expect((await mine.create('transactions', rows)).map((row: { currency: string }) => row.currency))
    .toEqual(['eur', 'usd'])
  const named = await mine.post('/transactions?columns=name,amount,account_id,currency', [{
    name: 'x',
    amount: 1,
    account_id: euros,
  }], {
    prefer: 'return=representation,missing=default',
  })
  expect(named).toMatchObject({ status: 201, body: [{ currency: 'eur' }] })
})

test("the currency of a transaction is refused if it differs from the account's currency, and nothing is stored", async () => {
  const euros = await account(mine, { currency: 'eur' })
  const refused = {
    status: 400,
    body: {
      code: '22023',
      message: 'the account is in EUR, but the transaction is in USD',
      hint: expect.stringContaining('currency'),
    },
  }
  expect(
    await mine.post('/transactions', { name: 'x', amount: 1, currency: 'usd', account_id: euros }),
  ).toMatchObject(refused)
  const dollars = await mine.create('transactions', { name: 'x', amount: 1 })
  expect(await mine.patch(`/transactions?id=eq.${dollars.id}`, { account_id: euros }))
    .toMatchObject(refused)
  expect(
    await mine.patch(`/transactions?id=eq.${dollars.id}`, { account_id: euros, currency: 'eur' }),
  ).toMatchObject({ status: 204 })
  expect(await mine.patch(`/transactions?id=eq.${dollars.id}`, { currency: 'usd' })).toMatchObject(
    refused,
  )
  expect((await mine.get(`/transactions?account_id=eq.${euros}&select=currency`)).body).toEqual([{
    currency: 'eur',
  }])
  expect((await mine.post('/transactions', { name: 'x', amount: 1, currency: '' })).body.code).toBe(
    '23514',
  )
})

test('the currency of a transaction keeps the currency of its account from changing until the last transaction is deleted', async () => {
  const euros = await account(mine, { currency: 'eur' })
  expect((await mine.patch(`/accounts?id=eq.${euros}`, { currency: 'chf' })).status).toBe(204)
  const { id } = await mine.create('transactions', { name: 'x', amount: 1, account_id: euros })
  expect(await mine.patch(`/accounts?id=eq.${euros}`, { currency: 'eur' })).toMatchObject({
    status: 400,
    body: { code: '22023', message: 'the account has transactions in CHF' },
  })
  expect((await mine.patch(`/accounts?id=eq.${euros}`, { currency: 'CHF', name: 'Zürich' })).status)
    .toBe(204)
  await mine.delete(`/transactions?id=eq.${id}`)
  expect((await mine.patch(`/accounts?id=eq.${euros}`, { currency: 'eur' })).status).toBe(204)
})

test('the currency of a transaction keeps the currency of an account with a subscription from changing, because recording the subscription would fail', async () => {
  const euros = await account(mine, { currency: 'eur' })
  const { id } = await mine.create('subscriptions', {
    title: 'x',
    amount: 1,
    period: 'monthly',
    currency: 'eur',
    account_id: euros,
  })
  expect(await mine.patch(`/accounts?id=eq.${euros}`, { currency: 'chf' })).toMatchObject({
    status: 400,
    body: { code: '22023', message: 'the account has recurring items in EUR' },
  })
  expect((await mine.patch(`/subscriptions?id=eq.${id}`, { account_id: null })).status).toBe(204)
  expect((await mine.patch(`/accounts?id=eq.${euros}`, { currency: 'chf' })).status).toBe(204)
})

describe('an account of another user', () => {
  const cases: [string, object][] = [
    ['transactions', { name: 'x', amount: 1 }],
    ['subscriptions', { title: 'x', amount: 1, period: 'monthly' }],
  ]
  test.each(cases)(
    'an account of another user is refused in %s with the same error as a missing account',
    async (table, row) => {
      const missing = await mine.post(`/${table}`, { ...row, account_id: crypto.randomUUID() })
      expect(missing).toMatchObject({ status: 409, body: { code: '23503' } })
      for (const id of [await account(bobs, { currency: 'eur' }), await account(ours)])
        expect((await mine.post(`/${table}`, { ...row, account_id: id })).body).toEqual(
          missing.body,
        )
    },
  )

  test('an account of another user is refused in an import, which a function stores', async () => {
    const store = stack.owner.query(
      `insert into api.imports (source, row_count, user_id, account_id) values ('bank', 1, $1, $2)`,
      [
        ada.id,
        await account(bobs),
      ],
    )
    await expect(store).rejects.toMatchObject({
      code: '23503',
      constraint: 'imports_account_id_fkey',
    })
  })

  test('an account of another user is refused before any other check reveals that it exists', async () => {
    const bank = await account(bobs, { currency: 'eur' })
    const { id } = await mine.create('transactions', { name: 'x', amount: 1 })
    expect(await mine.patch(`/transactions?id=eq.${id}`, { account_id: bank })).toMatchObject({
      status: 409,
      body: { code: '23503' },
    })
  })
})

test('a subscription and an import can name an account', async () => {
  const account_id = await account(mine, { currency: 'eur' })
  expect(
    await mine.create('subscriptions', {
      title: 'x',
      amount: 1,
      period: 'monthly',
      currency: 'eur',
      account_id,
    }),
  ).toMatchObject({ account_id })
  const { rows } = await stack.owner.query(
    `insert into api.imports (source, row_count, user_id, account_id) values ('bank', 1, $1, $2) returning account_id`,
    [
      ada.id,
      account_id,
    ],
  )
  expect(rows).toEqual([{ account_id }])
})

test('a user who deletes an account keeps its transactions', async () => {
  const bank = await account(mine, { currency: 'eur' })
  const { id } = await mine.create('transactions', { name: 'Coffee', amount: -3, account_id: bank })
  expect((await mine.delete(`/accounts?id=eq.${bank}`)).status).toBe(204)
  expect((await mine.get(`/transactions?id=eq.${id}&select=name,amount,currency,account_id`)).body)
    .toEqual([{ name: 'Coffee', amount: -3, currency: 'eur', account_id: null }])
})

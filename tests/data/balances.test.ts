/**
 * Balances on a day and net worth over time: get_balances, get_net_worth, and the days of an
 * account.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { monthOf, plusDays, plusMonths } from '../money/days.ts'
import { dataStack, returning, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack

beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const newCaller = async (): Promise<Caller> => stack.as(await stack.person())
const account = async (caller: Caller, row: object = {}): Promise<string> =>
  (await caller.create('accounts', { name: 'Bank', type: 'checking', ...row })).id
const booked = (
  caller: Caller,
  account_id: string,
  amount: number,
  transaction_date: string,
  row: object = {},
) => caller.create('transactions', { name: 'x', amount, account_id, transaction_date, ...row })

/**
 * Today by the clock of the database, in UTC. A test that crosses midnight reads both days from it.
 */
const today = async (): Promise<string> =>
  (await stack.owner.query<{ day: string }>(`select (now() at time zone 'UTC')::date::text as day`))
    .rows[0]?.day ?? ''

type Balance = { account_id: string, currency: string, balance: number }
const balances = async (
  caller: Caller,
  query = '',
  headers = {},
): Promise<Record<string, [string, number]>> => {
  const { status, body } = await caller.get(`/rpc/get_balances${query}`, headers)
  expect(status, JSON.stringify(body)).toBe(200)
  return Object.fromEntries(
    body.map((row: Balance) => [row.account_id, [row.currency, row.balance]]),
  )
}
const worth = async (caller: Caller, args: object = {}) => {
  const { status, body } = await caller.post('/rpc/get_net_worth', args)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as {
    period: string
    currency: string
    assets: number
    liabilities: number
    net: number
  }[]
}

test('get_balances returns the balance of each account at the end of a day, and of today by default', async () => {
  const carla = await newCaller()
  const bank = await account(carla, { balance: 100 })
  const card = await account(carla, { type: 'credit_card', currency: 'eur' })
  await booked(carla, bank, 10, '2025-01-31')
  await booked(carla, bank, -40.5, '2025-02-01')
  await booked(carla, bank, -7, '2025-02-01', { status: 'pending' })
  await booked(carla, bank, -8, '2025-02-01', { status: 'failed' })
  await booked(carla, card, -3, '2025-01-01')
  expect(await balances(carla, '?on_date=2024-12-31')).toEqual({
    [bank]: ['usd', 100],
    [card]: ['eur', 0],
  })
  expect(await balances(carla, '?on_date=2025-01-31')).toEqual({
    [bank]: ['usd', 110],
    [card]: ['eur', -3],
  })
  expect(await balances(carla, '?on_date=2025-02-01')).toEqual({
    [bank]: ['usd', 69.5],
    [card]: ['eur', -3],
  })
  expect(await balances(carla)).toEqual({ [bank]: ['usd', 69.5], [card]: ['eur', -3] })
  expect((await carla.post('/rpc/get_balances', { on_date: '2025-01-31' })).body).toHaveLength(2)
})

test('get_balances leaves paid transactions of a coming day out of today, as current_balance does, and has them on that day', async () => {
  const carla = await newCaller()
  const bank = await account(carla, { balance: 100 })
  const now = await today()
  const ahead = plusDays(now, 3)
  await booked(carla, bank, -30, ahead)
  await booked(carla, bank, -1, now)
  expect(await balances(carla, `?on_date=${now}`)).toEqual({ [bank]: ['usd', 99] })
  expect((await carla.get('/accounts?select=current_balance')).body).toEqual([{
    current_balance: 99,
  }])
  expect(await balances(carla, `?on_date=${ahead}`)).toEqual({ [bank]: ['usd', 69] })
})

test('get_balances counts a moment in the time zone of the request, and a booking day as that day everywhere', async () => {
  const carla = await newCaller()
  const bank = await account(carla)
  await booked(carla, bank, 5, '2025-01-31T23:30:00Z')
  await booked(carla, bank, 70, '2025-01-31')
  const berlin = { prefer: 'timezone=Europe/Berlin' }
  const newYork = { prefer: 'timezone=America/New_York' }
  expect(await balances(carla, '?on_date=2025-01-31')).toEqual({ [bank]: ['usd', 75] })
  expect(await balances(carla, '?on_date=2025-01-31', berlin)).toEqual({ [bank]: ['usd', 70] })
  expect(await balances(carla, '?on_date=2025-01-30', newYork)).toEqual({ [bank]: ['usd', 0] })
  expect(await balances(carla, '?on_date=2025-01-31', newYork)).toEqual({ [bank]: ['usd', 75] })
})

test('get_balances converts at the latest rate on or before the day; a balance without a rate stays in its own currency', async () => {
  const carla = await newCaller()
  const euros = await account(carla, { currency: 'eur', balance: 100 })
  const francs = await account(carla, { currency: 'chf', balance: 7 })
  const empty = await account(carla, { currency: 'chf' })
  await carla.create('exchange_rates', [
    { on_date: '2025-01-01', base: 'eur', quote: 'usd', rate: 1.1 },
    { on_date: '2025-02-01', base: 'usd', quote: 'eur', rate: 0.5 },
  ])
  expect(await balances(carla, '?on_date=2025-01-31&p_convert_to=USD')).toEqual({
    [euros]: ['usd', 110],
    [francs]: ['chf', 7],
    [empty]: ['usd', 0],
  })
  expect(await balances(carla, '?on_date=2025-02-01&p_convert_to=usd')).toMatchObject({
    [euros]: ['usd', 200],
  })
  expect(await balances(carla, '?on_date=2024-12-31&p_convert_to=usd')).toMatchObject({
    [euros]: ['eur', 100],
  })
  expect(await balances(carla, '?on_date=2025-01-31&p_convert_to=eur')).toMatchObject({
    [euros]: ['eur', 100],
  })
})

test('get_balances counts the opening balance from opened_on on', async () => {
  const carla = await newCaller()
  const bank = await account(carla, { balance: 100, opened_on: '2025-03-01' })
  expect(await balances(carla, '?on_date=2025-02-28')).toEqual({})
  expect(await balances(carla, '?on_date=2025-03-01')).toEqual({ [bank]: ['usd', 100] })
  await booked(carla, bank, 5, '2025-02-01')
  expect(await balances(carla, '?on_date=2025-02-28')).toEqual({ [bank]: ['usd', 5] })
  expect((await carla.get('/accounts?select=current_balance')).body).toEqual([{
    current_balance: 105,
  }])
  await carla.patch(`/accounts?id=eq.${bank}`, { opened_on: plusDays(await today(), 2) })
  expect((await carla.get('/accounts?select=current_balance')).body).toEqual([{
    current_balance: 5,
  }])
})

test('get_balances lists a closed account until the day before it was closed, and longer if it has a balance', async () => {
  const carla = await newCaller()
  const bank = await account(carla, { balance: 100 })
  await carla.patch(`/accounts?id=eq.${bank}`, { closed_on: '2025-03-01' })
  expect(await balances(carla, '?on_date=2025-03-01')).toEqual({ [bank]: ['usd', 100] })
  await booked(carla, bank, -100, '2025-02-28')
  expect(await balances(carla, '?on_date=2025-02-28')).toEqual({ [bank]: ['usd', 0] })
  expect(await balances(carla, '?on_date=2025-03-01')).toEqual({})
  await booked(carla, bank, 12, '2025-04-01')
  expect(await balances(carla)).toEqual({ [bank]: ['usd', 12] })
})

test.each([
  [{ on_date: 'tomorrow' }, /on_date is not a date/],
  [{ on_date: '2025-02-30' }, /on_date is not a date/],
  [{ on_date: '2200-01-01' }, /on_date is not a date/],
  [{ p_convert_to: 'xyz' }, /unknown currency in p_convert_to/],
])('get_balances refuses %j with 400', async (args, message) => {
  const { status, body } = await (await newCaller()).post('/rpc/get_balances', args)
  expect([status, body.code]).toEqual([400, '22023'])
  expect(body.message).toMatch(message)
  expect(body.hint).toBeTruthy()
})

test('get_net_worth returns assets and liabilities at the end of each period, oldest first, by the sign of each balance', async () => {
  const carla = await newCaller()
  const bank = await account(carla, { balance: 1000 })
  const card = await account(carla, { type: 'credit_card' })
  const loan = await account(carla, { type: 'loan', balance: -5000 })
  const [month] = [monthOf(await today())]
  const before = plusMonths(month, -1)
  await booked(carla, card, -250, plusMonths(month, -2))
  await booked(carla, bank, -1100, plusDays(month, -1))
  await booked(carla, loan, 1100, plusDays(month, -1))
  await booked(carla, card, 300, month)
  expect(await worth(carla, { periods: 4 })).toEqual([
    { period: plusMonths(month, -3), currency: 'usd', assets: 1000, liabilities: 5000, net: -4000 },
    { period: plusMonths(month, -2), currency: 'usd', assets: 1000, liabilities: 5250, net: -4250 },
    { period: before, currency: 'usd', assets: 0, liabilities: 4250, net: -4250 },
    { period: month, currency: 'usd', assets: 50, liabilities: 4000, net: -3950 },
  ])
})

test('get_net_worth ends today, so that transactions of a coming day are in no period', async () => {
  const carla = await newCaller()
  const bank = await account(carla, { balance: 10 })
  await booked(carla, bank, 99, plusDays(await today(), 2))
  expect((await worth(carla, { grouping: 'yearly', periods: 1 }))[0]).toMatchObject({
    assets: 10,
    net: 10,
  })
})

test.each(['daily', 'weekly', 'monthly', 'quarterly', 'yearly'])(
  'get_net_worth groups %s, with each period in its place',
  async (grouping) => {
    const carla = await newCaller()
    await account(carla, { balance: 5 })
    const flow = await carla.post('/rpc/get_cash_flow', { grouping, periods: 9 })
    const rows = await worth(carla, { grouping, periods: 9 })
    expect(rows.map(({ period }) => period)).toEqual(
      flow.body.map((row: { period: string }) => row.period),
    )
    expect(rows.map(({ net }) => net)).toEqual(Array(9).fill(5))
  },
)

test('get_net_worth has a series for each currency, and one of zeros without any accounts', async () => {
  const carla = await newCaller()
  expect(await worth(carla, { periods: 2 })).toMatchObject([{ currency: 'usd', net: 0 }, {
    currency: 'usd',
    net: 0,
  }])
  const month = monthOf(await today())
  await account(carla, { balance: 5, currency: 'chf', opened_on: month })
  await account(carla, { balance: 7, currency: 'eur' })
  expect((await worth(carla, { periods: 2 })).map(({ currency, net }) => [currency, net])).toEqual([
    ['chf', 0],
    ['chf', 5],
    ['eur', 7],
    ['eur', 7],
  ])
})

test('get_net_worth converts to one series; a balance without a rate is a row of its own currency', async () => {
  const carla = await newCaller()
  const month = monthOf(await today())
  await account(carla, { balance: 5 })
  await account(carla, { balance: -10, currency: 'eur' })
  await carla.create('exchange_rates', { on_date: month, base: 'eur', quote: 'usd', rate: 1.5 })
  expect(await worth(carla, { periods: 2, p_convert_to: 'usd' })).toEqual([
    { period: plusMonths(month, -1), currency: 'eur', assets: 0, liabilities: 10, net: -10 },
    { period: plusMonths(month, -1), currency: 'usd', assets: 5, liabilities: 0, net: 5 },
    { period: month, currency: 'usd', assets: 5, liabilities: 15, net: -10 },
  ])
  expect(await worth(await newCaller(), { periods: 1, p_convert_to: 'jpy' })).toMatchObject([{
    currency: 'jpy',
    net: 0,
  }])
})

test('get_net_worth keeps a closed account in the past, and while it has a balance', async () => {
  const carla = await newCaller()
  const month = monthOf(await today())
  const bank = await account(carla, { balance: 5, closed_on: plusMonths(month, -1) })
  expect((await worth(carla, { periods: 2 })).map(({ net }) => net)).toEqual([5, 5])
  await booked(carla, bank, -5, plusDays(month, -1))
  expect((await worth(carla, { periods: 3 })).map(({ net }) => net)).toEqual([5, 0, 0])
})

test.each([
  [{ grouping: 'hourly' }, 'Must be daily, weekly, monthly, quarterly or yearly.'],
  [{ periods: 0 }, 'Must be 1 to 120.'],
  [{ periods: 121 }, 'Must be 1 to 120.'],
  [{ p_convert_to: 'abc' }, 'Must be an ISO 4217 code, such as eur.'],
])('get_net_worth refuses %j with 400 and the allowed values', async (args, hint) => {
  expect(await (await newCaller()).post('/rpc/get_net_worth', args)).toMatchObject({
    status: 400,
    body: { code: '22023', hint },
  })
})

test('an account has a day of its opening balance, a day on which it was closed, and further types', async () => {
  const carla = await newCaller()
  expect(await carla.create('accounts', { name: 'House', type: 'asset' })).toMatchObject({
    opened_on: null,
    closed_on: null,
  })
  const row = { name: 'Loan', type: 'loan', opened_on: '2020-01-01', closed_on: '2025-01-01' }
  expect(await carla.create('accounts', row)).toMatchObject(row)
})

test.each([
  [{ opened_on: '2025-01-02', closed_on: '2025-01-01' }, '23514', /opened_on/],
  [{ opened_on: '1899-12-31' }, '23514', /opened_on/],
  [{ closed_on: '2200-01-01' }, '23514', /closed_on/],
  [{ closed_on: 'never' }, '22007', /YYYY-MM-DD/],
])('an account with %j is 400 with the rule', async (row, code, hint) => {
  const { status, body } = await (await newCaller()).post('/accounts', {
    name: 'x',
    type: 'cash',
    ...row,
  })
  expect([status, body.code]).toEqual([400, code])
  expect(body.hint).toMatch(hint)
})

test('an account that is deleted with one half of a transfer changes the balance of no other account', async () => {
  const carla = await newCaller()
  const bank = await account(carla, { balance: 100 })
  const savings = await account(carla)
  const { body: [half] } = await carla.post('/rpc/create_transfer', {
    from_account_id: bank,
    to_account_id: savings,
    amount: 30,
    transfer_date: '2025-01-02',
  })
  expect((await carla.delete(`/accounts?id=eq.${savings}`)).status).toBe(204)
  expect(await balances(carla)).toEqual({ [bank]: ['usd', 70] })
  expect(
    (await carla.get(
      `/transactions?transfer_id=eq.${half.transfer_id}&select=amount,account_id&order=amount`,
    )).body,
  )
    .toEqual([{ amount: -30, account_id: bank }, { amount: 30, account_id: null }])
  expect(
    (await carla.post('/rpc/get_cash_flow', { grouping: 'yearly', periods: 5 })).body
      .every((row: { net: number }) => row.net === 0),
  ).toBe(true)
})

test('an account that is closed takes further transactions, and can be opened again', async () => {
  const carla = await newCaller()
  const bank = await account(carla, { closed_on: '2025-01-01' })
  await booked(carla, bank, 5, '2025-06-01')
  expect((await carla.patch(`/accounts?id=eq.${bank}`, { closed_on: null }, returning)).body)
    .toMatchObject([{ closed_on: null }])
})

/** The instance's exchange rates: of the European Central Bank, beside those that a user has stored. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, returning, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
const today = new Date().toISOString().slice(0, 10)
const daysFrom = (day: string, days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

beforeAll(async () => {
  stack = await dataStack()
  await stack.owner.query(
    `insert into private.instance_rates (on_date, currency, rate) values
      ('2025-01-03', 'usd', 1.25), ('2025-01-06', 'usd', 1.28), ('2025-01-03', 'gbp', 0.8), ('2025-01-06', 'gbp', 0.64), ('2025-01-03', 'rub', 100),
      ($1, 'usd', 1.6)`,
    [daysFrom(today, -2)],
  )
})
afterAll(() => stack.stop())

type Rate = [on_date: string, base: string, quote: string, rate: number]

/** Creates a user with a transaction of 100 and these rates. */
async function newCaller(currency: string, on: string, rates: Rate[] = []): Promise<Caller> {
  const caller = stack.as(await stack.person())
  await caller.create('transactions', { name: 'x', amount: 100, currency, booked_on: on })
  if (rates.length > 0) await caller.create('exchange_rates', rates.map(([on_date, base, quote, rate]) => ({ on_date, base, quote, rate })))
  return caller
}
const converted = async (caller: Caller, p_convert_to: string): Promise<unknown> => (await caller.post('/rpc/get_transaction_stat', { p_convert_to })).body

describe('a report uses the rate of the instance', () => {
  test.each<[string, number, string, string, string]>([
    ['from the euro', 125, 'eur', 'usd', '2025-01-03'],
    ['of the working day before a weekend', 125, 'eur', 'usd', '2025-01-05'],
    ['of the next working day', 128, 'eur', 'usd', '2025-01-06'],
    ['to the euro, by its exact inverse', 80, 'usd', 'eur', '2025-01-03'],
    ['through the euro', 156.25, 'gbp', 'usd', '2025-01-03'],
    ['through the euro, the other way', 50, 'usd', 'gbp', '2025-01-06'],
    ['of today for a day ahead', 160, 'eur', 'usd', daysFrom(today, 400)],
  ])('%s: %d', async (_, expected, from, to, on) => {
    expect(await converted(await newCaller(from, on), to)).toBe(expected)
  })

  test('a report uses the rate of the instance at most 31 days after its publication, because the bank may have stopped publishing the currency', async () => {
    expect(await converted(await newCaller('eur', '2025-02-03'), 'rub')).toBe(10_000)
    expect(await converted(await newCaller('eur', '2025-02-04'), 'rub')).not.toBe(10_000)
    expect(await converted(await newCaller('eur', '2025-01-02'), 'usd')).not.toBe(125)
  })
})

describe("a user's own rate wins", () => {
  test.each<[string, number, Rate[]]>([
    ['however old it is', 110, [['2001-01-01', 'eur', 'usd', 1.1]]],
    ['in the other direction', 50, [['2001-01-01', 'usd', 'eur', 2]]],
    ['through a third currency', 300, [['2001-01-01', 'eur', 'chf', 1], ['2001-01-01', 'chf', 'usd', 3]]],
    ['only from its day on', 125, [['2025-01-04', 'eur', 'usd', 9]]],
    ['only for its two currencies', 125, [['2001-01-01', 'eur', 'chf', 1], ['2001-01-01', 'usd', 'jpy', 3]]],
  ])('%s: %d', async (_, expected, rates) => {
    expect(await converted(await newCaller('eur', '2025-01-03', rates), 'usd')).toBe(expected)
  })

  test("a user's own rate wins and completes those of the instance for a currency that the bank does not publish", async () => {
    expect(await converted(await newCaller('vnd', '2025-01-03', [['2025-01-01', 'vnd', 'usd', 0.5]]), 'eur')).toBe(40)
    expect(await converted(await newCaller('eur', '2025-01-03', [['2025-01-01', 'usd', 'vnd', 20_000]]), 'vnd')).toBe(2_500_000)
  })
})

describe('a currency that the euro has replaced', () => {
  test.each<[string, number, string, string, string]>([
    ['is worth its fixed rate since then', 51.13, 'bgn', 'eur', '2026-02-15'],
    ['on the first day', 13.27, 'hrk', 'eur', '2023-01-01'],
    ['in the other direction', 195.58, 'eur', 'bgn', '2026-01-01'],
    ['as euros to a third currency', 16.59, 'hrk', 'usd', '2025-01-03'],
    ['from a third currency, as euros', 602.76, 'usd', 'hrk', '2025-01-03'],
    ['to another such currency', 25.96, 'hrk', 'bgn', '2026-01-01'],
    ['to itself', 100, 'hrk', 'hrk', '2026-01-01'],
  ])('%s: %d', async (_, expected, from, to, on) => {
    expect(await converted(await newCaller(from, on), to)).toBe(expected)
  })

  test('a currency that the euro has replaced has no fixed rate before', async () => {
    const caller = await newCaller('hrk', '2022-12-31')
    const answer = await caller.post('/rpc/get_transaction_stat', { p_convert_to: 'eur' })
    expect([answer.body, answer.headers.get('x-left-out')]).toEqual([0, '1'])
    await caller.create('exchange_rates', { on_date: '2022-01-01', base: 'eur', quote: 'hrk', rate: 8 })
    expect(await converted(caller, 'eur')).toBe(12.5)
  })

  test("a currency that the euro has replaced has another currency's own rate with the euro, and no older rate of its own", async () => {
    const rates: Rate[] = [['2022-01-01', 'hrk', 'usd', 9], ['2022-01-01', 'hrk', 'eur', 9], ['2026-01-01', 'eur', 'usd', 2]]
    expect(await converted(await newCaller('hrk', '2026-01-01', rates), 'usd')).toBe(26.54)
  })

  test('a currency that the euro has replaced converts a balance and the net worth without any rate', async () => {
    const caller = stack.as(await stack.person())
    await caller.create('accounts', { name: 'Sofia', type: 'checking', currency: 'bgn', balance: 100 })
    expect((await caller.get('/rpc/get_balances?on_date=2026-02-15&p_convert_to=eur')).body).toMatchObject([{ currency: 'eur', balance: 51.13 }])
    expect((await caller.get('/rpc/get_net_worth?grouping=monthly&periods=1&p_convert_to=eur')).body).toMatchObject([{ currency: 'eur', net: 51.13 }])
  })

  test('a currency that the euro has replaced also if only rows of an early version have it', async () => {
    const caller = await newCaller('eur', '2025-01-03')
    await stack.owner.query(`update api.transactions set currency = 'dem' where id = $1`, [(await caller.get('/transactions')).body[0].id])
    expect(await converted(caller, 'eur')).toBe(51.13)
  })

  test('a currency that the euro has replaced takes no other rate since then', async () => {
    const caller = stack.as(await stack.person())
    const rate = (on_date: string, base: string, quote: string) => caller.post('/exchange_rates', { on_date, base, quote, rate: 7 }, returning)
    const refused = { status: 400, body: { code: '22023', message: 'the euro has replaced hrk since 2023-01-01' } }
    expect(await rate('2023-01-01', 'eur', 'hrk')).toMatchObject({
      ...refused,
      body: { ...refused.body, hint: '1 eur is always 7.53450 hrk. Store a rate of eur instead.' },
    })
    expect(await rate('2026-05-01', 'hrk', 'usd')).toMatchObject(refused)
    const { body: [former] } = await rate('2022-12-31', 'eur', 'hrk')
    expect(await caller.patch(`/exchange_rates?id=eq.${former.id}`, { on_date: '2023-01-02' })).toMatchObject(refused)
  })
})

test('get_instance_rates lists the latest rate of each currency on a day, to everyone who is signed in', async () => {
  const caller = stack.as(await stack.person())
  const rates = await caller.get('/rpc/get_instance_rates?on_date=2025-01-05')
  expect(rates).toMatchObject({
    status: 200,
    body: [
      { base: 'eur', quote: 'gbp', rate: 0.8, published_on: '2025-01-03' },
      { base: 'eur', quote: 'rub', rate: 100, published_on: '2025-01-03' },
      { base: 'eur', quote: 'usd', rate: 1.25, published_on: '2025-01-03' },
    ],
  })
  expect((await caller.get('/rpc/get_instance_rates')).body).toEqual([{ base: 'eur', quote: 'usd', rate: 1.6, published_on: daysFrom(today, -2) }])
  expect((await caller.get('/rpc/get_instance_rates?on_date=1990-01-01')).body).toEqual([])
  expect((await stack.anonymous.get('/rpc/get_instance_rates')).status).toBe(401)
})

test('get_instance_rates is 400 for an invalid day', async () => {
  const caller = stack.as(await stack.person())
  expect(await caller.get('/rpc/get_instance_rates?on_date=2025-02-30')).toMatchObject({ status: 400 })
})

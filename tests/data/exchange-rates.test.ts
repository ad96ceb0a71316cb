/** The exchange rate of a report: one amount of one day, converted with the rates that the user has stored. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

type Rate = [on_date: string, base: string, quote: string, rate: number | string]
const stored = (rates: Rate[]) => rates.map(([on_date, base, quote, rate]) => ({ on_date, base, quote, rate }))
const converted = (caller: Caller, p_convert_to: string, prefer = 'timezone=UTC') => caller.post('/rpc/get_transaction_stat', { p_convert_to }, { prefer })

/** Creates a user with one transaction and these rates. */
async function newCaller(amount: number, currency: string, on: string, rates: Rate[]): Promise<Caller> {
  const caller = stack.as(await stack.person())
  await caller.create('transactions', { name: 'x', amount, currency, transaction_date: on })
  if (rates.length > 0) await caller.create('exchange_rates', stored(rates))
  return caller
}

describe('the rate', () => {
  test.each<[string, number, Rate[]]>([
    ['is the latest on or before the day', 120, [['2025-01-01', 'eur', 'usd', 1.1], ['2025-01-10', 'eur', 'usd', 1.2], ['2025-01-11', 'eur', 'usd', 1.3]]],
    ['may be the inverse', 125, [['2025-01-01', 'usd', 'eur', 0.8]]],
    ['is the inverse where that is later', 125, [['2025-01-01', 'eur', 'usd', 1.1], ['2025-01-02', 'usd', 'eur', 0.8]]],
    ['is the direct one where both are of one day', 110, [['2025-01-02', 'eur', 'usd', 1.1], ['2025-01-02', 'usd', 'eur', 0.8]]],
    ['leads through one common currency', 150, [['2025-01-01', 'eur', 'gbp', 0.75], ['2025-01-02', 'gbp', 'usd', 2]]],
    ['leads there by inverses too', 150, [['2025-01-01', 'gbp', 'eur', 2], ['2025-01-02', 'usd', 'gbp', '0.333333333333'], ['2025-01-03', 'gbp', 'usd', 3]]],
    ['leads nowhere else while there is one of the two, however old', 110, [['2001-01-01', 'eur', 'usd', 1.1], ['2025-01-10', 'eur', 'gbp', 1], [
      '2025-01-10',
      'gbp',
      'usd',
      2,
    ]]],
    ['leads through the currency whose older rate is younger', 300, [
      ['2025-01-01', 'eur', 'chf', 1],
      ['2025-01-10', 'chf', 'usd', 2],
      ['2025-01-02', 'eur', 'gbp', 1],
      ['2025-01-03', 'gbp', 'usd', 3],
    ]],
    ['leads through the first by its letters where they are of one day', 200, [
      ['2025-01-01', 'eur', 'gbp', 1],
      ['2025-01-01', 'gbp', 'usd', 3],
      ['2025-01-01', 'eur', 'chf', 1],
      ['2025-01-01', 'chf', 'usd', 2],
    ]],
  ])('%s: %d', async (_, amount, rates) => {
    expect(await converted(await newCaller(100, 'eur', '2025-01-10T12:00:00Z', rates), 'usd')).toMatchObject({ status: 200, body: amount })
  })

  test("the rate is that of the transaction's day in the request's time zone", async () => {
    const caller = await newCaller(100, 'eur', '2025-01-10T23:30:00Z', [['2025-01-10', 'eur', 'usd', 1.1], ['2025-01-11', 'eur', 'usd', 1.2]])
    expect((await converted(caller, 'usd')).body).toBe(110)
    expect((await converted(caller, 'usd', 'timezone=Europe/Berlin')).body).toBe(120)
  })

  test('the rate is not needed for the target currency itself, nor for a count', async () => {
    const caller = await newCaller(12.34, 'eur', '2025-01-10', [])
    expect((await converted(caller, 'EUR')).body).toBe(12.34)
    expect((await caller.post('/rpc/get_transaction_stat', { p_convert_to: 'usd', p_aggregate_fn: 'count' })).body).toBe(1)
  })
})

test.each<[number, string, string, Rate, number]>([
  [1.5, 'eur', 'usd', ['2025-01-01', 'eur', 'usd', 0.67], 1.01],
  [-1.5, 'eur', 'usd', ['2025-01-01', 'eur', 'usd', 0.67], -1.01],
  [0.01, 'eur', 'usd', ['2025-01-01', 'eur', 'usd', 0.5], 0.01],
  // Exactly 0.125, by a division.
  [1, 'eur', 'usd', ['2025-01-01', 'usd', 'eur', 8], 0.13],
  // Just below a half: 0.00499…
  [0.01, 'eur', 'usd', ['2025-01-01', 'usd', 'eur', '2.000000000001'], 0],
  [-99.99, 'eur', 'jpy', ['2025-01-01', 'eur', 'jpy', 160], -15998],
  [0.5, 'eur', 'jpy', ['2025-01-01', 'eur', 'jpy', 1], 1],
  // Three decimals, of which two are stored.
  [10, 'eur', 'kwd', ['2025-01-01', 'eur', 'kwd', 0.3333], 3.33],
  [999_999_999_999.99, 'eur', 'usd', ['2025-01-01', 'eur', 'usd', 2], 1_999_999_999_999.98],
])('an amount of %d %s is rounded once, half away from zero, to the decimals of %s: from rate %j to %d', async (amount, currency, target, rate, expected) => {
  expect((await converted(await newCaller(amount, currency, '2025-01-10', [rate]), target)).body).toBe(expected)
})

describe('a missing rate', () => {
  test('a missing rate leaves its transactions out of every report, which counts them', async () => {
    const caller = await newCaller(1, 'eur', '2025-01-10T12:00:00Z', [['2025-01-10', 'eur', 'usd', 2]])
    await caller.create(
      'transactions',
      [['2025-01-09T12:00:00Z', 'eur'], ['2025-01-03T12:00:00Z', 'gbp'], ['2025-01-03T12:00:00Z', 'eur']]
        .map(([transaction_date, currency]) => ({ name: 'x', amount: 1, currency, transaction_date })),
    )
    const answer = await converted(caller, 'usd')
    expect([answer.status, answer.body, answer.headers.get('x-left-out')]).toEqual([200, 2, '3'])
    const row = { currency: 'usd', left_out: 3 }
    expect((await caller.post('/rpc/get_transaction_aggregate', { p_convert_to: 'usd', p_group_by: 'year' })).body).toMatchObject([{
      ...row,
      value: 2,
      count: 4,
    }])
    for (const body of [{ params: { p_convert_to: 'usd' } }, { params: {}, p_convert_to: 'usd' }])
      expect((await caller.post('/rpc/get_transaction_distribution_by_category', body)).body).toMatchObject([{ ...row, total: 2, count: 4 }])
    const { body: flow } = await caller.get('/rpc/get_cash_flow?p_convert_to=usd&periods=120&grouping=yearly')
    expect(flow.find(({ period }: { period: string }) => period === '2025-01-01')).toMatchObject({ ...row, income: 2 })
    const inTime = [{ field: 'transaction_date', operation: 'from', value: '2025-01-10' }]
    const whole = await caller.post('/rpc/get_transaction_stat', { p_convert_to: 'usd', p_filters: inTime })
    expect([whole.body, whole.headers.get('x-left-out')]).toEqual([2, null])
  })

  test('a missing rate is listed once for each currency, with its first day and its transactions, until one rate mends it', async () => {
    const caller = stack.as(await stack.person())
    const rows = await caller.create(
      'transactions',
      [['2025-01-09', 'eur'], ['2025-01-03', 'gbp'], ['2025-01-03', 'eur'], ['2025-01-01', 'usd']]
        .map(([transaction_date, currency]) => ({ name: 'x', amount: 1, currency, transaction_date })),
    )
    const missing = async (query = '') => (await caller.get(`/rpc/get_missing_rates?p_convert_to=USD${query}`)).body
    const [later, pound, first] = rows.map(({ id }: { id: string }) => id)
    const euros = { currency: 'eur', day: '2025-01-03', transactions: 2, transaction_ids: [first, later] }
    expect(await missing()).toEqual([euros, { currency: 'gbp', day: '2025-01-03', transactions: 1, transaction_ids: [pound] }])
    const filters = [{ field: 'currency', operation: 'eq', value: 'eur' }]
    expect((await caller.post('/rpc/get_missing_rates', { p_convert_to: 'usd', p_filters: filters })).body).toEqual([euros])
    expect(await missing(`&p_filters=${encodeURIComponent(JSON.stringify(filters))}`)).toEqual([euros])
    await caller.create('exchange_rates', stored([[euros.day, 'usd', 'eur', 0.5]]))
    expect(await missing()).toMatchObject([{ currency: 'gbp' }])
    const answer = await converted(caller, 'usd')
    expect([answer.body, answer.headers.get('x-left-out')]).toEqual([5, '1'])
  })

  test('a missing rate leaves a group with only such transactions in the report, and an average divides by the others', async () => {
    const caller = stack.as(await stack.person())
    await caller.create('exchange_rates', stored([['2025-02-01', 'eur', 'usd', 2]]))
    await caller.create(
      'transactions',
      [['2025-01-09', -1], ['2025-02-03', -3]].map(([transaction_date, amount]) => ({ name: 'x', amount, currency: 'eur', transaction_date })),
    )
    const report = async (body: object) => (await caller.post('/rpc/get_transaction_aggregate', { p_convert_to: 'usd', ...body })).body
    expect(await report({})).toMatchObject([
      { key: '2025-01-01', value: 0, count: 1, left_out: 1 },
      { key: '2025-02-01', value: -6, count: 1, left_out: 0 },
    ])
    expect(await report({ p_aggregate_fn: 'avg' })).toMatchObject([{ value: 0, left_out: 1 }, { value: -6, left_out: 0 }])
    expect(await report({ p_aggregate_fn: 'avg', p_group_by: 'year' })).toMatchObject([{ value: -6, count: 2, left_out: 1 }])
    expect((await caller.post('/rpc/get_transaction_stat', { p_convert_to: 'usd', p_aggregate_fn: 'avg' })).body).toBe(-6)
  })

  test.each([[{ p_convert_to: null }, 'p_convert_to is missing'], [{ p_convert_to: 'euro' }, 'p_convert_to is no currency']])(
    'is not listed for %j: 400',
    async (body, message) => {
      expect(await stack.as(await stack.person()).post('/rpc/get_missing_rates', body))
        .toMatchObject({ status: 400, body: { code: '22023', message: expect.stringContaining(message), hint: expect.stringContaining('eur') } })
    },
  )

  test.each(['euro', '', 'e1r', "eur'", 'zzz'])('%j as a target currency is 400', async (p_convert_to) => {
    const caller = await newCaller(1, 'eur', '2025-01-10', [])
    expect(await converted(caller, p_convert_to)).toMatchObject({ status: 400, body: { code: '22023', hint: expect.stringContaining('such as eur') } })
  })
})

describe('a rate that already exists', () => {
  const rate = { on_date: '2025-01-01', base: 'eur', quote: 'usd', rate: 1 }
  const merge = { prefer: 'resolution=merge-duplicates,return=representation' }
  const ofTeam = '/exchange_rates?on_conflict=organization_id,base,quote,on_date'
  const ofPerson = '/exchange_rates?on_conflict=user_id,organization_id,base,quote,on_date'

  test('a rate that already exists is 409 at an insert, and is changed by an upsert on the key of its context, in a team also by another member', async () => {
    const [owner, colleague] = [await stack.person('owner'), await stack.person('colleague')]
    const team = await stack.organization({ owner, editor: colleague })
    const contexts: [Caller, string, Caller][] = [
      [stack.as(owner), ofPerson, stack.as(owner)],
      [stack.as(owner, team), ofTeam, stack.as(colleague, team)],
    ]
    for (const [first, path, second] of contexts) {
      const { id, user_id, organization_id } = await first.create('exchange_rates', rate)
      expect(await first.post('/exchange_rates', rate)).toMatchObject({ status: 409, body: { code: '23505' } })
      expect(await second.post(path, [{ ...rate, base: 'EUR', rate: 2 }, { ...rate, base: 'EUR', on_date: '2025-01-02' }], merge))
        .toMatchObject({ status: 201, body: [{ id, user_id, organization_id, rate: 2 }, { on_date: '2025-01-02' }] })
      expect(await second.post(path, { ...rate, rate: 3 }, { prefer: 'resolution=ignore-duplicates,return=representation' })).toMatchObject({ body: [] })
      expect(await second.post(path, [rate, rate], merge)).toMatchObject({ status: 400, body: { code: '21000' } })
    }
  })

  test('a rate that already exists of a stranger is 403, same as a missing one', async () => {
    const owner = await stack.person('owner')
    const team = await stack.organization({ owner })
    await stack.as(owner, team).create('exchange_rates', rate)
    await stack.as(owner).create('exchange_rates', rate)
    const stranger = stack.as(await stack.person())
    for (const on_date of [rate.on_date, '2025-01-02']) {
      for (const [path, whose] of [[ofTeam, { organization_id: team.id }], [ofPerson, { user_id: owner.id }]] as const) {
        expect(await stranger.post(path, { ...rate, ...whose, on_date, rate: 9 }, merge)).toMatchObject({ status: 403, body: { code: '42501' } })
      }
    }
  })
})

test("a team's report uses the team's rates, a personal report the user's own, and neither uses rates of others", async () => {
  const [owner, colleague] = [await stack.person('owner'), await stack.person('colleague')]
  const team = await stack.organization({ owner, viewer: colleague })
  const [mine, ours, theirs] = [stack.as(owner), stack.as(owner, team), stack.as(colleague, team)]
  for (const [caller, rate] of [[mine, 2], [ours, 3]] as const) {
    await caller.create('transactions', { name: 'x', amount: 1, currency: 'eur', transaction_date: '2025-01-10' })
    await caller.create('exchange_rates', stored([['2025-01-01', 'eur', 'usd', rate]]))
  }
  expect((await converted(mine, 'usd')).body).toBe(2)
  expect((await converted(ours, 'usd')).body).toBe(3)
  expect((await converted(theirs, 'usd')).body).toBe(3)
  expect((await ours.post('/rpc/get_transaction_stat', { p_convert_to: 'usd', p_organization_id: null })).body).toBe(2)
  // The colleague's personal context has no rates.
  await stack.as(colleague).create('transactions', { name: 'x', amount: 1, currency: 'eur' })
  const answer = await converted(stack.as(colleague), 'usd')
  expect([answer.body, answer.headers.get('x-left-out')]).toEqual([0, '1'])
})

/** At which rate a report converts: one amount of one day, and the rates that a person has. */
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

/** Somebody with one transaction and these rates. */
async function somebody(amount: number, currency: string, on: string, rates: Rate[]): Promise<Caller> {
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
    expect(await converted(await somebody(100, 'eur', '2025-01-10T12:00:00Z', rates), 'usd')).toMatchObject({ status: 200, body: amount })
  })

  test("is that of the day as the request's time zone has it", async () => {
    const caller = await somebody(100, 'eur', '2025-01-10T23:30:00Z', [['2025-01-10', 'eur', 'usd', 1.1], ['2025-01-11', 'eur', 'usd', 1.2]])
    expect((await converted(caller, 'usd')).body).toBe(110)
    expect((await converted(caller, 'usd', 'timezone=Europe/Berlin')).body).toBe(120)
  })

  test('needs none for the currency itself, nor for a count', async () => {
    const caller = await somebody(12.34, 'eur', '2025-01-10', [])
    expect((await converted(caller, 'EUR')).body).toBe(12.34)
    expect((await caller.post('/rpc/get_transaction_stat', { p_convert_to: 'usd', p_aggregate_fn: 'count' })).body).toBe(1)
  })
})

describe('an amount', () => {
  test.each<[number, string, string, Rate, number]>([
    [1.5, 'eur', 'usd', ['2025-01-01', 'eur', 'usd', 0.67], 1.01],
    [-1.5, 'eur', 'usd', ['2025-01-01', 'eur', 'usd', 0.67], -1.01],
    [0.01, 'eur', 'usd', ['2025-01-01', 'eur', 'usd', 0.5], 0.01],
    // 0.125 exactly, by a division
    [1, 'eur', 'usd', ['2025-01-01', 'usd', 'eur', 8], 0.13],
    // just below a half: 0.00499…
    [0.01, 'eur', 'usd', ['2025-01-01', 'usd', 'eur', '2.000000000001'], 0],
    [-99.99, 'eur', 'jpy', ['2025-01-01', 'eur', 'jpy', 160], -15998],
    [0.5, 'eur', 'jpy', ['2025-01-01', 'eur', 'jpy', 1], 1],
    // three decimals, of which two are stored
    [10, 'eur', 'kwd', ['2025-01-01', 'eur', 'kwd', 0.3333], 3.33],
    [999_999_999_999.99, 'eur', 'usd', ['2025-01-01', 'eur', 'usd', 2], 1_999_999_999_999.98],
  ])('%d %s is rounded half away from zero to the decimals of %s, once', async (amount, currency, target, rate, expected) => {
    expect((await converted(await somebody(amount, currency, '2025-01-10', [rate]), target)).body).toBe(expected)
  })
})

describe('a rate that is missing', () => {
  test('is 400 in every report, and names the first pair and day', async () => {
    const caller = await somebody(1, 'eur', '2025-01-10T12:00:00Z', [['2025-01-10', 'eur', 'usd', 2]])
    await caller.create(
      'transactions',
      [['2025-01-09T12:00:00Z', 'eur'], ['2025-01-03T12:00:00Z', 'gbp'], ['2025-01-03T12:00:00Z', 'eur']]
        .map(([transaction_date, currency]) => ({ name: 'x', amount: 1, currency, transaction_date })),
    )
    const refusal = {
      status: 400,
      body: {
        code: '22023',
        message: 'no exchange rate from eur to usd on or before 2025-01-03',
        hint: expect.stringContaining('exchange_rates'),
      },
    }
    expect(await converted(caller, 'usd')).toMatchObject(refusal)
    expect(await caller.post('/rpc/get_transaction_aggregate', { p_convert_to: 'usd' })).toMatchObject(refusal)
    expect(await caller.post('/rpc/get_transaction_distribution_by_category', { params: { p_convert_to: 'usd' } })).toMatchObject(refusal)
    expect(await caller.post('/rpc/get_transaction_distribution_by_category', { params: {}, p_convert_to: 'usd' })).toMatchObject(refusal)
    expect(await caller.get('/rpc/get_cash_flow?p_convert_to=usd&periods=120')).toMatchObject(refusal)
    const inTime = [{ field: 'transaction_date', operation: 'from', value: '2025-01-10' }]
    expect((await caller.post('/rpc/get_transaction_stat', { p_convert_to: 'usd', p_filters: inTime })).body).toBe(2)
  })

  test.each(['euro', '', 'e1r', "eur'", 'zzz'])('%j is no currency: 400', async (p_convert_to) => {
    const caller = await somebody(1, 'eur', '2025-01-10', [])
    expect(await converted(caller, p_convert_to)).toMatchObject({ status: 400, body: { code: '22023', hint: expect.stringContaining('such as eur') } })
  })
})

describe('a rate that is there already', () => {
  const rate = { on_date: '2025-01-01', base: 'eur', quote: 'usd', rate: 1 }
  const merge = { prefer: 'resolution=merge-duplicates,return=representation' }
  const ofTeam = '/exchange_rates?on_conflict=organization_id,base,quote,on_date'
  const ofPerson = '/exchange_rates?on_conflict=user_id,organization_id,base,quote,on_date'

  test("is 409, and set by the key of its context, a team's also by another member", async () => {
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

  test('of a stranger is 403, as one that there is not', async () => {
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

test("a report of a team takes the team's rates, a personal one one's own, and none anybody else's", async () => {
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
  // the colleague's own context has none
  await stack.as(colleague).create('transactions', { name: 'x', amount: 1, currency: 'eur' })
  expect(await converted(stack.as(colleague), 'usd')).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('no exchange rate from eur to usd') },
  })
})

/**
 * The exchange rate of a report: one amount of one day, converted with the rates that the user has
 * stored, and with those of the instance.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, returning, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

type Rate = [on_date: string, base: string, quote: string, rate: number | string]
const stored = (rates: Rate[]) =>
  rates.map(([on_date, base, quote, rate]) => ({ on_date, base, quote, rate }))
const converted = (caller: Caller, p_convert_to: string, prefer = 'timezone=UTC') =>
  caller.post('/rpc/get_transaction_stat', { p_convert_to }, { prefer })

/** Creates a user with one transaction and these rates. */
async function newCaller(
  amount: number,
  currency: string,
  on: string,
  rates: Rate[] = [],
): Promise<Caller> {
  const caller = stack.as(await stack.person())
  await caller.create('transactions', { name: 'x', amount, currency, transaction_date: on })
  if (rates.length > 0) await caller.create('exchange_rates', stored(rates))
  return caller
}

describe('the rate', () => {
  test.each<[string, number, Rate[]]>([
    ['is the latest on or before the day', 120, [['2025-01-01', 'eur', 'usd', 1.1], [
      '2025-01-10',
      'eur',
      'usd',
      1.2,
    ], ['2025-01-11', 'eur', 'usd', 1.3]]],
    ['may be the inverse', 125, [['2025-01-01', 'usd', 'eur', 0.8]]],
    ['is the inverse where that is later', 125, [['2025-01-01', 'eur', 'usd', 1.1], [
      '2025-01-02',
      'usd',
      'eur',
      0.8,
    ]]],
    ['is the direct one where both are of one day', 110, [['2025-01-02', 'eur', 'usd', 1.1], [
      '2025-01-02',
      'usd',
      'eur',
      0.8,
    ]]],
    ['leads through one common currency', 150, [['2025-01-01', 'eur', 'gbp', 0.75], [
      '2025-01-02',
      'gbp',
      'usd',
      2,
    ]]],
    ['leads there by inverses too', 150, [['2025-01-01', 'gbp', 'eur', 2], [
      '2025-01-02',
      'usd',
      'gbp',
      '0.333333333333',
    ], ['2025-01-03', 'gbp', 'usd', 3]]],
    ['leads nowhere else while there is one of the two, however old', 110, [
      ['2001-01-01', 'eur', 'usd', 1.1],
      ['2025-01-10', 'eur', 'gbp', 1],
      [
        '2025-01-10',
        'gbp',
        'usd',
        2,
      ],
    ]],
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
    expect(await converted(await newCaller(100, 'eur', '2025-01-10T12:00:00Z', rates), 'usd'))
      .toMatchObject({ status: 200, body: amount })
  })

  test("the rate is that of the transaction's day in the request's time zone", async () => {
    const caller = await newCaller(100, 'eur', '2025-01-10T23:30:00Z', [[
      '2025-01-10',
      'eur',
      'usd',
      1.1,
    ], ['2025-01-11', 'eur', 'usd', 1.2]])
    expect((await converted(caller, 'usd')).body).toBe(110)
    expect((await converted(caller, 'usd', 'timezone=Europe/Berlin')).body).toBe(120)
  })

  test('the rate is not needed for the target currency itself, nor for a count', async () => {
    const caller = await newCaller(12.34, 'eur', '2025-01-10', [])
    expect((await converted(caller, 'EUR')).body).toBe(12.34)
    expect(
      (await caller.post('/rpc/get_transaction_stat', {
        p_convert_to: 'usd',
        p_aggregate_fn: 'count',
      })).body,
    ).toBe(1)
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
])(
  'an amount of %d %s is rounded once, half away from zero, to the decimals of %s: from rate %j to %d',
  async (amount, currency, target, rate, expected) => {
    expect((await converted(await newCaller(amount, currency, '2025-01-10', [rate]), target)).body)
      .toBe(expected)
  },
)

describe('a missing rate', () => {
  test('a missing rate leaves its transactions out of every report, which counts them', async () => {
    const caller = await newCaller(1, 'eur', '2025-01-10T12:00:00Z', [[
      '2025-01-10',
      'eur',
      'usd',
      2,
    ]])
    await caller.create(
      'transactions',
      [['2025-01-09T12:00:00Z', 'eur'], ['2025-01-03T12:00:00Z', 'gbp'], [
        '2025-01-03T12:00:00Z',
        'eur',
      ]]
        .map(([transaction_date, currency]) => ({
          name: 'x',
          amount: 1,
          currency,
          transaction_date,
        })),
    )
    const answer = await converted(caller, 'usd')
    expect([answer.status, answer.body, answer.headers.get('x-left-out')]).toEqual([200, 2, '3'])
    const row = { currency: 'usd', left_out: 3 }
    expect(
      (await caller.post('/rpc/get_transaction_aggregate', {
        p_convert_to: 'usd',
        p_group_by: 'year',
      })).body,
    ).toMatchObject([{
      ...row,
      value: 2,
      count: 4,
    }])
    for (const body of [{ params: { p_convert_to: 'usd' } }, { params: {}, p_convert_to: 'usd' }])
      expect((await caller.post('/rpc/get_transaction_distribution_by_category', body)).body)
        .toMatchObject([{ ...row, total: 2, count: 4 }])
    const { body: flow } = await caller.get(
      '/rpc/get_cash_flow?p_convert_to=usd&periods=120&grouping=yearly',
    )
    expect(flow.find(({ period }: { period: string }) => period === '2025-01-01')).toMatchObject({
      ...row,
      income: 2,
    })
    const inTime = [{ field: 'transaction_date', operation: 'from', value: '2025-01-10' }]
    const whole = await caller.post('/rpc/get_transaction_stat', {
      p_convert_to: 'usd',
      p_filters: inTime,
    })
    expect([whole.body, whole.headers.get('x-left-out')]).toEqual([2, null])
  })

  test('a missing rate is listed once for each currency, with its first day and its transactions, until one rate mends it', async () => {
    const caller = stack.as(await stack.person())
    const rows = await caller.create(
      'transactions',
      [['2025-01-09', 'eur'], ['2025-01-03', 'gbp'], ['2025-01-03', 'eur'], ['2025-01-01', 'usd']]
        .map(([transaction_date, currency]) => ({
          name: 'x',
          amount: 1,
          currency,
          transaction_date,
        })),
    )
    const missing = async (query = '') =>
      (await caller.get(`/rpc/get_missing_rates?p_convert_to=USD${query}`)).body
    const [later, pound, first] = rows.map(({ id }: { id: string }) => id)
    const euros = {
      currency: 'eur',
      day: '2025-01-03',
      transactions: 2,
      transaction_ids: [first, later],
    }
    expect(await missing()).toEqual([euros, {
      currency: 'gbp',
      day: '2025-01-03',
      transactions: 1,
      transaction_ids: [pound],
    }])
    const filters = [{ field: 'currency', operation: 'eq', value: 'eur' }]
    expect(
      (await caller.post('/rpc/get_missing_rates', { p_convert_to: 'usd', p_filters: filters }))
        .body,
    ).toEqual([euros])
    expect(await missing(`&p_filters=${encodeURIComponent(JSON.stringify(filters))}`)).toEqual([
      euros,
    ])
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
      [['2025-01-09', -1], ['2025-02-03', -3]].map(([transaction_date, amount]) => ({
        name: 'x',
        amount,
        currency: 'eur',
        transaction_date,
      })),
    )
    const report = async (body: object) =>
      (await caller.post('/rpc/get_transaction_aggregate', { p_convert_to: 'usd', ...body })).body
    expect(await report({})).toMatchObject([
      { key: '2025-01-01', value: 0, count: 1, left_out: 1 },
      { key: '2025-02-01', value: -6, count: 1, left_out: 0 },
    ])
    expect(await report({ p_aggregate_fn: 'avg' })).toMatchObject([{ value: 0, left_out: 1 }, {
      value: -6,
      left_out: 0,
    }])
    expect(await report({ p_aggregate_fn: 'avg', p_group_by: 'year' })).toMatchObject([{
      value: -6,
      count: 2,
      left_out: 1,
    }])
    expect(
      (await caller.post('/rpc/get_transaction_stat', {
        p_convert_to: 'usd',
        p_aggregate_fn: 'avg',
      })).body,
    ).toBe(-6)
  })

  test.each([[{ p_convert_to: null }, 'p_convert_to is missing'], [
    { p_convert_to: 'euro' },
    'unknown currency in p_convert_to',
  ]])(
    'is not listed for %j: 400',
    async (body, message) => {
      expect(await stack.as(await stack.person()).post('/rpc/get_missing_rates', body))
        .toMatchObject({
          status: 400,
          body: {
            code: '22023',
            message: expect.stringContaining(message),
            hint: expect.stringContaining('eur'),
          },
        })
    },
  )

  test.each(['euro', '', 'e1r', "eur'", 'zzz'])(
    '%j as a target currency is 400',
    async (p_convert_to) => {
      const caller = await newCaller(1, 'eur', '2025-01-10', [])
      expect(await converted(caller, p_convert_to)).toMatchObject({
        status: 400,
        body: { code: '22023', hint: expect.stringContaining('such as eur') },
      })
    },
  )
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
      expect(await first.post('/exchange_rates', rate)).toMatchObject({
        status: 409,
        body: { code: '23505' },
      })
      expect(
        await second.post(path, [{ ...rate, base: 'EUR', rate: 2 }, {
          ...rate,
          base: 'EUR',
          on_date: '2025-01-02',
        }], merge),
      )
        .toMatchObject({
          status: 201,
          body: [{ id, user_id, organization_id, rate: 2 }, { on_date: '2025-01-02' }],
        })
      expect(
        await second.post(path, { ...rate, rate: 3 }, {
          prefer: 'resolution=ignore-duplicates,return=representation',
        }),
      ).toMatchObject({ body: [] })
      expect(await second.post(path, [rate, rate], merge)).toMatchObject({
        status: 400,
        body: { code: '21000' },
      })
    }
  })

  test('a rate that already exists of a stranger is 403, same as a missing one', async () => {
    const owner = await stack.person('owner')
    const team = await stack.organization({ owner })
    await stack.as(owner, team).create('exchange_rates', rate)
    await stack.as(owner).create('exchange_rates', rate)
    const stranger = stack.as(await stack.person())
    for (const on_date of [rate.on_date, '2025-01-02']) {
      for (
        const [path, whose] of [[ofTeam, { organization_id: team.id }], [ofPerson, {
          user_id: owner.id,
        }]] as const
      ) {
        expect(await stranger.post(path, { ...rate, ...whose, on_date, rate: 9 }, merge))
          .toMatchObject({ status: 403, body: { code: '42501' } })
      }
    }
  })
})

test("a team's report uses the team's rates, a personal report the user's own, and neither uses rates of others", async () => {
  const [owner, colleague] = [await stack.person('owner'), await stack.person('colleague')]
  const team = await stack.organization({ owner, viewer: colleague })
  const [mine, ours, theirs] = [stack.as(owner), stack.as(owner, team), stack.as(colleague, team)]
  for (const [caller, rate] of [[mine, 2], [ours, 3]] as const) {
    await caller.create('transactions', {
      name: 'x',
      amount: 1,
      currency: 'eur',
      transaction_date: '2025-01-10',
    })
    await caller.create('exchange_rates', stored([['2025-01-01', 'eur', 'usd', rate]]))
  }
  expect((await converted(mine, 'usd')).body).toBe(2)
  expect((await converted(ours, 'usd')).body).toBe(3)
  expect((await converted(theirs, 'usd')).body).toBe(3)
  expect(
    (await ours.post('/rpc/get_transaction_stat', { p_convert_to: 'usd', p_organization_id: null }))
      .body,
  ).toBe(2)
  // The colleague's personal context has no rates.
  await stack.as(colleague).create('transactions', { name: 'x', amount: 1, currency: 'eur' })
  const answer = await converted(stack.as(colleague), 'usd')
  expect([answer.body, answer.headers.get('x-left-out')]).toEqual([0, '1'])
})

describe("with the instance's rates, of the European Central Bank", () => {
  const today = new Date().toISOString().slice(0, 10)
  const daysFrom = (day: string, days: number) =>
    new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
  const amountOf = async (caller: Caller, target: string): Promise<unknown> =>
    (await converted(caller, target)).body

  beforeAll(async () => {
    await stack.owner.query(
      `insert into private.instance_rates (on_date, currency, rate) values
        ('2025-01-03', 'usd', 1.25), ('2025-01-06', 'usd', 1.28), ('2025-01-03', 'gbp', 0.8), ('2025-01-06', 'gbp', 0.64), ('2025-01-03', 'rub', 100),
        ($1, 'usd', 1.6)`,
      [daysFrom(today, -2)],
    )
  })

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
      expect(await amountOf(await newCaller(100, from, on), to)).toBe(expected)
    })

    test('a report uses the rate of the instance at most 31 days after its publication, because the bank may have stopped publishing the currency', async () => {
      expect(await amountOf(await newCaller(100, 'eur', '2025-02-03'), 'rub')).toBe(10_000)
      expect(await amountOf(await newCaller(100, 'eur', '2025-02-04'), 'rub')).not.toBe(10_000)
      expect(await amountOf(await newCaller(100, 'eur', '2025-01-02'), 'usd')).not.toBe(125)
    })
  })

  describe("a user's own rate wins", () => {
    test.each<[string, number, Rate[]]>([
      ['however old it is', 110, [['2001-01-01', 'eur', 'usd', 1.1]]],
      ['in the other direction', 50, [['2001-01-01', 'usd', 'eur', 2]]],
      ['through a third currency', 300, [['2001-01-01', 'eur', 'chf', 1], [
        '2001-01-01',
        'chf',
        'usd',
        3,
      ]]],
      ['only from its day on', 125, [['2025-01-04', 'eur', 'usd', 9]]],
      ['only for its two currencies', 125, [['2001-01-01', 'eur', 'chf', 1], [
        '2001-01-01',
        'usd',
        'jpy',
        3,
      ]]],
    ])('%s: %d', async (_, expected, rates) => {
      expect(await amountOf(await newCaller(100, 'eur', '2025-01-03', rates), 'usd')).toBe(expected)
    })

    test("a user's own rate wins and completes those of the instance for a currency that the bank does not publish", async () => {
      expect(
        await amountOf(
          await newCaller(100, 'vnd', '2025-01-03', [['2025-01-01', 'vnd', 'usd', 0.5]]),
          'eur',
        ),
      ).toBe(40)
      expect(
        await amountOf(
          await newCaller(100, 'eur', '2025-01-03', [['2025-01-01', 'usd', 'vnd', 20_000]]),
          'vnd',
        ),
      ).toBe(2_500_000)
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
      expect(await amountOf(await newCaller(100, from, on), to)).toBe(expected)
    })

    test('a currency that the euro has replaced has no fixed rate before', async () => {
      const caller = await newCaller(100, 'hrk', '2022-12-31')
      const answer = await caller.post('/rpc/get_transaction_stat', { p_convert_to: 'eur' })
      expect([answer.body, answer.headers.get('x-left-out')]).toEqual([0, '1'])
      await caller.create('exchange_rates', {
        on_date: '2022-01-01',
        base: 'eur',
        quote: 'hrk',
        rate: 8,
      })
      expect(await amountOf(caller, 'eur')).toBe(12.5)
    })

    test("a currency that the euro has replaced has another currency's own rate with the euro, and no older rate of its own", async () => {
      const rates: Rate[] = [['2022-01-01', 'hrk', 'usd', 9], ['2022-01-01', 'hrk', 'eur', 9], [
        '2026-01-01',
        'eur',
        'usd',
        2,
      ]]
      expect(await amountOf(await newCaller(100, 'hrk', '2026-01-01', rates), 'usd')).toBe(26.54)
    })

    test('a currency that the euro has replaced converts a balance and the net worth without any rate', async () => {
      const caller = stack.as(await stack.person())
      await caller.create('accounts', {
        name: 'Sofia',
        type: 'checking',
        currency: 'bgn',
        balance: 100,
      })
      expect((await caller.get('/rpc/get_balances?on_date=2026-02-15&p_convert_to=eur')).body)
        .toMatchObject([{ currency: 'eur', balance: 51.13 }])
      expect(
        (await caller.get('/rpc/get_net_worth?grouping=monthly&periods=1&p_convert_to=eur')).body,
      ).toMatchObject([{ currency: 'eur', net: 51.13 }])
    })

    test('a currency that the euro has replaced also if only rows of an early version have it', async () => {
      const caller = await newCaller(100, 'eur', '2025-01-03')
      await stack.owner.query(`update api.transactions set currency = 'dem' where id = $1`, [
        (await caller.get('/transactions')).body[0].id,
      ])
      expect(await amountOf(caller, 'eur')).toBe(51.13)
    })

    test('a currency that the euro has replaced takes no other rate since then', async () => {
      const caller = stack.as(await stack.person())
      const rate = (on_date: string, base: string, quote: string) =>
        caller.post('/exchange_rates', { on_date, base, quote, rate: 7 }, returning)
      const refused = {
        status: 400,
        body: { code: '22023', message: 'HRK was replaced by the euro on 2023-01-01' },
      }
      expect(await rate('2023-01-01', 'eur', 'hrk')).toMatchObject({
        ...refused,
        body: {
          ...refused.body,
          hint: 'The rate is fixed at 1 EUR = 7.53450 HRK. Enter a EUR rate instead.',
        },
      })
      expect(await rate('2026-05-01', 'hrk', 'usd')).toMatchObject(refused)
      const { body: [former] } = await rate('2022-12-31', 'eur', 'hrk')
      expect(await caller.patch(`/exchange_rates?id=eq.${former.id}`, { on_date: '2023-01-02' }))
        .toMatchObject(refused)
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
    expect((await caller.get('/rpc/get_instance_rates')).body).toEqual([{
      base: 'eur',
      quote: 'usd',
      rate: 1.6,
      published_on: daysFrom(today, -2),
    }])
    expect((await caller.get('/rpc/get_instance_rates?on_date=1990-01-01')).body).toEqual([])
    expect((await stack.anonymous.get('/rpc/get_instance_rates')).status).toBe(401)
  })

  test('get_instance_rates is 400 for an invalid day', async () => {
    const caller = stack.as(await stack.person())
    expect(await caller.get('/rpc/get_instance_rates?on_date=2025-02-30')).toMatchObject({
      status: 400,
    })
  })
})

/**
 * The forecast of balances: one test for each sentence about it. tests/money/forecast.test.ts
 * compares random forecasts with a model.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  dataStack,
  type Account,
  type Caller,
  type DataStack,
  type Organization,
} from '../support/data.ts'
import { inDays, noonZone } from '../money/forecast.ts'

let stack: DataStack
let ann: Account
let team: Organization
beforeAll(async () => {
  stack = await dataStack()
  ann = await stack.person()
  team = await stack.organization({ owner: ann })
})
afterAll(() => stack.stop())

const someone = async () => stack.as(await stack.person())
const account = async (caller: Caller, more: object = {}): Promise<string> =>
  (await caller.create('accounts', {
    name: 'Giro',
    type: 'checking',
    currency: 'eur',
    balance: 1000,
    ...more,
  })).id
/** The time zone is one in which it is about noon, so that today does not change during a test. */
const forecast = (
  caller: Caller,
  args: object = {},
  headers: Record<string, string> = { prefer: `timezone=${noonZone}` },
) => caller.post('/rpc/get_forecast', { p_until: inDays(30), ...args }, headers)
const days = ({ body }: { body: any[] }) =>
  body.map(({ day, balance, change }) => [day, balance, change])
const refused = (message: string | RegExp) => ({
  status: 400,
  body: {
    code: '22023',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
    hint: expect.any(String),
  },
})

test('a forecast begins with the balance of today and has a row for each day on which something changes, with the reasons', async () => {
  const caller = await someone()
  const giro = await account(caller)
  const { id: pending } = await caller.create('transactions', {
    name: 'Shoes',
    amount: -80,
    status: 'pending',
    transaction_date: inDays(3),
    account_id: giro,
  })
  const { id: later } = await caller.create('transactions', {
    name: 'Refund',
    amount: 30,
    transaction_date: inDays(3),
    account_id: giro,
  })
  await caller.create(
    'transactions',
    [
      { name: 'Old', amount: -100, transaction_date: inDays(-3), account_id: giro },
      {
        name: 'Never',
        amount: -5000,
        status: 'failed',
        transaction_date: inDays(3),
        account_id: giro,
      },
      { name: 'After', amount: -5000, transaction_date: inDays(31), account_id: giro },
    ].map((row) => ({ status: 'paid', ...row })),
  )
  const rent = {
    title: 'Rent',
    amount: 900,
    currency: 'eur',
    period: 'monthly',
    interval_in_days: 20,
    starts_on: inDays(5),
    account_id: giro,
  }
  const { id: subscription } = await caller.create('subscriptions', rent)
  const { status, body } = await forecast(caller)
  expect(status).toBe(200)
  const row = (
    day: number,
    balance: number,
    change: number,
    reasons: object[],
    is_lowest = false,
  ) => ({
    account_id: giro,
    day: inDays(day),
    currency: 'eur',
    balance,
    change,
    reasons,
    is_lowest,
    left_out: 0,
  })
  const due = { name: 'Rent', amount: -900, subscription_id: subscription, transaction_id: null }
  expect(body).toEqual([
    row(0, 900, 0, []),
    row(3, 850, -50, [
      { name: 'Refund', amount: 30, subscription_id: null, transaction_id: later },
      { name: 'Shoes', amount: -80, subscription_id: null, transaction_id: pending },
    ]),
    row(5, -50, -900, [due]),
    row(25, -950, -900, [due], true),
  ])
})

test('a forecast expects a pending transaction of a past day today, and a due day of today', async () => {
  const caller = await someone()
  const giro = await account(caller)
  await caller.create('transactions', {
    name: 'Shoes',
    amount: -80,
    status: 'pending',
    transaction_date: inDays(-40),
    account_id: giro,
  })
  await caller.create('subscriptions', {
    title: 'Rent',
    amount: 900,
    currency: 'eur',
    period: 'yearly',
    starts_on: inDays(0),
    account_id: giro,
  })
  expect(days(await forecast(caller))).toEqual([[inDays(0), 20, -980]])
  // An unrecorded due day of the past is no longer expected.
  await caller.patch('/subscriptions?title=eq.Rent', { starts_on: inDays(-1) })
  expect(days(await forecast(caller))).toEqual([[inDays(0), 920, -80]])
})

test('a forecast knows income and transfers, and counts a recorded day once, whether it is pending or paid', async () => {
  const caller = await someone()
  const [giro, savings] = [
    await account(caller),
    await account(caller, { name: 'Savings', balance: 0 }),
  ]
  const [salary, saving] = await caller.create('subscriptions', [
    {
      title: 'Salary',
      kind: 'income',
      amount: 3000,
      currency: 'eur',
      period: 'yearly',
      starts_on: inDays(2),
      account_id: giro,
      to_account_id: null,
    },
    {
      title: 'Saving',
      kind: 'transfer',
      amount: 400,
      currency: 'eur',
      period: 'yearly',
      starts_on: inDays(4),
      account_id: giro,
      to_account_id: savings,
    },
  ])
  const ofGiro = [[inDays(0), 1000, 0], [inDays(2), 4000, 3000], [inDays(4), 3600, -400]]
  const ofSavings = [[inDays(0), 0, 0], [inDays(4), 400, 400]]
  expect(days(await forecast(caller, { p_account_ids: [giro] }))).toEqual(ofGiro)
  expect(days(await forecast(caller, { p_account_ids: [savings] }))).toEqual(ofSavings)
  for (const { id, starts_on } of [salary, saving])
    await caller.post('/rpc/record_subscription', { p_subscription_id: id, due_on: starts_on }, {
      prefer: `timezone=${noonZone}`,
    })
  expect(days(await forecast(caller, { p_account_ids: [giro] }))).toEqual(ofGiro)
  expect(days(await forecast(caller, { p_account_ids: [savings] }))).toEqual(ofSavings)
  await caller.patch('/transactions?source=eq.subscription', { status: 'paid' })
  expect(days(await forecast(caller, { p_account_ids: [giro] }))).toEqual(ofGiro)
})

test('a forecast adds the rows of p_what_if and stores nothing', async () => {
  const caller = await someone()
  const giro = await account(caller)
  const what = [
    { account_id: giro, on_date: inDays(7), amount: -2500, name: 'Car' },
    { account_id: giro, on_date: inDays(9), amount: '1999.995', name: null },
  ]
  const { body } = await forecast(caller, { p_what_if: what })
  expect(days({ body })).toEqual([[inDays(0), 1000, 0], [inDays(7), -1500, -2500], [
    inDays(9),
    500,
    2000,
  ]])
  expect(body[1]).toMatchObject({
    is_lowest: true,
    reasons: [{ name: 'Car', amount: -2500, subscription_id: null, transaction_id: null }],
  })
  expect(body[2].reasons).toMatchObject([{ name: 'What if' }])
  expect((await caller.get('/transactions')).body).toEqual([])
  expect(days(await forecast(caller, { p_what_if: null }))).toEqual([[inDays(0), 1000, 0]])
  const query = new URLSearchParams({
    p_until: inDays(9),
    p_account_ids: `{${giro}}`,
    p_what_if: JSON.stringify(what),
  }).toString()
  expect((await caller.get(`/rpc/get_forecast?${query}`, { prefer: `timezone=${noonZone}` })).body)
    .toEqual(body)
})

test('a forecast names the first of several lowest days', async () => {
  const caller = await someone()
  const giro = await account(caller)
  const what = [[2, -100], [3, 100], [4, -100]].map(([day = 0, amount]) => ({
    account_id: giro,
    on_date: inDays(day),
    amount,
  }))
  const { body } = await forecast(caller, { p_what_if: what })
  expect(
    body.filter(({ is_lowest }: any) => is_lowest).map(({ day, balance }: any) => [day, balance]),
  ).toEqual([[inDays(2), 900]])
})

test('a forecast of several currencies is one series with p_convert_to, each change at the latest rate on or before its day', async () => {
  const caller = await someone()
  const [giro, dollars] = [
    await account(caller),
    await account(caller, { currency: 'usd', balance: 100 }),
  ]
  await caller.create('exchange_rates', [
    { on_date: '2020-01-01', base: 'usd', quote: 'eur', rate: 0.9 },
    { on_date: inDays(10), base: 'usd', quote: 'eur', rate: 0.8 },
  ])
  const what = [[5, dollars, -10], [10, dollars, -10], [12, giro, -1]]
    .map(([day, account_id, amount]) => ({
      account_id,
      on_date: inDays(Number(day)),
      amount,
      name: 'x',
    }))
  const { body } = await forecast(caller, { p_what_if: what, p_convert_to: 'EUR' })
  expect(days({ body })).toEqual([[inDays(0), 1090, 0], [inDays(5), 1081, -9], [
    inDays(10),
    1073,
    -8,
  ], [inDays(12), 1072, -1]])
  expect(new Set(body.map(({ account_id, currency }: any) => `${account_id} ${currency}`))).toEqual(
    new Set(['null eur']),
  )
})

test('a forecast lists what has no rate without an amount, and counts it in left_out', async () => {
  const caller = await someone()
  const [giro, dollars] = [
    await account(caller),
    await account(caller, { currency: 'usd', balance: 100 }),
  ]
  const what = [[2, giro, -1, 'Tea'], [3, dollars, -10, 'Bagel']]
    .map(([day, account_id, amount, name]) => ({
      account_id,
      on_date: inDays(Number(day)),
      amount,
      name,
    }))
  const { body } = await forecast(caller, { p_what_if: what, p_convert_to: 'eur' })
  expect(
    body.map((row: any) => [
      row.day,
      row.balance,
      row.change,
      row.left_out,
      row.reasons.map(({ amount }: any) => amount),
    ]),
  ).toEqual([
    [inDays(0), 1000, 0, 1, []],
    [inDays(2), 999, -1, 1, [-1]],
    [inDays(3), 999, 0, 2, [null]],
  ])
})

test('a forecast leaves closed accounts out unless they are named, and knows an opening balance of a later day', async () => {
  const caller = await someone()
  const [closed, closing, opening] = [
    await account(caller, { closed_on: inDays(-2) }),
    await account(caller, { closed_on: inDays(5) }),
    await account(caller, { opened_on: inDays(4) }),
  ]
  const { body } = await forecast(caller)
  expect(new Set(body.map(({ account_id }: any) => account_id))).toEqual(
    new Set([closing, opening]),
  )
  expect(days(await forecast(caller, { p_account_ids: [opening] }))).toEqual([[inDays(0), 0, 0], [
    inDays(4),
    1000,
    1000,
  ]])
  expect(days(await forecast(caller, { p_account_ids: [closed] }))).toEqual([[inDays(0), 1000, 0]])
})

test('a forecast is of the active context, and 404 for an account of another one', async () => {
  const [mine, ours, other] = [stack.as(ann), stack.as(ann, team), await someone()]
  const [personal, shared, foreign] = [
    await account(mine),
    await account(ours, { balance: 7 }),
    await account(other),
  ]
  const accounts = async (caller: Caller) =>
    (await forecast(caller)).body.map(({ account_id }: any) => account_id)
  expect(await accounts(mine)).toEqual([personal])
  expect(await accounts(ours)).toEqual([shared])
  for (const unknown of [personal, foreign, crypto.randomUUID()]) {
    expect(await forecast(ours, { p_account_ids: [shared, unknown] })).toMatchObject({
      status: 404,
      body: { code: 'PT404', message: 'account not found' },
    })
    const what = [{ account_id: unknown, on_date: inDays(1), amount: 1, name: 'x' }]
    expect(await forecast(ours, { p_what_if: what })).toMatchObject(
      refused("row 1 of p_what_if: account_id is not one of the forecast's accounts"),
    )
  }
  expect((await forecast(ours, { p_account_ids: [] })).body).toEqual([])
  expect((await forecast(stack.anonymous)).status).toBe(401)
})

test.each(['UTC', 'Pacific/Kiritimati', 'Etc/GMT+12'])(
  'a forecast begins with today in the time zone %s',
  async (zone) => {
    const caller = await someone()
    await account(caller)
    const today = async () =>
      (await stack.owner.query(`select to_char(now() at time zone $1, 'YYYY-MM-DD') as day`, [
        zone,
      ])).rows[0].day
    const before = await today()
    const { body } = await forecast(caller, {}, { prefer: `timezone=${zone}` })
    // Midnight may pass in between.
    expect([before, await today()]).toContain(body[0].day)
  },
)

describe('a forecast is 400', () => {
  test.each<[string, object, string | RegExp]>([
    [
      'before today',
      { p_until: '2025-01-31' },
      /^p_until is before today \(\d{4}-\d\d-\d\d\)$/,
    ],
    ['of a thousand years', { p_until: '3025-01-31' }, "p_until is not a date: '3025-01-31'"],
    ['of more than ten years', { p_until: inDays(3662) }, 'the forecast is longer than 3660 days'],
    ['without an end', { p_until: 'all_time' }, 'a forecast needs an end date'],
    ['of no day', { p_until: 'soon' }, "p_until is not a date: 'soon'"],
    ['in an unknown currency', { p_convert_to: 'xxx' }, /unknown currency in p_convert_to/],
    [
      'with what-if rows that are no array',
      { p_what_if: {} },
      'p_what_if must be an array of up to 1000 rows',
    ],
    [
      'with too many what-if rows',
      { p_what_if: Array.from({ length: 1001 }, () => ({})) },
      'p_what_if must be an array of up to 1000 rows',
    ],
  ])('%s', async (_, args, message) => {
    const caller = await someone()
    await account(caller)
    expect(await forecast(caller, args)).toMatchObject(refused(message))
  })

  test('a forecast is 400 for each malformed what-if row, with its number', async () => {
    const caller = await someone()
    const yen = await account(caller, { currency: 'jpy' })
    const right = { account_id: yen, on_date: inDays(2), amount: -5, name: 'x' }
    const cases: [unknown, string | RegExp][] = [
      [1, 'row 2 of p_what_if: it must be an object'],
      [
        { ...right, note: 'x' },
        'row 2 of p_what_if: it can only have account_id, on_date, amount and name',
      ],
      [
        { ...right, account_id: null },
        "row 2 of p_what_if: account_id is not one of the forecast's accounts",
      ],
      [{ ...right, on_date: 'soon' }, 'row 2 of p_what_if: on_date is not a date'],
      [
        { ...right, on_date: inDays(-2) },
        /^row 2 of p_what_if: on_date is not between today and \d{4}-\d\d-\d\d$/,
      ],
      [
        { ...right, on_date: inDays(31) },
        /^row 2 of p_what_if: on_date is not between today and \d{4}-\d\d-\d\d$/,
      ],
      [{ ...right, amount: null }, 'row 2 of p_what_if: amount is not a number'],
      [{ ...right, amount: 'NaN' }, 'row 2 of p_what_if: amount is not a number'],
      [
        { ...right, amount: 1e12 },
        'row 2 of p_what_if: amount is too large: it must be below 1,000,000,000,000',
      ],
      [
        { ...right, amount: 1.5 },
        'row 2 of p_what_if: the amount has too many decimals for JPY',
      ],
      [{ ...right, name: 5 }, 'row 2 of p_what_if: name must be text of 1 to 255 characters'],
      [{ ...right, name: '' }, 'row 2 of p_what_if: name must be text of 1 to 255 characters'],
    ]
    for (const [row, message] of cases)
      expect(await forecast(caller, { p_what_if: [right, row] }), JSON.stringify(row))
        .toMatchObject(refused(message))
    expect((await forecast(caller, { p_what_if: [right] })).status).toBe(200)
  })

  test('a forecast is 400 for more than 10,000 rows', async () => {
    const caller = await someone()
    const accounts = await caller.create(
      'accounts',
      Array.from({ length: 3 }, () => ({ name: 'x', type: 'cash' })),
    )
    await caller.create(
      'subscriptions',
      accounts.map(({ id }: any) => ({ title: 'x', amount: 1, period: 'daily', account_id: id })),
    )
    expect(await forecast(caller, { p_until: inDays(3600) })).toMatchObject(
      refused('the forecast has more than 10000 rows'),
    )
    expect((await forecast(caller, { p_until: inDays(3600), p_convert_to: 'usd' })).body)
      .toHaveLength(3601)
  })
})

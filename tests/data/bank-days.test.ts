/**
 * The booking day of a bank is the same for every member and time zone, in lists, reports, budgets,
 * balances and the next import.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, returning, type Answer, type Caller, type DataStack } from '../support/data.ts'
import { datesOf, from, rent, type Row } from './bank-day-calls.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

/**
 * Time zones of which at least two have different dates at any moment. Apia had no 30 December
 * 2011.
 */
const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Pacific/Apia',
]
const berlin = from('Europe/Berlin')
const newCaller = async () => stack.as(await stack.person())
const everywhere = async (ask: (zone: string) => Promise<Answer>): Promise<unknown[]> =>
  Promise.all(zones.map(async (zone) => {
    const { status, body, text } = await ask(zone)
    expect(status, `${zone}: ${text}`).toBe(200)
    return body
  }))

describe('a whole day that a member in Berlin sends', () => {
  test.each<[string, (caller: Caller) => Promise<string>]>([
    [
      'in a new transaction',
      async (caller) =>
        (await caller.post('/transactions', rent, from('Europe/Berlin', ',return=representation')))
          .body[0].id,
    ],
    [
      'without hyphens',
      async (caller) =>
        caller.create(
          'transactions',
          { ...rent, transaction_date: '20250301' },
          from('Europe/Berlin', ',return=representation'),
        ).then(({ id }) => id),
    ],
    [
      'with short figures',
      async (caller) =>
        caller.create(
          'transactions',
          { ...rent, transaction_date: '2025-3-1' },
          from('Europe/Berlin', ',return=representation'),
        ).then(({ id }) => id),
    ],
    [
      'with blanks around it',
      async (caller) =>
        caller.create(
          'transactions',
          { ...rent, transaction_date: ' 2025-03-01\t' },
          from('Europe/Berlin', ',return=representation'),
        ).then(({ id }) => id),
    ],
    ['as CSV', async (caller) => {
      const sent = await caller.post(
        '/transactions',
        'name,amount,transaction_date\nRent,-900,2025-03-01',
        {
          ...from('Europe/Berlin', ',return=representation'),
          'content-type': 'text/csv',
        },
      )
      return sent.body[0].id
    }],
    ['among many, of which some name none', async (caller) => {
      const rows = await caller.post('/transactions?columns=name,amount,transaction_date', [{
        name: 'Now',
        amount: 0,
      }, rent], {
        prefer: 'timezone=Europe/Berlin,missing=default,return=representation',
      })
      expect(rows.body[0].booked_on).toBeNull()
      return rows.body[1].id
    }],
    ['in an upsert of what is there', async (caller) => {
      const bank = { ...rent, source: 'bank', external_id: 'rent' }
      const { id } = await caller.create('transactions', {
        ...bank,
        transaction_date: '2025-02-11T12:00:00Z',
      })
      await caller.post(
        '/transactions',
        bank,
        from('Europe/Berlin', ',resolution=merge-duplicates'),
      )
      return id
    }],
    ['in an upsert that finds the same moment', async (caller) => {
      const { id } = await caller.create('transactions', {
        ...rent,
        transaction_date: '2025-02-28T23:00:00Z',
      })
      await caller.post(
        '/transactions',
        { ...rent, id },
        from('Europe/Berlin', ',resolution=merge-duplicates'),
      )
      return id
    }],
    ['in a PUT', async (caller) => {
      const made = await caller.create('transactions', {
        ...rent,
        transaction_date: '2025-02-11T12:00:00Z',
      })
      const sent = await caller.put(`/transactions?id=eq.${made.id}`, {
        ...made,
        transaction_date: '2025-03-01',
        booked_on: '2025-03-01',
      }, berlin)
      expect(sent.status, sent.text).toBeLessThan(300)
      return made.id
    }],
    ['in a change', async (caller) => {
      const { id } = await caller.create('transactions', {
        ...rent,
        transaction_date: '2025-02-11T12:00:00Z',
      })
      await caller.patch(`/transactions?id=eq.${id}`, { transaction_date: '2025-03-01' }, berlin)
      return id
    }],
    ['in an import', async (caller) => {
      await caller.post('/rpc/import_transactions', { p_rows: [rent], p_dry_run: false }, berlin)
      return (await caller.get('/transactions?select=id')).body[0].id
    }],
  ])('%s is stored with its first moment in Berlin', async (_, send) => {
    const caller = await newCaller()
    const id = await send(caller)
    expect(await datesOf(caller, id)).toEqual({
      transaction_date: '2025-02-28T23:00:00+00:00',
      booked_on: '2025-03-01',
    })
  })

  test('a whole day that a member in Berlin sends of a transfer is stored in both halves, and in both again after a change of one', async () => {
    const caller = await newCaller()
    const [giro, savings] = await caller.create(
      'accounts',
      ['Giro', 'Savings'].map((name) => ({ name, type: 'checking' })),
    )
    const { body } = await caller.post(
      '/rpc/create_transfer',
      {
        from_account_id: giro.id,
        to_account_id: savings.id,
        amount: 5,
        transfer_date: '2025-03-01',
      },
      berlin,
    )
    expect(body.map((half: Row) => half['booked_on'])).toEqual(['2025-03-01', '2025-03-01'])
    await caller.patch(
      `/transactions?id=eq.${body[0].id}`,
      { transaction_date: '2025-04-01' },
      from('Asia/Kathmandu'),
    )
    expect(await datesOf(caller, body[1].id)).toEqual({
      transaction_date: '2025-03-31T18:15:00+00:00',
      booked_on: '2025-04-01',
    })
    await caller.patch(`/transactions?id=eq.${body[1].id}`, {
      transaction_date: '2025-04-01T12:00:00Z',
    })
    expect(await datesOf(caller, body[0].id)).toEqual({
      transaction_date: '2025-04-01T12:00:00+00:00',
      booked_on: null,
    })
  })

  test('a whole day that a member in Berlin sends of a recorded recurring cost is its due day', async () => {
    const caller = await newCaller()
    const cost = await caller.create('subscriptions', {
      title: 'Gym',
      amount: 20,
      period: 'monthly',
      starts_on: '2025-03-01',
    })
    const { body } = await caller.post('/rpc/record_subscription', {
      p_subscription_id: cost.id,
      due_on: '2025-03-01',
    }, berlin)
    expect(await datesOf(caller, body.id)).toEqual({
      transaction_date: '2025-02-28T23:00:00+00:00',
      booked_on: '2025-03-01',
    })
  })
})

describe('every member', () => {
  let ours: Caller
  beforeAll(async () => {
    const ann = await stack.person('ann')
    ours = stack.as(ann, await stack.organization({ owner: ann }))
    const food = await ours.create('categories', { name: 'Home' })
    const rows = [
      { ...rent, category_id: food.id },
      { name: 'Skipped in Apia', amount: -7, transaction_date: '2011-12-30' },
      { name: 'End of the year', amount: -5, transaction_date: '2024-12-31' },
    ]
    await ours.post('/rpc/import_transactions', {
      p_rows: rows,
      p_dry_run: false,
      p_source: 'bank',
    }, berlin)
    await ours.create('budgets', { category_id: food.id, amount: 1000, month: '2025-03-01' })
    await ours.create('budgets', { category_id: food.id, amount: 10, month: '2025-02-01' })
    await ours.create('exchange_rates', [{
      on_date: '2011-12-30',
      base: 'usd',
      quote: 'eur',
      rate: 2,
    }, {
      on_date: '2025-03-01',
      base: 'usd',
      quote: 'eur',
      rate: 3,
    }])
  })
  /** Nothing is pending or without a rate. */
  const whole = { pending: 0, left_out: 0 }
  const same = async (path: string, body: unknown, expected: unknown) => {
    for (const answer of await everywhere((zone) => ours.post(path, body, from(zone))))
      expect(answer).toEqual(expected)
  }

  test.each([
    ['between', ['2025-03-01', '2025-03-31']],
    ['between', ['2025-03-01', '2025-03-01']],
    ['eq', '2025-03-01'],
    ['in', ['2020-01-01', '2025-03-01']],
    ['gt', '2025-02-28'],
    ['gte', '2025-03-01'],
    ['from', '2025-03-01'],
  ])('every member finds it with the operation %s and the value %j', async (operation, value) => {
    const filters = [{ field: 'transaction_date', operation, value }]
    for (
      const rows of await everywhere((zone) =>
        ours.post('/rpc/get_filtered_transactions', { filters }, from(zone))
      )
    )
      expect(rows).toMatchObject([{ name: 'Rent' }])
    await same('/rpc/get_transaction_stat', { p_filters: filters }, -900)
  })

  test.each([
    ['to', '2011-12-30', -7],
    ['lt', '2011-12-30', 0],
    ['lte', '2011-12-30', -7],
    ['between', ['2011-12-30', '2011-12-30'], -7],
    ['eq', '2011-12-30', -7],
    ['neq', '2025-03-01', -12],
    ['lt', '2025-03-01', -12],
    ['to', '2025-02-28', -12],
  ])(
    'and counts by %s %j',
    (operation, value, expected) =>
      same('/rpc/get_transaction_stat', {
        p_filters: [{ field: 'transaction_date', operation, value }],
      }, expected),
  )

  test('every member sees the same groups by day, month and year, at the same exchange rates', async () => {
    for (
      const [unit, keys] of Object.entries({
        day: ['2011-12-30', '2024-12-31', '2025-03-01'],
        month: ['2011-12-01', '2024-12-01', '2025-03-01'],
        year: ['2011-01-01', '2024-01-01', '2025-01-01'],
      })
    )
      await same('/rpc/get_transaction_aggregate', { p_group_by: unit, p_convert_to: 'eur' }, [
        { key: keys[0], name: keys[0], currency: 'eur', value: -14, count: 1, ...whole },
        { key: keys[1], name: keys[1], currency: 'eur', value: -10, count: 1, ...whole },
        { key: keys[2], name: keys[2], currency: 'eur', value: -2700, count: 1, ...whole },
      ])
  })

  test('every member sees the same budget comparison and the same distribution by category', async () => {
    const march = { start_date: '2025-03-01', end_date: '2025-03-31' }
    await same('/rpc/get_budget_comparison', march, [
      expect.objectContaining({ name: 'Home', budget: 1000, actual: 900, difference: 100 }),
    ])
    await same('/rpc/get_budget_comparison', { start_date: '2025-02-01', end_date: '2025-02-28' }, [
      expect.objectContaining({ budget: 10, actual: 0 }),
    ])
    await same('/rpc/get_transaction_distribution_by_category', {
      params: { filters: { start_date: '2011-12-30', end_date: '2011-12-30' } },
    }, [
      { category_id: null, name: null, currency: 'usd', total: -7, count: 1, share: 1, ...whole },
    ])
  })

  test('who imports the same file gets the verdict duplicate for every row', async () => {
    const rows = [rent, { name: 'End of the year', amount: -5, transaction_date: '2024-12-31' }, {
      name: 'Skipped in Apia',
      amount: -7,
      transaction_date: '2011-12-30',
    }]
    const verdicts = await everywhere((zone) =>
      ours.post('/rpc/import_transactions', { p_rows: rows, p_source: 'bank' }, from(zone))
    )
    for (const answer of verdicts as Row[][])
      expect(answer.map(({ verdict, reason }) => [verdict, reason])).toEqual(
        rows.map(() => ['duplicate', null]),
      )
  })

  test("every member gets the verdict duplicate also for a row with an id, unless the bank's day differs", async () => {
    const row = { name: 'Card', amount: -3, transaction_date: '2025-05-01', external_id: 'c-1' }
    await ours.post('/rpc/import_transactions', {
      p_rows: [row],
      p_dry_run: false,
      p_source: 'card',
    }, from('Pacific/Kiritimati'))
    for (
      const [answer]
        of (await everywhere((zone) =>
          ours.post('/rpc/import_transactions', { p_rows: [row], p_source: 'card' }, from(zone))
        )) as Row[][]
    )
      expect(answer).toMatchObject({ verdict: 'duplicate' })
    for (const zone of zones) {
      const { body } = await ours.post('/rpc/import_transactions', {
        p_rows: [{ ...row, transaction_date: '2025-04-30' }],
        p_source: 'card',
      }, from(zone))
      expect(body[0].verdict, zone).not.toBe('duplicate')
    }
    await ours.delete('/transactions?external_id=eq.c-1')
  })
})

test("the app's list of a range of days has the bank days of all members", async () => {
  const caller = await newCaller()
  for (const zone of zones) await caller.post('/transactions', { ...rent, name: zone }, from(zone))
  await caller.create('transactions', [
    { ...rent, name: 'before', transaction_date: '2025-02-28' },
    { ...rent, name: 'after', transaction_date: '2025-03-02' },
  ])
  const first = 'booked_on.gte.2025-03-01'
  const last = 'booked_on.lte.2025-03-01'
  const names = async (query: string) =>
    (await caller.get(`/transactions?select=name&order=name&${query}`)).body.map(({ name }: Row) =>
      name
    )
  const [since, until] = ['transaction_date.gte.2025-03-01', 'transaction_date.lt.2025-03-02']
  const sorted = (all: string[]) => all.toSorted((one, other) => one < other ? -1 : 1)
  expect(
    sorted(
      await names(
        `or=(and(${first},${last}),and(booked_on.is.null,${since},${until}))&transaction_date=gte.2025-02-28T10:00:00Z&transaction_date=lt.2025-03-02T12:00:00Z`,
      ),
    ),
  )
    .toEqual(sorted(zones))
  expect(
    sorted(
      await names(
        `or=(and(${first}),and(booked_on.is.null,${since}))&transaction_date=gte.2025-02-28T10:00:00Z`,
      ),
    ),
  ).toEqual(
    sorted([...zones, 'after']),
  )
})

test('a member sees a transaction without a bank day on the day of its moment in their own time zone', async () => {
  const caller = await newCaller()
  await caller.create('transactions', {
    name: 'Bar',
    amount: -1,
    transaction_date: '2025-03-01T02:00:00Z',
  })
  const days = await everywhere((zone) =>
    caller.post('/rpc/get_transaction_aggregate', { p_group_by: 'day' }, from(zone))
  )
  expect((days as Row[][]).map(([row]) => row?.['key'])).toEqual([
    '2025-03-01',
    '2025-03-01',
    '2025-02-28',
    '2025-03-01',
    '2025-03-01',
    '2025-02-28',
    '2025-03-01',
  ])
})

describe("today's balance", () => {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  test("today's balance includes what is paid up to the end of today in the reader's time zone", async () => {
    const caller = await newCaller()
    const account = await caller.create('accounts', {
      name: 'Giro',
      type: 'checking',
      balance: 100,
    })
    const inAccount = (amount: number, transaction_date: string, status = 'paid') => ({
      name: 'x',
      amount,
      transaction_date,
      status,
      account_id: account.id,
    })
    await caller.create('transactions', [
      inAccount(-1, day(-3)),
      inAccount(-10, day(3)),
      inAccount(-1000, `${day(3)}T12:00:00Z`),
      inAccount(-10_000, day(-3), 'pending'),
    ])
    for (
      const answer of await everywhere((zone) =>
        caller.get('/accounts?select=current_balance', from(zone))
      )
    )
      expect(answer).toEqual([{ current_balance: 99 }])
  })

  test("today's balance includes a transaction with a bank day as soon as that day begins in the reader's time zone", async () => {
    const caller = await newCaller()
    const account = await caller.create('accounts', { name: 'Giro', type: 'checking' })
    const today = async (zone: string) =>
      new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(new Date())
    const [east, west] = [await today('Pacific/Kiritimati'), await today('Pacific/Pago_Pago')]
    // The two zones never have the same date.
    await caller.create('transactions', {
      name: 'x',
      amount: -5,
      transaction_date: east,
      account_id: account.id,
    })
    const balance = async (zone: string) =>
      (await caller.get('/accounts?select=current_balance', from(zone))).body[0].current_balance
    if (east === (await today('Pacific/Kiritimati')) && west === (await today('Pacific/Pago_Pago')))
      expect([await balance('Pacific/Kiritimati'), await balance('Pacific/Pago_Pago')]).toEqual([
        -5,
        0,
      ])
  })

  test("today's balance excludes an occurrence that is recorded before its day, which is pending", async () => {
    const caller = await newCaller()
    const account = await caller.create('accounts', {
      name: 'Giro',
      type: 'checking',
      balance: 100,
    })
    const cost = await caller.create('subscriptions', {
      title: 'Rent',
      amount: 30,
      period: 'daily',
      starts_on: day(-2),
      account_id: account.id,
    })
    const record = async (due_on: string) =>
      (await caller.post('/rpc/record_subscription', { p_subscription_id: cost.id, due_on })).body
    expect(await record(day(-2))).toMatchObject({ status: 'paid' })
    const ahead = await record(day(2))
    expect(ahead).toMatchObject({ status: 'pending', booked_on: day(2) })
    expect((await caller.get('/accounts?select=current_balance')).body).toEqual([{
      current_balance: 70,
    }])
    expect(
      (await caller.patch(`/transactions?id=eq.${ahead.id}`, { status: 'paid' }, returning)).body,
    ).toMatchObject([{ status: 'paid' }])
    expect((await caller.get('/accounts?select=current_balance')).body).toEqual([{
      current_balance: 70,
    }])
  })
})

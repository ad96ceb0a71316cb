/** Recurring costs: due days, monthly cost, and recording as a transaction. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { occurrences, type Terms } from '../money/occurrences.ts'
import {
  dataStack,
  type Account,
  type Caller,
  type DataStack,
  type Organization,
} from '../support/data.ts'
import { totalRowsRead } from '../support/plans.ts'

let stack: DataStack
let ada: Account
let team: Organization
let mine: Caller
let ours: Caller
let editor: Caller
let viewer: Caller

beforeAll(async () => {
  stack = await dataStack()
  ada = await stack.person('ada')
  const [eve, bob] = [await stack.person('eve'), await stack.person('bob')]
  team = await stack.organization({ owner: ada, editor: eve, viewer: bob })
  mine = stack.as(ada)
  ours = stack.as(ada, team)
  editor = stack.as(eve, team)
  viewer = stack.as(bob, team)
})
afterAll(() => stack.stop())

const refusal = (body: Record<string, unknown>) => ({
  status: 400,
  body: { code: '22023', hint: expect.any(String), ...body },
})
const upcoming = (caller: Caller, start: string, end: string) =>
  caller.get(`/rpc/get_upcoming?start_date=${start}&end_date=${end}`)
const record = (caller: Caller, id: string, due_on: string) =>
  caller.post('/rpc/record_subscription', { p_subscription_id: id, due_on })
const days = ({ body }: { body: { due_on: string }[] }) => body.map(({ due_on }) => due_on)
const someone = async () => stack.as(await stack.person())

const dayLength = 86_400_000

const date = (from: string, to: string) =>
  // Ends of months and leap days are more frequent than at random.
  fc.oneof(
    fc.date({ min: new Date(from), max: new Date(to), noInvalidDate: true }).map((day) =>
      day.toISOString().slice(0, 10)
    ),
    fc.tuple(
      fc.integer({ min: Number(from.slice(0, 4)) + 1, max: Number(to.slice(0, 4)) - 1 }),
      fc.constantFrom('01-29', '01-30', '01-31', '02-28', '03-31', '08-31', '12-31'),
    )
      .map(([year, day]) => `${year}-${day}`),
    fc.constantFrom('1996-02-29', '2000-02-29', '2004-02-29').filter((day) =>
      day >= from && day <= to
    ),
  )
const terms = fc.record<Terms>({
  period: fc.constantFrom('monthly', 'yearly', 'quarterly', 'semi-annually', 'weekly', 'daily'),
  interval_in_days: fc.option(fc.integer({ min: 1, max: 3660 }), { freq: 2 }),
  starts_on: date('1990-01-01', '2010-01-01'),
  ends_on: fc.option(date('1990-01-01', '2020-01-01')),
  is_active: fc.constantFrom(true, true, true, true, false),
})

test('the due days of a subscription are those of a walk from the first day, for every period, interval, month end and leap day', async () => {
  const subscriptionAndRange = fc.record({
    terms,
    first: date('1985-01-01', '2015-01-01'),
    length: fc.integer({ min: 0, max: 2000 }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(subscriptionAndRange, { minLength: 20, maxLength: 20 }),
      async (cases) => {
        const given = cases.map(({ terms: kept, first, length }) => ({
          ...kept,
          first,
          last: new Date(Date.parse(first) + length * dayLength).toISOString().slice(0, 10),
        }))
        const { rows } = await stack.owner.query<{ found: string[] }>(
          `select array(
             select to_char(due_on, 'YYYY-MM-DD') from private.occurrences(jsonb_populate_record(null::api.subscriptions, one), (one ->> 'first')::date, (one ->> 'last')::date)
           ) as found
           from jsonb_array_elements($1::jsonb) with ordinality as c (one, place) order by place`,
          [JSON.stringify(given)],
        )
        expect(rows.map(({ found }) => found)).toEqual(
          given.map((one) => occurrences(one, one.first, one.last)),
        )
      },
    ),
    { numRuns: 30 },
  )
})

test('the due days of a subscription fall on the last day of a shorter month for the 31st and then return to it, also for a leap day', async () => {
  const caller = await someone()
  await caller.create('subscriptions', [{
    title: 'Rent',
    amount: 900,
    period: 'monthly',
    starts_on: '2023-12-31',
  }])
  expect(days(await upcoming(caller, '2024-01-01', '2024-04-30'))).toEqual([
    '2024-01-31',
    '2024-02-29',
    '2024-03-31',
    '2024-04-30',
  ])
  expect(days(await upcoming(caller, '2025-02-01', '2025-03-31'))).toEqual([
    '2025-02-28',
    '2025-03-31',
  ])
  const leaper = await someone()
  await leaper.create('subscriptions', [{
    title: 'Club',
    amount: 29,
    period: 'yearly',
    starts_on: '2024-02-29',
  }])
  expect(days(await upcoming(leaper, '2024-01-01', '2028-12-31'))).toEqual([
    '2024-02-29',
    '2025-02-28',
    '2026-02-28',
    '2027-02-28',
    '2028-02-29',
  ])
})

test('the due days of a subscription are listed by day and title, with amount and category, from the first day to the last', async () => {
  const caller = await someone()
  const { id: home } = await caller.create('categories', { name: 'Home' })
  const [rent, paper] = await caller.create('subscriptions', [
    {
      title: 'Rent',
      amount: 900,
      period: 'monthly',
      starts_on: '2025-01-01',
      ends_on: '2025-02-28',
      currency: 'eur',
      category_id: home,
      interval_in_days: null,
      is_active: true,
    },
    {
      title: 'Paper',
      amount: 12.5,
      period: 'monthly',
      starts_on: '2025-01-18',
      ends_on: null,
      currency: 'usd',
      category_id: null,
      interval_in_days: 14,
      is_active: true,
    },
    {
      title: 'Gym',
      amount: 30,
      period: 'weekly',
      starts_on: '2025-01-01',
      ends_on: null,
      currency: 'usd',
      category_id: null,
      interval_in_days: null,
      is_active: false,
    },
  ])
  const of = (
    { id: subscription_id, title, amount, currency, category_id }: Record<string, unknown>,
    due_on: string,
  ) => ({
    subscription_id,
    title,
    amount,
    currency,
    category_id,
    due_on,
    is_recorded: false,
    kind: 'expense',
    to_account_id: null,
  })
  expect(await upcoming(caller, '2025-01-02', '2025-03-15')).toMatchObject({
    status: 200,
    body: [
      of(paper, '2025-01-18'),
      of(rent, '2025-02-01'),
      of(paper, '2025-02-01'),
      of(paper, '2025-02-15'),
      of(paper, '2025-03-01'),
      of(paper, '2025-03-15'),
    ]
      .toSorted((a, b) =>
        a.due_on === b.due_on
          ? String(a.title).localeCompare(String(b.title))
          : a.due_on < b.due_on
          ? -1
          : 1
      ),
  })
})

test('the due days of a subscription are those of the active context, also for a viewer, and are empty without a token', async () => {
  const caller = await someone()
  await caller.create('subscriptions', {
    title: 'Mine',
    amount: 1,
    period: 'daily',
    starts_on: '2025-01-01',
  })
  await ours.create('subscriptions', {
    title: 'Ours',
    amount: 1,
    period: 'daily',
    starts_on: '2030-01-01',
  })
  expect(days(await upcoming(mine, '2030-01-01', '2030-01-01'))).toEqual([])
  for (const member of [ours, editor, viewer])
    expect((await upcoming(member, '2030-01-01', '2030-01-01')).body).toMatchObject([{
      title: 'Ours',
    }])
  expect((await upcoming(stack.anonymous, '2030-01-01', '2030-01-01')).status).toBe(401)
})

test('the due days of a subscription default to this month, and need a range with an end, an order and at most ten years', async () => {
  const caller = await someone()
  await caller.create('subscriptions', {
    title: 'Milk',
    amount: 1,
    period: 'daily',
    starts_on: '1900-01-01',
  })
  expect((await caller.get('/rpc/get_upcoming')).body).toEqual(
    (await caller.get('/rpc/get_upcoming?preset=this_month')).body,
  )
  expect((await upcoming(caller, '2180-01-01', '2190-01-07')).body).toHaveLength(3660)
  expect(await upcoming(caller, '2180-01-01', '2190-01-08')).toMatchObject(
    refusal({ message: 'the range is longer than 3660 days' }),
  )
  expect(await upcoming(caller, '2025-02-01', '2025-01-01')).toMatchObject(refusal({}))
  expect(await caller.get('/rpc/get_upcoming?preset=all_time')).toMatchObject(refusal({}))
  expect(await caller.get('/rpc/get_upcoming?start_date=2025-01-01')).toMatchObject(refusal({}))
  await caller.create('subscriptions', [{
    title: 'Bread',
    amount: 1,
    period: 'daily',
    starts_on: '1900-01-01',
  }, {
    title: 'Eggs',
    amount: 1,
    period: 'daily',
    starts_on: '1900-01-01',
  }])
  expect(await upcoming(caller, '2180-01-01', '2190-01-07')).toMatchObject(
    refusal({ message: 'the range has more than 10000 due dates' }),
  )
})

describe('next_due_on', () => {
  const nextOf = async (caller: Caller, id: string, headers?: Record<string, string>) =>
    (await caller.get(`/subscriptions?select=next_due_on&id=eq.${id}`, headers)).body[0].next_due_on
  const dayIn = async (zone: string): Promise<string> =>
    (await stack.owner.query(`select to_char(now() at time zone $1, 'YYYY-MM-DD') as day`, [zone]))
      .rows[0].day

  test('next_due_on is the first day from today that is not recorded, and null if none is left', async () => {
    const caller = await someone()
    const [year, week, past, paused] = await caller.create('subscriptions', [
      {
        title: 'Year',
        amount: 1,
        period: 'yearly',
        starts_on: '2150-05-31',
        ends_on: '2151-12-31',
        is_active: true,
      },
      {
        title: 'Interval',
        amount: 1,
        period: 'monthly',
        starts_on: '2160-01-01',
        ends_on: null,
        is_active: true,
      },
      {
        title: 'Past',
        amount: 1,
        period: 'daily',
        starts_on: '2000-01-01',
        ends_on: '2000-12-31',
        is_active: true,
      },
      {
        title: 'Paused',
        amount: 1,
        period: 'daily',
        starts_on: '2000-01-01',
        ends_on: null,
        is_active: false,
      },
    ])
    expect(await nextOf(caller, year.id)).toBe('2150-05-31')
    expect(await nextOf(caller, week.id)).toBe('2160-01-01')
    expect([await nextOf(caller, past.id), await nextOf(caller, paused.id)]).toEqual([null, null])
    await record(caller, year.id, '2150-05-31')
    expect(await nextOf(caller, year.id)).toBe('2151-05-31')
    await record(caller, year.id, '2151-05-31')
    expect(await nextOf(caller, year.id)).toBe(null)
    await caller.delete('/transactions?name=eq.Year&transaction_date=eq.2150-05-31')
    expect(await nextOf(caller, year.id)).toBe('2150-05-31')
    expect((await caller.get('/subscriptions?select=title&next_due_on=lte.2155-01-01')).body)
      .toEqual([{ title: 'Year' }])
  })

  test.each(['UTC', 'Pacific/Kiritimati', 'Etc/GMT+12'])(
    'next_due_on begins with today in the time zone %s',
    async (zone) => {
      const caller = await someone()
      const { id } = await caller.create('subscriptions', {
        title: 'Milk',
        amount: 1,
        period: 'daily',
        starts_on: '2000-01-01',
      })
      const before = await dayIn(zone)
      const found = await nextOf(caller, id, { prefer: `timezone=${zone}` })
      // Midnight may pass in between.
      expect([before, await dayIn(zone)]).toContain(found)
    },
  )
})

describe('monthly_cost', () => {
  test.each([
    ['monthly', null, 12, 12],
    ['quarterly', null, 100, 33.33],
    ['semi-annually', null, 100, 16.67],
    ['yearly', null, 119.94, 10],
    ['weekly', null, 10, 43.45],
    ['daily', null, 1, 30.42],
    ['monthly', 30, 10, 10.14],
    ['yearly', null, 0.06, 0.01],
  ])(
    'monthly_cost with period %s, interval %s and amount %d is %d',
    async (period, interval_in_days, amount, cost) => {
      const caller = await someone()
      await caller.create('subscriptions', { title: 'x', amount, period, interval_in_days })
      expect((await caller.get('/subscriptions?select=monthly_cost')).body).toEqual([{
        monthly_cost: cost,
      }])
    },
  )

  test.each([['jpy', 1000, 'yearly', 83], ['krw', 100, 'weekly', 435], ['kwd', 1, 'yearly', 0.08]])(
    'has the decimals of its currency: in %s, %d %s is %d a month',
    async (currency, amount, period, cost) => {
      const caller = await someone()
      await caller.create('subscriptions', { title: 'x', amount, period, currency })
      expect((await caller.get('/subscriptions?select=monthly_cost')).body).toEqual([{
        monthly_cost: cost,
      }])
    },
  )

  test('monthly_cost is exact for every amount, with half a cent rounded away from zero', async () => {
    const fractions: Record<string, [bigint, bigint]> = {
      monthly: [1n, 1n],
      quarterly: [1n, 3n],
      'semi-annually': [1n, 6n],
      yearly: [1n, 12n],
      weekly: [365n, 84n],
      daily: [365n, 12n],
    }
    const cost = fc.record({
      period: fc.constantFrom(...Object.keys(fractions)),
      interval_in_days: fc.option(fc.integer({ min: 1, max: 3660 })),
      cents: fc.bigInt({ min: -(10n ** 13n), max: 10n ** 13n }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(cost, { minLength: 50, maxLength: 50 }), async (costs) => {
        const { rows } = await stack.owner.query<{ cents: string }>(
          `select (100 * api.monthly_cost(jsonb_populate_record(null::api.subscriptions, one)))::bigint::text as cents
           from jsonb_array_elements($1::jsonb) with ordinality as c (one, place) order by place`,
          [JSON.stringify(
            costs.map(({ cents, ...rest }) => ({
              ...rest,
              kind: 'expense',
              amount: `${cents < 0 ? '-' : ''}${(cents < 0 ? -cents : cents) / 100n}.${
                String((cents < 0 ? -cents : cents) % 100n).padStart(2, '0')
              }`,
            })),
          )],
        )
        expect(rows.map(({ cents }) => cents)).toEqual(
          costs.map(({ period, interval_in_days, cents }) => {
            const [share, of] = interval_in_days === null
              ? fractions[period] ?? [1n, 1n]
              : [365n, 12n * BigInt(interval_in_days)]
            const magnitude = cents < 0 ? -cents : cents
            const rounded = (2n * magnitude * share + of) / (2n * of)
            return String(cents < 0 ? -rounded : rounded)
          }),
        )
      }),
      { numRuns: 10 },
    )
  })
})

describe('record_subscription', () => {
  const rent = {
    title: 'Rent',
    amount: 900,
    period: 'monthly',
    starts_on: '2025-01-31',
    currency: 'eur',
  }
  const stored = async (caller: Caller) =>
    (await caller.get('/transactions?source=eq.subscription')).body

  test('record_subscription records a due day as a transaction, and only once until that is deleted', async () => {
    const caller = await someone()
    const { id: category_id } = await caller.create('categories', { name: 'Home' })
    const { id: account_id } = await caller.create('accounts', {
      name: 'Bank',
      type: 'checking',
      currency: 'eur',
    })
    const { id } = await caller.create('subscriptions', { ...rent, category_id, account_id })
    const first = await record(caller, id, '2025-02-28')
    expect(first).toMatchObject({
      status: 200,
      body: {
        name: 'Rent',
        amount: -900,
        currency: 'eur',
        category_id,
        account_id,
        transaction_date: '2025-02-28T00:00:00+00:00',
        source: 'subscription',
        external_id: `${id}:2025-02-28`,
        subscription_id: id,
        due_on: '2025-02-28',
        status: 'paid',
        organization_id: null,
      },
    })
    expect((await upcoming(caller, '2025-02-01', '2025-03-31')).body).toMatchObject([{
      is_recorded: true,
    }, { is_recorded: false }])
    await caller.patch(`/transactions?id=eq.${first.body.id}`, { amount: -905 })
    expect((await record(caller, id, '2025-02-28')).body).toMatchObject({
      id: first.body.id,
      amount: -905,
    })
    // A recorded day stays recorded after the subscription has ended.
    await caller.patch(`/subscriptions?id=eq.${id}`, { is_active: false })
    expect((await record(caller, id, '2025-02-28')).body.id).toBe(first.body.id)
    await caller.patch(`/subscriptions?id=eq.${id}`, { is_active: true })
    await caller.delete(`/transactions?id=eq.${first.body.id}`)
    const again = await record(caller, id, '2025-02-28')
    expect(again.status).toBe(200)
    expect(again.body.id).not.toBe(first.body.id)
    expect(await stored(caller)).toHaveLength(1)
  })

  test('record_subscription stores one transaction if many requests record the same day at once', async () => {
    const { id } = await ours.create('subscriptions', rent)
    const answers = await Promise.all(
      [ours, editor, ours, editor, ours, editor].map((member) => record(member, id, '2025-03-31')),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect((await ours.get(`/transactions?external_id=eq.${id}:2025-03-31`)).body).toMatchObject([{
      organization_id: team.id,
      amount: -900,
    }])
  })

  test('record_subscription records a personal subscription in the personal context, also while an organization is active', async () => {
    const { id } = await mine.create('subscriptions', { ...rent, title: 'Flat' })
    expect((await record(ours, id, '2025-01-31')).body).toMatchObject({
      name: 'Flat',
      organization_id: null,
      user_id: ada.id,
    })
    expect((await mine.get(`/transactions?external_id=eq.${id}:2025-01-31`)).body).toHaveLength(1)
  })

  test("record_subscription does not mistake another transaction with the same external_id for the recorded one, and refuses another context's with its mark", async () => {
    const { id } = await ours.create('subscriptions', rent)
    const marked = { subscription_id: id, due_on: '2025-01-31' }
    expect(await mine.post('/transactions', { name: 'Planted', amount: 1, ...marked }))
      .toMatchObject({ status: 409, body: { code: '23503' } })
    await mine.create('transactions', {
      name: 'Planted',
      amount: 1,
      source: 'subscription',
      external_id: `${id}:2025-01-31`,
    })
    expect((await upcoming(ours, '2025-01-31', '2025-01-31')).body).toContainEqual(
      expect.objectContaining({ subscription_id: id, is_recorded: false }),
    )
    expect((await record(ours, id, '2025-01-31')).body).toMatchObject({
      name: 'Rent',
      organization_id: team.id,
    })
  })

  test('record_subscription is 403 for a viewer, 404 for a subscription that the caller cannot see, and 400 for a day without an occurrence', async () => {
    const { id } = await ours.create('subscriptions', { ...rent, ends_on: '2025-12-31' })
    expect(await record(viewer, id, '2025-01-31')).toMatchObject({
      status: 403,
      body: { code: '42501' },
    })
    const stranger = await someone()
    for (const unseen of [id, crypto.randomUUID()])
      expect(await record(stranger, unseen, '2025-01-31')).toMatchObject({
        status: 404,
        body: { code: 'PT404' },
      })
    for (const day of ['2025-01-30', '2024-12-31', '2026-01-31'])
      expect(await record(ours, id, day)).toMatchObject(
        refusal({ message: `'Rent' is not due on ${day}` }),
      )
    expect(await ours.post('/rpc/record_subscription', { p_subscription_id: id, due_on: null }))
      .toMatchObject(
        refusal({ message: 'due_on is not a date: null' }),
      )
    for (const day of ['infinity', '2025-02-30']) {
      expect(await record(ours, id, day)).toMatchObject(
        refusal({
          message: `due_on is not a date: '${day}'`,
          hint: 'Use YYYY-MM-DD or an ISO 8601 date-time, from 1900 to 2199.',
        }),
      )
    }
    expect((await record(stack.anonymous, id, '2025-01-31')).status).toBe(401)
    expect((await ours.get(`/transactions?external_id=like.${id}*`)).body).toEqual([])
  })
})

test('the lookup of a recorded day uses an index, whatever the number of transactions', async () => {
  const account = await stack.person()
  const caller = stack.as(account)
  await stack.owner.query(
    `insert into api.transactions (name, amount, user_id, source, external_id, transaction_date)
     select 'x', -1, $1, case when n % 2 = 0 then 'subscription' else 'bank' end, 'x' || n, date '2020-01-01' + n % 1000 from generate_series(1, 20000) n`,
    [account.id],
  )
  await stack.owner.query('analyze api.transactions')
  const { id } = await caller.create('subscriptions', {
    title: 'Rent',
    amount: 900,
    period: 'monthly',
    starts_on: '2025-01-31',
  })
  const before = await totalRowsRead(stack, 'transactions')
  expect((await upcoming(caller, '2025-01-01', '2029-12-31')).body).toHaveLength(60)
  expect((await caller.get('/subscriptions?select=next_due_on')).status).toBe(200)
  await record(caller, id, '2025-03-31')
  expect(await totalRowsRead(stack, 'transactions') - before).toBeLessThan(100)
})

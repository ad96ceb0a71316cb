/**
 * The functions of reports under /rpc, exact to the cent against sums computed here, in both
 * contexts, and with invalid arguments.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  dataStack,
  type Account,
  type Caller,
  type DataStack,
  type Organization,
} from '../support/data.ts'
import { unknownZone } from '../support/postgrest-versions.ts'
import { book, counted, fill, money, pendingOf, refusal, type Entry } from './function-books.ts'

let stack: DataStack
let ada: Account
let team: Organization
let mine: Caller
let ours: Caller
let viewer: Caller
let nobody: Caller
const ids: Record<string, string> = {}

beforeAll(async () => {
  stack = await dataStack()
  ada = await stack.person('ada')
  const bob = await stack.person('bob')
  team = await stack.organization({ owner: ada, viewer: bob })
  mine = stack.as(ada)
  ours = stack.as(ada, team)
  viewer = stack.as(bob, team)
  nobody = stack.as(await stack.person('nobody'))
  await fill(ids, mine, 1)
  await fill(ids, ours, 2)
})
afterAll(() => stack.stop())

describe('get_transaction_stat', () => {
  const stat = (caller: Caller, body: Record<string, unknown> = {}) =>
    caller.post('/rpc/get_transaction_stat', body)
  // the categories are of expenses, so a refund lowers them
  const income = counted.filter(({ category }) => category === null)
  const expense = counted.filter(({ category }) => category !== null)

  test('get_transaction_stat returns one number: the sum, average or count of all transactions, of the income or of the expenses', async () => {
    for (
      const [type, entries] of [['balance', counted], ['income', income], [
        'expense',
        expense,
      ]] as const
    ) {
      const ask = async (fn: string) =>
        (await stat(mine, {
          p_user_id: ada.id,
          p_organization_id: null,
          p_filters: [],
          p_aggregate_fn: fn,
          p_transaction_type: type,
        })).body
      expect(await ask('sum')).toBe(money(entries))
      expect(await ask('avg')).toBe(
        Math.sign(money(entries)) * Math.round(Math.abs(money(entries)) * 100 / entries.length) /
          100,
      )
      expect(await ask('count')).toBe(entries.length)
    }
  })

  test('get_transaction_stat uses the context that it names, null for personal, and by default the active one', async () => {
    expect((await stat(ours, { p_organization_id: team.id })).body).toBe(2 * money(counted))
    expect((await stat(ours)).body).toBe(2 * money(counted))
    expect((await stat(ours, { p_organization_id: null })).body).toBe(money(counted))
    expect((await stat(viewer)).body).toBe(2 * money(counted))
    expect((await stat(viewer, { p_organization_id: null })).body).toBe(0)
  })

  test('get_transaction_stat is 0 without transactions', async () => {
    for (const p_aggregate_fn of ['sum', 'avg', 'count'])
      expect(await stat(nobody, { p_aggregate_fn })).toMatchObject({ status: 200, body: 0 })
  })

  test('get_transaction_stat accepts the filters of get_filtered_transactions', async () => {
    const p_filters = [{
      field: 'transaction_date',
      operation: 'between',
      value: ['2025-01-01', '2025-01-31'],
    }, {
      field: 'status',
      operation: 'eq',
      value: 'paid',
    }]
    expect((await stat(mine, { p_filters })).body).toBe(
      money(book.filter(({ on, status }) => on < '2025-02' && status === 'paid')),
    )
    expect(
      (await stat(mine, {
        p_filters: [{ field: 'transaction_date', operation: 'in', value: 'this_month' }],
      })).body,
    ).toBe(0)
  })

  test('get_transaction_stat never adds up two currencies: it refuses, names them, and accepts a filter on one', async () => {
    const caller = stack.as(await stack.person())
    await caller.create(
      'transactions',
      [['usd', 1], ['eur', 2], ['eur', 3]].map(([currency, amount]) => ({
        name: 'x',
        currency,
        amount,
      })),
    )
    for (const [p_aggregate_fn, verb] of [['sum', 'sum'], ['avg', 'average']]) {
      expect(await stat(caller, { p_aggregate_fn })).toMatchObject(
        refusal({ message: `can't ${verb} different currencies: EUR, USD` }),
      )
    }
    expect((await stat(caller, { p_aggregate_fn: 'count' })).body).toBe(3)
    expect(
      (await stat(caller, { p_filters: [{ field: 'currency', operation: 'eq', value: 'eur' }] }))
        .body,
    ).toBe(5)
  })

  test.each([
    [{ p_aggregate_fn: 'max' }, 'Must be sum, avg or count.'],
    [{ p_aggregate_fn: null }, 'Must be sum, avg or count.'],
    [{ p_aggregate_fn: 'sum(amount), pg_sleep(9)' }, 'Must be sum, avg or count.'],
    [{ p_transaction_type: 'loss' }, 'Must be balance, income or expense.'],
    [{ p_filters: 'x' }, 'Each must have field'],
    [{ p_filters: [{}] }, 'Valid fields'],
  ])('get_transaction_stat is 400 for %j', async (body, allowed) => {
    expect(await stat(mine, body)).toMatchObject(
      refusal({ hint: expect.stringContaining(allowed) }),
    )
  })
})

describe('get_transaction_aggregate', () => {
  const aggregate = (caller: Caller, body: Record<string, unknown> = {}) =>
    caller.post('/rpc/get_transaction_aggregate', body)
  const by = (key: (entry: Entry) => string | null, entries: readonly Entry[] = counted) => {
    const groups = new Map<string | null, Entry[]>()
    for (const entry of entries) groups.set(key(entry), [...groups.get(key(entry)) ?? [], entry])
    return [...groups].toSorted(([a], [b]) => a === null ? 1 : b === null ? -1 : a < b ? -1 : 1)
  }

  test.each<[string, (entry: Entry) => string]>([
    ['day', ({ on }) => on],
    ['month', ({ on }) => `${on.slice(0, 7)}-01`],
    ['quarter', () => '2025-01-01'],
    ['year', () => '2025-01-01'],
    ['week', ({ on }) => {
      const monday = new Date(on)
      monday.setUTCDate(monday.getUTCDate() - (monday.getUTCDay() + 6) % 7)
      return monday.toISOString().slice(0, 10)
    }],
    ['status', ({ status }) => status],
    ['currency', () => 'usd'],
  ])('get_transaction_aggregate groups by %s', async (p_group_by, key) => {
    // Each status is a group of its own.
    const expected = by(key, p_group_by === 'status' ? book : counted).map(([group, entries]) => ({
      key: group,
      name: group,
      currency: 'usd',
      value: money(entries),
      count: entries.length,
      pending: pendingOf(entries),
      left_out: 0,
    }))
    expect(await aggregate(mine, { p_group_by })).toMatchObject({ status: 200, body: expected })
    expect((await aggregate(ours, { p_group_by })).body)
      .toEqual(
        expected.map((group) => ({
          ...group,
          value: Math.round(group.value * 200) / 100,
          pending: group.pending * 2,
        })),
      )
  })

  test('get_transaction_aggregate groups by category with names, and null for none', async () => {
    const { body } = await aggregate(mine, { p_group_by: 'category', p_aggregate_fn: 'avg' })
    expect(body).toHaveLength(3)
    const home = book.filter(({ category }) => category === 'Home')
    expect(body).toContainEqual({
      key: ids['Home 1'],
      name: 'Home',
      currency: 'usd',
      value: money(home) / home.length,
      count: 2,
      pending: null,
      left_out: 0,
    })
    expect(body.at(-1)).toEqual({
      key: null,
      name: null,
      currency: 'usd',
      value: 3000,
      count: 1,
      pending: null,
      left_out: 0,
    })
  })

  test('get_transaction_aggregate counts, filters, and returns [] if nothing matches', async () => {
    const p_filters = [{ field: 'amount', operation: 'gt', value: 0 }]
    expect((await aggregate(mine, { p_filters, p_group_by: 'year', p_aggregate_fn: 'count' })).body)
      .toEqual([{
        key: '2025-01-01',
        name: '2025-01-01',
        currency: 'usd',
        value: 2,
        count: 2,
        pending: 0,
        left_out: 0,
      }])
    expect(await aggregate(nobody)).toMatchObject({ status: 200, body: [] })
  })

  test('get_transaction_aggregate has separate rows for each currency', async () => {
    const caller = stack.as(await stack.person())
    await caller.create(
      'transactions',
      [['usd', 1], ['eur', 2], ['eur', 3]].map(([currency, amount]) => ({
        name: 'x',
        currency,
        amount,
        transaction_date: '2025-01-01',
      })),
    )
    expect(
      (await aggregate(caller)).body.map((
        row: { currency: string, value: number },
      ) => [row.currency, row.value]),
    ).toEqual([['eur', 5], ['usd', 1]])
  })

  test('get_transaction_aggregate groups by days of the time zone in the Prefer header', async () => {
    const caller = stack.as(await stack.person())
    await caller.create('transactions', {
      name: 'x',
      amount: 1,
      transaction_date: '2025-01-31T23:30:00Z',
    })
    const day = async (prefer: string) =>
      (await caller.post('/rpc/get_transaction_aggregate', { p_group_by: 'day' }, { prefer }))
        .body[0].key
    expect(await day('timezone=UTC')).toBe('2025-01-31')
    expect(await day('timezone=Europe/Berlin')).toBe('2025-02-01')
    expect(await day('return=representation, timezone=+00:30')).toBe('2025-02-01')
    expect(await day('timezone=-00:30')).toBe('2025-01-31')
  })

  test.each([
    ['timezone=Nowhere', unknownZone],
    ['timezone=', unknownZone],
    ['return=minimal, timezone=europe/berlin', 'unknown time zone'],
    ['timezone=FOO3BAR', 'unknown time zone'],
    ['timezone=+2', 'unknown time zone'],
  ])(
    'get_transaction_aggregate refuses an unlisted time zone with 400 instead of using UTC: %s',
    async (prefer, message) => {
      for (const caller of [mine, stack.anonymous]) {
        const { status, body } = await caller.get('/transactions?limit=1', { prefer })
        expect({ status, body }).toMatchObject({
          status: 400,
          body: { code: '22023', message: expect.stringContaining(message) },
        })
        if (message !== unknownZone) expect(body.hint).toMatch(/Europe\/Berlin.*\+02:00/)
      }
    },
  )

  test.each([
    [{ p_group_by: 'name' }, 'Must be day, week, '],
    [{ p_group_by: null }, 'Must be day'],
    [{
      p_group_by: "day'); drop",
    }, 'Must be day'],
    [{
      p_aggregate_fn: 'median',
    }, 'Must be sum, avg'],
  ])(
    '%j is 400',
    async (body, allowed) => {
      expect(await aggregate(mine, body)).toMatchObject(
        refusal({ hint: expect.stringContaining(allowed) }),
      )
    },
  )
})

describe('get_transaction_distribution_by_category', () => {
  const distribution = (caller: Caller, params: unknown) =>
    caller.post('/rpc/get_transaction_distribution_by_category', { params })
  const of = (category: Entry['category'], entries: readonly Entry[] = counted) =>
    entries.filter((entry) => entry.category === category)

  test('get_transaction_distribution_by_category returns totals, counts and shares by category, without failed transactions', async () => {
    const january = counted.filter(({ on }) => on < '2025-02')
    const all = january.map(({ category }) => category).filter((category, n, list) =>
      list.indexOf(category) === n
    )
    const whole = all.reduce((total, category) => total + Math.abs(money(of(category, january))), 0)
    const { status, body } = await distribution(mine, {
      user_id: ada.id,
      organization_id: null,
      filters: { start_date: '2025-01-01', end_date: '2025-01-31' },
    })
    expect(status).toBe(200)
    expect(body).toEqual([null, 'Home', 'Food'].map((category) => {
      const entries = of(category as Entry['category'], january)
      return {
        category_id: category === null ? null : ids[`${category} 1`],
        name: category,
        currency: 'usd',
        total: money(entries),
        count: entries.length,
        share: Math.round(Math.abs(money(entries)) / whole * 10_000) / 10_000,
        pending: pendingOf(entries),
        left_out: 0,
      }
    }))
  })

  test('get_transaction_distribution_by_category returns one transaction type, all time, an organization, or no rows', async () => {
    const expenses = (await distribution(ours, { filters: { transaction_type: 'expense' } })).body
    expect(expenses.map(({ name, total }: { name: string, total: number }) => [name, total]))
      .toEqual([
        ['Home', 2 * money(of('Home'))],
        // less the refund
        ['Food', 2 * money(of('Food'))],
      ])
    expect((await distribution(mine, {})).body).toHaveLength(3)
    expect((await distribution(ours, { organization_id: null })).body).toEqual(
      (await distribution(mine, {})).body,
    )
    expect(await distribution(nobody, {})).toMatchObject({ status: 200, body: [] })
    expect(await distribution(mine, { filters: { preset: 'today' } })).toMatchObject({
      status: 200,
      body: [],
    })
  })

  test.each([
    [[]],
    ['x'],
    [{ colour: 1 }],
    [{ filters: 'x' }],
    [{ filters: { start_date: '2025-01-01' } }],
    [{ filters: { start_date: 'x', end_date: 'y' } }],
    [{ filters: { start_date: '2025-02-01', end_date: '2025-01-01' } }],
    [{ filters: { preset: 'next_year' } }],
    [{ filters: { preset: 'today', start_date: '2025-01-01' } }],
    [{ filters: { transaction_type: 'x' } }],
    [{ filters: { sql: 'x' } }],
  ])('get_transaction_distribution_by_category is 400 for %j', async (params) => {
    expect(await distribution(mine, params)).toMatchObject(refusal({}))
  })
})

describe('get_budget_comparison', () => {
  const budget = (caller: Caller, query: string) => caller.get(`/rpc/get_budget_comparison${query}`)
  const row = (name: string, budgeted: number, actual: number, pending = 0, factor = 1) => ({
    category_id: ids[`${name} ${factor}`],
    name,
    currency: 'usd',
    budget: budgeted,
    actual,
    difference: Math.round((budgeted - actual) * 100) / 100,
    pending,
    left_out: 0,
  })

  test('get_budget_comparison compares a month, and prorates a part of a month by days', async () => {
    expect(await budget(mine, '?start_date=2025-01-01&end_date=2025-01-31')).toMatchObject({
      status: 200,
      body: [row('Food', 310, 3.03, 2.02), row('Home', 900, 900.1), row('Unused', 62.5, 0)],
    })
    // 10 of the 31 days of January.
    expect((await budget(mine, '?start_date=2025-01-22&end_date=2025-01-31')).body).toEqual([
      row('Food', 100, 3.03, 2.02),
      row('Home', 290.32, 0),
      row('Unused', 20.16, 0),
    ])
    // The last day of January and half of February. A refund reduces the spent amount, and a failed
    // payment is not spent.
    expect((await budget(mine, '?start_date=2025-01-31&end_date=2025-02-14')).body).toEqual([
      row('Food', 165, 2.53, 2.02),
      row('Home', 479.03, 0),
      row('Unused', 33.27, 0),
    ])
    expect((await budget(ours, '?start_date=2025-01-01&end_date=2025-02-28')).body).toEqual([
      row('Food', 620, 5.06, 4.04, 2),
      row('Home', 1800, 3600.4, 0, 2),
      row('Unused', 125, 0, 0, 2),
    ])
  })

  test('get_budget_comparison accepts a preset, and defaults to this month', async () => {
    expect((await budget(mine, '')).body).toEqual((await budget(mine, '?preset=this_month')).body)
    expect((await budget(mine, '?preset=last_year')).status).toBe(200)
    expect(await budget(nobody, '')).toMatchObject({ status: 200, body: [] })
    expect((await budget(viewer, '')).body).toHaveLength(3)
    expect((await budget(stack.anonymous, '')).status).toBe(401)
  })

  test.each([
    '?start_date=2025-01-01',
    '?start_date=x&end_date=y',
    '?start_date=2025-02-30&end_date=2025-03-01',
    '?start_date=infinity&end_date=infinity',
    '?preset=all_time',
    '?preset=x',
    '?preset=custom',
    '?start_date=2025-02-01&end_date=2025-01-01',
  ])(
    '%s is 400',
    async (query) => {
      expect(await budget(mine, query)).toMatchObject(refusal({}))
    },
  )
})

describe('get_cash_flow', () => {
  const flow = (caller: Caller, query: string) => caller.get(`/rpc/get_cash_flow${query}`)

  test('get_cash_flow returns income, expenses and net, oldest first, with the current period last and zeros in the gaps', async () => {
    const now = new Date()
    const { status, body } = await flow(mine, '?grouping=monthly&periods=120')
    expect([status, body.length]).toEqual([200, 120])
    const zeros = { income: 0, expenses: 0, net: 0, is_planned: false, pending: 0, left_out: 0 }
    expect(body.at(-1)).toEqual({
      period: `${now.toISOString().slice(0, 7)}-01`,
      currency: 'usd',
      ...zeros,
    })
    const months: string[] = body.map((row: { period: string }) => row.period)
    expect(months).toEqual([...new Set(months)].toSorted((a, b) => a < b ? -1 : 1))
    for (const month of ['2025-01', '2025-02']) {
      const entries = counted.filter(({ on }) => on.startsWith(month))
      expect(body).toContainEqual({
        period: `${month}-01`,
        currency: 'usd',
        income: money(entries.filter(({ category }) => category === null)),
        // a refund lowers them
        expenses: -money(entries.filter(({ category }) => category !== null)),
        net: money(entries),
        is_planned: false,
        pending: pendingOf(entries),
        left_out: 0,
      })
    }
    expect(body.filter(({ net }: { net: number }) => net !== 0)).toHaveLength(2)
  })

  test('get_cash_flow groups by day, week, month, quarter and year, and defaults to twelve months', async () => {
    expect((await flow(mine, '')).body).toHaveLength(12)
    for (const grouping of ['daily', 'weekly', 'quarterly', 'yearly'])
      expect((await flow(ours, `?grouping=${grouping}&periods=3`)).body).toHaveLength(3)
    const { body } = await flow(ours, '?grouping=yearly&periods=30')
    expect(body.find(({ period }: { period: string }) => period === '2025-01-01').net).toBe(
      2 * money(counted),
    )
    const caller = stack.as(await stack.person())
    await caller.create('transactions', { name: 'now', amount: 5 })
    for (const grouping of ['daily', 'weekly', 'monthly', 'quarterly', 'yearly'])
      expect((await flow(caller, `?grouping=${grouping}&periods=1`)).body).toMatchObject([{
        income: 5,
        net: 5,
      }])
  })

  test('get_cash_flow returns one series of zeros without transactions, and a series for each currency', async () => {
    expect((await flow(nobody, '?periods=2')).body).toMatchObject([{ currency: 'usd', net: 0 }, {
      currency: 'usd',
      net: 0,
    }])
    const caller = stack.as(await stack.person())
    await caller.create('transactions', [{ name: 'x', amount: 1, currency: 'eur' }, {
      name: 'x',
      amount: 2,
      currency: 'chf',
    }])
    expect(
      (await flow(caller, '?periods=1')).body
        .map(({ currency, net }: { currency: string, net: number }) => [currency, net]),
    ).toEqual([['chf', 2], [
      'eur',
      1,
    ]])
    expect((await flow(caller, '?periods=1&p_currency=EUR')).body).toMatchObject([{
      currency: 'eur',
      net: 1,
    }])
  })

  test('get_cash_flow counts only the days of a range, in periods that may be incomplete', async () => {
    const range = async (query: string) =>
      (await flow(mine, query)).body.map((
        { period, net }: { period: string, net: number },
      ) => [period, net])
    const net = (from: string, to: string) =>
      money(counted.filter(({ on }) => on >= from && on <= to))
    expect(await range('?p_from=2025-01-03&p_to=2025-02-01')).toEqual([
      ['2025-01-01', net('2025-01-03', '2025-01-31')],
      ['2025-02-01', net('2025-02-01', '2025-02-01')],
    ])
    expect(await range('?periods=2&p_to=2025-02-27')).toEqual([[
      '2025-01-01',
      net('2025-01-01', '2025-01-31'),
    ], [
      '2025-02-01',
      net('2025-02-01', '2025-02-27'),
    ]])
    expect(await range('?grouping=yearly&p_to=2025-12-31&periods=1')).toEqual([[
      '2025-01-01',
      net('2025-01-01', '2025-12-31'),
    ]])
    expect((await range('?grouping=yearly&p_from=2025-01-03'))[0]).toEqual([
      '2025-01-01',
      net('2025-01-03', '2025-12-31'),
    ])
    expect(await range('?grouping=daily&p_from=2025-01-01&p_to=2025-04-30')).toHaveLength(120)
  })
  test.each([
    ['?p_from=2025-02-01&p_to=2025-01-31', 'p_from is after p_to'],
    ['?p_from=2199-01-01', 'p_from is after p_to'],
    ['?p_from=2025-01-01&periods=3', "periods can't be combined with p_from"],
    ['?p_to=2025-01-31&upcoming=1', "upcoming can't be combined with p_to"],
    ['?grouping=daily&p_from=2025-01-01&p_to=2025-05-01', 'the range has more than 120 periods'],
    ['?p_to=31.01.2025', "p_to is not a date: '31.01.2025'"],
  ])('get_cash_flow is 400 for the range %s: %s', async (query, message) => {
    expect(await flow(mine, query)).toMatchObject({ status: 400, body: { code: '22023', message } })
  })

  test.each(['?grouping=hourly', '?periods=0', '?periods=121', '?periods=-1'])(
    'get_cash_flow is 400 for %s',
    async (query) => {
      expect(await flow(mine, query)).toMatchObject(refusal({}))
    },
  )
  test('get_cash_flow is 400 if periods is not a number', async () => {
    expect(await flow(mine, '?periods=many')).toMatchObject({
      status: 400,
      body: { code: '22P02' },
    })
  })
})

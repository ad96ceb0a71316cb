/**
 * Reports agree on what counts: every report shows the same money of Ada's books. The expected
 * numbers are computed by hand.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'
import {
  aggregateOf,
  distributionOf,
  everything,
  lastYear,
  statOf,
  storeBooks,
  sum,
  table,
  where,
  within,
} from './report-books.ts'

let stack: DataStack
let ada: Caller
let ids: Record<string, string>
beforeAll(async () => {
  stack = await dataStack()
  ada = stack.as(await stack.person('ada'))
  ids = await storeBooks(ada)
})
afterAll(() => stack.stop())

const stat = (body: Record<string, unknown>, prefer?: string) => statOf(ada, body, prefer)
const aggregate = (body: Record<string, unknown>, prefer?: string) => aggregateOf(ada, body, prefer)
const distribution = (params: Record<string, unknown>, prefer?: string) =>
  distributionOf(ada, params, prefer)

test('a status failed counts nowhere, unless a filter or a group is on the status', async () => {
  expect(await stat({ p_aggregate_fn: 'count' })).toBe(6)
  expect(await stat({ p_filters: [where('status', 'failed')] })).toBe(-7.77)
  expect(table(await aggregate({ p_filters: [where('status', 'failed')], p_group_by: 'category' })))
    .toEqual([['Fun', 'eur', -7.77, 1]])
  expect(table(await aggregate({ p_group_by: 'status' }))).toEqual([
    ['failed', 'eur', -7.77, 1],
    ['paid', 'eur', 2920, 3],
    ['paid', 'usd', -80.55, 2],
    ['pending', 'eur', -900, 1],
  ])
})

test('a transfer is in every list, and only in reports by account', async () => {
  const { body } = await ada.post('/rpc/get_filtered_transactions', {
    filters: [where('name', 'Transfer')],
  })
  expect(
    body.map(({ amount, currency }: { amount: number, currency: string }) =>
      `${amount} ${currency}`
    ).toSorted(),
  )
    .toEqual(['-500 eur', '-500 eur', '500 eur', '550 usd'])
  expect(await stat({ p_filters: [where('name', 'Transfer')], p_aggregate_fn: 'count' })).toBe(0)
  expect(table(await distribution({ filters: { account_id: ids['Savings'] } }))).toEqual([[
    null,
    'eur',
    500,
    1,
  ]])
})

describe('every report over the same days is the same money', () => {
  type ReportRequest = {
    range?: typeof everything
    account?: string
    convert?: string
    currency?: string
    zone?: string
  }
  /** The total of each report. */
  async function totals(
    { range = everything, account, convert, currency, zone = 'UTC' }: ReportRequest,
  ) {
    const prefer = `timezone=${zone}`
    const p_filters = [
      within(range),
      ...(account === undefined ? [] : [where('account_id', account)]),
      ...(currency === undefined ? [] : [where('currency', currency)]),
    ]
    const args = { p_filters, ...(convert === undefined ? {} : { p_convert_to: convert }) }
    const groups = ['day', 'week', 'month', 'quarter', 'year', 'category', 'status', 'currency']
    const sums = await Promise.all(groups.map(async (p_group_by) => {
      const counted = (await aggregate({ ...args, p_group_by }, prefer)).filter(({ key }) =>
        key !== 'failed'
      )
      return sum(counted.map(({ value = Number.NaN }) => value))
    }))
    const parts = await distribution({
      filters: { ...range, account_id: account ?? null, currency: currency ?? null },
      ...(convert === undefined ? {} : { p_convert_to: convert }),
    }, prefer)
    const [income, expense] = [
      await stat({ ...args, p_transaction_type: 'income' }, prefer),
      await stat({ ...args, p_transaction_type: 'expense' }, prefer),
    ]
    return {
      stat: await stat(args, prefer),
      sums,
      parts: sum(parts.map(({ total = Number.NaN }) => total)),
      types: sum([income, expense]),
      income,
      expense,
    }
  }
  /** The cash flow of whole years until now. */
  async function flow(query: string) {
    const { body } = await ada.get(
      `/rpc/get_cash_flow?grouping=yearly&periods=${lastYear - 2024}${query}`,
    )
    return {
      net: sum(body.map(({ net }: { net: number }) => net)),
      income: sum(body.map(({ income }: { income: number }) => income)),
      expenses: sum(body.map(({ expenses }: { expenses: number }) => expenses)),
      currencies: [...new Set(body.map(({ currency }: { currency: string }) => currency))],
    }
  }

  test.each<[string, number, ReportRequest, string]>([
    ['in euros', 2020, { currency: 'eur' }, '&p_currency=eur'],
    ['in dollars', -80.55, { currency: 'usd' }, '&p_currency=usd'],
    // 3300 - 110 + 22.22 - 1000 - 80.5 - 0.05
    ['converted to dollars', 2131.67, { convert: 'usd' }, '&p_convert_to=usd'],
    // Less 72.45, and 0.05, which is 0.0476 at the rate of the last day of February.
    ['converted to euros', 1947.5, { convert: 'EUR' }, '&p_convert_to=EUR'],
    [
      'the euros alone, converted',
      2212.22,
      { convert: 'usd', currency: 'eur' },
      '&p_convert_to=usd&p_currency=eur',
    ],
  ])('%s is %d', async (_, amount, options, query) => {
    const all = await totals(options)
    expect(all).toMatchObject({
      stat: amount,
      sums: Array(8).fill(amount),
      parts: amount,
      types: amount,
    })
    expect(await flow(query)).toEqual({
      net: amount,
      income: all.income,
      expenses: 0 - all.expense,
      currencies: [(options.convert ?? options.currency ?? '').toLowerCase()],
    })
  })

  test('every report over the same days is the same money of one account', async () => {
    for (const [name, amount] of [['Main', 1020], ['Dollars', 469.45], ['Savings', 500]] as const) {
      const account = ids[name] ?? ''
      expect(await totals({ account })).toMatchObject({
        stat: amount,
        sums: Array(8).fill(amount),
        parts: amount,
        types: amount,
      })
      expect((await flow(`&p_account_id=${account}`)).net).toBe(amount)
    }
  })

  test('every report over the same days is the same money of days in a time zone', async () => {
    const february = { start_date: '2025-02-01', end_date: '2025-02-28' }
    for (
      const [zone, amount] of [['UTC', -1080.55], ['Europe/Berlin', -1080.5], [
        'America/New_York',
        -1080.55,
      ]] as const
    )
      expect(await totals({ zone, range: february, convert: 'usd' })).toMatchObject({
        stat: amount,
        sums: Array(8).fill(amount),
        parts: amount,
      })
  })

  test('every report over the same days is the same money also in the comparison with a budget', async () => {
    await ada.patch(`/categories?id=eq.${ids['Home']}`, { monthly_budget: 1000 })
    const { body } = await ada.get(
      '/rpc/get_budget_comparison?start_date=2025-01-01&end_date=2025-02-28&p_currency=eur',
    )
    expect(body).toContainEqual(
      expect.objectContaining({ name: 'Home', currency: 'eur', actual: 905 }),
    )
  })
})

test('a converted report rounds the parts and assigns the difference to the rest, so that no cent is lost', async () => {
  expect(table(await distribution({ p_convert_to: 'usd' }))).toEqual([
    [null, 'usd', 3299.95, 2],
    // 27.50, and 1000 less 22.22.
    ['Home', 'usd', -1005.28, 3],
    // 11.011 of the supermarket is 11.01.
    ['Fun', 'usd', -91.51, 2],
    ['Food', 'usd', -71.49, 1],
  ])
})

test('a converted report grouped by currency keeps the names of the original currencies, with converted amounts', async () => {
  const groups = await aggregate({ p_group_by: 'currency', p_convert_to: 'usd' })
  expect(table(groups)).toEqual([['eur', 'usd', 2212.22, 4], ['usd', 'usd', -80.55, 2]])
})

describe('an operator who acts as Ada', () => {
  const converted = `p_convert_to => 'usd'`
  test.each([
    [
      'cash_flow_statement',
      `periods => 120, ${converted}`,
      `get_cash_flow(periods => 120, ${converted})`,
    ],
    [
      'transaction_aggregate_statement',
      `p_group_by => 'category', ${converted}`,
      `get_transaction_aggregate(p_group_by => 'category', ${converted})`,
    ],
    [
      'distribution_statement',
      `'{}', ${converted}`,
      `get_transaction_distribution_by_category('{}'::jsonb, ${converted})`,
    ],
    ['budget_comparison_statement', converted, `get_budget_comparison(${converted})`],
  ])(
    'an operator who acts as Ada prints the statement of a report by %s(), explains it, and gets the rows that the report returns',
    async (statement, given, report) => {
      const { rows: [{ id }] } = await stack.owner.query(
        `select user_id as id from api.accounts limit 1`,
      )
      await stack.owner.query('begin')
      await stack.owner.query(
        `select set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), true) from pg_roles, unnest(rolconfig) setting where rolname = 'authenticated'`,
      )
      await stack.owner.query(`select set_config('request.jwt.claims', $1, true)`, [
        JSON.stringify({ user_id: id, claims: {} }),
      ])
      await stack.owner.query('set local role authenticated')
      await stack.owner.query('set local enable_sort = off; set local enable_nestloop = off')
      const { rows: [{ text }] } = await stack.owner.query(
        `select private.${statement}(${given}) as text`,
      )
      const { rows: plan } = await stack.owner.query(`explain (analyze) ${text}`)
      expect(JSON.stringify(plan)).toContain('transactions')
      const { rows } = await stack.owner.query({ text, rowMode: 'array' })
      const { rows: answered } = await stack.owner.query({
        text: `select * from api.${report}`,
        rowMode: 'array',
      })
      await stack.owner.query('rollback')
      expect(rows.length).toBeGreaterThan(0)
      expect(rows).toEqual(answered)
    },
  )
})

test('a report by payee has one group for the normal forms of a name', async () => {
  const caller = stack.as(await stack.person())
  await caller.create(
    'transactions',
    ['Caf\u00e9', 'Cafe\u0301'].map((name) => ({ name, amount: -2, currency: 'eur' })),
  )
  expect((await caller.post('/rpc/get_transaction_aggregate', { p_group_by: 'payee' })).body)
    .toMatchObject([{ key: 'Caf\u00e9', value: -4, count: 2 }])
})

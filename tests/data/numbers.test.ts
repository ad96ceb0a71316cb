/**
 * Numbers in requests: their form, and their size. A JSON number can print ten thousand times as
 * long as it was sent. An attacker sends many of them wherever JSON is accepted. Each request is
 * refused before a number is printed, so PostgreSQL uses no more memory than for another request.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
let mine: Caller
beforeAll(async () => {
  stack = await dataStack()
  mine = stack.as(await stack.person())
})
afterAll(() => stack.stop())

const huge = `[${Array(1_500).fill('1e131000').join()}]`
const tiny = `[${Array(1_500).fill('0e-16380').join()}]`
const layout = (more: string) =>
  `{"widgets":[{"id":"a","type":"b","position":{"x":0,"y":0},"size":{"w":1,"h":1},"config":${more}}]}`
const deep = `${'['.repeat(2_000)}${huge}${']'.repeat(2_000)}`

/**
 * The peak memory of PostgREST's sessions, in MB. About 50 of them are shared memory of the server.
 */
async function mostMemory(): Promise<number> {
  const { rows } = await stack.owner.query<{ status: string }>(
    // null for a session that has ended since
    `select pg_read_file(format('/proc/%s/status', pid), 0, 10000, true) as status
     from pg_stat_activity where usename = 'authenticator' and datname = current_database()`,
  )
  return Math.max(
    ...rows.filter(({ status }) => status !== null).map(({ status }) =>
      Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024
    ),
  )
}

const bodies: [where: string, path: string, body: string, says: RegExp][] = [
  [
    'amounts',
    '/transactions',
    `[${Array(1_500).fill('{"name":"x","amount":1e131000}').join()}]`,
    /^numeric field overflow$/,
  ],
  [
    'amounts of many places',
    '/transactions',
    `[${
      Array(1_500).fill('{"name":"x","currency":"kwd","amount":0.001e-16000}').join()
    },{"name":"","currency":"kwd","amount":1}]`,
    /"transactions_name_length"/,
  ],
  [
    'metadata of a transaction',
    '/transactions',
    `{"name":"x","amount":1,"metadata":${huge}}`,
    /"transactions_metadata_numbers"/,
  ],
  [
    'metadata of a transaction, as zeros of many places',
    '/transactions',
    `{"name":"x","amount":1,"metadata":${tiny}}`,
    /"transactions_metadata_numbers"/,
  ],
  [
    'metadata of an account',
    '/accounts',
    `{"name":"x","type":"cash","metadata":${huge}}`,
    /"accounts_metadata_numbers"/,
  ],
  [
    'the layout of a dashboard',
    '/dashboards',
    `{"name":"x","layout":${layout(huge)}}`,
    /"dashboards_layout_numbers"/,
  ],
  [
    'a layout without a form',
    '/dashboards',
    `{"name":"x","layout":${huge}}`,
    /"dashboards_layout_(form|numbers)"/,
  ],
  [
    'the name of a widget',
    '/dashboards',
    `{"name":"x","layout":{"widgets":[{"id":${huge},"type":${huge}}]}}`,
    /"dashboards_layout_(form|numbers)"/,
  ],
  [
    'the filters of a dashboard',
    '/dashboards',
    `{"name":"x","layout":${layout('1')},"filters":${huge}}`,
    /"dashboards_filters_numbers"/,
  ],
  [
    'the dates of a dashboard',
    '/dashboards',
    `{"name":"x","layout":${layout('1')},"date_range":{"preset":${huge}}}`,
    /"dashboards_date_range_form"/,
  ],
  ...['get_transaction_stat', 'get_transaction_aggregate']
    .flatMap((name): [string, string, string, RegExp][] => [
      [
        `a value of ${name}`,
        `/rpc/${name}`,
        `{"p_filters":[{"field":"amount","operation":"in","value":${huge}}]}`,
        /^a number in filters/,
      ],
      [
        `a field of ${name}`,
        `/rpc/${name}`,
        `{"p_filters":[{"field":${huge},"operation":${huge},"value":1}]}`,
        /^a number in filters/,
      ],
    ]),
  [
    'a value of get_filtered_transactions',
    '/rpc/get_filtered_transactions',
    `{"filters":[{"field":"name","operation":"eq","value":${deep}}]}`,
    /^a number in filters/,
  ],
  [
    'a date of get_transaction_distribution_by_category',
    '/rpc/get_transaction_distribution_by_category',
    `{"params":{"filters":{"start_date":${huge}}}}`,
    /^a number in params/,
  ],
  [
    'somebody of get_transaction_distribution_by_category',
    '/rpc/get_transaction_distribution_by_category',
    `{"params":{"user_id":${huge}}}`,
    /^a number in params/,
  ],
]

test.each(bodies)(
  'an attacker who sends numbers that print very long in %s is refused, and the request uses little memory',
  async (_, path, body, says) => {
    expect(await mine.post(path, body)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(says) },
    })
    expect(await mostMemory()).toBeLessThan(100)
  },
)

test('an update of a row is checked in the same way', async () => {
  const { id } = await mine.create('transactions', {
    name: 'Rent',
    amount: -1,
    metadata: { rate: 1.25 },
  })
  expect(await mine.patch(`/transactions?id=eq.${id}`, `{"metadata":${huge}}`)).toMatchObject({
    status: 400,
    body: { code: '23514' },
  })
  expect(await mostMemory()).toBeLessThan(100)
})

test('a number is plain if it is below 1e30 and has at most 50 decimal places, at any depth', async () => {
  const digits = fc.integer({ min: -999, max: 999 })
  const exponent = fc.oneof(fc.integer({ min: -60, max: 40 }), fc.constantFrom(-16_000, 131_000))
  /** A number as text, and whether it is plain. */
  const number = fc.tuple(digits, exponent).map(([whole, power]) => ({
    json: `${whole}e${power}`,
    plain: -power <= 50 && (whole === 0 || String(Math.abs(whole)).length + power <= 30),
  }))
  const leaf = fc.oneof(
    number,
    fc.constantFrom({ json: '"1e131000"', plain: true }, { json: 'null', plain: true }, {
      json: 'true',
      plain: true,
    }),
  )
  const { any } = fc.letrec<{ any: { json: string, plain: boolean } }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('any'), { maxLength: 4 }).map((all) => ({
        json: `[${all.map(({ json }) => json).join()}]`,
        plain: all.every(({ plain }) => plain),
      })),
      fc.array(tie('any'), { maxLength: 4 }).map((all) => ({
        json: `{${all.map(({ json }, at) => `"${at}":${json}`).join()}}`,
        plain: all.every(({ plain }) => plain),
      })),
    ),
  }))
  await fc.assert(
    fc.asyncProperty(fc.array(any, { minLength: 1, maxLength: 50 }), async (some) => {
      const { rows } = await stack.owner.query<{ plain: boolean }>(
        'select private.plain_numbers(json::jsonb) as plain from unnest($1::text[]) with ordinality as t (json, at) order by at',
        [some.map(({ json }) => json)],
      )
      expect(rows.map(({ plain }) => plain)).toEqual(some.map(({ plain }) => plain))
    }),
    { numRuns: 40 },
  )
})

describe('an amount in a form that only newer versions of PostgreSQL read is 400 on every version', () => {
  let account: string
  let transaction: string
  let category: string
  beforeAll(async () => {
    mine = stack.as(await stack.person())
    account = (await mine.create('accounts', { name: 'Checking', type: 'checking' })).id
    category = (await mine.create('categories', { name: 'Home' })).id
    transaction =
      (await mine.create('transactions', { name: 'Rent', amount: -900, account_id: account })).id
  })

  /** Forms that PostgreSQL 16 and later read as numbers, and forms that no version reads. */
  const malformed = [
    '0x10',
    '0X1F',
    '0o17',
    '0b1',
    '1_000',
    '1_000.5',
    '-0x1',
    '1,000.00',
    '12,50',
    '1 000',
    '',
    ' ',
    '.',
    'e5',
    '12€',
    '１２',
    true,
    {},
    [1],
  ]

  const refusal = {
    status: 400,
    body: {
      code: '22P02',
      hint: 'Use a decimal point and no thousands separator, such as 1234.50.',
    },
  }

  const columns = (): [table: string, row: Record<string, unknown>, column: string][] => [
    ['transactions', { name: 'x' }, 'amount'],
    ['subscriptions', { title: 'x', period: 'monthly' }, 'amount'],
    ['accounts', { name: 'x', type: 'cash' }, 'balance'],
    ['balances', { account_id: account, on_date: '2025-01-31' }, 'balance'],
    ['budgets', { category_id: category, month: null }, 'amount'],
    ['categories', { name: 'x' }, 'monthly_budget'],
    ['line_items', { transaction_id: transaction, name: 'x' }, 'amount'],
    ['line_items', { transaction_id: transaction, name: 'x', amount: -1 }, 'quantity'],
    ['exchange_rates', { on_date: '2025-01-31', base: 'eur', quote: 'usd' }, 'rate'],
  ]

  test('a row with an amount in another form is refused in every table, also in a batch and in a change', async () => {
    for (const [table, row, column] of columns()) {
      for (const amount of malformed)
        expect([table, amount, await mine.post(`/${table}`, { ...row, [column]: amount })])
          .toMatchObject([table, amount, refusal])
      expect(await mine.post(`/${table}`, [{ ...row, [column]: 1 }, { ...row, [column]: '1_0' }]))
        .toMatchObject(refusal)
    }
    expect(await mine.patch(`/transactions?id=eq.${transaction}`, { amount: '0x10' }))
      .toMatchObject(refusal)
  })

  test('a row of a CSV file with an amount in another form is refused, and one with blanks around it is read', async () => {
    const send = (amount: string) =>
      mine.post('/transactions?select=amount', `name,amount\nx,${amount}\n`, {
        'content-type': 'text/csv',
        prefer: 'return=representation',
      })
    for (const amount of ['0x10', '1_000', '']) expect(await send(amount)).toMatchObject(refusal)
    expect((await send(' -12.50 ')).body).toEqual([{ amount: -12.5 }])
  })

  test.each([[12.5, 12.5], ['12.50', 12.5], [' 7 ', 7], ['+3.', 3], ['.5', 0.5], ['1e3', 1000], [
    '-1.5E-1',
    -0.15,
  ], ['007', 7]])(
    'the amount %j is stored as %d',
    async (sent, stored) => {
      expect(await mine.create('transactions', { name: 'x', amount: sent })).toMatchObject({
        amount: stored,
      })
    },
  )

  test('the arguments of functions are read in the same way', async () => {
    const other = (await mine.create('accounts', { name: 'Savings', type: 'savings' })).id
    const moved = { from_account_id: account, to_account_id: other }
    for (const amount of malformed) {
      expect(await mine.post('/rpc/create_transfer', { ...moved, amount })).toMatchObject(refusal)
      expect(await mine.post('/rpc/create_transfer', { ...moved, amount: 1, to_amount: amount }))
        .toMatchObject(refusal)
      expect(await mine.post('/rpc/set_balance', { p_account_id: account, p_balance: amount }))
        .toMatchObject(refusal)
      const file = {
        p_rows: [],
        p_account_id: account,
        p_balance: amount,
        p_balance_on: '2025-01-31',
      }
      expect(await mine.post('/rpc/import_transactions', file)).toMatchObject(refusal)
    }
    expect(await mine.post('/rpc/import_transactions', { p_rows: [{ name: 'x', amount: '0x10' }] }))
      .toMatchObject({
        status: 200,
        body: [{
          verdict: 'invalid',
          reason: 'amount "0x10" is not a number; use a format such as 12.50',
        }],
      })
    expect(
      (await mine.post('/rpc/set_balance', { p_account_id: account, p_balance: '12.50' })).status,
    ).toBe(200)
  })

  test('filters of amounts find their rows, also with a list of values', async () => {
    for (
      const filter of [
        'amount=eq.-900',
        'amount=in.(-900,5)',
        'amount=eq(any).{-900,5}',
        'or=(amount.eq.-9e2,name.eq.none)',
        'amount=lt.-899.99',
        'amount=not.gt.-900',
      ]
    )
      expect([filter, (await mine.get(`/transactions?select=name&${filter}`)).body]).toEqual([
        filter,
        [{ name: 'Rent' }],
      ])
  })
})

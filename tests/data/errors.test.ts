/**
 * A refused value comes with a hint about the accepted values. Code and message stay PostgreSQL's,
 * because clients find the field by them.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { visibleCharacter } from '../../http/fields.ts'
import { financeError } from '../../client/errors.ts'
import { readExposed, type Exposed } from '../../http/openapi/catalogue.ts'
import { dataStack, type Answer, type Caller, type DataStack } from '../support/data.ts'
import { samples } from '../support/tables.ts'

let data: DataStack
let exposed: Exposed
let ann: Caller
beforeAll(async () => {
  data = await dataStack()
  exposed = await readExposed(data.owner)
  ann = data.as(await data.person('ann'))
})
afterAll(() => data.stop())

const error = ({ status, body }: Answer) => financeError(body, status)

test.each([
  [
    'transactions',
    { status: 'payed' },
    'transactions_status_known',
    'status',
    'status: paid, pending or failed.',
  ],
  [
    'transactions',
    { name: '' },
    'transactions_name_length',
    'name',
    'name: Title, 1 to 255 characters, not only blanks.',
  ],
  [
    'transactions',
    { transaction_date: '1899-12-31' },
    'transactions_date_in_range',
    'transaction_date',
    'a date or date-time between 1900 and 2199',
  ],
  [
    'transactions',
    { amount: 'NaN' },
    'transactions_amount_is_number',
    'amount',
    'amount: Amount, negative for an expense.',
  ],
  [
    'transactions',
    { metadata: [[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]] },
    'transactions_metadata_depth',
    'metadata',
    'up to 16 KiB and 16 levels',
  ],
  [
    'subscriptions',
    { period: 'hourly' },
    'subscriptions_period_known',
    'period',
    'period: monthly, yearly, quarterly, semi-annually, weekly or daily.',
  ],
  [
    'subscriptions',
    { interval_in_days: 0 },
    'subscriptions_interval_in_days_in_range',
    'interval_in_days',
    '1 to 3660',
  ],
  [
    'accounts',
    { type: 'crypto' },
    'accounts_type_known',
    'type',
    'type: checking, savings, credit_card, cash, investment, loan or asset.',
  ],
  [
    'accounts',
    { color: 'red' },
    'accounts_color_is_hex',
    'color',
    'color: Hex code: #rgb, #rrggbb or #rrggbbaa.',
  ],
  [
    'dashboards',
    { visibility: 'secret' },
    'dashboards_visibility_known',
    'visibility',
    'visibility: private: hidden from viewers. shared, public:',
  ],
  ['dashboards', { layout: {} }, 'dashboards_layout_form', 'layout', 'Object with widgets'],
  [
    'categories',
    { monthly_budget: -1 },
    'categories_monthly_budget_is_amount',
    'monthly_budget',
    '0 or more',
  ],
])(
  'a value that a column does not accept in %s, %o, is refused by %s, and the hint says what is accepted',
  async (table, wrong, constraint, field, hint) => {
    const row = await samples[table]?.row(ann, {})
    const refused = error(await ann.post(`/${table}`, { ...row, ...wrong }))
    expect(refused).toMatchObject({
      status: 400,
      code: '23514',
      message: `new row for relation "${table}" violates check constraint "${constraint}"`,
      details: null,
      fields: [field],
      hint: expect.stringContaining(hint) as string,
    })
    const stored = await ann.create(table, row)
    const unchanged = error(await ann.patch(`/${table}?${samples[table]?.where(stored)}`, wrong))
    expect(unchanged).toMatchObject({ code: '23514', message: refused.message, hint: refused.hint })
  },
)

const named = [
  ['accounts', 'name'],
  ['categories', 'name'],
  ['dashboards', 'name'],
  ['line_items', 'name'],
  ['rules', 'name'],
  ['rules', 'set_name'],
  ['subscriptions', 'title'],
  ['tags', 'name'],
  ['transactions', 'name'],
] as const

test.each(named)(
  'a user cannot give a row of %s a blank %s, and a row that had one before can still change',
  async (table, column) => {
    const row = await samples[table]?.row(ann, {})
    const rule = expect.stringContaining(`"${table}_${column}_length"`) as string
    for (
      const blank of ['   ', '\u200b', '\u3164\u00a0', '\u2800', '\u00ad\ufe0f\u{e0020}', '\t\n']
    ) {
      expect((await ann.post(`/${table}`, { ...row, [column]: blank })).body, JSON.stringify(blank))
        .toMatchObject({ code: '23514', message: rule })
    }
    const stored = await ann.create(table, {
      ...row,
      [column]: '\u00a0Z\u00fcrich \ud83d\udc69\u200d\ud83d\ude80',
    })
    const where = samples[table]?.where(stored) ?? ''
    expect((await ann.patch(`/${table}?${where}`, { [column]: ' ' })).body).toMatchObject({
      code: '23514',
      message: rule,
    })
    await data.owner.query(`update api.${table} set ${column} = '  ' where id = $1`, [stored['id']])
    expect((await ann.patch(`/${table}?${where}`, { [column]: '  ' })).status).toBe(204)
  },
)

test('the characters that both surfaces take for visible are the same', async () => {
  const { rows } = await data.owner.query<{ code: number }>(
    'select code from generate_series(1, 1114111) code where code not between 55296 and 57343 and private.is_blank(chr(code))',
  )
  const blank = Array.from({ length: 1_114_111 }, (_, at) => at + 1)
    .filter((code) =>
      (code < 0xd800 || code > 0xdfff) && !visibleCharacter.test(String.fromCodePoint(code))
    )
  expect(rows.map(({ code }) => code)).toEqual(blank)
})

test('a value that a column does not accept that is missing is named as before, with a hint about the column', async () => {
  expect(error(await ann.post('/transactions', { name: 'Coffee' }))).toMatchObject({
    status: 400,
    code: '23502',
    message:
      'null value in column "amount" of relation "transactions" violates not-null constraint',
    details: null,
    fields: ['amount'],
    hint: expect.stringContaining('amount: Amount, negative for an expense.') as string,
  })
})

test("a value that a column does not accept is named in PostgreSQL's order if there are several: a missing one first, then the first constraint", async () => {
  expect(error(await ann.post('/transactions', { name: '', status: 'payed' }))).toMatchObject({
    code: '23502',
  })
  expect(error(await ann.post('/transactions', { name: '', status: 'payed', amount: 1 })))
    .toMatchObject({
      message: expect.stringContaining('transactions_name_length') as string,
    })
})

test('a value that a column does not accept gives a viewer, who cannot write at all, the permission error instead of the hint', async () => {
  const viewer = await data.person('vera')
  const team = await data.organization({ viewer })
  for (const wrong of [{ status: 'payed' }, { amount: null }, { currency: 'xyz' }]) {
    expect(
      error(
        await data.as(viewer, team).post('/transactions', { name: 'Coffee', amount: 1, ...wrong }),
      ),
    ).toMatchObject({
      status: 403,
      code: '42501',
      message: 'permission denied for table transactions',
    })
  }
})

test('a value that a column does not accept in one row of a bulk insert makes all of its rows refused', async () => {
  const rows = [{ name: 'Kept', amount: 1, status: 'paid' }, {
    name: 'Wrong',
    amount: 1,
    status: 'payed',
  }]
  expect(error(await ann.post('/transactions', rows)).hint).toBe('status: paid, pending or failed.')
  expect((await ann.get('/transactions?name=eq.Kept')).body).toEqual([])
})

describe('a date that cannot be parsed', () => {
  const day = 'Use YYYY-MM-DD, such as 2025-01-31.'
  const moment =
    'Use YYYY-MM-DD, such as 2025-01-31, or YYYY-MM-DDTHH:MM:SSZ, such as 2025-01-31T18:30:00Z.'
  const coffee = { name: 'Coffee', amount: 1 }

  test.each([
    ['transactions', 'transaction_date', moment],
    ['subscriptions', 'starts_on', day],
    ['subscriptions', 'ends_on', day],
    ['budgets', 'month', day],
    ['exchange_rates', 'on_date', day],
  ])(
    "a date that cannot be parsed in %s.%s is refused with PostgreSQL's message and a hint about the format, in each way to send it",
    async (table, column, hint) => {
      const row = await samples[table]?.row(ann, {})
      const stored = await ann.create(table, row)
      for (
        const [wrong, code, message] of [['soon', '22007', 'invalid input syntax for type'], [
          '2025-02-30',
          '22008',
          'out of range: "2025-02-30"',
        ]] as const
      ) {
        const refused = {
          status: 400,
          code,
          message: expect.stringContaining(message) as string,
          details: null,
          hint,
        }
        expect(error(await ann.post(`/${table}`, { ...row, [column]: wrong }))).toMatchObject(
          refused,
        )
        expect(
          error(
            await ann.post(`/${table}?columns=${column}`, [{ [column]: wrong }], {
              prefer: 'missing=default',
            }),
          ),
        ).toMatchObject(refused)
        expect(
          error(
            await ann.post(`/${table}`, `${column}\n${wrong}\n`, { 'content-type': 'text/csv' }),
          ),
        ).toMatchObject(refused)
        expect(
          error(
            await ann.post(`/${table}`, { ...stored, [column]: wrong }, {
              prefer: 'resolution=merge-duplicates',
            }),
          ),
        ).toMatchObject(refused)
        expect(
          error(await ann.patch(`/${table}?${samples[table]?.where(stored)}`, { [column]: wrong })),
        ).toMatchObject(refused)
      }
    },
  )

  test.each([[''], [5], [true], [{}], [[]], ['2025-01-31 10:00 Mars/Base']])(
    'a date that cannot be parsed may be %j',
    async (transaction_date) => {
      expect(error(await ann.post('/transactions', { ...coffee, transaction_date }))).toMatchObject(
        { status: 400, hint: moment },
      )
    },
  )

  test('a date that cannot be parsed in one of five thousand rows makes all of them refused', async () => {
    const rows = Array.from(
      { length: 5_000 },
      (_, i) => ({
        name: 'Bulk',
        amount: 1,
        transaction_date: i === 4_321 ? '2025-02-29' : '2025-02-28',
      }),
    )
    expect(error(await ann.post('/transactions', rows))).toMatchObject({
      code: '22008',
      hint: moment,
    })
    expect((await ann.get('/transactions?name=eq.Bulk')).body).toEqual([])
  })

  test('a date that cannot be parsed is not reported for a date with JSON escapes, nor for an omitted one', async () => {
    const stored = async (path: string, body: unknown) =>
      (await ann.post(path, body, { prefer: 'return=representation, missing=default' })).body
    expect(
      await stored(
        '/transactions?select=transaction_date',
        String.raw`{"name":"Coffee","amount":1,"transaction_date":"2025\u002d01\u002d31"}`,
      ),
    )
      .toEqual([{ transaction_date: '2025-01-31T00:00:00+00:00' }])
    // The default is the current time and not null, also in a list of which one row omits the date.
    expect(
      await stored('/transactions?select=transaction_date&columns=name,amount,transaction_date', [
        coffee,
        { ...coffee, transaction_date: '2025-01-31' },
      ]),
    )
      .toEqual([{ transaction_date: expect.stringMatching(/T.*[1-9]/) }, {
        transaction_date: '2025-01-31T00:00:00+00:00',
      }])
    const { starts_on: _, ...rent } = {
      starts_on: null,
      ...await samples['subscriptions']?.row(ann, {}),
    }
    expect(
      await stored(
        `/subscriptions?select=starts_on,ends_on&columns=${
          Object.keys(rent).join()
        },starts_on,ends_on`,
        [rent],
      ),
    )
      .toEqual([{ starts_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), ends_on: null }])
  })
})

test('an id that a reference does not accept gives another error than a missing reference', async () => {
  for (
    const [table, hint] of [['line_items', 'transaction_id: Id of its transaction.'], [
      'transaction_tags',
      'transaction_id: Id of the transaction.',
    ]] as const
  ) {
    const { transaction_id: _, ...row } = await samples[table]?.row(ann, {}) ?? {}
    expect(error(await ann.post(`/${table}`, row))).toMatchObject({
      status: 400,
      code: '23502',
      hint,
    })
  }
})

test("an id that a reference does not accept gives the same error if it is missing and if it is another user's, with a hint about the referenced table", async () => {
  const bob = data.as(await data.person('bob'))
  const hidden: Record<string, { id: string }> = {
    categories: await bob.create('categories', { name: 'Bob' }),
    tags: await bob.create('tags', { name: 'bob' }),
    transactions: await bob.create('transactions', { name: 'Bob', amount: 1 }),
  }
  const references: [string, string, string, string][] = [
    [
      'transactions',
      'category_id',
      'categories',
      'category_id: Id of a category in the same workspace.',
    ],
    [
      'subscriptions',
      'category_id',
      'categories',
      'category_id: Id of a category in the same workspace.',
    ],
    [
      'budgets',
      'category_id',
      'categories',
      'category_id: Id of a category in the same workspace.',
    ],
    [
      'line_items',
      'category_id',
      'categories',
      "category_id: Id of a category in the transaction's workspace.",
    ],
    ['line_items', 'transaction_id', 'transactions', 'transaction_id: Id of its transaction.'],
    [
      'transaction_tags',
      'transaction_id',
      'transactions',
      'transaction_id: Id of the transaction.',
    ],
    ['transaction_tags', 'tag_id', 'tags', "tag_id: Id of a tag in the transaction's workspace."],
  ]
  for (const [table, column, referenced, hint] of references) {
    const row = await samples[table]?.row(ann, {})
    const of = async (id: string | undefined) =>
      await ann.post(`/${table}`, { ...row, [column]: id })
    const unknown = await of(randomUUID())
    expect(error(unknown)).toMatchObject({ status: 409, code: '23503', fields: [column], hint })
    expect((await of(hidden[referenced]?.id)).text).toBe(unknown.text)
  }
})

describe('an argument that a function does not accept', () => {
  const filter = (field: string, value: unknown, operation = 'eq') => ({
    p_filters: [{ field, operation, value }],
  })
  test.each([
    ['get_transaction_stat', { p_aggregate_fn: 'max' }, 'Must be sum, avg or count.'],
    [
      'get_transaction_stat',
      { p_transaction_type: 'costs' },
      'Must be balance, income or expense.',
    ],
    [
      'get_transaction_aggregate',
      { p_group_by: 'hour' },
      'Must be day, week, month, quarter, year, category, parent, tag, account, payee, status or currency.',
    ],
    [
      'get_cash_flow',
      { grouping: 'hourly' },
      'Must be daily, weekly, monthly, quarterly or yearly.',
    ],
    [
      'get_transaction_stat',
      filter('transaction_date', '31.01.2025'),
      'Use YYYY-MM-DD or an ISO 8601 date-time, from 1900 to 2199.',
    ],
    ['get_transaction_stat', filter('category_id', 'food'), 'Must be an ID, such as 3f1c1a5e-'],
    ['get_transaction_stat', filter('amount', '12,50'), 'Must be a number, such as 12.50.'],
    [
      'get_transaction_stat',
      filter('colour', 'red'),
      'Valid fields: account_id, amount, category_id,',
    ],
    [
      'get_transaction_stat',
      filter('amount', 1, 'near'),
      'Valid operations for amount: eq, neq, gt,',
    ],
    [
      'get_filtered_transactions',
      { filters: filter('amount', [60, -60], 'between').p_filters },
      'Swap them.',
    ],
    [
      'get_transaction_stat',
      filter('transaction_date', ['2025-12-31', '2025-01-01'], 'between'),
      'Swap them.',
    ],
    [
      'get_budget_comparison',
      { start_date: '2025-02-01', end_date: '01/03/2025' },
      'Use YYYY-MM-DD or an ISO 8601 date-time',
    ],
    ['get_budget_comparison', { preset: 'next_week' }, 'this_month'],
  ])(
    'an argument that a function does not accept is refused with a hint about the accepted values: %s of %o',
    async (name, given, hint) => {
      expect(error(await ann.post(`/rpc/${name}`, given))).toMatchObject({
        status: 400,
        code: '22023',
        hint: expect.stringContaining(hint) as string,
      })
    },
  )
})

test('the comment of a column names each value of an enumeration, and each end of a range or a length', () => {
  const unsaid = exposed.tables.filter(({ mayInsert }) => mayInsert).flatMap(({ name, columns }) =>
    columns
      .flatMap((
        {
          name: column,
          description,
          bounds: { values = [], minLength, maxLength, minimum, maximum },
        },
      ) =>
        [...values, maxLength, minLength, minimum, maximum].filter((bound) =>
          bound !== undefined && !description.includes(String(bound))
        )
          .map((bound) => `${name}.${column}: ${bound}`)
      )
  )
  expect(unsaid).toEqual([])
})

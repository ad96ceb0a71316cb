/**
 * Imports of bank files: a verdict for each row, all rows stored or none, duplicates recognized,
 * and the import reverted as a whole.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { textLengths } from '../../bank-files/text-columns.ts'
import {
  dataStack,
  type Account,
  type Answer,
  type Caller,
  type DataStack,
  type Organization,
} from '../support/data.ts'
import { totalRowsRead } from '../support/plans.ts'

let stack: DataStack
let team: Organization
let ada: Account
let ours: Caller
let bobs: Caller
let viewer: Caller

beforeAll(async () => {
  stack = await dataStack()
  const [bob, vic] = [await stack.person('bob'), await stack.person('vic')]
  ada = await stack.person('ada')
  team = await stack.organization({ owner: ada, editor: bob, viewer: vic })
  ours = stack.as(ada, team)
  bobs = stack.as(bob, team)
  viewer = stack.as(vic, team)
})
afterAll(() => stack.stop())

type Row = Record<string, unknown>
type Verdict = {
  row_number: number
  verdict: string
  reason: string | null
  transaction_id: string | null
}

const newCaller = async () => stack.as(await stack.person())
const send = (caller: Caller, rows: unknown, more: Row = {}): Promise<Answer> =>
  caller.post('/rpc/import_transactions', { p_rows: rows, p_source: 'bank', ...more })
/**
 * Calls the import: a dry run, or with `p_dry_run` false the real one. Rules and suggestions are
 * left out.
 */
const judge = async (caller: Caller, rows: unknown, more: Row = {}): Promise<Verdict[]> => {
  const { status, body, text } = await send(caller, rows, more)
  expect(status, text).toBe(200)
  return body.map(({ row_number, verdict, reason, transaction_id }: Verdict) => ({
    row_number,
    verdict,
    reason,
    transaction_id,
  }))
}
const store = (caller: Caller, rows: unknown, more: Row = {}) =>
  judge(caller, rows, { p_dry_run: false, ...more })
const verdicts = (rows: Verdict[]) => rows.map(({ verdict }) => verdict).join(' ')
const stored = async (caller: Caller) =>
  (await caller.get('/transactions?order=transaction_date,name,id')).body
const january = [
  { name: 'Coffee', amount: '-3.50', transaction_date: '2025-01-02' },
  { name: 'Coffee', amount: '-3.50', transaction_date: '2025-01-02' },
  { name: 'Rent', amount: -900, transaction_date: '2025-01-03', reference_no: '2025-1' },
]

test.each(Object.entries(textLengths))(
  'a file sets the free text %s, with up to %i characters',
  async (column, length) => {
    const mine = await newCaller()
    const text = 'x'.repeat(length)
    await store(mine, [{ name: 'Coffee', amount: '-3.50', [column]: text }])
    expect(await stored(mine)).toMatchObject([{ [column]: text }])
    expect(
      await judge(mine, [{ name: 'Tea', amount: '-3.50', [column]: `${text}x` }]),
    ).toMatchObject([{
      verdict: 'invalid',
      reason: `${column} is longer than ${length} characters`,
    }])
  },
)

test('a user tries a file, which stores nothing, and then stores it', async () => {
  const mine = await newCaller()
  expect(await judge(mine, january)).toEqual(
    january.map((_, at) => ({
      row_number: at + 1,
      verdict: 'new',
      reason: null,
      transaction_id: null,
    })),
  )
  expect([await stored(mine), (await mine.get('/imports')).body]).toEqual([[], []])
  const account = await mine.create('accounts', { name: 'Giro', type: 'checking', currency: 'eur' })
  const done = await store(mine, january, { p_account_id: account.id, p_file_name: 'January.csv' })
  const [imported] = (await mine.get('/imports')).body
  expect(imported).toMatchObject({
    source: 'bank',
    account_id: account.id,
    file_name: 'January.csv',
    row_count: 3,
    organization_id: null,
  })
  const rows = await stored(mine)
  expect(new Set(rows.map((row: Row) => row['id']))).toEqual(
    new Set(done.map((row) => row.transaction_id)),
  )
  expect(rows[2]).toMatchObject({
    ...january[2],
    currency: 'eur',
    status: 'paid',
    source: 'bank',
    account_id: account.id,
    import_id: imported.id,
    transaction_date: '2025-01-03T00:00:00+00:00',
  })
})

test('a user changes nothing by importing the same file again, or one that overlaps it by some days', async () => {
  const mine = await newCaller()
  const first = await store(mine, january)
  const before = await stored(mine)
  const again = await store(mine, january)
  expect(again).toEqual(first.map((row) => ({ ...row, verdict: 'duplicate' })))
  const next = [
    ...january.slice(0, 2),
    { name: 'Coffee', amount: -3.5, transaction_date: '2025-01-02' },
    ...january.slice(2),
    {
      name: 'Tram',
      amount: -2.9,
      transaction_date: '2025-01-04',
    },
  ]
  expect(verdicts(await store(mine, next.toReversed()))).toBe(
    'new duplicate duplicate duplicate new',
  )
  expect(await stored(mine)).toHaveLength(5)
  expect(
    (await stored(mine)).filter((row: Row) => before.some((one: Row) => one['id'] === row['id'])),
  ).toEqual(before)
  expect((await mine.get('/imports?select=row_count&order=created_at')).body).toEqual([{
    row_count: 3,
  }, { row_count: 2 }])
})

test('a user keeps their own edits: the import reports a row that differs, and does not change it', async () => {
  const mine = await newCaller()
  const rows = [{ name: 'Cinema', amount: '11', external_id: 'b-1', status: 'pending' }, {
    name: 'Tram',
    amount: 2,
    external_id: 'b-2',
  }]
  const [cinema] = await store(mine, rows)
  const category = await mine.create('categories', { name: 'Fun' })
  await mine.patch(`/transactions?id=eq.${cinema?.transaction_id}`, {
    name: 'Cinema with Bo',
    status: 'paid',
    category_id: category.id,
  })
  const before = await stored(mine)
  const changed = {
    row_number: 1,
    verdict: 'changed',
    reason: 'saved with different values: name, status',
    transaction_id: cinema?.transaction_id,
  }
  expect((await store(mine, rows))[0]).toEqual(changed)
  expect((await judge(mine, rows))[0]).toEqual(changed)
  // Columns that the file does not contain are not compared.
  expect(
    verdicts(
      await judge(mine, [{
        name: 'Cinema with Bo',
        amount: 11,
        external_id: 'b-1',
        category_id: null,
      }]),
    ),
  ).toBe('duplicate')
  expect(await stored(mine)).toEqual(before)
})

test('a user gets days in the time zone of the request', async () => {
  const mine = await newCaller()
  const berlin = { prefer: 'timezone=Europe/Berlin' }
  const rows = [{ name: 'Day', amount: 1, transaction_date: '2025-07-01' }, {
    name: 'Moment',
    amount: 1,
    transaction_date: '2025-07-01T08:30:00Z',
  }]
  await mine.post('/rpc/import_transactions', { p_rows: rows, p_dry_run: false }, berlin)
  expect((await stored(mine)).map((row: Row) => row['transaction_date'])).toEqual([
    '2025-06-30T22:00:00+00:00',
    '2025-07-01T08:30:00+00:00',
  ])
  expect(verdicts((await mine.post('/rpc/import_transactions', { p_rows: rows }, berlin)).body))
    .toBe('duplicate duplicate')
})

test('a user imports into the active context, which does not recognize rows of the other one', async () => {
  expect(verdicts(await store(stack.as(ada), january))).toBe('new new new')
  expect(verdicts(await judge(ours, january, { p_source: 'team bank' }))).toBe('new new new')
  expect(verdicts(await store(ours, january, { p_source: 'team bank' }))).toBe('new new new')
  expect(verdicts(await judge(bobs, january, { p_source: 'team bank' }))).toBe(
    'duplicate duplicate duplicate',
  )
  expect((await ours.get('/imports?source=eq.team bank')).body).toMatchObject([{
    user_id: ada.id,
    organization_id: team.id,
  }])
  expect((await viewer.get('/imports?source=eq.team bank')).body).toHaveLength(1)
  expect((await stack.as(ada).get('/imports?source=eq.team bank')).body).toEqual([])
})

test('a file is imported once if two members import it at the same time', async () => {
  const rows = Array.from(
    { length: 400 },
    (_, at) => ({ name: `row ${at % 300}`, amount: 5, transaction_date: '2025-03-01' }),
  )
  const answers = await Promise.all(
    [ours, bobs, ours, bobs].map((caller) => store(caller, rows, { p_source: 'at once' })),
  )
  const news = answers.map((answer) => answer.filter(({ verdict }) => verdict === 'new').length)
  expect(news.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 400])
  expect(
    (await ours.head('/transactions?source=eq.at once', { prefer: 'count=exact' })).headers.get(
      'content-range',
    ),
  ).toBe('0-399/400')
  expect((await ours.get('/imports?source=eq.at once')).body).toHaveLength(1)
})

test('a stranger who deletes imports without a filter reverts no import of others', async () => {
  const [mine, stranger] = [await newCaller(), await newCaller()]
  await store(mine, january)
  await store(ours, january)
  await store(stranger, january)
  expect((await stranger.delete('/imports')).status).toBe(204)
  for (const caller of [mine, ours]) expect((await stored(caller)).length).toBeGreaterThanOrEqual(3)
  expect((await stranger.get('/imports')).body).toEqual([])
  await ours.delete('/imports')
  expect(await stored(mine)).toHaveLength(3)
})

test('a file with two equal purchases makes two rows, whether or not it names the currency', async () => {
  const mine = await newCaller()
  const rows = [{ name: 'Tea', amount: -2, currency: 'usd', transaction_date: '2025-01-02' }, {
    name: 'Tea',
    amount: -2,
    transaction_date: '2025-01-02',
  }]
  expect(verdicts(await store(mine, rows))).toBe('new new')
  expect(verdicts(await judge(mine, rows))).toBe('duplicate duplicate')
})

describe('a row is invalid, and its reason', () => {
  const deep = `${'{"a":'.repeat(17)}1${'}'.repeat(17)}`
  test.each<[string, unknown]>([
    ['amount "12,50" is not a number; use a format such as 12.50', { amount: '12,50' }],
    ['amount "NaN" is not a number; use a format such as 12.50', { amount: 'NaN' }],
    ['amount "Infinity" is not a number; use a format such as 12.50', { amount: 'Infinity' }],
    ['amount is not a number; use a format such as 12.50', { amount: [1] }],
    ['amount is missing', { amount: null }],
    ['amount is too large: it must be below 1,000,000,000,000', { amount: 999_999_999_999.995 }],
    ['amount is too large: it must be below 1,000,000,000,000', { amount: '-1000000000000' }],
    ["amounts in JPY can't have decimals", { amount: '12.50', currency: 'JPY' }],
    ['amounts in KWD can have up to two decimals', { amount: '1.234', currency: 'kwd' }],
    ['name is missing', { name: '' }],
    ['name is missing', { name: ' \u200b ' }],
    ['name is longer than 255 characters', { name: 'n'.repeat(256) }],
    ['status "done" is not paid, pending or failed', { status: 'done' }],
    ['transaction_date "31.01.2025" is not a date from 1900 to 2199, such as 2025-01-31', {
      transaction_date: '31.01.2025',
    }],
    ['transaction_date "2025-02-29" is not a date from 1900 to 2199, such as 2025-01-31', {
      transaction_date: '2025-02-29',
    }],
    ['transaction_date "2200-01-01" is not a date from 1900 to 2199, such as 2025-01-31', {
      transaction_date: '2200-01-01',
    }],
    ['currency "euro" is unknown: use a three-letter code such as eur', {
      currency: 'euro',
    }],
    ['currency "zzz" is unknown: use a three-letter code such as eur', {
      currency: 'ZZZ',
    }],
    ['external_id must have 1 to 255 characters', { external_id: '' }],
    ['reference_no is longer than 255 characters', { reference_no: 'r'.repeat(256) }],
    ['description is longer than 5000 characters', { description: 'd'.repeat(5001) }],
    ['category_id "food" is not a category in this workspace', { category_id: 'food' }],
    ['metadata is larger than 16 KiB', { metadata: { a: 'm'.repeat(16_384) } }],
    ['metadata has more than 16 levels', { metadata: JSON.parse(deep) }],
    ['a number in metadata is out of range: it must be below 1e30 with up to 50 decimal places', {
      metadata: { a: 1e40 },
    }],
    ['name must be text', { name: 7 }],
    [
      'unknown fields: id, user_id, organization_id. Valid fields are name, amount, transaction_date, currency, external_id, category_id, reference_no, description, status and metadata',
      { id: crypto.randomUUID(), user_id: 'bob', organization_id: 'team' },
    ],
    [
      'unknown fields: k0, k1, k2, k3, k4. Valid fields are name, amount, transaction_date, currency, external_id, category_id, reference_no, description, status and metadata',
      Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`k${n}`, n])),
    ],
    ['name is missing; amount is missing', { name: null, amount: null }],
  ])('a row is invalid, and its reason says: %s', async (reason, change) => {
    const rows = [{ name: 'Good', amount: 1 }, { name: 'x', amount: 1, ...change as Row }]
    const mine = stack.as(ada)
    expect((await judge(mine, rows, { p_source: 'odd' }))[1]).toEqual({
      row_number: 2,
      verdict: 'invalid',
      reason,
      transaction_id: null,
    })
    expect(await send(mine, rows, { p_source: 'odd', p_dry_run: false })).toMatchObject({
      status: 400,
      body: {
        code: '22023',
        message: `1 of 2 rows can't be imported. Row 2: ${reason}`,
        hint: 'Nothing was saved. A dry run reports the problem in each row.',
      },
    })
    expect((await mine.get('/transactions?source=eq.odd')).body).toEqual([])
  })

  test('a row is invalid, and its reason is given for a row that is not an object, or has a number that would print very long', async () => {
    const body =
      '{"p_rows": [7, null, [], {"name": 1e400, "amount": 1}, {"name": "x", "amount": 1e131000}]}'
    const { status, body: rows, text } = await stack.as(ada).post('/rpc/import_transactions', body)
    expect([status, rows.map((row: Verdict) => row.reason)]).toEqual([200, [
      'the row must be an object',
      'the row must be an object',
      'the row must be an object',
      'name must be text',
      'amount is too large: it must be below 1,000,000,000,000',
    ]])
    expect(text.length).toBeLessThan(1_000)
  })

  test('a row is invalid, and its reason is given if an earlier row of the file has the same external_id', async () => {
    const rows = ['a', 'b', 'a'].map((external_id) => ({ name: 'x', amount: 1, external_id }))
    expect((await judge(await newCaller(), rows)).map(({ verdict, reason }) => [verdict, reason]))
      .toEqual([
        ['new', null],
        ['new', null],
        ['invalid', 'row 1 has the same external_id "a"'],
      ])
  })

  test('a row is invalid, and its reason is the same for a category of another context as for a missing one', async () => {
    const mine = await newCaller()
    const ownCategory = await mine.create('categories', { name: 'Mine' })
    const theirs = await ours.create('categories', { name: 'Theirs' })
    const row = (category_id: string) => ({ name: 'x', amount: 1, category_id })
    const missing = crypto.randomUUID()
    expect(
      (await judge(mine, [
        row(ownCategory.id),
        row(theirs.id),
        row(missing),
        row(ownCategory.id.toUpperCase()),
      ])).map(({ reason }) => reason),
    ).toEqual([
      null,
      `category_id "${theirs.id}" is not a category in this workspace`,
      `category_id "${missing}" is not a category in this workspace`,
      null,
    ])
  })

  test("a row is invalid, and its reason is given if its currency is not the account's", async () => {
    const mine = await newCaller()
    const account = await mine.create('accounts', {
      name: 'Giro',
      type: 'checking',
      currency: 'eur',
    })
    const rows = ['EUR', 'usd'].map((currency) => ({ name: 'x', amount: 1, currency }))
    expect((await judge(mine, rows, { p_account_id: account.id })).map(({ reason }) => reason))
      .toEqual([
        null,
        'the currency is USD, but the account is in EUR',
      ])
  })
})

describe('a call is refused', () => {
  const one = [{ name: 'x', amount: 1 }]
  test.each<[string, Row]>([
    ['rows that are no array', { p_rows: {} }],
    ['null as rows', { p_rows: null }],
    ['an empty file', { p_rows: [] }],
    ['5,001 rows', { p_rows: Array.from({ length: 5_001 }, () => ({ name: 'x', amount: 1 })) }],
    ['an empty source', { p_source: '' }],
    ['a long source', { p_source: 's'.repeat(65) }],
    ['an empty file name', { p_file_name: '' }],
    ['a long file name', { p_file_name: 'f'.repeat(256) }],
  ])('a call is refused with 400 and a hint: %s', async (_, args) => {
    expect(await send(stack.as(ada), one, args)).toMatchObject({
      status: 400,
      body: { code: '22023', hint: expect.any(String) },
    })
  })

  test('a call is refused for an account of another context, same as for a missing one', async () => {
    const theirs = await ours.create('accounts', { name: 'Giro', type: 'checking' })
    const mine = stack.as(ada)
    const answers = [
      await send(mine, one, { p_account_id: theirs.id }),
      await send(mine, one, { p_account_id: crypto.randomUUID(), p_dry_run: false }),
    ]
    for (const { status, body } of answers) expect([status, body]).toEqual([404, answers[0]?.body])
  })

  test('a call is refused for a viewer of the team, also as a dry run, and without a token', async () => {
    for (const p_dry_run of [true, false]) {
      expect(await send(viewer, one, { p_dry_run })).toMatchObject({
        status: 403,
        body: { code: '42501' },
      })
      expect((await send(stack.anonymous, one, { p_dry_run })).status).toBe(401)
    }
  })
})

test('an import can be created only by the function', async () => {
  const mine = await newCaller()
  await store(mine, january)
  const [imported] = (await mine.get('/imports')).body
  const denied = {
    status: 403,
    body: { code: '42501', message: 'permission denied for table imports' },
  }
  expect(await mine.post('/imports', { source: 'bank', row_count: 1 })).toMatchObject(denied)
  expect(await mine.post('/imports', imported, { prefer: 'resolution=merge-duplicates' }))
    .toMatchObject(denied)
  expect(await mine.patch('/imports', { file_name: 'x' })).toMatchObject(denied)
  expect((await mine.get('/imports')).body).toEqual([imported])
})

test('an import cannot be set on a transaction by a client, but a row can be sent back as it was read', async () => {
  const mine = await newCaller()
  await store(mine, january)
  const [row] = await stored(mine)
  const refused = {
    status: 400,
    body: { code: '22023', message: "import_id can't be set or changed" },
  }
  const merge = { prefer: 'resolution=merge-duplicates' }
  for (const import_id of [row.import_id, crypto.randomUUID()]) {
    expect(await mine.post('/transactions', { name: 'x', amount: 1, import_id })).toMatchObject(
      refused,
    )
    expect(await mine.post('/transactions', { name: 'x', amount: 1, import_id }, merge))
      .toMatchObject(refused)
  }
  expect(await mine.patch(`/transactions?id=eq.${row.id}`, { import_id: null })).toMatchObject(
    refused,
  )
  expect((await mine.post('/transactions', { ...row, name: 'Tea' }, merge)).status).toBe(200)
  expect((await mine.put(`/transactions?id=eq.${row.id}`, { ...row, name: 'Tea' })).status).toBe(
    204,
  )
  expect(
    (await mine.patch(`/transactions?id=eq.${row.id}`, {
      import_id: row.import_id,
      name: 'Coffee',
    })).status,
  ).toBe(204)
})

test('an import is deleted with its transactions, and then its file is new again', async () => {
  const mine = await newCaller()
  await mine.create('transactions', { name: 'Kept', amount: 1 })
  await store(mine, january)
  expect((await mine.delete('/imports')).status).toBe(204)
  expect((await stored(mine)).map((row: Row) => row['name'])).toEqual(['Kept'])
  expect(verdicts(await judge(mine, january))).toBe('new new new')
})

test.each<[string, (caller: Caller, id: string) => Promise<unknown>]>([
  ['was edited', (caller, id) => caller.patch(`/transactions?id=eq.${id}`, { name: 'Espresso' })],
  [
    'has a line item',
    (caller, id) => caller.create('line_items', { transaction_id: id, name: 'Cake', amount: -1 }),
  ],
  [
    'has a tag',
    async (caller, id) =>
      caller.create('transaction_tags', {
        transaction_id: id,
        tag_id: (await caller.create('tags', { name: 'trip' })).id,
      }),
  ],
])(
  'an import cannot be deleted after one of its transactions %s, not even together with those already deleted',
  async (_, change) => {
    const mine = await newCaller()
    const [first] = await store(mine, january)
    await store(mine, [{ name: 'Tram', amount: 2 }], { p_source: 'other' })
    await change(mine, first?.transaction_id ?? '')
    expect(await mine.delete('/imports')).toMatchObject({
      status: 409,
      body: {
        code: 'PT409',
        message: '1 transaction from this import has changed since',
        hint: expect.any(String),
      },
    })
    expect([(await stored(mine)).length, (await mine.get('/imports')).body.length]).toEqual([4, 2])
    expect((await mine.delete('/imports?source=eq.other')).status).toBe(204)
    expect(await stored(mine)).toHaveLength(3)
  },
)

test('an import of a team can be deleted after its importer deleted their account, unless a row was edited before', async () => {
  const [boss, leaving] = [await stack.person('boss'), await stack.person('leaving')]
  const club = await stack.organization({ owner: boss, editor: leaving })
  const [admin, editor] = [stack.as(boss, club), stack.as(leaving, club)]
  await store(editor, january, { p_source: 'as it came' })
  const [first] = await store(editor, january, { p_source: 'edited' })
  await editor.patch(`/transactions?id=eq.${first?.transaction_id}`, { name: 'Espresso' })
  const times = async () => (await admin.get('/transactions?select=id,updated_at&order=id')).body
  const before = await times()
  await stack.owner.query('delete from auth.users where id = $1', [leaving.id])
  expect(await times()).toEqual(before)
  expect((await admin.delete('/imports?source=eq.edited')).status).toBe(409)
  expect((await admin.delete('/imports?source=eq.as it came')).status).toBe(204)
  expect(new Set((await stored(admin)).map((row: Row) => row['source']))).toEqual(
    new Set(['edited']),
  )
})

test('an import of a team can be deleted by members who may delete, and by no one else', async () => {
  await store(ours, january, { p_source: 'to take back' })
  const where = '/imports?source=eq.to take back'
  expect(await viewer.delete(where)).toMatchObject({ status: 403, body: { code: '42501' } })
  expect((await (await newCaller()).delete(where)).status).toBe(204)
  expect((await stack.anonymous.delete(where)).status).toBe(401)
  expect((await ours.get('/transactions?source=eq.to take back')).body).toHaveLength(3)
  expect((await bobs.delete(where)).status).toBe(204)
  expect((await ours.get('/transactions?source=eq.to take back')).body).toEqual([])
})

test('an import compares a row only with rows that it can match, also in a database without statistics', async () => {
  const mine = await newCaller()
  const rows = Array.from(
    { length: 400 },
    (_, at) => ({ name: `row ${at}`, amount: at, external_id: `b-${at}` }),
  )
  // PostgreSQL would rightly read a table whole that has no other rows.
  await stack.owner.query(
    `insert into api.transactions (name, amount, user_id, organization_id) select 'row', n, $1, null from generate_series(1, 20000) n`,
    [(await stack.person()).id],
  )
  await store(mine, rows)
  const others = rows.map((row) => ({ ...row, external_id: `c-${row.external_id}` }))
  const before = await totalRowsRead(stack, 'transactions')
  expect(new Set((await judge(mine, rows)).map(({ verdict }) => verdict))).toEqual(
    new Set(['duplicate']),
  )
  expect(new Set((await judge(mine, others)).map(({ verdict }) => verdict))).toEqual(
    new Set(['new']),
  )
  const upsert = { prefer: 'resolution=ignore-duplicates' }
  for (const sent of [rows, others])
    expect(
      (await mine.post('/transactions', sent.map((row) => ({ ...row, source: 'bank' })), upsert))
        .status,
    ).toBeLessThan(300)
  const after = await totalRowsRead(stack, 'transactions')
  expect(after - before).toBeLessThan(20 * rows.length)
  await store(mine, rows.slice(0, 1))
  await store(mine, [{ name: 'another', amount: 1, external_id: 'd' }])
  expect(await totalRowsRead(stack, 'transactions') - after).toBeLessThan(rows.length)
})

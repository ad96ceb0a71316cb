/**
 * Requests of the tables as the interface lists them: the five operations, the query parameters,
 * embedding, CSV and errors.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, returning, type Caller, type DataStack } from '../support/data.ts'
import { refusal, refusalOf } from '../support/postgrest-versions.ts'
import { samples, tables } from '../support/tables.ts'

let stack: DataStack
let mine: Caller

beforeAll(async () => {
  stack = await dataStack()
  mine = stack.as(await stack.person('ada'))
})
afterAll(() => stack.stop())

/** Creates a user without rows. */
const newCaller = async () => stack.as(await stack.person())
const layout = { widgets: [] }

test.each(tables)(
  "a user's five operations work on %s: create, bulk create, list, get one, update, bulk update, delete",
  async (table) => {
    const caller = await newCaller()
    const sample = samples[table]
    if (sample === undefined) throw new Error(table)
    const body = await sample.row(caller, {})
    expect(await caller.post(`/${table}`, body)).toMatchObject({ status: 201, body: undefined })
    const two = await caller.post(`/${table}`, [
      await sample.row(caller, {}),
      await sample.row(caller, {}),
    ], returning)
    expect(two).toMatchObject({ status: 201, body: [{}, {}] })
    expect((await caller.get(`/${table}`)).body).toHaveLength(3)
    const one = two.body[0]
    expect((await caller.get(`/${table}?${sample.where(one)}`)).body).toEqual([one])
    const change = await sample.change(caller, {})
    expect(await caller.patch(`/${table}?${sample.where(one)}`, change)).toMatchObject({
      status: 204,
      body: undefined,
    })
    expect((await caller.get(`/${table}?${sample.where(one)}`)).body).toMatchObject([change])
    expect(await caller.patch(`/${table}?${Object.keys(one)[0]}=not.is.null`, change, returning))
      .toMatchObject({ status: 200, body: [change, change, change] })
    const last = (await caller.get(`/${table}?limit=1`)).body[0]
    expect(await caller.delete(`/${table}?${sample.where(last)}`)).toMatchObject({
      status: 204,
      body: undefined,
    })
    const head = await caller.head(`/${table}`, { prefer: 'count=exact' })
    expect([head.status, head.headers.get('content-range'), head.text]).toEqual([200, '0-1/2', ''])
  },
)

test("a user's five operations make pending transactions paid by one update with a filter", async () => {
  const caller = await newCaller()
  await caller.create(
    'transactions',
    ['pending', 'pending', 'failed'].map((status) => ({ name: status, amount: 1, status })),
  )
  const { status, body } = await caller.patch(
    '/transactions?status=eq.pending',
    { status: 'paid' },
    returning,
  )
  expect([status, body.map((one: { status: string }) => one.status)]).toEqual([200, [
    'paid',
    'paid',
  ]])
  expect(
    (await caller.head('/transactions?status=eq.paid', { prefer: 'count=exact' })).headers.get(
      'content-range',
    ),
  ).toBe('0-1/2')
})

describe('the query parameters', () => {
  let caller: Caller
  beforeAll(async () => {
    caller = await newCaller()
    const { id } = await caller.create('categories', { name: 'Food' })
    await caller.create('transactions', [
      {
        name: 'Rent',
        amount: -900,
        status: 'paid',
        transaction_date: '2025-01-01',
        category_id: null,
      },
      {
        name: 'Bread',
        amount: -2.5,
        status: 'pending',
        transaction_date: '2025-01-15',
        category_id: id,
      },
      {
        name: 'Breakfast',
        amount: -12,
        status: 'failed',
        transaction_date: '2025-01-31',
        category_id: id,
      },
      {
        name: 'Salary',
        amount: 3000,
        status: 'paid',
        transaction_date: '2025-02-01',
        category_id: null,
      },
    ])
  })
  test.each([
    ['', 'Bread Breakfast Rent Salary'],
    ['status=eq.paid', 'Rent Salary'],
    ['status=neq.paid', 'Bread Breakfast'],
    ['amount=gt.0', 'Salary'],
    ['amount=gte.-12', 'Bread Breakfast Salary'],
    ['amount=lt.-12', 'Rent'],
    ['amount=lte.-12', 'Breakfast Rent'],
    ['name=like.Brea*', 'Bread Breakfast'],
    ['name=ilike.*FAST', 'Breakfast'],
    ['status=in.(pending,failed)', 'Bread Breakfast'],
    ['category_id=is.null', 'Rent Salary'],
    ['transaction_date=gte.2025-01-01&transaction_date=lt.2025-02-01', 'Bread Breakfast Rent'],
    ['or=(amount.gt.0,name.eq.Rent)', 'Rent Salary'],
    ['limit=2', 'Bread Breakfast'],
    ['limit=2&offset=3', 'Salary'],
    ['amount=gt.5000', ''],
  ])('%s selects the expected rows', async (query, names) => {
    const { status, body } = await caller.get(`/transactions?select=name&order=name.asc&${query}`)
    expect([status, body.map((one: { name: string }) => one.name).join(' ')]).toEqual([200, names])
  })
  test('the query parameters order by several columns, in either direction', async () => {
    const { body } = await caller.get('/transactions?select=name&order=status.desc,amount.asc')
    expect(body.map((one: { name: string }) => one.name)).toEqual([
      'Bread',
      'Rent',
      'Salary',
      'Breakfast',
    ])
  })
  test.each([
    ['subscriptions', 'period=eq.weekly', [{ title: 'b', period: 'weekly', amount: 2 }], [{
      title: 'a',
      period: 'daily',
      amount: 1,
    }]],
    ['accounts', 'type=eq.savings', [{ name: 'b', type: 'savings' }], [{
      name: 'a',
      type: 'cash',
    }]],
    ['dashboards', 'visibility=eq.shared', [{ name: 'b', layout, visibility: 'shared' }], [{
      name: 'a',
      layout,
      visibility: 'private',
    }]],
  ])('%s?%s selects the expected rows', async (table, query, found, others) => {
    const one = await newCaller()
    await one.create(table, [...found, ...others])
    expect((await one.get(`/${table}?${query}`)).body).toMatchObject(found)
  })
})

test('embedding works in every direction that a client would use, also with an alias', async () => {
  const caller = await newCaller()
  const category = await caller.create('categories', { name: 'Food' })
  const transaction = await caller.create('transactions', {
    name: 'Shopping',
    amount: -10,
    category_id: category.id,
  })
  await caller.create('subscriptions', {
    title: 'Milk',
    amount: 1,
    period: 'daily',
    category_id: category.id,
  })
  const item = await caller.create('line_items', {
    transaction_id: transaction.id,
    name: 'Bread',
    amount: -10,
    category_id: category.id,
  })
  const tag = await caller.create('tags', { name: 'weekend' })
  await caller.create('transaction_tags', { transaction_id: transaction.id, tag_id: tag.id })
  const select = async (table: string, columns: string) =>
    (await caller.get(`/${table}?select=${columns}`)).body
  expect(
    await select(
      'transactions',
      'name,category:categories(id,name),line_items(name,category:categories(name)),tags(name)',
    ),
  ).toEqual([{
    name: 'Shopping',
    category: { id: category.id, name: 'Food' },
    line_items: [{ name: 'Bread', category: { name: 'Food' } }],
    tags: [{ name: 'weekend' }],
  }])
  expect(
    await select(
      'categories',
      'name,transactions(name),subscriptions(title),items:line_items(name)',
    ),
  ).toEqual([
    {
      name: 'Food',
      transactions: [{ name: 'Shopping' }],
      subscriptions: [{ title: 'Milk' }],
      items: [{ name: 'Bread' }],
    },
  ])
  expect(await select('subscriptions', 'title,category:categories(name)')).toEqual([{
    title: 'Milk',
    category: { name: 'Food' },
  }])
  expect(await select('tags', 'name,transactions(name)')).toEqual([{
    name: 'weekend',
    transactions: [{ name: 'Shopping' }],
  }])
  expect(await select('line_items', 'id,transaction:transactions(name)')).toEqual([{
    id: item.id,
    transaction: { name: 'Shopping' },
  }])
  expect(await select('transaction_tags', 'transactions(name),tags(name)')).toEqual([{
    transactions: { name: 'Shopping' },
    tags: { name: 'weekend' },
  }])
})

test('embedding shows only rows of the other table that the caller may see', async () => {
  const [boss, clerk] = [await stack.person('boss'), await stack.person('clerk')]
  const team = await stack.organization({ owner: boss, viewer: clerk })
  const together = stack.as(boss, team)
  const category = await together.create('categories', { name: 'Team' })
  await together.create('transactions', { name: 'Ours', amount: 1, category_id: category.id })
  await stack.as(boss).create('transactions', { name: 'Mine', amount: 1 })
  expect((await stack.as(clerk, team).get('/transactions?select=name,categories(name)')).body)
    .toEqual([{ name: 'Ours', categories: { name: 'Team' } }])
  expect((await stack.as(clerk).get('/categories?select=name,transactions(name)')).body).toEqual([])
})

test('CSV is returned with a header, and accepted in the same form', async () => {
  const caller = await newCaller()
  const csv =
    'name,amount,currency,transaction_date,description\n"Bread, white",-2.5,eur,2025-01-01,NULL\n"A ""quote""",3,usd,2025-01-02,x'
  expect((await caller.post('/transactions', csv, { 'content-type': 'text/csv' })).status).toBe(201)
  const out = await caller.get(
    '/transactions?select=name,amount,currency,description&order=transaction_date',
    { accept: 'text/csv' },
  )
  expect(out.headers.get('content-type')).toContain('text/csv')
  expect(out.text).toBe(
    'name,amount,currency,description\n"Bread, white",-2.50,eur,\n"A ""quote""",3.00,usd,x',
  )
  const everything = await caller.get('/transactions?order=transaction_date', {
    accept: 'text/csv',
  })
  const again = await caller.post(
    '/transactions',
    everything.text.replaceAll(/,(?=,|\n|$)/g, ',NULL'),
    {
      'content-type': 'text/csv',
      prefer: 'resolution=merge-duplicates,return=representation',
    },
  )
  expect(again).toMatchObject({
    status: 200,
    body: [{ name: 'Bread, white', amount: -2.5 }, { name: 'A "quote"', amount: 3 }],
  })
  expect((await caller.get('/transactions')).body).toHaveLength(2)
})

describe('errors', () => {
  test.each([
    ['a malformed uuid', '/transactions?id=eq.1', 400, '22P02'],
    ['an unknown column', '/transactions?colour=eq.red', 400, '42703'],
    ['an unknown operator', '/transactions?amount=about.5', 400, 'PGRST100'],
    ['an unknown direction', '/transactions?order=amount.sideways', 400, 'PGRST100'],
    ['an unknown function', '/rpc/nothing', 404, 'PGRST202'],
    ['an unknown embed', '/transactions?select=*,dashboards(*)', 400, 'PGRST200'],
    ['a negative limit', '/transactions?limit=-1', 416, 'PGRST103'],
  ])('%s', async (_, path, status, code) => {
    const answer = await mine.get(path)
    expect([answer.status, answer.body.code, Object.keys(answer.body).toSorted()]).toEqual([
      status,
      code,
      ['code', 'details', 'hint', 'message'],
    ])
  })

  test('an unknown table', async () => {
    const answer = await mine.get('/wallets')
    expect([refusalOf(answer), Object.keys(answer.body).toSorted()]).toEqual([
      refusal('unknownTable'),
      ['code', 'details', 'hint', 'message'],
    ])
  })

  test('no rows is 200 with an empty array', async () => {
    expect(await mine.get('/transactions?id=eq.00000000-0000-4000-8000-000000000000'))
      .toMatchObject({ status: 200, body: [] })
  })

  test('an invalid, expired or revoked token is 401 in the same format', async () => {
    const get = (token: string) =>
      fetch(`${stack.url}/transactions`, { headers: { authorization: `Bearer ${token}` } }).then(
        async (r) => [r.status, await r.json()],
      )
    expect(await get('nonsense')).toMatchObject([401, {
      code: 'PGRST301',
      details: null,
      hint: null,
    }])
    const expired = await mine.get('/transactions', {
      authorization: `Bearer ${await mine.token({ exp: Math.floor(Date.now() / 1000) - 60 })}`,
    })
    expect([refusalOf(expired), expired.body.message]).toEqual([
      refusal('expiredToken'),
      'JWT expired',
    ])
    expect(await get(await mine.token({ aud: 'https://elsewhere.example' }))).toMatchObject([401, {
      code: expect.any(String),
    }])
    expect(await get(await mine.token({ sid: 'ended' }))).toMatchObject([401, { code: 'PGRST301' }])
    expect(await get(await mine.token({ claims: { organization_id: 'org' } }))).toMatchObject([
      401,
      { code: 'PGRST301' },
    ])
    expect(await get(await mine.token({ role: 'postgres' }))).toMatchObject([403, {
      code: '42501',
    }])
  })

  test('a client can reach no other schema and no query plan', async () => {
    for (const schema of ['auth', 'private', 'public']) {
      expect(await mine.get('/users', { 'accept-profile': schema })).toMatchObject({
        status: 406,
        body: { code: 'PGRST106' },
      })
      expect((await mine.post('/users', {}, { 'content-profile': schema })).status).toBe(406)
    }
    expect(
      refusalOf(await mine.get('/transactions', { accept: 'application/vnd.pgrst.plan+json' })),
    ).toBe(refusal('notAcceptable'))
  })

  test('a change by `or` returns its rows with the columns of `or`', async () => {
    const byOr = (select: string) =>
      mine.patch(`/transactions?select=${select}&or=(amount.lt.-1e9,name.eq.none)`, {
        status: 'paid',
      }, returning)
    expect(refusalOf(await byOr('name'))).toBe(refusal('changeByOr'))
    expect(await byOr('name,amount')).toMatchObject({ status: 200, body: [] })
  })

  test('a dry run, Prefer: tx=rollback, responds as a write and stores nothing, on every table and for every way to write', async () => {
    const prefer = 'tx=rollback,return=representation'
    const kept = await mine.create('tags', { name: 'kept' })
    const dry = await mine.post('/tags', { name: 'tried' }, { prefer })
    expect([dry.status, dry.body[0].name, dry.headers.get('preference-applied')]).toEqual([
      201,
      'tried',
      expect.stringContaining('tx=rollback'),
    ])
    expect((await mine.patch(`/tags?id=eq.${kept.id}`, { name: 'changed' }, { prefer })).body)
      .toMatchObject([{ name: 'changed' }])
    expect((await mine.delete(`/tags?id=eq.${kept.id}`, { prefer })).status).toBe(200)
    expect((await mine.get('/tags?name=in.(kept,tried,changed)')).body).toMatchObject([{
      name: 'kept',
    }])
    const category = await mine.create('categories', { name: 'stays' })
    expect(
      (await mine.post('/rpc/delete_category', { p_category_id: category.id }, { prefer })).status,
    ).toBe(200)
    expect((await mine.get(`/categories?id=eq.${category.id}`)).body).toHaveLength(1)
  })
})

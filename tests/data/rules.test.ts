/** Rules: rows with conditions and actions, and their application to stored transactions. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  dataStack,
  returning,
  type Account,
  type Caller,
  type DataStack,
  type Organization,
} from '../support/data.ts'
import {
  apply,
  category,
  contradictions,
  named,
  pay,
  refusedValues,
  rule,
  stored,
} from './rule-calls.ts'

let stack: DataStack
let ada: Account
let team: Organization
let ours: Caller
let viewer: Caller

beforeAll(async () => {
  stack = await dataStack()
  ada = await stack.person('ada')
  const bob = await stack.person('bob')
  team = await stack.organization({ owner: ada, viewer: bob })
  ours = stack.as(ada, team)
  viewer = stack.as(bob, team)
})
afterAll(() => stack.stop())

const someone = async () => stack.as(await stack.person())

test('a rule is stored with its defaults, belongs to the active context, and is read by a viewer, who may not write it', async () => {
  const id = await rule(ours, { set_name: 'REWE' })
  const columns = {
    priority: 0,
    set_category_id: null,
    add_tags: [],
    is_active: true,
    organization_id: team.id,
    user_id: ada.id,
  }
  expect((await viewer.get(`/rules?id=eq.${id}`)).body).toMatchObject([{
    name: 'Rule',
    conditions: named('*rewe*'),
    set_name: 'REWE',
    ...columns,
  }])
  expect((await viewer.post('/rules', { name: 'x', conditions: named('x'), set_name: 'y' })).status)
    .toBe(403)
  expect((await viewer.post('/rules', { name: 'x', conditions: [], set_name: 'y' })).body)
    .toMatchObject({ code: '42501' })
  expect((await viewer.patch(`/rules?id=eq.${id}`, { priority: 1 })).status).toBe(403)
  expect((await (await someone()).get('/rules')).body).toEqual([])
})

test.each([
  [[], 'conditions must be an array of 1 to 50 filters'],
  [{}, 'conditions must be an array of 1 to 50 filters'],
  ['name', 'conditions must be an array of 1 to 50 filters'],
  [
    Array.from({ length: 51 }, () => named('x')[0]),
    'conditions must be an array of 1 to 50 filters',
  ],
  [[{ field: 'colour', operation: 'eq', value: 'red' }], 'unknown filter field'],
  [[{ field: 'amount', operation: 'near', value: 5 }], 'unknown operation'],
  [[{ field: 'amount', operation: 'gt', value: 'five' }], 'is not valid'],
  [['name'], 'a filter must be an object'],
])('a rule is refused with 400 for the conditions %j', async (conditions, message) => {
  const caller = await someone()
  const refused = {
    status: 400,
    body: { code: '22023', message: expect.stringContaining(message) as string },
  }
  expect(await caller.post('/rules', { name: 'x', conditions, set_name: 'y' })).toMatchObject(
    refused,
  )
  const id = await rule(caller, { set_name: 'y' })
  expect(await caller.patch(`/rules?id=eq.${id}`, { conditions })).toMatchObject(refused)
})

test('a rule compares amounts as numbers, however they are written, in stored transactions and in an import', async () => {
  const caller = await someone()
  const amounts = [10, -10, 9.99, 100, 2]
  for (const amount of amounts) await pay(caller, `row ${amount}`, { amount })
  const p_rows = amounts.map((amount) => ({
    name: `row ${amount}`,
    amount: String(amount),
    external_id: String(amount),
  }))
  const values = ['10', '10', '"10"', '10.0', '10.00', '"10.00"', '1e1', '1.0e1', '100e-1']
  for (const value of values) {
    await caller.delete('/rules')
    const body =
      `{"name": "Ten", "conditions": [{"field": "amount", "operation": "eq", "value": ${value}}], "set_name": "Ten"}`
    expect((await caller.post('/rules', body)).status, value).toBe(201)
    const changes = (await caller.post('/rpc/apply_rules', { p_dry_run: true })).body
    expect(changes.map(({ before }: { before: { name: string } }) => before.name), value).toEqual([
      'row 10',
    ])
    const rows =
      (await caller.post('/rpc/import_transactions', { p_rows, p_source: 'bank', p_match: false }))
        .body
    expect(rows.map(({ because }: { because: string | null }) => because !== null), value).toEqual([
      true,
      false,
      false,
      false,
      false,
    ])
  }
  // a text in this form is no amount in an import either
  expect(
    (await caller.post('/rules', {
      name: 'x',
      conditions: [{ field: 'amount', operation: 'eq', value: '1e1' }],
      set_name: 'y',
    })).body,
  )
    .toMatchObject({ code: '22023', message: "the value of amount eq is not valid: '1e1'" })
  for (
    const [operation, value, matching] of [['gt', '9', ['row 10', 'row 100', 'row 9.99']], [
      'between',
      ['2', '10'],
      ['row 10', 'row 2', 'row 9.99'],
    ], ['in', [
      '-10.0',
      2.0,
    ], ['row -10', 'row 2']]] as const
  ) {
    await caller.delete('/rules')
    await rule(caller, { conditions: [{ field: 'amount', operation, value }], set_name: 'x' })
    const changes = (await caller.post('/rpc/apply_rules', { p_dry_run: true })).body
    expect(changes.map(({ before }: { before: { name: string } }) => before.name).toSorted())
      .toEqual(matching)
  }
})

test.each(contradictions)(
  'a rule is refused with 400 for conditions that contradict each other: %j',
  async (filters, field) => {
    const conditions = filters.map(([name, operation, value]) => ({
      field: name,
      operation,
      value,
    }))
    expect(await (await someone()).post('/rules', { name: 'x', conditions, set_name: 'y' }))
      .toMatchObject({
        status: 400,
        body: {
          code: '22023',
          message: `the conditions contradict each other: no ${field} can meet all of them`,
        },
      })
  },
)

test.each([
  [[['amount', 'gte', 5], ['amount', 'lte', 5]]],
  [[['transaction_date', 'eq', 'this_month'], ['transaction_date', 'from', '2190-01-01']]],
  [[['name', 'ilike', '*a*'], ['name', 'ilike', '*b*'], ['name', 'neq', 'c']]],
  [[['tag', 'eq', 'a'], ['tag', 'eq', 'b']]],
  [[['description', 'is_null', true]]],
  [[['search', 'contains', 'a'], ['category_id', 'is_null', false]]],
])('a rule is stored for conditions that can hold together: %j', async (filters) => {
  const conditions = filters.map(([field, operation, value]) => ({ field, operation, value }))
  expect(await (await someone()).post('/rules', { name: 'x', conditions, set_name: 'y' }))
    .toMatchObject({ status: 201 })
})

test('a rule needs an action while it is active', async () => {
  const caller = await someone()
  const refused = {
    status: 400,
    body: { code: '23514', message: expect.stringContaining('rules_have_an_action') as string },
  }
  expect(await caller.post('/rules', { name: 'x', conditions: named('x') })).toMatchObject(refused)
  expect(await caller.post('/rules', { name: 'x', conditions: named('x'), add_tags: null }))
    .toMatchObject(refused)
  const id = await rule(caller, { is_active: false })
  expect(await caller.patch(`/rules?id=eq.${id}`, { is_active: true })).toMatchObject(refused)
  expect(await caller.patch(`/rules?id=eq.${id}`, { is_active: true, set_name: 'y' }))
    .toMatchObject({ status: 204 })
})

test.each(refusedValues)('a rule is refused with 400 for %j', async (wrong) => {
  expect(
    (await (await someone()).post('/rules', {
      name: 'x',
      conditions: named('x'),
      set_category_id: null,
      set_name: 'y',
      ...wrong,
    })).status,
  ).toBe(400)
})

test("a rule takes a category and tags of its own context, and another tenant's are as unknown as missing ones", async () => {
  const caller = await someone()
  const [hidden, tag] = [await category(ours), (await ours.create('tags', { name: 'ours' })).id]
  for (
    const [column, id, unknown] of [['set_category_id', hidden, randomUUID()], ['add_tags', [tag], [
      randomUUID(),
    ]]] as const
  ) {
    const refusals = [
      await caller.post('/rules', { name: 'x', conditions: named('x'), [column]: id }),
      await caller.post('/rules', { name: 'x', conditions: named('x'), [column]: unknown }),
    ]
    expect(refusals[0]).toMatchObject({ status: 409, body: { code: '23503' } })
    expect(refusals[0]?.text).toBe(refusals[1]?.text)
  }
})

test('a rule loses the action of a deleted category, is inactive without another action, and returns with an undo', async () => {
  const caller = await someone()
  const food = await category(caller)
  const [only, also] = [
    await rule(caller, { set_category_id: food }),
    await rule(caller, { set_category_id: food, set_name: 'REWE' }),
  ]
  await caller.delete(`/categories?id=eq.${food}`)
  const after =
    (await caller.get(`/rules?select=id,set_category_id,is_active&order=created_at`)).body
  expect(after).toEqual([{ id: only, set_category_id: null, is_active: false }, {
    id: also,
    set_category_id: null,
    is_active: true,
  }])
  const [{ id }] = (await caller.get('/activity?order=id.desc&limit=1')).body
  expect((await caller.post('/rpc/undo', { p_activity_id: id })).status).toBe(200)
  expect((await caller.get('/rules?select=set_category_id,is_active')).body).toEqual([{
    set_category_id: food,
    is_active: true,
  }, {
    set_category_id: food,
    is_active: true,
  }])
})

test('apply_rules answers the changes in a dry run and stores nothing, then stores the same as one request, which one undo reverts', async () => {
  const caller = await someone()
  const [food, old] = [await category(caller), await category(caller, 'Old')]
  const first = await rule(caller, { set_category_id: food, set_name: 'REWE', add_tags: ['shop'] })
  const older = await pay(caller, 'REWE SAGT DANKE', {
    transaction_date: '2025-01-01',
    category_id: old,
  })
  const newer = await pay(caller, 'Rewe 12', { transaction_date: '2025-01-02' })
  const other = await pay(caller, 'Tram')
  const before = (await caller.get('/transactions')).body
  const dry = await caller.post('/rpc/apply_rules', {})
  expect(dry).toMatchObject({ status: 200 })
  expect(dry.body).toEqual([
    {
      transaction_id: newer,
      rule_id: first,
      before: { category_id: null, name: 'Rewe 12', tags: [] },
      after: { category_id: food, name: 'REWE', tags: ['shop'] },
    },
    {
      transaction_id: older,
      rule_id: first,
      before: { category_id: old, name: 'REWE SAGT DANKE', tags: [] },
      after: { category_id: food, name: 'REWE', tags: ['shop'] },
    },
  ])
  expect((await caller.get('/transactions')).body).toEqual(before)
  expect((await caller.get('/tags')).body).toEqual([])

  expect((await apply(caller)).body).toEqual(dry.body)
  for (const id of [older, newer])
    expect(await stored(caller, id)).toEqual({
      name: 'REWE',
      category_id: food,
      tags: [{ name: 'shop' }],
    })
  expect(await stored(caller, other)).toEqual({ name: 'Tram', category_id: null, tags: [] })
  expect((await caller.get('/tags?select=name')).body).toEqual([{ name: 'shop' }])
  // what is done already is no change
  expect((await apply(caller)).body).toEqual([])

  const changes = (await caller.get('/activity?order=id.desc&limit=1')).body
  expect((await caller.post('/rpc/undo', { p_activity_id: changes[0].id })).body).toMatchObject({
    update: 2,
    delete: 3,
    create: 0,
  })
  expect(await stored(caller, older)).toEqual({
    name: 'REWE SAGT DANKE',
    category_id: old,
    tags: [],
  })
  expect((await caller.get('/tags')).body).toEqual([])
})

test('apply_rules takes the first match: the lowest priority, then the oldest, also of rules that were sent together', async () => {
  const caller = await someone()
  const names = (await caller.create(
    'rules',
    ['c', 'd', 'b', 'a'].map((name, i) => ({
      name,
      set_name: name,
      conditions: named('x*'),
      priority: [5, 5, 0, -1][i],
      // does not match
      ...(name === 'a' && { conditions: named('y*') }),
    })),
  )).map(({ id }: { id: string }) => id)
  const id = await pay(caller, 'xyz')
  const winner = async () =>
    (await caller.post('/rpc/apply_rules', {})).body.map((row: { rule_id: string }) =>
      names.indexOf(row.rule_id)
    )
  expect(await winner()).toEqual([2])
  await caller.patch(`/rules?name=eq.b`, { is_active: false })
  expect(await winner()).toEqual([0])
  await caller.delete(`/rules?name=eq.c`)
  expect((await apply(caller)).body).toMatchObject([{
    transaction_id: id,
    rule_id: names[1],
    after: { name: 'd' },
  }])
})

test('apply_rules judges each transaction once, so that rules that undo each other end', async () => {
  const caller = await someone()
  await caller.create(
    'rules',
    [['a', 'b'], ['b', 'a']].map(([from, to]) => ({
      name: 'swap',
      conditions: [{ field: 'name', operation: 'eq', value: from }],
      set_name: to,
    })),
  )
  const [a, b] = [await pay(caller, 'a'), await pay(caller, 'b')]
  expect((await apply(caller)).body).toHaveLength(2)
  expect([(await stored(caller, a)).name, (await stored(caller, b)).name]).toEqual(['b', 'a'])
})

test('apply_rules with a rule applies only this one, and with filters only to the transactions that pass', async () => {
  const caller = await someone()
  await rule(caller, { set_name: 'first' })
  const second = await rule(caller, { set_name: 'second' })
  const [small, large] = [
    await pay(caller, 'rewe', { amount: -1 }),
    await pay(caller, 'rewe', { amount: -100 }),
  ]
  expect((await caller.post('/rpc/apply_rules', { p_rule_id: second })).body).toHaveLength(2)
  expect(
    (await apply(caller, {
      p_rule_id: second,
      p_filters: [{ field: 'amount', operation: 'lt', value: -50 }],
    })).body,
  )
    .toMatchObject([{
      transaction_id: large,
      rule_id: second,
      before: { name: 'rewe' },
      after: { name: 'second' },
    }])
  expect((await stored(caller, small)).name).toBe('rewe')
  await caller.patch(`/rules?id=eq.${second}`, { is_active: false })
  expect((await apply(caller, { p_rule_id: second })).body).toEqual([])
})

test('apply_rules matches by each field of the filters as get_filtered_transactions does', async () => {
  const caller = await someone()
  const [account, food] = [
    (await caller.create('accounts', { name: 'Bank', type: 'checking', currency: 'eur' })).id,
    await category(caller),
  ]
  const tag = (await caller.create('tags', { name: 'trip' })).id
  const id = await pay(caller, 'Hotel', {
    amount: -80,
    account_id: account,
    category_id: food,
    transaction_date: '2025-03-05',
    description: 'Two nights',
    reference_no: 'A-1',
  })
  await caller.create('transaction_tags', { transaction_id: id, tag_id: tag })
  await pay(caller, 'Other')
  for (
    const condition of [
      ['amount', 'between', [-90, -70]],
      ['transaction_date', 'between', ['2025-03-05', '2025-03-05']],
      ['account_id', 'eq', account],
      ['category_id', 'in', [food]],
      ['tag', 'eq', 'trip'],
      ['search', 'contains', 'NIGHTS'],
      ['currency', 'eq', 'EUR'],
      ['reference_no', 'like', 'A-*'],
      ['id', 'eq', id],
    ]
  ) {
    const [field, operation, value] = condition
    const conditions = [{ field, operation, value }]
    const filtered = (await caller.post('/rpc/get_filtered_transactions', { filters: conditions }))
      .body.map((row: { id: string }) => row.id)
    const one = await rule(caller, { conditions, set_name: 'x' })
    expect(
      (await caller.post('/rpc/apply_rules', { p_rule_id: one })).body
        .map((row: { transaction_id: string }) => row.transaction_id),
    ).toEqual(filtered)
    expect(filtered).toEqual([id])
  }
})

test('apply_rules adds tags by name or id, creates a missing one once, and leaves those that a transaction has', async () => {
  const caller = await someone()
  const [known, byId] = [
    await caller.create('tags', { name: 'known' }),
    await caller.create('tags', { name: 'by id' }),
  ]
  const gone = await caller.create('tags', { name: 'gone' })
  await rule(caller, { add_tags: ['known', byId.id.toUpperCase(), 'new', gone.id, 'by id'] })
  await caller.delete(`/tags?id=eq.${gone.id}`)
  const [one, two] = [
    await pay(caller, 'rewe 1', { transaction_date: '2025-01-02' }),
    await pay(caller, 'rewe 2', { transaction_date: '2025-01-01' }),
  ]
  const present = await caller.create('tags', { name: 'own' })
  await caller.create('transaction_tags', [{ transaction_id: one, tag_id: known.id }, {
    transaction_id: one,
    tag_id: present.id,
  }])
  expect((await apply(caller)).body).toMatchObject([
    {
      transaction_id: one,
      before: { tags: ['known', 'own'] },
      after: { tags: ['by id', 'known', 'new', 'own'] },
    },
    { transaction_id: two, before: { tags: [] }, after: { tags: ['by id', 'known', 'new'] } },
  ])
  expect(
    (await caller.get('/tags?select=name&order=name')).body.map(({ name }: { name: string }) =>
      name
    ),
  ).toEqual(['by id', 'known', 'new', 'own'])
  expect((await caller.get(`/transaction_tags?transaction_id=eq.${two}`)).body).toHaveLength(3)
  expect((await apply(caller)).body).toEqual([])
})

test('apply_rules leaves halves of transfers', async () => {
  const caller = await someone()
  const [from, to] = await caller.create(
    'accounts',
    ['a', 'b'].map((name) => ({ name, type: 'checking' })),
  )
  await caller.post('/rpc/create_transfer', {
    from_account_id: from.id,
    to_account_id: to.id,
    amount: 5,
    name: 'rewe',
  })
  await rule(caller, { set_name: 'x' })
  expect((await apply(caller)).body).toEqual([])
})

test('apply_rules stays within the active context, or that of the rule', async () => {
  const both = await stack.person()
  const organization = await stack.organization({ owner: both })
  const [personal, shared] = [stack.as(both), stack.as(both, organization)]
  const ownRule = await rule(personal, { set_name: 'own' })
  await rule(shared, { set_name: 'team' })
  const [own, common] = [await pay(personal, 'rewe'), await pay(shared, 'rewe')]
  expect((await shared.post('/rpc/apply_rules', {})).body).toMatchObject([{
    transaction_id: common,
    after: { name: 'team' },
  }])
  expect((await personal.post('/rpc/apply_rules', {})).body).toMatchObject([{
    transaction_id: own,
    after: { name: 'own' },
  }])
  expect((await apply(shared, { p_rule_id: ownRule })).body).toMatchObject([{
    transaction_id: own,
    after: { name: 'own' },
  }])
})

test("apply_rules is 403 for a viewer, 404 for another tenant's rule, 400 for invalid filters", async () => {
  const caller = await someone()
  const hidden = await rule(ours, { set_name: 'x' })
  expect((await viewer.post('/rpc/apply_rules', {})).status).toBe(403)
  for (const id of [hidden, randomUUID()])
    expect(await apply(caller, { p_rule_id: id })).toMatchObject({
      status: 404,
      body: { code: 'PT404' },
    })
  for (const p_filters of ['x', {}, [{ field: 'x', operation: 'eq', value: 1 }]]) {
    expect(await apply(caller, { p_filters })).toMatchObject({
      status: 400,
      body: { code: '22023' },
    })
  }
  expect((await apply(caller, { p_rule_id: 'x' })).status).toBe(400)
  expect((await apply(caller, { p_rules: [] })).status).toBe(404)
})

test('apply_rules stores nothing if one of the changes is refused', async () => {
  const caller = await someone()
  await rule(caller, { set_name: 'x' })
  const ids = [await pay(caller, 'rewe 1'), await pay(caller, 'rewe 2')]
  await stack.owner.query(
    `create function api.refuse_change() returns trigger language plpgsql as $$ begin raise sqlstate 'PT409' using message = 'no'; end $$;
       create trigger "9_refuse" before update on api.transactions for each row when (old.id = '${
      ids[1]
    }') execute function api.refuse_change()`,
  )
  expect((await apply(caller)).status).toBe(409)
  await stack.owner.query('drop function api.refuse_change() cascade')
  expect((await stored(caller, ids[0] ?? '')).name).toBe('rewe 1')
})

test('apply_rules applies a hundred rules to five thousand transactions', async () => {
  const caller = await someone()
  const food = await category(caller)
  await caller.create(
    'rules',
    Array.from(
      { length: 100 },
      (_, i) => ({
        name: `${i}`,
        conditions: [...named(`*payee ${i} *`), { field: 'amount', operation: 'lt', value: 0 }],
        set_category_id: food,
      }),
    ),
  )
  await caller.create(
    'transactions',
    Array.from({ length: 5000 }, (_, i) => ({ name: `Card payee ${i % 200} Berlin`, amount: -1 })),
  )
  expect((await caller.post('/rpc/apply_rules', {})).body).toHaveLength(2500)
  expect((await apply(caller)).body).toHaveLength(2500)
  expect(
    (await caller.get('/transactions?category_id=not.is.null&limit=1', { prefer: 'count=exact' }))
      .headers.get('content-range'),
  ).toBe('0-0/2500')
})

test('a rule is read and changed like any row', async () => {
  const caller = await someone()
  const id = await rule(caller, { set_name: 'x' })
  expect(
    (await caller.patch(`/rules?id=eq.${id}`, { priority: 3, add_tags: ['a'] }, returning)).body,
  ).toMatchObject([{ priority: 3, add_tags: ['a'] }])
  expect((await caller.delete(`/rules?id=eq.${id}`)).status).toBe(204)
  expect((await caller.get('/activity?table_name=eq.rules&select=action&order=id')).body).toEqual([
    { action: 'create' },
    { action: 'update' },
    {
      action: 'delete',
    },
  ])
})

test('a rule adds the tag that exists in another normal form of its name, and a filter by this name finds its transactions', async () => {
  const caller = await someone()
  const id = await pay(caller, 'REWE')
  await caller.create('tags', { name: 'Caf\u00e9' })
  await rule(caller, { add_tags: ['Cafe\u0301'] })
  expect((await apply(caller)).status).toBe(200)
  expect((await caller.get('/tags?select=name')).body).toEqual([{ name: 'Caf\u00e9' }])
  const filters = [{ field: 'tag', operation: 'eq', value: 'Cafe\u0301' }]
  expect((await caller.post('/rpc/get_filtered_transactions', { filters })).body).toMatchObject([{
    id,
  }])
})

/** Undo: each change that the database has recorded can be undone. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  dataStack,
  roles,
  type Account,
  type Caller,
  type DataStack,
  type Organization,
  type Role,
} from '../support/data.ts'
import { holdLock } from '../support/hold-lock.ts'
import { lastOf, undo, undoLast } from './activity-calls.ts'

let stack: DataStack
const members = {} as Record<Role, Account>
let team: Organization
let owner: Caller
let outsider: Account

beforeAll(async () => {
  stack = await dataStack()
  for (const role of roles) members[role] = await stack.person(role)
  outsider = await stack.person('outsider')
  team = await stack.organization(members)
  owner = stack.as(members.owner, team)
})
afterAll(() => stack.stop())

const someone = async () => stack.as(await stack.person())
const changedAgain = {
  status: 409,
  body: {
    code: 'PT409',
    message: expect.stringContaining('has changed since'),
    hint: expect.any(String),
  },
}

test('undo restores a deleted transaction with its line items and tags, and their ids, times and user', async () => {
  const ann = await someone()
  const category = await ann.create('categories', { name: 'Food' })
  const transaction = await ann.create('transactions', {
    name: 'Market',
    amount: -20,
    category_id: category.id,
    metadata: { shop: { n: null } },
    external_id: 'x',
  })
  const items = await ann.create('line_items', [{
    transaction_id: transaction.id,
    name: 'Bread',
    amount: -5,
  }, {
    transaction_id: transaction.id,
    name: 'Fish',
    amount: -15,
  }])
  const tag = await ann.create('tags', { name: 'weekly' })
  const association = await ann.create('transaction_tags', {
    transaction_id: transaction.id,
    tag_id: tag.id,
  })
  await ann.delete(`/transactions?id=eq.${transaction.id}`)
  expect(await undoLast(ann)).toMatchObject({
    status: 200,
    body: { change_id: expect.any(String), create: 4, update: 0, delete: 0 },
  })
  expect((await ann.get('/transactions')).body).toEqual([transaction])
  expect((await ann.get('/line_items?order=name')).body).toEqual(items)
  expect((await ann.get('/transaction_tags')).body).toEqual([association])
})

test('undo reverts a changed row, and is 409 the second time', async () => {
  const ann = await someone()
  const before = await ann.create('transactions', { name: 'Tea', amount: -2, metadata: { a: 1 } })
  await ann.patch(`/transactions?id=eq.${before.id}`, { name: 'Coffee', metadata: { a: 2 } })
  const [change] = await lastOf(ann)
  expect(await undo(ann, change?.id)).toMatchObject({
    status: 200,
    body: { create: 0, update: 1, delete: 0 },
  })
  expect((await ann.get('/transactions')).body).toEqual([{
    ...before,
    updated_at: expect.any(String),
  }])
  expect(await undo(ann, change?.id)).toMatchObject(changedAgain)
})

test('undo restores, reverts or deletes both halves of a transfer, with the balances', async () => {
  const ann = await someone()
  const [from, to] = await ann.create('accounts', [{ name: 'from', type: 'cash' }, {
    name: 'to',
    type: 'savings',
  }])
  const { body: halves } = await ann.post('/rpc/create_transfer', {
    from_account_id: from.id,
    to_account_id: to.id,
    amount: 50,
    transfer_date: '2025-01-02',
  })
  const [creation] = await lastOf(ann)
  const stored = async () => (await ann.get('/transactions?order=amount')).body
  const balances = async () =>
    (await ann.get('/accounts?select=current_balance&order=name')).body
      .map((row: { current_balance: number }) => row.current_balance)
  await ann.delete(`/transactions?id=eq.${halves[1].id}`)
  expect(await stored()).toEqual([])
  expect(await undoLast(ann)).toMatchObject({ status: 200, body: { create: 2 } })
  expect(await stored()).toEqual(halves)
  await ann.patch(`/transactions?id=eq.${halves[0].id}`, { amount: -70, name: 'more' })
  expect(await balances()).toEqual([-70, 70])
  expect(await undoLast(ann)).toMatchObject({ status: 200, body: { update: 2 } })
  expect(await balances()).toEqual([-50, 50])
  expect(await undo(ann, creation?.id)).toMatchObject({ status: 200, body: { delete: 2 } })
  expect(await balances()).toEqual([0, 0])
})

test('undo is 409 if line items were added meanwhile that no longer fit', async () => {
  const ann = await someone()
  const row = await ann.create('transactions', { name: 'a', amount: -10 })
  await ann.patch(`/transactions?id=eq.${row.id}`, { amount: -30 })
  const [raise] = await lastOf(ann)
  await ann.create('line_items', { transaction_id: row.id, name: 'part', amount: -20 })
  expect(await undo(ann, raise?.id)).toMatchObject(changedAgain)
  expect((await ann.get('/transactions?select=amount')).body).toEqual([{ amount: -30 }])
})

test('undo is recorded and can itself be undone, repeatedly', async () => {
  const ann = await someone()
  await ann.create('tags', { name: 'one' })
  const names = async () => (await ann.get('/tags?select=name')).body
  for (const expected of [[], [{ name: 'one' }], [], [{ name: 'one' }]]) {
    expect((await undoLast(ann)).status).toBe(200)
    expect(await names()).toEqual(expected)
  }
})

test('undo of a deleted category returns its transactions to it, deleted by DELETE or by delete_category', async () => {
  const ann = await someone()
  const [food, home] = await ann.create('categories', [{ name: 'Food' }, { name: 'Home' }])
  const rows = await ann.create('transactions', [{ name: 'a', amount: -1, category_id: food.id }, {
    name: 'b',
    amount: -2,
    category_id: food.id,
  }])
  const item = await ann.create('line_items', {
    transaction_id: rows[0].id,
    name: 'part',
    amount: -1,
    category_id: food.id,
  })
  const subscription = await ann.create('subscriptions', {
    title: 'Box',
    amount: 9,
    period: 'weekly',
    category_id: food.id,
  })
  await ann.create('budgets', { category_id: food.id, amount: 100 })
  const filed = async () => [
    (await ann.get(`/transactions?category_id=eq.${food.id}`)).body.length,
    (await ann.get(`/line_items?id=eq.${item.id}&category_id=eq.${food.id}`)).body.length,
    (await ann.get(`/subscriptions?id=eq.${subscription.id}&category_id=eq.${food.id}`)).body
      .length,
    (await ann.get(`/budgets?category_id=eq.${food.id}`)).body.length,
  ]
  await ann.delete(`/categories?id=eq.${food.id}`)
  expect(await undoLast(ann)).toMatchObject({ status: 200, body: { create: 2, update: 4 } })
  expect(await filed()).toEqual([2, 1, 1, 1])
  await ann.post('/rpc/delete_category', { p_category_id: food.id, p_replacement_id: home.id })
  expect(await undoLast(ann)).toMatchObject({ status: 200, body: { create: 2, update: 4 } })
  expect(await filed()).toEqual([2, 1, 1, 1])
})

test('undo is 409 and stores nothing if one row has changed since', async () => {
  const ann = await someone()
  const rows = await ann.create('transactions', [{ name: 'a', amount: -1 }, {
    name: 'b',
    amount: -2,
  }])
  await ann.patch('/transactions?amount=lt.0', { status: 'failed' })
  const [edit] = await lastOf(ann)
  await ann.patch(`/transactions?id=eq.${rows[1].id}`, { description: 'mine' })
  expect(await undo(ann, edit?.id)).toMatchObject(changedAgain)
  expect((await ann.get('/transactions?status=eq.failed')).body).toHaveLength(2)
})

test('undo of a creation is 409 if the row was changed or is referenced since', async () => {
  const ann = await someone()
  const tag = await ann.create('tags', { name: 'used' })
  const [creation] = await lastOf(ann)
  const transaction = await ann.create('transactions', { name: 'a', amount: -1 })
  await ann.create('transaction_tags', { transaction_id: transaction.id, tag_id: tag.id })
  expect(await undo(ann, creation?.id)).toMatchObject(changedAgain)
  expect((await ann.get('/transaction_tags')).body).toHaveLength(1)
  await ann.delete('/transaction_tags?tag_id=not.is.null')
  await ann.patch('/tags?name=eq.used', { name: 'other' })
  expect(await undo(ann, creation?.id)).toMatchObject(changedAgain)
})

test('undo is 409 if a row that the deleted row refers to no longer exists, or if its unique key is in use', async () => {
  const ann = await someone()
  const category = await ann.create('categories', { name: 'Food' })
  const row = await ann.create('transactions', { name: 'a', amount: -1, category_id: category.id })
  await ann.delete(`/transactions?id=eq.${row.id}`)
  const [deletion] = await lastOf(ann)
  await ann.delete(`/categories?id=eq.${category.id}`)
  expect(await undo(ann, deletion?.id)).toMatchObject(changedAgain)
  expect((await undoLast(ann)).status).toBe(200)
  await ann.create('transactions', { id: row.id, name: 'another', amount: 1 })
  expect(await undo(ann, deletion?.id)).toMatchObject(changedAgain)
  expect((await ann.get('/transactions?select=name')).body).toEqual([{ name: 'another' }])
})

test('undo recognizes a bulk creation by its remaining rows, also if they were changed and changed back', async () => {
  const ann = await someone()
  await ann.create(
    'transactions',
    Array.from({ length: 150 }, (_, n) => ({ name: `row ${n}`, amount: n })),
  )
  const [creation] = await lastOf(ann)
  await ann.patch('/transactions?name=eq.row 7', { name: 'seven' })
  expect(await undo(ann, creation?.id)).toMatchObject(changedAgain)
  expect((await undoLast(ann)).status).toBe(200)
  expect(await undo(ann, creation?.id)).toMatchObject({ status: 200, body: { delete: 150 } })
  expect((await ann.get('/transactions')).body).toEqual([])
  expect(await undoLast(ann)).toMatchObject({ status: 200, body: { create: 150 } })
})

test('undo of a bulk creation keeps the rows that a concurrent, waiting request changed', async () => {
  const account = await stack.person('ann')
  const ann = stack.as(account)
  await stack.owner.query('begin; select now()')
  await ann.create(
    'transactions',
    Array.from({ length: 150 }, (_, n) => ({ name: `row ${n}`, amount: n })),
  )
  const [creation] = await lastOf(ann)
  await stack.owner.query(
    `set local role authenticated; select set_config('request.jwt.claims', '${
      JSON.stringify({ user_id: account.id, claims: {} })
    }', true);
      update api.transactions set amount = -999 where name = 'row 120'; commit`,
  )
  expect(await undo(ann, creation?.id)).toMatchObject(changedAgain)
  expect((await ann.get('/transactions?select=amount&name=eq.row 120')).body).toEqual([{
    amount: -999,
  }])
})

test("undo does not reach another user's row with an id that the caller once used", async () => {
  const [ann, eve] = [await someone(), await someone()]
  const id = randomUUID()
  const news = { id, title: 'Newspaper', amount: 12, period: 'monthly', starts_on: '2025-01-01' }
  await ann.create('subscriptions', news)
  const deletion = async () => {
    await ann.delete(`/subscriptions?id=eq.${id}`)
    return (await lastOf(ann))[0]?.id
  }
  const gone = await deletion()
  await eve.create('subscriptions', news)
  const [creation] = await lastOf(eve)
  await eve.patch(`/subscriptions?id=eq.${id}`, { amount: 13 })
  const [change] = await lastOf(eve)
  await eve.delete(`/subscriptions?id=eq.${id}`)
  expect((await undo(ann, gone)).status).toBe(200)
  expect(await undo(eve, creation?.id)).toMatchObject(changedAgain)
  // The row is still as Eve's change left it.
  await ann.patch(`/subscriptions?id=eq.${id}`, { amount: 13 })
  expect(await undo(eve, change?.id)).toMatchObject(changedAgain)
  expect((await ann.get(`/subscriptions?id=eq.${id}&select=amount`)).body).toEqual([{ amount: 13 }])
})

test('undo finds a row that was changed in another time zone', async () => {
  const ann = await someone()
  const { id } = await ann.create('transactions', { name: 'Tea', amount: -2 })
  await ann.patch(`/transactions?id=eq.${id}`, { name: 'Coffee', transaction_date: '2025-07-01' }, {
    prefer: 'timezone=Asia/Tokyo',
  })
  expect((await undoLast(ann)).body).toMatchObject({ update: 1 })
  expect((await ann.get(`/transactions?id=eq.${id}&select=name`)).body).toEqual([{ name: 'Tea' }])
})

test('undo does not move both halves of a transfer into one account', async () => {
  const ann = await someone()
  const account = async (name: string) =>
    (await ann.create('accounts', { name, type: 'checking' })).id as string
  const [one, two, three] = [await account('one'), await account('two'), await account('three')]
  const { body: [out, back] } = await ann.post('/rpc/create_transfer', {
    from_account_id: one,
    to_account_id: three,
    amount: 5,
  })
  await ann.patch(`/transactions?id=eq.${out.id}`, { account_id: two })
  const [move] = await lastOf(ann)
  await ann.patch(`/transactions?id=eq.${back.id}`, { account_id: one })
  expect(await undo(ann, move?.id)).toMatchObject(changedAgain)
  expect((await ann.get('/transactions?select=account_id&order=amount')).body).toEqual([{
    account_id: two,
  }, { account_id: one }])
})

test('undo of an activity that the caller cannot see is 404, same as of a missing one', async () => {
  const mine = await someone()
  await mine.create('tags', { name: 'mine' })
  const [row] = await lastOf(mine)
  const answers = [
    await undo(stack.as(outsider), row?.id),
    await undo(owner, row?.id),
    await undo(owner, undefined),
  ]
  for (const answer of answers)
    expect(answer).toMatchObject({
      status: 404,
      body: { code: 'PT404', message: 'activity not found' },
    })
  expect(await undo(stack.anonymous, row?.id)).toMatchObject({ status: 401 })
  expect((await mine.get('/tags')).body).toHaveLength(1)
})

test("undo of an editor's change does not overwrite a later change of another member", async () => {
  const editor = stack.as(members.editor, team)
  const tag = await editor.create('tags', { name: 'first' })
  await editor.patch(`/tags?id=eq.${tag.id}`, { name: 'second' })
  const [change] = (await editor.get(`/activity?row_id=eq.${tag.id}&action=eq.update`)).body
  await owner.patch(`/tags?id=eq.${tag.id}`, { name: 'third' })
  expect(await undo(editor, change.id)).toMatchObject(changedAgain)
  expect((await owner.get(`/tags?id=eq.${tag.id}&select=name`)).body).toEqual([{ name: 'third' }])
})

test.each(roles)(
  "undo of an editor's change is allowed to that editor, the owner and the admin: %s",
  async (role) => {
    const editor = stack.as(members.editor, team)
    const tag = await editor.create('tags', { name: 'slip' })
    await editor.delete(`/tags?id=eq.${tag.id}`)
    const [slip] = (await owner.get(`/activity?row_id=eq.${tag.id}&action=eq.delete`)).body
    const answer = await undo(stack.as(members[role], team), slip.id)
    expect(answer.status).toBe(role === 'viewer' ? 404 : 200)
    expect((await owner.get(`/tags?id=eq.${tag.id}`)).body).toEqual(role === 'viewer' ? [] : [tag])
  },
)

test("undo of a delete without a filter restores the caller's own rows, and the team's rows only if the role allows it", async () => {
  const both = await stack.person('both')
  const club = await stack.organization({ owner: members.owner, editor: both })
  const editor = stack.as(both, club)
  const admin = stack.as(members.owner, club)
  await editor.create('tags', [{ name: 'mine', organization_id: null }, {
    name: 'ours',
    organization_id: club.id,
  }])
  await editor.delete('/tags')
  const [seen] = (await editor.get('/activity?action=eq.delete&organization_id=is.null')).body
  // The owner restores the team's rows, but cannot restore the editor's personal rows.
  expect(await undo(admin, (await lastOf(admin))[0]?.id)).toMatchObject({
    status: 200,
    body: { create: 1 },
  })
  expect((await editor.get('/tags?select=name')).body).toEqual([{ name: 'ours' }])
  // The remaining rows are the editor's personal ones. The team's rows prevent their return only
  // while the team is active.
  expect(await undo(editor, seen.id)).toMatchObject(changedAgain)
  expect(await undo(stack.as(both), seen.id)).toMatchObject({ status: 200, body: { create: 1 } })
})

test('undo by a former editor who is now a viewer is 403 while the team is active, and otherwise restores the personal rows', async () => {
  const fallen = await stack.person('fallen')
  const club = await stack.organization({ owner: members.owner, editor: fallen })
  const before = stack.as(fallen, club)
  await before.create('tags', [{ name: 'mine', organization_id: null }, {
    name: 'ours',
    organization_id: club.id,
  }])
  await before.delete('/tags')
  await stack.owner.query(`update auth.members set role = 'viewer' where user_id = $1`, [fallen.id])
  const viewer = stack.as(fallen, { id: club.id, members: new Map([[fallen.id, 'viewer']]) })
  const [seen] = (await viewer.get('/activity?action=eq.delete')).body
  expect(await undo(viewer, seen.id)).toMatchObject({
    status: 403,
    body: { code: '42501', message: 'permission denied for table tags' },
  })
  expect((await viewer.get('/tags')).body).toEqual([])
  expect(await undo(stack.as(fallen), seen.id)).toMatchObject({ status: 200, body: { create: 1 } })
})

test("undo restores a team's rows without the user whose account was deleted since", async () => {
  const leaving = await stack.person('leaving')
  const club = await stack.organization({ owner: members.owner, editor: leaving })
  const admin = stack.as(members.owner, club)
  const left = await stack.as(leaving, club).create('tags', { name: 'left' })
  await admin.delete('/tags')
  await stack.owner.query('delete from auth.users where id = $1', [leaving.id])
  expect((await undoLast(admin)).status).toBe(200)
  expect((await admin.get('/tags')).body).toEqual([{ ...left, user_id: null }])
})

test('undo waits for concurrent writers of the same rows', async () => {
  await owner.create('tags', { name: 'turn' })
  const [row] = await lastOf(owner)
  const release = await holdLock(
    stack.ownerUrl,
    `select from private.tenants where tenant = 'o:' || $1 for no key update`,
    [team.id],
  )
  const undone = undo(owner, row?.id)
  const waiting = () =>
    stack.owner.query(
      `select from pg_stat_activity where datname = current_database() and usename = 'authenticator' and wait_event_type = 'Lock'`,
    )
  await expect.poll(async () => (await waiting()).rowCount).toBe(1)
  await release()
  expect(await undone).toMatchObject({ status: 200, body: { delete: 1 } })
})

test('undo reverts an import, and restores a reverted one', async () => {
  const ann = await someone()
  const p_rows = Array.from(
    { length: 120 },
    (_, n) => ({
      name: `row ${n}`,
      amount: n + 1,
      transaction_date: '2025-01-02',
      external_id: `${n}`,
    }),
  )
  expect(
    (await ann.post('/rpc/import_transactions', { p_rows, p_source: 'bank', p_dry_run: false }))
      .status,
  ).toBe(200)
  const stored =
    async () => [(await ann.get('/imports')).body, (await ann.get('/transactions?order=id')).body]
  const before = await stored()
  await ann.delete('/imports?source=eq.bank')
  expect(await stored()).toEqual([[], []])
  expect(await undoLast(ann)).toMatchObject({ status: 200, body: { create: 121 } })
  expect(await stored()).toEqual(before)
  const [creation] =
    (await ann.get('/activity?action=eq.create&table_name=eq.imports&order=id&limit=1')).body
  expect(await undo(ann, creation.id)).toMatchObject({ status: 200, body: { delete: 121 } })
  expect(await stored()).toEqual([[], []])
})

test('undo of a change or deletion of thousands of rows takes one request', async () => {
  const ann = await someone()
  const rows = Array.from(
    { length: 2_000 },
    (_, n) => ({
      id: randomUUID(),
      name: `row ${n}`,
      amount: n,
      status: n % 2 === 0 ? 'paid' : 'pending',
    }),
  )
  expect((await ann.post('/transactions', rows)).status).toBe(201)
  expect(await ann.patch('/transactions', { status: 'failed' })).toMatchObject({ status: 204 })
  expect(await undoLast(ann)).toMatchObject({ status: 200, body: { update: 2_000 } })
  expect(
    (await ann.head('/transactions?status=eq.pending', { prefer: 'count=exact' })).headers.get(
      'content-range',
    ),
  ).toMatch(/\/1000$/)
  expect(await ann.delete('/transactions')).toMatchObject({ status: 204 })
  expect(await undoLast(ann)).toMatchObject({ status: 200, body: { create: 2_000 } })
  expect(
    (await ann.head('/transactions?status=eq.pending', { prefer: 'count=exact' })).headers.get(
      'content-range',
    ),
  ).toMatch(/\/1000$/)
})

describe('an undo that names the id of a deleted transaction, which another tenant now uses,', () => {
  const changeOf = async (caller: Caller, table: string, action: string) =>
    (await caller.get(
      `/activity?table_name=eq.${table}&action=eq.${action}&order=id.desc&limit=1&select=id`,
    )).body[0].id as string
  const transaction = (row: object = {}) => ({ name: 'Shopping', amount: -20, ...row })

  /**
   * Creates a transaction with a line item and a tag, moves these two to a second transaction or
   * deletes them, then deletes the first transaction.
   */
  async function left(caller: Caller, organization_id: string | null, how: 'moved' | 'deleted') {
    const inOrganization = (row: object) => ({ organization_id, ...row })
    const [{ id }, { id: second }] = await caller.create('transactions', [
      transaction({ organization_id }),
      transaction({ organization_id }),
    ])
    const { id: item } = await caller.create('line_items', {
      transaction_id: id,
      name: 'Bread',
      amount: -2,
    })
    const { id: tag } = await caller.create('tags', inOrganization({ name: 'trip' }))
    await caller.create('transaction_tags', { transaction_id: id, tag_id: tag })
    for (const part of [`line_items?id=eq.${item}`, `transaction_tags?transaction_id=eq.${id}`])
      expect(
        (await (how === 'deleted'
          ? caller.delete(`/${part}`)
          : caller.patch(`/${part}`, { transaction_id: second }))).status,
      ).toBe(204)
    const ofItem = await changeOf(caller, 'line_items', how === 'deleted' ? 'delete' : 'update')
    const ofTag = await changeOf(caller, 'transaction_tags', 'delete')
    await caller.delete(`/transactions?id=eq.${id}`)
    return { id, changes: [ofItem, ofTag] }
  }
  const partsOf = async (id: string) =>
    (await stack.owner.query(
      'select transaction_id from api.line_items where transaction_id = $1 union all select transaction_id from api.transaction_tags where transaction_id = $1',
      [id],
    )).rows

  test.each(['deleted', 'moved'] as const)(
    'an undo that names the id of a deleted transaction, which another tenant now uses, adds no part that was %s to the transaction of a team',
    async (how) => {
      const mallory = stack.as(await stack.person('mallory'))
      const { id, changes } = await left(mallory, null, how)
      await owner.create('transactions', transaction({ id }))
      for (const change of changes) expect(await undo(mallory, change)).toMatchObject(changedAgain)
      expect(await partsOf(id)).toEqual([])
    },
  )

  test.each(['deleted', 'moved'] as const)(
    'an undo that names the id of a deleted transaction, which another tenant now uses, adds no part of a team that was %s to the personal transaction of another user',
    async (how) => {
      const mallory = stack.as(await stack.person('mallory'))
      const { id, changes } = await left(owner, team.id, how)
      await mallory.create('transactions', transaction({ id }))
      for (const change of changes) expect(await undo(owner, change)).toMatchObject(changedAgain)
      expect(await partsOf(id)).toEqual([])
      for (const table of ['line_items', 'transaction_tags'])
        expect((await mallory.get(`/${table}`)).body).toEqual([])
    },
  )
})

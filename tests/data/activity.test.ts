/** Activity: the database records each change, and only entitled users read the record. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  dataStack,
  returning,
  roles,
  type Account,
  type Caller,
  type DataStack,
  type Organization,
  type Role,
} from '../support/data.ts'
import { samples, tables } from '../support/tables.ts'
import { lastOf, undo } from './activity-calls.ts'

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

test.each(tables.filter((table) => table !== 'dashboards'))(
  'a request that creates, changes and deletes a row of %s is recorded',
  async (table) => {
    const ann = await someone()
    const sample = samples[table]!
    const row = await ann.create(table, await sample.row(ann, {}))
    const id = row.id ?? row.transaction_id
    expect(await lastOf(ann)).toMatchObject([{
      action: 'create',
      table_name: table,
      row_id: id,
      before: null,
      after: row,
      organization_id: null,
    }])
    const { body: [changed] } = await ann.patch(
      `/${table}?${sample.where(row)}`,
      await sample.change(ann, {}),
      returning,
    )
    if (table === 'transaction_tags') {
      const all = (await lastOf(ann)).toSorted((a, b) => a.action < b.action ? -1 : 1)
      expect(all).toMatchObject([{ action: 'create', after: changed }, {
        action: 'delete',
        before: row,
      }])
    } else expect(await lastOf(ann)).toMatchObject([{
        action: 'update',
        row_id: id,
        before: row,
        after: changed,
      }])
    await ann.delete(`/${table}?${sample.where(row)}`)
    expect(await lastOf(ann)).toMatchObject([{
      action: 'delete',
      row_id: id,
      before: changed,
      after: null,
    }])
  },
)

test('a request that arranges a dashboard is not recorded', async () => {
  const ann = await someone()
  await ann.create('dashboards', await samples['dashboards']!.row(ann, {}))
  expect((await ann.get('/activity')).body).toEqual([])
})

test('a request is recorded with its effects on other rows, under one change_id, with actor and time', async () => {
  const ada = await stack.person('ada')
  const ann = stack.as(ada)
  const { id } = await ann.create('categories', { name: 'Food' })
  const transaction = await ann.create('transactions', {
    name: 'Bread',
    amount: -2,
    category_id: id,
  })
  await ann.create('budgets', { category_id: id, amount: 20 })
  await ann.delete(`/categories?id=eq.${id}`)
  const all = await lastOf(ann)
  expect(all.map(({ table_name, action }) => `${action} ${table_name}`).toSorted()).toEqual([
    'delete budgets',
    'delete categories',
    'update transactions',
  ])
  expect(all.find(({ action }) => action === 'update')).toMatchObject({
    row_id: transaction.id,
    before: { category_id: id },
    after: { category_id: null },
    actor_id: ada.id,
    user_id: ada.id,
  })
  expect(new Set(all.map(({ happened_at }) => happened_at)).size).toBe(1)
})

test('a request that changes nothing, is refused or is rolled back is not recorded', async () => {
  const ann = await someone()
  const { id } = await ann.create('transactions', { name: 'Tea', amount: -2 })
  await ann.patch(`/transactions?id=eq.${id}`, { name: 'Tea' })
  await ann.patch(`/transactions?id=eq.${id}`, { status: 'done' })
  await ann.patch(`/transactions?id=eq.${id}`, { name: 'Coffee' }, { prefer: 'tx=rollback' })
  expect(await ann.get('/activity?select=action')).toMatchObject({ body: [{ action: 'create' }] })
})

test('a request that upserts records the created and the changed rows', async () => {
  const ann = await someone()
  const existing = await ann.create('tags', { name: 'old' })
  await ann.post('/tags', [{ id: existing.id, name: 'new' }, { id: randomUUID(), name: 'other' }], {
    prefer: 'resolution=merge-duplicates',
  })
  expect((await lastOf(ann)).map(({ action, after }) => `${action} ${after.name}`).toSorted())
    .toEqual(['create other', 'update new'])
})

test('a request that creates many rows records all ids, and the contents of the first hundred', async () => {
  const ann = await someone()
  const rows = await ann.create(
    'transactions',
    Array.from({ length: 150 }, (_, n) => ({ name: `row ${n}`, amount: n })),
  )
  const all = await lastOf(ann)
  expect(all.map(({ action, row_id }) => `${action} ${row_id}`).toSorted()).toEqual(
    rows.map(({ id }: { id: string }) => `create ${id}`).toSorted(),
  )
  expect(all.map(({ after }) => after)).toEqual([
    ...rows.slice(0, 100),
    ...Array.from({ length: 50 }, () => null),
  ])
})

test('a request of the operator is not recorded', async () => {
  const ada = await stack.person('ada')
  await stack.owner.query(
    `insert into api.tags (name, user_id, organization_id) values ('operator', $1, null)`,
    [ada.id],
  )
  expect((await stack.as(ada).get('/activity')).body).toEqual([])
})

test("activity of a team's owner is readable by owner and admin, and by no editor, viewer or stranger", async () => {
  const { id } = await owner.create('tags', { name: 'ours' })
  for (const role of roles) {
    const seen = (await stack.as(members[role], team).get(`/activity?row_id=eq.${id}`)).body
    expect(seen, role).toHaveLength(['owner', 'admin'].includes(role) ? 1 : 0)
  }
  const elsewhere = await stack.organization({ owner: outsider })
  for (
    const other of [
      stack.as(outsider),
      stack.as(outsider, elsewhere),
      stack.as(members.owner),
      stack.anonymous,
    ]
  ) {
    expect((await other.get(`/activity?row_id=eq.${id}`)).body).toEqual([])
  }
})

test('activity of an editor is readable by that editor, and by no other editor or outsider', async () => {
  const [chief, doer, other] = [
    await stack.person('chief'),
    await stack.person('doer'),
    await stack.person('other'),
  ]
  const club = await stack.organization({ owner: chief, editor: doer })
  await stack.owner.query(
    `insert into auth.members (id, organization_id, user_id, role) values ($1, $2, $3, 'editor')`,
    [randomUUID(), club.id, other.id],
  )
  const second = { id: club.id, members: new Map([[other.id, 'editor' as const]]) }
  const { id } = await stack.as(doer, club).create('tags', { name: 'ours' })
  const seenBy = async (caller: Caller) =>
    (await caller.get(`/activity?row_id=eq.${id}&select=action,actor_id`)).body
  expect(await seenBy(stack.as(doer, club))).toEqual([{ action: 'create', actor_id: doer.id }])
  expect(await seenBy(stack.as(chief, club))).toHaveLength(1)
  for (const caller of [stack.as(other, second), stack.as(doer), stack.anonymous])
    expect(await seenBy(caller)).toEqual([])
  const change = (await stack.as(doer, club).get(`/activity?row_id=eq.${id}`)).body[0].id
  expect(await undo(stack.as(other, second), change)).toMatchObject({ status: 404 })
  await stack.owner.query(`update auth.members set role = 'viewer' where user_id = $1`, [doer.id])
  const viewer = stack.as(doer, { id: club.id, members: new Map([[doer.id, 'viewer' as const]]) })
  expect(await seenBy(viewer)).toEqual([])
  expect(await undo(viewer, change)).toMatchObject({ status: 404 })
})

test('activity of personal rows is readable only by their owner, in every context', async () => {
  const editor = stack.as(members.editor, team)
  const { id } = await editor.create('tags', { name: 'mine', organization_id: null })
  expect((await editor.get(`/activity?row_id=eq.${id}`)).body).toHaveLength(1)
  expect((await stack.as(members.editor).get(`/activity?row_id=eq.${id}`)).body).toHaveLength(1)
  expect((await owner.get(`/activity?row_id=eq.${id}`)).body).toEqual([])
})

test('activity of a team is no longer readable by a removed member, and stays readable for the team', async () => {
  const gone = await stack.person('gone')
  const club = await stack.organization({ owner: members.owner, admin: gone })
  const { id } = await stack.as(gone, club).create('tags', { name: 'left' })
  await stack.owner.query('delete from auth.members where user_id = $1', [gone.id])
  expect(await stack.as(gone, club).get('/activity')).toMatchObject({ status: 401 })
  expect((await stack.as(gone).get('/activity')).body).toEqual([])
  const [kept] = (await stack.as(members.owner, club).get(`/activity?row_id=eq.${id}`)).body
  expect(kept).toMatchObject({ actor_id: gone.id, user_id: null })
  expect(await undo(stack.as(gone), kept.id)).toMatchObject({ status: 404 })
})

test('activity cannot be written, changed or deleted by any client', async () => {
  await owner.create('tags', { name: 'kept' })
  const [row] = await lastOf(owner)
  const denied = { code: '42501', message: 'permission denied for table activity' }
  for (
    const answer of [
      await owner.post('/activity', { ...row, id: randomUUID() }),
      await owner.post('/activity', row, { prefer: 'resolution=merge-duplicates' }),
      await owner.patch(`/activity?id=eq.${row?.id}`, { actor_id: 'another' }),
      await owner.delete(`/activity?id=eq.${row?.id}`),
      await owner.delete('/activity'),
    ]
  ) expect(answer).toMatchObject({ status: 403, body: denied })
  for (const role of ['anon', 'authenticated', 'authenticator', 'auth_service']) {
    const { rows } = await stack.owner.query(
      `select has_table_privilege($1, 'api.activity', 'insert, update, delete, truncate, references, trigger') as may`,
      [role],
    )
    expect(rows, role).toEqual([{ may: false }])
  }
})

test('activity is deleted with its user and with its organization', async () => {
  const leaving = await stack.person('leaving')
  const club = await stack.organization({ owner: leaving })
  await stack.as(leaving).create('tags', { name: 'mine' })
  await stack.as(leaving, club).create('tags', { name: 'ours' })
  const left = async () =>
    (await stack.owner.query('select from api.activity where actor_id = $1', [leaving.id])).rowCount
  expect(await left()).toBe(2)
  await stack.owner.query('delete from auth.organizations where id = $1', [club.id])
  expect(await left()).toBe(1)
  await stack.owner.query('delete from auth.users where id = $1', [leaving.id])
  expect(await left()).toBe(0)
})

test('activity expires after some days, the oldest first, and never half of a request', async () => {
  const ann = await someone()
  await ann.create('tags', Array.from({ length: 4 }, (_, n) => ({ name: `old ${n}` })))
  const [{ change_id: old } = {}] = await lastOf(ann)
  await ann.create('tags', { name: 'new' })
  await stack.owner.query(
    `update api.activity set id = private.activity_id(private.activity_id_prefix(now() - interval '31 days', change_id), row), happened_at = now() - interval '31 days'
       from (select id as was, row_number() over () as row from api.activity where change_id = $1) r where id = was`,
    [old],
  )
  const forget = async (days: number) =>
    (await stack.owner.query(`select private.forget_activity($1, 2) as rows`, [days])).rows[0].rows
  expect(await forget(36_500)).toBe('0')
  expect(await forget(32)).toBe('0')
  expect(await forget(30)).toBe('4')
  expect((await ann.get('/activity?select=after->>name')).body).toEqual([{ name: 'new' }])
})

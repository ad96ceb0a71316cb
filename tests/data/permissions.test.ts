/**
 * The interface's table of roles, as a page to read: each role and operation, on team rows and on
 * personal ones. It shows three tables, one of each kind. tests/isolation has all tables.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
import { samples } from '../support/tables.ts'

/**
 * A table with rights of its own, one with those of the transactions, and one whose rows belong to
 * a transaction.
 */
const tables = ['dashboards', 'transactions', 'line_items']

/**
 * "Roles and permissions", copied from the interface. Categories, tags and the parts of a
 * transaction follow the transactions.
 */
const interfaceTable = `
| Role   | Transactions, subscriptions, accounts | Dashboards                         |
| owner  | list, get, create, update, delete     | list, get, create, update, delete  |
| admin  | list, get, create, update, delete     | list, get, create, update, delete  |
| editor | list, get, create, update, delete     | list, get, create, update, delete  |
| viewer | list, get                             | list, get                          |
`
const rights = new Map(
  interfaceTable.trim().split('\n').slice(1).map((line) => {
    const [role = '', rows = '', dashboards = ''] = line.split('|').slice(1).map((cell) =>
      cell.trim()
    )
    return [role, { rows: rows.split(', '), dashboards: dashboards.split(', ') }]
  }),
)
const may = (role: Role, table: string, action: string) => {
  const right = rights.get(role)
  return (table === 'dashboards' ? right?.dashboards : right?.rows)?.includes(action) === true
}

const denied = (table: string) => ({
  code: '42501',
  message: `permission denied for table ${table}`,
  details: null,
  hint: null,
})

let stack: DataStack
const members = {} as Record<Role, Account>
let outsider: Account
let team: Organization
/** The outsider's own organization. */
let elsewhere: Organization
let owner: Caller

beforeAll(async () => {
  stack = await dataStack()
  for (const role of roles) members[role] = await stack.person(role)
  outsider = await stack.person('outsider')
  team = await stack.organization(members)
  elsewhere = await stack.organization({ owner: outsider })
  owner = stack.as(members.owner, team)
})
afterAll(() => stack.stop())

const sample = (table: string) => {
  const found = samples[table]
  if (found === undefined) throw new Error(`no sample row of ${table}`)
  return found
}
/** Creates a row of the team, as its owner. */
async function teamRow(table: string): Promise<Record<string, unknown>> {
  return owner.create(table, await sample(table).row(owner, {}))
}
const unchanged = async (table: string, row: Record<string, unknown>) => {
  expect((await owner.get(`/${table}?${sample(table).where(row)}`)).body).toEqual([row])
}

describe.each(tables)('%s of an organization', (table) => {
  const { row: newRow, change, where } = sample(table)

  test.each(roles)('allow the %s exactly the operations of the table of roles', async (role) => {
    const caller = stack.as(members[role], team)
    const row = await teamRow(table)
    const changed = await change(owner, {})
    const body = await newRow(owner, {})

    const listed = await caller.get(`/${table}`)
    expect(listed.body).toEqual(may(role, table, 'list') ? expect.arrayContaining([row]) : [])
    const one = await caller.get(`/${table}?${where(row)}`, {
      accept: 'application/vnd.rest.object+json',
    })
    expect(one).toMatchObject(
      may(role, table, 'get') ? { status: 200, body: row } : { status: 406 },
    )

    const created = await caller.post(`/${table}`, body, returning)
    if (may(role, table, 'create')) expect(created).toMatchObject({ status: 201, body: [body] })
    else expect(created).toMatchObject({ status: 403, body: denied(table) })

    const updated = await caller.patch(`/${table}?${where(row)}`, changed, returning)
    if (may(role, table, 'update')) expect(updated).toMatchObject({ status: 200, body: [changed] })
    else {
      expect(updated).toMatchObject({ status: 403, body: denied(table) })
      await unchanged(table, row)
    }

    const deleted = await caller.delete(`/${table}?${where(row)}`)
    if (may(role, table, 'delete')) {
      expect(deleted.status).toBe(204)
      expect((await owner.get(`/${table}?${where(row)}`)).body).toEqual([])
    } else {
      expect(deleted).toMatchObject({ status: 403, body: denied(table) })
      await unchanged(table, row)
    }
  })

  test("refuse a viewer's upsert or PUT, same as an update", async () => {
    const viewer = stack.as(members.viewer, team)
    const row = await teamRow(table)
    const again = { ...row, ...await change(owner, {}) }
    expect(await viewer.post(`/${table}`, again, { prefer: 'resolution=merge-duplicates' }))
      .toMatchObject({ status: 403, body: denied(table) })
    expect(await viewer.put(`/${table}?${where(row)}`, again)).toMatchObject({
      status: 403,
      body: denied(table),
    })
    await unchanged(table, row)
  })

  test('are invisible to an outsider, who cannot change them', async () => {
    const caller = stack.as(outsider)
    const row = await teamRow(table)
    expect((await caller.get(`/${table}?${where(row)}`)).body).toEqual([])
    expect(await caller.patch(`/${table}?${where(row)}`, await change(owner, {}), returning))
      .toMatchObject({ status: 200, body: [] })
    expect((await caller.delete(`/${table}?${where(row)}`)).status).toBe(204)
    const forged = await caller.post(`/${table}`, await newRow(owner, { organization_id: team.id }))
    // The outsider cannot add a part to a transaction of the team.
    if (table === 'line_items')
      expect(forged).toMatchObject({ status: 409, body: { code: '23503' } })
    else expect(forged).toMatchObject({ status: 403, body: denied(table) })
    await unchanged(table, row)
  })

  test('are invisible to a member of another organization', async () => {
    const stranger = stack.as(outsider, elsewhere)
    const row = await teamRow(table)
    expect((await stranger.get(`/${table}?${where(row)}`)).body).toEqual([])
    expect(await stranger.patch(`/${table}?${where(row)}`, await change(owner, {}), returning))
      .toMatchObject({ status: 200, body: [] })
    expect((await stranger.delete(`/${table}?${where(row)}`)).status).toBe(204)
    await unchanged(table, row)
  })

  test('are invisible to members in the personal context', async () => {
    const row = await teamRow(table)
    expect((await stack.as(members.owner).get(`/${table}?${where(row)}`)).body).toEqual([])
  })

  test('are an empty array to an anonymous caller, whose writes are refused', async () => {
    const row = await teamRow(table)
    expect(await stack.anonymous.get(`/${table}`)).toMatchObject({ status: 200, body: [] })
    for (
      const answer of [
        await stack.anonymous.post(`/${table}`, await newRow(owner, {})),
        await stack.anonymous.patch(`/${table}?${where(row)}`, await change(owner, {})),
        await stack.anonymous.delete(`/${table}?${where(row)}`),
      ]
    ) expect(answer).toMatchObject({ status: 401, body: denied(table) })
    await unchanged(table, row)
  })
})

describe.each(tables)('personal %s', (table) => {
  const { row: newRow, change, where } = sample(table)
  const personal = { organization_id: null }

  test.each(roles)(
    'allow their user everything, even if the user is %s in an organization',
    async (role) => {
      const caller = stack.as(members[role], team)
      const row = await caller.create(table, await newRow(caller, personal))
      const changed = await change(caller, personal)
      expect((await caller.get(`/${table}`)).body).toContainEqual(row)
      expect(await caller.patch(`/${table}?${where(row)}`, changed, returning)).toMatchObject({
        status: 200,
        body: [changed],
      })
      expect((await caller.delete(`/${table}?${where(row)}`)).status).toBe(204)
      expect((await caller.get(`/${table}?${where(row)}`)).body).toEqual([])
    },
  )

  test('are invisible to others, even to a colleague', async () => {
    const mine = stack.as(members.viewer)
    const row = await mine.create(table, await newRow(mine, {}))
    for (const other of [owner, stack.as(members.admin), stack.as(outsider), stack.anonymous]) {
      expect((await other.get(`/${table}?${where(row)}`)).body).toEqual([])
    }
    expect(await owner.patch(`/${table}?${where(row)}`, await change(mine, {}), returning))
      .toMatchObject({ status: 200, body: [] })
    expect((await owner.delete(`/${table}?${where(row)}`)).status).toBe(204)
    expect((await mine.get(`/${table}?${where(row)}`)).body).toEqual([row])
  })
})

describe('a viewer', () => {
  test("who updates all visible rows is refused as a whole if one of them is the team's", async () => {
    const viewer = stack.as(members.viewer, team)
    const mine = await viewer.create('transactions', {
      name: 'Mine',
      amount: 1,
      organization_id: null,
    })
    await owner.create('transactions', { name: 'Ours', amount: 1 })
    expect(await viewer.patch('/transactions?name=in.(Mine,Ours)', { description: 'x' }))
      .toMatchObject({ status: 403, body: denied('transactions') })
    expect(await viewer.delete('/transactions?name=in.(Mine,Ours)')).toMatchObject({
      status: 403,
      body: denied('transactions'),
    })
    expect((await viewer.get(`/transactions?id=eq.${mine.id}`)).body).toEqual([mine])
  })

  test('a viewer sees the shared and public dashboards of the organization, and the other roles also see the private ones', async () => {
    const layout = { widgets: [] }
    const rows = await owner.create(
      'dashboards',
      ['private', 'shared', 'public'].map((visibility) => ({
        name: `walk ${visibility}`,
        layout,
        visibility,
      })),
    )
    const seen = async (role: Role) =>
      (await stack.as(members[role], team).get(
        '/dashboards?name=like.walk*&select=visibility&order=visibility',
      )).body.map((row: { visibility: string }) => row.visibility)
    for (const role of ['owner', 'admin', 'editor'] as const)
      expect(await seen(role)).toEqual(['private', 'public', 'shared'])
    expect(await seen('viewer')).toEqual(['public', 'shared'])
    const viewer = stack.as(members.viewer, team)
    expect(
      await viewer.patch(`/dashboards?id=eq.${rows[0].id}`, { visibility: 'public' }, returning),
    ).toMatchObject({ status: 200, body: [] })
    expect(
      await viewer.post('/dashboards', { ...rows[0], name: 'mine' }, {
        prefer: 'resolution=merge-duplicates',
      }),
    ).toMatchObject({
      status: 403,
      body: denied('dashboards'),
    })
  })

  test('a viewer cannot see a personal public dashboard of a colleague, and an outsider cannot see a public one of the organization', async () => {
    const layout = { widgets: [] }
    await owner.create('dashboards', [{
      name: 'open',
      layout,
      visibility: 'public',
      organization_id: team.id,
    }, {
      name: 'open',
      layout,
      visibility: 'public',
      organization_id: null,
    }])
    for (const other of [stack.as(outsider), stack.anonymous])
      expect((await other.get('/dashboards?name=eq.open')).body).toEqual([])
    expect((await stack.as(members.admin, team).get('/dashboards?name=eq.open')).body).toHaveLength(
      1,
    )
  })
})

test('app_subscriptions are readable by their user and writable by no client', async () => {
  const ada = await stack.person('ada')
  await stack.owner.query(
    `insert into api.app_subscriptions (user_id, product_id, period_start, period_end)
       values ($1, 'teams', now() - interval '2 days', now() + interval '1 day'), ($1, 'personal', now() - interval '2 days', now() - interval '1 day')`,
    [ada.id],
  )
  const active =
    '/app_subscriptions?status=eq.sub_active&period_start=lte.now&period_end=gte.now&select=product_id'
  const caller = stack.as(ada)
  expect((await caller.get(active)).body).toEqual([{ product_id: 'teams' }])
  expect((await owner.get('/app_subscriptions')).body).toEqual([])
  expect((await stack.anonymous.get('/app_subscriptions')).body).toEqual([])
  const row = { user_id: ada.id, product_id: 'business', period_end: '2099-01-01' }
  for (
    const answer of [
      await caller.post('/app_subscriptions', row),
      await caller.post('/app_subscriptions', row, { prefer: 'resolution=merge-duplicates' }),
      await caller.patch('/app_subscriptions?product_id=eq.teams', { product_id: 'business' }),
      await caller.delete('/app_subscriptions?product_id=eq.teams'),
    ]
  ) expect(answer).toMatchObject({ status: 403, body: denied('app_subscriptions') })
  expect((await caller.get('/app_subscriptions')).body).toHaveLength(2)
  expect(await stack.anonymous.post('/app_subscriptions', row)).toMatchObject({
    status: 401,
    body: denied('app_subscriptions'),
  })
})

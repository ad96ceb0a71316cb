/**
 * Calendars and webhooks, the ways out of the database beside the two surfaces: each contains
 * exactly the rows of its context. The world of the matrix has rows of every table for each tenant,
 * with unique ids and texts.
 */
import { createHash } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connection, freshDatabase, passwords } from '../support/database.ts'
import { createWorld, type StoredRow, type World } from './world.ts'

type Feed = { id: string, user: string, organization: string | null }

let database: Awaited<ReturnType<typeof freshDatabase>>
let owner: pg.Client
let service: pg.Client
let world: World
let members: { user: string, organization: string, role: string }[]
beforeAll(async () => {
  database = await freshDatabase()
  owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  service = new pg.Client({
    connectionString: connection(database.ownerUrl, {
      user: 'auth_service',
      password: passwords.authService,
    }),
  })
  await service.connect()
  world = await createWorld(owner)
  members = (await owner.query(
    `select user_id as "user", organization_id as organization, role from auth.members`,
  )).rows
})
afterAll(async () => {
  await owner.end()
  await service.end()
  await database.drop()
})

const isOf = ({ user, organization }: Feed) => (row: StoredRow) =>
  organization === null
    ? row.organization === null && row.user === user
    : row.organization === organization
const rowsOf = (feed: Feed, table: string) =>
  world.rows.filter((row) => row.table === table).filter(isOf(feed))
/** A feed of each user's personal rows, and one of each user and team. */
const feedsOf = async (canHave: (role: string) => boolean): Promise<Feed[]> => {
  const users: string[] = (await owner.query('select id from auth.users')).rows.map(({ id }) => id)
  return [
    ...users.map((user) => ({ id: `${user} alone`, user, organization: null })),
    ...members.filter(({ role }) => canHave(role)).map(({ user, organization }) => ({
      id: `${user} in ${organization}`,
      user,
      organization,
    })),
  ]
}

test('a calendar of each user and context has the due days of exactly that context', async () => {
  await owner.query(
    `update api.subscriptions set starts_on = current_date, ends_on = null, is_active = true`,
  )
  const feeds = await feedsOf(() => true)
  expect(feeds.length).toBeGreaterThan(20)
  const seen = new Map<string, string[]>()
  for (const { id, user, organization } of feeds) {
    const hash = createHash('sha256').update(id).digest()
    await owner.query(
      `insert into auth.calendars (id, name, user_id, organization_id, secret_hash, has_amounts) values ($1, 'Due', $2, $3, $4, true)`,
      [
        id,
        user,
        organization,
        hash,
      ],
    )
    const { rows } = await service.query<{ id: string }>(
      'select distinct subscription_id as id from private.calendar_days($1) where subscription_id is not null',
      [hash],
    )
    seen.set(id, rows.map((row) => row.id).toSorted())
  }
  const expected = new Map(
    feeds.map((feed) => [feed.id, rowsOf(feed, 'subscriptions').map(({ key }) => key).toSorted()]),
  )
  expect(seen).toEqual(expected)
  expect([...expected.values()].filter((ids) => ids.length > 0).length).toBeGreaterThan(10)
})

test('a calendar leaves no claims of its tenant in the session of the auth service, and reveals nothing for a wrong secret', async () => {
  await service.query('select private.calendar_days(secret_hash) from auth.calendars limit 1')
  expect((await service.query(`select current_setting('request.jwt.claims', true) as claims`)).rows)
    .toEqual([{ claims: '' }])
  expect((await service.query('select private.calendar_days($1)', [Buffer.alloc(32)])).rows)
    .toEqual([])
})

test('a webhook of each user and context receives exactly the changed rows of that context', async () => {
  const feeds = await feedsOf((role) => role === 'owner' || role === 'admin')
  for (const { id, user, organization } of feeds)
    await owner.query(
      `insert into auth.webhooks (id, name, user_id, organization_id, url, secret) values ($1, 'Hook', $2, $3, 'https://example.com', 'x')`,
      [
        id,
        user,
        organization,
      ],
    )
  await service.query('select private.queue_webhooks()')
  await owner.query('delete from private.jobs')
  // tables to which no other refers by a foreign key that keeps their rows
  for (const table of ['tags', 'dashboards', 'exchange_rates'])
    await owner.query(`delete from api.${table}`)
  await service.query('select private.queue_webhooks()')
  const { rows: deliveries } = await owner.query(
    `select key as id, payload ->> 'type' as type, payload -> 'changes' as changes from private.jobs`,
  )
  const received = new Map<string, Record<string, string[]>>(feeds.map(({ id }) => [id, {}]))
  for (const { id, type, changes } of deliveries) {
    expect(type).toBe('rows.changed')
    for (
      const { table, ids, organization_id: organization } of changes as {
        table: string
        ids: string[]
        organization_id: string | null
      }[]
    ) {
      expect(organization).toBe(feeds.find((feed) => feed.id === id)!.organization)
      const of = received.get(id)!
      of[table] = [...of[table] ?? [], ...ids]
    }
  }
  for (const feed of feeds) {
    for (const table of ['tags', 'dashboards', 'exchange_rates']) {
      expect((received.get(feed.id)![table] ?? []).toSorted(), `${table} of ${feed.id}`).toEqual(
        rowsOf(feed, table).map(({ key }) => key).toSorted(),
      )
    }
  }
  // also the rows that the deletions have changed
  const foreign = feeds.flatMap((feed) =>
    Object.entries(received.get(feed.id)!).flatMap(([table, ids]) =>
      ids.filter((id) =>
        world.rows.some((row) => row.table === table && row.key === id && !isOf(feed)(row))
      )
    )
  )
  expect(foreign).toEqual([])
})

test('a webhook of a user whose role was changed by hand in the database receives nothing', async () => {
  await owner.query('delete from private.jobs')
  await owner.query('alter table auth.members disable trigger members_end_webhooks')
  await owner.query(`update auth.members set role = 'editor' where role = 'admin'`)
  await owner.query('alter table auth.members enable trigger members_end_webhooks')
  await owner.query(
    `insert into api.tags (name, organization_id) select 'new', id from auth.organizations`,
  )
  await service.query('select private.queue_webhooks()')
  const { rows } = await owner.query(
    `select distinct m.role from private.jobs d join auth.webhooks w on w.id = d.key
      join auth.members m on m.user_id = w.user_id and m.organization_id = w.organization_id`,
  )
  expect(rows).toEqual([{ role: 'owner' }])
})

/**
 * A reload of PostgREST's configuration during a lock, a timeout or a cancellation. PostgREST loses
 * its keys if private.pre_config() fails.
 */
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { connect } from '../../http/database.ts'
import { keysKeeper } from '../../auth/keys/postgrest.ts'
import { createLog } from '../../common/log.ts'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
let mine: Caller
/** Counts the announced loads. */
let loads = 0

beforeAll(async () => {
  stack = await dataStack()
  mine = stack.as(await stack.person())
  await stack.owner.query('listen keys_loaded')
  stack.owner.on('notification', () => {
    loads += 1
  })
})
afterAll(() => stack.stop())

const status = async () => (await mine.get('/tags')).status
const notify = (what = 'reload config') => stack.owner.query(`notify pgrst, '${what}'`)
/**
 * The sessions of PostgREST that wait for a lock: one or, if a notification arrives while it loads,
 * two.
 */
const waiting = async (): Promise<number[]> =>
  (await stack.owner.query<{ pid: number }>(
    `select pid from pg_stat_activity where usename = 'authenticator' and datname = current_database() and wait_event_type = 'Lock'`,
  )).rows.map(({ pid }) => pid)

/** A transaction of another session, for example of a migration. */
async function transaction(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: stack.ownerUrl })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  return client
}

async function reloaded(): Promise<void> {
  const before = loads
  await expect.poll(() => loads).toBeGreaterThan(before)
}

/** Sets a limit of PostgREST's login, only in the database of this test. */
async function limit(setting: string): Promise<void> {
  const { rows: [database] } = await stack.owner.query<{ name: string }>(
    'select current_database() as name',
  )
  await stack.owner.query(`alter role authenticator in database ${database?.name} set ${setting}`)
  onTestFinished(async () => {
    await stack.owner.query(`alter role authenticator in database ${database?.name} reset all`)
  })
  // The limit applies to new connections.
  await Promise.all([reloaded(), notify('reload schema')])
}

beforeEach(async () => {
  await Promise.all([reloaded(), notify()])
  expect(await status()).toBe(200)
})

// PostgREST also loads its schema under this limit, which takes longer on a busy machine
test.each(["statement_timeout = '2s'", "lock_timeout = '2s'"])(
  'a reload outlasts a migration that takes longer than %s, and PostgREST keeps its keys',
  async (setting) => {
    await limit(setting)
    const migration = await transaction()
    await migration.query('lock table auth.jwks in access exclusive mode')
    await notify()
    await expect.poll(waiting).not.toHaveLength(0)
    const [since] = (await stack.owner.query('select clock_timestamp() as now')).rows
    await expect.poll(async () =>
      (await stack.owner.query(
        `select clock_timestamp() > $1::timestamptz + interval '2500 milliseconds' as passed`,
        [since.now],
      )).rows
    )
      .toEqual([{ passed: true }])
    expect(await status()).toBe(200)
    await Promise.all([reloaded(), migration.query('commit')])
    expect(await status()).toBe(200)
  },
)

test('a reload succeeds in spite of a cancelled statement', async () => {
  const migration = await transaction()
  await migration.query('lock table auth.jwks in access exclusive mode')
  await notify()
  await expect.poll(waiting).not.toHaveLength(0)
  await stack.owner.query('select pg_cancel_backend(pid) from unnest($1::int[]) pid', [
    await waiting(),
  ])
  await expect.poll(waiting).not.toHaveLength(0)
  expect(await status()).toBe(200)
  await Promise.all([reloaded(), migration.query('commit')])
  expect(await status()).toBe(200)
})

test('the auth service repeats a failed reload within a minute, and at once if the keys changed', async () => {
  const { db, close } = connect(stack.ownerUrl, () => undefined)
  onTestFinished(close)
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const keep = keysKeeper(db, stack.ownerUrl, createLog('silent'))
  const fail = async () => {
    await stack.owner.query('revoke execute on function private.pre_config() from authenticator')
    await notify()
    await expect.poll(status).toBe(500)
    await stack.owner.query('grant execute on function private.pre_config() to authenticator')
  }
  await keep('a')
  await fail()
  await keep('a')
  expect(await status()).toBe(500)
  await keep('a,b')
  expect(await status()).toBe(200)
  await fail()
  vi.setSystemTime(Date.now() + 61_000)
  await keep('a,b')
  expect(await status()).toBe(200)
})

test('a reload succeeds in spite of a deadlock with a migration', async () => {
  const migration = await transaction()
  // PostgreSQL cancels the session that looks for the deadlock first. Without this setting that may
  // be the migration's.
  await migration.query("set local deadlock_timeout = '1h'")
  await migration.query('lock table private.settings in access exclusive mode')
  // PostgREST has locked the keys' table when it waits for the index, and has not asked for the
  // settings yet.
  const index = await transaction()
  await index.query('reindex index auth.jwks_pkey')
  await notify()
  await expect.poll(waiting).not.toHaveLength(0)
  const locked = migration.query('lock table auth.jwks in access exclusive mode')
  await expect.poll(async () =>
    (await stack.owner.query(
      "select from pg_locks where relation = 'auth.jwks'::regclass and mode = 'AccessExclusiveLock' and not granted",
    )).rowCount
  )
    .toBe(1)
  await index.query('commit')
  await locked
  await Promise.all([reloaded(), migration.query('commit')])
  expect(await status()).toBe(200)
})

import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startHousekeeping } from '../../auth/housekeeping.ts'
import { sweepsOf } from '../../auth/rooms.ts'
import { createLog } from '../../common/log.ts'
import { signedIn, team } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { connection, passwords } from '../support/database.ts'

let stack: Stack
let pool: pg.Pool
beforeAll(async () => {
  stack = await startStack()
  pool = new pg.Pool({
    connectionString: connection(stack.ownerUrl, {
      user: 'auth_service',
      password: passwords.authService,
    }),
    max: 2,
  })
})
afterAll(async () => {
  await pool.end()
  await stack.close()
})

/**
 * Starts housekeeping with short pauses, as another process. @returns its log lines, and a function
 * that stops it
 */
async function housekeeping(): Promise<{ logged: string[], stop: () => Promise<void> }> {
  const logged: string[] = []
  const log = createLog('info', {
    write: (line: string) => {
      logged.push(line)
    },
  })
  const stop = await startHousekeeping(
    pool,
    sweepsOf({ pool, objects: undefined }, { activityDays: 30, eventsDays: 30 }),
    { status: () => ({ signingKeyAgeSeconds: 7, pendingSeconds: 0 }) },
    log,
    {
      left: 10,
      failed: 50,
      done: 600_000,
    },
  )
  onTestFinished(stop)
  return { logged, stop }
}
/**
 * Polls a value, and makes a job due: the service of the stack may have run it, and runs it again
 * in ten minutes.
 */
const eventually = <Value>(key: string, read: () => Value) =>
  expect.poll(async () => {
    await stack.sql.query(
      'update private.jobs set run_at = now() where leased_until is null and key = $1',
      [key],
    )
    return read()
  })
const count = async (what: string) =>
  (await stack.sql.query(`select count(*)::int as count from ${what}`)).rows[0].count as number

test('expired rows are deleted in several batches, and other rows stay', async () => {
  const ann = await signedIn(stack, 'Ann')
  const id = await ann.id()
  await stack.sql.query(
    `insert into auth.sessions (id, token, user_id, expires_at) select 'old' || n, 'old' || n, $1, now() - interval '1 second' from generate_series(1, 2500) n`,
    [id],
  )
  await stack.sql.query(
    `insert into auth.rate_limits select 'old' || n, now() - interval '1 hour', 60, 1 from generate_series(1, 1500) n`,
  )
  await stack.sql.query(`insert into auth.rate_limits values ('current', now(), 3600, 5)`)
  await stack.sql.query(
    `insert into auth.verifications (id, identifier, value, expires_at) values ('old', 'x', 'x', now() - interval '1 second'), ('new', 'x', 'x', now() + interval '1 hour')`,
  )
  await stack.sql.query(
    `insert into auth.two_factors (user_id, secret, backup_codes, enabled_at) values ($1, 'x', '{}', now())`,
    [id],
  )
  await stack.sql.query(
    `insert into auth.two_factor_tokens values ('old', $1, 'device', now() - interval '1 second'), ('new', $1, 'device', now() + interval '1 hour')`,
    [id],
  )
  await housekeeping()
  await eventually(
    'auth.two_factor_tokens',
    () => count(`auth.two_factor_tokens where token_hash = 'old'`),
  ).toBe(0)
  expect(await count(`auth.two_factor_tokens where token_hash = 'new'`)).toBe(1)
  await eventually('auth.sessions', () => count(`auth.sessions where id like 'old%'`)).toBe(0)
  await eventually('auth.rate_limits', () => count(`auth.rate_limits where key like 'old%'`)).toBe(
    0,
  )
  await eventually('auth.verifications', () => count(`auth.verifications where id = 'old'`)).toBe(0)
  expect(await count(`auth.rate_limits where key = 'current'`)).toBe(1)
  expect(await count(`auth.verifications where id = 'new'`)).toBe(1)
  expect((await ann.get('/get-session')).status).toBe(200)
})

test('an API key is deleted a month after it ended', async () => {
  const id = await (await signedIn(stack, 'Ann')).id()
  await stack.sql.query(
    `insert into auth.api_keys (id, name, user_id, role, key_hash, hint, expires_at)
      select name, name, $1, 'viewer', sha256(convert_to(name, 'UTF8')), 'fin_', now() - ended::interval
      from (values ('old', '31 days'), ('late', '29 days'), ('new', '-1 day')) as key (name, ended)`,
    [id],
  )
  await housekeeping()
  const remainingIds = async () =>
    (await stack.sql.query('select id from auth.api_keys where user_id = $1 order by id', [id]))
      .rows.map((row) => row.id)
  await eventually('auth.api_keys', remainingIds).toEqual(['late', 'new'])
})

test('an invitation is deleted a month after it ended, whatever its status', async () => {
  const { id: organizationId, owner } = await team(stack, ['viewer'])
  const invited = await Promise.all(
    ['old', 'late', 'new'].map(async (name) =>
      (await owner.post('/organization/invite-member', {
        organizationId,
        email: `${name}@example.org`,
        role: 'viewer',
      })).body.id
    ),
  )
  const end = (id: string, ago: string) =>
    stack.sql.query('update auth.invitations set expires_at = now() - $2::interval where id = $1', [
      id,
      ago,
    ])
  await end(invited[0], '31 days')
  await end(invited[1], '29 days')
  await stack.sql.query(
    `update auth.invitations set expires_at = now() - interval '31 days' where status = 'accepted' and organization_id = $1`,
    [
      organizationId,
    ],
  )
  await housekeeping()
  await eventually(
    'auth.invitations',
    async () =>
      new Set(
        (await stack.sql.query('select id from auth.invitations where organization_id = $1', [
          organizationId,
        ])).rows.map(({ id }) => id),
      ),
  )
    .toEqual(new Set([invited[1], invited[2]]))
})

test('activity is deleted after the number of days that the operator sets', async () => {
  const id = await (await signedIn(stack, 'Ann')).id()
  await stack.sql.query(
    `insert into api.activity (id, happened_at, change_id, actor_id, user_id, tenant, action, table_name, row_id)
     select private.activity_id(start, n), moment, private.activity_id(start, 0), $1, $1, 'u:' || $1, 'create', 'tags', gen_random_uuid()
     from (values (interval '31 days', 1500), (interval '29 days', 1)) as activity (age, rows), lateral (select now() - age as moment) m,
       lateral (select private.activity_id_prefix(moment, gen_random_uuid()) as start) s, generate_series(1, rows) n`,
    [id],
  )
  await housekeeping()
  await eventually('api.activity', () => count('api.activity')).toBe(1)
})

test('events of accounts and teams are deleted after the number of days that the operator sets', async () => {
  const { id, owner } = await team(stack, ['viewer'])
  const insertEvents = (column: 'user_id' | 'organization_id', of: string, kind: string) =>
    stack.sql.query(
      `insert into auth.events (${column}, kind, happened_at) select $1, $2, now() - days * interval '1 day' from (values (29), (31)) old (days)`,
      [
        of,
        kind,
      ],
    )
  await insertEvents('user_id', await owner.id(), 'password_changed')
  await insertEvents('organization_id', id, 'member_left')
  await housekeeping()
  await eventually(
    'auth.events',
    () => count(`auth.events where happened_at < now() - interval '30 days'`),
  ).toBe(0)
  expect(await count(`auth.events where happened_at < now() - interval '28 days'`)).toBe(2)
})

test('a table that cannot be cleaned does not block the others, is logged and stored by name, and is cleaned when it can be', async () => {
  const id = await (await signedIn(stack, 'Ann')).id()
  const end = (session: string) =>
    stack.sql.query(
      `insert into auth.sessions (id, token, user_id, expires_at) values ($1, $1, $2, now() - interval '1 second')`,
      [session, id],
    )
  await stack.sql.query('revoke delete on auth.rate_limits from auth_service')
  await stack.sql.query(
    `insert into auth.rate_limits values ('stuck', now() - interval '1 hour', 60, 1)`,
  )
  await end('ended')
  const { logged } = await housekeeping()
  await eventually('auth.sessions', () => count(`auth.sessions where id = 'ended'`)).toBe(0)
  const isLogged = () =>
    [...logged, ...stack.logged].some((line) =>
      line.includes('"table":"auth.rate_limits"') && line.includes('42501')
    )
  await eventually('auth.rate_limits', isLogged).toBe(true)
  await eventually(
    'auth.rate_limits',
    () =>
      count(
        `private.jobs where key = 'auth.rate_limits' and failures > 0 and last_error like 'database error%'`,
      ),
  ).toBe(
    1,
  )
  await stack.sql.query('grant delete on auth.rate_limits to auth_service')
  await eventually('auth.rate_limits', () => count(`auth.rate_limits where key = 'stuck'`)).toBe(0)
})

test('each run logs the age of the signing key, and a stop waits for the running batch', async () => {
  const { logged, stop } = await housekeeping()
  const rounds = () => logged.filter((line) => line.includes('"signing_key_age_seconds":7')).length
  await eventually('age', rounds).toBeGreaterThan(1)
  await stop()
  expect(pool.idleCount).toBe(pool.totalCount)
})

/**
 * Migrations of a large database while users write fifty rows a second. No write waits longer than
 * two seconds, and none is lost. MIGRATION_ROWS is the number of transactions; with fewer than ten
 * million the waits are not judged, because a blocking statement is short too.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startHousekeeping } from '../../auth/housekeeping.ts'
import { createLog } from '../../common/log.ts'
import { migrate } from '../../db/migrate.ts'
import { startPostgres } from '../../start/postgres.ts'
import { claimsOf } from '../support/as-postgrest.ts'
import { copyOfDb, type CopyOfDb } from '../support/copy-of-db.ts'
import { connection, passwords, publicUrl } from '../support/database.ts'

const rows = Number(process.env['MIGRATION_ROWS'] ?? 10_000_000)
const isJudged = rows >= 10_000_000
const longestMs = 2_000
const users = 1_000
const writesPerSecond = 50

const root = join(import.meta.dirname, '../..')
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

let ownerUrl: string
let owner: pg.Client
let writers: pg.Pool
const stops: (() => Promise<unknown>)[] = []

const options = () => ({
  databaseUrl: ownerUrl,
  publicUrl,
  authServicePassword: passwords.authService,
  authenticatorPassword: passwords.authenticator,
})

/** Returns the tag of the last release, or an empty text before 1.0.0. */
const lastRelease = () =>
  git('tag', '--list', 'v[1-9]*', '--merged', 'HEAD', '--sort=-v:refname').split('\n')[0] ?? ''

/** Migrates with the files of the last release, so that the migrations since then are pending. */
async function migrateToLastRelease(): Promise<void> {
  const tag = lastRelease()
  if (tag === '') {
    // a clone without tags would skip the migrations
    expect((await readdir(join(root, 'db/migrations'))).filter((name) => name.endsWith('.sql')))
      .toEqual([])
    return migrate(options())
  }
  const folder = await mkdtemp(join(root, '.data-test-'))
  stops.push(() => rm(folder, { recursive: true, force: true }))
  execFileSync('sh', ['-c', `git archive "$0" db common | tar -x -C "$1"`, tag, folder], {
    cwd: root,
  })
  const older = await import(join(folder, 'db/migrate.ts')) as { migrate: typeof migrate }
  return older.migrate(options())
}

/** Stores the users and their transactions, on two connections. Triggers do not run. */
async function fill(): Promise<void> {
  await owner.query(`
    insert into auth.users (id, name, email) select 'user-' || n, '', 'user-' || n || '@example.org' from generate_series(1, ${users}) n;
    insert into auth.sessions (id, token, user_id, expires_at) select 'session-' || n, 'token-' || n, 'user-' || n, now() + interval '1 day' from generate_series(1, ${users}) n`)
  const each = rows / users
  await Promise.all([0, 1].map(async (half) => {
    const client = new pg.Client({ connectionString: ownerUrl })
    await client.connect()
    await client.query('set session_replication_role = replica')
    for (let user = 1 + half; user <= users; user += 2)
      await client.query(
        `insert into api.transactions (id, name, amount, currency, user_id, tenant, created_at, updated_at, transaction_date)
          select (lpad(to_hex($3::integer), 8, '0') || lpad(to_hex(n), 24, '0'))::uuid, 'Coffee no. ' || n, n % 100, 'usd', $1::text, 'u:' || $1,
            '2026-01-01', '2026-01-01', timestamptz '2023-01-01' + n * interval '1 hour'
          from generate_series(1, $2::integer) n`,
        [`user-${user}`, each, user],
      )
    await client.end()
  }))
  await owner.query('vacuum analyze api.transactions')
}

/** Stores a transaction as PostgREST does. @returns its id */
async function write(user: number): Promise<string> {
  const client = await writers.connect()
  try {
    const [id, sessionId] = [`user-${user}`, `session-${user}`]
    const claims = claimsOf({ id, sessionId, email: `${id}@example.org` })
    await client.query('begin')
    await client.query(
      `select set_config('role', 'authenticated', true), set_config('search_path', 'api, public', true),
        set_config('request.jwt.claims', $1, true), set_config('request.method', 'POST', true),
        set_config('request.path', '/transactions', true), set_config('request.headers', '{}', true)`,
      [JSON.stringify(claims)],
    )
    await client.query('select private.pre_request()')
    const { rows: [stored] } = await client.query<{ id: string }>(
      `insert into api.transactions (name, amount) values ('written', 990) returning id`,
    )
    await client.query('commit')
    client.release()
    return stored?.id ?? ''
  } catch (error) {
    client.release(true)
    throw error
  }
}

type Load = { longest: number, failed: string[], lost: number, stored: number }

/**
 * Writes while work runs. Each write begins at its time, whether or not earlier ones wait.
 * @returns the longest time from then until the answer
 */
async function whileUsersWrite(work: () => Promise<unknown>): Promise<Load> {
  const stored: string[] = []
  const failed: string[] = []
  let longest = 0
  const running = new Set<Promise<void>>()
  const done = new AbortController()
  const load = (async () => {
    for (let begin = Date.now(), count = 0; !done.signal.aborted; count++) {
      const due = begin + count * 1000 / writesPerSecond
      await sleep(Math.max(0, due - Date.now()))
      const since = Date.now()
      const written: Promise<void> = write(1 + count * 7 % users).then(
        (id) => void stored.push(id),
        (error: Error) => void failed.push(error.message),
      ).finally(() => {
        longest = Math.max(longest, Date.now() - since)
        running.delete(written)
      })
      running.add(written)
    }
  })()
  try {
    await work()
  } finally {
    done.abort()
    await load
    await Promise.all(running)
  }
  const { rows: [found] } = await owner.query<{ count: number }>(
    'select count(*)::int as count from api.transactions where id = any ($1)',
    [stored],
  )
  return { longest, failed, lost: stored.length - (found?.count ?? 0), stored: stored.length }
}

/** Expects that no write waits for work. */
async function expectNoWait(name: string, work: () => Promise<unknown>): Promise<void> {
  const since = Date.now()
  const { longest, failed, lost, stored } = await whileUsersWrite(work)
  console.log(`${name}: ${Date.now() - since} ms, ${stored} writes, the longest ${longest} ms`)
  expect(failed).toEqual([])
  expect(lost).toBe(0)
  expect(stored).toBeGreaterThan(0)
  if (isJudged) expect(longest, name).toBeLessThan(longestMs)
}

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'migrations-under-load-'))
  stops.push(() => rm(directory, { recursive: true, force: true }))
  const server = await startPostgres({
    directory,
    password: 'owner-of-the-tests',
    // the test measures locks, and not the disk of this machine
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      shared_buffers: '512MB',
      max_wal_size: '4GB',
    },
  })
  stops.push(server.stop)
  ownerUrl = server.url
  await migrateToLastRelease()
  owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  stops.push(() => owner.end())
  writers = new pg.Pool({
    connectionString: connection(ownerUrl, {
      user: 'authenticator',
      password: passwords.authenticator,
    }),
    max: 40,
  })
  writers.on('error', () => undefined)
  stops.push(() => writers.end())
  const since = Date.now()
  await fill()
  console.log(`${rows} transactions stored in ${Date.now() - since} ms`)
})
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop()
})

/** Migrates with a copy of db/ while users write. */
const migrated = (name: string, copy: CopyOfDb) => expectNoWait(name, () => copy.migrate(options()))

/** Runs the backfills by their job, as the auth service does. */
async function backfilled(): Promise<void> {
  const pool = new pg.Pool({
    connectionString: connection(ownerUrl, {
      user: 'auth_service',
      password: passwords.authService,
    }),
  })
  const stop = await startHousekeeping(
    pool,
    [],
    { status: () => ({ signingKeyAgeSeconds: 7, pendingSeconds: 0 }) },
    createLog('warn', process.stdout),
    { left: 10, failed: 1_000, done: 600_000 },
  )
  try {
    await expect.poll(
      async () => (await owner.query('select is_finished from private.backfill_progress()')).rows,
      { timeout: 600_000, interval: 1_000 },
    ).toEqual([{ is_finished: true }])
  } finally {
    await stop()
    await pool.end()
  }
}

test('users write while every migration since the last release runs', async () => {
  const since = lastRelease() === '' ? 'functions and rules' : `migrations since ${lastRelease()}`
  await owner.query(
    `update private.migrations set checksum = '' where name = 'functions and rules'`,
  )
  await expectNoWait(since, () => migrate(options()))
})

test('users write while a release adds a column, an index and a constraint, and the next one fills the column in, makes it not null and drops another', async () => {
  await owner.query('alter table api.transactions add column former boolean')
  const copy = await copyOfDb()
  const sql = 'transactions/transactions.sql'
  await copy.append(
    'transactions/tables.sql',
    'alter table api.transactions add column planned boolean;\n',
  )
  await copy.append(
    sql,
    `comment on column api.transactions.planned is 'Planned';
     comment on column api.transactions.former is 'Former';\n`,
  )
  await copy.replace(
    sql,
    `      when new.status not in`,
    `      when char_length(new.name) > 300 then 'transactions_name_sample'
      when new.planned is null then 'planned'
      when new.status not in`,
  )
  const add = async (name: string, text: string) => {
    await copy.addMigration(name, text)
    await migrated(name, copy)
  }
  await add(
    '9001_planned',
    'alter table api.transactions add column planned boolean default false;',
  )
  await add(
    '9002_planned_index',
    `-- no transaction
create index concurrently if not exists transactions_planned on api.transactions (tenant, transaction_date) where planned;`,
  )
  await add(
    '9003_name_sample',
    'alter table api.transactions add constraint transactions_name_sample check (char_length(name) <= 300) not valid;',
  )
  await add(
    '9004_name_sample_valid',
    'alter table api.transactions validate constraint transactions_name_sample;',
  )
  await add(
    '9005_fill_planned',
    `-- backfill
update api.transactions set planned = true
  where id in (
    select id from api.transactions where tenant = $1 and amount > 96 and name <> 'written' and not planned limit $2);`,
  )
  await expectNoWait('the backfill by its job', backfilled)
  const { rows: [filled] } = await owner.query<{ planned: number, edited: number }>(
    `select count(*)::int as planned, (count(*) filter (where updated_at > '2026-01-01'))::int as edited
      from api.transactions where planned`,
  )
  expect(filled).toEqual({ planned: rows * 0.03, edited: 0 })

  // the next release
  const needs = '-- needs: 9005_fill_planned'
  await copy.addMigration(
    '9006_planned_known',
    `${needs}
alter table api.transactions add constraint transactions_planned_known check (planned is not null) not valid;`,
  )
  await copy.addMigration(
    '9007_planned_known_valid',
    `${needs}\nalter table api.transactions validate constraint transactions_planned_known;`,
  )
  await copy.addMigration(
    '9008_planned_not_null',
    `${needs}
alter table api.transactions alter column planned set not null, drop constraint transactions_planned_known;`,
  )
  await migrated('not null, in three files', copy)
  await copy.replace(sql, `comment on column api.transactions.former is 'Former';`, '')
  await add('9009_former', '-- contract: 1.0.0\nalter table api.transactions drop column former;')
})

test.runIf(isJudged)(
  'an index that is built without concurrently makes a write wait longer than two seconds',
  async () => {
    const { longest } = await whileUsersWrite(() =>
      owner.query('create index sample on api.transactions (tenant, name)')
    )
    console.log(`create index: the longest write ${longest} ms`)
    expect(longest).toBeGreaterThan(longestMs)
  },
)

/**
 * Migrations that are applied while users write: backfills, indexes and locks.
 */
import pg from 'pg'
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { startHousekeeping } from '../../auth/housekeeping.ts'
import { createLog } from '../../common/log.ts'
import { copyOfDb, type CopyOfDb } from '../support/copy-of-db.ts'
import { connection, freshDatabase, passwords } from '../support/database.ts'

let owner: pg.Client
let ownerUrl: string
const drops: (() => Promise<void>)[] = []

beforeEach(async () => {
  const database = await freshDatabase()
  drops.push(database.drop)
  ownerUrl = database.ownerUrl
  owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  onTestFinished(() => owner.end())
})
afterAll(async () => {
  for (const drop of drops) await drop()
})

const query = async (sql: string, values: unknown[] = []): Promise<any[]> =>
  (await owner.query(sql, values)).rows

/** Migrates with a copy of db/. @returns the lines of its log */
async function migrateWith(copy: CopyOfDb, onlyExpand = false): Promise<string[]> {
  const lines: string[] = []
  await copy.migrate({
    databaseUrl: ownerUrl,
    publicUrl: 'http://localhost:3000',
    authServicePassword: passwords.authService,
    authenticatorPassword: passwords.authenticator,
    log: (line) => lines.push(line),
    onlyExpand,
  })
  return lines
}

/** Stores tags of three users: 1,500, one and none. */
async function storeTags(): Promise<void> {
  await query(`
    insert into auth.users (id, name, email) select n, '', n || '@example.org' from unnest(array['ann', 'ben', 'cas']) n;
    insert into api.tags (name, user_id) select 'tag ' || n, 'ann' from generate_series(1, 1500) n;
    insert into api.tags (name, user_id) values ('tag', 'ben')`)
}

/** Adds a column of tags to a version, with its backfill. Fresh rows get the value from a trigger. */
async function addsNote(copy: CopyOfDb): Promise<void> {
  await copy.append('transactions/tables.sql', 'alter table api.tags add column is_long boolean;\n')
  await copy.append(
    'transactions/tags.sql',
    `comment on column api.tags.is_long is 'Whether the name is long';\n`,
  )
  await copy.replace(
    'transactions/tags.sql',
    '  new.tenant := private.tenant_of(new.user_id, new.organization_id);',
    '  new.tenant := private.tenant_of(new.user_id, new.organization_id);\n  new.is_long := char_length(new.name) > 7;',
  )
  await copy.addMigration('0001_is_long', 'alter table api.tags add column is_long boolean;')
  await copy.addMigration(
    '0002_fill_is_long',
    `-- backfill
update api.tags set is_long = char_length(name) > 7
  where id in (select id from api.tags where tenant = $1 and is_long is null limit $2);`,
  )
}

/** Adds a migration that needs the backfill. */
const needsNote = (copy: CopyOfDb) =>
  copy.addMigration(
    '0003_has_is_long',
    `-- needs: 0002_fill_is_long
alter table private.settings add column next text;`,
  )
const addsNext = async (copy: CopyOfDb) => {
  await copy.append('core/tables.sql', 'alter table private.settings add column next text;\n')
  await needsNote(copy)
}

const left = () =>
  query('select name, tenants_left::int as left, is_finished from private.backfill_progress()')
const filled = async () =>
  (await query('select count(*)::int as rows from api.tags where is_long is not null'))[0].rows

test('a backfill fills in the rows of each user by the job, in batches, without an entry in the history', async () => {
  await storeTags()
  const copy = await copyOfDb()
  await addsNote(copy)
  await query(`update api.tags set created_at = '2020-01-01'`)
  expect(await migrateWith(copy)).toEqual([
    'applied migrations/0001_is_long',
    'applied migrations/0002_fill_is_long',
    'applied functions and rules',
  ])
  expect(await filled()).toBe(0)
  expect(await left()).toEqual([{ name: '0002_fill_is_long', left: 3, is_finished: false }])
  expect(await query(`select private.run_backfill('0002_fill_is_long') as left`)).toEqual([{
    left: true,
  }])
  expect(await filled()).toBe(1000)
  const edited = await query(`select count(*)::int as rows from api.activity`)
  const pool = new pg.Pool({
    connectionString: connection(ownerUrl, {
      user: 'auth_service',
      password: passwords.authService,
    }),
  })
  onTestFinished(() => pool.end())
  onTestFinished(
    await startHousekeeping(
      pool,
      [],
      { status: () => ({ signingKeyAgeSeconds: 7, pendingSeconds: 0 }) },
      createLog('fatal', { write: () => undefined }),
      { left: 10, failed: 50, done: 600_000 },
    ),
  )
  await expect.poll(left).toEqual([{ name: '0002_fill_is_long', left: 0, is_finished: true }])
  expect(await filled()).toBe(1501)
  expect(await query(`select count(*)::int as rows from api.activity`)).toEqual(edited)
  await expect.poll(() => query(`select 1 from private.jobs where task = 'backfill'`)).toEqual([])
})

test('a backfill waits for a writer of its user for a second, and continues later', async () => {
  await storeTags()
  const copy = await copyOfDb()
  await addsNote(copy)
  await migrateWith(copy)
  const writer = new pg.Client({ connectionString: ownerUrl })
  await writer.connect()
  onTestFinished(() => writer.end())
  await writer.query(`begin; select private.lock_tenant('u:ann')`)
  await expect(query(`select private.run_backfill('0002_fill_is_long')`)).rejects.toThrow(
    'canceling statement due to lock timeout',
  )
  await writer.query('commit')
  await query(`select private.run_backfill('0002_fill_is_long')`)
  expect(await filled()).toBe(1000)
})

test('a migration that needs a backfill is refused until it is finished, and the refusal changes nothing', async () => {
  await storeTags()
  const copy = await copyOfDb()
  await addsNote(copy)
  await migrateWith(copy)
  await query(`select private.run_backfill('0002_fill_is_long')`)
  await addsNext(copy)
  const applied = await query('select * from private.migrations')
  await expect(migrateWith(copy)).rejects.toThrow(
    'db/migrations/0003_has_is_long.sql needs the backfill 0002_fill_is_long, which has 3 of 3 tenants left: nothing was changed, so migrate again when `admin status` shows it as finished.',
  )
  expect(await query('select * from private.migrations')).toEqual(applied)
  for (let isLeft = true; isLeft;)
    isLeft = (await query(`select private.run_backfill('0002_fill_is_long') as left`))[0].left
  expect(await migrateWith(copy)).toEqual([
    'applied migrations/0003_has_is_long',
    'applied functions and rules',
  ])
  // it would fail after a later version has dropped the column
  expect(await left()).toEqual([])
})

test('an upgrade that skips the version with a backfill finishes it before the migration that needs it', async () => {
  await storeTags()
  const copy = await copyOfDb()
  await addsNote(copy)
  await addsNext(copy)
  expect(await migrateWith(copy)).toEqual([
    'applied migrations/0001_is_long',
    'applied migrations/0002_fill_is_long',
    'applied functions and rules',
    'applied migrations/0003_has_is_long',
    'applied functions and rules',
  ])
  expect(await filled()).toBe(1501)
  expect(await left()).toEqual([])
})

test('after a rollback a backfill begins anew with the newer version, because the older one did not fill in new rows', async () => {
  await storeTags()
  const [older, newer] = [await copyOfDb(), await copyOfDb()]
  await addsNote(newer)
  await migrateWith(newer)
  for (let isLeft = true; isLeft;)
    isLeft = (await query(`select private.run_backfill('0002_fill_is_long') as left`))[0].left
  await migrateWith(older)
  await query(`insert into api.tags (name, user_id) values ('of the older version', 'ann')`)
  expect(await query(`select private.run_backfill('0002_fill_is_long') as left`)).toEqual([{
    left: false,
  }])
  expect(await left()).toEqual([{ name: '0002_fill_is_long', left: 3, is_finished: false }])
  await migrateWith(newer)
  for (let isLeft = true; isLeft;)
    isLeft = (await query(`select private.run_backfill('0002_fill_is_long') as left`))[0].left
  expect(await filled()).toBe(1502)
})

test('a column that no function uses any more is dropped, although functions return rows of its table', async () => {
  await query('alter table api.transactions add column former boolean')
  const copy = await copyOfDb()
  await copy.append('core/tables.sql', '-- former\nselect;\n')
  await copy.addMigration(
    '0001_former',
    '-- contract: 1.0.0\nalter table api.transactions drop column former;',
  )
  const before = await query('select count(*)::int as functions from pg_proc')
  await copy.addMigration('0002_next', 'alter table private.settings add column next text;')
  expect(await migrateWith(copy, true)).toEqual(['applied migrations/0002_next'])
  expect(await migrateWith(copy)).toEqual([
    'applied migrations/0001_former',
    'applied functions and rules',
  ])
  expect(await query('select count(*)::int as functions from pg_proc')).toEqual(before)
})

test('an index whose build was interrupted is dropped and built again, also if two processes migrate', async () => {
  await storeTags()
  const copy = await copyOfDb()
  const index = 'create index concurrently if not exists tags_names on api.tags (name)'
  await copy.append('transactions/tables.sql', 'create index tags_names on api.tags (name);\n')
  await copy.addMigration('0001_tags_names', `-- no transaction\n${index};`)
  // The build waits for this transaction, and ends with its connection.
  const reader = new pg.Client({ connectionString: ownerUrl })
  await reader.connect()
  onTestFinished(() => reader.end())
  await reader.query('begin isolation level repeatable read; select from api.tags')
  const builder = new pg.Client({ connectionString: ownerUrl, application_name: 'builder' })
  builder.on('error', () => undefined)
  await builder.connect()
  const built = builder.query(index).catch((error: unknown) => error)
  const state = () =>
    query(
      `select indisvalid as valid from pg_index where indexrelid = to_regclass('api.tags_names')`,
    )
  await expect.poll(state).toEqual([{ valid: false }])
  await query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'builder' and datname = current_database()`,
  )
  await built
  expect(await state()).toEqual([{ valid: false }])
  await reader.query('commit')
  const lines = await Promise.all([migrateWith(copy), migrateWith(copy)])
  expect(lines.flat()).toEqual([
    'applied migrations/0001_tags_names',
    'applied functions and rules',
  ])
  expect(await state()).toEqual([{ valid: true }])
})

test('a change of a table that waits for a long report lets writers continue', async () => {
  await storeTags()
  const copy = await copyOfDb()
  await copy.append('core/tables.sql', 'alter table api.tags add column next text;\n')
  await copy.addMigration('0001_next', 'alter table api.tags add column next text;')
  const report = new pg.Client({ connectionString: ownerUrl })
  await report.connect()
  onTestFinished(() => report.end())
  await report.query('begin; select from api.tags')
  // the column has no comment, so the rules refuse it after the wait
  const migrated = migrateWith(copy).catch((error: Error) => error.message)
  await expect.poll(() =>
    query(
      `select 1 from pg_stat_activity where datname = current_database() and application_name = 'migrate' and wait_event_type = 'Lock'`,
    )
  ).toHaveLength(1)
  await query(`set statement_timeout = '5s'`)
  for (let writes = 0; writes < 3; writes++)
    await query(`insert into api.tags (name, user_id) values ('new ' || $1, 'ben')`, [writes])
  await report.query('commit')
  expect(await migrated).toMatch(/comments_missing: tags\.next/)
})

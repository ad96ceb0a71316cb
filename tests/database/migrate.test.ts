import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeEach, expect, inject, test } from 'vitest'
import { describeDatabase } from '../../db/describe.ts'
import { migrate, migrationNames } from '../../db/migrate.ts'
import { inOrder } from '../../db/sql-files.ts'
import { copyOfDb } from '../support/copy-of-db.ts'
import { connection, execute, freshDatabase, passwords } from '../support/database.ts'

const databases: string[] = []
let databaseUrl: string

const options = () => ({
  databaseUrl,
  publicUrl: 'http://localhost:3000',
  authServicePassword: passwords.authService,
  authenticatorPassword: passwords.authenticator,
})

const emptyDatabase = async () => {
  const name = `migrate_${randomBytes(5).toString('hex')}`
  await execute(inject('serverUrl'), `create database ${name}`)
  databases.push(name)
  return connection(inject('serverUrl'), { database: name })
}
const query = async (sql: string, url = databaseUrl): Promise<any[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

const appliedMigrations = async (url = databaseUrl) =>
  (await query(
    `select name from private.migrations where name <> 'functions and rules' order by name`,
    url,
  )).map(({ name }) => name)

async function described(url = databaseUrl) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await describeDatabase(client)
  } finally {
    await client.end()
  }
}

beforeEach(async () => {
  databaseUrl = await emptyDatabase()
})
afterAll(async () => {
  for (const name of databases)
    await execute(inject('serverUrl'), `drop database ${name} with (force)`)
})

test('migrate creates the tables of an empty database, then functions and rules, and does nothing the next time', async () => {
  const first: string[] = []
  await migrate({ ...options(), log: (line) => first.push(line) })
  expect(first).toEqual(['applied tables', 'applied functions and rules'])
  const again: string[] = []
  await migrate({ ...options(), log: (line) => again.push(line) })
  expect(again).toEqual([])
})

test('migrate is safe if five processes start it at once', async () => {
  const lines: string[] = []
  await Promise.all(
    Array.from({ length: 5 }, () => migrate({ ...options(), log: (line) => lines.push(line) })),
  )
  expect(lines).toEqual(['applied tables', 'applied functions and rules'])
})

test('migrate brings an existing database to the same objects as a new one, and applies each migration once', async () => {
  await migrate(options())
  const copy = await copyOfDb()
  await appendFile(
    join(copy.folder, 'identity/tables.sql'),
    'alter table auth.users add column nickname text;',
  )
  await appendFile(
    join(copy.folder, 'identity/identity.sql'),
    "comment on column auth.users.nickname is 'Nickname';",
  )
  await writeFile(
    join(copy.folder, 'migrations/0001_nickname.sql'),
    'alter table auth.users add column nickname text;',
  )
  const lines: string[] = []
  for (let starts = 0; starts < 2; starts++)
    await copy.migrate({
      ...options(),
      log: (line) => lines.push(line),
    })
  expect(lines).toEqual(['applied migrations/0001_nickname', 'applied functions and rules'])
  const another = await emptyDatabase()
  await copy.migrate({ ...options(), databaseUrl: another })
  expect(await described()).toEqual(await described(another))
  expect(await appliedMigrations()).toEqual(await appliedMigrations(another))
})

test('migrate refuses a migration that was edited after it was applied, and names it', async () => {
  const copy = await copyOfDb()
  const file = join(copy.folder, 'migrations/0001_next.sql')
  await writeFile(file, 'select 1;')
  await copy.migrate(options())
  await appendFile(file, '-- a second thought')
  await expect(copy.migrate(options())).rejects.toThrow(
    /^db\/migrations\/0001_next\.sql was edited/,
  )
})

test('migrate refuses a database of version 0.2.0 or of an earlier commit, and changes nothing', async () => {
  const former = [
    `create schema private; create table private.migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now());
     insert into private.migrations (name, checksum) values ('0001_baseline.sql', 'x'), ('0037_attachments.sql', 'x')`,
    `update private.migrations set checksum = 'of other tables' where name = 'tables'`,
  ]
  for (const [index, sql] of former.entries()) {
    if (index > 0) {
      databaseUrl = await emptyDatabase()
      await migrate(options())
    }
    await query(sql)
    const before = await described()
    await expect(migrate(options())).rejects.toThrow(
      /^This database is from a version before 1\.0\.0\. Export each account there, and restore the exports/,
    )
    expect(await described()).toEqual(before)
  }
})

test('a file runs after those that its first lines name, and a wrong line names both files', () => {
  const order = (...files: [name: string, after?: string][]) =>
    inOrder(
      files.map(([name, after]) => ({
        name,
        sql: after === undefined ? '' : `-- after: ${after}\n`,
      })),
    ).map(({ name }) => name)
  expect(
    order(['a/one', '*'], ['b/two', 'c/three, d'], ['c/three'], ['d/five', 'd/four'], ['d/four']),
  ).toEqual([
    'c/three',
    'd/four',
    'd/five',
    'b/two',
    'a/one',
  ])
  expect(
    order(['a/one', 'b/two\n-- after: d/four, c/three'], ['b/two'], ['c/three', 'b/two'], [
      'd/four',
    ]),
  ).toEqual(['b/two', 'd/four', 'c/three', 'a/one'])
  expect(order(['a/one', 'c/three\n\n-- after: d/four'], ['c/three'], ['d/four'])).toEqual([
    'c/three',
    'a/one',
    'd/four',
  ])
  expect(() => order(['a/one', 'b/two'])).toThrow(
    'db/a/one.sql comes after b/two, but there is no such file or folder',
  )
  expect(() => order(['a/one', 'b/two'], ['b/two', 'a'])).toThrow(
    'these files come after each other: db/a/one.sql after db/b/two.sql after db/a/one.sql',
  )
})

test('migrate applies a file completely or not at all, names the failing one, and continues from there', async () => {
  await migrate(options())
  const copy = await copyOfDb()
  const file = join(copy.folder, 'migrations/9999_last.sql')
  await writeFile(file, 'create table private.half (id integer); select 1 / 0;')
  await expect(copy.migrate(options())).rejects.toThrow(
    /^db\/migrations\/9999_last\.sql failed: division by zero/,
  )
  expect(await query(`select to_regclass('private.half') as half`)).toEqual([{ half: null }])
  await writeFile(file, 'create table private.half (id integer);')
  await copy.migrate(options())
  expect(await query(`select to_regclass('private.half')::text as half`)).toEqual([{
    half: 'private.half',
  }])
})

test('migrate that was killed half-way is completed by the next run', async () => {
  await migrate(options())
  const copy = await copyOfDb()
  await writeFile(
    join(copy.folder, 'migrations/9999_slow.sql'),
    'create table private.half (id integer); select pg_sleep(30);',
  )
  const script = `import('${join(copy.folder, 'migrate.ts')}').then((m) => m.migrate(${
    JSON.stringify(options())
  }))`
  const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' })
  await expect.poll(
    async () =>
      (await query(
        `select count(*)::int from pg_stat_activity where datname = current_database() and query like '%pg_sleep(30)%' and pid <> pg_backend_pid()`,
      ))[0].count,
  ).toBe(1)
  child.kill('SIGKILL')
  await writeFile(
    join(copy.folder, 'migrations/9999_slow.sql'),
    'create table private.half (id integer);',
  )
  // A server notices a dead client at the end of its statement. Ending the statement is what an
  // impatient operator does.
  await query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'migrate'`,
  )
  await copy.migrate(options())
  expect(await query(`select to_regclass('private.half')::text as half`)).toEqual([{
    half: 'private.half',
  }])
})

test('migrate of an older version does not change a database with a newer table, and says why', async () => {
  await migrate(options())
  const newer = await copyOfDb()
  await writeFile(
    join(newer.folder, 'migrations/9999_newer.sql'),
    'create table api.newer_rows (id uuid primary key);',
  )
  await mkdir(join(newer.folder, 'newer'))
  await writeFile(
    join(newer.folder, 'newer/tables.sql'),
    '-- after: core\ncreate table api.newer_rows (id uuid primary key);',
  )
  await writeFile(
    join(newer.folder, 'newer/newer_rows.sql'),
    `-- after: newer/tables
       comment on table api.newer_rows is 'Rows'; comment on column api.newer_rows.id is 'Id';
       alter table api.newer_rows enable row level security;
       grant select on api.newer_rows to anon, authenticated;
       create policy newer_rows_list on api.newer_rows for select to authenticated using (private.is_not_explained() and id::text = (select public.uid()));`,
  )
  await newer.migrate(options())
  const before = await described()
  for (let starts = 0; starts < 2; starts++) {
    const lines: string[] = []
    await migrate({ ...options(), log: (line) => lines.push(line) })
    expect(lines).toEqual([
      expect.stringMatching(
        /^left functions and rules as the newer version has made them; .*newer/,
      ),
    ])
  }
  expect(await described()).toEqual(before)
})

test('migrate runs functions and rules again if one of their files has changed, and only then', async () => {
  const copy = await copyOfDb()
  await copy.migrate(options())
  const unchanged: string[] = []
  await copy.migrate({ ...options(), log: (line) => unchanged.push(line) })
  expect(unchanged).toEqual([])
  await appendFile(
    join(copy.folder, 'core/claims.sql'),
    `create or replace function public.uid() returns text language sql stable return 'somebody else';`,
  )
  await appendFile(
    join(copy.folder, 'plans/app_subscriptions.sql'),
    `alter policy app_subscriptions_read_own on api.app_subscriptions using (private.is_not_explained() and user_id is null and user_id = (select public.uid()));`,
  )
  await copy.migrate(options())
  expect(
    await query(
      `select public.uid(), (select qual from pg_policies where policyname = 'app_subscriptions_read_own')`,
    ),
  ).toEqual([{
    uid: 'somebody else',
    qual: expect.stringContaining('user_id IS NULL'),
  }])
})

test('migrate replaces a function that an older version had with other parameters or another result', async () => {
  await migrate(options())
  const fresh = await described()
  await query(`
      drop function private.effects_of(uuid), private.matches_state(jsonb, jsonb);
      create function private.effects_of(p_request uuid) returns setof api.activity language sql as 'select * from api.activity';
      create function private.matches_state(p_old jsonb, p_new jsonb default null) returns boolean language sql as 'select true';
      update private.migrations set checksum = 'of an older version' where name = 'functions and rules'`)
  await migrate(options())
  expect(await described()).toEqual(fresh)
})

test('migrate commits nothing that breaks a rule of db/lints, and names the offender', async () => {
  await migrate(options())
  const before = await described()
  const copy = await copyOfDb()
  await appendFile(
    join(copy.folder, 'transactions/tags.sql'),
    'alter table api.tags disable row level security;',
  )
  await expect(copy.migrate(options())).rejects.toThrow(
    /Every exposed table has row security\. tables_without_row_security: tags$/,
  )
  expect(await described()).toEqual(before)
})

test('migrate fails on a database on which row level security was turned off', async () => {
  await migrate(options())
  await query('alter table api.transactions disable row level security')
  await expect(migrate(options())).rejects.toThrow(/tables_without_row_security: transactions$/)
})

test('migrate waits for requests that lock the tables in another order, and cancels none', async () => {
  await migrate(options())
  await query(`update private.migrations set checksum = '' where name = 'functions and rules'`)
  await using requests = await Promise.all(Array.from({ length: 2 }, async () => {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    return client
  })).then((clients) => ({
    clients,
    [Symbol.asyncDispose]: async () =>
      void await Promise.all(clients.map((client) => client.end())),
  }))
  // Each holds a lock on a table and then requests the lock at the other end of the order.
  const [first, last] = (await query(
    `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'api'::regnamespace order by oid`,
  ))
    .map(({ name }) => name).filter((_, index, all) => index === 0 || index === all.length - 1)
  for (const [index, client] of requests.clients.entries()) {
    await client.query('begin')
    await client.query(`lock table ${index === 0 ? first : last} in row exclusive mode`)
  }
  const migrated = migrate(options())
  await expect.poll(() =>
    query(
      `select 1 from pg_stat_activity where datname = current_database() and application_name = 'migrate' and wait_event_type = 'Lock'`,
    )
  ).toHaveLength(1)
  for (const [index, client] of requests.clients.entries()) {
    await client.query(`lock table ${index === 0 ? last : first} in row exclusive mode`)
    await client.query('commit')
  }
  await migrated
  expect(
    await query(
      `select 1 from private.migrations where name = 'functions and rules' and checksum <> ''`,
    ),
  ).toHaveLength(1)
})

test('migrate drops functions, policies, triggers and grants that no file declares', async () => {
  await migrate(options())
  const fresh = await described()
  await query(`
      create function private.left_over() returns trigger language plpgsql as 'begin return new; end';
      create function api.left_over(integer) returns integer language sql return 1;
      create function api.another(integer) returns integer language sql return api.left_over($1);
      create aggregate api.last_left (integer) (sfunc = int4pl, stype = integer);
      grant execute on function api.left_over(integer), private.can(text, text) to anon;
      create policy left_over on api.tags for select to anon using (true);
      create trigger left_over before insert on auth.users for each row execute function private.left_over();
      grant insert on api.tags to anon;
      grant usage on schema auth to authenticated;
      grant select on auth.users to authenticated;
      update private.migrations set checksum = 'of an earlier version' where name = 'functions and rules'`)
  expect(await described()).not.toEqual(fresh)
  await migrate(options())
  expect(await described()).toEqual(fresh)
})

test('migrate sets the passwords of the logins each time, and stores them as SCRAM', async () => {
  await migrate(options())
  const login = (user: string, password: string) =>
    query('select current_user', connection(databaseUrl, { user, password }))
  expect(await login('auth_service', passwords.authService)).toEqual([{
    current_user: 'auth_service',
  }])
  expect(await login('authenticator', passwords.authenticator)).toEqual([{
    current_user: 'authenticator',
  }])
  expect(
    await query(
      `select rolpassword like 'SCRAM-SHA-256$%' as scram from pg_authid where rolname in ('auth_service', 'authenticator')`,
    ),
  ).toEqual([{
    scram: true,
  }, { scram: true }])
  // Roles belong to the whole server, and other tests need their passwords, so the test changes the
  // password of its own role.
  await expect(login('authenticator', 'not the password')).rejects.toThrow(
    /password authentication failed/,
  )
})

test('migrate notifies PostgREST', async () => {
  await migrate(options())
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const channels: string[] = []
  client.on('notification', ({ payload }) => channels.push(payload ?? ''))
  await client.query('listen pgrst')
  await migrate(options())
  await expect.poll(() => channels.toSorted()).toEqual(['reload config', 'reload schema'])
  await client.end()
})

test('migrate needs no superuser: an owner that may create roles and owns the database is sufficient', async () => {
  const owner = `owner_${randomBytes(4).toString('hex')}`
  await query(`create role ${owner} login createrole password 'owner'`)
  await query(`alter database ${new URL(databaseUrl).pathname.slice(1)} owner to ${owner}`)
  // On a server of its own it would have created the roles. Here it gets the memberships that their
  // creator has.
  for (const role of ['anon', 'authenticated', 'authenticator', 'auth_service'])
    await query(`grant ${role} to ${owner} with admin option`)
  await migrate({
    ...options(),
    databaseUrl: connection(databaseUrl, { user: owner, password: 'owner' }),
  })
  expect(await appliedMigrations()).toEqual(await migrationNames())
  await query(
    `alter database ${
      new URL(databaseUrl).pathname.slice(1)
    } owner to postgres; reassign owned by ${owner} to postgres; drop owned by ${owner}; drop role ${owner}`,
  )
})

test('a database copied from the template is migrated', async () => {
  const { ownerUrl, drop } = await freshDatabase()
  expect(await appliedMigrations(ownerUrl)).toEqual(await migrationNames())
  await drop()
})

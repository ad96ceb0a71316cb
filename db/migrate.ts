/**
 * Migrates a database. One transaction creates the tables of a new database, or applies the new
 * migrations to another. If any file has changed, it applies all functions and rules; the lints run
 * at its end. The settings and passwords of the deployment follow. Several processes may run this
 * at once. Each may be killed at any point: the next run completes the work.
 *
 * Files that run at every change define the present: edit them in place. Objects that no file
 * defines are dropped.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { checkDatabase } from './check.ts'
import { connect } from './connect.ts'
import { featureFiles, migrationFiles, type SqlFile } from './sql-files.ts'

/** An arbitrary number. No other code may use the same advisory lock in this database. */
const lockKey = 710_331_804_118

/** Limits of files, sizes in bytes. */
type FileLimits = { maxBytes: number, perTransaction: number, quota: number, teamQuota: number }

export type MigrateOptions = {
  /**
   * The owner's connection. Its user needs CREATEROLE, and CREATE on the database; it need not be a
   * superuser.
   */
  databaseUrl: string
  /** base_url: the only audience that a token may have. */
  publicUrl: string
  /** Password of the login `auth_service`. */
  authServicePassword: string
  /** Password of the login `authenticator`. */
  authenticatorPassword: string
  /**
   * The limits of files: the settings FILE_MAX_BYTES, FILES_PER_TRANSACTION, FILES_QUOTA and
   * FILES_TEAM_QUOTA. Default: theirs.
   */
  fileLimits?: FileLimits
  /** Called before any change. Throws if the database belongs to another deployment. */
  beforeMigrating?: (client: pg.ClientBase) => Promise<void>
  /** Called with one line for each applied file. */
  log?: (line: string) => void
}

const checksum = (sql: string) => createHash('sha256').update(sql).digest('hex')

/**
 * The names under which private.migrations stores the checksums of the tables, and of functions and
 * rules.
 */
const tables = 'tables'
const present = 'functions and rules'

const isTables = ({ name }: SqlFile): boolean => name.endsWith('/tables')
const joined = (files: SqlFile[]): string =>
  files.map(({ name, sql }) => `${name}\n${sql}`).join('\n')

/**
 * Returns the names that private.migrations has in a migrated database, without functions and
 * rules. `/readyz` compares them.
 */
export const migrationNames = async (): Promise<
  string[]
> => [tables, ...(await migrationFiles()).map(({ name }) => name)]

/** Returns the migrations of this version that a database has not applied. */
export async function missingMigrations(client: pg.ClientBase): Promise<string[]> {
  const { rows: [{ isMigrated } = {}] } = await client.query<{ isMigrated: boolean }>(
    `select to_regclass('private.migrations') is not null and to_regnamespace('api') is not null as "isMigrated"`,
  )
  const appliedMigrations = isMigrated === true
    ? (await client.query<{ name: string }>('select name from private.migrations')).rows
    : []
  return (await migrationNames()).filter((name) =>
    appliedMigrations.every((row) => row.name !== name)
  )
}

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function run(client: pg.Client, file: string, sql: string): Promise<void> {
  try {
    await client.query(sql)
  } catch (error) {
    throw new Error(`${file} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

/**
 * Runs a file of functions or rules. `create or replace` cannot change the parameter names or the
 * return type of a function. PostgreSQL's error then names the function. This drops it and runs the
 * file again, which creates the function with its grants.
 */
async function define(client: pg.Client, file: string, sql: string): Promise<void> {
  await client.query('savepoint file')
  try {
    await run(client, file, sql)
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    const drop = cause instanceof pg.DatabaseError && cause.code === '42P13'
      ? /DROP FUNCTION \S+\([^)]*\)/.exec(cause.hint ?? '')?.[0]
      : undefined
    if (drop === undefined) throw error
    await client.query('rollback to savepoint file')
    await run(client, file, drop)
    await define(client, file, sql)
  }
}

/**
 * Runs work in a transaction beside which no other migration and no backup runs: a backup locks the
 * same table in share mode.
 * @param work receives the names and checksums in private.migrations
 */
async function alone(
  client: pg.Client,
  work: (applied: Map<string, string>) => Promise<void>,
): Promise<void> {
  await inTransaction(client, async () => {
    // two processes cannot create the same table at once
    await client.query(`select pg_advisory_xact_lock(${lockKey})`)
    await client.query(`
      create schema if not exists private;
      create table if not exists private.migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now());
      lock table private.migrations in exclusive mode;
      comment on table private.migrations is 'The files that db/migrate.ts has applied, and their checksums.'`)
    const { rows } = await client.query<{ name: string, checksum: string }>(
      'select name, checksum from private.migrations',
    )
    await work(new Map(rows.map((row) => [row.name, row.checksum])))
  })
}

/**
 * Throws if the tables were made by a commit before version 1.0.0, for which there are no
 * migrations.
 */
function refuseFormer(
  appliedChecksums: Map<string, string>,
  tablesSum: string,
  migrations: SqlFile[],
): void {
  if (appliedChecksums.size === 0 || appliedChecksums.get(tables) === tablesSum) return
  const isReleased = appliedChecksums.has(tables) &&
    (isAhead(appliedChecksums, migrations) ||
      migrations.some(({ name }) => !appliedChecksums.has(name)))
  if (!isReleased)
    throw new Error(
      'This database is from a version before 1.0.0. Export each account there, and restore the exports in a new database: docs/releases.md',
    )
}

async function record(client: pg.Client, name: string, sum: string): Promise<void> {
  await client.query(
    `
    insert into private.migrations (name, checksum) values ($1, $2)
    on conflict (name) do update set checksum = excluded.checksum, applied_at = excluded.applied_at`,
    [name, sum],
  )
}

/**
 * Locks every table at once. The requests of a live service lock tables in another order, so a
 * deadlock is possible. The lock timeout is shorter than PostgreSQL's deadlock timeout. So the
 * migration gives up and is retried, and no request is cancelled.
 */
async function lockTables(client: pg.Client): Promise<void> {
  await client.query(`set local lock_timeout = '500ms'; set local statement_timeout = '15min'`)
  await client.query(`
    do $$ begin
      execute (
        select 'lock table ' || string_agg(oid::regclass::text, ', ' order by oid)
        from pg_class where relkind = 'r' and relnamespace::regnamespace::text in ('api', 'auth', 'private')
      );
    end $$`)
}

const isLockConflict = (error: unknown): boolean =>
  error instanceof Error &&
  ('code' in error && (error.code === '55P03' || error.code === '40P01') ||
    isLockConflict(error.cause))

/** Throws if the database breaks a rule of db/lints, so that the transaction does not commit. */
async function checkRules(client: pg.Client): Promise<void> {
  const offences = await checkDatabase(client)
  if (offences.length > 0)
    throw new Error(
      `The database breaks rules of db/lints: ${
        offences.map(({ lint, rule, what }) => `${rule} ${lint}: ${what}`).join('; ')
      }`,
    )
}

/** Applies all new files or none. Retries for a minute while a live service holds the tables. */
async function applyFiles(
  client: pg.Client,
  log: (line: string) => void,
  beforeMigrating: MigrateOptions['beforeMigrating'],
): Promise<void> {
  const deadline = Date.now() + 60_000
  for (;;) {
    try {
      return await applyOnce(client, log, beforeMigrating)
    } catch (error) {
      if (!isLockConflict(error) || Date.now() > deadline) throw error
      await sleep(200 + Math.random() * 300)
    }
  }
}

async function applyOnce(
  client: pg.Client,
  log: (line: string) => void,
  beforeMigrating: MigrateOptions['beforeMigrating'],
): Promise<void> {
  const migrations = await migrationFiles()
  const files = await featureFiles()
  // a comment of a file changes no table
  const tablesSum = checksum(joined(files.filter(isTables)).replaceAll(/^ *--.*\n/gm, ''))
  const presentFiles = files.filter((file) => !isTables(file))
  const presentSum = checksum(joined(presentFiles))
  let done: string[] = []
  let mismatch: string | undefined
  await alone(client, async (appliedChecksums) => {
    await beforeMigrating?.(client)
    refuseFormer(appliedChecksums, tablesSum, migrations)
    if (
      appliedChecksums.get(present) === presentSum &&
      migrations.every(({ name, sql }) => appliedChecksums.get(name) === checksum(sql))
    )
      return checkRules(client)
    if (appliedChecksums.size === 0) {
      // new tables have what the migrations change
      for (const { name, sql } of migrations) await record(client, name, checksum(sql))
      await record(client, tables, tablesSum)
      await applyPresent(client, files, presentSum, false)
      done = [tables, present]
      return
    }
    await lockTables(client)
    done = await applyMigrations(client, appliedChecksums, migrations)
    const isOlder = isAhead(appliedChecksums, migrations)
    if (!isOlder) await record(client, tables, tablesSum)
    mismatch = await applyPresent(client, presentFiles, presentSum, isOlder)
    if (mismatch === undefined) done.push(present)
  })
  for (const name of done) log(`applied ${name}`)
  if (mismatch !== undefined)
    log(
      `left functions and rules as the newer version has made them; those of this version do not fit: ${mismatch}`,
    )
}

/** Returns true if a newer version has migrated this database. */
const isAhead = (appliedChecksums: Map<string, string>, migrations: SqlFile[]): boolean => {
  const last = migrations.at(-1)?.name ?? ''
  return [...appliedChecksums.keys()].some((name) => name.startsWith('migrations/') && name > last)
}

/**
 * Applies functions and rules, and checks the lints. If a newer version has migrated the database,
 * its tables may not fit this version's files. Then all of the newer functions and rules stay, so
 * that an operator can return to this version.
 * @returns the reason if this version's files do not fit such a database
 */
async function applyPresent(
  client: pg.Client,
  files: SqlFile[],
  sum: string,
  mayMismatch: boolean,
): Promise<string | undefined> {
  await client.query('savepoint present')
  try {
    for (const { name, sql } of files) await define(client, `db/${name}.sql`, sql)
    await record(client, present, sum)
    await checkRules(client)
    return undefined
  } catch (error) {
    if (!mayMismatch || isLockConflict(error) || !(error instanceof Error)) throw error
    await client.query('rollback to savepoint present')
    return error.message
  }
}

/**
 * Drops the routines that only other routines depend on. The present files create all of them
 * again.
 */
const dropRoutines = `
  do $$ begin
    execute (
      with recursive routines as (
        select p.oid from pg_proc p
        where p.pronamespace::regnamespace::text in ('api', 'auth', 'private')
          and not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
      ), needed (oid) as (
        select d.refobjid from pg_depend d where d.refclassid = 'pg_proc'::regclass and d.classid <> 'pg_proc'::regclass
        union
        select d.refobjid from pg_depend d join needed n on d.objid = n.oid
        where d.classid = 'pg_proc'::regclass and d.refclassid = 'pg_proc'::regclass
      )
      select 'drop routine ' || string_agg(oid::regprocedure::text, ', ') from routines where oid not in (select oid from needed)
    );
  end $$`

/**
 * Returns true if a statement failed because a routine depends on the object or the column type.
 * PostgreSQL 15 has another code for the latter.
 */
const isNeededByRoutine = ({ code, message }: pg.DatabaseError): boolean =>
  code === '2BP01' || code === '0A000' && message.includes('uses its row type')

/**
 * Runs a migration. If functions of an older version depend on an object that it drops, this drops
 * these functions first.
 */
async function change(client: pg.Client, file: string, sql: string): Promise<void> {
  await client.query('savepoint file')
  try {
    await run(client, file, sql)
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    if (!(cause instanceof pg.DatabaseError) || !isNeededByRoutine(cause)) throw error
    await client.query('rollback to savepoint file')
    await client.query(dropRoutines)
    await run(client, file, sql)
  }
}

/** @returns the names of the new migrations */
async function applyMigrations(
  client: pg.Client,
  appliedChecksums: Map<string, string>,
  migrations: SqlFile[],
): Promise<string[]> {
  const done: string[] = []
  for (const { name, sql } of migrations) {
    const before = appliedChecksums.get(name)
    if (before !== undefined && before !== checksum(sql)) {
      throw new Error(
        `db/${name}.sql was edited after it had been applied to this database. Restore it, and write the change as a new migration.`,
      )
    }
    if (before !== undefined) continue
    await change(client, `db/${name}.sql`, sql)
    await record(client, name, checksum(sql))
    done.push(name)
  }
  return done
}

/**
 * Returns the form in which PostgreSQL stores a password (RFC 5803). Because it is computed here,
 * no statement and so no server log contains the password.
 */
export function scramVerifier(password: string): string {
  const iterations = 4096
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256')
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${
    hmac('Server Key').toString('base64')
  }`
}

async function setLogin(client: pg.Client, role: string, password: string): Promise<void> {
  const statement = `alter role ${role} login password ${
    client.escapeLiteral(scramVerifier(password))
  }`
  for (let attempt = 1;; attempt++) {
    try {
      await client.query(statement)
      return
    } catch (error) {
      // a role belongs to the whole server: a migration of another database may be setting it now
      const concurrently = error instanceof pg.DatabaseError &&
        error.message.includes('concurrently')
      if (!concurrently || attempt === 20) throw error
      await sleep(25 * attempt)
    }
  }
}

/**
 * Migrates the database of `databaseUrl`.
 * @throws Error with one line: the file, or PostgreSQL's message
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const log = options.log ?? (() => {})
  const client = await connect(options.databaseUrl)
  try {
    await client.query('set client_min_messages = warning')
    await applyFiles(client, log, options.beforeMigrating)
    await setLogin(client, 'auth_service', options.authServicePassword)
    await setLogin(client, 'authenticator', options.authenticatorPassword)
    await client.query(
      'insert into private.settings (public_url) values ($1) on conflict (singleton) do update set public_url = excluded.public_url',
      [
        options.publicUrl,
      ],
    )
    if (options.fileLimits !== undefined) {
      const { maxBytes, perTransaction, quota, teamQuota } = options.fileLimits
      await client.query(
        'update private.settings set file_max_bytes = $1, files_per_transaction = $2, files_quota = $3, files_team_quota = $4',
        [
          maxBytes,
          perTransaction,
          quota,
          teamQuota,
        ],
      )
    }
    await client.query(`notify pgrst, 'reload schema'; notify pgrst, 'reload config'`)
  } finally {
    await client.end()
  }
}

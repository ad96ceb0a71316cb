/**
 * Migrates a database. One transaction creates the tables, functions and rules of a new database.
 * Another database gets, in this order:
 *
 * - the new migrations, each in a transaction of its own, so that users write meanwhile;
 * - in one transaction the new migrations that drop something, and, if any file has changed, all
 *   functions and rules; it ends with the lints.
 *
 * The settings and passwords of the deployment follow. Several processes may run this at once. Each
 * may be killed at any point: the next run completes the work.
 *
 * Files that run at every change define the present: edit them in place. Objects that no file
 * defines are dropped.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  applyContract,
  applyMigration,
  finishBackfill,
  pendingMigrations,
  requireBackfills,
  resetBackfills,
  startBackfills,
} from './apply-migration.ts'
import { fileLimitsOf, readSettings } from '../common/settings.ts'
import { checkDatabase } from './check.ts'
import { connect } from './connect.ts'
import {
  alone,
  checksum,
  inTransaction,
  isLockConflict,
  limitWaits,
  record,
  retried,
  run,
  waitForTurn,
} from './migration-client.ts'
import {
  backfillName,
  featureFiles,
  migrationFiles,
  type Migration,
  type SqlFile,
} from './sql-files.ts'

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
  /**
   * Applies only the migrations beside which the old version can serve. Another run completes them.
   * Default: false.
   */
  onlyExpand?: boolean
  /** Called before any change. Throws if the database belongs to another deployment. */
  beforeMigrating?: (client: pg.ClientBase) => Promise<void>
  /** Called with one line for each applied file. */
  log?: (line: string) => void
}

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

/**
 * Locks every table at once. The requests of a live service lock tables in another order, so a
 * deadlock is possible.
 */
async function lockTables(client: pg.Client): Promise<void> {
  await limitWaits(client)
  await client.query(`
    do $$ begin
      execute (
        select 'lock table ' || string_agg(oid::regclass::text, ', ' order by oid)
        from pg_class where relkind = 'r' and relnamespace::regnamespace::text in ('api', 'auth', 'private')
      );
    end $$`)
}

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

/** The files of this version. */
type Version = {
  migrations: Migration[]
  files: SqlFile[]
  tablesSum: string
  presentFiles: SqlFile[]
  presentSum: string
}

async function readVersion(): Promise<Version> {
  const files = await featureFiles()
  const presentFiles = files.filter((file) => !isTables(file))
  return {
    migrations: await migrationFiles(),
    files,
    // a comment of a file changes no table
    tablesSum: checksum(joined(files.filter(isTables)).replaceAll(/^ *--.*\n/gm, '')),
    presentFiles,
    presentSum: checksum(joined(presentFiles)),
  }
}

/**
 * Creates the tables, functions and rules of a new database.
 * @returns what another database has applied; undefined if this one was new
 */
async function createOrRead(
  client: pg.Client,
  { migrations, files, tablesSum, presentSum }: Version,
  beforeMigrating: MigrateOptions['beforeMigrating'],
): Promise<Map<string, string> | undefined> {
  let applied: Map<string, string> | undefined
  await alone(client, async (found) => {
    await beforeMigrating?.(client)
    refuseFormer(found, tablesSum, migrations)
    if (found.size > 0) {
      applied = found
      return
    }
    // new tables have what the migrations change
    for (const { name, sql } of migrations) await record(client, name, checksum(sql))
    await record(client, tables, tablesSum)
    await applyPresent(client, files, presentSum, false)
  })
  return applied
}

/** Applies all new files. Users may write meanwhile. */
async function applyFiles(
  client: pg.Client,
  log: (line: string) => void,
  { beforeMigrating, onlyExpand = false }: MigrateOptions,
): Promise<void> {
  const version = await readVersion()
  const { migrations, tablesSum, presentFiles, presentSum } = version
  const applied = await retried(() => createOrRead(client, version, beforeMigrating))
  if (applied === undefined) {
    for (const name of [tables, present]) log(`applied ${name}`)
    return
  }
  const pending = pendingMigrations(applied, migrations)
  if (pending.length === 0 && applied.get(present) === presentSum)
    return inTransaction(client, () => checkRules(client))
  await requireBackfills(client, pending)

  const isOlder = isAhead(applied, migrations)
  const recordTables = async () => {
    if (!isOlder) await record(client, tables, tablesSum)
  }
  const apply = async (migration: Migration) => {
    await applyMigration(client, migration, recordTables)
    log(`applied ${migration.name}`)
  }
  const applyPresentWith = async (contracts: Migration[]) => {
    let mismatch: string | undefined
    await retried(() =>
      alone(client, async () => {
        await lockTables(client)
        for (const migration of contracts) await applyContract(client, migration, recordTables)
        mismatch = await applyPresent(client, presentFiles, presentSum, isOlder)
        if (mismatch === undefined) await resetBackfills(client, migrations)
      })
    )
    for (const { name } of contracts) log(`applied ${name}`)
    log(
      mismatch === undefined
        ? `applied ${present}`
        : `left functions and rules as the newer version has made them; those of this version do not fit: ${mismatch}`,
    )
    await startBackfills(client, migrations)
  }

  // An upgrade that skips a version also runs its backfills, after the functions that fill in new rows.
  const begun = pending.filter(({ kind }) => kind === 'backfill').map(backfillName)
  const isWaiting = ({ needs }: Migration) => needs !== undefined && begun.includes(needs)
  const contracts = pending.filter(({ contract }) => contract !== undefined)
  const expansions = pending.filter(({ contract }) => contract === undefined)
  for (const migration of expansions) if (!isWaiting(migration)) await apply(migration)
  if (onlyExpand) return
  if (pending.some(isWaiting)) {
    await applyPresentWith([])
    for (const name of begun) await finishBackfill(client, name)
    for (const migration of expansions) if (isWaiting(migration)) await apply(migration)
  }
  await applyPresentWith(contracts)
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
    await waitForTurn(client)
    await applyFiles(client, log, options)
    if (options.onlyExpand === true) return
    await setLogin(client, 'auth_service', options.authServicePassword)
    await setLogin(client, 'authenticator', options.authenticatorPassword)
    const { maxBytes, perTransaction, quota, teamQuota } = options.fileLimits ??
      fileLimitsOf(readSettings({}))
    await client.query(
      `insert into private.settings (public_url, file_max_bytes, files_per_transaction, files_quota, files_team_quota)
       values ($1, $2, $3, $4, $5)
       on conflict (singleton) do update set public_url = excluded.public_url, file_max_bytes = excluded.file_max_bytes,
         files_per_transaction = excluded.files_per_transaction, files_quota = excluded.files_quota,
         files_team_quota = excluded.files_team_quota`,
      [options.publicUrl, maxBytes, perTransaction, quota, teamQuota],
    )
    await client.query(`notify pgrst, 'reload schema'; notify pgrst, 'reload config'`)
  } finally {
    await client.end()
  }
}

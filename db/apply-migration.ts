/** Applies the files of db/migrations while users write, and runs their backfills. */
import pg from 'pg'
import { alone, checksum, limitWaits, record, retried, run } from './migration-client.ts'
import { backfillName, type Migration } from './sql-files.ts'

/** Returns the migrations that a database lacks. @throws Error if an applied one was edited */
export const pendingMigrations = (
  applied: Map<string, string>,
  migrations: Migration[],
): Migration[] =>
  migrations.filter(({ name, sql }) => {
    const before = applied.get(name)
    if (before !== undefined && before !== checksum(sql))
      throw new Error(
        `db/${name}.sql was edited after it had been applied to this database. Restore it, and write the change as a new migration.`,
      )
    return before === undefined
  })

/**
 * Drops the indexes that an interrupted `create index concurrently` or `reindex concurrently` has
 * left. PostgreSQL maintains such an index and does not use it, and `if not exists` would keep it.
 */
async function dropInvalidIndexes(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
      where not i.indisvalid and c.relnamespace::regnamespace::text in ('api', 'auth', 'private')`,
  )
  for (const { name } of rows) await client.query(`drop index concurrently if exists ${name}`)
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
 * Runs a file that drops something. If functions depend on it, drops them first. A function that
 * returns rows of a table depends on all columns.
 */
async function drop(client: pg.Client, file: string, sql: string): Promise<void> {
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

/**
 * Records a migration. Deletes the backfill that it needs: a later migration may drop columns of
 * that statement.
 */
async function recordMigration(
  client: pg.Client,
  { name, sql, needs }: Migration,
  recordTables: () => Promise<void>,
): Promise<void> {
  if (needs !== undefined)
    await client.query('delete from private.backfills where name = $1', [needs])
  await record(client, name, checksum(sql))
  await recordTables()
}

/**
 * Applies a migration in a transaction of its own, or without one.
 * @param recordTables records the tables of this version in the same transaction
 */
async function applyOnce(
  client: pg.Client,
  migration: Migration,
  recordTables: () => Promise<void>,
): Promise<void> {
  const { name, sql, kind } = migration
  // such a statement waits without a limit, because no statement of a user waits for it
  if (kind === 'no transaction') {
    await dropInvalidIndexes(client)
    await run(client, `db/${name}.sql`, sql)
  }
  await alone(client, async () => {
    await limitWaits(client)
    if (kind === 'transaction') await run(client, `db/${name}.sql`, sql)
    if (kind === 'backfill')
      await client.query('insert into private.backfills (name, statement) values ($1, $2)', [
        backfillName(migration),
        sql,
      ])
    await recordMigration(client, migration, recordTables)
  })
}

export const applyMigration = (...args: Parameters<typeof applyOnce>): Promise<void> =>
  retried(() => applyOnce(...args))

/**
 * Applies a migration that drops something. The caller's transaction then creates all functions
 * again.
 */
export async function applyContract(
  client: pg.Client,
  migration: Migration,
  recordTables: () => Promise<void>,
): Promise<void> {
  await drop(client, `db/${migration.name}.sql`, migration.sql)
  await recordMigration(client, migration, recordTables)
}

/** Throws if a migration needs a backfill that an earlier version has begun and not finished. */
export async function requireBackfills(client: pg.Client, pending: Migration[]): Promise<void> {
  for (const { name, needs } of pending) {
    if (needs === undefined) continue
    const { rows: [unfinished] } = await client.query<{ left: string, tenants: string }>(
      'select tenants_left as left, tenants from private.backfill_progress() where name = $1 and not is_finished',
      [needs],
    )
    if (unfinished !== undefined)
      throw new Error(
        `db/${name}.sql needs the backfill ${needs}, which has ${unfinished.left} of ${unfinished.tenants} tenants left: nothing was changed, so migrate again when \`admin status\` shows it as finished.`,
      )
  }
}

/**
 * Stops the backfills of a newer version after a rollback: the functions of this version do not fill
 * in new rows. They begin again with that version.
 */
export async function resetBackfills(client: pg.Client, migrations: Migration[]): Promise<void> {
  await client.query(
    'update private.backfills set after_tenant = null, finished_at = null where name <> all ($1)',
    [migrations.map(backfillName)],
  )
}

/** Begins the backfills of this version. Its functions fill in new rows. */
export async function startBackfills(client: pg.Client, migrations: Migration[]): Promise<void> {
  await client.query(
    `with started as (
        update private.backfills set after_tenant = '' where after_tenant is null and name = any ($1) returning name
      )
      insert into private.jobs (task, key) select 'backfill', name from started on conflict do nothing`,
    [migrations.map(backfillName)],
  )
}

/** Runs a backfill to its end, without its job: for an upgrade that skips a version. */
export async function finishBackfill(client: pg.Client, name: string): Promise<void> {
  let isLeft = true
  while (isLeft) {
    const { rows } = await retried(() =>
      client.query<{ isLeft: boolean }>('select private.run_backfill($1) as "isLeft"', [name])
    )
    isLeft = rows[0]?.isLeft === true
  }
}

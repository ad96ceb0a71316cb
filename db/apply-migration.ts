/** Applies the files of db/migrations while users write, and runs their backfills. */
import type pg from 'pg'
import { alone, checksum, limitWaits, record, retried, run } from './migration-client.ts'
import { backfillName, type Migration } from './sql-files.ts'

/**
 * Returns true if a migration runs after the functions and rules of this version: it drops what
 * only older ones use, or needs the rows that they fill in.
 */
export const isLate = ({ contract, needs }: Migration): boolean =>
  contract !== undefined || needs !== undefined

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
 * Applies a migration and records it. A migration that needs a backfill ends it: the backfill never
 * runs again.
 * @param recordTables records the tables of this version in the same transaction
 */
async function applyOnce(
  client: pg.Client,
  migration: Migration,
  recordTables: () => Promise<void>,
): Promise<void> {
  const { name, sql, kind, needs } = migration
  const file = `db/${name}.sql`
  // such a statement waits without a limit, because no statement of a user waits for it
  if (kind === 'no transaction') {
    await dropInvalidIndexes(client)
    await run(client, file, sql)
  }
  await alone(client, async () => {
    await limitWaits(client)
    if (kind === 'transaction') await run(client, file, sql)
    if (kind === 'backfill')
      await client.query('insert into private.backfills (name, statement) values ($1, $2)', [
        backfillName(migration),
        sql,
      ])
    if (needs !== undefined)
      await client.query('delete from private.backfills where name = $1', [needs])
    await record(client, name, checksum(sql))
    await recordTables()
  })
}

export const applyMigration = (...args: Parameters<typeof applyOnce>): Promise<void> =>
  retried(() => applyOnce(...args))

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

/** Begins the backfills of this version, whose functions now fill in new rows. */
export async function startBackfills(client: pg.Client, migrations: Migration[]): Promise<void> {
  await client.query(
    `with started as (
        update private.backfills set after_tenant = '' where after_tenant is null and name = any ($1) returning name
      )
      insert into private.jobs (task, key) select 'backfill', name from started on conflict do nothing`,
    [migrations.map(backfillName)],
  )
}

/**
 * Runs a backfill to its end, without the job. This is the case of an upgrade that skips the version
 * which would have finished it.
 */
export async function finishBackfill(client: pg.Client, name: string): Promise<void> {
  let isLeft = true
  while (isLeft) {
    const { rows } = await retried(() =>
      client.query<{ isLeft: boolean }>('select private.run_backfill($1) as "isLeft"', [name])
    )
    isLeft = rows[0]?.isLeft === true
  }
}

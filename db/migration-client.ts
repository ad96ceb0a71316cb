/**
 * Transactions of a migration. Statements of users queue behind a statement that waits for a lock.
 * So it gives up soon, and the migration retries it.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** An arbitrary number. No other code may use the same advisory lock in this database. */
const lockKey = 710_331_804_118

export const checksum = (sql: string) => createHash('sha256').update(sql).digest('hex')

/**
 * Waits until no other process migrates this database. The turn ends with the connection. No
 * statement waits, because `create index concurrently` of another process would wait for it.
 */
export async function waitForTurn(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows: [turn] } = await client.query<{ isMine: boolean }>(
      `select pg_try_advisory_lock(${lockKey}) as "isMine"`,
    )
    if (turn?.isMine === true) return
    await sleep(200)
  }
}

export async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** Runs a file. */
export async function run(client: pg.Client, file: string, sql: string): Promise<void> {
  try {
    await client.query(sql)
  } catch (error) {
    throw new Error(`${file} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

/**
 * Runs work in a transaction beside which no backup runs: a backup locks the same table in share
 * mode.
 * @param work receives the names and checksums in private.migrations
 */
export async function alone(
  client: pg.Client,
  work: (applied: Map<string, string>) => Promise<void>,
): Promise<void> {
  await inTransaction(client, async () => {
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

export async function record(client: pg.Client, name: string, sum: string): Promise<void> {
  await client.query(
    `
    insert into private.migrations (name, checksum) values ($1, $2)
    on conflict (name) do update set checksum = excluded.checksum, applied_at = excluded.applied_at`,
    [name, sum],
  )
}

/**
 * Limits the statements of a transaction. The lock timeout is shorter than PostgreSQL's deadlock
 * timeout. So the migration gives up, and PostgreSQL cancels no request.
 */
export async function limitWaits(client: pg.Client): Promise<void> {
  await client.query(`set local lock_timeout = '500ms'; set local statement_timeout = '15min'`)
}

export const isLockConflict = (error: unknown): boolean =>
  error instanceof Error &&
  ('code' in error && (error.code === '55P03' || error.code === '40P01') ||
    isLockConflict(error.cause))

/** Runs work. Retries for a minute while a live service holds a lock. */
export async function retried<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + 60_000
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isLockConflict(error) || Date.now() > deadline) throw error
      await sleep(200 + Math.random() * 300)
    }
  }
}

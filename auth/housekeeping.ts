/**
 * Deletes expired rows of identity: rate-limit windows, sessions, API keys, verifications, pending
 * sign-ins, remembered devices and invitations, events and activity after the operator's retention
 * time. It also runs the sweeps of the other rooms. Each table is a job of its own, so one failure
 * does not stop the others. A backfill of a migration is such a job too: db/backfills.
 */
import type pg from 'pg'
import { schedule } from '../common/jobs/jobs.ts'
import { batchRows, type Kept, type Sweep } from '../common/jobs/sweep.ts'
import { startWorker, type Handler, type Job } from '../common/jobs/worker.ts'
import type { Tables } from '../db/types.ts'
import type { Rotation } from './keys/rotation.ts'
import { describeError, type Log } from '../common/log.ts'

/**
 * The key and the condition of expired rows per table. The database deletes activity, which the
 * service may not read.
 */
const ends = [
  {
    table: 'auth.rate_limits',
    key: 'key',
    ended: 'window_started_at < now() - make_interval(secs => window_seconds)',
  },
  { table: 'auth.sessions', key: 'id', ended: 'expires_at < now()' },
  // The user sees for a month why a program stopped.
  { table: 'auth.api_keys', key: 'id', ended: `expires_at < now() - interval '30 days'` },
  { table: 'auth.verifications', key: 'id', ended: 'expires_at < now()' },
  { table: 'auth.two_factor_tokens', key: 'token_hash', ended: 'expires_at < now()' },
  // The organization sees the outcome of an invitation for a month. After that only an address
  // would be stored.
  { table: 'auth.invitations', key: 'id', ended: `expires_at < now() - interval '30 days'` },
] satisfies { table: keyof Tables, key: string, ended: string }[]

/** Time per table and round, in milliseconds. A started batch finishes. */
const sweepMs = 2_000

/**
 * Pause before a table's next run, in milliseconds: if rows are left, after a failure and at the
 * start of the service, and if all is done.
 */
const usualPauses = { left: 1_000, failed: 60_000, done: 10 * 60_000 }

/** Pause between two queries for due jobs, in milliseconds. */
const pauseMs = 1_000
/** Timeout of a run, in milliseconds. A statement takes up to 15 seconds. */
const attemptMs = 60_000

/** The sweeps of identity, and of the activity of the data surface. */
export const identitySweeps = (pool: pg.Pool, { activityDays, eventsDays }: Kept): Sweep[] => [
  ...[...ends, {
    table: 'auth.events' as const,
    key: 'id',
    ended: `happened_at < now() - interval '${eventsDays} days'`,
  }].map(({ table, key, ended }) => ({
    table,
    async deleteBatch() {
      // Skips rows that another process deletes. The condition is repeated, because a window may
      // restart between the select and the delete.
      const { rowCount } = await pool.query(
        `delete from ${table} where ${key} in (select ${key} from ${table} where ${ended} limit ${batchRows} for update skip locked) and ${ended}`,
      )
      return (rowCount ?? 0) >= batchRows
    },
  })),
  {
    table: 'api.activity',
    async deleteBatch() {
      const { rows } = await pool.query<{ count: string }>(
        'select private.forget_activity($1, $2) as count',
        [activityDays, batchRows],
      )
      return Number(rows[0]?.count) >= batchRows
    },
  },
]

/**
 * Runs until stopped, in any number of processes: one of them cleans a table at a time. Also logs
 * the age of the signing key, for alarms without metrics.
 * @param pauses pauses between runs, for tests
 * @returns a function that stops it after the current batch
 */
export async function startHousekeeping(
  pool: pg.Pool,
  sweeps: Sweep[],
  rotation: Pick<Rotation, 'status'>,
  log: Log,
  pauses = usualPauses,
): Promise<() => Promise<void>> {
  await schedule(pool, 'housekeeping', sweeps.map(({ table }) => table))
  await schedule(pool, 'log_signing_key', ['age'])
  const sweep: Handler = async ({ key }, signal) => {
    const found = sweeps.find(({ table }) => table === key)
    for (const deadline = Date.now() + sweepMs; Date.now() < deadline && !signal.aborted;) {
      if (found === undefined || !await found.deleteBatch()) return pauses.done
    }
    return pauses.left
  }
  const backfill: Handler = async ({ key }, signal) => {
    for (const deadline = Date.now() + sweepMs; Date.now() < deadline && !signal.aborted;) {
      const { rows } = await pool.query<{ isLeft: boolean }>(
        'select private.run_backfill($1) as "isLeft"',
        [key],
      )
      if (rows[0]?.isLeft !== true) return undefined
    }
    return pauses.left
  }
  const logSigningKey: Handler = () => {
    log.info({ signing_key_age_seconds: rotation.status().signingKeyAgeSeconds }, 'signing key')
    return Promise.resolve(pauses.done)
  }
  const onFailure = (error: unknown, { task, key }: Job) => {
    log.warn(
      { [task === 'backfill' ? task : 'table']: key, error: describeError(error) },
      'housekeeping failed; it will run again',
    )
    return { afterMs: pauses.failed, reason: describeError(error).message }
  }
  return startWorker({
    pool,
    tasks: { housekeeping: sweep, backfill, log_signing_key: logSigningKey },
    slots: 1,
    timeoutMs: attemptMs,
    pauseMs: Math.min(pauseMs, pauses.left),
    // A starting service has more urgent work.
    firstPauseMs: pauses.failed,
    onFailure,
    log,
  }).stop
}

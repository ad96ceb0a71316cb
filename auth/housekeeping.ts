/**
 * Deletes what has ended: rate-limit windows, sessions, API keys, password resets, half done sign-ins and remembered devices,
 * invitations, and activity and events that are older than the operator keeps them. The engine deletes such a row at most when
 * somebody asks for it. Each table is swept on its own, so that one that fails does not stop the others, and in batches, so that a
 * million rows are not locked at once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Tables } from '../db/types.ts'
import type { Rotation } from './keys/rotation.ts'
import { describeError, type Log } from './log.ts'

/** Each table's key, and which of its rows have ended. Activity is the database's own to delete: the service may not read it. */
const ends = [
  { table: 'auth.rate_limits', key: 'key', ended: 'window_started_at < now() - make_interval(secs => window_seconds)' },
  { table: 'auth.sessions', key: 'id', ended: 'expires_at < now()' },
  // its person sees for a month why a program has stopped
  { table: 'auth.api_keys', key: 'id', ended: `expires_at < now() - interval '30 days'` },
  { table: 'auth.verifications', key: 'id', ended: 'expires_at < now()' },
  { table: 'auth.two_factor_tokens', key: 'token_hash', ended: 'expires_at < now()' },
  // an organization sees for a month what became of an invitation; after that it would only be an address that we keep
  { table: 'auth.invitations', key: 'id', ended: `expires_at < now() - interval '30 days'` },
] satisfies { table: keyof Tables, key: string, ended: string }[]

/** Rows of one statement, which takes milliseconds. */
const batchRows = 1_000
/** How long one table may be swept in a round, in milliseconds; a batch that has begun is finished. */
const sweepMs = 2_000
type Outcome = 'left' | 'failed' | 'done'
/** Between rounds, by the worst outcome of a table, in milliseconds. */
const pauses: Record<Outcome, number> = { left: 1_000, failed: 60_000, done: 10 * 60_000 }

/** Deletes a batch of a table. @returns how many rows */
type Sweep = { table: keyof Tables | 'api.activity', batch: () => Promise<number> }

/** For how many days the operator keeps what has no end of its own. */
export type Kept = { activityDays: number, eventsDays: number }

const sweepsOf = (pool: pg.Pool, { activityDays, eventsDays }: Kept): Sweep[] => [
  ...[...ends, { table: 'auth.events' as const, key: 'id', ended: `happened_at < now() - interval '${eventsDays} days'` }].map(({ table, key, ended }) => ({
    table,
    async batch() {
      // The rows that another process is deleting are left to it. The condition stands twice, because a limit's window may begin
      // anew between the select and the delete.
      const { rowCount } = await pool.query(
        `delete from ${table} where ${key} in (select ${key} from ${table} where ${ended} limit ${batchRows} for update skip locked) and ${ended}`,
      )
      return rowCount ?? 0
    },
  })),
  {
    table: 'api.activity',
    async batch() {
      const { rows } = await pool.query<{ count: string }>('select private.forget_activity($1, $2) as count', [activityDays, batchRows])
      return Number(rows[0]?.count)
    },
  },
]

/**
 * Runs until stopped; several processes may run it at once. It also logs the age of the signing key, for alarms that read
 * logs and no metrics.
 * @param pausesMs between rounds, for tests that cannot wait ten minutes
 * @returns the function that stops it, which waits for the batch that has begun
 */
export function startHousekeeping(
  pool: pg.Pool,
  kept: Kept,
  rotation: Pick<Rotation, 'status'>,
  log: Log,
  pausesMs = pauses,
): () => Promise<void> {
  const stopping = new AbortController()
  const sweeps = sweepsOf(pool, kept)
  const sweep = async ({ table, batch }: Sweep): Promise<Outcome> => {
    try {
      for (const deadline = Date.now() + sweepMs; Date.now() < deadline && !stopping.signal.aborted;) {
        if (await batch() < batchRows) return 'done'
      }
      return 'left'
    } catch (error) {
      log.warn({ table, error: describeError(error) }, 'housekeeping failed; it will run again')
      return 'failed'
    }
  }
  const run = async () => {
    const pause = (milliseconds: number) => sleep(milliseconds, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    // a start has more urgent work
    await pause(pausesMs.failed)
    while (!stopping.signal.aborted) {
      log.info({ signing_key_age_seconds: rotation.status().signingKeyAgeSeconds }, 'signing key')
      const outcomes = new Set<Outcome>()
      for (const which of sweeps) outcomes.add(await sweep(which))
      await pause(pausesMs[outcomes.has('left') ? 'left' : outcomes.has('failed') ? 'failed' : 'done'])
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}

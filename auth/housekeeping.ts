/**
 * Deletes expired rows: rate-limit windows, sessions, API keys, verifications, pending sign-ins, remembered devices and invitations.
 * Deletes activity, events and files of deleted attachments after the operator's retention time, and the objects of deleted files. Each table is separate, so one failure does not stop the others.
 * Batches keep the locks short.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Tables } from '../db/types.ts'
import type { Rotation } from './keys/rotation.ts'
import { deleteNotedObjects } from '../common/deleted-objects.ts'
import { describeError, type Log } from '../common/log.ts'
import type { ObjectStorage } from '../common/object-storage.ts'
import { withClient } from './database.ts'

/** The key and the condition of expired rows per table. The database deletes activity, which the service may not read. */
const ends = [
  { table: 'auth.rate_limits', key: 'key', ended: 'window_started_at < now() - make_interval(secs => window_seconds)' },
  { table: 'auth.sessions', key: 'id', ended: 'expires_at < now()' },
  // The user sees for a month why a program stopped.
  { table: 'auth.api_keys', key: 'id', ended: `expires_at < now() - interval '30 days'` },
  { table: 'auth.verifications', key: 'id', ended: 'expires_at < now()' },
  { table: 'auth.two_factor_tokens', key: 'token_hash', ended: 'expires_at < now()' },
  // The organization sees the outcome of an invitation for a month. After that only an address would be stored.
  { table: 'auth.invitations', key: 'id', ended: `expires_at < now() - interval '30 days'` },
] satisfies { table: keyof Tables, key: string, ended: string }[]

/** Rows per statement. A statement of this size takes milliseconds. */
const batchRows = 1_000
/** Files per statement. A file has up to 400 chunks, or is one request to the object storage. */
const batchFiles = 20
/** Time per table and round, in milliseconds. A started batch finishes. */
const sweepMs = 2_000

/** Maximum number of changes that live streams can resume from. Changes are kept for an hour at most. */
const keptChanges = 100_000

type Outcome = 'left' | 'failed' | 'done'
/** Pauses between rounds, by the worst outcome of a table, in milliseconds. */
const pauses: Record<Outcome, number> = { left: 1_000, failed: 60_000, done: 10 * 60_000 }

/** A table, and the function that deletes a batch of its rows and returns their number. */
type Sweep = { table: keyof Tables | 'api.activity', batch: () => Promise<number> }

/** Retention of rows without an expiry, in days. */
export type Kept = { activityDays: number, eventsDays: number }

const sweepsOf = (pool: pg.Pool, { activityDays, eventsDays }: Kept, objects: ObjectStorage | undefined): Sweep[] => [
  ...[...ends, { table: 'auth.events' as const, key: 'id', ended: `happened_at < now() - interval '${eventsDays} days'` }].map(({ table, key, ended }) => ({
    table,
    async batch() {
      // Skips rows that another process deletes. The condition is repeated, because a window may restart between
      // the select and the delete.
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
  {
    table: 'private.changes',
    async batch() {
      const { rows } = await pool.query<{ count: string }>('select private.forget_changes($1, $2) as count', [keptChanges, batchRows])
      return Number(rows[0]?.count)
    },
  },
  {
    table: 'private.files',
    async batch() {
      const { rows } = await pool.query<{ count: string }>('select private.forget_files($1, $2) as count', [activityDays, batchFiles])
      return Number(rows[0]?.count) < batchFiles ? 0 : batchRows
    },
  },
  ...(objects === undefined ? [] : [{
    table: 'private.deleted_objects' as const,
    batch: async () => await withClient(pool, (client) => deleteNotedObjects(client, objects, batchFiles)) < batchFiles ? 0 : batchRows,
  }]),
]

/**
 * Runs until stopped, in any number of processes. Also logs the age of the signing key, for alarms without metrics.
 * @param objects the object storage; without it, notes of deleted objects stay
 * @param pausesMs pauses between rounds, for tests
 * @returns a function that stops it after the current batch
 */
export function startHousekeeping(
  pool: pg.Pool,
  kept: Kept,
  rotation: Pick<Rotation, 'status'>,
  objects: ObjectStorage | undefined,
  log: Log,
  pausesMs = pauses,
): () => Promise<void> {
  const stopping = new AbortController()
  const sweeps = sweepsOf(pool, kept, objects)
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
    // A starting service has more urgent work.
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

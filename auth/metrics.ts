/** The metrics of identity and of the database. docs/monitoring.md explains them. */
import type pg from 'pg'
import { Counter, Gauge, type Registry } from 'prom-client'
import { belowFloors, databaseVersionsSql, type Versions } from '../common/floors.ts'
import { counterOf, gaugeOf, lastKnown } from '../common/metrics.ts'
import { readDatabaseFigures, type DatabaseFigures } from './database-figures.ts'
import type { HashingQueue } from './engine/passwords.ts'
import type { Rotation } from './keys/rotation.ts'
import { failureReasons } from './mail/failures.ts'
import { mailBacklog, type MailObserver } from './mail/queue.ts'

/** Sources that each scrape reads. */
type Sources = {
  hashingQueue: Pick<HashingQueue, 'waiting'>
  rotation: Pick<Rotation, 'status'>
  pool: pg.Pool
}

/** Counts outcomes of mails. */
export function mailMetrics(registry: Registry): MailObserver {
  const sent = new Counter({
    name: 'auth_mail_sent_total',
    help: 'Emails that a provider accepted.',
    registers: [registry],
  })
  return {
    sent: () => sent.inc(),
    failed: counterOf(
      registry,
      'auth_mail_failures_total',
      'Failed attempts to send an email.',
      'reason',
      failureReasons,
    ),
    gaveUp: counterOf(
      registry,
      'auth_mail_given_up_total',
      'Emails that are not retried.',
      'reason',
      failureReasons,
    ),
  }
}

/** Adds the values of the hashing queue and of the signing keys. */
function watchKeys(
  registry: Registry,
  { hashingQueue, rotation }: Pick<Sources, 'hashingQueue' | 'rotation'>,
): void {
  gaugeOf(
    registry,
    'auth_hashing_queue_length',
    'Requests that wait to hash a password.',
    () => hashingQueue.waiting(),
  )
  gaugeOf(
    registry,
    'auth_signing_key_age_seconds',
    'How long the current key has been signing.',
    () => rotation.status().signingKeyAgeSeconds,
  )
  gaugeOf(
    registry,
    'auth_signing_key_pending_seconds',
    'How long a published key has been waiting for PostgREST; 0 when none is.',
    () => rotation.status().pendingSeconds,
  )
}

/** Adds the values of the mail queue. */
function watchMail(registry: Registry, pool: pg.Pool): void {
  const waiting = lastKnown(() => mailBacklog(pool))
  gaugeOf(
    registry,
    'auth_mail_queue_depth',
    'Emails of all processes that are not sent yet.',
    async () => (await waiting())?.depth,
  )
  gaugeOf(
    registry,
    'auth_mail_queue_oldest_seconds',
    'Age of the oldest of them; 0 when there is none.',
    async () => (await waiting())?.oldestSeconds,
  )
}

/** Reads the figures of the database; undefined if that fails. */
type ReadFigures = () => Promise<DatabaseFigures | undefined>

/** Adds the values of the server of the database. */
function watchDatabase(registry: Registry, figures: ReadFigures): void {
  const ofDatabase = (
    name: string,
    help: string,
    value: (read: DatabaseFigures) => number | null,
  ) =>
    gaugeOf(registry, name, help, async () => {
      const read = await figures()
      return read === undefined ? undefined : value(read) ?? undefined
    })
  ofDatabase(
    'finance_database_size_bytes',
    'The size of the database.',
    ({ sizeBytes }) => sizeBytes,
  )
  ofDatabase(
    'finance_database_connections',
    'Connections of clients to the server of the database.',
    ({ connections: used }) => used,
  )
  ofDatabase(
    'finance_database_connections_max',
    'Maximum number of connections.',
    ({ maxConnections }) => maxConnections,
  )
  ofDatabase(
    'finance_database_locks_waiting',
    'Statements that wait for a lock.',
    ({ waiting: statements }) => statements,
  )
  ofDatabase(
    'finance_database_lock_wait_seconds',
    'Time of the longest of these waits.',
    ({ longestWaitSeconds }) => longestWaitSeconds,
  )
  ofDatabase(
    'finance_database_start_timestamp_seconds',
    'Start time of the database server.',
    ({ startedAt }) => startedAt,
  )
  ofDatabase(
    'finance_database_oldest_transaction_seconds',
    'Age of the oldest open transaction.',
    (read) => read.oldestTransactionSeconds,
  )
  ofDatabase(
    'finance_database_notification_queue_ratio',
    'Share of the queue of notifications in use.',
    (read) => read.notificationQueueRatio,
  )
  ofDatabase(
    'finance_database_collation_changed',
    '1 if the library that sorts texts has changed.',
    (read) => (read.collationChanged ? 1 : 0),
  )
}

/** Adds the values of each replication slot. */
function watchSlots(registry: Registry, figures: ReadFigures): void {
  const ofSlots = (
    name: string,
    help: string,
    value: (slot: DatabaseFigures['slots'][number]) => number,
  ) => {
    const made = new Gauge({
      name,
      help,
      labelNames: ['slot'],
      registers: [registry],
      async collect() {
        const read = await figures()
        made.reset()
        for (const slot of read?.slots ?? []) made.set({ slot: slot.name }, value(slot))
      },
    })
  }
  ofSlots(
    'finance_replication_slot_kept_bytes',
    'The log that the database keeps for a slot.',
    ({ keptBytes }) => keptBytes,
  )
  ofSlots(
    'finance_replication_slot_active',
    '1 if the log of a slot is being received.',
    ({ isActive }) => (isActive ? 1 : 0),
  )
}

/** Adds whether each program is below its floor. */
function watchFloors(registry: Registry, pool: pg.Pool): void {
  const versions = lastKnown(async () => (await pool.query<Versions>(databaseVersionsSql)).rows[0])
  const floors = new Gauge({
    name: 'finance_below_floor',
    help: '1 if the version of the program has a known flaw.',
    labelNames: ['program'],
    registers: [registry],
    async collect() {
      const all: Versions = { node: process.versions.node, ...await versions() }
      const below = belowFloors(all)
      floors.reset()
      for (const [program, version] of Object.entries(all))
        if (version != null)
          floors.set(
            { program },
            below.some((finding) => finding.program === program)
              ? 1
              : 0,
          )
    },
  })
}

/** Adds the values that a scrape reads. */
export function watchIdentity(registry: Registry, { hashingQueue, rotation, pool }: Sources): void {
  watchKeys(registry, { hashingQueue, rotation })
  watchMail(registry, pool)
  const figures = lastKnown(() => readDatabaseFigures(pool))
  watchDatabase(registry, figures)
  watchSlots(registry, figures)
  watchFloors(registry, pool)
}

/** The Prometheus metrics. Each series starts at zero, so an alert sees the first event as a change. docs/monitoring.md explains them. */
import type pg from 'pg'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { belowFloors, type Versions } from '../../common/floors.ts'
import type { HashingQueue } from '../engine/passwords.ts'
import { closings } from '../features/change/stream.ts'
import type { ChangeStreams, StreamsObserver } from '../features/change/streams.ts'
import type { Rotation } from '../keys/rotation.ts'
import { failureReasons } from '../mail/job.ts'
import type { MailObserver } from '../mail/job.ts'
import type { Backlog } from '../mail/queue.ts'
import type { WebhookObserver } from '../webhooks/dispatcher.ts'
import { failures } from '../webhooks/sender.ts'
import type { DatabaseFigures } from './database-figures.ts'

/** The limits that a request can exceed: per address, per account, or the hashing queue. */
const limitKinds = ['address', 'account', 'hashing_queue'] as const
type LimitKind = typeof limitKinds[number]

/** Sources that each scrape reads. */
type Sources = {
  hashingQueue: Pick<HashingQueue, 'waiting'>
  streams: Pick<ChangeStreams, 'count' | 'lagSeconds'>
  rotation: Pick<Rotation, 'status'>
  pools: Record<string, pg.Pool>
  backlog: () => Promise<Backlog>
  failedRateDownloads: () => Promise<number>
  webhookLagSeconds: () => Promise<number>
  databaseVersions: () => Promise<Versions | undefined>
  databaseFigures: () => Promise<DatabaseFigures>
}

export type Metrics = {
  /** Counts a response. @param route one of a fixed set @param seconds duration of the request */
  observe(method: string, route: string, status: number, seconds: number): void
  /** Counts a request over a limit. */
  limitHit(kind: LimitKind): void
  /** Counts outcomes of mails. */
  mail: MailObserver
  /** Counts closed live streams and their events. */
  streams: StreamsObserver
  /** Counts outcomes of webhooks. */
  webhooks: WebhookObserver
  /** For metrics of the listener around the app. */
  registry: Registry
  /** Adds sources that a scrape reads. */
  watch(sources: Sources): void
  /** The exposition text. */
  text(): Promise<string>
  contentType: string
}

/** The methods that are metric labels. Prometheus keeps a time series for each label, and a client may send any method. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Time that a scrape waits for the database, in milliseconds. After it the scrape contains the last value. */
const scrapeTimeoutMs = 500
/** Maximum age of a value, in milliseconds. An older one is left out. */
const maxAgeMs = 60_000

/**
 * A value from the database. Concurrent scrapes share one query, and a slow database delays no scrape.
 * @returns the current or a recent value; undefined if it is too old
 */
function lastKnown<Figure>(query: () => Promise<Figure>): () => Promise<Figure | undefined> {
  let lastReading: { figure: Figure, at: number } | undefined
  let running: Promise<void> | undefined
  const queryOnce = async () => {
    try {
      lastReading = { figure: await query(), at: performance.now() }
    } catch {
      // keeps the last value
    } finally {
      running = undefined
    }
  }
  return async () => {
    running ??= queryOnce()
    const timeout = Promise.withResolvers<void>()
    const timer = setTimeout(timeout.resolve, scrapeTimeoutMs)
    await Promise.race([running, timeout.promise])
    clearTimeout(timer)
    return lastReading !== undefined && performance.now() - lastReading.at < maxAgeMs ? lastReading.figure : undefined
  }
}

/** @param routes the labels of routes, in addition to `unknown` */
export function createMetrics(routes: Iterable<string>): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'auth_http_request_duration_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const limited = new Counter({ name: 'auth_rate_limited_total', help: 'Requests refused with 429.', labelNames: ['route'], registers })
  for (const route of routes) limited.inc({ route }, 0)
  const limits = new Counter({
    name: 'auth_limit_hits_total',
    help: 'Requests over a limit, by limit: per address, per account, or of the hashing queue.',
    labelNames: ['limit'],
    registers,
  })
  for (const limit of limitKinds) limits.inc({ limit }, 0)
  const sent = new Counter({ name: 'auth_mail_sent_total', help: 'Mails that a provider has taken.', registers })
  const failed = new Counter({ name: 'auth_mail_failures_total', help: 'Attempts of mail jobs that failed.', labelNames: ['reason'], registers })
  const gaveUp = new Counter({ name: 'auth_mail_given_up_total', help: 'Mail jobs that are not tried again.', labelNames: ['reason'], registers })
  for (const counter of [failed, gaveUp]) for (const reason of failureReasons) counter.inc({ reason }, 0)
  const webhooksSent = new Counter({ name: 'auth_webhooks_delivered_total', help: 'Messages that receivers of webhooks have accepted.', registers })
  const webhooksFailed = new Counter({
    name: 'auth_webhook_failures_total',
    help: 'Attempts to deliver a message of a webhook that failed.',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of failures) webhooksFailed.inc({ reason }, 0)
  const webhooksOff = new Counter({ name: 'auth_webhooks_disabled_total', help: 'Webhooks that were turned off because of their failures.', registers })

  const streamsClosed = new Counter({ name: 'auth_streams_closed_total', help: 'Live streams that were closed.', labelNames: ['reason'], registers })
  for (const reason of closings) streamsClosed.inc({ reason }, 0)
  const streamEvents = new Counter({ name: 'auth_stream_events_total', help: 'Changes that live streams have told.', registers })
  const streamResets = new Counter({ name: 'auth_stream_resets_total', help: 'Live streams that were told that changes were lost.', registers })

  return {
    observe: (method, route, status, seconds) => {
      duration.observe({ method: methods.has(method) ? method : 'OTHER', route, status }, seconds)
      if (status === 429) limited.inc({ route })
    },
    limitHit: (limit) => limits.inc({ limit }),
    mail: {
      // the other jobs only queue a mail
      done: (task) => task === 'send_mail' && sent.inc(),
      failed: (reason) => failed.inc({ reason }),
      gaveUp: (reason) => gaveUp.inc({ reason }),
    },
    streams: {
      closed: (reason) => streamsClosed.inc({ reason }),
      sent: (changes) => streamEvents.inc(changes),
      lost: (streams) => streamResets.inc(streams),
    },
    webhooks: {
      delivered: () => webhooksSent.inc(),
      failed: (reason) => webhooksFailed.inc({ reason }),
      disabled: () => webhooksOff.inc(),
    },
    registry,
    watch: ({ hashingQueue, streams, rotation, pools, backlog, failedRateDownloads, webhookLagSeconds, databaseVersions, databaseFigures }) => {
      const gauge = (name: string, help: string, value: () => number | undefined | Promise<number | undefined>) => {
        const made = new Gauge({
          name,
          help,
          registers,
          async collect() {
            const now = await value()
            if (now === undefined) made.remove()
            else made.set(now)
          },
        })
      }
      gauge('auth_hashing_queue_length', 'Requests that wait to hash a password.', () => hashingQueue.waiting())
      gauge('auth_streams', 'Live streams.', streams.count)
      gauge('auth_streams_lag_seconds', 'Time since the last read of changes; 0 without live streams.', streams.lagSeconds)
      gauge('auth_signing_key_age_seconds', 'How long the current key has been signing.', () => rotation.status().signingKeyAgeSeconds)
      gauge(
        'auth_signing_key_pending_seconds',
        'How long a published key has been waiting for PostgREST; 0 when none is.',
        () => rotation.status().pendingSeconds,
      )
      const waiting = lastKnown(backlog)
      gauge('auth_mail_queue_depth', 'Mail jobs that are not done, of all processes.', async () => (await waiting())?.depth)
      gauge('auth_mail_queue_oldest_seconds', 'Age of the oldest of them; 0 when there is none.', async () => (await waiting())?.oldestSeconds)
      gauge('auth_webhooks_lag_seconds', 'Time for which a change, or a message that is due, has waited to be sent to a webhook.', lastKnown(webhookLagSeconds))
      gauge(
        'auth_exchange_rates_failures',
        'Failed downloads of exchange rates since the last successful one; 0 without EXCHANGE_RATES_URL.',
        lastKnown(failedRateDownloads),
      )
      const figures = lastKnown(databaseFigures)
      const ofDatabase = (name: string, help: string, value: (read: DatabaseFigures) => number | null) =>
        gauge(name, help, async () => {
          const read = await figures()
          return read === undefined ? undefined : value(read) ?? undefined
        })
      ofDatabase('finance_database_size_bytes', 'The size of the database.', ({ sizeBytes }) => sizeBytes)
      ofDatabase('finance_database_connections', 'Connections of clients to the server of the database.', ({ connections: used }) => used)
      ofDatabase('finance_database_connections_max', 'Maximum number of connections.', ({ maxConnections }) => maxConnections)
      ofDatabase('finance_database_locks_waiting', 'Statements that wait for a lock.', ({ waiting: statements }) => statements)
      ofDatabase('finance_database_lock_wait_seconds', 'Time of the longest of these waits.', ({ longestWaitSeconds }) => longestWaitSeconds)
      ofDatabase('finance_database_start_timestamp_seconds', 'When the server of the database started.', ({ startedAt }) => startedAt)
      ofDatabase('finance_database_oldest_transaction_seconds', 'Age of the oldest open transaction.', (read) => read.oldestTransactionSeconds)
      ofDatabase('finance_database_notification_queue_ratio', 'Share of the queue of notifications in use.', (read) => read.notificationQueueRatio)
      ofDatabase('finance_database_collation_changed', '1 if the library that sorts texts has changed.', (read) => (read.collationChanged ? 1 : 0))
      const ofSlots = (name: string, help: string, value: (slot: DatabaseFigures['slots'][number]) => number) => {
        const made = new Gauge({
          name,
          help,
          labelNames: ['slot'],
          registers,
          async collect() {
            const read = await figures()
            made.reset()
            for (const slot of read?.slots ?? []) made.set({ slot: slot.name }, value(slot))
          },
        })
      }
      ofSlots('finance_replication_slot_kept_bytes', 'The log that the database keeps for a slot.', ({ keptBytes }) => keptBytes)
      ofSlots('finance_replication_slot_active', '1 if the log of a slot is being received.', ({ isActive }) => (isActive ? 1 : 0))
      const versions = lastKnown(databaseVersions)
      const floors = new Gauge({
        name: 'finance_below_floor',
        help: '1 if the version of the program has a known flaw.',
        labelNames: ['program'],
        registers,
        async collect() {
          const all: Versions = { node: process.versions.node, ...await versions() }
          const below = belowFloors(all)
          floors.reset()
          for (const [program, version] of Object.entries(all))
            if (version != null) floors.set({ program }, below.some((finding) => finding.program === program) ? 1 : 0)
        },
      })
      const connections = new Gauge({
        name: 'auth_db_pool_connections',
        help: 'Connections to the database.',
        labelNames: ['pool', 'state'],
        registers,
        collect() {
          for (const [pool, { totalCount, idleCount }] of Object.entries(pools)) {
            connections.set({ pool, state: 'in_use' }, totalCount - idleCount)
            connections.set({ pool, state: 'idle' }, idleCount)
          }
        },
      })
      const queued = new Gauge({
        name: 'auth_db_pool_waiting',
        help: 'Requests that wait for a connection.',
        labelNames: ['pool'],
        registers,
        collect() {
          // A request that gets an idle connection waits for the next turn of the event loop, and does not count.
          for (const [pool, { waitingCount, idleCount }] of Object.entries(pools)) queued.set({ pool }, Math.max(0, waitingCount - idleCount))
        },
      })
      const most = new Gauge({ name: 'auth_db_pool_max', help: 'Maximum number of connections.', labelNames: ['pool'], registers })
      for (const [pool, { options }] of Object.entries(pools)) most.set({ pool }, options.max)
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

/**
 * What the service says of itself to Prometheus. Every series is there from the start, at zero, so that an alert sees the
 * first time something happens as a change; docs/monitoring.md says what each means.
 */
import type pg from 'pg'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { belowFloors, type Versions } from '../../infra/shared/floors.ts'
import type { HashingQueue } from '../engine/hashing-queue.ts'
import type { Rotation } from '../keys/rotation.ts'
import { failureReasons } from '../mail/failure.ts'
import type { Witness } from '../mail/job.ts'
import type { Backlog } from '../mail/queue.ts'

/** By what a request can be over a limit: its address, its account, or that too many hash a password already. */
const limitKinds = ['address', 'account', 'hashing_queue'] as const
export type LimitKind = typeof limitKinds[number]

/** What is asked at each scrape. */
export type Sources = {
  hashingQueue: Pick<HashingQueue, 'waiting'>
  rotation: Pick<Rotation, 'status'>
  pools: Record<string, pg.Pool>
  backlog: () => Promise<Backlog>
  databaseVersions: () => Promise<Versions | undefined>
}

export type Metrics = {
  /** Counts one answered request. @param route one of a fixed set @param seconds from its arrival to its answer */
  observe(method: string, route: string, status: number, seconds: number): void
  /** Counts one request over a limit. */
  limitHit(kind: LimitKind): void
  /** Counts what becomes of mails. */
  mail: Witness
  /** What stands around the app may have figures of its own. */
  registry: Registry
  /** Adds what is looked at when somebody asks. */
  watch(sources: Sources): void
  /** The exposition text. */
  text(): Promise<string>
  contentType: string
}

/** Each label value is a series for ever, and a client may send any method. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** A scrape waits so long for the database, in milliseconds, and then says what it last knew. */
const askMs = 500
/** What is older than this is not said any more, in milliseconds: no figure is better than a wrong one. */
const rememberMs = 60_000

/**
 * A figure of which the database must be asked. It is asked once at a time however many want to know, and a database that
 * does not answer holds nobody up.
 * @returns what it answers now or answered lately; undefined when that is too long ago
 */
function lastKnown<Figure>(ask: () => Promise<Figure>): () => Promise<Figure | undefined> {
  let known: { figure: Figure, at: number } | undefined
  let asking: Promise<void> | undefined
  const askOnce = async () => {
    try {
      known = { figure: await ask(), at: performance.now() }
    } catch {
      // the figure grows old
    } finally {
      asking = undefined
    }
  }
  return async () => {
    asking ??= askOnce()
    const patience = Promise.withResolvers<void>()
    const timer = setTimeout(patience.resolve, askMs)
    await Promise.race([asking, patience.promise])
    clearTimeout(timer)
    return known !== undefined && performance.now() - known.at < rememberMs ? known.figure : undefined
  }
}

/** @param routes every route that a request may be measured as, beside `unknown` */
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
    help: 'Requests over a limit, by what is counted: an address, an account, or who waits to hash a password.',
    labelNames: ['limit'],
    registers,
  })
  for (const limit of limitKinds) limits.inc({ limit }, 0)
  const sent = new Counter({ name: 'auth_mail_sent_total', help: 'Mails that a provider has taken.', registers })
  const failed = new Counter({ name: 'auth_mail_failures_total', help: 'Attempts of mail jobs that failed.', labelNames: ['reason'], registers })
  const gaveUp = new Counter({ name: 'auth_mail_given_up_total', help: 'Mail jobs that are not tried again.', labelNames: ['reason'], registers })
  for (const counter of [failed, gaveUp]) for (const reason of failureReasons) counter.inc({ reason }, 0)

  return {
    observe: (method, route, status, seconds) => {
      duration.observe({ method: methods.has(method) ? method : 'OTHER', route, status }, seconds)
      if (status === 429) limited.inc({ route })
    },
    limitHit: (limit) => limits.inc({ limit }),
    mail: {
      // the others only make a mail, which is then a job of its own
      done: (task) => task === 'send_mail' && sent.inc(),
      failed: (reason) => failed.inc({ reason }),
      gaveUp: (reason) => gaveUp.inc({ reason }),
    },
    registry,
    watch: ({ hashingQueue, rotation, pools, backlog, databaseVersions }) => {
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
      gauge('auth_signing_key_age_seconds', 'How long the current key has been signing.', () => rotation.status().signingKeyAgeSeconds)
      gauge(
        'auth_signing_key_pending_seconds',
        'How long a published key has been waiting for PostgREST; 0 when none is.',
        () => rotation.status().pendingSeconds,
      )
      const waiting = lastKnown(backlog)
      gauge('auth_mail_queue_depth', 'Mail jobs that are not done, of all processes.', async () => (await waiting())?.depth)
      gauge('auth_mail_queue_oldest_seconds', 'Age of the oldest of them; 0 when there is none.', async () => (await waiting())?.oldestSeconds)
      const versions = lastKnown(databaseVersions)
      const floors = new Gauge({
        name: 'finance_below_floor',
        help: '1 if the version of the program has a flaw that a newer one has not.',
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
        help: 'Who waits for a connection.',
        labelNames: ['pool'],
        registers,
        collect() {
          // one that gets an idle connection waits until the next turn of the loop, and is not meant
          for (const [pool, { waitingCount, idleCount }] of Object.entries(pools)) queued.set({ pool }, Math.max(0, waitingCount - idleCount))
        },
      })
      const most = new Gauge({ name: 'auth_db_pool_max', help: 'The most connections there may be.', labelNames: ['pool'], registers })
      for (const [pool, { options }] of Object.entries(pools)) most.set({ pool }, options.max)
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

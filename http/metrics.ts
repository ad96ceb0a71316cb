/** The metrics of a process that serves routes. docs/monitoring.md explains them. */
import type pg from 'pg'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { counterOf } from '../common/metrics.ts'

/** The limits that a request can exceed: per address, per account, or the hashing queue. */
const limitKinds = ['address', 'account', 'hashing_queue'] as const
export type LimitKind = typeof limitKinds[number]

export type HttpMetrics = {
  /** Counts a response. @param route one of a fixed set @param seconds duration of the request */
  observe: (method: string, route: string, status: number, seconds: number) => void
  /** Counts a request over a limit. */
  limitHit: (kind: LimitKind) => void
  /** Adds the connections that a scrape reads. */
  watchPools: (pools: Record<string, pg.Pool>) => void
  registry: Registry
}

/**
 * The methods that are metric labels. Prometheus keeps a time series for each label, and a client
 * may send any method.
 */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Adds the connections of the pools, which a scrape reads. */
function watchPools(registry: Registry, pools: Record<string, pg.Pool>): void {
  const registers = [registry]
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
      // A request that gets an idle connection waits for the next turn of the event loop, and
      // does not count.
      for (const [pool, { waitingCount, idleCount }] of Object.entries(pools))
        queued.set({ pool }, Math.max(0, waitingCount - idleCount))
    },
  })
  const most = new Gauge({
    name: 'auth_db_pool_max',
    help: 'Maximum number of connections.',
    labelNames: ['pool'],
    registers,
  })
  for (const [pool, { options }] of Object.entries(pools)) most.set({ pool }, options.max)
}

/** @param routes the labels of routes, in addition to `unknown` */
export function createHttpMetrics(routes: Iterable<string>): HttpMetrics {
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
  const limited = new Counter({
    name: 'auth_rate_limited_total',
    help: 'Requests refused with 429.',
    labelNames: ['route'],
    registers,
  })
  for (const route of routes) limited.inc({ route }, 0)
  return {
    observe: (method, route, status, seconds) => {
      duration.observe({ method: methods.has(method) ? method : 'OTHER', route, status }, seconds)
      if (status === 429) limited.inc({ route })
    },
    limitHit: counterOf(
      registry,
      'auth_limit_hits_total',
      'Requests over a limit, by limit: per address, per account, or of the hashing queue.',
      'limit',
      limitKinds,
    ),
    watchPools: (pools) => watchPools(registry, pools),
    registry,
  }
}

/** What the service says of itself to Prometheus. */
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import type { HashingQueue } from '../engine/hashing-queue.ts'
import type { Rotation } from '../keys/rotation.ts'

export type Metrics = {
  /** Counts one answered request. @param route one of a fixed set @param seconds from its arrival to its answer */
  observe(method: string, route: string, status: number, seconds: number): void
  /** The exposition text. */
  text(): Promise<string>
  contentType: string
}

/** Each label value is a series for ever, and a client may send any method. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export function createMetrics(hashingQueue: HashingQueue, rotation: Pick<Rotation, 'status'>): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'auth_http_request_duration_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const limited = new Counter({
    name: 'auth_rate_limited_total',
    help: 'Requests refused with 429.',
    labelNames: ['route'],
    registers: [registry],
  })
  registry.registerMetric(
    new Gauge({
      name: 'auth_hashing_queue_length',
      help: 'Requests that wait to hash a password.',
      registers: [],
      collect() {
        this.set(hashingQueue.waiting())
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'auth_signing_key_age_seconds',
      help: 'How long the current key has been signing.',
      registers: [],
      collect() {
        this.set(rotation.status().signingKeyAgeSeconds)
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'auth_signing_key_pending_seconds',
      help: 'How long a published key has been waiting for PostgREST; 0 when none is.',
      registers: [],
      collect() {
        this.set(rotation.status().pendingSeconds)
      },
    }),
  )
  return {
    observe: (method, route, status, seconds) => {
      duration.observe({ method: methods.has(method) ? method : 'OTHER', route, status }, seconds)
      if (status === 429) limited.inc({ route })
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

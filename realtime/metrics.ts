/** The metrics of live streams and webhooks. docs/monitoring.md explains them. */
import type pg from 'pg'
import { Counter, type Registry } from 'prom-client'
import { counterOf, gaugeOf, lastKnown } from '../common/metrics.ts'
import { closings } from './live/event-stream.ts'
import type { ChangeStreams, StreamsObserver } from './live/stream-hub.ts'
import type { WebhookObserver } from './webhooks/dispatcher.ts'
import { failures } from './webhooks/sender.ts'

export type RealtimeMetrics = {
  /** Counts closed live streams and their events. */
  streams: StreamsObserver
  /** Counts outcomes of webhooks. */
  webhooks: WebhookObserver
  /** Adds the streams that a scrape counts. */
  watch: (streams: Pick<ChangeStreams, 'count' | 'lagSeconds'>) => void
}

export function realtimeMetrics(registry: Registry, pool: pg.Pool): RealtimeMetrics {
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [registry] })
  const delivered = counter(
    'auth_webhooks_delivered_total',
    'Messages that receivers of webhooks have accepted.',
  )
  const disabled = counter(
    'auth_webhooks_disabled_total',
    'Webhooks that were turned off because of their failures.',
  )
  const events = counter('auth_stream_events_total', 'Changes that live streams have told.')
  const resets = counter(
    'auth_stream_resets_total',
    'Live streams that received a reset.',
  )
  const lagSeconds = async () =>
    (await pool.query<{ seconds: number }>('select private.webhook_lag() as seconds')).rows[0]
      ?.seconds ?? 0
  gaugeOf(
    registry,
    'auth_webhooks_lag_seconds',
    'Time for which a change, or a message that is due, has waited to be sent to a webhook.',
    lastKnown(lagSeconds),
  )
  return {
    streams: {
      closed: counterOf(
        registry,
        'auth_streams_closed_total',
        'Live streams that were closed.',
        'reason',
        closings,
      ),
      sent: (changes) => events.inc(changes),
      lost: (streams) => resets.inc(streams),
    },
    webhooks: {
      delivered: () => delivered.inc(),
      failed: counterOf(
        registry,
        'auth_webhook_failures_total',
        'Attempts to deliver a message of a webhook that failed.',
        'reason',
        failures,
      ),
      disabled: () => disabled.inc(),
    },
    watch: (streams) => {
      gaugeOf(registry, 'auth_streams', 'Live streams.', streams.count)
      gaugeOf(
        registry,
        'auth_streams_lag_seconds',
        'Time since the last read of changes; 0 without live streams.',
        streams.lagSeconds,
      )
    },
  }
}

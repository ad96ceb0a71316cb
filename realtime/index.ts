/**
 * The surface of realtime/: live streams, webhooks and calendar feeds. auth/main.ts runs it in its
 * process, and realtime/main.ts as a process of its own.
 */
import { batchRows } from '../common/jobs/sweep.ts'
import { fairQueue, type FairQueue } from '../common/fair-queue.ts'
import type { Room } from '../http/room.ts'
import { calendarRoutes } from './calendars/routes.ts'
import { changeRoutes } from './live/routes.ts'
import { createChangeStreams, type ChangeStreams } from './live/stream-hub.ts'
import { realtimeMetrics, type RealtimeMetrics } from './metrics.ts'
import { startWebhooks } from './webhooks/dispatcher.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import type { Receivers } from './webhooks/sender.ts'

export { maxOfKey, maxOfPerson } from './live/stream-hub.ts'
export { localReceivers, publicReceivers, type Receivers } from './webhooks/sender.ts'

type RealtimeServices = {
  streams: ChangeStreams
  /** The servers that may receive webhooks. */
  receivers: Receivers
  /**
   * Limits the connections that reads of calendars hold, because their secret is the only
   * credential.
   */
  calendarQueue: FairQueue
}

declare module '../http/route.ts' {
  interface Services extends RealtimeServices {}
}

export type RealtimeOptions = {
  /** CHANGES_STREAMS */
  maxStreams: number
  receivers: Receivers
  /** Pause between two rounds of webhooks, in milliseconds. */
  webhookPauseMs: number | undefined
}

/**
 * Maximum number of changes that live streams can resume from. Changes are kept for an hour at
 * most.
 */
const keptChanges = 100_000

export const realtime: Room<RealtimeOptions, RealtimeMetrics, RealtimeServices> = {
  routes: [
    { name: 'Live', description: 'Changes of rows, as they happen.', routes: changeRoutes },
    {
      name: 'Webhooks',
      description: 'Servers that receive a message when rows change.',
      routes: webhookRoutes,
    },
    {
      name: 'Calendars',
      description: 'Addresses at which calendar programs read what is due.',
      routes: calendarRoutes,
    },
  ],
  metrics: realtimeMetrics,
  services: ({ pool, secret, log }, metrics, { maxStreams, receivers }) => {
    const streams = createChangeStreams({
      pool,
      secret,
      maxStreams,
      observer: metrics.streams,
      log,
    })
    metrics.watch(streams)
    return { streams, receivers, calendarQueue: fairQueue(2, 32, 5_000) }
  },
  jobs: ({ pool, secret, log }, metrics, { receivers, webhookPauseMs }) =>
    startWebhooks({
      pool,
      secret,
      receivers,
      observer: metrics.webhooks,
      log,
      pauseMs: webhookPauseMs,
    }),
  sweeps: ({ pool }) => [
    {
      table: 'private.changes',
      async deleteBatch() {
        const { rows } = await pool.query<{ count: string }>(
          'select private.forget_changes($1, $2) as count',
          [keptChanges, batchRows],
        )
        return Number(rows[0]?.count) >= batchRows
      },
    },
    {
      table: 'private.tenants',
      async deleteBatch() {
        await pool.query('select private.forget_tenants()')
        return false
      },
    },
  ],
}

/**
 * realtime/ as a process of its own, beside auth services with AUTH_SERVES_REALTIME=false: `npm run
 * realtime`. It reads sessions, tokens and API keys as the auth service does, and serves the same
 * addresses.
 */
import { pathToFileURL } from 'node:url'
import {
  identityConfig,
  cacheForASecond,
  healthChecks,
  openIdentity,
  type IdentityConfig,
} from '../auth/index.ts'
import { startServer } from '../common/http-server.ts'
import { createLog, describeError, type Log } from '../common/log.ts'
import { readSettings } from '../common/settings.ts'
import { endFailedStart, gracefulShutdown } from '../common/shutdown.ts'
import { startTracing } from '../common/tracing.ts'
import { migrationNames } from '../db/migrate.ts'
import { createApp, labelPaths, listenerOf, type AppParts } from '../http/app.ts'
import { createHttpMetrics } from '../http/metrics.ts'
import type { Program } from '../http/room.ts'
import { realtime } from './index.ts'
import { publicReceivers, type Receivers } from './webhooks/sender.ts'

/** The name in traces. */
const name = 'finance-realtime'

/** Time in which a stopping process still accepts requests, in milliseconds. */
const lameDuckMs = 250

/** The app's parts, and the function that closes the live streams at a stop. */
type Served = Omit<AppParts, 'name' | 'isStopping'> & { closeStreams: () => void }

/** Starts the server. @returns the function that stops it */
function listen(
  config: IdentityConfig,
  log: Log,
  { closeStreams, ...parts }: Served,
): Promise<() => Promise<void>> {
  let stopping = false
  const app = createApp({ ...parts, name, isStopping: () => stopping })
  return startServer(
    listenerOf(app),
    {
      host: config.host,
      port: config.port,
      setting: 'PORT',
      maxStreams: config.changesStreams,
      lameDuckMs,
      onStop: () => {
        stopping = true
        // a stream does not end by itself, and its client resumes at another process
        closeStreams()
      },
      onError: (error) => log.error({ error: describeError(error) }, 'request failed'),
      trustedProxies: config.trustedProxies,
    },
  )
}

/** @param receivers the servers that may receive webhooks @returns a function that stops it */
async function startRealtime(
  config: IdentityConfig,
  log: Log,
  receivers: Receivers,
): Promise<() => Promise<void>> {
  const running = new AsyncDisposableStack()
  try {
    const tracing = startTracing(config.traces?.endpoint, config.traces?.headers, log)
    if (tracing !== undefined) running.defer(tracing.stop)
    const paths = { routes: realtime.routes.flatMap((group) => group.routes) }
    const labels = labelPaths(paths)
    const metrics = createHttpMetrics(labels.all)
    const { connections: { pool, pools, db }, services } = await openIdentity(running, config, {
      log,
      tracing,
      name,
      onLimit: metrics.limitHit,
    })
    const program: Program = { pool, secret: config.secret, log, objects: undefined }
    const options = { maxStreams: config.changesStreams, receivers, webhookPauseMs: undefined }
    const ofRealtime = realtime.metrics(metrics.registry, pool)
    const parts = await realtime.services(program, ofRealtime, options)
    running.defer(parts.streams.stop)
    running.defer(await realtime.jobs(program, ofRealtime, options))
    metrics.watchPools(pools)
    running.defer(
      await listen(config, log, {
        services: { ...services, ...parts },
        paths,
        labels,
        metrics,
        tracing,
        ready: cacheForASecond(healthChecks(db, await migrationNames())),
        closeStreams: parts.streams.close,
      }),
    )
    log.info({ port: config.port }, 'realtime listening')
    return () => running.disposeAsync()
  } catch (error) {
    await running.disposeAsync()
    throw error
  }
}

/**
 * Runs the process with the settings of the environment. @param receivers the servers that may
 * receive webhooks, for tests
 */
export async function main(receivers = publicReceivers): Promise<void> {
  try {
    const config = identityConfig(readSettings(process.env))
    const log = createLog(config.logLevel)
    const stopWith = gracefulShutdown(log)
    stopWith(await startRealtime(config, log, receivers))
  } catch (error) {
    endFailedStart(error)
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await main()

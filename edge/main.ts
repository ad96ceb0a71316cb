/**
 * The edge as a separate process, in front of auth services and PostgREST processes. It needs no
 * database and no secret.
 */
import { access, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { pino } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { isFileUrl } from '../common/contract.ts'
import { configError } from '../common/errors.ts'
import { startServer, type Listener } from '../common/http-server.ts'
import { createLog, describeError, type Log } from '../common/log.ts'
import { need, readSettings, type Settings } from '../common/settings.ts'
import { endFailedStart, gracefulShutdown } from '../common/shutdown.ts'
import { startTracing } from '../common/tracing.ts'
import { appFiles, needApp, policyOfApp } from './app-files.ts'
import { publicKeysOf, remoteAuth } from './auth-surface.ts'
import { callerReader, reportMissingKeys } from './callers.ts'
import { connectionShares, poolOfEdge } from './connection-shares.ts'
import { edge, type EdgeOptions } from './edge.ts'
import { createHold, type Hold } from './hold.ts'
import { anyAnswers, discoveredUpstreams } from './upstreams.ts'

/** Time to wait for a PostgREST that restarts, in milliseconds. */
const postgrestTimeoutMs = 10_000

/**
 * Time that a stop continues to serve, in milliseconds: longer than the proxy in front keeps an
 * idle connection.
 */
const lameDuckMs = 1_500

/** The reference app in the image. */
const referenceApp = join(import.meta.dirname, '../app/dist')

/**
 * Returns the listener of the app; undefined without an app. If APP_DIR is a file, there is no app:
 * compose cannot omit the mount. @throws ConfigError
 */
async function appOf(
  { APP_DIR, APP_CSP, FILES_URL, wantsReferenceApp }: Settings,
): Promise<Listener | undefined> {
  if (wantsReferenceApp) {
    const isThere = await access(join(referenceApp, 'index.html')).then(() => true, () => false)
    return isThere
      ? appFiles(
        referenceApp,
        process.env['APP_CSP'] ? APP_CSP : await policyOfApp(referenceApp, FILES_URL),
      )
      : undefined
  }
  if (
    APP_DIR === undefined || await stat(APP_DIR).then((found) => !found.isDirectory(), () => false)
  ) return undefined
  await needApp(APP_DIR)
  return appFiles(APP_DIR, APP_CSP)
}

/** Answers probes and Prometheus. No client can reach its port. */
const adminListener =
  (registry: Registry, isStopping: () => boolean): Listener => async ({ url }, outgoing) => {
    if (url === '/metrics')
      outgoing.writeHead(200, { 'content-type': registry.contentType }).end(
        await registry.metrics(),
      )
    else if (url === '/livez') outgoing.writeHead(200).end()
    else outgoing.writeHead(url !== '/readyz' ? 404 : isStopping() ? 503 : 200).end()
  }

/** Finds the upstreams of both surfaces. @param running ends the search */
function findUpstreams(settings: Settings, log: Log, running: AsyncDisposableStack) {
  const discover = (
    setting: 'AUTH_UPSTREAM' | 'REALTIME_UPSTREAM' | 'POSTGREST_UPSTREAM' | 'DATA_REPLICAS',
    urls: string[],
    readyPort?: number,
    read?: string,
  ) => {
    const upstreams = discoveredUpstreams(
      urls,
      readyPort === undefined ? undefined : { port: readyPort, read },
      (name, problem) => log.warn({ setting, name }, problem),
    )
    running.defer(upstreams.close)
    return upstreams
  }
  const auth = discover('AUTH_UPSTREAM', need(settings, 'AUTH_UPSTREAM'))
  // compose always names the upstream, and the number says whether it exists
  const realtime = settings.REALTIME_UPSTREAM && settings.REALTIME_REPLICAS?.most !== 0
    ? discover('REALTIME_UPSTREAM', settings.REALTIME_UPSTREAM)
    : undefined
  const postgrest = discover(
    'POSTGREST_UPSTREAM',
    need(settings, 'POSTGREST_UPSTREAM'),
    settings.POSTGREST_READY_PORT,
    '/tags?limit=0',
  )
  const standbys = settings.DATA_REPLICAS &&
    discover('DATA_REPLICAS', settings.DATA_REPLICAS, settings.DATA_REPLICAS_READY_PORT)
  return { auth, realtime, postgrest, standbys }
}

/** Returns both surfaces. */
const surfacesOf = (
  settings: Settings,
  log: Log,
  { auth, realtime, postgrest, standbys }: ReturnType<typeof findUpstreams>,
): Pick<EdgeOptions, 'auth' | 'data'> => ({
  auth: {
    serve: remoteAuth(auth, settings.CHANGES_STREAMS, realtime),
    isReady: () => anyAnswers(auth, { method: 'GET', path: '/readyz' }),
    upstreams: auth,
    ...(realtime !== undefined && { realtime }),
  },
  data: {
    postgrest,
    standbys,
    readCaller: callerReader(publicKeysOf(auth), reportMissingKeys(log)),
    shares: connectionShares(poolOfEdge(settings.PGRST_DB_POOL, settings.EDGE_REPLICAS.most)),
    bodyLimit: settings.DATA_BODY_LIMIT,
    timeoutMs: postgrestTimeoutMs,
  },
})

/** Makes the hold of requests, which begins and ends by a signal. */
function holdBySignals(log: Log): Hold {
  const hold = createHold()
  process.on('SIGUSR2', () => {
    hold.begin()
    log.info('requests are held')
  }).on('SIGUSR1', hold.end)
  return hold
}

async function start(settings: Settings, log: Log): Promise<() => Promise<void>> {
  const running = new AsyncDisposableStack()
  try {
    const { HOST: host, PORT: port, EDGE_ADMIN_PORT: adminPort } = settings
    if (port === adminPort) throw configError('EDGE_ADMIN_PORT must differ from PORT.')
    const app = await appOf(settings)
    let stopping = false
    const isStopping = () => stopping
    const upstreams = findUpstreams(settings, log, running)
    const tracing = startTracing(
      settings.OTEL_EXPORTER_OTLP_ENDPOINT,
      settings.OTEL_EXPORTER_OTLP_HEADERS,
      log,
    )
    if (tracing !== undefined) running.defer(tracing.stop)
    const registry = new Registry()
    collectDefaultMetrics({ register: registry })
    const listener = edge({
      ...surfacesOf(settings, log, upstreams),
      trustedProxies: settings.TRUSTED_PROXIES,
      traceProxies: settings.TRACE_PROXIES,
      app,
      hold: holdBySignals(log),
      isStopping,
      log,
      registry,
      tracing,
    })
    // stopped last, so that a probe learns of the stop
    running.defer(
      await startServer(adminListener(registry, isStopping), {
        host,
        port: adminPort,
        setting: 'EDGE_ADMIN_PORT',
      }),
    )
    const onError = (error: unknown) => log.error({ error: describeError(error) }, 'request failed')
    const hasSlowBody = ({ url }: IncomingMessage) => isFileUrl(url)
    running.defer(
      await startServer(listener, {
        host,
        port,
        setting: 'PORT',
        maxStreams: settings.CHANGES_STREAMS,
        lameDuckMs,
        onStop: () => {
          stopping = true
        },
        onError,
        hasSlowBody,
        trustedProxies: settings.TRUSTED_PROXIES,
      }),
    )
    log.info({ port }, 'edge listening')
    return () => running.disposeAsync()
  } catch (error) {
    await running.disposeAsync()
    throw error
  }
}

try {
  const settings = readSettings(process.env)
  // lines are written together, because a write for each would cost a seventh of the throughput
  const log = createLog(
    settings.LOG_LEVEL,
    pino.destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: 100 }),
  )
  const stopWith = gracefulShutdown(log)
  stopWith(await start(settings, log))
} catch (error) {
  endFailedStart(error)
}

/**
 * The edge: one origin for the app, the auth surface and the data surface. It authorizes nothing.
 * With `npm start` it runs in the process of the auth service; elsewhere it is a separate process.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { onlyMethods } from '../common/error-codes.ts'
import { describeError, loggablePath, type Log } from '../common/log.ts'
import { clientReader, isFromTrustedProxy } from '../common/client-address.ts'
import { isEndless, type Listener } from '../common/http-server.ts'
import { requestIdHeader, requestIdOf } from '../common/request-id.ts'
import type { AddressRange } from '../common/settings.ts'
import type { Tracing } from '../common/tracing.ts'
import { isOfApp } from './app-files.ts'
import { rejectAuth, rejectUnknownPath } from './auth-surface.ts'
import type { ConnectionShares } from './connection-shares.ts'
import { dataSurface, type DataSurface } from './data-surface.ts'
import type { EdgeRequest } from './request.ts'
import type { Hold } from './hold.ts'
import { headersOfEdge, rejections, type RejectionCode } from './reject.ts'
import { anyAnswers, type Upstreams } from './upstreams.ts'
import { directionFor } from './unknown-paths.ts'

/**
 * Path prefixes of the data surface, and the rest of the target. supabase-js uses the second
 * prefix.
 */
const dataPath = /^(\/data|\/rest\/v1)(?:(\/[^?]*)?(\?.*)?)$/

/** Paths of the auth service for probes and Prometheus. Only its own port answers them. */
const probePath = /^\/(?:livez|readyz|metrics)(?:\?|$)/

/** A target in absolute form (RFC 9112, 3.2.2). */
const absoluteForm = /^https?:\/\/[^/?#]*/i

/** A `Host` header: a name or an address, with a port or without. */
const host = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+,;=-]*)(?::\d{0,5})?$/i

/**
 * Returns true if a request has at most one `Host`, and that one is well-formed (RFC 9112, 3.2).
 */
function hasValidHost({ headers, rawHeaders }: IncomingMessage): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count += 1
  return count <= 1 && host.test(headers.host ?? '')
}

/** The answer to another method than these at `/healthz`. */
const otherMethod = onlyMethods(['GET', 'HEAD'])

const traceHeaders = ['traceparent', 'tracestate']

type Surface = 'auth' | 'data' | 'app'

/** The status in log and metrics for a client that left before its response. */
const clientGone = 499

function edgeMetrics(
  registry: Registry,
  watched: Record<string, Upstreams | undefined>,
  shares: ConnectionShares,
) {
  const requests = new Counter({
    name: 'edge_requests_total',
    help: 'Requests that the edge has answered or forwarded.',
    labelNames: ['surface', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'edge_data_request_duration_seconds',
    help: 'Time from a request to the data surface to the end of its answer.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const rejected = new Counter({
    name: 'edge_refused_total',
    help: 'Requests to the data surface that the edge has refused itself.',
    labelNames: ['code'],
    registers: [registry],
  })
  for (const code of Object.keys(rejections)) rejected.inc({ code }, 0)
  const upstreamGauge = new Gauge({
    name: 'edge_upstreams',
    help: 'Upstreams by surface, and whether they are ready.',
    labelNames: ['surface', 'state'],
    registers: [registry],
    collect() {
      for (const [surface, upstreams] of Object.entries(watched)) {
        const list = upstreams?.list() ?? []
        const ready = list.filter(({ isReady }) => isReady).length
        upstreamGauge.set({ surface, state: 'ready' }, ready)
        upstreamGauge.set({ surface, state: 'not_ready' }, list.length - ready)
      }
    },
  })
  const waitingGauge = new Gauge({
    name: 'edge_waiting_requests',
    help: 'Requests to the data surface that wait for a connection of PostgREST.',
    registers: [registry],
    collect() {
      waitingGauge.set(
        Object.values(watched).reduce(
          (sum, upstreams) => sum + (upstreams === undefined ? 0 : shares.waiting(upstreams)),
          0,
        ),
      )
    },
  })
  return {
    answered: (surface: Surface, status: number, seconds: number) => {
      requests.inc({ surface, status })
      if (surface === 'data') duration.observe(seconds)
    },
    rejected: (code: RejectionCode) => rejected.inc({ code }),
  }
}

/** The auth surface as the edge reaches it. */
type AuthSurface = {
  serve: (request: EdgeRequest, traceparent: string | undefined) => void | Promise<void>
  isReady: () => Promise<boolean>
  /**
   * Present if the edge is a separate process. It then logs this surface's requests, and its port
   * has no probes.
   */
  upstreams?: Upstreams
  /** The processes of realtime/, if they are others. */
  realtime?: Upstreams
}

export type EdgeOptions = {
  auth: AuthSurface
  data: Omit<DataSurface, 'onRejection' | 'onError'>
  trustedProxies: AddressRange[]
  /** The proxies whose `X-Request-Id` and `traceparent` are taken over. */
  traceProxies: AddressRange[]
  /** Answers at `/` for a single-page app. */
  app?: Listener | undefined
  hold?: Hold | undefined
  /** Returns true during a stop. Each response then closes its connection. */
  isStopping?: () => boolean
  log: Pick<Log, 'info' | 'warn' | 'error'>
  registry: Registry
  tracing: Tracing | undefined
}

/** The parts that serve a request. */
type Parts = Pick<EdgeOptions, 'auth' | 'app' | 'hold' | 'log' | 'tracing'> & {
  metrics: ReturnType<typeof edgeMetrics>
  serveData: ReturnType<typeof dataSurface>
}

/**
 * Counts a request, and logs it without its query, which holds search terms. An auth service in
 * this process logs its own.
 */
function observeRequest(
  { auth, log, metrics }: Parts,
  surface: Surface,
  { incoming, outgoing, id, client }: EdgeRequest,
): void {
  const started = performance.now()
  outgoing.once('close', () => {
    const ms = performance.now() - started
    const status = outgoing.writableFinished || isEndless(outgoing)
      ? outgoing.statusCode
      : clientGone
    metrics.answered(surface, status, ms / 1000)
    if (surface === 'auth' && auth.upstreams === undefined) return
    log.info({
      id,
      method: incoming.method,
      path: loggablePath(incoming.url?.split('?', 1)[0] ?? ''),
      status,
      ms: Math.round(ms * 10) / 10,
      client,
    }, 'request')
  })
}

/** Answers `/healthz` for external monitors: whether both surfaces are up, and nothing more. */
function healthAnswer(
  auth: AuthSurface,
  postgrest: Upstreams,
): (request: EdgeRequest) => Promise<void> {
  // PostgREST answers OPTIONS without the database; the auth service's check includes the database
  const checkSurfaces = () =>
    Promise.all([auth.isReady(), anyAnswers(postgrest, { method: 'OPTIONS', path: '/' })])
  let pendingCheck: ReturnType<typeof checkSurfaces> | undefined
  /**
   * Checks both surfaces. Concurrent requests share one check. The result is not cached, because an
   * upgrade needs the current state.
   */
  const checkOnce = () =>
    pendingCheck ??= checkSurfaces().finally(() => {
      pendingCheck = undefined
    })
  return async ({ outgoing, id }) => {
    const isUp = (await checkOnce()).every(Boolean)
    outgoing.writeHead(isUp ? 200 : 503, {
      'content-type': 'application/json',
      ...headersOfEdge,
      [requestIdHeader]: id,
    })
      .end(JSON.stringify({ status: isUp ? 'up' : 'down' }))
  }
}

/** Runs the work of a surface as a span. */
async function traced(
  tracing: Tracing | undefined,
  surface: Surface,
  { incoming, outgoing, id }: EdgeRequest,
  work: () => void | Promise<void>,
): Promise<void> {
  if (tracing === undefined) return work()
  const parent = incoming.headers['traceparent']?.toString()
  return tracing.span(`edge ${surface}`, {
    service: 'finance-edge',
    kind: 'server',
    attributes: { 'request.id': id },
    parent,
  }, async (span) => {
    await work()
    span.set({ 'http.response.status_code': outgoing.statusCode })
    if (outgoing.statusCode >= 500) span.fail()
  })
}

/** Takes a request. Removes headers that a client may not choose. */
function requestOf(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  clientOf: ReturnType<typeof clientReader>,
  traceProxies: AddressRange[],
): EdgeRequest {
  const address = incoming.socket.remoteAddress ?? ''
  const request: EdgeRequest = {
    incoming,
    outgoing,
    id: requestIdOf(incoming, traceProxies),
    client: clientOf(address, incoming.headers['x-forwarded-for']?.toString()),
  }
  // Otherwise a client could add its requests to another user's trace.
  if (!isFromTrustedProxy(address, traceProxies)) {
    for (const name of traceHeaders) delete incoming.headers[name]
  }
  return request
}

/** Serves a target on its surface. */
async function serveTarget(parts: Parts, request: EdgeRequest, target: string): Promise<void> {
  const { auth, app, hold, tracing, serveData } = parts
  // Matches the path without decoding it. A path that matches only after decoding is a different
  // path.
  const [, prefix, path = '/', query = ''] = dataPath.exec(target) ?? []
  const sentence = prefix === undefined ? directionFor(target) : undefined
  if (sentence !== undefined) {
    observeRequest(parts, 'app', request)
    return rejectUnknownPath(request, sentence)
  }
  const isApp = app !== undefined && isOfApp(target)
  const surface = isApp ? 'app' : prefix === undefined ? 'auth' : 'data'
  observeRequest(parts, surface, request)
  if (isApp) {
    request.outgoing.setHeader(requestIdHeader, request.id)
    return app(request.incoming, request.outgoing)
  }
  const isClosed = !target.startsWith('/') ||
    auth.upstreams !== undefined && probePath.test(target)
  if (prefix === undefined && isClosed) return rejectAuth(request, 'NOT_FOUND')
  const holdEnd = hold?.passed()
  if (holdEnd !== undefined) await holdEnd
  if (prefix !== undefined)
    return traced(
      tracing,
      surface,
      request,
      () =>
        serveData({
          ...request,
          prefix,
          path: path + query,
          traceparent: tracing?.traceparent(),
        }),
    )
  const work = () => auth.serve(request, tracing?.traceparent())
  return target.startsWith('/api/') ? traced(tracing, surface, request, work) : work()
}

/** Builds the edge. */
export function edge(options: EdgeOptions): Listener {
  const { auth, data, traceProxies, isStopping = () => false, log, registry } = options
  const clientOf = clientReader(options.trustedProxies, log)
  const metrics = edgeMetrics(registry, {
    data: data.postgrest,
    ...(data.standbys && { standby: data.standbys }),
    ...(auth.upstreams && { auth: auth.upstreams }),
    ...(auth.realtime && { realtime: auth.realtime }),
  }, data.shares)
  const onError = (error: unknown) => log.error({ error: describeError(error) }, 'request failed')
  const serveData = dataSurface({ ...data, onRejection: metrics.rejected, onError })
  const parts: Parts = { ...options, metrics, serveData }
  const health = healthAnswer(auth, data.postgrest)

  return async (incoming, outgoing) => {
    const request = requestOf(incoming, outgoing, clientOf, traceProxies)
    if (isStopping()) outgoing.shouldKeepAlive = false
    if (!hasValidHost(incoming)) return rejectAuth(request, 'VALIDATION_ERROR')
    const target = (incoming.url ?? '').replace(absoluteForm, '')
    incoming.url = target
    if (target === '/healthz')
      return incoming.method === 'GET' || incoming.method === 'HEAD'
        ? health(request)
        : rejectAuth(request, 'METHOD_NOT_ALLOWED', otherMethod.message, otherMethod.headers)
    return serveTarget(parts, request, target)
  }
}

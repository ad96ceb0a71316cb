/**
 * The edge of `npm start`: both surfaces on one origin, as Caddy has them in containers (infra/docker/surfaces.caddy). It
 * stands in the process of the auth service, so that an auth request takes no further hop. It decides nothing about who
 * may do what.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Counter, Histogram, type Registry } from 'prom-client'
import type { Log } from '../../auth/log.ts'
import type { Fetch } from '../../auth/main.ts'
import { clientAddress, isFromTrustedProxy } from '../shared/client-address.ts'
import { requestIdHeader, requestIdOf } from '../shared/request-id.ts'
import type { Tracing } from '../shared/tracing.ts'
import { isOfApp } from './app-files.ts'
import { dataSurface, type DataSurface } from './data-surface.ts'
import { refusalCodes, type RefusalCode } from './refuse.ts'

/** Where what the edge sees is written down. */
export type Witnesses = { log: Log, registry: Registry, tracing: Tracing | undefined }

/** Where the data surface is, and what of the path is left for it; the second prefix is where supabase-js looks. */
const dataPath = /^(\/data|\/rest\/v1)(?:(\/[^?]*)?(\?.*)?)$/

type Surface = 'auth' | 'data' | 'app'
type Bindings = Parameters<Fetch>[1]

/** What a client was told that went away before it was: the number that other servers log for it. */
const clientGone = 499

function edgeMetrics(registry: Registry) {
  const requests = new Counter({
    name: 'edge_requests_total',
    help: 'Requests that the edge has answered or handed on.',
    labelNames: ['surface', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'edge_data_request_duration_seconds',
    help: 'Time from a request to the data surface to the end of its answer.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const refused = new Counter({
    name: 'edge_refused_total',
    help: 'Requests to the data surface that the edge has answered itself.',
    labelNames: ['code'],
    registers: [registry],
  })
  for (const code of refusalCodes) refused.inc({ code }, 0)
  return {
    answered: (surface: Surface, status: number, seconds: number) => {
      requests.inc({ surface, status })
      if (surface === 'data') duration.observe(seconds)
    },
    refused: (code: RefusalCode) => refused.inc({ code }),
  }
}

/**
 * Builds the edge around the auth surface.
 * @param app what answers for a single-page app at `/`, where there is one
 */
export function edge(auth: Fetch, data: DataSurface, { log, registry, tracing }: Witnesses, app?: Fetch): Fetch {
  const metrics = edgeMetrics(registry)
  const handOn = dataSurface({ ...data, onRefusal: metrics.refused })

  /** One measurement a request, and a line; the auth service writes its own. Never the query, which holds what people search for. */
  const seen = (surface: Surface, incoming: IncomingMessage, outgoing: ServerResponse) => {
    const started = performance.now()
    const client = clientAddress(incoming.socket.remoteAddress ?? '', incoming.headers['x-forwarded-for']?.toString(), data.trustedProxies)
    outgoing.once('close', () => {
      const ms = performance.now() - started
      const status = outgoing.writableFinished ? outgoing.statusCode : clientGone
      metrics.answered(surface, status, ms / 1000)
      if (surface === 'auth') return
      log.info({
        id: requestIdOf(incoming, data.trustedProxies),
        method: incoming.method,
        path: incoming.url?.split('?', 1)[0]?.slice(0, 200),
        status,
        ms: Math.round(ms * 10) / 10,
        client,
      }, 'request')
    })
  }

  /** For whoever looks from outside: both surfaces answer, and can do their work. It says no more than that. */
  const health: Fetch = async (_request, bindings) => {
    const ready = auth(new Request('http://edge/readyz'), bindings)
    // answered by PostgREST alone, without the database, of which the other has asked
    const listens = fetch(data.url, { method: 'OPTIONS', signal: AbortSignal.timeout(3_000) })
    const isUp = (await Promise.allSettled([ready, listens])).every((outcome) => outcome.status === 'fulfilled' && outcome.value.ok)
    return Response.json({ status: isUp ? 'up' : 'down' }, {
      status: isUp ? 200 : 503,
      headers: { 'cache-control': 'no-store', [requestIdHeader]: requestIdOf(bindings.incoming, data.trustedProxies) },
    })
  }

  /** Runs what one surface does as a span of the edge's, where somebody wants to see it. */
  const traced = async <Result>(surface: Surface, { incoming, outgoing }: Bindings, work: () => Result | Promise<Result>): Promise<Result> => {
    if (tracing === undefined) return work()
    const parent = isFromTrustedProxy(incoming.socket.remoteAddress ?? '', data.trustedProxies) ? incoming.headers['traceparent']?.toString() : undefined
    const attributes = { 'request.id': requestIdOf(incoming, data.trustedProxies) }
    return tracing.span(`edge ${surface}`, { service: 'finance-edge', kind: 'server', attributes, parent }, async (span) => {
      const result = await work()
      const status = result instanceof Response && result !== RESPONSE_ALREADY_SENT ? result.status : outgoing.statusCode
      span.set({ 'http.response.status_code': status })
      if (status >= 500) span.fail()
      return result
    })
  }

  const named = async (answer: Response | Promise<Response>, { incoming }: Bindings): Promise<Response> => {
    const response = await answer
    response.headers.set(requestIdHeader, requestIdOf(incoming, data.trustedProxies))
    return response
  }

  // not a Hono app itself: to a HEAD request Hono answers with a Response of its own, after PostgREST's has been sent
  return (request, bindings) => {
    const { incoming, outgoing } = bindings
    if (incoming.url === '/healthz') return health(request, bindings)
    // as received: a path that is only like one of these when it is decoded is none of them
    const [, prefix, path = '/', query = ''] = dataPath.exec(incoming.url ?? '') ?? []
    const isApp = app !== undefined && isOfApp(incoming.url ?? '')
    seen(isApp ? 'app' : prefix === undefined ? 'auth' : 'data', incoming, outgoing)
    if (isApp) return named(app(request, bindings), bindings)
    const isProbe = prefix === undefined && !(incoming.url ?? '').startsWith('/api/')
    if (prefix === undefined) return isProbe ? auth(request, bindings) : traced('auth', bindings, () => auth(request, bindings))
    const id = requestIdOf(incoming, data.trustedProxies)
    return traced('data', bindings, async () => {
      await handOn({ id, incoming, outgoing, prefix, path: path + query, traceparent: tracing?.traceparent() })
      return RESPONSE_ALREADY_SENT
    })
  }
}

/**
 * The edge of `npm start`: both surfaces on one origin, as Caddy has them in containers (infra/docker/surfaces.caddy). It
 * stands in the process of the auth service, so that an auth request takes no further hop. It decides nothing about who
 * may do what.
 */
import { Counter, Histogram, type Registry } from 'prom-client'
import type { Log } from '../auth/log.ts'
import type { Listener, Service } from '../auth/main.ts'
import { clientAddress, isFromTrustedProxy } from '../infra/shared/client-address.ts'
import { requestIdHeader, requestIdOf } from '../infra/shared/request-id.ts'
import type { AddressRange } from '../infra/shared/settings.ts'
import type { Tracing } from '../infra/shared/tracing.ts'
import { isOfApp } from './app-files.ts'
import { dataSurface, type DataSurface, type EdgeRequest } from './data-surface.ts'
import { refusalCodes, type RefusalCode } from './refuse.ts'

/** Where what the edge sees is written down. */
export type Witnesses = { log: Log, registry: Registry, tracing: Tracing | undefined }

/** Where the data surface is, and what of the path is left for it; the second prefix is where supabase-js looks. */
const dataPath = /^(\/data|\/rest\/v1)(?:(\/[^?]*)?(\?.*)?)$/

type Surface = 'auth' | 'data' | 'app'

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

/** Where the data surface is, and whose word about a client is believed. */
export type EdgeOptions = Omit<DataSurface, 'onRefusal'> & { trustedProxies: AddressRange[] }

/**
 * Builds the edge around the auth surface.
 * @param app what answers for a single-page app at `/`, where there is one
 */
export function edge(auth: Service, { trustedProxies, ...data }: EdgeOptions, { log, registry, tracing }: Witnesses, app?: Listener): Listener {
  const metrics = edgeMetrics(registry)
  const handOn = dataSurface({ ...data, onRefusal: metrics.refused })

  /** One measurement a request, and a line; the auth service writes its own. Never the query, which holds what people search for. */
  const seen = (surface: Surface, { incoming, outgoing, id, client }: EdgeRequest) => {
    const started = performance.now()
    outgoing.once('close', () => {
      const ms = performance.now() - started
      const status = outgoing.writableFinished ? outgoing.statusCode : clientGone
      metrics.answered(surface, status, ms / 1000)
      if (surface === 'auth') return
      log.info({
        id,
        method: incoming.method,
        path: incoming.url?.split('?', 1)[0]?.slice(0, 200),
        status,
        ms: Math.round(ms * 10) / 10,
        client,
      }, 'request')
    })
  }

  /** For whoever looks from outside: both surfaces answer, and can do their work. It says no more than that. */
  const health = async ({ outgoing, id }: EdgeRequest): Promise<void> => {
    // answered by PostgREST alone, without the database, of which the other has asked
    const listens = fetch(data.url, { method: 'OPTIONS', signal: AbortSignal.timeout(3_000) }).then(({ ok }) => ok)
    const isUp = (await Promise.allSettled([auth.isReady(), listens])).every((outcome) => outcome.status === 'fulfilled' && outcome.value)
    outgoing.writeHead(isUp ? 200 : 503, { 'content-type': 'application/json', 'cache-control': 'no-store', [requestIdHeader]: id })
      .end(JSON.stringify({ status: isUp ? 'up' : 'down' }))
  }

  /** Runs what one surface does as a span of the edge's, where somebody wants to see it. */
  const traced = async (surface: Surface, { incoming, outgoing, id, isTrusted }: EdgeRequest, work: () => void | Promise<void>): Promise<void> => {
    if (tracing === undefined) return work()
    const parent = isTrusted ? incoming.headers['traceparent']?.toString() : undefined
    return tracing.span(`edge ${surface}`, { service: 'finance-edge', kind: 'server', attributes: { 'request.id': id }, parent }, async (span) => {
      await work()
      span.set({ 'http.response.status_code': outgoing.statusCode })
      if (outgoing.statusCode >= 500) span.fail()
    })
  }

  return (incoming, outgoing) => {
    const address = incoming.socket.remoteAddress ?? ''
    const request: EdgeRequest = {
      incoming,
      outgoing,
      id: requestIdOf(incoming, trustedProxies),
      client: clientAddress(address, incoming.headers['x-forwarded-for']?.toString(), trustedProxies),
      isTrusted: isFromTrustedProxy(address, trustedProxies),
    }
    const target = incoming.url ?? ''
    if (target === '/healthz') return health(request)
    // as received: a path that is only like one of these when it is decoded is none of them
    const [, prefix, path = '/', query = ''] = dataPath.exec(target) ?? []
    const isApp = app !== undefined && isOfApp(target)
    seen(isApp ? 'app' : prefix === undefined ? 'auth' : 'data', request)
    if (isApp) {
      outgoing.setHeader(requestIdHeader, request.id)
      return app(incoming, outgoing)
    }
    const work = () => auth.listener(incoming, outgoing)
    if (prefix === undefined) return target.startsWith('/api/') ? traced('auth', request, work) : work()
    return traced('data', request, () => handOn({ ...request, prefix, path: path + query, traceparent: tracing?.traceparent() }))
  }
}

/** The HTTP face: what stands before and after every route, and the mounts. */
import type { HttpBindings } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono, type Context } from 'hono'
import { cors } from 'hono/cors'
import { clientAddress, isFromTrustedProxy, isOnThisMachine } from '../../infra/shared/client-address.ts'
import { requestIdHeader, requestIdOf } from '../../infra/shared/request-id.ts'
import type { Tracing } from '../../infra/shared/tracing.ts'
import { basePath, type Config } from '../config.ts'
import { errorResponse, isRefusal } from '../errors.ts'
import { describeError, type Log } from '../log.ts'
import { routes } from '../routes/table.ts'
import { description, descriptionPaths } from './description.ts'
import type { Checks } from './health.ts'
import type { Metrics } from './metrics.ts'
import { originNotes } from './origin-notes.ts'
import { home, pageRoutes, type Additions } from './pages.ts'
import { serveRoute, type ServeParts } from './serve-route.ts'

export type AppParts = ServeParts & {
  config: Config
  metrics: Metrics
  tracing: Tracing | undefined
  ready: () => Promise<Checks>
  /** Reads the OpenAPI document of both surfaces. */
  document: () => Promise<object>
  /** Whether the service is about to stop: it then says so to whoever asks, and keeps no connection open. */
  isStopping: () => boolean
  /** What `/` names beside what every origin of ours has. */
  additions: Additions
}

type Variables = { Bindings: HttpBindings, Variables: { requestId: string } }

/** The page a browser says it is calling from; undefined for a client that says nothing, which is no browser. */
function originOf(context: Context): string | undefined {
  const origin = context.req.header('origin')
  if (origin !== undefined) return origin
  const referer = context.req.header('referer')
  if (referer !== undefined) return URL.canParse(referer) ? new URL(referer).origin : 'null'
  return ['cross-site', 'same-site'].includes(context.req.header('sec-fetch-site') ?? '') ? 'null' : undefined
}

/** Builds the application; it listens nowhere yet. */
export function createApp(parts: AppParts): Hono<Variables> {
  const { config, metrics, ready, isStopping, log } = parts
  const app = new Hono<Variables>()
  const { trusts } = config.origins
  const note = originNotes(log)
  const isLocal = (context: Context<Variables>) => {
    const { socket, headers } = context.env.incoming
    return config.origins.onLocalhost && isOnThisMachine(socket.remoteAddress ?? '', headers, config.trustedProxies)
  }
  const addressOf = (context: Context) => clientAddress(getConnInfo(context).remote.address ?? '', context.req.header('x-forwarded-for'), config.trustedProxies)

  app.use(logged(metrics, log, (incoming) => requestIdOf(incoming, config.trustedProxies), addressOf))
  if (parts.tracing !== undefined) app.use(traced(parts.tracing, config))
  app.use(async (context, next) => {
    await next()
    if (isStopping()) context.res.headers.set('connection', 'close')
  })
  app.onError((error, context) => {
    if (isRefusal(error)) return errorResponse(error.code, error.message, error.retryAfterSeconds)
    log.error({ id: context.get('requestId'), error: describeError(error) }, 'request failed')
    return errorResponse('INTERNAL_ERROR')
  })
  app.notFound(() => errorResponse('NOT_FOUND'))

  // A proxy may send on what begins with /api/auth as it is written, and dots must not lead from there to what is for the inside.
  for (const path of probes) {
    app.use(
      path,
      async (context, next) => (context.env.incoming.url?.split('?', 1)[0] === path ? next() : errorResponse('NOT_FOUND')),
    )
  }
  app.get('/livez', (context) => context.json({ status: 'live' }))
  app.get('/readyz', async (context) => {
    const checks = await ready()
    const isReady = !isStopping() && Object.values(checks).every(Boolean)
    return context.json({ status: isReady ? 'ready' : 'not ready', checks }, isReady ? 200 : 503)
  })
  const atHome = home(config, parts.additions)
  app.get('/', (context) => atHome(context.req.raw))
  app.get('/metrics', async (context) => context.text(await metrics.text(), 200, { 'content-type': metrics.contentType }))

  const preflight = cors({
    origin: (origin) => (trusts(origin) ? origin : null),
    credentials: true,
    allowMethods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: ['content-type'],
    exposeHeaders,
    maxAge: 600,
  })
  app.use(`${basePath}/*`, async (context, next) => {
    const origin = context.req.header('origin')
    if (origin !== undefined && !trusts(origin)) note('TRUSTED_ORIGINS', origin)
    if (context.req.method === 'OPTIONS') return preflight(context, next)
    await next()
    // Hono's own would begin a response before the route does and copy the route's into it, stream and all
    const { headers } = context.res
    if (origin !== undefined && trusts(origin)) {
      headers.set('access-control-allow-origin', origin)
      const isDropped = headers.has('set-cookie') && config.cookieSameSite === 'lax' && context.req.header('sec-fetch-site') === 'cross-site'
      if (isDropped) note('COOKIE_SAME_SITE', origin)
    }
    headers.set('access-control-allow-credentials', 'true')
    headers.set('access-control-expose-headers', exposeHeaders.join(','))
    headers.append('vary', 'Origin')
    return undefined
  })
  app.use(`${basePath}/*`, async (context, next) => {
    // the engine asks this of requests with a cookie; a sign-in or a mail must not come from a foreign page either
    const isSafe = context.req.method === 'GET' || context.req.method === 'HEAD'
    if (!isSafe && !trusts(originOf(context) ?? config.publicUrl))
      return errorResponse('FORBIDDEN', 'This origin is not among the trusted origins.')
    await next()
    return undefined
  })

  for (const row of routes) {
    app.on(row.method, `${basePath}${row.path}`, (context) => serveRoute(context, row, { address: addressOf(context), isLocal: isLocal(context) }, parts))
  }
  for (const { path, page } of pageRoutes) app.get(`${basePath}${path}`, () => page(parts.addresses))
  for (const path of new Set([...routes, ...pageRoutes].map((row) => row.path))) app.all(`${basePath}${path}`, () => errorResponse('METHOD_NOT_ALLOWED'))
  for (const [path, serve] of description(parts.document)) app.get(path, (context) => serve(context.req.raw))
  for (const path of descriptionPaths) app.all(path, () => errorResponse('METHOD_NOT_ALLOWED'))
  return app
}

/** What a page of a trusted origin may read of an answer beside its body. */
const exposeHeaders = ['retry-after', 'x-request-id']

const probes = new Set(['/livez', '/readyz', '/metrics'])

/** What a request is measured as, by its whole path: each of these is a series for ever, so a client must not choose one. */
export const routeLabels = new Map([
  ...['/', ...probes].map((path) => [path, path] as const),
  ...[...routes, ...pageRoutes].map(({ path }) => [`${basePath}${path}`, path] as const),
  ...descriptionPaths.map((path) => [path, path.startsWith('/docs') ? '/docs' : path.slice(basePath.length)] as const),
])

const methods = new Set<string>(['GET', 'HEAD', 'OPTIONS', ...routes.map(({ method }) => method)])

/** A span a request, whose name no client chooses; the child of the edge's, or of what a trusted proxy says. */
function traced(tracing: Tracing, { trustedProxies }: Config) {
  return async (context: Context<Variables>, next: () => Promise<void>) => {
    const route = routeLabels.get(context.req.path) ?? 'unknown'
    // probes ask every few seconds
    if (probes.has(route)) return next()
    const method = methods.has(context.req.method) ? context.req.method : 'OTHER'
    const isBelieved = isFromTrustedProxy(context.env.incoming.socket.remoteAddress ?? '', trustedProxies)
    return tracing.span(`${method} ${route}`, {
      service: 'finance-auth',
      kind: 'server',
      attributes: { 'http.request.method': method, 'http.route': route, 'request.id': context.get('requestId') },
      parent: isBelieved ? context.req.header('traceparent') : undefined,
    }, async (span) => {
      await next()
      span.set({ 'http.response.status_code': context.res.status })
      if (context.res.status >= 500) span.fail()
    })
  }
}

/** One line and one measurement a request, and the headers every reply has. Never the query, a body or a header's value. */
function logged(metrics: Metrics, log: Log, idOf: (incoming: HttpBindings['incoming']) => string, addressOf: (context: Context) => string) {
  return async (context: Context<Variables>, next: () => Promise<void>) => {
    const started = performance.now()
    const requestId = idOf(context.env.incoming)
    context.set('requestId', requestId)
    await next()
    // set where they are, because Hono's `header` copies a response that is made already
    const { headers } = context.res
    headers.set(requestIdHeader, requestId)
    headers.set('x-content-type-options', 'nosniff')
    // a page that embeds an answer as a script or an image would learn by its failure whether somebody is signed in
    headers.set('cross-origin-resource-policy', 'same-origin')
    headers.set('referrer-policy', 'no-referrer')
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
    const ms = performance.now() - started
    metrics.observe(context.req.method, routeLabels.get(context.req.path) ?? 'unknown', context.res.status, ms / 1000)
    // probes ask every few seconds, and nobody reads that they did
    log[probes.has(context.req.path) ? 'debug' : 'info']({
      id: requestId,
      method: context.req.method,
      path: context.req.path.slice(0, 200),
      status: context.res.status,
      ms: Math.round(ms * 10) / 10,
      client: addressOf(context),
    }, 'request')
  }
}

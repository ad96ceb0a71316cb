/** The Hono app: the middleware of every request, the routes, and the paths for operators. */
import type { HttpBindings } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono, type Context } from 'hono'
import { cors } from 'hono/cors'
import { isAppOrigin } from '../../common/app-origins.ts'
import { clientReader, isFromTrustedProxy, isOnThisMachine } from '../../common/client-address.ts'
import { policyOfData } from '../../common/http-server.ts'
import { requestIdHeader, requestIdOf } from '../../common/request-id.ts'
import type { Tracing } from '../../common/tracing.ts'
import { basePath, type Config } from '../config.ts'
import { tokenHeaders, transportHeader } from '../engine/credentials.ts'
import { errorResponse, isRefusal, onlyMethods, unexpectedErrorResponse } from '../errors.ts'
import { originOf } from '../origins.ts'
import { routes } from '../features/routes.ts'
import { describeError, loggablePath, type Log } from '../../common/log.ts'
import type { Env, RouteContext, Services } from '../route.ts'
import { apiDocs, apiDocsPaths, type Documents } from './api-docs.ts'
import type { Checks } from './health.ts'
import type { Metrics } from './metrics.ts'
import { originLog } from './origin-log.ts'
import { home, pageRoutes, type Additions } from './pages.ts'
import { serveRoute } from './serve-route.ts'

export type AppParts = {
  services: Services
  metrics: Metrics
  tracing: Tracing | undefined
  ready: () => Promise<Checks>
  documents: Documents
  /** Whether the service is stopping. /readyz then fails, and responses close their connection. */
  isStopping: () => boolean
  /** Further entries of `/`. */
  additions: Additions
}

/** Builds the app. */
export function createApp({ services, documents, metrics, tracing, ready, isStopping, additions }: AppParts): Hono<Env> {
  const { config, log } = services
  const app = new Hono<Env>()
  const { trusts } = config.origins
  const note = originLog(log)
  const isLocal = (context: RouteContext) => {
    const { socket, headers } = context.env.incoming
    return config.origins.onLocalhost && isOnThisMachine(socket.remoteAddress ?? '', headers, config.trustedProxies)
  }
  const clientOf = clientReader(config.trustedProxies, log)
  const addressOf = (context: Context) => clientOf(getConnInfo(context).remote.address ?? '', context.req.header('x-forwarded-for'))

  app.use(logged(metrics, log, (incoming) => requestIdOf(incoming, config.trustedProxies), addressOf))
  if (tracing !== undefined) app.use(traced(tracing, config))
  app.use(async (context, next) => {
    await next()
    if (isStopping()) context.res.headers.set('connection', 'close')
  })
  app.onError((error, context) => {
    if (isRefusal(error)) return errorResponse(error.code, error.message, error.retryAfterSeconds)
    log.error({ id: context.get('requestId'), error: describeError(error) }, 'request failed')
    return unexpectedErrorResponse(error)
  })
  app.notFound(() => errorResponse('NOT_FOUND', 'This path does not exist. All routes are at /docs.'))

  // A proxy may forward paths below /api/auth unnormalized. Such a path with dots must not reach the paths for operators.
  for (const path of probes) {
    app.use(
      path,
      async (context, next) => (context.env.incoming.url?.split('?', 1)[0] === path ? next() : errorResponse('NOT_FOUND')),
    )
  }
  for (const [path, serve] of apiDocs(documents)) app.get(path, (context) => serve(context.req.raw))
  app.get('/livez', (context) => context.json({ status: 'live' }))
  app.get('/readyz', async (context) => {
    const checks = await ready()
    const isReady = !isStopping() && Object.values(checks).every(Boolean)
    return context.json({ status: isReady ? 'ready' : 'not ready', checks }, isReady ? 200 : 503)
  })
  const atHome = home(config, additions)
  app.get('/', (context) => atHome(context.req.raw))
  app.get('/metrics', async (context) => context.text(await metrics.text(), 200, { 'content-type': metrics.contentType }))
  for (const path of ['/', ...probes, ...apiDocsPaths.filter((one) => !one.startsWith(basePath))]) refuseOtherMethods(app, path, ['GET', 'HEAD'])

  const preflightOf = (moreHeaders: string[]) =>
    cors({
      origin: (origin) => (trusts(origin) ? origin : null),
      credentials: true,
      allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowHeaders: ['authorization', 'content-type', 'idempotency-key', 'if-match', 'if-none-match', 'if-range', 'last-event-id', 'range', ...moreHeaders],
      maxAge: 600,
    })
  const preflights = { page: preflightOf([]), app: preflightOf([transportHeader]) }
  app.use(`${basePath}/*`, async (context, next) => {
    const origin = context.req.header('origin')
    if (origin !== undefined && !trusts(origin)) note('TRUSTED_ORIGINS', origin)
    const isApp = origin !== undefined && trusts(origin) && isAppOrigin(origin)
    if (context.req.method === 'OPTIONS') return preflights[isApp ? 'app' : 'page'](context, next)
    await next()
    // Hono's cors() would create a response first and then copy the route's response with its stream, so this sets the headers itself.
    const { headers } = context.res
    if (origin !== undefined && trusts(origin)) {
      headers.set('access-control-allow-origin', origin)
      const isDropped = headers.has('set-cookie') && config.cookieSameSite === 'lax' && context.req.header('sec-fetch-site') === 'cross-site'
      if (isDropped) note('COOKIE_SAME_SITE', origin)
    }
    headers.set('access-control-allow-credentials', 'true')
    headers.set('access-control-expose-headers', [...exposeHeaders, ...isApp ? Object.values(tokenHeaders) : []].join(','))
    headers.append('vary', 'Origin')
    return undefined
  })
  app.use(`${basePath}/*`, async (context, next) => {
    // better-auth checks only requests with a cookie. A foreign page must not cause a sign-in or a mail either.
    const isSafe = context.req.method === 'GET' || context.req.method === 'HEAD'
    if (!isSafe && !trusts(originOf(context) ?? config.publicUrl))
      return errorResponse('FORBIDDEN', 'This origin is not among the trusted origins.')
    // ignoring the header would let a client rely on it
    if (!isSafe && context.req.header('idempotency-key') !== undefined) return errorResponse('IDEMPOTENCY_KEY_NOT_SUPPORTED')
    await next()
    return undefined
  })

  for (const row of routes) {
    app.on(row.method, patternOf(row.path), (context) => {
      context.set('services', services)
      context.set('client', { address: addressOf(context), isLocal: isLocal(context), userAgent: context.req.header('user-agent') })
      return serveRoute(context, row)
    })
  }
  for (const { path, page } of pageRoutes) app.get(`${basePath}${path}`, () => page(config))
  const rows = [...routes, ...pageRoutes.map(({ path }) => ({ path, method: 'GET' }))]
  for (const path of new Set(rows.map((row) => row.path))) {
    const methods = new Set(rows.filter((row) => row.path === path).flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))
    refuseOtherMethods(app, patternOf(path), [...methods, 'OPTIONS'])
  }
  for (const path of apiDocsPaths.filter((one) => one.startsWith(basePath))) refuseOtherMethods(app, path, ['GET', 'HEAD', 'OPTIONS'])
  return app
}

/** The response headers that pages of trusted origins may read. */
const exposeHeaders = ['accept-ranges', 'content-disposition', 'content-range', 'etag', 'retry-after', 'x-change-id', 'x-request-id']

/** Responds with 405 to the methods that a path does not have. The routes of the path come first. */
function refuseOtherMethods(app: Hono<Env>, path: string, methods: string[]): void {
  const { message, headers: { allow } } = onlyMethods(methods)
  app.all(path, () => {
    const response = errorResponse('METHOD_NOT_ALLOWED', message)
    response.headers.set('allow', allow)
    return response
  })
}

/** Returns the pattern of a path in Hono's form: `/calendar/{secret}.ics` has a parameter `secret`. */
const patternOf = (path: string): string =>
  `${basePath}${path.replace(/\{(\w+)\}(.*)$/, (_, name: string, suffix: string) => `:${name}{[^/]+${suffix.replaceAll('.', '\\.')}}`)}`

const probes = new Set(['/livez', '/readyz', '/metrics'])

/** The metric label of each path. Prometheus keeps a time series for each label, so clients must not choose them. */
export const routeLabels = new Map([
  ...['/', ...probes].map((path) => [path, path] as const),
  ...[...routes, ...pageRoutes].map(({ path }) => [`${basePath}${path}`, path] as const),
  ...apiDocsPaths.map((path) => [path, path.startsWith('/docs') ? '/docs' : path.slice(basePath.length)] as const),
])

/** The routes with a parameter in their path, by the pattern of such a path. */
const routesWithParameter = [...new Set(routes.map(({ path }) => path).filter((path) => path.includes('{')))].map((path) => ({
  path,
  pattern: new RegExp(`^${basePath}${path.replaceAll('.', '\\.').replace(/\{\w+\}/, '[^/]+')}$`),
}))

/** Returns the metric label of a request's path. */
const labelOf = (path: string): string => routeLabels.get(path) ?? routesWithParameter.find(({ pattern }) => pattern.test(path))?.path ?? 'unknown'

const methods = new Set<string>(['GET', 'HEAD', 'OPTIONS', ...routes.map(({ method }) => method)])

/** Makes a span for each request. Its parent is the edge's span. Clients cannot choose its name. */
function traced(tracing: Tracing, { trustedProxies }: Config) {
  return async (context: RouteContext, next: () => Promise<void>) => {
    const route = labelOf(context.req.path)
    // probes run every few seconds and would fill the traces
    if (probes.has(route)) return next()
    const method = methods.has(context.req.method) ? context.req.method : 'OTHER'
    const { socket, headers } = context.env.incoming
    const isBelieved = isFromTrustedProxy(socket.remoteAddress ?? '', trustedProxies)
    return tracing.span(`${method} ${route}`, {
      service: 'finance-auth',
      kind: 'server',
      attributes: { 'http.request.method': method, 'http.route': route, 'request.id': context.get('requestId') },
      // of the message, from which an edge in this process has removed that of a client
      parent: isBelieved ? headers['traceparent']?.toString() : undefined,
    }, async (span) => {
      await next()
      span.set({ 'http.response.status_code': context.res.status })
      if (context.res.status >= 500) span.fail()
    })
  }
}

/** Logs and measures each request, and sets the headers of every response. Queries, bodies and header values are never logged. */
function logged(metrics: Metrics, log: Log, idOf: (incoming: HttpBindings['incoming']) => string, addressOf: (context: Context) => string) {
  return async (context: RouteContext, next: () => Promise<void>) => {
    const started = performance.now()
    const requestId = idOf(context.env.incoming)
    context.set('requestId', requestId)
    await next()
    // sets the headers directly, because Hono's `header` copies a finished response
    const { headers } = context.res
    headers.set(requestIdHeader, requestId)
    headers.set('x-content-type-options', 'nosniff')
    // Without it a foreign page could embed a response as a script, and its failure would show whether the user is signed in.
    if (!headers.has('cross-origin-resource-policy')) headers.set('cross-origin-resource-policy', 'same-origin')
    headers.set('referrer-policy', 'no-referrer')
    if (!headers.has('content-security-policy')) headers.set('content-security-policy', policyOfData)
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
    const ms = performance.now() - started
    metrics.observe(context.req.method, labelOf(context.req.path), context.res.status, ms / 1000)
    // Probes run every few seconds.
    log[probes.has(context.req.path) ? 'debug' : 'info']({
      id: requestId,
      method: context.req.method,
      path: loggablePath(context.req.path),
      status: context.res.status,
      ms: Math.round(ms * 10) / 10,
      client: addressOf(context),
    }, 'request')
  }
}

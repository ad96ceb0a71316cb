/** The Hono app: the middleware of every request, the routes, and the paths for operators. */
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono, type Context } from 'hono'
import { clientReader, isFromTrustedProxy, isOnThisMachine } from '../common/client-address.ts'
import { defaultHost, policyOfData, type Listener } from '../common/http-server.ts'
import { requestIdHeader, requestIdOf } from '../common/request-id.ts'
import type { Tracing } from '../common/tracing.ts'
import { basePath } from '../common/contract.ts'
import { onlyMethods } from '../common/error-codes.ts'
import { allowTrustedOrigins, rejectForeignOrigins } from './cross-origin.ts'
import { errorResponse, isRejection, unexpectedErrorResponse } from './errors.ts'
import { describeError, loggablePath, type Log } from '../common/log.ts'
import type { Env, ProcessServices, Route, RouteContext, ServiceConfig, Services } from './route.ts'
import type { ServiceName } from './database.ts'
import type { HttpMetrics } from './metrics.ts'
import { serveRoute } from './serve-route.ts'

/** Returns the response of a path that reads nothing but the request. */
type Serve = (request: Request) => Response | Promise<Response>

/** What a process serves. */
export type Paths = {
  routes: Route[]
  /** The pages of mailed links, below the routes' path. */
  pages?: { path: string, serve: Serve }[]
  /** Public documents. */
  documents?: [path: string, serve: Serve][]
  /** The page at `/`. */
  home?: Serve
}

export type AppParts = {
  services: ProcessServices
  /** The name of the service in traces. */
  name: ServiceName
  paths: Paths
  labels: Labels
  metrics: HttpMetrics
  tracing: Tracing | undefined
  ready: () => Promise<Record<string, boolean>>
  /** Whether the service is stopping. /readyz then fails, and responses close their connection. */
  isStopping: () => boolean
}

/** Builds the app. */
export function createApp(parts: AppParts): Hono<Env> {
  const { services: { config, log }, name, labels, metrics, tracing, isStopping } = parts
  const app = new Hono<Env>()
  const clientOf = clientReader(config.trustedProxies, log)
  const addressOf = (context: Context) =>
    clientOf(getConnInfo(context).remote.address ?? '', context.req.header('x-forwarded-for'))

  app.use(sendOwnBody)
  app.use(
    logged(
      metrics,
      log,
      labels,
      (incoming) => requestIdOf(incoming, config.trustedProxies),
      addressOf,
    ),
  )
  if (tracing !== undefined) app.use(traced(tracing, name, config, labels))
  app.use(async (context, next) => {
    await next()
    if (isStopping()) context.res.headers.set('connection', 'close')
  })
  app.onError((error, context) => {
    if (isRejection(error)) return errorResponse(error.code, error.message, error.retryAfterSeconds)
    log.error({ id: context.get('requestId'), error: describeError(error) }, 'request failed')
    return unexpectedErrorResponse(error)
  })
  app.notFound(() =>
    errorResponse('NOT_FOUND', 'This path does not exist. All routes are at /docs.')
  )
  app.use(async (context, next) => (isLiteral(context) ? next() : errorResponse('NOT_FOUND')))
  addDocuments(app, parts)
  app.use(`${basePath}/*`, allowTrustedOrigins(config, log))
  app.use(`${basePath}/*`, rejectForeignOrigins(config))
  addRoutes(app, parts, addressOf)
  return app
}

/** Returns the listener of Node's HTTP server that serves the app. */
export const listenerOf = (app: Hono<Env>): Listener =>
  getRequestListener(async (request, env) => {
    const response = await app.fetch(request, env)
    return env.outgoing.headersSent ? RESPONSE_ALREADY_SENT : response
  }, defaultHost)

/**
 * Returns false for a path with dots or encoded letters that reads as another path here. The edge
 * and proxies know files, streams and the paths for operators by their literal paths.
 */
function isLiteral({ env, req }: Context<Env>): boolean {
  const path = env.incoming?.url?.split('?', 1)[0]
  return path?.startsWith('/') !== true || path === req.path
}

/** Adds the paths outside of the routes: the documents, the page at `/` and those for operators. */
function addDocuments(
  app: Hono<Env>,
  { paths: { documents = [], home }, metrics, ready, isStopping }: AppParts,
): void {
  for (const [path, serve] of documents) app.get(path, (context) => serve(context.req.raw))
  app.get('/livez', (context) => context.json({ status: 'live' }))
  app.get('/readyz', async (context) => {
    const checks = await ready()
    const isReady = !isStopping() && Object.values(checks).every(Boolean)
    return context.json({ status: isReady ? 'ready' : 'not ready', checks }, isReady ? 200 : 503)
  })
  if (home !== undefined) app.get('/', (context) => home(context.req.raw))
  app.get(
    '/metrics',
    async (context) =>
      context.text(await metrics.registry.metrics(), 200, {
        'content-type': metrics.registry.contentType,
      }),
  )
  const documentPaths = documents.map(([path]) => path)
  for (
    const path of [
      ...home === undefined ? [] : ['/'],
      ...probes,
      ...documentPaths.filter((one) => !one.startsWith(basePath)),
    ]
  )
    rejectOtherMethods(app, path, ['GET', 'HEAD'])
}

/** Adds the routes and the pages of mailed links. @param addressOf reads the client's address */
function addRoutes(
  app: Hono<Env>,
  { services, paths: { routes, pages = [], documents = [] } }: AppParts,
  addressOf: (context: Context) => string,
): void {
  const { origins, trustedProxies } = services.config
  const isLocal = (context: RouteContext) => {
    const { socket, headers } = context.env.incoming
    return origins.onLocalhost &&
      isOnThisMachine(socket.remoteAddress ?? '', headers, trustedProxies)
  }
  for (const row of routes) {
    app.on(row.method, patternOf(row.path), (context) => {
      // its routes are those of its rooms, whose parts it has
      context.set('services', services as Services)
      context.set('client', {
        address: addressOf(context),
        isLocal: isLocal(context),
        userAgent: context.req.header('user-agent'),
      })
      return serveRoute(context, row)
    })
  }
  for (const { path, serve } of pages)
    app.get(`${basePath}${path}`, (context) => serve(context.req.raw))
  const rows = [...routes, ...pages.map(({ path }) => ({ path, method: 'GET' }))]
  for (const path of new Set(rows.map((row) => row.path))) {
    const methods = new Set(
      rows.filter((row) => row.path === path).flatMap((
        { method },
      ) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
    )
    rejectOtherMethods(app, patternOf(path), [...methods, 'OPTIONS'])
  }
  const documentPaths = documents.map(([path]) => path)
  for (const path of documentPaths.filter((one) => one.startsWith(basePath)))
    rejectOtherMethods(app, path, ['GET', 'HEAD', 'OPTIONS'])
}

/**
 * Responds with 405 to the methods that a path does not have. The routes of the path come first.
 */
function rejectOtherMethods(app: Hono<Env>, path: string, methods: string[]): void {
  const { message, headers: { allow } } = onlyMethods(methods)
  app.all(path, () => {
    const response = errorResponse('METHOD_NOT_ALLOWED', message)
    response.headers.set('allow', allow)
    return response
  })
}

/**
 * Returns the pattern of a path in Hono's form: `/calendar/{secret}.ics` has a parameter `secret`.
 */
const patternOf = (path: string): string =>
  `${basePath}${
    path.replace(/\{(\w+)\}(.*)$/, (_, name: string, suffix: string) =>
      `:${name}{[^/]+${suffix.replaceAll('.', '\\.')}}`)
  }`

const probes = new Set(['/livez', '/readyz', '/metrics'])

/**
 * The metric labels of paths. Prometheus keeps a time series for each label, so clients must not
 * choose them.
 */
export type Labels = {
  all: Set<string>
  /** Returns the label of a request's path. */
  of: (path: string) => string
  /** Returns the label of a request's method. */
  ofMethod: (method: string) => string
}

export function labelPaths({ routes, pages = [], documents = [], home }: Paths): Labels {
  const fixed = new Map([
    ...[...home === undefined ? [] : ['/'], ...probes].map((path) => [path, path] as const),
    ...[...routes, ...pages].map(({ path }) => [`${basePath}${path}`, path] as const),
    ...documents.map(([path]) =>
      [path, path.startsWith('/docs') ? '/docs' : path.slice(basePath.length)] as const
    ),
  ])
  /** The routes with a parameter in their path, by the pattern of such a path. */
  const withParameter = [
    ...new Set(routes.map(({ path }) => path).filter((path) => path.includes('{'))),
  ].map((path) => ({
    path,
    pattern: new RegExp(`^${basePath}${path.replaceAll('.', '\\.').replace(/\{\w+\}/, '[^/]+')}$`),
  }))
  const methods = new Set<string>(['GET', 'HEAD', 'OPTIONS', ...routes.map(({ method }) => method)])
  return {
    all: new Set(fixed.values()),
    of: (path) =>
      fixed.get(path) ?? withParameter.find(({ pattern }) => pattern.test(path))?.path ?? 'unknown',
    ofMethod: (method) => (methods.has(method) ? method : 'OTHER'),
  }
}

/** Makes a span for each request. Its parent is the edge's span. Clients cannot choose its name. */
function traced(
  tracing: Tracing,
  service: AppParts['name'],
  { trustedProxies }: ServiceConfig,
  labels: Labels,
) {
  return async (context: RouteContext, next: () => Promise<void>) => {
    const route = labels.of(context.req.path)
    // probes run every few seconds and would fill the traces
    if (probes.has(route)) return next()
    const method = labels.ofMethod(context.req.method)
    const { socket, headers } = context.env.incoming
    const isBelieved = isFromTrustedProxy(socket.remoteAddress ?? '', trustedProxies)
    return tracing.span(`${method} ${route}`, {
      service,
      kind: 'server',
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'request.id': context.get('requestId'),
      },
      // of the message, from which an edge in this process has removed that of a client
      parent: isBelieved ? headers['traceparent']?.toString() : undefined,
    }, async (span) => {
      await next()
      span.set({ 'http.response.status_code': context.res.status })
      if (context.res.status >= 500) span.fail()
    })
  }
}

/**
 * Logs and measures each request, and sets the headers of every response. Queries, bodies and
 * header values are never logged.
 */
function logged(
  metrics: HttpMetrics,
  log: Log,
  labels: Labels,
  idOf: (incoming: HttpBindings['incoming']) => string,
  addressOf: (context: Context) => string,
) {
  return async (context: RouteContext, next: () => Promise<void>) => {
    const started = performance.now()
    const requestId = idOf(context.env.incoming)
    context.set('requestId', requestId)
    await next()
    // sets the headers directly, because Hono's `header` copies a finished response
    const { headers } = context.res
    headers.set(requestIdHeader, requestId)
    headers.set('x-content-type-options', 'nosniff')
    // Without it a foreign page could embed a response as a script, and its failure would show
    // whether the user is signed in.
    if (!headers.has('cross-origin-resource-policy'))
      headers.set('cross-origin-resource-policy', 'same-origin')
    headers.set('referrer-policy', 'no-referrer')
    if (!headers.has('content-security-policy'))
      headers.set('content-security-policy', policyOfData)
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
    const ms = performance.now() - started
    metrics.observe(context.req.method, labels.of(context.req.path), context.res.status, ms / 1000)
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

/** Sends the complete headers of a response, and lets its handler send the body. */
async function sendOwnBody(context: RouteContext, next: () => Promise<void>): Promise<void> {
  await next()
  const sendBody = context.get('sendBody')
  if (sendBody === undefined || !context.res.ok) return
  const { outgoing } = context.env
  outgoing.writeHead(context.res.status, [...context.res.headers].flat())
  // without a part of the body, because Node would keep the headers of such a part in 60 pieces
  outgoing.flushHeaders()
  sendBody(outgoing)
}

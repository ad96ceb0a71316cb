/**
 * Checks pages of other origins: CORS, and the origin of each request that changes something.
 */
import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { isAppOrigin } from '../common/app-origins.ts'
import { tokenHeaders, transportHeader } from '../common/contract.ts'
import type { Log } from '../common/log.ts'
import { errorResponse } from './errors.ts'
import { originLog } from './origin-log.ts'
import { originOf, type Origins } from './origins.ts'
import type { Env, ServiceConfig } from './route.ts'

/** The response headers that pages of trusted origins may read. */
const exposeHeaders = [
  'accept-ranges',
  'content-disposition',
  'content-range',
  'etag',
  'retry-after',
  'x-change-id',
  'x-request-id',
]

/** Returns the answer to a preflight request. */
const preflightOf = (trusts: Origins['trusts'], moreHeaders: string[]) =>
  cors({
    origin: (origin) => (trusts(origin) ? origin : null),
    credentials: true,
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: [
      'authorization',
      'content-type',
      'idempotency-key',
      'if-match',
      'if-none-match',
      'if-range',
      'last-event-id',
      'range',
      ...moreHeaders,
    ],
    maxAge: 600,
  })

/** Answers preflight requests, and allows pages of trusted origins to read responses. */
export function allowTrustedOrigins(
  { origins: { trusts }, cookieSameSite }: ServiceConfig,
  log: Log,
): MiddlewareHandler<Env> {
  const note = originLog(log)
  const preflights = {
    page: preflightOf(trusts, []),
    app: preflightOf(trusts, [transportHeader]),
  }
  return async (context, next) => {
    const origin = context.req.header('origin')
    if (origin !== undefined && !trusts(origin)) note('TRUSTED_ORIGINS', origin)
    const isApp = origin !== undefined && trusts(origin) && isAppOrigin(origin)
    if (context.req.method === 'OPTIONS') return preflights[isApp ? 'app' : 'page'](context, next)
    await next()
    // Hono's cors() would create a response first and then copy the route's response with its
    // stream, so this sets the headers itself.
    const { headers } = context.res
    if (origin !== undefined && trusts(origin)) {
      headers.set('access-control-allow-origin', origin)
      const isDropped = headers.has('set-cookie') && cookieSameSite === 'lax' &&
        context.req.header('sec-fetch-site') === 'cross-site'
      if (isDropped) note('COOKIE_SAME_SITE', origin)
    }
    headers.set('access-control-allow-credentials', 'true')
    headers.set(
      'access-control-expose-headers',
      [...exposeHeaders, ...isApp ? Object.values(tokenHeaders) : []].join(','),
    )
    headers.append('vary', 'Origin')
    return undefined
  }
}

/** Refuses requests that change something, if a page of another origin sends them. */
export const rejectForeignOrigins =
  ({ origins: { trusts }, publicUrl }: ServiceConfig): MiddlewareHandler<Env> =>
  async (context, next) => {
    // better-auth checks only requests with a cookie. A foreign page must not cause a sign-in or a
    // mail either.
    const isSafe = context.req.method === 'GET' || context.req.method === 'HEAD'
    if (!isSafe && !trusts(originOf(context) ?? publicUrl))
      return errorResponse('FORBIDDEN', 'This origin is not among the trusted origins.')
    // ignoring the header would let a client rely on it
    if (!isSafe && context.req.header('idempotency-key') !== undefined)
      return errorResponse('IDEMPOTENCY_KEY_NOT_SUPPORTED')
    await next()
    return undefined
  }

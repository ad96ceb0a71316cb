/**
 * The one better-auth instance, and the two ways from a handler into it: one of its endpoints, or
 * its context for code of our own. options.ts has its options.
 */
import { runWithAdapter, runWithRequestState } from '@better-auth/core/context'
import {
  betterAuth,
  type AuthContext,
  type BetterAuthOptions,
  type GenericEndpointContext,
} from 'better-auth'
import { createAuthEndpoint, isAPIError, router } from 'better-auth/api'
import { z } from 'zod'
import { codeOfEngine } from '../errors.ts'
import { basePath } from '../../common/contract.ts'
import { rejection } from '../../http/errors.ts'
import { createSigner } from '../keys/signing-keys.ts'
import { clientAddressHeader, currentRequest } from '../../http/policy.ts'
import type { RouteContext } from '../../http/route.ts'
import { engineOptions, jwtOptions, type EngineParts } from './options.ts'

/**
 * Builds better-auth's router once. Its own handler builds the router for each request, because
 * options may depend on the request; ours do not.
 */
function handlerOf(
  context: AuthContext,
  options: BetterAuthOptions,
): (request: Request) => Promise<Response> {
  const { handler } = router(context, options)
  return async (request) => await runWithAdapter(context.adapter, () => handler(request))
}

/**
 * Builds the instance. `api` has the endpoints that jobs and the rotation of keys call without a
 * request.
 */
export async function createEngine(parts: EngineParts) {
  const tokens = jwtOptions(parts.config, parts.connections.db)
  const engine = betterAuth(engineOptions(parts, tokens))
  // widens the type, which names these exact options
  const context = await engine.$context as unknown as AuthContext
  return {
    api: engine.api,
    context,
    handler: handlerOf(context, engine.options),
    sign: createSigner(context, tokens),
  }
}

/** The request headers that better-auth receives, in addition to the cookie. */
const forwarded = [
  'origin',
  'referer',
  'user-agent',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
]

function headersFor(c: RouteContext): Headers {
  const headers = new Headers({ [clientAddressHeader]: c.var.client.address })
  if (c.var.cookie !== undefined) headers.set('cookie', c.var.cookie)
  for (const name of forwarded) {
    const value = c.req.header(name)
    if (value !== undefined) headers.set(name, value)
  }
  // A client that sends none of these is no browser, so no foreign page sent the request.
  if (!['origin', 'referer', 'sec-fetch-site'].some((name) => headers.has(name)))
    headers.set('origin', c.var.services.config.publicUrl)
  return headers
}

function errorOf(status: number, betterAuthCode: unknown): Error {
  const code = codeOfEngine(status, betterAuthCode)
  return code === 'INTERNAL_ERROR'
    ? new Error(`better-auth responded with ${status}`)
    : rejection(code)
}

/**
 * Calls the better-auth endpoint of the row through better-auth's router.
 * @param input the query of a GET, or the body
 * @throws Rejection; Error if better-auth fails or its response does not match the schema
 */
export async function callBetterAuth<Response extends z.ZodType>(
  c: RouteContext,
  schema: Response,
  input: object,
): Promise<z.output<Response>> {
  const { engine, config } = c.var.services
  const [method = '', path = ''] = currentRequest.getStore()?.policy.betterAuth?.split(' ') ?? []
  const url = new URL(`${basePath}${path}`, config.publicUrl)
  const headers = headersFor(c)
  if (method === 'GET') {
    for (const [name, value] of Object.entries(input as Record<string, string>))
      url.searchParams.set(name, value)
  } else headers.set('content-type', 'application/json')
  const response = await engine.handler(
    new Request(url, { method, headers, ...(method !== 'GET' && { body: JSON.stringify(input) }) }),
  )
  c.var.cookies.push(...response.headers.getSetCookie())
  if (response.ok) return schema.parse(await response.json())
  const { code } = await response.json().catch(() => ({})) as { code?: unknown }
  throw errorOf(response.status, code)
}

/**
 * Runs work with the context of a better-auth endpoint, outside of its router and hooks. Cookies
 * that the work sets reach the client.
 * @throws what the work throws; an APIError of better-auth's becomes a Rejection
 */
export async function withBetterAuth<Result>(
  c: RouteContext,
  work: (endpoint: GenericEndpointContext) => Promise<Result>,
): Promise<Result> {
  const { context } = c.var.services.engine
  const endpoint = createAuthEndpoint({ method: 'POST' }, async (given) => {
    try {
      return await work(given as GenericEndpointContext)
    } catch (error) {
      throw isAPIError(error) ? errorOf(error.statusCode, error.body?.code) : error
    } finally {
      c.var.cookies.push(...given.responseHeaders.getSetCookie())
    }
  })
  const call = { headers: headersFor(c), body: {}, context: { ...context, session: null } }
  return await runWithRequestState(
    new WeakMap(),
    () => runWithAdapter(context.adapter, () => endpoint(call as never)),
  ) as Result
}

/** Calls the better-auth endpoint of the row and drops its response. */
export const passToBetterAuth = (c: RouteContext, input: object): Promise<unknown> =>
  callBetterAuth(c, z.unknown(), input)

/**
 * Our request → the engine's → our reply. A route is a row of data; this is the one loop that serves them all. A client's
 * request reaches the engine through its handler alone, so that its rate limits, its origin check and our hook stand in
 * front of every route. Only the service's own tasks (main.ts) call the engine's functions.
 */
import type { Context } from 'hono'
import type { Plans } from '../plans.ts'
import { basePath } from '../config.ts'
import type { AuthDatabase } from '../database.ts'
import type { Engine } from '../engine/engine.ts'
import type { Asked } from '../engine/shortcuts.ts'
import { codeOfDatabase, codeOfEngine, errorResponse, isRefusal, refusal, type WireError } from '../errors.ts'
import { describeError, type Log } from '../log.ts'
import { clientAddressHeader, requestContexts, type RequestContext } from '../request-context.ts'
import type { Route, Sources } from '../routes/route.ts'
import { problemOf } from '../routes/schemas.ts'
import { readJson } from './json-body.ts'
import { pages, wantsPage, type WayOn } from './pages.ts'

export type ServeParts = { engine: Engine, plans: Plans, db: AuthDatabase, addresses: WayOn & { publicUrl: string }, log: Log }

/** Who asks: an address as infra/shared/client-address.ts found it, and whether it is a program of this machine and we are its own. */
export type Client = { address: string, isLocal: boolean }

const forwarded = ['cookie', 'origin', 'referer', 'user-agent', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest']

/** The engine's request. It is made of the route's own path, so that no spelling of a URL reaches anything else. */
function engineRequest(context: Context, row: Route, input: unknown, publicUrl: string, address: string): Request {
  const headers = new Headers({ [clientAddressHeader]: address })
  for (const name of forwarded) {
    const value = context.req.header(name)
    if (value !== undefined) headers.set(name, value)
  }
  // a client that says nothing of where it comes from is no browser, and so no page of somebody else's
  if (!['origin', 'referer', 'sec-fetch-site'].some((name) => headers.has(name))) headers.set('origin', publicUrl)
  const url = new URL(`${basePath}${row.engine.path}`, publicUrl)
  if (row.engine.method === 'GET') {
    for (const [name, value] of Object.entries(input as Record<string, string>)) url.searchParams.set(name, value)
    return new Request(url, { headers })
  }
  headers.set('content-type', 'application/json')
  return new Request(url, { method: 'POST', headers, body: JSON.stringify(input) })
}

/** What became of a request: the engine's answer, what its shortcut says that the answer would be, or what was thrown. */
type Outcome = Response | { known: unknown } | { thrown: unknown }

async function callEngine({ shortcuts, handler }: Engine, { shortcut }: Route, asked: Asked, request: () => Request, own: RequestContext): Promise<Outcome> {
  try {
    const known = shortcut === undefined ? undefined : await shortcuts[shortcut](asked, own)
    return known === undefined ? await requestContexts.run(own, () => handler(request())) : { known }
  } catch (thrown) {
    return { thrown }
  } finally {
    own.leaveQueue?.()
  }
}

/** What failed while the engine worked at a request; undefined where the engine simply refused it. */
function failureOf(outcome: Outcome, { databaseFailure }: RequestContext): unknown {
  return databaseFailure ?? ('thrown' in outcome ? outcome.thrown : undefined)
}

async function refusalOf(outcome: Outcome, own: RequestContext, row: Route, id: string, log: Log): Promise<Response> {
  const failure = failureOf(outcome, own)
  if (isRefusal(failure)) return errorResponse(failure.code, failure.message, failure.retryAfterSeconds)
  if (failure !== undefined || !(outcome instanceof Response)) {
    const code = codeOfDatabase(failure) ?? 'INTERNAL_ERROR'
    if (code === 'INTERNAL_ERROR') log.error({ id, route: row.path, error: describeError(failure) }, 'request failed')
    return errorResponse(code)
  }
  const { code: engineCode } = await outcome.json().catch(() => ({})) as { code?: unknown }
  const code = codeOfEngine(outcome.status, engineCode)
  if (code === 'INTERNAL_ERROR') log.error({ id, route: row.path, status: outcome.status }, 'request failed')
  const retryAfter = outcome.headers.get('x-retry-after')
  return errorResponse(code, undefined, retryAfter === null ? undefined : Number(retryAfter))
}

async function presented(answer: unknown, row: Route, input: never, sources: Sources): Promise<Response> {
  const reply = row.reply.parse(answer) as never
  const loaded = await row.load?.(reply, sources) as never
  return Response.json(row.present(reply, { input, loaded, caller: sources.caller }), row.headers === undefined ? {} : { headers: row.headers })
}

/** What a browser is shown in place of a reply. An error that says nothing of the link is told as it is. */
async function shown(reply: Response, page: NonNullable<Route['page']>, way: WayOn, { redirectTo }: RequestContext): Promise<Response> {
  if (redirectTo !== undefined) return new Response(null, { status: 303, headers: { location: redirectTo } })
  const isOfLink = reply.ok || reply.status === 400
  if (!way.hasApp) return isOfLink ? pages[page[reply.ok ? 'succeeded' : 'failed']](way) : reply
  const outcome = reply.ok ? { success: 'true' } : { error: (await reply.json() as WireError).error }
  return new Response(null, { status: 303, headers: { location: `${way.appUrl}${page.ofApp}?${new URLSearchParams(outcome).toString()}` } })
}

/**
 * Serves one route.
 * @throws Refusal when the input is not the schema's
 */
export async function serveRoute(
  context: Context,
  row: Route,
  { address, isLocal }: Client,
  { engine, plans, db, addresses, log }: ServeParts,
): Promise<Response> {
  const parsed = row.input.safeParse(row.method === 'GET' ? context.req.query() : await readJson(context.req.raw))
  if (!parsed.success) {
    const { code, message } = problemOf(parsed.error)
    throw refusal(code, message)
  }
  const input = parsed.data as never
  const words = row.toEngine === undefined ? input : row.toEngine(input, await row.find?.(input, db) as never)
  const own: RequestContext = { isLocal, address, userAgent: context.req.header('user-agent') }
  const asked = { cookie: context.req.header('cookie'), authorization: context.req.header('authorization'), address }
  const outcome = await callEngine(engine, row, asked, () => engineRequest(context, row, words, addresses.publicUrl, address), own)
  const succeeded = 'known' in outcome || (outcome instanceof Response && outcome.ok)
  const answer = succeeded
    ? await presented('known' in outcome ? outcome.known : await outcome.json(), row, input, { db, plans, caller: own.caller })
    : await refusalOf(outcome, own, row, context.get('requestId'), log)
  const reply = row.page !== undefined && wantsPage(context.req.raw) ? await shown(answer, row.page, addresses, own) : answer
  if (row.page !== undefined) reply.headers.append('vary', 'accept')
  for (const cookie of outcome instanceof Response ? outcome.headers.getSetCookie() : []) reply.headers.append('set-cookie', cookie)
  return reply
}

/** Serves one route: reads the input, applies the policy, runs the handler and sends its result, its error or a page. */
import { acceptsHtml } from '../../common/http-server.ts'
import { describeError } from '../../common/log.ts'
import { codeOfDatabase, errorResponse, isRefusal, refusal, type WireError } from '../errors.ts'
import { problemOf } from '../features/fields.ts'
import type { Route, RouteContext } from '../route.ts'
import { enforce } from './enforcement.ts'
import { readJson } from './json-body.ts'
import { pages } from './pages.ts'

function errorOf(c: RouteContext, row: Route, error: unknown): Response {
  const code = codeOfDatabase(error)
  if (code !== undefined) return errorResponse(code)
  if (isRefusal(error)) return errorResponse(error.code, error.message, error.retryAfterSeconds)
  c.var.services.log.error({ id: c.var.requestId, route: row.path, error: describeError(error) }, 'request failed')
  return errorResponse('INTERNAL_ERROR')
}

/** Returns the page or the redirect that a browser receives. An error that is not about the link stays as it is. */
async function pageOf(c: RouteContext, response: Response, page: NonNullable<Route['page']>): Promise<Response> {
  const { redirectTo, services: { config } } = c.var
  if (redirectTo !== undefined) return new Response(null, { status: 303, headers: { location: redirectTo } })
  const isOfLink = response.ok || response.status === 400
  if (!config.hasApp) return isOfLink ? pages[page[response.ok ? 'succeeded' : 'failed']](config) : response
  const outcome = response.ok ? { success: 'true' } : { error: (await response.json() as WireError).error }
  return new Response(null, { status: 303, headers: { location: `${config.appUrl}${page.ofApp}?${new URLSearchParams(outcome).toString()}` } })
}

/** @throws Refusal if the input does not match the schema */
export async function serveRoute(c: RouteContext, row: Route): Promise<Response> {
  const parsed = row.input.safeParse(row.method === 'GET' ? c.req.query() : await readJson(c.req.raw))
  if (!parsed.success) {
    const { code, message } = problemOf(parsed.error)
    throw refusal(code, message)
  }
  c.set('cookies', [])
  let queryError: unknown
  const onQueryError = (error: unknown) => {
    queryError ??= error
  }
  let response: Response
  try {
    const body = await enforce(c, row, parsed.data as object, onQueryError, () => row.handle(c, parsed.data as never))
    response = Response.json(body, row.headers === undefined ? {} : { headers: row.headers })
  } catch (error) {
    // better-auth reports some failed queries as if there were no such row
    response = errorOf(c, row, queryError ?? error)
  }
  if (row.page !== undefined) {
    if (acceptsHtml(c.req.raw)) response = await pageOf(c, response, row.page)
    response.headers.append('vary', 'accept')
  }
  for (const cookie of c.var.cookies) response.headers.append('set-cookie', cookie)
  return response
}

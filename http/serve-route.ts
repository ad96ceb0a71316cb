/**
 * Serves one route: reads the input, applies the policy, runs the handler and sends its result, its
 * error or a page.
 */
import { clientNetwork } from '../common/client-address.ts'
import { acceptsHtml, isOtherEncoding } from '../common/http-server.ts'
import { otherAddressLimit, type Verdict } from './rate-limits.ts'
import {
  codeOfDatabase,
  errorResponse,
  isRejection,
  rejection,
  reject,
  unexpectedErrorResponse,
} from './errors.ts'
import { problemOf } from './fields.ts'
import { maxBodyBytes } from '../common/contract.ts'
import { describeError } from '../common/log.ts'
import {
  currentRequest,
  policyOf,
  type Caller,
  type CurrentRequest,
  type Policy,
} from './policy.ts'
import { isRead, type Route, type RouteContext } from './route.ts'

/**
 * A larger body is read up to this size and dropped, so that the client reads our response instead
 * of a broken pipe.
 */
const maxDiscardedBytes = 16 * 1024 * 1024

async function readBytes(request: Request): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength
      if (size <= maxBodyBytes) chunks.push(chunk)
      if (size > maxDiscardedBytes) break
    }
  } catch {
    // A client that disconnects is no failure of the service.
    throw rejection('VALIDATION_ERROR', 'The request body did not arrive whole.')
  }
  if (size > maxBodyBytes) throw rejection('PAYLOAD_TOO_LARGE')
  return Buffer.concat(chunks)
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw rejection('VALIDATION_ERROR', 'The request body is not valid UTF-8.')
  }
}

/**
 * Reads and parses the body. An empty body is an empty object.
 * @throws Rejection PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE or VALIDATION_ERROR
 */
async function readJson(request: Request): Promise<unknown> {
  // opening the stream would cost more than the rest of such a request
  if (request.headers.get('content-length') === '0') return {}
  const bytes = await readBytes(request)
  if (bytes.length === 0) return {}
  const contentType = request.headers.get('content-type') ?? ''
  if (
    !/^application\/json\s*(;|$)/i.test(contentType) ||
    isOtherEncoding(contentType, request.headers.get('content-encoding') ?? '')
  )
    throw rejection('UNSUPPORTED_MEDIA_TYPE')
  const text = textOf(bytes)
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw rejection('VALIDATION_ERROR', 'The request body is not valid JSON.')
  }
}

const checkLimit = ({ allowed, retryAfterSeconds }: Verdict): void => {
  if (!allowed) reject('RATE_LIMIT_EXCEEDED', retryAfterSeconds)
}

/** Returns a field of the input, if it is a text. */
function textField(input: object, name: string): string | undefined {
  const value = (input as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : undefined
}

/**
 * Refuses a caller who is not a member of the organization. @throws Rejection FORBIDDEN; NOT_FOUND,
 * the same as for an organization that does not exist
 */
async function checkOrganization(
  c: RouteContext,
  { namesOrganization }: Policy,
  organizationId: string,
  caller: Caller | undefined,
): Promise<void> {
  // Without namesOrganization and a session no membership can be checked, so the handler must not
  // see the organization.
  if (!namesOrganization || caller === undefined) reject('FORBIDDEN')
  const member = await c.var.services.db.selectFrom('auth.members').select('id')
    .where('organizationId', '=', organizationId).where('userId', '=', caller.user.id)
    .executeTakeFirst()
  if (member === undefined) reject('NOT_FOUND')
}

/**
 * Runs the handler if the policy allows the request.
 * @param onQueryError receives each failed query of better-auth
 * @throws Rejection
 */
async function enforce(
  c: RouteContext,
  row: Route,
  input: object,
  onQueryError: (error: unknown) => void,
  handle: () => unknown,
): Promise<unknown> {
  const { limits, identity, inTransaction } = c.var.services
  const { client } = c.var
  const policy = policyOf(row)
  const field = (name: string) => textField(input, name)
  checkLimit(
    await limits.consumeForAddress(row.path, client, policy.limits.address ?? otherAddressLimit),
  )
  let request: CurrentRequest = {
    policy,
    client,
    caller: undefined,
    onQueryError,
    onCorrectPassword: () => Promise.resolve(),
  }
  identity.readCredentials(c, row)
  if (policy.credentials.length > 0 && c.var.apiKey === undefined && c.var.token === undefined) {
    const caller = await currentRequest.run(request, () => identity.readSession(c)) ??
      reject('UNAUTHORIZED')
    c.set('caller', caller)
    request = { ...request, caller }
  }
  const { caller } = request
  const organizationId = field('organizationId')
  if (organizationId !== undefined) await checkOrganization(c, policy, organizationId, caller)
  const names = { caller: caller?.user.id, email: field('email') }
  for (const rule of policy.limits.accounts ?? []) {
    const name = rule.by === 'caller and email'
      ? `${names.caller} ${names.email}`
      : names[rule.by] ?? reject('VALIDATION_ERROR')
    checkLimit(await limits.consumeForAccount(row.path, name, rule))
  }
  if (policy.guessesPassword && (field('password') ?? field('currentPassword')) !== undefined) {
    const email = caller?.user.email ?? field('email') ?? reject('VALIDATION_ERROR')
    request = { ...request, onCorrectPassword: await identity.countGuess(email) }
  }
  // This check precedes the hash, so that a refused sign-up costs none and the response does not
  // show whether the account exists.
  if (policy.startsSession === 'sign-up') {
    const problem = await identity.signUpProblem(field('email') ?? '')
    if (problem !== undefined) reject(problem)
  }
  const leaveQueue = policy.hashesPassword
    ? await identity.enterHashingQueue(clientNetwork(client.address))
    : undefined
  try {
    return await currentRequest.run(
      request,
      async () => await (policy.isAtomic ? inTransaction(async () => await handle()) : handle()),
    )
  } finally {
    leaveQueue?.()
  }
}

function errorOf(c: RouteContext, row: Route, error: unknown): Response {
  const code = codeOfDatabase(error)
  // The account was deleted during a sign-in. The next attempt finds no account.
  if (code === 'UNAUTHORIZED' && policyOf(row).credentials.length === 0)
    return errorResponse('SERVICE_BUSY', undefined, 1)
  if (code !== undefined) return errorResponse(code)
  if (isRejection(error)) return errorResponse(error.code, error.message, error.retryAfterSeconds)
  c.var.services.log.error(
    { id: c.var.requestId, route: row.path, error: describeError(error) },
    'request failed',
  )
  return unexpectedErrorResponse(error)
}

/**
 * Reads the query and the path. A repeated parameter is a list, so that its schema refuses it
 * instead of taking the first value in silence.
 */
const readQuery = (c: RouteContext): Record<string, unknown> => ({
  ...Object.fromEntries(
    Object.entries(c.req.queries()).map((
      [name, values],
    ) => [name, values.length === 1 ? values[0] : values]),
  ),
  ...c.req.param() as Record<string, string>,
})

/** @throws Rejection if the input does not match the schema */
export async function serveRoute(c: RouteContext, row: Route): Promise<Response> {
  const parsed = row.input.safeParse(
    row.method === 'GET' || row.isFile === true ? readQuery(c) : await readJson(c.req.raw),
  )
  if (!parsed.success) {
    const { code, message } = problemOf(parsed.error)
    throw rejection(code, message)
  }
  // Programs that check the links of a mail send HEAD, and must not use a link up.
  if (c.req.method === 'HEAD' && row.page !== undefined) return new Response(null)
  c.set('cookies', [])
  const { identity } = c.var.services
  let queryError: unknown
  const onQueryError = (error: unknown) => {
    queryError ??= error
  }
  let response: Response
  try {
    const body = await enforce(
      c,
      row,
      parsed.data as object,
      onQueryError,
      () => row.handle(c, parsed.data as never),
    )
    // Otherwise a session that could not be read would look like none.
    if (queryError !== undefined && isRead(row)) throw queryError
    response = body instanceof Response
      ? body
      : Response.json(body, row.headers === undefined ? {} : { headers: row.headers })
  } catch (error) {
    // better-auth reports some failed queries as a missing row, so the query's error takes
    // precedence
    response = errorOf(c, row, queryError ?? error)
    // A session that was not stored must not replace the client's own.
    if (response.status >= 500) c.set('cookies', [])
  }
  if (row.page !== undefined) {
    if (acceptsHtml(c.req.raw)) response = await identity.pageOf(c, response, row.page)
    response.headers.append('vary', 'accept')
  }
  identity.sendCookies(c, response.headers)
  return response
}

/** Errors of the edge itself on the data surface, in PostgREST's format. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { policyOfData } from '../common/http-server.ts'
import { requestIdHeader } from '../common/request-id.ts'

/** Status, message and hint of each code. */
export const rejections = {
  BAD_GATEWAY: [502, 'The data surface is not responding.'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side.'],
  INVALID_ENCODING: [400, 'The URL, a header field or a CSV body is not UTF-8.'],
  LIMIT_NOT_SUPPORTED: [
    400,
    'Changes and deletions do not support limit and offset, and function calls do not support limit=0. Select the rows with a filter, such as id=in.(…).',
  ],
  ORDER_NOT_SUPPORTED: [
    400,
    'Rows that are changed or deleted cannot be ordered by a related table.',
  ],
  PAYLOAD_TOO_LARGE: [413, 'The request body is too large.'],
  QUERY_TOO_COMPLEX: [
    400,
    'The query has too many parameters, columns, embedded tables or conditions.',
  ],
  SERVICE_BUSY: [503, 'The data surface is overloaded. Try again in a moment.'],
  UNSUPPORTED_MEDIA_TYPE: [
    415,
    'The body must be JSON or CSV in UTF-8, without a Content-Encoding.',
  ],
  URI_TOO_LONG: [414, 'The URL is too long.'],
  // codes of PostgREST and of PostgreSQL for the same mistakes
  '53400': [
    429,
    'too many requests at once',
    'Wait for the responses to earlier requests, then try again.',
  ],
  PGRST301: [
    401,
    'An API key is not a token.',
    'Send the key as the bearer token to POST /api/auth/token, and use the returned token here.',
  ],
  PGRST117: [
    405,
    'Unsupported HTTP method',
    'This path supports only the methods in Allow. Tables are at /{table}, functions at /rpc/{function}.',
  ],
  PGRST125: [
    404,
    'No table or function has this path.',
    'Tables are at /{table}, functions at /rpc/{function}. The row with an id is /{table}?id=eq.{id}.',
  ],
  PGRST100: [
    400,
    'a column cannot be cast to this type',
    'Cast to text, integer, numeric, date, timestamptz, boolean, json or another plain type.',
  ],
  PGRST103: [
    416,
    'Requested range not satisfiable',
    'limit and offset must be whole numbers, such as limit=50.',
  ],
  PGRST123: [
    400,
    'Use of aggregate functions is not allowed',
    'Count rows with HEAD and Prefer: count=exact. To count the related rows of each row, embed their ids, such as line_items(id), and count the list.',
  ],
  '22P02': [
    400,
    'invalid input syntax for type numeric',
    'Use a decimal point and no thousands separator, such as 1234.50.',
  ],
  '42703': [
    400,
    'a column does not exist',
    "Use a column of the table or of the function's result.",
  ],
  '42704': [
    400,
    'text search configuration does not exist',
    'Use a configuration such as english, or omit it.',
  ],
} as const satisfies Record<string, readonly [status: number, message: string, hint?: string]>

export type RejectionCode = keyof typeof rejections

/**
 * Headers of each response of the edge itself. No browser may keep it, guess its type, or run a
 * script of it.
 */
export const headersOfEdge = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': policyOfData,
} as const

/** Headers of every response of the data surface. Its rows are for one user. */
export const headersOfData = { ...headersOfEdge, 'cache-control': 'private, no-store' } as const

/**
 * Limits for discarding the body of a refused request, in bytes and milliseconds. Then the
 * connection is closed.
 */
const discardedBytes = 16 * 1024 * 1024
const discardedMs = 5_000

/**
 * Discards the rest of a body, so that a client that still sends receives the response and no
 * broken pipe.
 */
async function discardBody(incoming: IncomingMessage): Promise<void> {
  let size = 0
  for await (
    const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  ) {
    size += chunk.length
    if (size > discardedBytes) return
  }
}

/**
 * Ends a response, and after it discards the rest of the request's body or closes the connection.
 * The response must be complete first: a proxy in front of the edge drops an incomplete one when
 * the client stops sending its body.
 */
export async function endAnswer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  outgoing.end()
  if (incoming.complete) return
  const timer = new AbortController()
  await Promise.race([
    discardBody(incoming).catch(() => undefined),
    sleep(discardedMs, undefined, { signal: timer.signal }).catch(() => undefined),
  ])
  timer.abort()
  if (!incoming.complete) incoming.socket.destroySoon()
}

/**
 * Sends an error as JSON at once, and discards the rest of the request's body. Does nothing if the
 * client has disconnected.
 */
export async function sendError(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  error: object,
): Promise<void> {
  if (outgoing.destroyed) return
  const body = JSON.stringify(error)
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  outgoing.write(body)
  await endAnswer(incoming, outgoing)
}

/** The parts of a refusal that replace the default of the code, or add to it. */
export type Specifics = {
  message?: string | undefined
  hint?: string | undefined
  headers?: OutgoingHttpHeaders
}

/** Refuses a request to the data surface. */
export async function reject(
  { incoming, outgoing, id }: { incoming: IncomingMessage, outgoing: ServerResponse, id: string },
  code: RejectionCode,
  specifics: Specifics = {},
): Promise<void> {
  const [status, message, hint = null] = rejections[code]
  await sendError(incoming, outgoing, status, {
    'content-type': 'application/json; charset=utf-8',
    // the same CORS headers as PostgREST's
    ...(incoming.headers.origin !== undefined &&
      {
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'Retry-After, X-Request-Id',
      }),
    [requestIdHeader]: id,
    ...headersOfData,
    ...(code === 'SERVICE_BUSY' && { 'retry-after': '5' }),
    ...(code === '53400' && { 'retry-after': '1' }),
    ...(status === 401 && { 'www-authenticate': 'Bearer error="invalid_token"' }),
    ...specifics.headers,
  }, { code, message: specifics.message ?? message, details: null, hint: specifics.hint ?? hint })
}

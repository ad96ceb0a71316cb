/**
 * The data surface at the edge: checks the limits of a request before PostgREST receives a byte of
 * it, translates its headers, lets it wait for its caller's share of the connections, and forwards
 * it. Reads go to hot standbys first, if there are any.
 */
import { isUtf8 } from 'node:buffer'
import { clientNetwork } from '../common/client-address.ts'
import { hasBody, isOtherEncoding } from '../common/http-server.ts'
import { requestIdHeader } from '../common/request-id.ts'
import { requestLimits, isForm, type RequestLimits } from './request-limits.ts'
import { readWhole, replaceMark } from './bodies.ts'
import type { ReadCaller } from './callers.ts'
import type { ConnectionShares } from './connection-shares.ts'
import { isPath, isRoot, isWrite, methodsOf, rootMethods } from './data-paths.ts'
import {
  change,
  onUpstream,
  orReject,
  read,
  repeatedRead,
  whenAdmitted,
  type Outcome,
} from './forward.ts'
import { listOf, pageHeader, withoutTenant, type List } from './lists.ts'
import { isText, checkQuery } from './query.ts'
import {
  headersOfData,
  reject as sendRejection,
  type RejectionCode,
  type Specifics,
} from './reject.ts'
import {
  forwardedHeaders,
  isForClient,
  isRead,
  withWholeBody,
  type EdgeRequest,
  type Forwarded,
} from './request.ts'
import {
  asksInterfaceObject,
  hasApiKeyForToken,
  hasOtherScheme,
  headersForPostgrest,
  markReplacement,
  rewriteError,
  namedCode,
  typeForInterface,
} from './translation.ts'
import type { Upstream, Upstreams } from './upstreams.ts'

export type DataSurface = {
  postgrest: Upstreams
  /** PostgREST processes on hot standbys, which answer reads. */
  standbys?: Upstreams | undefined
  readCaller: ReadCaller
  shares: ConnectionShares
  /** Maximum body of a write with a token, in bytes. */
  bodyLimit: number
  /** Time to wait for a PostgREST that restarts, in milliseconds. */
  timeoutMs?: number
  /** Called for each refusal of the edge itself. */
  onRejection?: (code: RejectionCode) => void
  /** Called with an exception of the edge itself. PostgREST receives nothing of that request. */
  onError?: (error: unknown) => void
}

/** A request to the data surface. `prefix` is the part of its path that the edge removes. */
export type DataRequest = EdgeRequest & {
  prefix: string
  path: string
  traceparent?: string | undefined
}

/**
 * Returns a header of PostgREST's response for the client: a path in it gets the prefix that the
 * client knows.
 */
function headerValue(name: string, value: string, prefix: string): string {
  if (name === 'location' || name === 'content-location') return value.replace(/^\//, `${prefix}/`)
  if (name === 'access-control-expose-headers')
    return `${value}, X-Change-Id, X-Left-Out, X-Request-Id`
  return name === 'proxy-status' ? namedCode(value) : value
}

/** Returns the function that makes a response's headers for the client of this request. */
function answerHeaders(
  { id, incoming, prefix, path }: DataRequest,
  namesTenant: boolean,
): Forwarded['answerHeaders'] {
  const wantsObject = asksInterfaceObject(incoming.headers.accept)
  return (received, status) => {
    const headers = [requestIdHeader, id]
    // PostgREST answers 405 also to a PUT without the id of a row, which is not among the methods
    // then
    if (status === 405)
      headers.push(
        'allow',
        methodsOf(path).filter((method) => method !== incoming.method).join(', '),
      )
    const names = new Set<string>()
    for (let at = 0; at < received.length; at += 2) {
      const name = received[at] ?? ''
      const value = received[at + 1] ?? ''
      const lower = name.toLowerCase()
      // An error of PostgREST may have two Content-Type headers. The first is correct.
      const isSecondType = lower === 'content-type' && names.has(lower)
      names.add(lower)
      if (!isForClient(lower) || (isSecondType && wantsObject)) continue
      const sent = namesTenant && lower === 'content-location' ? withoutTenant(value) : value
      headers.push(
        name,
        lower === 'content-type' && wantsObject
          ? typeForInterface(value)
          : headerValue(lower, sent, prefix),
      )
    }
    for (const [name, value] of Object.entries(headersOfData))
      if (!names.has(name)) headers.push(name, value)
    return headers
  }
}

/**
 * Returns true if the client receives a standby's response. After an error the primary answers,
 * because a standby may lag behind.
 */
const isFinal = (status: number) => status < 400

/** Codes of the data surface for each way in which forwarding fails. */
const failures = {
  unavailable: 'SERVICE_BUSY',
  interrupted: 'SERVICE_BUSY',
  rejected: 'BAD_GATEWAY',
  'not-admitted': '53400',
  'too-large': 'PAYLOAD_TOO_LARGE',
  'not-text': 'INVALID_ENCODING',
  cut: 'BAD_GATEWAY',
} as const

/** The message for a write whose response was lost. */
const unknownOutcome =
  'The response was lost, so the changes may or may not have been saved. Read the rows before you retry.'

/**
 * Reads the body of a request into memory, so that the request waits for a connection only when its
 * body is there.
 */
async function withBody(forwarded: Forwarded): Promise<Forwarded | 'too-large' | 'not-text'> {
  const { incoming, bodyLimit, markReplacement: replacement } = forwarded
  const received = await readWhole(incoming, bodyLimit)
  if (received === undefined) return 'too-large'
  if (replacement === '' && !isUtf8(received)) return 'not-text'
  const body = replacement === undefined ? received : replaceMark(received, replacement)
  return withWholeBody(forwarded, body)
}

type Reject = (code: RejectionCode, specifics?: Specifics) => Promise<void>

type PostgrestHeaders = ReturnType<typeof headersForPostgrest>

const lengthOf = ({ 'content-length': length }: PostgrestHeaders): number | undefined =>
  length === undefined ? undefined : Number(length)

/** The code of a refusal, with its message and headers. */
type Refusal = [code: RejectionCode, specifics?: Specifics]

/** Checks a request against its limits. @returns undefined if PostgREST may receive it */
function refusalOf(
  { incoming, path }: DataRequest,
  headers: PostgrestHeaders,
  allowed: RequestLimits,
): Refusal | undefined {
  const method = incoming.method ?? ''
  if (Buffer.byteLength(incoming.url ?? '', 'latin1') > allowed.urlBytes)
    return ['URI_TOO_LONG']
  // PostgREST passes every header to the database as text
  if (!isText(incoming.rawHeaders.join('\n'))) return ['INVALID_ENCODING']
  if (hasApiKeyForToken(incoming.headers)) return ['PGRST301']
  const rejection = checkQuery(method, incoming.url ?? '')
  if (rejection !== undefined) return [rejection.code, { message: rejection.message }]
  if ((lengthOf(headers) ?? 0) > allowed.bodyBytes) return ['PAYLOAD_TOO_LARGE']
  if (hasOtherScheme(headers))
    return ['PGRST301', {
      message: 'Authorization has no bearer token.',
      hint: 'Send it as Authorization: Bearer {token}.',
    }]
  // PostgREST 12 would return an empty object to these two
  if (method !== 'OPTIONS' && !isPath.test(path)) return ['PGRST125']
  if (isRoot(path) && !rootMethods.includes(method))
    return ['PGRST117', {
      message: `Unsupported HTTP method: ${method}`,
      headers: { allow: rootMethods.join(', ') },
    }]
  // PostgREST ignores the encoding
  const isUnsupported = isForm(headers['content-type']) ||
    isOtherEncoding(headers['content-type'], headers['content-encoding'])
  if (hasBody(incoming) && isUnsupported) return ['UNSUPPORTED_MEDIA_TYPE']
  return undefined
}

/** Returns a request as PostgREST receives it. @param admit waits for the caller's share */
function forwardedTo(
  request: DataRequest,
  headers: PostgrestHeaders,
  list: List,
  allowed: RequestLimits,
  admit: Forwarded['admit'],
): Forwarded {
  const { id, incoming, traceparent } = request
  return {
    ...request,
    path: list.path,
    // the only header that PostgREST writes into its log is the user agent
    headers: {
      ...forwardedHeaders(request, headers, traceparent),
      'user-agent': `${headers['user-agent'] ?? ''} request-id/${id}`.trimStart(),
      ...(list.page !== undefined && { [pageHeader]: list.page }),
    },
    bodyLimit: allowed.bodyBytes,
    markReplacement: hasBody(incoming) ? markReplacement(headers['content-type']) : undefined,
    admit,
    answerHeaders: answerHeaders(request, list.path !== request.path),
    rewrite: (status, body) => rewriteError(status, body, isRead(incoming)),
  }
}

/** Reads from a standby that is ready. @returns undefined if the primary must answer */
async function readFromStandby(
  standbys: Upstreams | undefined,
  forwarded: Forwarded,
): Promise<Outcome | undefined> {
  if (
    standbys === undefined || /no-cache/i.test(forwarded.incoming.headers['cache-control'] ?? '')
  ) return undefined
  const standby = await standbys.next(0, 'active', undefined, () => false)
  if (standby === undefined) return undefined
  standby.active += 1
  try {
    return await whenAdmitted(
      standby,
      forwarded,
      async (onResponse) =>
        await read(standby, forwarded, onResponse, isFinal) ? 'answered' : undefined,
    )
  } catch (error) {
    if (forwarded.outgoing.headersSent || forwarded.outgoing.destroyed) throw error
    return undefined
  } finally {
    standby.active -= 1
  }
}

/** Returns an attempt that waits for a heavy slot of the upstream. */
const sendHeavy = (forwarded: Forwarded) => async (upstream: Upstream): Promise<Outcome> => {
  const leave = await upstream.heavy.enter(clientNetwork(forwarded.client))
  if (leave === undefined) return 'unavailable'
  try {
    return await change(upstream, forwarded, leave)
  } finally {
    leave()
  }
}

/** Sends an accepted request to an upstream. */
async function send(
  { postgrest, standbys, timeoutMs = 2_000 }: DataSurface,
  streamed: Forwarded,
  { isStreamed, isHeavy }: RequestLimits,
): Promise<Outcome> {
  const { incoming, outgoing } = streamed
  if (isRead(incoming))
    return await readFromStandby(standbys, streamed) ??
      await onUpstream(postgrest, timeoutMs, outgoing, repeatedRead(streamed))
  const forwarded = hasBody(incoming) && !isStreamed
    ? await withBody(streamed)
    : streamed
  if (typeof forwarded === 'string') return forwarded
  if (isHeavy)
    return onUpstream(postgrest, timeoutMs, outgoing, sendHeavy(forwarded), 'heavyActive')
  return onUpstream(postgrest, timeoutMs, outgoing, (upstream) => change(upstream, forwarded))
}

/** Serves one request. @param reject sends an error of the edge */
async function serve(surface: DataSurface, request: DataRequest, reject: Reject): Promise<void> {
  const { incoming, outgoing, prefix, path } = request
  const { readCaller, shares, bodyLimit } = surface
  const headers = headersForPostgrest(incoming.headers, prefix)
  const method = incoming.method ?? ''
  const allowed = requestLimits({
    method,
    authorization: headers.authorization,
    contentType: headers['content-type'],
    contentLength: lengthOf(headers),
    isChunked: incoming.headers['transfer-encoding'] !== undefined,
  }, bodyLimit)
  const refusal = refusalOf(request, headers, allowed)
  if (refusal !== undefined) return reject(...refusal)

  const caller = await readCaller(headers.authorization)
  const list = listOf(method, path, incoming.headers.prefer?.toString(), caller?.visible)
  const share = shares.shareOf(caller, clientNetwork(request.client), isWrite(method, path))
  // PostgREST answers OPTIONS without a connection
  const admit = method === 'OPTIONS'
    ? undefined
    : (upstream: Upstream) => shares.enter(upstream, share, outgoing)
  const streamed = forwardedTo(request, headers, list, allowed, admit)
  const isLost = (failure: keyof typeof failures) =>
    ['interrupted', 'cut'].includes(failure) && !isRead(incoming)
  return orReject(
    outgoing,
    send(surface, streamed, allowed),
    (failure) =>
      reject(failures[failure], { message: isLost(failure) ? unknownOutcome : undefined }),
  )
}

/** Returns a function that answers one request to the data surface. It never rejects. */
export function dataSurface(surface: DataSurface): (request: DataRequest) => Promise<void> {
  const { onRejection, onError } = surface
  return async (request) => {
    const { outgoing } = request
    const reject: Reject = async (code, specifics) => {
      // the client has left
      if (outgoing.destroyed) return
      onRejection?.(code)
      return sendRejection(request, code, specifics)
    }
    try {
      await serve(surface, request, reject)
    } catch (error) {
      onError?.(error)
      if (outgoing.headersSent) outgoing.destroy()
      else await reject('INTERNAL_ERROR')
    }
  }
}

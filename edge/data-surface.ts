/**
 * The data surface at the edge: checks the limits of a request before PostgREST receives a byte of it, translates its headers and
 * forwards it. Reads go to hot standbys first, if there are any.
 */
import { clientNetwork } from '../common/client-address.ts'
import { hasBody } from '../common/http-server.ts'
import { requestIdHeader } from '../common/request-id.ts'
import { allowance, isMisread } from './allowance.ts'
import {
  change,
  forwardedHeaders,
  isForClient,
  isRead,
  onUpstream,
  orRefuse,
  read,
  repeatedRead,
  type EdgeRequest,
  type Forwarded,
  type Outcome,
} from './forward.ts'
import { isText, judge } from './query.ts'
import { headersOfData, refuse as sendRefusal, type RefusalCode } from './refuse.ts'
import {
  asksInterfaceObject,
  hasApiKeyForToken,
  hasOtherScheme,
  headersForPostgrest,
  markReplacement,
  mendError,
  namedCode,
  typeForInterface,
} from './translation.ts'
import type { Upstream, Upstreams } from './upstreams.ts'

export type DataSurface = {
  postgrest: Upstreams
  /** PostgREST processes on hot standbys, which answer reads. */
  standbys?: Upstreams | undefined
  /** Maximum body of a write with a token, in bytes. */
  bodyLimit: number
  /** Time to wait for a PostgREST that restarts, in milliseconds. */
  timeoutMs?: number
  /** Called for each refusal of the edge itself. */
  onRefusal?: (code: RefusalCode) => void
  /** Called with an exception of the edge itself. PostgREST receives nothing of that request. */
  onError?: (error: unknown) => void
}

/** A request to the data surface. `prefix` is the part of its path that the edge removes. */
export type DataRequest = EdgeRequest & { prefix: string, path: string, traceparent?: string | undefined }

/** Returns a header of PostgREST's response for the client: a path in it gets the prefix that the client knows. */
function headerValue(name: string, value: string, prefix: string): string {
  if (name === 'location' || name === 'content-location') return value.replace(/^\//, `${prefix}/`)
  if (name === 'access-control-expose-headers') return `${value}, X-Change-Id, X-Left-Out, X-Request-Id`
  return name === 'proxy-status' ? namedCode(value) : value
}

/** Returns the function that makes a response's headers for the client of this request. */
function answerHeaders({ id, incoming, prefix }: DataRequest): Forwarded['answerHeaders'] {
  const wantsObject = asksInterfaceObject(incoming.headers.accept)
  return (received) => {
    const headers = [requestIdHeader, id]
    const names = new Set<string>()
    for (let at = 0; at < received.length; at += 2) {
      const name = received[at] ?? ''
      const value = received[at + 1] ?? ''
      const lower = name.toLowerCase()
      // An error of PostgREST may have two Content-Type headers. The first is correct.
      const isSecondType = lower === 'content-type' && names.has(lower)
      names.add(lower)
      if (!isForClient(lower) || (isSecondType && wantsObject)) continue
      headers.push(name, lower === 'content-type' && wantsObject ? typeForInterface(value) : headerValue(lower, value, prefix))
    }
    for (const [name, value] of Object.entries(headersOfData)) if (!names.has(name)) headers.push(name, value)
    return headers
  }
}

/** Returns true if the client receives a standby's response. After an error the primary answers, because a standby may lag behind. */
const isFinal = (status: number) => status < 400 || status === 429

/** The paths of PostgREST: of a table, of a function, and of its description. */
const isPath = /^\/(?:(?:rpc\/)?[^/?]+)?(?:\?|$)/

/** Codes of the data surface for each way in which forwarding fails. */
const failures = {
  unavailable: 'SERVICE_BUSY',
  interrupted: 'SERVICE_BUSY',
  refused: 'BAD_GATEWAY',
  'too-large': 'PAYLOAD_TOO_LARGE',
  'not-text': 'INVALID_ENCODING',
  cut: 'BAD_GATEWAY',
} as const

/** The message for a write whose response was lost. */
const unknownOutcome = 'The response was lost, so the request may be stored or not. Read the rows before you send it again.'

type Refuse = (code: RefusalCode, message?: string, hint?: string) => Promise<void>

/** Returns a function that answers one request to the data surface. It never rejects. */
export function dataSurface({ postgrest, standbys, bodyLimit, timeoutMs = 2_000, onRefusal, onError }: DataSurface): (request: DataRequest) => Promise<void> {
  /** Reads from a standby that is ready. @returns undefined if the primary must answer */
  const readFromStandby = async (forwarded: Forwarded): Promise<Outcome | undefined> => {
    if (standbys === undefined || /no-cache/i.test(forwarded.incoming.headers['cache-control'] ?? '')) return undefined
    const standby = await standbys.next(0, 'active', undefined, () => false)
    if (standby === undefined) return undefined
    standby.active += 1
    try {
      return await read(standby, forwarded, isFinal) ? 'answered' : undefined
    } catch (error) {
      if (forwarded.outgoing.headersSent || forwarded.outgoing.destroyed) throw error
      return undefined
    } finally {
      standby.active -= 1
    }
  }
  const sendHeavy = (forwarded: Forwarded) => async (upstream: Upstream): Promise<Outcome> => {
    const leave = await upstream.heavy.enter(clientNetwork(forwarded.client))
    if (leave === undefined) return 'unavailable'
    try {
      return await change(upstream, forwarded, leave, true)
    } finally {
      leave()
    }
  }

  const serve = async (request: DataRequest, refuse: Refuse): Promise<void> => {
    const { id, incoming, outgoing, prefix, path, traceparent } = request
    const headers = headersForPostgrest(incoming.headers, prefix)
    const contentLength = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
    const method = incoming.method ?? ''
    const allowed = allowance({
      method,
      authorization: headers.authorization,
      contentType: headers['content-type'],
      contentLength,
      isChunked: incoming.headers['transfer-encoding'] !== undefined,
    }, bodyLimit)
    if (Buffer.byteLength(incoming.url ?? '', 'latin1') > allowed.urlBytes) return refuse('URI_TOO_LONG')
    // PostgREST passes every header to the database as text
    if (!isText(incoming.rawHeaders.join('\n'))) return refuse('INVALID_ENCODING')
    if (hasApiKeyForToken(incoming.headers)) return refuse('PGRST301')
    const refusal = judge(method, incoming.url ?? '')
    if (refusal !== undefined) return refuse(refusal.code, refusal.message)
    if ((contentLength ?? 0) > allowed.bodyBytes) return refuse('PAYLOAD_TOO_LARGE')
    if (hasOtherScheme(headers)) return refuse('PGRST301', 'Authorization has no bearer token.', 'Send it as Authorization: Bearer {token}.')
    // PostgREST 12 would return an empty object
    if (method !== 'OPTIONS' && !isPath.test(path)) return refuse('PGRST125')
    if (hasBody(incoming) && isMisread(headers['content-type'], headers['content-encoding'])) return refuse('UNSUPPORTED_MEDIA_TYPE')

    const replacement = hasBody(incoming) ? markReplacement(headers['content-type']) : undefined
    if (replacement === '') delete headers['content-length']
    const forwarded: Forwarded = {
      ...request,
      path,
      markReplacement: replacement,
      // the only header that PostgREST writes into its log is the user agent
      headers: {
        ...forwardedHeaders(request, headers, traceparent),
        ...(replacement === '' && { 'transfer-encoding': 'chunked' }),
        'user-agent': `${headers['user-agent'] ?? ''} request-id/${id}`.trimStart(),
      },
      bodyLimit: allowed.bodyBytes,
      answerHeaders: answerHeaders(request),
      mend: (status, body) => mendError(status, body, isRead(incoming)),
    }
    const send = async (): Promise<Outcome> => {
      if (isRead(incoming)) return await readFromStandby(forwarded) ?? await onUpstream(postgrest, timeoutMs, outgoing, repeatedRead(forwarded))
      if (allowed.isHeavy) return onUpstream(postgrest, timeoutMs, outgoing, sendHeavy(forwarded), 'heavyActive')
      return onUpstream(postgrest, timeoutMs, outgoing, (upstream) => change(upstream, forwarded))
    }
    const isLost = (failure: keyof typeof failures) => ['interrupted', 'cut'].includes(failure) && !isRead(incoming)
    return orRefuse(outgoing, send(), (failure) => refuse(failures[failure], isLost(failure) ? unknownOutcome : undefined))
  }

  return async (request) => {
    const { id, incoming, outgoing } = request
    const refuse: Refuse = (code, message, hint) => {
      onRefusal?.(code)
      return sendRefusal(incoming, outgoing, code, id, message, hint)
    }
    try {
      await serve(request, refuse)
    } catch (error) {
      onError?.(error)
      if (outgoing.headersSent) outgoing.destroy()
      else await refuse('INTERNAL_ERROR')
    }
  }
}

/** The auth surface for an edge that runs as a separate process. */
import type { OutgoingHttpHeaders } from 'node:http'
import type { JSONWebKeySet } from 'jose'
import { basePath, isFileUrl, isRealtimeUrl, maxBodyBytes, streamPath } from '../common/contract.ts'
import { errorCodes, type ErrorCode, type WireError } from '../common/error-codes.ts'
import { clientNetwork } from '../common/client-address.ts'
import { endConnection, hasBody, maxRequestConnections } from '../common/http-server.ts'
import { requestIdHeader } from '../common/request-id.ts'
import { sharedSlots } from '../common/shared-slots.ts'
import { readWhole } from './bodies.ts'
import { change, onUpstream, orReject, repeatedRead } from './forward.ts'
import { endAnswer, headersOfEdge, sendError } from './reject.ts'
import {
  forwardedHeaders,
  isForClient,
  isRead,
  withWholeBody,
  type EdgeRequest,
  type Forwarded,
} from './request.ts'
import type { Upstream, Upstreams } from './upstreams.ts'

/**
 * Time to wait for an auth service, in milliseconds: `docker compose up` stops the old one before
 * it migrates and starts the new one.
 */
const startupMs = 20_000

/**
 * Maximum body that the edge forwards, in bytes. The auth service itself refuses bodies above 64
 * KiB.
 */
const bodyLimit = 16 * 1024 * 1024

/** Maximum size of a file: FILE_MAX_BYTES cannot be larger. */
const fileLimit = 100 * 1024 * 1024

/**
 * Maximum transfers of files through an edge, half of them of one client network. Slow ones never
 * keep other requests out, because they have connections of their own.
 */
const maxTransfers = maxRequestConnections / 2

/** Time after which a client may try again, in seconds. */
const retryAfterSeconds: Partial<Record<ErrorCode, number>> = {
  SERVICE_BUSY: 5,
  RATE_LIMIT_EXCEEDED: 30,
}

/**
 * Sends an error in the format of the auth surface. @param specific a message instead of the
 * default one of the code
 */
export async function rejectAuth(
  { id, incoming, outgoing }: EdgeRequest,
  code: ErrorCode,
  specific?: string,
  headers: OutgoingHttpHeaders = {},
): Promise<void> {
  const [status, message] = errorCodes[code]
  const retryAfter = retryAfterSeconds[code]
  await sendError(incoming, outgoing, status, {
    'content-type': 'application/json',
    ...headersOfEdge,
    [requestIdHeader]: id,
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    ...headers,
  }, { error: code, message: specific ?? message } satisfies WireError)
}

/**
 * Answers a request at a path of another backend. Pages of every origin can read the sentence, as
 * they can at that backend.
 */
export async function rejectUnknownPath(request: EdgeRequest, sentence: string): Promise<void> {
  const { id, incoming: { headers, method }, incoming, outgoing } = request
  const cors = headers.origin === undefined ? {} : { 'access-control-allow-origin': '*' }
  if (method !== 'OPTIONS') return rejectAuth(request, 'NOT_FOUND', sentence, cors)
  outgoing.writeHead(204, {
    ...cors,
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    // `*` does not include Authorization
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
    [requestIdHeader]: id,
  })
  return endAnswer(incoming, outgoing)
}

/** Codes of the auth surface for each way in which forwarding fails. */
const failures = {
  unavailable: 'SERVICE_BUSY',
  interrupted: 'SERVICE_BUSY',
  rejected: 'SERVICE_BUSY',
  'too-large': 'PAYLOAD_TOO_LARGE',
  'not-admitted': 'SERVICE_BUSY',
  'not-text': 'INTERNAL_ERROR',
  cut: 'INTERNAL_ERROR',
} as const

const answerHeaders = (id: string): Forwarded['answerHeaders'] => (received) => {
  const headers = [requestIdHeader, id]
  for (let at = 0; at < received.length; at += 2) {
    const name = received[at] ?? ''
    if (isForClient(name.toLowerCase())) headers.push(name, received[at + 1] ?? '')
  }
  return headers
}

/** Time to wait for the public keys, in milliseconds. Tokens of a new key wait for them. */
const keysMs = 1_000

/** Returns the function that reads the public keys of the auth services. */
export const publicKeysOf = (upstreams: Upstreams) => async (): Promise<JSONWebKeySet> => {
  const upstream = await upstreams.next(0, 'active', undefined, () => false)
  if (upstream === undefined) throw new Error('No auth service is known.')
  const { statusCode, body } = await upstream.pool.request({
    method: 'GET',
    path: `${basePath}/jwks`,
    signal: AbortSignal.timeout(keysMs),
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`An auth service answered ${statusCode}.`)
  return JSON.parse(text) as JSONWebKeySet
}

/**
 * Returns the attempt of a change. A body that the auth service accepts is read first, so that a
 * slow client holds no connection. The service refuses a larger one at once.
 */
async function changeOf(forwarded: Forwarded) {
  const { incoming, isFile } = forwarded
  const body = hasBody(incoming) && isFile !== true
    ? await readWhole(incoming, maxBodyBytes, true)
    : undefined
  const request = body === undefined ? forwarded : withWholeBody(forwarded, body)
  return (upstream: Upstream) => change(upstream, request)
}

/**
 * Returns a function that forwards requests to the auth services. It never rejects.
 * @param maxStreams maximum number of live streams; they have connections of their own, so they
 * never keep other requests out
 * @param realtime the processes of realtime/, if they are others
 */
export function remoteAuth(
  upstreams: Upstreams,
  maxStreams: number,
  realtime = upstreams,
  timeoutMs = startupMs,
) {
  const streams = sharedSlots(maxStreams)
  const transfers = sharedSlots(maxTransfers)
  return async (request: EdgeRequest, traceparent: string | undefined): Promise<void> => {
    const { id, client, incoming, outgoing } = request
    const isStream = incoming.url?.split('?', 1)[0] === `${basePath}${streamPath}`
    const isFile = isFileUrl(incoming.url)
    const slots = isStream ? streams : isFile ? transfers : undefined
    const leave = slots?.take(clientNetwork(client))
    if (slots !== undefined && leave === undefined)
      return rejectAuth(request, 'RATE_LIMIT_EXCEEDED')
    const forwarded: Forwarded = {
      ...request,
      path: incoming.url ?? '/',
      headers: forwardedHeaders(request, incoming.headers, traceparent),
      bodyLimit: isFile ? fileLimit : bodyLimit,
      answerHeaders: answerHeaders(id),
      isStream,
      isFile,
    }
    const forward = async () => {
      const attempt = isRead(incoming) ? repeatedRead(forwarded) : await changeOf(forwarded)
      const to = isRealtimeUrl(incoming.url) ? realtime : upstreams
      return onUpstream(to, timeoutMs, outgoing, attempt)
    }
    try {
      await orReject(
        outgoing,
        forward(),
        async (failure) => {
          // the auth service ends the connection of a file that arrives too slowly
          if (failure === 'cut' && isFile && !incoming.complete)
            endConnection(incoming, outgoing, '408 Request Timeout')
          else await rejectAuth(request, failures[failure])
        },
      )
    } finally {
      leave?.()
    }
  }
}

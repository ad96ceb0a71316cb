/** A request at the edge, as it arrives and as an upstream receives it. No I/O. */
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'
import { defaultHost, hasBody } from '../common/http-server.ts'
import { requestIdHeader } from '../common/request-id.ts'
import type { Upstream } from './upstreams.ts'

/** A request at the edge. */
export type EdgeRequest = {
  id: string
  /** The client's address, which the client cannot choose. */
  client: string
  incoming: IncomingMessage
  outgoing: ServerResponse
}

/**
 * A request with its path and headers for the upstream, and the functions that adapt the response
 * for the client.
 */
export type Forwarded = EdgeRequest & {
  path: string
  headers: OutgoingHttpHeaders
  bodyLimit: number
  /** The whole body, if the surface has read it. Otherwise it is streamed. */
  body?: Buffer | undefined
  /**
   * Waits until the upstream may work on the request. A streamed body goes to the upstream before
   * that, except its end. An admitted request continues until the response begins, also if the
   * client leaves, because the upstream does not stop its work.
   * @returns the function to call when the response begins; undefined if the request is refused
   */
  admit?: ((upstream: Upstream) => Promise<(() => void) | undefined>) | undefined
  /**
   * Whether the response is a live stream. It has a connection of its own, and ends when the edge
   * stops.
   */
  isStream?: boolean
  /**
   * Whether the request sends or reads a file, which may take long. It has a connection of its own.
   */
  isFile?: boolean
  /**
   * The text that replaces a byte order mark at the start of a streamed body. It has the length of
   * the mark.
   */
  markReplacement?: string | undefined
  /**
   * Returns the response headers for the client. @param received alternating names and values, as
   * the upstream sent them
   */
  answerHeaders: (received: readonly string[], status: number) => string[]
  /**
   * Returns a status and a body to send in place of an error of the upstream, or undefined.
   * @throws Interrupted if the surface itself must answer, because the upstream lost its database
   */
  rewrite?: (status: number, body: Buffer) => { status: number, body: Buffer } | undefined
}

/**
 * Headers that belong to a connection (RFC 9110, 7.6.1). `expect` is among them, because the edge
 * answers it.
 */
const ofConnection = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Returns the request headers for an upstream. Node has joined repeated headers (RFC 9110, 5.3). A
 * header that `Connection` names is kept: otherwise a client could have its token dropped after the
 * edge has counted it.
 */
export function forwardedHeaders(
  { id, client, incoming }: EdgeRequest,
  headers: IncomingHttpHeaders,
  traceparent: string | undefined,
): OutgoingHttpHeaders {
  const forwarded: OutgoingHttpHeaders = {}
  for (const name in headers) if (!ofConnection.has(name)) forwarded[name] = headers[name]
  // a request by HTTP/1.0 may have none, and is forwarded by HTTP/1.1
  forwarded['host'] ??= defaultHost.hostname
  forwarded['x-forwarded-for'] = client
  forwarded[requestIdHeader] = id
  if (traceparent !== undefined) forwarded['traceparent'] = traceparent
  if (incoming.headers['transfer-encoding'] !== undefined)
    forwarded['transfer-encoding'] = 'chunked'
  return forwarded
}

/** Returns a request whose body the surface has read. */
export function withWholeBody(forwarded: Forwarded, body: Buffer): Forwarded {
  const { 'transfer-encoding': _, ...headers } = forwarded.headers
  return { ...forwarded, body, headers: { ...headers, 'content-length': body.length } }
}

/**
 * Returns true for a response header that the client receives. The edge sends the request id
 * itself.
 */
export const isForClient = (name: string): boolean =>
  !ofConnection.has(name) && name !== requestIdHeader

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Returns true for a request that may be sent twice. */
export const isRead = (incoming: IncomingMessage): boolean =>
  readMethods.has(incoming.method ?? '') && !hasBody(incoming)

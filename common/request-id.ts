/** The request id. The response carries it, and each service writes it into its log. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isFromTrustedProxy } from './client-address.ts'
import type { AddressRange } from './settings.ts'

export const requestIdHeader = 'x-request-id'

/** A short id without characters that are special in a log. */
const wellFormed = /^[A-Za-z0-9._-]{8,64}$/

/** Ids by request. If the edge and the auth service are one process, both must log the same id. */
const ids = new WeakMap<IncomingMessage, string>()

/**
 * Returns the request's id: the one in its header if it comes from one of these addresses,
 * otherwise a new one. Without this check a client could reuse the id of another user's request,
 * and the log would mix the two.
 * @param senders for the auth service the addresses of the edge, for the edge TRACE_PROXIES
 */
export function requestIdOf(incoming: IncomingMessage, senders: AddressRange[]): string {
  const existing = ids.get(incoming)
  if (existing !== undefined) return existing
  const header = incoming.headers[requestIdHeader]
  const isTrusted = typeof header === 'string' && wellFormed.test(header) &&
    isFromTrustedProxy(incoming.socket.remoteAddress ?? '', senders)
  const id = isTrusted ? header : randomUUID()
  ids.set(incoming, id)
  return id
}

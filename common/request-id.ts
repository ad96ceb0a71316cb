/** One name for a request: in its answer, and in the log of each part that it went through. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isFromTrustedProxy } from './client-address.ts'
import type { AddressRange } from './settings.ts'

export const requestIdHeader = 'x-request-id'

/** A short id without a character that means something to a log. */
const wellFormed = /^[A-Za-z0-9._-]{8,64}$/

/** The edge and the auth service may be one process, and are to say the same. */
const known = new WeakMap<IncomingMessage, string>()

/**
 * The request's id. A trusted proxy gives one; from anybody else it is replaced, because a client could give its request
 * the id of somebody else's, and whoever reads the logs would take the two for one.
 */
export function requestIdOf(incoming: IncomingMessage, trustedProxies: AddressRange[]): string {
  const before = known.get(incoming)
  if (before !== undefined) return before
  const given = incoming.headers[requestIdHeader]
  const isGiven = typeof given === 'string' && wellFormed.test(given) && isFromTrustedProxy(incoming.socket.remoteAddress ?? '', trustedProxies)
  const id = isGiven ? given : randomUUID()
  known.set(incoming, id)
  return id
}

/** Who is asking, in a way that a client cannot choose. */
import ipaddr from 'ipaddr.js'
import type { AddressRange } from './settings.ts'

const parse = (text: string) => (ipaddr.isValid(text) ? ipaddr.process(text) : undefined)

const within = (address: ipaddr.IPv4 | ipaddr.IPv6, ranges: AddressRange[]) =>
  ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))

/** Whether a connection comes from one of these proxies, which then may speak for a client. */
export function isFromTrustedProxy(socketAddress: string, trusted: AddressRange[]): boolean {
  const socket = parse(socketAddress)
  return socket !== undefined && within(socket, trusted)
}

/**
 * The client's address: the socket's, unless the socket is a trusted proxy. Then X-Forwarded-For is read from its right
 * end, because everything left of the first address that is no trusted proxy was written by the client.
 */
export function clientAddress(socketAddress: string, forwardedFor: string | undefined, trusted: AddressRange[]): string {
  const socket = parse(socketAddress)
  if (socket === undefined) return '0.0.0.0'
  if (forwardedFor === undefined || !within(socket, trusted)) return socket.toString()
  let nearest = socket
  for (const hop of forwardedFor.split(',').toReversed()) {
    const address = parse(hop.trim())
    if (address === undefined) break
    nearest = address
    if (!within(address, trusted)) break
  }
  return nearest.toString()
}

/** Whom an address counts as: an IPv6 client may choose any of its /64. What is no address is nobody in particular. */
export function clientNetwork(address: string): string {
  const parsed = parse(address)
  if (parsed === undefined) return ''
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).map((part) => part.toString(16)).join(':') : parsed.toString()
}

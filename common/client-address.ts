/** Who is asking, in a way that a client cannot choose. */
import ipaddr from 'ipaddr.js'
import type { IncomingHttpHeaders } from 'node:http'
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

const isLoopback = (text: string): boolean => parse(text)?.range() === 'loopback'

/** Fields by which a proxy says that it asks for somebody else, or where from: what nginx, Caddy, tunnels and networks for content add. */
const isOfProxy = (name: string): boolean => /^(?:forwarded|via|cdn-loop|x-real-ip|cf-.*|.*client-ip)$/.test(name)

/** What a trusted proxy sends beside X-Forwarded-For. */
const isForwarded = (name: string): boolean => name.startsWith('x-forwarded')

/**
 * Whether the one who asks is a program of this machine. Through a proxy of this machine everybody would look so; such a request
 * is believed only where the proxy is trusted and says that it comes from here.
 */
export function isOnThisMachine(socketAddress: string, headers: IncomingHttpHeaders, trusted: AddressRange[]): boolean {
  const names = Object.keys(headers)
  if (!isLoopback(socketAddress) || names.some(isOfProxy)) return false
  if (!names.some(isForwarded)) return true
  const hops = headers['x-forwarded-for']?.toString().split(',') ?? []
  return isFromTrustedProxy(socketAddress, trusted) && hops.length > 0 && hops.every((hop) => isLoopback(hop.trim()))
}

/** Whom an address counts as: an IPv6 client may choose any of its /64. What is no address is nobody in particular. */
export function clientNetwork(address: string): string {
  const parsed = parse(address)
  if (parsed === undefined) return ''
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).map((part) => part.toString(16)).join(':') : parsed.toString()
}

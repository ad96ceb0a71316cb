/**
 * The address of a client. A client cannot forge it, because only trusted proxies may name another
 * one.
 */
import ipaddr from 'ipaddr.js'
import type { IncomingHttpHeaders } from 'node:http'
import type { Log } from './log.ts'
import type { AddressRange } from './settings.ts'

const parse = (text: string) =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
    ? ipaddr.process(text)
    : undefined

/**
 * Parses one address of X-Forwarded-For. Proxies also write it with a port, a zone, brackets or
 * quotes: `"[2001:db8::1]:443"`.
 */
function parseHop(text: string) {
  const bare = text.replace(/^"(.*)"$/, '$1')
  const [, inBrackets, withPort] = /^\[([^\]]+)\](?::\d{1,5})?$|^([\d.]+):\d{1,5}$/.exec(bare) ?? []
  return parse((inBrackets ?? withPort ?? bare).replace(/%[\w.-]+$/, ''))
}

/**
 * Returns the addresses of X-Forwarded-For as texts, the client's first. An empty text stays: a
 * proxy that does not know the address of its client may write one, and a client may have written
 * everything to the left of it.
 */
const hopsOf = (forwardedFor: string): string[] =>
  forwardedFor.trim() === '' ? [] : forwardedFor.split(',').map((hop) => hop.trim())

const within = (address: ipaddr.IPv4 | ipaddr.IPv6, ranges: AddressRange[]) =>
  ranges.some(([network, bits]) =>
    network.kind() === address.kind() && address.match(network, bits)
  )

/**
 * Whether the connection comes from a trusted proxy, which may name the client that it forwards
 * for.
 */
export function isFromTrustedProxy(socketAddress: string, trusted: AddressRange[]): boolean {
  const socket = parse(socketAddress)
  return socket !== undefined && within(socket, trusted)
}

/**
 * Returns the address of the socket. If that is a trusted proxy, returns the last address in
 * X-Forwarded-For that is not one. The client itself may have written everything to the left of
 * that address.
 * @param onUnreadable called if a trusted proxy names a client in a form that is no address
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  trusted: AddressRange[],
  onUnreadable: () => void = () => undefined,
): string {
  const socket = parse(socketAddress)
  if (socket === undefined) return '0.0.0.0'
  if (forwardedFor === undefined || !within(socket, trusted)) return socket.toString()
  let nearest = socket
  for (const hop of hopsOf(forwardedFor).toReversed()) {
    const address = parseHop(hop)
    if (address === undefined) {
      onUnreadable()
      break
    }
    nearest = address
    if (!within(address, trusted)) break
  }
  return nearest.toString()
}

/** The logs that have the warning. The edge and the auth service may share one. */
const warned = new WeakSet<object>()

/**
 * Returns clientAddress() with a warning, once, about a trusted proxy whose X-Forwarded-For is
 * unreadable. The header itself is not logged.
 */
export function clientReader(
  trusted: AddressRange[],
  log: Pick<Log, 'warn'>,
): (socketAddress: string, forwardedFor: string | undefined) => string {
  return (socketAddress, forwardedFor) =>
    clientAddress(socketAddress, forwardedFor, trusted, () => {
      if (warned.has(log)) return
      warned.add(log)
      log.warn(
        { setting: 'TRUSTED_PROXIES', proxy: socketAddress },
        'this proxy sends an X-Forwarded-For that is no list of addresses, so all its clients share its address and its limits',
      )
    })
}

const isLoopback = (text: string): boolean => parseHop(text)?.range() === 'loopback'

/** Whether nginx, Caddy, a tunnel or a CDN adds this header to a request that it forwards. */
const isProxyHeader = (name: string): boolean =>
  /^(?:forwarded|via|cdn-loop|x-real-ip|cf-.*|.*client-ip)$/.test(name)

/** X-Forwarded-For, and the headers that a trusted proxy sends with it. */
const isForwardedHeader = (name: string): boolean => name.startsWith('x-forwarded')

/**
 * Whether the client runs on this machine. A proxy on this machine makes every client look local. A
 * forwarded request therefore counts as local only if the proxy is trusted and names only loopback
 * addresses.
 */
export function isOnThisMachine(
  socketAddress: string,
  headers: IncomingHttpHeaders,
  trusted: AddressRange[],
): boolean {
  const names = Object.keys(headers)
  if (!isLoopback(socketAddress) || names.some(isProxyHeader)) return false
  if (!names.some(isForwardedHeader)) return true
  const hops = hopsOf(headers['x-forwarded-for']?.toString() ?? '')
  return isFromTrustedProxy(socketAddress, trusted) && hops.length > 0 && hops.every(isLoopback)
}

/**
 * Returns the key that identifies a client in limits: an IPv4 address, or the /64 network of an
 * IPv6 address. An IPv6 client can use every address of its /64. All texts that are no address
 * share the key ''.
 */
export function clientNetwork(address: string): string {
  const parsed = parse(address)
  if (parsed === undefined) return ''
  return parsed instanceof ipaddr.IPv6
    ? parsed.parts.slice(0, 4).map((part) => part.toString(16)).join(':')
    : parsed.toString()
}

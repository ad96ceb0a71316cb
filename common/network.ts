/**
 * The addresses that a request to a URL of a user may connect to. Such a request is sent from
 * inside the operator's network, so it must not reach this machine, its neighbours or the metadata
 * service of a cloud. The check is of the address of each connection and not of the name, because
 * the owner of a name can change its addresses at any time.
 */
import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

export type Network = {
  allows: (address: string) => boolean
  /** Returns the addresses of a name; none if it does not exist. */
  resolve: (hostname: string) => Promise<string[]>
}

/** The code of a request that no allowed address answers. */
export const notAllowed = 'OUTBOUND_NOT_ALLOWED'

/**
 * The IPv6 addresses of the public internet (RFC 4291). Ranges inside of it with another purpose
 * have names in ipaddr.js.
 */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/**
 * Returns true for an address of the public internet. An address of this machine is none: a
 * firewall may close its ports only to others.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false
  // an IPv4 address in the form of IPv6 is the IPv4 address
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast') return false
  if (address.kind() === 'ipv6' && !address.match(globalUnicast)) return false
  const ofThisMachine = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map((one) => ipaddr.process(one.address).toNormalizedString())
  )
  return !ofThisMachine.includes(address.toNormalizedString())
}

/**
 * Asks the name servers. Unlike `dns.lookup` this reads no hosts file, and occupies no thread of
 * Node's pool, which the owner of a name could make wait.
 */
async function resolvePublicName(hostname: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const answers = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ])
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

/** The public internet. */
export const publicNetwork: Network = { allows: isPublicAddress, resolve: resolvePublicName }

const loopback = ['127.0.0.1', '::1']

/**
 * The public internet and the loopback addresses of this machine, but neither its neighbours nor
 * the metadata service of a cloud.
 */
export const localNetwork: Network = {
  allows: (address) =>
    loopback.includes(ipaddr.process(address).toString()) || isPublicAddress(address),
  resolve: async (hostname) => hostname === 'localhost' ? loopback : resolvePublicName(hostname),
}

/** Removes the brackets of an IPv6 address in a URL. */
const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

/**
 * Returns false for a host that is an address outside of the network. A name is checked when it is
 * looked up.
 */
export const isAllowedTarget = ({ allows }: Network, hostname: string): boolean =>
  isIP(bare(hostname)) === 0 || allows(bare(hostname))

/** Returns the addresses of a host that the network allows. */
export async function allowedAddresses(
  { allows, resolve }: Network,
  hostname: string,
): Promise<string[]> {
  const host = bare(hostname)
  return (isIP(host) === 0 ? await resolve(host) : [host]).filter(allows)
}

/**
 * Returns the function by which a connection finds its addresses. It connects to one of these and
 * to no other.
 */
export const lookupIn = (network: Network): LookupFunction => (hostname, options, callback) => {
  const found = (addresses: string[]) => {
    const [first] = addresses
    if (first === undefined)
      callback(
        Object.assign(new Error('the host has no allowed address'), { code: notAllowed }),
        '',
        0,
      )
    else if (options.all === true)
      callback(null, addresses.map((address) => ({ address, family: isIP(address) })))
    else callback(null, first, isIP(first))
  }
  allowedAddresses(network, hostname).then(found, () => found([]))
}

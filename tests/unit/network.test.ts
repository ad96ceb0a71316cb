/** Requests to URLs of users reach only the public internet, whatever their name resolves to. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, test, vi } from 'vitest'
import {
  allowedAddresses,
  isAllowedTarget,
  isPublicAddress,
  publicNetwork,
  type Network,
} from '../../common/network.ts'
import { outboundFetch } from '../../common/outbound.ts'

test.each([
  ['this machine', ['127.0.0.1', '127.1.2.3', '::1', '0.0.0.0', '0.1.2.3', '::']],
  ['private networks', [
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    'fc00::1',
    'fd12:3456::1',
  ]],
  ['the neighbours and the metadata service of a cloud', [
    '169.254.169.254',
    '169.254.170.2',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
  ]],
  ['the network of the provider (CGNAT)', ['100.64.0.1', '100.127.255.255']],
  ['groups and everyone', ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1']],
  ['an IPv4 address in the form of IPv6', [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001::1',
  ]],
  ['reserved and documentation', [
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '240.0.0.1',
    '2001:db8::1',
    '3fff::1',
    '100::1',
    '5f00::1',
    'fec0::1',
    '4000::1',
  ]],
  ['what is no address', ['', 'localhost', '127.0.0.1:80', '1', '0x7f000001', '1.2.3.4.5']],
])('%s is not public', (_, addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([])
})

test('addresses of servers on the internet are public, except those of this machine', () => {
  expect(
    [
      '1.1.1.1',
      '93.184.216.34',
      '100.63.255.255',
      '172.32.0.1',
      '2606:4700::1111',
      '::ffff:1.1.1.1',
    ].filter((address) => !isPublicAddress(address)),
  )
    .toEqual([])
  const ofThisMachine = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => address)
  )
  expect(ofThisMachine).toContain('127.0.0.1')
  expect(ofThisMachine.filter(isPublicAddress)).toEqual([])
})

test.each([
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1/',
  'http://[::1]/',
  'http://[::ffff:7f00:1]/',
  'http://169.254.169.254/latest/',
  'http://⑯⑨.254.169.254/',
])(
  'no request is sent to %s, in any spelling',
  async (url) => {
    expect(isAllowedTarget(publicNetwork, new URL(url).hostname)).toBe(false)
    await expect(outboundFetch(url, { network: publicNetwork })).rejects.toMatchObject({
      code: 'OUTBOUND_NOT_ALLOWED',
    })
  },
)

test('a name is connected at the address that was checked, and its other addresses are left out', async () => {
  const server = createServer((_, response) => response.end('fine')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  // the test's public internet is this machine, and its private network is another address
  const network: Network = {
    allows: (address) => address === '127.0.0.1',
    resolve: () => Promise.resolve(['10.0.0.1', '127.0.0.1']),
  }
  expect(await (await outboundFetch(`http://hooks.example:${port}/`, { network })).text()).toBe(
    'fine',
  )
  expect(await allowedAddresses(network, 'hooks.example')).toEqual(['127.0.0.1'])
  server.close()
})

test('a name that changes its address between two requests is checked at each (DNS rebinding)', async () => {
  const server = createServer((_, response) => response.end('internal')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const resolve = vi.fn<Network['resolve']>().mockResolvedValueOnce(['1.1.1.1']).mockResolvedValue([
    '127.0.0.1',
  ])
  const network = { ...publicNetwork, resolve }
  expect(await allowedAddresses(network, 'rebinding.example')).toEqual(['1.1.1.1'])
  await expect(outboundFetch(`http://rebinding.example:${port}/`, { network })).rejects
    .toMatchObject({ code: 'OUTBOUND_NOT_ALLOWED' })
  expect(resolve).toHaveBeenCalledTimes(2)
  server.close()
})

test('a name without an address, and one that cannot be looked up, fail', async () => {
  for (
    const resolve of [() => Promise.resolve([]), () => Promise.reject(new Error('no name server'))]
  )
    await expect(
      outboundFetch('http://missing.example/', { network: { ...publicNetwork, resolve } }),
    ).rejects.toMatchObject({ code: 'OUTBOUND_NOT_ALLOWED' })
})

import ipaddr from 'ipaddr.js'
import { describe, expect, test } from 'vitest'
import { clientAddress, clientNetwork, isOnThisMachine } from '../../common/client-address.ts'

const trusted = ['10.0.0.0/8', 'fd00::/8'].map((range) => ipaddr.parseCIDR(range))

test.each([
  ['is the socket’s address without a forwarded header', '192.0.2.1', undefined, '192.0.2.1'],
  ['is the socket’s address if that is no trusted proxy, whatever is forwarded', '192.0.2.1', '198.51.100.7', '192.0.2.1'],
  ['is the address that a trusted proxy reports', '10.0.0.1', '198.51.100.7', '198.51.100.7'],
  ['is the nearest address that is no trusted proxy', '10.0.0.1', '203.0.113.9, 198.51.100.7, 10.2.3.4', '198.51.100.7'],
  ['is not an address that the client added in front', '10.0.0.1', '1.1.1.1, 198.51.100.7', '198.51.100.7'],
  ['is the last valid address before an invalid one', '10.0.0.1', '198.51.100.7, nonsense, 10.2.3.4', '10.2.3.4'],
  ['is the proxy’s address if it forwards an invalid one', '10.0.0.1', 'nonsense', '10.0.0.1'],
  ['is an IPv4 address also for an IPv4-mapped socket', '::ffff:10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
  ['is an IPv6 address', 'fd00::1', '2001:db8::1', '2001:db8::1'],
])('the client address %s', (_, socket, forwarded, expected) => {
  expect(clientAddress(socket, forwarded, trusted)).toBe(expected)
})

test.each([
  ['for an IPv4 address is the address', '203.0.113.9', '203.0.113.9'],
  ['for an IPv6 address is its /64', '2001:db8:0:1:aaaa::1', '2001:db8:0:1'],
  ['for another address in the /64 is the same', '2001:db8:0:1::2', '2001:db8:0:1'],
  ['for an IPv4-mapped address is the IPv4 address', '::ffff:203.0.113.9', '203.0.113.9'],
  ['for an invalid address is empty', 'nonsense', ''],
])('the network of a client %s', (_, address, expected) => {
  expect(clientNetwork(address)).toBe(expected)
})

describe('a request comes from this machine:', () => {
  const loopbackProxies = [ipaddr.parseCIDR('127.0.0.0/8')]

  test.each([
    ['a program without a proxy', '127.0.0.1', {}, [], true],
    ['IPv6', '::1', {}, [], true],
    ['IPv4-mapped IPv6', '::ffff:127.0.0.1', {}, [], true],
    ['not from a device in the local network', '192.168.1.7', {}, [], false],
    ['not through an untrusted proxy', '127.0.0.1', { 'x-forwarded-for': '203.0.113.7' }, [], false],
    ['not through an untrusted proxy that names this machine', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, [], false],
    ['not from a client of a trusted proxy', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1, 203.0.113.7' }, loopbackProxies, false],
    ['a browser on this machine behind a trusted proxy', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, loopbackProxies, true],
    ['not if a trusted proxy forwards an invalid address', '127.0.0.1', { 'x-forwarded-for': 'unknown' }, loopbackProxies, false],
    [
      'a browser on this machine behind a trusted proxy with more headers',
      '127.0.0.1',
      { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' },
      loopbackProxies,
      true,
    ],
    ['not if a trusted proxy forwards no address', '127.0.0.1', { 'x-forwarded-proto': 'https' }, loopbackProxies, false],
  ])('%s', (_, socket, headers, proxies, expected) => {
    expect(isOnThisMachine(socket, headers, proxies)).toBe(expected)
  })

  test.each(['forwarded', 'via', 'x-real-ip', 'cf-connecting-ip', 'cf-ray', 'cdn-loop', 'true-client-ip', 'x-client-ip', 'fastly-client-ip'])(
    'not with the header %s, which no trusted proxy adds',
    (name) => {
      expect(isOnThisMachine('127.0.0.1', { 'x-forwarded-for': '127.0.0.1', [name]: '127.0.0.1' }, loopbackProxies)).toBe(false)
    },
  )

  test.each(['x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-server', 'x-forwarded'])(
    'not with the header %s from an untrusted proxy',
    (name) => {
      expect(isOnThisMachine('127.0.0.1', { [name]: 'localhost' }, [])).toBe(false)
    },
  )
})

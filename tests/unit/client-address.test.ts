import ipaddr from 'ipaddr.js'
import { expect, test } from 'vitest'
import { clientAddress, clientNetwork } from '../../infra/shared/client-address.ts'

const trusted = ['10.0.0.0/8', 'fd00::/8'].map((range) => ipaddr.parseCIDR(range))

test.each([
  ['is the socket when nothing is forwarded', '192.0.2.1', undefined, '192.0.2.1'],
  ['is the socket when the socket is no trusted proxy, whatever is forwarded', '192.0.2.1', '198.51.100.7', '192.0.2.1'],
  ['is what a trusted proxy saw', '10.0.0.1', '198.51.100.7', '198.51.100.7'],
  ['is the nearest address that is no trusted proxy', '10.0.0.1', '203.0.113.9, 198.51.100.7, 10.2.3.4', '198.51.100.7'],
  ['is not what the client wrote in front', '10.0.0.1', '1.1.1.1, 198.51.100.7', '198.51.100.7'],
  ['stops at what is no address', '10.0.0.1', '198.51.100.7, nonsense, 10.2.3.4', '10.2.3.4'],
  ['is the proxy itself when it forwards nonsense', '10.0.0.1', 'nonsense', '10.0.0.1'],
  ['is an IPv4 address also when the socket says it as IPv6', '::ffff:10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
  ['is an IPv6 address', 'fd00::1', '2001:db8::1', '2001:db8::1'],
])('the client address %s', (_, socket, forwarded, expected) => {
  expect(clientAddress(socket, forwarded, trusted)).toBe(expected)
})

test.each([
  ['an IPv4 address is itself', '203.0.113.9', '203.0.113.9'],
  ['an IPv6 address is its /64', '2001:db8:0:1:aaaa::1', '2001:db8:0:1'],
  ['another of the same /64 is the same', '2001:db8:0:1::2', '2001:db8:0:1'],
  ['an IPv4 address written as IPv6 is itself', '::ffff:203.0.113.9', '203.0.113.9'],
  ['what is no address is nobody in particular', 'nonsense', ''],
])('as a client %s', (_, address, expected) => {
  expect(clientNetwork(address)).toBe(expected)
})

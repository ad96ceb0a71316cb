import ipaddr from 'ipaddr.js'
import { describe, expect, test } from 'vitest'
import { clientAddress, clientNetwork, isOnThisMachine } from '../../common/client-address.ts'

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

describe('who asks is on this machine', () => {
  const here = [ipaddr.parseCIDR('127.0.0.0/8')]

  test.each([
    ['a program that calls us', '127.0.0.1', {}, [], true],
    ['by IPv6', '::1', {}, [], true],
    ['by IPv4 written as IPv6', '::ffff:127.0.0.1', {}, [], true],
    ['somebody of the network', '192.168.1.7', {}, [], false],
    ['somebody behind a proxy nobody trusts', '127.0.0.1', { 'x-forwarded-for': '203.0.113.7' }, [], false],
    ['or who says so through one', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, [], false],
    ['somebody behind a trusted proxy', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1, 203.0.113.7' }, here, false],
    ['a browser of this machine behind one', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, here, true],
    ['what a trusted proxy cannot name', '127.0.0.1', { 'x-forwarded-for': 'unknown' }, here, false],
    ['a browser of this machine behind one that says more', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' }, here, true],
    ['what a trusted proxy does not name', '127.0.0.1', { 'x-forwarded-proto': 'https' }, here, false],
  ])('%s', (_, socket, headers, proxies, isHere) => {
    expect(isOnThisMachine(socket, headers, proxies)).toBe(isHere)
  })

  test.each(['forwarded', 'via', 'x-real-ip', 'cf-connecting-ip', 'cf-ray', 'cdn-loop', 'true-client-ip', 'x-client-ip', 'fastly-client-ip'])(
    'nobody whose request says %s, which no proxy of ours adds',
    (name) => {
      expect(isOnThisMachine('127.0.0.1', { 'x-forwarded-for': '127.0.0.1', [name]: '127.0.0.1' }, here)).toBe(false)
    },
  )

  test.each(['x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-server', 'x-forwarded'])(
    'nobody whose request says %s, from a proxy nobody trusts',
    (name) => {
      expect(isOnThisMachine('127.0.0.1', { [name]: 'localhost' }, [])).toBe(false)
    },
  )
})

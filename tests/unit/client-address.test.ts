import ipaddr from 'ipaddr.js'
import { describe, expect, test, vi } from 'vitest'
import {
  clientAddress,
  clientNetwork,
  clientReader,
  isOnThisMachine,
} from '../../common/client-address.ts'

const trusted = ['10.0.0.0/8', 'fd00::/8'].map((range) => ipaddr.parseCIDR(range))

test.each([
  ['is the socket’s address without a forwarded header', '192.0.2.1', undefined, '192.0.2.1'],
  [
    'is the socket’s address if that is no trusted proxy, whatever is forwarded',
    '192.0.2.1',
    '198.51.100.7',
    '192.0.2.1',
  ],
  ['is the address that a trusted proxy reports', '10.0.0.1', '198.51.100.7', '198.51.100.7'],
  [
    'is the nearest address that is no trusted proxy',
    '10.0.0.1',
    '203.0.113.9, 198.51.100.7, 10.2.3.4',
    '198.51.100.7',
  ],
  [
    'is not an address that the client added in front',
    '10.0.0.1',
    '1.1.1.1, 198.51.100.7',
    '198.51.100.7',
  ],
  [
    'is the last valid address before an invalid one',
    '10.0.0.1',
    '198.51.100.7, nonsense, 10.2.3.4',
    '10.2.3.4',
  ],
  ['is the proxy’s address if it forwards an invalid one', '10.0.0.1', 'nonsense', '10.0.0.1'],
  [
    'is an IPv4 address also for an IPv4-mapped socket',
    '::ffff:10.0.0.1',
    '::ffff:198.51.100.7',
    '198.51.100.7',
  ],
  ['is an IPv6 address', 'fd00::1', '2001:db8::1', '2001:db8::1'],
  ['is read with a port', '10.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
  ['is read with brackets and a port', '10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
  ['is read with brackets', '10.0.0.1', '[2001:db8::1]', '2001:db8::1'],
  ['is read in quotes', '10.0.0.1', '"203.0.113.7"', '203.0.113.7'],
  ['is read in quotes with brackets and a port', '10.0.0.1', '"[2001:db8::1]:4711"', '2001:db8::1'],
  ['is read with a zone', '10.0.0.1', 'fe80::1%eth0', 'fe80::1'],
  [
    'is read after a comma without an address',
    '10.0.0.1',
    ' , 203.0.113.7 , 10.2.3.4:80 ',
    '203.0.113.7',
  ],
  [
    'is the last valid address before an empty one',
    '10.0.0.1',
    '203.0.113.7,, 10.2.3.4:80',
    '10.2.3.4',
  ],
  ['is the proxy’s address if it forwards an empty one', '10.0.0.1', '203.0.113.7,', '10.0.0.1'],
  ['is the proxy’s address if it forwards only blanks', '10.0.0.1', ' , ', '10.0.0.1'],
  [
    'is not an address that the client added in front with a port',
    '10.0.0.1',
    '1.1.1.1:80, 198.51.100.7:4711',
    '198.51.100.7',
  ],
  [
    'is read as IPv4 from an IPv4-mapped address with a port',
    '10.0.0.1',
    '[::ffff:203.0.113.7]:80',
    '203.0.113.7',
  ],
  ['is not read from a number', '10.0.0.1', '3405803783', '10.0.0.1'],
  ['is not read from a shortened address', '10.0.0.1', '203.113.7', '10.0.0.1'],
  ['is not read from an octal address', '10.0.0.1', '0313.0.113.7', '10.0.0.1'],
  [
    'is not read from the syntax of Forwarded',
    '10.0.0.1',
    'for=203.0.113.7;proto=https',
    '10.0.0.1',
  ],
  ['is not read with two ports', '10.0.0.1', '203.0.113.7:1:2', '10.0.0.1'],
  ['is not read from unclosed brackets', '10.0.0.1', '[2001:db8::1', '10.0.0.1'],
])('the client address %s', (_, socket, forwarded, expected) => {
  expect(clientAddress(socket, forwarded, trusted)).toBe(expected)
})

describe('an X-Forwarded-For that cannot be read', () => {
  const readsOf = (socket: string, ...headers: (string | undefined)[]) => {
    const warn = vi.fn()
    const clientOf = clientReader(trusted, { warn })
    for (const header of headers) clientOf(socket, header)
    return warn.mock.calls
  }

  test('an X-Forwarded-For that cannot be read is reported once, with the proxy and without the header', () => {
    const calls = readsOf(
      '10.0.0.1',
      'unknown',
      '_hidden, unknown',
      'for=203.0.113.7',
      '203.0.113.7,',
    )
    expect(calls).toEqual([[
      { setting: 'TRUSTED_PROXIES', proxy: '10.0.0.1' },
      expect.stringContaining('X-Forwarded-For'),
    ]])
    expect(JSON.stringify(calls)).not.toMatch(/unknown|_hidden|203\.0/)
  })

  test('an X-Forwarded-For that cannot be read is not reported if a client wrote it, or if there is none', () => {
    expect(readsOf('192.0.2.1', 'unknown')).toEqual([])
    expect(readsOf('10.0.0.1', 'unknown, 198.51.100.7', undefined, '', ' ')).toEqual([])
  })
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
    [
      'not through an untrusted proxy',
      '127.0.0.1',
      { 'x-forwarded-for': '203.0.113.7' },
      [],
      false,
    ],
    [
      'not through an untrusted proxy that names this machine',
      '127.0.0.1',
      { 'x-forwarded-for': '127.0.0.1' },
      [],
      false,
    ],
    [
      'not from a client of a trusted proxy',
      '127.0.0.1',
      { 'x-forwarded-for': '127.0.0.1, 203.0.113.7' },
      loopbackProxies,
      false,
    ],
    [
      'a browser on this machine behind a trusted proxy',
      '127.0.0.1',
      { 'x-forwarded-for': '127.0.0.1' },
      loopbackProxies,
      true,
    ],
    [
      'not if a trusted proxy forwards an invalid address',
      '127.0.0.1',
      { 'x-forwarded-for': 'unknown' },
      loopbackProxies,
      false,
    ],
    [
      'a browser on this machine behind a trusted proxy with more headers',
      '127.0.0.1',
      { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' },
      loopbackProxies,
      true,
    ],
    [
      'a browser on this machine whose proxy adds its port',
      '127.0.0.1',
      { 'x-forwarded-for': '127.0.0.1:4711' },
      loopbackProxies,
      true,
    ],
    [
      'not if a trusted proxy forwards only a comma',
      '127.0.0.1',
      { 'x-forwarded-for': ',' },
      loopbackProxies,
      false,
    ],
    [
      'not if a trusted proxy forwards no address',
      '127.0.0.1',
      { 'x-forwarded-proto': 'https' },
      loopbackProxies,
      false,
    ],
  ])('%s', (_, socket, headers, proxies, expected) => {
    expect(isOnThisMachine(socket, headers, proxies)).toBe(expected)
  })

  test.each([
    'forwarded',
    'via',
    'x-real-ip',
    'cf-connecting-ip',
    'cf-ray',
    'cdn-loop',
    'true-client-ip',
    'x-client-ip',
    'fastly-client-ip',
  ])(
    'not with the header %s, which no trusted proxy adds',
    (name) => {
      expect(
        isOnThisMachine(
          '127.0.0.1',
          { 'x-forwarded-for': '127.0.0.1', [name]: '127.0.0.1' },
          loopbackProxies,
        ),
      ).toBe(false)
    },
  )

  test.each(['x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-server', 'x-forwarded'])(
    'not with the header %s from an untrusted proxy',
    (name) => {
      expect(isOnThisMachine('127.0.0.1', { [name]: 'localhost' }, [])).toBe(false)
    },
  )
})

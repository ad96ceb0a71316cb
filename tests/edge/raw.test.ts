/**
 * Malformed and unusual requests, written to a socket byte by byte, without a body, with a length
 * and with chunks. They go to the edge of `npm start` and to the edge as a process. The upstream
 * records each byte that it receives.
 */
import {
  createServer as createTcpServer,
  createConnection,
  type Server,
  type Socket,
} from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startEdgeProcess, type EdgeProcess } from './process.ts'
import { raw, startEdge } from './support.ts'

let upstream: Server
let received: string[] = []
const sockets = new Set<Socket>()
let local: { url: string, close: () => void }
let separate: EdgeProcess

/** The requests that the upstream received, each with its target and its headers in lower case. */
const requests = () =>
  received.join('').split(/(?=(?:GET|HEAD|POST|PATCH|DELETE|OPTIONS) \/\S* HTTP\/1\.1\r\n)/).filter(
    (one) => !/^(?:GET \/ready|GET \/api\/auth\/jwks|OPTIONS \/ )/.test(one) && one !== '',
  )
const headersOf = (one: string | undefined) =>
  Object.fromEntries(
    (one ?? '').split('\r\n\r\n')[0]!.split('\r\n').slice(1).map((
      line,
    ) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )

beforeAll(async () => {
  // Responds to each request head at once, or waits for the body.
  upstream = createTcpServer((socket) => {
    sockets.add(socket)
    let waitsForBody = false
    socket.setEncoding('latin1').on('error', () => undefined).on('data', (text: string) => {
      received.push(text)
      if (waitsForBody && !/\r\n0\r\n|null|^0\r\n/.test(text)) return
      if (/expect: 100-continue/i.test(text) && !waitsForBody) {
        waitsForBody = true
        socket.write('HTTP/1.1 100 Continue\r\n\r\n')
        return
      }
      waitsForBody = false
      socket.write(
        'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n',
      )
    })
  }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  local = await startEdge(url)
  separate = await startEdgeProcess({
    AUTH_UPSTREAM: url,
    POSTGREST_UPSTREAM: url,
    POSTGREST_READY_PORT: new URL(url).port,
  })
  await vi.waitFor(
    async () =>
      expect(await (await fetch(`${separate.adminUrl}/metrics`)).text()).toMatch(
        /surface="data",state="ready"\} 1/,
      ),
    {
      timeout: 10_000,
    },
  )
})
afterAll(async () => {
  local.close()
  await separate[Symbol.asyncDispose]()
  for (const socket of sockets) socket.destroy()
  upstream.close()
})
beforeEach(() => {
  received = []
})

const host = 'Host: localhost\r\n'
const close = 'Connection: close\r\n'
/** A request for each kind of body. */
const modes: [string, (target: string, headers?: string) => string][] = [
  [
    'without a body',
    (target, headers = close) => `GET ${target} HTTP/1.1\r\n${host}${headers}\r\n`,
  ],
  [
    'with a length',
    (target, headers = close) =>
      `POST ${target} HTTP/1.1\r\n${host}${headers}Content-Length: 4\r\n\r\nnull`,
  ],
  [
    'in chunks',
    (target, headers = close) =>
      `POST ${target} HTTP/1.1\r\n${host}${headers}Transfer-Encoding: chunked\r\n\r\n4\r\nnull\r\n0\r\n\r\n`,
  ],
]
const statuses = (answer: string) =>
  [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

describe.each([['npm start', () => local.url], ['a process', () => separate.url]])(
  'the edge of %s',
  (_, url) => {
    describe.each(modes)('a request %s', (__, written) => {
      test('reaches the upstream once, without the connection’s headers and the headers that Connection names', async () => {
        const headers =
          `Connection: close, x-kept\r\nX-Kept: yes\r\nKeep-Alive: timeout=99\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: secret\r\nTE: trailers\r\nUpgrade: h2c\r\n`
        expect(statuses(await raw(url(), written('/data/transactions', headers)))).toEqual([200])
        expect(requests()).toHaveLength(1)
        const seen = headersOf(requests()[0])
        expect(seen['x-kept']).toBe('yes')
        for (
          const name of ['keep-alive', 'proxy-connection', 'proxy-authorization', 'te', 'upgrade']
        ) expect(seen).not.toHaveProperty(name)
      })

      test('has the first Authorization and Content-Type, and one Prefer with all values', async () => {
        const headers =
          `${close}Authorization: Bearer a\r\nAuthorization: Bearer b\r\nContent-Type: a/b\r\nContent-Type: c/d\r\nPrefer: a\r\nPrefer: b\r\n`
        await raw(url(), written('/data/transactions', headers))
        expect(
          requests()[0]!.match(/^(?:authorization|content-type|prefer): .*$/gim)!.map((line) =>
            line.toLowerCase()
          ).toSorted(),
        ).toEqual([
          'authorization: bearer a',
          'content-type: a/b',
          'prefer: a, b',
        ])
      })

      test('with an absolute URL as target is served by its path', async () => {
        for (
          const target of [
            'http://localhost/data/transactions?a=b',
            'HTTP://elsewhere.example.org:99/data/transactions?a=b',
          ]
        ) {
          received = []
          expect(statuses(await raw(url(), written(target)))).toEqual([200])
          expect(requests()[0]).toMatch(/^\w+ \/transactions\?a=b HTTP\/1\.1\r\n/)
        }
      })

      test('of HTTP/1.0 gets a response without chunks, and its connection is closed', async () => {
        const answer = await raw(
          url(),
          written('/data/transactions', '').replace('HTTP/1.1', 'HTTP/1.0'),
        )
        expect(answer).toMatch(/^HTTP\/1\.1 200 /)
        expect(answer).not.toMatch(/transfer-encoding/i)
        expect(answer).toMatch(/\r\n\r\n\[\]$/)
      })

      test('of HTTP/1.0 without Host is served on every path, as simple health checks send it', async () => {
        for (const path of ['/data/transactions', '/api/auth/jwks', '/docs', '/healthz']) {
          received = []
          expect(statuses(await raw(url(), `GET ${path} HTTP/1.0\r\n\r\n`)), path).toEqual([200])
          expect(requests().map((one) => headersOf(one)['host'])).toEqual(
            requests().map(() => expect.stringMatching(/./)),
          )
        }
        expect(statuses(await raw(url(), 'GET /data/transactions HTTP/1.1\r\n\r\n'))).toEqual([400])
      })

      test('is answered in order if several are sent at once', async () => {
        const answer = await raw(
          url(),
          written('/data/first', '') + written('/data/second', '') +
            written('/healthz', '').replace('POST', 'GET') + written('/data/last'),
        )
        expect(statuses(answer)).toEqual([200, 200, 200, 200])
        expect(answer.indexOf('"status":')).toBeGreaterThan(answer.indexOf('[]'))
        expect(requests().map((one) => one.split(' ')[1] ?? '').toSorted()).toEqual([
          '/first',
          '/last',
          '/second',
        ])
      })

      test('of a client that closes its side ends, and others are served', async () => {
        const socket = createConnection({
          host: '127.0.0.1',
          port: Number(new URL(url()).port),
          allowHalfOpen: true,
        })
        socket.resume().end(written('/data/transactions', ''))
        await once(socket, 'close')
        expect(statuses(await raw(url(), written('/data/transactions')))).toEqual([200])
      })

      test('with a malformed header is refused, and the upstream receives nothing', async () => {
        for (
          const bent of [
            'X : a\r\n',
            'X\r\n',
            ' folded\r\n',
            'X: a\0b\r\n',
            'X: a\nY: b\r\n',
            `X: ${'a'.repeat(17_000)}\r\n`,
          ]
        ) {
          received = []
          expect([
            bent.slice(0, 9),
            statuses(await raw(url(), written('/data/transactions', close + bent)))[0],
          ]).toEqual([
            bent.slice(0, 9),
            bent.length > 100 ? 431 : 400,
          ])
          expect(requests()).toEqual([])
        }
      })
    })

    test.each([
      ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'],
      ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', '0\r\n\r\n'],
      ['two lengths', 'Content-Length: 4\r\nContent-Length: 40\r\n', 'null'],
      ['a hexadecimal length', 'Content-Length: 0x4\r\n', 'null'],
      ['chunks twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'],
      ['an unknown encoding', 'Transfer-Encoding: chunked, gzip\r\n', '0\r\n\r\n'],
      ['a chunk size with a sign', 'Transfer-Encoding: chunked\r\n', '+4\r\nnull\r\n0\r\n\r\n'],
      ['a chunk longer than its size', 'Transfer-Encoding: chunked\r\n', '3\r\nnull\r\n0\r\n\r\n'],
      ['a chunk that ends with a line feed', 'Transfer-Encoding: chunked\r\n', '4\nnull\n0\n\n'],
    ])('never treats one request as two: %s', async (__, headers, body) => {
      const hidden = `GET /data/hidden HTTP/1.1\r\n${host}${close}\r\n`
      const answerOf = async (path: string) =>
        statuses(await raw(url(), `POST ${path} HTTP/1.1\r\n${host}${headers}\r\n${body}${hidden}`))
      expect((await answerOf('/data/transactions')).at(-1)).toBe(400)
      // The auth surface may respond before it has read the body.
      expect((await answerOf('/api/auth/sign-out')).filter((status) => status !== 400).length)
        .toBeLessThanOrEqual(1)
      expect(received.join('')).not.toContain('hidden')
    })

    test('drops trailers after the last chunk', async () => {
      const answer = await raw(
        url(),
        `POST /data/transactions HTTP/1.1\r\n${host}${close}Trailer: X-Late\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nnull\r\n0\r\nX-Late: yes\r\n\r\n`,
      )
      expect(statuses(answer)).toEqual([200])
      expect(received.join('')).not.toMatch(/late/i)
    })

    test('sends 100 Continue, or the error if it refuses the request, and rejects other expectations', async () => {
      const ask = (length: number, expectation = '100-continue') =>
        raw(
          url(),
          `POST /data/transactions HTTP/1.1\r\n${host}${close}Expect: ${expectation}\r\nContent-Length: ${length}\r\n\r\n`,
          'null'.padEnd(Math.min(length, 4)),
        )
      expect(statuses(await ask(4))).toEqual([100, 200])
      expect(statuses(await ask(70_000)).at(-1)).toBe(413)
      expect(statuses(await ask(4, '200-ok'))).toEqual([417])
    })

    test('closes a CONNECT, refuses targets without a path, and keeps serving', async () => {
      const ask = (line: string) => raw(url(), `${line}\r\n${host}${close}\r\n`)
      expect(await ask('CONNECT localhost:22 HTTP/1.1')).toBe('')
      const targets: [string, number][] = [['OPTIONS * HTTP/1.1', 404], [
        'GET data/transactions HTTP/1.1',
        400,
      ], ['GET http://localhost HTTP/1.1', 404]]
      for (const [line, status] of targets)
        expect([line, statuses(await ask(line))]).toEqual([
          line,
          [status],
        ])
      expect(requests()).toEqual([])
      expect(statuses(await raw(url(), `GET /data/transactions HTTP/1.1\r\n${host}${close}\r\n`)))
        .toEqual([200])
    })
  },
)

test.each(['[::', '[::1', 'a b', 'a/b', 'a@b', '[::1]:port'])(
  'the edge returns 400 for the host %j, and the upstream receives nothing',
  async (name) => {
    for (const url of [local.url, separate.url]) {
      for (const target of ['/data/transactions', '/api/auth/get-session'])
        expect(statuses(await raw(url, `GET ${target} HTTP/1.1\r\nHost: ${name}\r\n${close}\r\n`)))
          .toEqual([400])
    }
    expect(requests()).toEqual([])
  },
)

test('the edge returns 400 for a second Host header', async () => {
  expect(
    statuses(
      await raw(separate.url, `GET /data/transactions HTTP/1.1\r\n${host}${host}${close}\r\n`),
    ),
  ).toEqual([400])
})

test('a connection with 17 pipelined requests is closed, and one with 16 gets all responses', async () => {
  const pipelined = (count: number) =>
    `GET /data/transactions HTTP/1.1\r\n${host}\r\n`.repeat(count - 1) +
    `GET /data/transactions HTTP/1.1\r\n${host}${close}\r\n`
  expect(statuses(await raw(separate.url, pipelined(16)))).toEqual(Array(16).fill(200))
  received = []
  await raw(separate.url, pipelined(17)).catch(() => undefined)
  expect(requests().length).toBeLessThan(17)
})

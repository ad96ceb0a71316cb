/**
 * Outbound requests to servers that are not ours: they decode nothing, follow no redirect, and end
 * after a timeout.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { outboundFetch } from '../../common/outbound.ts'
import { certificate } from '../support/certificate.ts'

let answer: RequestListener
let requests: {
  method: string | undefined
  url: string | undefined
  headers: IncomingMessage['headers']
  body: string
}[]
let closed: number
let server: ReturnType<typeof createServer>
let url: string
beforeEach(async () => {
  requests = []
  closed = 0
  server = createServer((request, response) => {
    response.once('close', () => {
      closed += 1
    })
    const take = async () => {
      requests.push({
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: await text(request),
      })
      answer(request, response)
    }
    void take()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?a=b`
})
afterEach(async () => {
  vi.restoreAllMocks()
  server.closeAllConnections()
  if (server.listening) await server[Symbol.asyncDispose]()
})

/** Writes as long as the other side reads. */
function endless(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, 'x')
  const write = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', write)
  write()
}
/** Sets the timeout to this many milliseconds. */
const shortenBound = (milliseconds: number) => {
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  return vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(milliseconds))
}

test('a request asks for an unencoded response, whatever the caller’s headers', async () => {
  answer = (_, response) => response.end('fine')
  expect(
    await (await outboundFetch(url, {
      headers: { 'accept-encoding': 'br, gzip', authorization: 'Bearer x' },
    })).text(),
  ).toBe('fine')
  expect(requests).toMatchObject([{
    method: 'GET',
    url: '/path?a=b',
    headers: { 'accept-encoding': 'identity', authorization: 'Bearer x' },
  }])
})

test('a request sends its body with length and type', async () => {
  answer = (_, response) => response.end()
  await outboundFetch(new URL(url), { method: 'POST', body: new URLSearchParams({ code: 'a b' }) })
  await outboundFetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"é"}',
  })
  expect(requests).toMatchObject([
    {
      body: 'code=a+b',
      headers: {
        'content-type': expect.stringContaining('application/x-www-form-urlencoded'),
        'content-length': '8',
      },
    },
    {
      body: '{"name":"é"}',
      headers: { 'content-type': 'application/json', 'content-length': '13' },
    },
  ])
})

test('a request returns status, headers and body of the response', async () => {
  answer = (_, response) =>
    response.writeHead(418, 'Teapot', {
      'content-type': 'application/json',
      'set-cookie': ['a=1', 'b=2'],
      'content-encoding': 'identity',
    }).end('{}')
  const response = await outboundFetch(url)
  expect([response.status, response.statusText, response.ok]).toEqual([418, 'Teapot', false])
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(await response.json()).toEqual({})
  answer = (_, next) => next.writeHead(204).end()
  expect((await outboundFetch(url)).body).toBe(null)
})

test('a server with a certificate of an unknown authority is refused, and receives no request', async () => {
  let received = 0
  await using secure = createSecureServer(certificate(), () => {
    received += 1
  }).listen(0, '127.0.0.1')
  await once(secure, 'listening')
  const sent = outboundFetch(`https://127.0.0.1:${(secure.address() as AddressInfo).port}/`, {
    headers: { authorization: 'Bearer x' },
  })
  await expect(sent).rejects.toMatchObject({
    name: 'TypeError',
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  })
  expect(received).toBe(0)
})

describe('a response', () => {
  test.each([
    ['br', brotliCompressSync('{}')],
    ['gzip', gzipSync('{}')],
    ['gzip, br', Buffer.from('x')],
    ['zstd', Buffer.from('x')],
    [
      'x-new',
      Buffer.from('x'),
    ],
  ])(
    'encoded as %s is refused without decoding',
    async (encoding, body) => {
      answer = (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body)
      await expect(outboundFetch(url)).rejects.toMatchObject({
        name: 'TypeError',
        code: 'OUTBOUND_ENCODED',
      })
    },
  )

  test('a response with an encoding is refused before its body', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-encoding': 'br' }).flushHeaders()
    await expect(outboundFetch(url)).rejects.toMatchObject({ code: 'OUTBOUND_ENCODED' })
    await expect.poll(() => closed).toBe(1)
  })

  test.each([301, 302, 303, 307, 308])(
    'a response with a redirect (%d) is not followed',
    async (status) => {
      answer = (_, response) => response.writeHead(status, { location: '/elsewhere' }).end()
      await expect(outboundFetch(url, { method: 'POST', body: 'x' })).rejects.toMatchObject({
        code: 'OUTBOUND_REDIRECT',
      })
      expect(requests).toHaveLength(1)
    },
  )

  test('a response may have 1 MiB and not one byte more, with a length or in chunks', async () => {
    const most = 1_048_576
    answer = (_, response) => response.end(Buffer.alloc(most))
    expect((await (await outboundFetch(url)).arrayBuffer()).byteLength).toBe(most)
    answer = (_, response) =>
      response.writeHead(200, { 'content-length': most + 1 }).end(Buffer.alloc(most + 1))
    await expect(outboundFetch(url)).rejects.toMatchObject({ code: 'OUTBOUND_TOO_LARGE' })
    answer = (_, response) => endless(response)
    await expect(outboundFetch(url)).rejects.toMatchObject({ code: 'OUTBOUND_TOO_LARGE' })
    await expect.poll(() => closed).toBe(3)
  })

  test.each<[string, (response: ServerResponse) => void]>([
    ['never begins', () => undefined],
    ['never ends', (response) => response.write('{')],
  ])(
    'a response that %s is given up after ten seconds, and its connection is closed',
    async (_, begin) => {
      const bound = shortenBound(50)
      answer = (_request, response) => begin(response)
      await expect(outboundFetch(url)).rejects.toMatchObject({ name: 'TimeoutError' })
      expect(bound).toHaveBeenCalledWith(10_000)
      await expect.poll(() => closed).toBe(1)
    },
  )

  test('a response that switches protocols is an error', async () => {
    answer = (_, response) =>
      response.writeHead(101, { connection: 'upgrade', upgrade: 'websocket' }).end()
    await expect(outboundFetch(url)).rejects.toMatchObject({
      name: 'TypeError',
      message: 'the request failed',
    })
  })

  test('a response that the caller aborts ends with the caller’s reason', async () => {
    const stop = new AbortController()
    answer = () => stop.abort(new Error('stopped'))
    await expect(outboundFetch(url, { signal: stop.signal })).rejects.toThrow('stopped')
    await expect(outboundFetch(url, { signal: stop.signal })).rejects.toThrow('stopped')
    expect(requests).toHaveLength(1)
  })

  test('a response that ends early or never arrives is an error with a code and no text of the server', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('secret', () => response.destroy())
    }
    await expect(outboundFetch(url)).rejects.toMatchObject({
      name: 'TypeError',
      message: 'the request failed',
      code: 'ECONNRESET',
    })
    await server[Symbol.asyncDispose]()
    await expect(outboundFetch(url)).rejects.toMatchObject({
      message: 'the request failed',
      code: 'ECONNREFUSED',
    })
  })
})

test('Oxlint refuses all other ways to send requests, except in files that implement one or call only our servers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ways-out-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const root = join(import.meta.dirname, '../..')
  await cp(join(root, '.ci/oxlintrc.json'), join(folder, '.ci/oxlintrc.json'))
  const ways = {
    fetch: `export const answer = fetch('https://example.org')`,
    http: `export { request } from 'node:http'`,
    https: `export { request } from 'node:https'`,
    undici: `export { request } from 'undici'`,
  }
  const refused = ['auth', 'http', 'realtime', 'storage', 'rates', 'edge', 'start', 'common']
    .flatMap((part) => Object.entries(ways).map(([way, source]) => [`${part}/${way}.ts`, source]))
  const taken = [['edge/server.ts', `export { createServer } from 'node:http'`], [
    'edge/upstreams.ts',
    ways.undici,
  ], [
    'start/wait-for-server.ts',
    ways.fetch,
  ]]
  for (const [file = '', source = ''] of [...refused, ...taken]) {
    await mkdir(join(folder, file, '..'), { recursive: true })
    await writeFile(join(folder, file), `${source}\n`)
  }
  const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin/oxlint'), [
    '-c',
    '.ci/oxlintrc.json',
    '-f',
    'unix',
  ], { cwd: folder })
    .catch((error: { stdout: string }) => error)
  const named = [...stdout.matchAll(/^([^:]+):.*no-restricted-/gm)].map(([, file]) => file)
  expect(new Set(named)).toEqual(new Set(refused.map(([file]) => file)))
})

/**
 * Slow clients: the edge closes their connection after a fixed time, and other clients are not
 * affected.
 */
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../start/ports.ts'
import { startServer } from '../../common/http-server.ts'
import { signedIn } from '../support/person.ts'
import { newPdf, receiptsOf } from '../support/receipts.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

/**
 * Sends the beginning of a request, then one byte per second. @returns the seconds until the
 * connection was closed, and the response
 */
function slow(beginning: string): Promise<{ seconds: number, answer: string }> {
  return new Promise((resolve) => {
    const begun = performance.now()
    const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(stack.url).port) })
    let answer = ''
    const drip = setInterval(() => socket.write('a'), 1_000)
    onTestFinished(() => {
      socket.destroy()
    })
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString()
    }).on('error', () => undefined).once('close', () => {
      clearInterval(drip)
      resolve({ seconds: (performance.now() - begun) / 1_000, answer })
    })
    socket.write(beginning)
  })
}

test(
  'headers must arrive within 15 s and bodies within 30 s, unless the body is a file',
  async () => {
    const headers = Array.from(
      { length: 20 },
      () => slow('GET /data/transactions HTTP/1.1\r\nHost: localhost\r\nX-Slow: '),
    )
    const bodies = ['/data/transactions', '/api/auth/sign-in/email'].flatMap((path) =>
      Array.from({ length: 10 }, () =>
        slow(
          `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`,
        ))
    )
    const mine = receiptsOf(stack, await signedIn(stack, 'Ann'))
    const { ticket } = await mine.began(await mine.transaction(), newPdf(1_000_000))
    const ofFile = slow(
      `PUT /api/auth/files/${ticket} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n`,
    )
    expect((await fetch(`${stack.url}/data/transactions`)).status).toBe(200)
    const expectWithin = (ended: { seconds: number }[], least: number, most: number) => {
      for (const { seconds } of ended) {
        expect(seconds).toBeGreaterThan(least)
        expect(seconds).toBeLessThan(most)
      }
    }
    expectWithin(await Promise.all(headers), 15, 22)
    expect((await fetch(`${stack.url}/data/transactions`)).status).toBe(200)
    expectWithin(await Promise.all(bodies), 30, 37)
    // a file may take longer
    expect(await Promise.race([ofFile, Promise.resolve('open')])).toBe('open')
  },
  60_000,
)

/**
 * Opens connections, and begins a request on each. In groups, because more at once than the
 * system's backlog of pending connections would wait.
 */
async function openMany(
  count: number,
  open: () => Socket,
  beginning = 'GET / HTTP/1.1\r\n',
): Promise<Socket[]> {
  const opened: Socket[] = []
  onTestFinished(() => {
    for (const socket of opened) socket.destroy()
  })
  while (opened.length < count) {
    const more = Array.from({ length: 100 }, () => open().on('error', () => undefined))
    opened.push(...more)
    await Promise.all(more.map((socket) => once(socket, 'connect')))
    for (const socket of more) socket.write(beginning)
  }
  return opened
}

/**
 * Sends a request on a new connection. @returns the response, or an empty text if the connection is
 * closed without one
 */
async function request(open: () => Socket, headers = ''): Promise<string> {
  const socket = open()
  let answered = ''
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.setEncoding('utf8').on('error', () => undefined).on('data', (text: string) => {
    answered += text
  }).end(`GET / HTTP/1.1\r\nHost: localhost\r\n${headers}Connection: close\r\n\r\n`)
  await closed
  return answered
}
const served = /\r\n\r\nserved$/

test('with 1,000 live streams at most 2,000 connections are open, and 1,000 of one network: one more is closed without a response, and accepted after another ends', async () => {
  const port = await freePort()
  const stop = await startServer((_, outgoing) => void outgoing.end('served'), {
    host: '127.0.0.1',
    port,
    setting: 'PORT',
    maxStreams: 1_000,
  })
  onTestFinished(stop)
  const from = (localAddress: string) => () =>
    createConnection({ host: '127.0.0.1', port, localAddress })
  const [ofFirst] = await openMany(1_000, from('127.0.0.1'))
  await expect.poll(() => request(from('127.0.0.1'))).toBe('')
  expect(await request(from('127.0.0.2'))).toMatch(served)
  ofFirst?.destroy()
  await expect.poll(() => request(from('127.0.0.1'))).toMatch(served)
  await openMany(1_000, from('127.0.0.2'))
  await openMany(1, from('127.0.0.1'))
  await expect.poll(() => request(from('127.0.0.3'))).toBe('')
})

test('behind a trusted proxy a client has 1,000 requests whose body is not yet there, and others are served', async () => {
  const port = await freePort()
  const trustedProxies = [ipaddr.parseCIDR('127.0.0.0/8')]
  const stop = await startServer((_, outgoing) => void outgoing.end('served'), {
    host: '127.0.0.1',
    port,
    setting: 'PORT',
    maxStreams: 1_000,
    trustedProxies,
  })
  onTestFinished(stop)
  const open = () => createConnection({ host: '127.0.0.1', port })
  const unfinished =
    'POST / HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.7\r\nContent-Length: 100\r\n\r\n1'
  await openMany(1_000, open, unfinished)
  const ofClient = (address: string) =>
    request(open, `X-Forwarded-For: ${address}\r\nTransfer-Encoding: chunked\r\n`)
  await expect.poll(() => ofClient('203.0.113.7')).toMatch(
    /^HTTP\/1\.1 429 Too Many Requests\r\n[^]*Retry-After: 30\r\n/,
  )
  expect(await ofClient('203.0.113.8')).toMatch(served)
})

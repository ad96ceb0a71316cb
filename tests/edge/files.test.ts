/** Files through an edge as a process: large bodies, ranges, and the limit of transfers. */
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createConnection } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../start/ports.ts'
import { signedIn } from '../support/person.ts'
import { newPdf, receiptsOf } from '../support/receipts.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { startEdgeProcess, type EdgeProcess } from './process.ts'
import { fakePostgrest } from './support.ts'

let stack: Stack
let edge: EdgeProcess
beforeAll(async () => {
  const readyPort = await freePort()
  stack = await startStack({
    data: true,
    env: { TRUSTED_PROXIES: '127.0.0.1' },
    dataEnv: { PGRST_ADMIN_SERVER_PORT: String(readyPort) },
  })
  edge = await startEdgeProcess({
    AUTH_UPSTREAM: stack.url,
    POSTGREST_UPSTREAM: stack.dataUrl,
    POSTGREST_READY_PORT: String(readyPort),
  })
})
afterAll(async () => {
  await edge[Symbol.asyncDispose]()
  await stack.close()
})

test('a file of 30 MB passes in both directions, whole and in part, if the operator allows this size', async () => {
  await stack.sql.query('update private.settings set file_max_bytes = 104857600')
  const mine = receiptsOf(
    { url: edge.url, dataUrl: `${edge.url}/data` },
    await signedIn(stack, 'Ann'),
  )
  const file = newPdf(30_000_000)
  const id = await mine.attach(await mine.transaction(), file)
  expect((await mine.read(id)).equals(file)).toBe(true)
  const part = await mine.get(await mine.open(id), { range: 'bytes=29999000-' })
  expect([part.status, part.headers.get('content-range')]).toEqual([
    206,
    'bytes 29999000-29999999/30000000',
  ])
  expect(Buffer.from(await part.arrayBuffer()).equals(file.subarray(29_999_000))).toBe(true)
  expect(edge.output()).not.toContain('file_')
})

test('a file of an unknown ticket is 404, above 100 MB it is 413, and another body above 16 MB too', async () => {
  const send = async (method: string, path: string, length: number) =>
    (await fetch(`${edge.url}/api/auth${path}`, { method, body: Buffer.alloc(length) })).status
  const mine = receiptsOf(
    { url: edge.url, dataUrl: `${edge.url}/data` },
    await signedIn(stack, 'Ann'),
  )
  const { ticket } = await mine.began(await mine.transaction(), newPdf(1_000))
  expect(await send('PUT', '/files/file_x', 30_000_000)).toBe(404)
  expect(await send('PUT', `/files/${ticket}`, 104_857_601)).toBe(413)
  expect(await send('POST', '/sign-in/email', 17_000_000)).toBe(413)
})

test('a file of an unknown ticket is 404 also for a client that never sends its body', async () => {
  const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(edge.url).port) })
  onTestFinished(() => void socket.destroy())
  socket.write(
    'PUT /api/auth/files/file_x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n1',
  )
  const [answer] = await once(socket, 'data') as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 /)
})

test('a file is refused beside five hundred other transfers, or half of them of the same network, and other requests are not', async () => {
  const endless: RequestListener = (request, response) => {
    if (request.url?.startsWith('/api/auth/files/') === true) response.writeHead(200).write('x')
    else response.end()
  }
  const full = await startEdgeProcess({
    AUTH_UPSTREAM: await fakePostgrest(endless),
    POSTGREST_UPSTREAM: 'http://127.0.0.1:9',
    TRUSTED_PROXIES: '127.0.0.1',
  })
  onTestFinished(() => full[Symbol.asyncDispose]())
  const left = new AbortController()
  onTestFinished(() => left.abort())
  const open = (client: string) =>
    fetch(`${full.url}/api/auth/files/file_x`, {
      signal: left.signal,
      headers: { 'x-forwarded-for': client },
    })
  // kept, because fetch cancels a response that nothing refers to
  const responses: Response[] = []
  for (const client of ['203.0.113.7', '203.0.113.8']) {
    for (let group = 0; group < 5; group += 1)
      responses.push(...await Promise.all(Array.from({ length: 50 }, () => open(client))))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    const refused = await open(client)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
  }
  expect((await open('203.0.113.9')).status).toBe(429)
  expect((await fetch(`${full.url}/api/auth/get-session`)).status).toBe(200)
})

/** The edge of compose.yaml: what it refuses, and that PostgREST stands with its memory limit in force. */
import { createConnection } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asked, garbledFields, messages, refused } from '../edge/queries.ts'
import { raw } from '../edge/support.ts'
import { deployment, run, tokenOf, type Deployment } from './deployment.ts'

const KiB = 1024
const MiB = 1024 * KiB
let it: Deployment
let bearer: { authorization: string }
const json = { 'content-type': 'application/json' }

beforeAll(async () => {
  it = await deployment()
  await it.configure({ RATE_LIMIT_ENABLED: 'false' })
  await it.compose('build', '--quiet')
  await it.up()
  bearer = { authorization: `Bearer ${await tokenOf(it.person('Ann', 'ann@example.org'))}` }
})
afterAll(async () => {
  await it.remove()
})

async function send(path: string, init: RequestInit = {}, url = it.url) {
  const response = await fetch(`${url}/data${path}`, init)
  return { status: response.status, type: response.headers.get('content-type'), headers: response.headers, text: await response.text() }
}
const post = (body: string | Buffer | ReadableStream, headers: Record<string, string> = {}, url = it.url) =>
  send(
    '/transactions',
    { method: 'POST', headers: { ...json, ...headers }, body: body as string, ...(body instanceof ReadableStream && { duplex: 'half' }) },
    url,
  )
const chunks = (bytes: number) =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes; at += 16 * KiB) controller.enqueue(Buffer.alloc(Math.min(16 * KiB, bytes - at), '['))
      controller.close()
    },
  })
const pathOf = (bytes: number) => `/transactions?select=${'a'.repeat(bytes)}`.slice(0, bytes - '/data'.length)
const tooLarge = '{"code":"PAYLOAD_TOO_LARGE","message":"The request body is larger than this request may send.","details":null,"hint":null}'
const tooLong = '{"code":"URI_TOO_LONG","message":"The URL is longer than this request may send.","details":null,"hint":null}'

/** PostgREST's container: how often it was started, whether it ran out of memory, and the most it has ever had, in MiB. */
async function postgrest() {
  const id = (await it.compose('ps', '-q', 'postgrest')).trim()
  const [{ RestartCount: restarts, State: { OOMKilled: outOfMemory } }] = JSON.parse(await run('docker', ['inspect', id]))
  const pid = (await run('docker', ['top', id, '-eo', 'pid,comm'])).split('\n').find((line) => /postgrest/.test(line))?.trim().split(/\s+/)[0]
  const peak = Number(/^VmHWM:\s+(\d+) kB/m.exec(await run('cat', [`/proc/${pid}/status`]))?.[1]) / 1024
  return { restarts, outOfMemory, peak }
}

describe.each([['over TLS', () => it.url], ['at the plain port', () => it.plainUrl]])('the edge %s', (_, url) => {
  test('lets through a body of 64 KiB without a token and 2 MiB with one, and refuses the next byte', async () => {
    expect((await post('['.repeat(64 * KiB), {}, url())).status).toBe(400)
    expect(await post('['.repeat(64 * KiB + 1), { origin: 'https://app.example.org' }, url())).toMatchObject({
      status: 413,
      type: 'application/json; charset=utf-8',
      text: tooLarge,
    })
    expect((await post('{}'.padEnd(2 * MiB), bearer, url())).status).toBe(400)
    expect(await post('{}'.padEnd(2 * MiB + 1), bearer, url())).toMatchObject({ status: 413, text: tooLarge })
    expect(await post('['.repeat(64 * KiB + 1), { authorization: 'Bearer ' }, url())).toMatchObject({ status: 413 })
    expect(await send('/transactions', { method: 'DELETE', headers: bearer, body: '['.repeat(64 * KiB + 1) }, url())).toMatchObject({ status: 413 })
  })

  test('counts a body in chunks', async () => {
    expect((await post(chunks(64 * KiB), {}, url())).status).toBe(400)
    expect(await post(chunks(64 * KiB + 1), {}, url())).toMatchObject({ status: 413, text: tooLarge })
    expect(await post(chunks(2 * MiB + 1), bearer, url())).toMatchObject({ status: 413, text: tooLarge })
  })

  test('lets through a URL of 2 KiB without a token and 8 KiB with one', async () => {
    expect([(await send(pathOf(2 * KiB), {}, url())).status, (await send(pathOf(8 * KiB), { headers: bearer }, url())).status]).toEqual([400, 400])
    expect(await send(pathOf(2 * KiB + 1), {}, url())).toMatchObject({ status: 414, type: 'application/json; charset=utf-8', text: tooLong })
    expect(await send(pathOf(8 * KiB + 1), { headers: bearer }, url())).toMatchObject({ status: 414, text: tooLong })
  })

  test('lets through 4 KiB of CSV without a token and 16 KiB with one', async () => {
    const csv = (bytes: number, headers = {}) =>
      post('name\n'.padEnd(bytes, 'a\n'), { ...headers, 'content-type': 'text/csv; charset=utf-8' }, url()).then(({ status }) => status)
    expect([await csv(4 * KiB), await csv(16 * KiB, bearer)]).not.toContain(413)
    expect([await csv(4 * KiB + 1), await csv(16 * KiB + 1, bearer)]).toEqual([413, 413])
  })
})

describe('a query', () => {
  test.each(asked)('of %s is asked of PostgREST', async (_, path, method = 'GET') => {
    expect((await send(path, { method, headers: bearer })).status).toBeLessThan(300)
  })

  test.each(refused)('is refused as %s: %s', async (code, _, path, method = 'GET') => {
    expect(await send(path, { method, headers: bearer })).toMatchObject({
      status: 400,
      type: 'application/json; charset=utf-8',
      text: JSON.stringify({ code, message: messages[code], details: null, hint: null }),
    })
  })

  test.each(garbledFields)('is refused with a byte that is not UTF-8 in %s, and writes nothing', async (name) => {
    const ask = (value: string) =>
      raw(
        it.plainUrl,
        Buffer.from(
          `POST /data/tags HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${bearer.authorization}\r\nContent-Length: 22\r\n${name}: ${value}\r\nConnection: close\r\n\r\n{"name":"not written"}`,
          'latin1',
        ),
      )
    expect(await ask('a=\xff')).toMatch(/^HTTP\/1\.1 400 [^]*"code":"INVALID_ENCODING"/)
    expect((await send('/tags?name=eq.not%20written', { headers: bearer })).text).toBe('[]')
  })
})

test('the database is told of one Prefer field and of the client’s own address', async () => {
  await it.sql(`create function api.headers_of_this_request() returns json language sql stable return current_setting('request.headers')::json;
    grant execute on function api.headers_of_this_request() to anon, authenticated; notify pgrst, 'reload schema'`)
  const { hostname, port } = new URL(it.url)
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      const socket = connectTls({ host: hostname, port: Number(port), servername: hostname, ALPNProtocols: ['http/1.1'] })
      let answer = ''
      socket.on('data', (chunk: Buffer) => {
        answer += chunk.toString()
      }).once('close', () => resolve(answer)).once('error', reject)
      socket.write(
        `GET /data/rpc/headers_of_this_request HTTP/1.1\r\nHost: ${hostname}:${port}\r\nPrefer: count=exact\r\nPrefer: return=minimal\r\nX-Forwarded-For: 203.0.113.7\r\nAuthorization: ${bearer.authorization}\r\nConnection: close, authorization\r\n\r\n`,
      )
    })
  await expect.poll(ask, { timeout: 10_000 }).toContain('"prefer":"count=exact,return=minimal"')
  const answer = await ask()
  expect(answer).toContain(`"x-forwarded-for":"${it.gateway}"`)
  expect(answer).toContain('"authorization":"Bearer')
  // what the proxy has added at the right end counts, also for a client of its own network
  for (const address of ['203.0.113.7', '192.168.1.5']) {
    expect((await send('/rpc/headers_of_this_request', { headers: { 'x-forwarded-for': `198.51.100.1, ${address}` } }, it.plainUrl)).text).toContain(
      `"x-forwarded-for":"${address}"`,
    )
  }
})

test('a client that sends slowly is cut off after 15 s of header, or 30 s of request', async () => {
  const slow = (beginning: string) =>
    new Promise<number>((resolve) => {
      const begun = performance.now()
      const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(it.plainUrl).port) })
      const drip = setInterval(() => socket.write('a'), 1_000)
      socket.resume().on('error', () => undefined).once('close', () => {
        clearInterval(drip)
        resolve((performance.now() - begun) / 1_000)
      })
      socket.write(beginning)
    })
  const [header, body, large] = await Promise.all([
    slow('GET /data/transactions HTTP/1.1\r\nHost: localhost\r\nX-Slow: '),
    slow('POST /data/transactions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n'),
    slow(
      `POST /data/transactions HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${bearer.authorization}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n`,
    ),
  ])
  expect(header).toBeLessThan(18)
  expect(body).toBeLessThan(33)
  expect(large).toBeLessThan(33)
})

describe('PostgREST stands', () => {
  const bodies: [string, () => string][] = [
    ['brackets without an end', () => '['.repeat(2 * MiB)],
    ['a value 1,000,000 levels deep', () => `{"name":"a","amount":1,"metadata":${'['.repeat(MiB - 20)}${']'.repeat(MiB - 20)}}`],
    ['an array of numbers', () => `[${'1,'.repeat(MiB - 2)}1]`],
    ['rows for a bulk insert', () => JSON.stringify(Array.from({ length: 30_000 }, (__, number) => ({ name: `Row number ${number}`, amount: -12.5 })))],
  ]
  test.each(bodies)('while twenty bodies of 2 MiB come at once: %s; and reads go on', async (_, make) => {
    const before = await postgrest()
    const body = make()
    const stopped = new AbortController()
    const reads = new Set<number>()
    const reading = (async () => {
      while (!stopped.signal.aborted) reads.add((await send('/transactions?limit=1', { headers: bearer })).status)
    })()
    const statuses = await Promise.all(Array.from({ length: 20 }, () => post(body, bearer).then(({ status }) => status))).finally(() => stopped.abort())
    await reading
    const after = await postgrest()
    const counted = [...new Set(statuses)].map((status) => `${statuses.filter((one) => one === status).length} × ${status}`).join(', ')
    process.stdout.write(`  ${_}: ${counted}; PostgREST ${Math.round(after.peak)} MiB\n`)
    expect(after).toMatchObject({ restarts: before.restarts, outOfMemory: false })
    expect(statuses.filter((status) => status === 502)).toEqual([])
    expect([...reads]).toEqual([200])
    // the rows are no part of the next test
    await it.sql('truncate api.transactions cascade')
  })

  test('while clients go away as soon as they have sent bodies of 2 MiB, forty in all', async () => {
    const before = await postgrest()
    const { hostname, port } = new URL(it.plainUrl)
    const head =
      `POST /data/transactions HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${bearer.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${
        2 * MiB
      }\r\n\r\n`
    const leave = () =>
      new Promise<void>((resolve) => {
        const socket = createConnection({ host: hostname, port: Number(port) })
        socket.on('error', () => resolve()).write(head + '['.repeat(2 * MiB), () => {
          socket.destroy()
          resolve()
        })
      })
    for (let round = 0; round < 10; round++) await Promise.all([leave(), leave(), leave(), leave()])
    await expect.poll(async () => (await send('/transactions?limit=1', { headers: bearer })).status, { timeout: 30_000 }).toBe(200)
    const after = await postgrest()
    process.stdout.write(`  clients that go away: PostgREST ${Math.round(after.peak)} MiB\n`)
    expect(after).toMatchObject({ restarts: before.restarts, outOfMemory: false })
  })

  test('while ten bodies of 16 MiB and twenty URLs of 1,000 embeddings come at once, without a token', async () => {
    const before = await postgrest()
    const path = `/transactions?select=${'id,categories(transactions('.repeat(500)}id${'))'.repeat(500)}`
    const statuses = await Promise.all([
      // the answer may come while the client still sends, and the connection close: told or not, nothing is read
      ...Array.from({ length: 10 }, () => post('['.repeat(16 * MiB)).then(({ status }) => status, () => 413)),
      ...Array.from({ length: 20 }, () => send(path).then(({ status }) => status)),
    ])
    expect(statuses).toEqual([...Array<number>(10).fill(413), ...Array<number>(20).fill(414)])
    const after = await postgrest()
    expect(after.restarts).toBe(before.restarts)
    expect(after.peak - before.peak).toBeLessThan(20)
  })
})

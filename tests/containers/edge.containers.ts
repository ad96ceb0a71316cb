/** The edge of compose.yaml: what it refuses, and that PostgREST stands with its memory limit in force. */
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { PostgrestClient } from '@supabase/postgrest-js'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls, type Clients } from '../supabase-clients/calls.ts'
import { supabase } from '../supabase-clients/supabase.ts'
import { askFor, cases, kept, secret, writeApp } from '../edge/app-requests.ts'
import { objectCalls, type AskObject } from '../edge/objects.ts'
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
  await writeApp(join(it.directory, 'money'))
  await it.configure({ RATE_LIMIT_ENABLED: 'false', APP_DIR: 'money/app' })
  await it.up()
  bearer = { authorization: `Bearer ${await tokenOf(it.person('Ann', 'ann@example.org'))}` }
})
afterAll(async () => {
  await it.remove()
})

async function send(path: string, init: RequestInit = {}, url = it.url) {
  const response = await fetch(`${url}/data${path}`, init)
  expect([response.headers.get('cache-control'), response.headers.get('x-content-type-options')]).toEqual(['private, no-store', 'nosniff'])
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

  test('says of a token that is none what PostgREST says, however long the body is', async () => {
    for (const bytes of [5 * KiB, 60 * KiB, 200 * KiB]) {
      const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await post('{}'.padEnd(bytes), { authorization: 'Bearer x' }, url())).status))
      expect(new Set(statuses)).toEqual(new Set([401]))
    }
    expect(await post(chunks(200 * KiB), { authorization: 'Bearer x', prefer: 'tx=rollback' }, url())).toMatchObject({
      status: 401,
      text: expect.stringContaining('PGRST301'),
    })
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

describe('the app in APP_DIR', () => {
  test.each(cases)('%s: %j is answered with %i', async (_, request, status, headers, body) => {
    const answer = await askFor(it.plainUrl, ...request)
    expect(answer.status).toBe(status)
    for (const [name, value] of Object.entries(headers)) expect(answer.headers[name], name).toMatch(value)
    expect(answer.body).toMatch(body)
  })

  test('is compressed where no compressed file is there', async () => {
    const { headers } = await fetch(`${it.url}/assets/index-aB3x_9Qz.js`, { headers: { 'accept-encoding': 'zstd' } })
    expect(headers.get('content-encoding')).toBe('zstd')
  })

  test('is told apart from the next build', async () => {
    const { headers: { etag = '' } } = await askFor(it.plainUrl, 'GET', '/robots.txt')
    expect(await askFor(it.plainUrl, 'GET', '/robots.txt', { 'if-none-match': etag })).toMatchObject({ status: 304, body: '' })
  })

  test.each(kept)('has no place at %s, though it has a file of that name', async (path) => {
    expect((await askFor(it.plainUrl, 'GET', path)).body).not.toContain(secret)
  })

  test('without an index.html ends the start of Caddy with one line', async () => {
    const started = it.compose('run', '--rm', '--no-deps', '-T', '-v', `${join(it.directory, 'infra/docker')}:/srv/app:ro`, 'caddy')
    await expect(started).rejects.toThrow('Cannot start: APP_DIR must be a folder with an index.html')
  })

  test('is never without a policy, whatever APP_CSP is: what is none ends the start', async () => {
    const started = (service: string, policy: string) => it.compose('run', '--rm', '--no-deps', '-T', '-e', `APP_CSP=${policy}`, service)
    const quoted = `default-src "self"; frame-ancestors '"'none'"`
    await expect(started('auth', quoted)).rejects.toThrow('Cannot start: APP_CSP must hold no "')
    await expect(started('caddy', 'default-src `self`')).rejects.toThrow("parsing caddyfile tokens for 'vars': wrong argument count")
    const policyOf = async (policy: string) => {
      await it.configure({ APP_CSP: policy })
      await it.up('--no-deps', 'caddy')
      return (await askFor(it.plainUrl, 'GET', '/')).headers['content-security-policy']
    }
    // Caddy that nobody stopped sends it as it is written
    expect(await policyOf(quoted)).toBe(quoted)
    expect(await policyOf(`"default-src 'self';\\n  frame-ancestors 'none'"`)).toBe("frame-ancestors 'none'")
    expect(await policyOf('')).toBe("frame-ancestors 'none'")
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

describe.each([
  ['supabase-js', () => supabase(it.url, 'a publishable key')],
  [
    'postgrest-js at /data',
    () => (token?: string) => new PostgrestClient(`${it.url}/data`, { headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } }),
  ],
])('%s', (name, client) => {
  let clients: Clients
  beforeAll(async () => {
    clients = { signedIn: client()(await tokenOf(it.person(name, `${name.replace(/\W/g, '-')}@example.org`))), signedOut: client()() }
  })
  test.each(calls)('%s', (_, call) => call(clients))
})

describe('one object, by the interface’s media type,', () => {
  let authorization: string
  beforeAll(async () => {
    authorization = `Bearer ${await tokenOf(it.person('Otto', 'otto@example.org'))}`
  })
  const ask: AskObject = async (path, accept, init = {}) => {
    const { status, type, text } = await send(path, { ...init, headers: { authorization, accept, ...init.headers } })
    return { status, type, body: JSON.parse(text) }
  }
  test.each(objectCalls)('is asked for %s', (_, call) => call(ask))
})

test('a bearer that is the key of supabase-js is dropped before it is counted as a token, at its own path alone', async () => {
  const asKey = { apikey: 'key', authorization: 'Bearer key' }
  const status = async (path: string, init: RequestInit) => (await fetch(it.url + path, init)).status
  expect(await status('/rest/v1/transactions', { headers: asKey })).toBe(200)
  expect(await status('/rest/v1/transactions', { headers: { ...asKey, 'accept-profile': 'auth' } })).toBe(406)
  expect(await status('/rest/v1/transactions', { headers: { ...asKey, apikey: 'other' } })).toBe(401)
  expect(await status('/data/transactions', { headers: asKey })).toBe(401)
  expect(await status(`/rest/v1/transactions?select=${'a'.repeat(2 * KiB)}`, { headers: asKey })).toBe(414)
  const large = { method: 'POST', body: '['.repeat(64 * KiB + 1), headers: { ...json, ...asKey } }
  expect(await status('/rest/v1/transactions', large)).toBe(413)
  expect(await (await fetch(`${it.url}/rest/v1/transactions`, { headers: { ...bearer, apikey: bearer.authorization.slice('Bearer '.length) } })).text()).toBe(
    '[]',
  )
})

test('PostgREST’s admin port, which in 12.2 has figures and had its configuration, is nobody’s from outside', async () => {
  for (const path of ['/config', '/metrics', '/schema_cache', '/live', '/ready', '/data/config', '/rest/v1/config', '/data/../config', '//config']) {
    const answer = await raw(it.plainUrl, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    expect(answer, path).toMatch(/^HTTP\/1\.1 404 /)
    expect(answer).not.toMatch(/jwt-secret|db-uri/)
  }
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
  // where a request belongs in a trace says no stranger
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  expect((await send('/rpc/headers_of_this_request', { headers: { traceparent, tracestate: 'a=b' } })).text).not.toContain('trace')
  expect((await send('/rpc/headers_of_this_request', { headers: { traceparent } }, it.plainUrl)).text).toContain(traceparent)
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

test('a connection to a service is given up before the service closes it, because a change under it is not sent again', async () => {
  const configuration = JSON.parse(await it.compose('exec', '-T', 'caddy', 'caddy', 'adapt', '--config', '/etc/caddy/Caddyfile')) as unknown
  type Proxy = {
    handler?: string
    upstreams?: { dial: string }[]
    dynamic_upstreams?: { name: string }
    transport?: { keep_alive?: { idle_timeout: number } }
    rewrite?: unknown
  }
  const idle = new Set<string>()
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { handler, upstreams = [], dynamic_upstreams: dynamic, transport, rewrite } = value as Proxy
    // a probe is a GET, which is sent again
    if (handler === 'reverse_proxy' && rewrite === undefined) {
      const [service] = /auth|postgrest/.exec(dynamic?.name ?? upstreams[0]?.dial ?? '') ?? []
      idle.add(`${service} ${(transport?.keep_alive?.idle_timeout ?? Number.POSITIVE_INFINITY) / 1e9} s`)
    }
    Object.values(value).forEach(walk)
  }
  walk(configuration)
  expect([...idle].toSorted()).toEqual(['auth 30 s', 'postgrest 10 s'])
})

describe('the database stands', () => {
  /** Its container and its log: whether any of its processes was killed, for which it would end all others. */
  const database = async () => {
    const [{ RestartCount: restarts, State: { OOMKilled: outOfMemory } }] = JSON.parse(
      await run('docker', ['inspect', (await it.compose('ps', '-q', 'db')).trim()]),
    )
    const crashes = (await it.compose('logs', 'db')).match(/terminating any other active server processes|terminated by signal/g) ?? []
    return { restarts, outOfMemory, crashes }
  }
  const unharmed = { restarts: 0, outOfMemory: false, crashes: [] }
  const aliases = (number: number) => Array.from({ length: number }, (__, alias) => `c${alias}:description`).join()
  const refusal = /^\{"code":"53200","details":"[^"\\]*(\\"\w+\\")?\.","hint":null,"message":"out of memory"\}$/
  let mallory: { authorization: string }
  beforeAll(async () => {
    mallory = { authorization: `Bearer ${await tokenOf(it.person('Mallory', 'mallory@example.org'))}` }
    const rows = JSON.stringify(Array.from({ length: 400 }, () => ({ name: 'Long', amount: -1, description: 'x'.repeat(5000) })))
    for (let time = 0; time < 8; time++) expect((await post(rows, mallory)).status).toBe(201)
  })
  afterAll(async () => {
    await it.sql('truncate api.transactions cascade')
  })

  test.each<[string, () => Promise<{ status: number, text: string }>]>([
    ['30 times the same column of 16 MB of rows', () => send(`/transactions?select=${aliases(30)}`, { headers: mallory })],
    ['twice that column, which is just too much', () => send(`/transactions?select=${aliases(2)}`, { headers: mallory })],
    ['a million numbers in JSON', () => post(`{"name":"a","amount":1,"metadata":[${'1,'.repeat(MiB - 40)}1]}`, mallory)],
  ])('while one person asks twelve times at once for %s: each hears a refusal, nobody else’s read fails', async (_, ask) => {
    const stopped = new AbortController()
    const reads = new Set<number>()
    const reading = (async () => {
      while (!stopped.signal.aborted) reads.add((await send('/transactions?limit=1', { headers: bearer })).status)
    })()
    const answers = await Promise.all(Array.from({ length: 12 }, ask)).finally(() => stopped.abort())
    await reading
    for (const { status, text } of answers) {
      // those beyond a person's places, or who took too long
      if (status === 503 && !text.includes('SERVICE_BUSY')) expect(text).toMatch(refusal)
      else expect(text).toMatch(/"code":"(53400|57014|SERVICE_BUSY)"/)
    }
    process.stdout.write(`  ${_}: ${answers.map(({ status }) => status).join(' ')}\n`)
    expect(answers.filter(({ text }) => refusal.test(text))).not.toEqual([])
    expect([...reads]).toEqual([200])
    expect(await database()).toEqual(unharmed)
  })

  test('while the largest answers there are come at once, and PostgREST with it', async () => {
    const before = await postgrest()
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(`/transactions?select=${aliases(2)}&limit=2400`, { headers: mallory })))
    const after = await postgrest()
    process.stdout.write(`  answers of 24 MB: ${answers.map(({ status }) => status).join(' ')}; PostgREST ${Math.round(after.peak)} MiB\n`)
    expect(answers.filter(({ status }) => status === 200)).not.toEqual([])
    expect(after).toMatchObject({ restarts: before.restarts, outOfMemory: false })
    expect(await database()).toEqual(unharmed)
  })

  test('and 5,000 rows are stored at once, 10,000 exported, and indexed', async () => {
    const rows = JSON.stringify(
      Array.from({ length: 5000 }, (__, number) => ({
        name: `Row number ${number}`,
        amount: -12.5,
        description: 'Paid by card at the shop around the corner',
        metadata: { imported_from: 'a bank', line: number },
      })),
    )
    for (let time = 0; time < 2; time++) {
      const stored = await post(rows, { ...bearer, prefer: 'return=representation' })
      expect([stored.status, (JSON.parse(stored.text) as unknown[]).length]).toEqual([201, 5000])
    }
    const exported = await send('/transactions?select=*,categories(*)', { headers: bearer })
    expect([exported.status, (JSON.parse(exported.text) as unknown[]).length]).toEqual([200, 10_000])
    await it.sql('reindex table api.transactions')
    await it.sql('vacuum (analyze) api.transactions')
    expect((await it.sums()).size).toBeGreaterThan(0)
    expect(await database()).toEqual(unharmed)
  })
})

describe('PostgREST stands', () => {
  // the first, because what the others leave in hand would count as this one's
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
})

/**
 * The edge as a process: its surfaces, probes and settings, its start and stop. Its upstreams:
 * process-upstreams.test.ts.
 */
import { once } from 'node:events'
import { request as httpRequest, type RequestListener } from 'node:http'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../start/ports.ts'
import { openLive } from '../support/live.ts'
import { person, type Person } from '../support/person.ts'
import { missingSeries } from '../support/metric-queries.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { requestFile, appRequests, writeApp } from './app-requests.ts'
import { endOfEdge, startEdgeProcess, type EdgeProcess } from './process.ts'
import { fakePostgrest } from './support.ts'
import { edgeFor, isReady, json, postgrest, statusOf } from './started-edges.ts'

let stack: Stack
let edge: EdgeProcess
let ann: Person
let token: string
let readyPort: number
/** The upstreams of a running stack. */
const stackUpstreams = () => ({
  AUTH_UPSTREAM: stack.url,
  POSTGREST_UPSTREAM: stack.dataUrl,
  POSTGREST_READY_PORT: String(readyPort),
  TRUSTED_PROXIES: '127.0.0.1',
})

beforeAll(async () => {
  readyPort = await freePort()
  stack = await startStack({
    data: true,
    env: { TRUSTED_PROXIES: '127.0.0.1', TRACE_PROXIES: '127.0.0.1' },
    dataEnv: { PGRST_ADMIN_SERVER_PORT: String(readyPort) },
  })
  edge = await startEdgeProcess(stackUpstreams())
  ann = person({ ...stack, url: edge.url }, 'Ann')
  await ann.signUp()
  await ann.verify()
  await ann.signIn()
  token = await ann.token()
})
afterAll(async () => {
  await edge[Symbol.asyncDispose]()
  await stack.close()
})

const bearer = () => ({ authorization: `Bearer ${token}` })
const lines = (of: EdgeProcess, id: string) =>
  of.output().split('\n').filter((line) => line.includes(id)).map((line) => JSON.parse(line))

describe('a live stream', () => {
  const openStream = (of: EdgeProcess) =>
    openLive(of.url, {
      cookie: [...ann.cookies].map(([key, value]) => `${key}=${value}`).join('; '),
    }, '?tables=tags')

  test('a live stream passes the edge without a buffer, and its end reaches the auth service', async () => {
    const stream = await openStream(edge)
    await stream.next('ready')
    const created = await fetch(`${edge.url}/data/tags`, {
      method: 'POST',
      headers: { ...bearer(), ...json },
      body: '{"name":"Food"}',
    })
    expect(await stream.next()).toMatchObject({
      event: 'change',
      data: { change_id: created.headers.get('x-change-id') },
    })
    const streams = async () =>
      /^auth_streams (\d+)/m.exec(await (await fetch(`${stack.url}/metrics`)).text())?.[1]
    await stream.close()
    await expect.poll(streams).toBe('0')
    // a client leaves each stream, so this is no failure
    await expect.poll(() => edge.output()).toMatch(/"path":"\/api\/auth\/changes","status":200/)
  })

  test('a live stream is refused beside a thousand others, so that half of the connections remain for other requests', async () => {
    const endless: RequestListener = (request, response) => {
      if (request.url !== '/api/auth/changes') response.end()
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n')
    }
    const full = await edgeFor({
      AUTH_UPSTREAM: await fakePostgrest(endless),
      TRUSTED_PROXIES: '127.0.0.1',
    })
    const [left, last] = [new AbortController(), new AbortController()]
    onTestFinished(() => last.abort())
    const open = (client: string, { signal } = left) =>
      fetch(`${full.url}/api/auth/changes`, { signal, headers: { 'x-forwarded-for': client } })
    // kept, because fetch cancels a response that nothing refers to
    const responses: Response[] = []
    for (const client of ['203.0.113.7', '198.51.100.7']) {
      for (let at = 0; at < 5; at++)
        responses.push(...await Promise.all(Array.from({ length: 100 }, () => open(client))))
    }
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    const refused = await open('192.0.2.7')
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()])
      .toMatchObject([429, '30', { error: 'RATE_LIMIT_EXCEEDED' }])
    expect(await statusOf(`${full.url}/api/auth/get-session`)).toBe(200)
    left.abort()
    await expect.poll(async () => (await open('192.0.2.7', last)).status).toBe(200)
  })

  test('a live stream ends when the edge stops, so that the stop does not wait for it', async () => {
    const stopping = await startEdgeProcess(stackUpstreams())
    const stream = await openStream(stopping)
    await stream.next('ready')
    const begun = performance.now()
    await stopping[Symbol.asyncDispose]()
    await stream.closed
    // the time in which a stopping edge still serves, and not the five seconds for requests in
    // progress
    expect(performance.now() - begun).toBeLessThan(5_000)
    expect(stream.text()).not.toContain('event: end')
  })
})

test('both surfaces log one line per request without its query, and the auth service logs the same id and client', async () => {
  for (const path of ['/data/transactions?name=eq.secret', '/api/auth/get-session?a=secret']) {
    const headers = {
      'x-forwarded-for': '203.0.113.7',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    }
    const id = (await fetch(edge.url + path, {
      headers: { ...headers, 'x-request-id': 'chosen-by-a-client' },
    })).headers.get('x-request-id') ?? ''
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    await expect.poll(() => lines(edge, id)).toHaveLength(1)
    expect(lines(edge, id)[0]).toMatchObject({
      id,
      method: 'GET',
      path: path.split('?')[0],
      status: expect.any(Number),
      ms: expect.any(Number),
      client: '203.0.113.7',
    })
    if (path.startsWith('/api'))
      await expect.poll(() =>
        stack.logged.filter((line) => line.includes(id) && line.includes('203.0.113.7'))
      ).toHaveLength(1)
  }
  expect(edge.output()).not.toContain('secret')
  expect(stack.logged.join('')).not.toContain('chosen-by-a-client')
})

test('both surfaces are up at /healthz, and down if either does not respond', async () => {
  const health = async (of: EdgeProcess) => {
    const response = await fetch(`${of.url}/healthz`)
    return [response.status, await response.json()]
  }
  await isReady(edge)
  expect(await health(edge)).toEqual([200, { status: 'up' }])
  expect(
    await health(
      await edgeFor({ POSTGREST_UPSTREAM: stack.dataUrl, POSTGREST_READY_PORT: String(readyPort) }),
    ),
  ).toEqual([503, { status: 'down' }])
  expect(await health(await edgeFor({ AUTH_UPSTREAM: stack.url }))).toEqual([503, {
    status: 'down',
  }])
})

describe('the state of the edge', () => {
  test('the state of the edge is served at the admin port only; the public port has no probe or setting of the edge, the auth service or PostgREST', async () => {
    for (const path of ['/livez', '/readyz', '/metrics']) {
      expect([path, await statusOf(edge.adminUrl + path)]).toEqual([path, 200])
      for (
        const form of [path, `${path}?a=b`, `http://localhost${path}`, `/x/..${path}`, `//${path}`]
      ) {
        expect([form, (await requestFile(edge.url, 'GET', form)).status]).toEqual([form, 404])
      }
    }
    for (
      const path of [
        '/config',
        '/schema_cache',
        '/live',
        '/ready',
        '//config',
        '/data/config',
        '/data/../config',
      ]
    ) {
      const { status, body } = await requestFile(edge.url, 'GET', path)
      expect([path, status, body]).toEqual([
        path,
        404,
        expect.not.stringMatching(/jwt-secret|db-uri|edge_/),
      ])
    }
    expect(await statusOf(`${edge.adminUrl}/nothing`)).toBe(404)
    const figures = await (await fetch(`${edge.adminUrl}/metrics`)).text()
    for (
      const series of [
        'edge_requests_total{surface="data",status="200"}',
        'edge_upstreams{surface="auth",state="ready"} 1',
        'process_resident_memory_bytes',
      ]
    ) {
      expect(figures).toContain(series)
    }
    expect(await missingSeries(/^(edge|nodejs|process)_/, figures)).toMatchObject({ missing: [] })
  })

  test.each([
    ['AUTH_UPSTREAM must be set', { AUTH_UPSTREAM: '' }],
    ['POSTGREST_UPSTREAM must be a list of addresses', { POSTGREST_UPSTREAM: 'postgrest' }],
    ['POSTGREST_UPSTREAM must be a list of addresses', {
      POSTGREST_UPSTREAM: 'http://a:3000/path',
    }],
    ['POSTGREST_UPSTREAM must be a list of addresses', {
      POSTGREST_UPSTREAM: 'http://a:3000 https://b:3000',
    }],
    ['DATA_REPLICAS must be a list of addresses', { DATA_REPLICAS: 'http://user:secret@a:3000' }],
    ['EDGE_ADMIN_PORT must differ from PORT', { PORT: '20001', EDGE_ADMIN_PORT: '20001' }],
    ['POSTGREST_READY_PORT must be a port number', { POSTGREST_READY_PORT: 'x' }],
    ['APP_DIR must be a folder with an index.html', { APP_DIR: '/nonexistent' }],
    ['TRUSTED_PROXIES must be a comma list of CIDR ranges', { TRUSTED_PROXIES: 'everybody' }],
  ])('an invalid setting makes the start fail with one line: %s', async (message, env) => {
    const { code, output } = await endOfEdge({
      AUTH_UPSTREAM: 'auth:3000',
      POSTGREST_UPSTREAM: 'postgrest:3000',
      APP_DIR: 'none',
      ...env,
    })
    expect(output).toMatch(new RegExp(`^Cannot start: ${message}[^\\n]*\\n$`))
    expect(output).not.toContain('secret')
    expect(code).toBe(1)
  })

  test('a port in use makes the start fail with one line that names its setting', async () => {
    const upstreams = {
      AUTH_UPSTREAM: 'auth:3000',
      POSTGREST_UPSTREAM: 'postgrest:3000',
      APP_DIR: 'none',
    }
    const [taken, free] = [new URL(edge.url).port, String(await freePort())]
    expect((await endOfEdge({ ...upstreams, PORT: taken, EDGE_ADMIN_PORT: free })).output)
      .toContain(`Cannot start: PORT ${taken} is taken`)
    expect((await endOfEdge({ ...upstreams, PORT: free, EDGE_ADMIN_PORT: taken })).output)
      .toContain(`Cannot start: EDGE_ADMIN_PORT ${taken} is taken`)
  })

  test('a host name without an address causes a warning that names the setting, and the other surface is served', async () => {
    const one = await edgeFor({
      AUTH_UPSTREAM: 'http://no-such-host.invalid:3000',
      POSTGREST_UPSTREAM: stack.dataUrl,
      POSTGREST_READY_PORT: String(readyPort),
    })
    await expect.poll(() => one.output()).toContain(
      '"setting":"AUTH_UPSTREAM","name":"no-such-host.invalid","msg":"a host name has no address"',
    )
    await isReady(one)
    expect(await statusOf(`${one.url}/data/transactions`)).toBe(200)
  })

  test('an upstream that is never ready causes a warning that names the setting and both ports', async () => {
    const one = await edgeFor({ POSTGREST_UPSTREAM: stack.dataUrl, POSTGREST_READY_PORT: '9' })
    const { port } = new URL(stack.dataUrl)
    await expect.poll(one.output).toContain(
      `"setting":"POSTGREST_UPSTREAM","name":"127.0.0.1:${port}","msg":"an upstream does not say at port 9 that it is ready"`,
    )
  })
})

test('the app in APP_DIR is served like by npm start, and compressed if its build has no compressed copy', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'finance app '))
  onTestFinished(() => rm(folder, { recursive: true }))
  const directory = await writeApp(folder)
  await writeFile(join(directory, 'large.js'), 'money()\n'.repeat(1_000))
  const one = await edgeFor({ APP_DIR: directory, APP_CSP: "default-src 'self'" })
  for (const [what, request, status] of appRequests.slice(0, 12))
    expect([what, (await requestFile(one.url, ...request)).status]).toEqual([what, status])
  expect((await requestFile(one.url, 'GET', '/')).headers['content-security-policy']).toBe(
    "default-src 'self'",
  )
  const packed = await requestFile(one.url, 'GET', '/large.js', { 'accept-encoding': 'gzip' })
  expect(packed.headers).toMatchObject({
    'content-encoding': 'gzip',
    vary: expect.stringMatching(/accept-encoding/i),
  })
  expect(packed.body.length).toBeLessThan(1_000)
})

test('the app is absent if APP_DIR is a file: `/` is served by the auth service, which links to the docs', async () => {
  const one = await edgeFor({
    AUTH_UPSTREAM: stack.url,
    APP_DIR: join(import.meta.dirname, 'process.ts'),
  })
  expect(await (await fetch(one.url)).json()).toMatchObject({ auth: expect.any(String) })
})

describe('upstreams', () => {
  test('upstreams of the auth surface may be down: the data surface responds, and an auth request waits for a start', async () => {
    const port = await freePort()
    const one = await edgeFor({ ...stackUpstreams(), AUTH_UPSTREAM: `http://127.0.0.1:${port}` })
    await isReady(one)
    const waits = [
      fetch(`${one.url}/api/auth/jwks`),
      fetch(`${one.url}/api/auth/sign-out`, { method: 'POST' }),
      fetch(`${one.url}/api/auth/x`, { method: 'POST', body: '{}' }),
    ]
    for (let at = 0; at < 5; at++)
      expect(await statusOf(`${one.url}/data/transactions`, { headers: bearer() })).toBe(200)
    await fakePostgrest(
      (request, response) => void request.resume().once('end', () => response.end(request.url)),
      port,
    )
    expect(await Promise.all(waits.map(async (answer) => (await answer).text()))).toEqual([
      '/api/auth/jwks',
      '/api/auth/sign-out',
      '/api/auth/x',
    ])
  })
})

test('the real PostgREST never returns 500 to a client for an upsert with the same row twice or for deeply nested JSON', async () => {
  const post = async (path: string, body: string, headers = {}) => {
    const response = await fetch(edge.url + path, {
      method: 'POST',
      headers: { ...bearer(), ...json, ...headers },
      body,
    })
    return [response.status, (await response.json() as { code: string }).code]
  }
  const id = '00000000-0000-4000-8000-000000000001'
  const twice = JSON.stringify([{ id, name: 'Bread', amount: -3 }, {
    id,
    name: 'Rolls',
    amount: -4,
  }])
  expect(
    await post('/data/transactions?on_conflict=id', twice, {
      prefer: 'resolution=merge-duplicates',
    }),
  ).toEqual([400, '21000'])
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  expect(await post('/data/transactions', `{"name":"Bread","amount":-3,"metadata":${deep}}`))
    .toEqual([413, '54001'])
  expect(await post('/data/rpc/get_filtered_transactions', `{"filters":${deep}}`)).toEqual([
    413,
    '54001',
  ])
})

test('a stop keeps serving for a moment with Connection: close, completes running requests, and returns 503 to probes', async () => {
  let finish = () => {}
  const requestReceived = Promise.withResolvers<void>()
  const one = await edgeFor(
    await postgrest((request, response) => {
      if (request.url !== '/slow') return void response.end('[]')
      finish = () => response.end('whole')
      return requestReceived.resolve()
    }),
  )
  await isReady(one)
  const slow = fetch(`${one.url}/data/slow`).then((response) => response.text())
  await requestReceived.promise
  process.kill(one.pid, 'SIGTERM')
  await expect.poll(() => statusOf(`${one.adminUrl}/readyz`)).toBe(503)
  const late = httpRequest(`${one.url}/data/x`).end()
  const [{ headers }] = await once(late, 'response') as [{ headers: Record<string, string> }]
  expect(headers['connection']).toBe('close')
  finish()
  expect(await slow).toBe('whole')
  expect(await one.ended).toBe(0)
})

test('a hold delays requests of both surfaces until it ends, but not the app and /healthz', async () => {
  const one = await edgeFor({
    ...stackUpstreams(),
    APP_DIR: await writeApp(await mkdtemp(join(tmpdir(), 'finance app '))),
  })
  await isReady(one)
  process.kill(one.pid, 'SIGUSR2')
  await expect.poll(one.output).toContain('requests are held')
  let answered = 0
  const waiting = ['/data/transactions', '/api/auth/jwks'].map((path) =>
    statusOf(one.url + path).finally(() => (answered += 1))
  )
  expect(await statusOf(`${one.url}/healthz`)).toBe(200)
  expect(await statusOf(one.url)).toBe(200)
  expect(answered).toBe(0)
  process.kill(one.pid, 'SIGUSR1')
  expect(await Promise.all(waiting)).toEqual([200, 200])
})

test('after kill -9 under load only requests in progress are lost: every acknowledged row is stored once', async () => {
  let one = await startEdgeProcess(stackUpstreams())
  onTestFinished(() => one[Symbol.asyncDispose]())
  await isReady(one)
  const acknowledged: string[] = []
  const failed: string[] = []
  const load = { running: true }
  const callers = 8
  const write = async (caller: number) => {
    for (let number = 0; load.running; number++) {
      const external_id = `${caller}-${number}`
      const body = JSON.stringify({ name: 'Under load', amount: -1, source: 'load', external_id })
      const status = await statusOf(`${one.url}/data/transactions`, {
        method: 'POST',
        headers: { ...bearer(), ...json },
        body,
      }).catch(() => 0)
      if (status === 201) acknowledged.push(external_id)
      else failed.push(external_id)
      // No process listens until the restart.
      if (status === 0) await restarted
    }
  }
  const restart = Promise.withResolvers<void>()
  const restarted = restart.promise
  const writing = Array.from({ length: callers }, (_, caller) => write(caller))
  await expect.poll(() => acknowledged.length).toBeGreaterThan(100)
  process.kill(one.pid, 'SIGKILL')
  await one.ended
  one = await one.again()
  restart.resolve()
  const before = acknowledged.length
  await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 100)
  load.running = false
  await Promise.all(writing)
  expect(failed.length).toBeLessThanOrEqual(callers)
  const { rows } = await stack.sql.query<{ external_id: string }>(
    `select external_id from api.transactions where source = 'load'`,
  )
  const stored = rows.map(({ external_id }) => external_id)
  expect(new Set(stored).size).toBe(stored.length)
  expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([])
})

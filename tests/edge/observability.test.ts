/** Observability of the edge: request ids, log lines, metrics and health. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../start/ports.ts'
import { signedIn, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { edgeForTest, fakePostgrest, raw } from './support.ts'

let stack: Stack
let behindProxy: Stack
/** The URL of a service that trusts its proxy with client addresses only. */
let behindPlainProxy: string
let ann: Person
let token: string
beforeAll(async () => {
  stack = await startStack({ data: true })
  behindProxy = await startStack({
    data: true,
    env: { TRACE_PROXIES: '127.0.0.1' },
    dataEnv: { PGRST_LOG_LEVEL: 'info' },
  })
  behindPlainProxy = await behindProxy.startAnotherAuth({
    TRACE_PROXIES: '',
    TRUSTED_PROXIES: '127.0.0.1',
  })
  ann = await signedIn(stack, 'Ann')
  token = await ann.token()
})
afterAll(async () => {
  await stack.close()
  await behindProxy.close()
})

const ownId = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const lines = (of: Stack, id: string) =>
  of.logged.filter((line) => line.startsWith('{') && line.includes(id)).map((line) =>
    JSON.parse(line)
  )
const idOf = async (url: string, init: RequestInit = {}) =>
  (await fetch(url, init)).headers.get('x-request-id') ?? ''

describe('a response', () => {
  test.each([
    ['of the auth surface', '/api/auth/get-session', {}],
    ['of no surface', '/nothing', {}],
    ['of the data surface', '/data/transactions', {}],
    ['at supabase’s path', '/rest/v1/transactions', { method: 'HEAD' }],
    ['refused by the edge', `/data/transactions?select=${'a'.repeat(3_000)}`, {}],
    ['of a PostgREST that refuses the token', '/data/transactions', {
      headers: { authorization: 'Bearer bent' },
    }],
  ])('%s has an id, and one log line with it', async (_, path, init) => {
    const id = await idOf(stack.url + path, init)
    expect(id).toMatch(ownId)
    await expect.poll(() => lines(stack, id)).toMatchObject([{ id, path: path.split('?')[0] }])
  })

  test('a response has one X-Request-Id, even if PostgREST repeats it', async () => {
    const answer = await raw(
      stack.url,
      'GET /data/transactions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    )
    expect(answer.match(/x-request-id/gi)).toHaveLength(1)
    const direct = await fetch(`${stack.dataUrl}/transactions`, {
      headers: { 'x-request-id': 'asked-directly' },
    })
    expect(direct.headers.get('x-request-id')).toBe('asked-directly')
  })

  test('a response exposes its id to pages of other origins', async () => {
    for (const path of ['/data/transactions', `/data/transactions?select=${'a'.repeat(3_000)}`]) {
      const { headers } = await fetch(stack.url + path, {
        headers: { origin: 'https://app.example.org' },
      })
      expect(headers.get('access-control-expose-headers')?.toLowerCase()).toContain('x-request-id')
    }
  })
})

describe('a request id from outside', () => {
  test.each(['/api/auth/get-session', '/data/transactions'])(
    'a request id from outside to %s is accepted only from a proxy of TRACE_PROXIES',
    async (path) => {
      const headers = { 'x-request-id': 'an-id.of_the-proxy-1' }
      expect(await idOf(behindPlainProxy + path, { headers })).toMatch(ownId)
      expect(await idOf(behindProxy.url + path, { headers })).toBe('an-id.of_the-proxy-1')
      expect(await idOf(stack.url + path, { headers })).toMatch(ownId)
    },
  )

  test.each([
    ['too short', 'seven77'],
    ['too long', 'x'.repeat(65)],
    ['of two words', 'two words here'],
    ['like JSON', '"}{"id":"x'],
    [
      'a list',
      'first-one, second-one',
    ],
  ])(
    'that is %s is replaced',
    async (_, given) => {
      expect(
        await idOf(`${behindProxy.url}/data/transactions`, { headers: { 'x-request-id': given } }),
      ).toMatch(ownId)
    },
  )

  test('a request id from outside is in PostgREST’s log, if that logs ids', async () => {
    await fetch(`${behindProxy.url}/data/transactions`, {
      headers: { 'x-request-id': 'to-find-again', 'user-agent': 'a browser' },
    })
    await expect.poll(() =>
      behindProxy.logged.filter((line) => line.includes('"a browser request-id/to-find-again"'))
    ).toHaveLength(1)
  })
})

test('the log line of a request to the data surface has the same fields as lines of the auth service', async () => {
  const id = await idOf(`${stack.url}/data/transactions?name=eq.Rent`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await expect.poll(() => lines(stack, id)).toEqual([{
    level: 'info',
    time: expect.any(String),
    id,
    method: 'GET',
    path: '/data/transactions',
    status: 200,
    ms: expect.any(Number),
    client: '127.0.0.1',
    msg: 'request',
  }])
})

test('the log line of a request to the data surface contains no search text, no written values and no token', async () => {
  const id = await idOf(`${stack.url}/data/transactions?name=eq.a-name-to-look-for`, {
    method: 'PATCH',
    body: '{"name":"another-name-to-look-for"}',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'user-agent': 'an-agent-to-look-for',
      cookie: 'a=cookie-to-look-for',
    },
  })
  await expect.poll(() => lines(stack, id)).toHaveLength(1)
  expect(stack.logged.filter((line) => /-to-look-for/.test(line) || line.includes(token))).toEqual(
    [],
  )
})

test('the log line of a request to the data surface also exists for a client that disconnected before the response', async () => {
  const requestReceived = Promise.withResolvers<void>()
  const logged: string[] = []
  const url = await edgeForTest(await fakePostgrest(() => requestReceived.resolve()), 2_000, logged)
  const impatient = new AbortController()
  const answer = fetch(`${url}/data/slow`, { signal: impatient.signal })
  await requestReceived.promise
  impatient.abort()
  await expect(answer).rejects.toThrow()
  await expect.poll(() => logged.map((line) => JSON.parse(line).status)).toEqual([499])
})

describe('/metrics', () => {
  const value = async (name: string) =>
    Number(
      new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(
        await (await fetch(`${stack.url}/metrics`)).text(),
      )?.[1],
    )

  test('/metrics counts requests by surface and status, and refused requests by reason', async () => {
    const names = [
      'edge_requests_total{surface="data",status="414"}',
      'edge_refused_total{code="URI_TOO_LONG"}',
      'edge_data_request_duration_seconds_count',
    ]
    const before = await Promise.all(names.map(value))
    await fetch(`${stack.url}/data/transactions?select=${'a'.repeat(3_000)}`)
    await expect.poll(() => Promise.all(names.map(value))).toEqual(
      before.map((was) => (Number.isNaN(was) ? 0 : was) + 1),
    )
    expect(await value('edge_refused_total{code="SERVICE_BUSY"}')).toBe(0)
  })
})

describe('/healthz', () => {
  const health = async (url: string) => {
    const response = await fetch(`${url}/healthz`)
    const [id, policy, type] = ['x-request-id', 'content-security-policy', 'x-content-type-options']
      .map((name) => response.headers.get(name))
    return { status: response.status, id, policy, type, body: await response.json() }
  }

  test('/healthz reports that both surfaces are up, and nothing else', async () => {
    expect(await health(stack.url)).toEqual({
      status: 200,
      id: expect.stringMatching(ownId),
      policy: expect.stringMatching(/^default-src 'none'/),
      type: 'nosniff',
      body: { status: 'up' },
    })
  })

  test('/healthz has only GET and HEAD, and says so', async () => {
    expect((await fetch(`${stack.url}/healthz`, { method: 'HEAD' })).status).toBe(200)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await fetch(`${stack.url}/healthz`, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
      expect(await response.json()).toEqual({
        error: 'METHOD_NOT_ALLOWED',
        message: 'This path supports only GET and HEAD.',
      })
    }
  })

  test('/healthz reports down if PostgREST does not respond, or if the auth service is not ready', async () => {
    expect(await health(await edgeForTest(`http://127.0.0.1:${await freePort()}`))).toMatchObject({
      status: 503,
      body: { status: 'down' },
    })
    await stack.sql.query(
      `update private.migrations set name = 'hidden ' || name where name = 'tables'`,
    )
    await expect.poll(() => health(stack.url)).toMatchObject({
      status: 503,
      body: { status: 'down' },
    })
    await stack.sql.query(`update private.migrations set name = replace(name, 'hidden ', '')`)
    await expect.poll(() => health(stack.url)).toMatchObject({
      status: 200,
      body: { status: 'up' },
    })
  })
})

/**
 * The upstreams of the edge as a process: several of one surface, their failures, standbys, and the
 * errors of PostgREST 16. All upstreams are fake.
 */
import { once } from 'node:events'
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { EdgeProcess } from './process.ts'
import { fakePostgrest } from './support.ts'
import { edgeFor, isReady, json, postgrest, statusOf } from './started-edges.ts'

describe('upstreams', () => {
  /** Counts the requests of two fake PostgREST processes. */
  async function two(
    answer: (name: string) => RequestListener = () => (_, response) => response.end('[]'),
  ) {
    const served: Record<string, number> = { a: 0, b: 0 }
    const start = (name: string) =>
      fakePostgrest((request, response) => {
        if (request.url === '/ready') return void response.end()
        served[name] = (served[name] ?? 0) + 1
        return answer(name)(request, response)
      })
    return { served, a: await start('a'), b: await start('b') }
  }

  test('upstreams share the requests, and one that is not ready gets none', async () => {
    let isBReady = true
    const ready = await fakePostgrest((_, response) =>
      response.writeHead(isBReady ? 200 : 503).end()
    )
    const { served, a, b } = await two()
    // Both use one readiness port, so they are ready together.
    const one = await edgeFor({
      POSTGREST_UPSTREAM: `${a} ${b}`,
      POSTGREST_READY_PORT: new URL(ready).port,
    })
    await isReady(one)
    for (let at = 0; at < 10; at++) await statusOf(`${one.url}/data/x`)
    expect(served).toEqual({ a: 5, b: 5 })
    isBReady = false
    await expect.poll(async () => (await fetch(`${one.adminUrl}/metrics`)).text()).toContain(
      'edge_upstreams{surface="data",state="ready"} 0',
    )
    const waits = statusOf(`${one.url}/data/x`)
    isBReady = true
    expect(await waits).toBe(200)
  })

  test('upstreams of the auth surface see a request only when its body is there, so slow clients hold none of their connections', async () => {
    const seen: string[] = []
    const auth = await fakePostgrest((request, response) => {
      if (request.method === 'POST') seen.push(request.url ?? '')
      request.resume().on('end', () => response.end('{}'))
    })
    const one = await edgeFor({ AUTH_UPSTREAM: auth })
    const slow = Array.from({ length: 20 }, () => {
      const socket = connect(Number(new URL(one.url).port), '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      socket.write(
        'POST /api/auth/slow HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{}',
      )
      return socket
    })
    const quick = () =>
      statusOf(`${one.url}/api/auth/quick`, { method: 'POST', headers: json, body: '{}' })
    await expect.poll(quick).toBe(200)
    expect(seen).toContain('/api/auth/quick')
    expect(seen).not.toContain('/api/auth/slow')
    const answered = once(slow[0]!, 'data')
    slow[0]!.write(' ')
    expect(String((await answered)[0])).toMatch(/^HTTP\/1\.1 200/)
    expect(seen.at(-1)).toBe('/api/auth/slow')
  })

  test('upstreams of realtime that do not exist get no request: the auth surface serves live streams', async () => {
    const auth = await fakePostgrest((_, response) => response.end('{}'))
    const gone = { AUTH_UPSTREAM: auth, REALTIME_UPSTREAM: 'http://127.0.0.1:1' }
    const one = await edgeFor({ ...gone, REALTIME_REPLICAS: '0' })
    await expect.poll(() => statusOf(`${one.url}/api/auth/changes`)).toBe(200)
    expect(await (await fetch(`${one.adminUrl}/metrics`)).text()).not.toContain('realtime')
  })

  test('PostgREST receives no cookie and no API key', async () => {
    let received: IncomingHttpHeaders = {}
    const one = await edgeFor(
      await postgrest((request, response) => {
        received = request.headers
        response.end('[]')
      }),
    )
    await isReady(one)
    const headers = { cookie: 'a=session', 'x-api-key': 'a', apikey: 'b', 'x-other': 'stays' }
    for (const prefix of ['/data', '/rest/v1']) {
      expect(await statusOf(`${one.url}${prefix}/x`, { headers })).toBe(200)
      expect(received).toMatchObject({ 'x-other': 'stays' })
      expect(Object.keys(received)).not.toContain('cookie')
      expect(Object.keys(received).filter((name) => /api-?key/.test(name))).toEqual([])
    }
  })

  test('upstreams that were ready serve again as soon as they read the database, even if they are not ready', async () => {
    let [isListening, hasDatabase] = [true, true]
    const start = (answersReady: () => boolean) =>
      fakePostgrest((request, response) =>
        response.writeHead((request.url === '/ready' ? answersReady() : hasDatabase) ? 200 : 503)
          .end()
      )
    const [a, b] = [await start(() => isListening), await start(() => false)]
    const one = await edgeFor({ POSTGREST_UPSTREAM: a, POSTGREST_READY_PORT: new URL(a).port })
    // This process has never been ready, so it may lack the keys.
    const other = await edgeFor({ POSTGREST_UPSTREAM: b, POSTGREST_READY_PORT: new URL(b).port })
    await isReady(one)
    const ready = async (of: EdgeProcess) =>
      /surface="data",state="ready"\} (\d)/.exec(
        await (await fetch(`${of.adminUrl}/metrics`)).text(),
      )?.[1]
    ;[isListening, hasDatabase] = [false, false]
    await expect.poll(() => ready(one)).toBe('0')
    hasDatabase = true
    await expect.poll(() => ready(one), { timeout: 10_000 }).toBe('1')
    expect(await statusOf(`${one.url}/data/x`)).toBe(200)
    expect(await ready(other)).toBe('0')
  })

  test('upstreams are chosen by their load: while one is slow, the other responds', async () => {
    const waiting: (() => void)[] = []
    let isSlow = true
    const { served, a, b } = await two((name) => (_, response) =>
      name === 'a' && isSlow ? void waiting.push(() => response.end()) : void response.end()
    )
    const ready = await fakePostgrest((_, response) => response.end())
    const one = await edgeFor({
      POSTGREST_UPSTREAM: `${a},${b}`,
      POSTGREST_READY_PORT: new URL(ready).port,
    })
    await isReady(one)
    const all = Array.from({ length: 12 }, () => statusOf(`${one.url}/data/x`))
    await expect.poll(() => waiting.length).toBeGreaterThan(0)
    for (let at = 0; at < 10; at++) expect(await statusOf(`${one.url}/data/x`)).toBe(200)
    const before = served['a'] ?? 0
    isSlow = false
    waiting.splice(0).forEach((finish) => finish())
    expect(new Set(await Promise.all(all))).toEqual(new Set([200]))
    expect(before).toBeLessThanOrEqual(12)
  })

  test('upstreams that refuse connections are skipped: no request fails while one of two is down', async () => {
    const { a } = await two()
    const ready = await fakePostgrest((_, response) => response.end())
    const one = await edgeFor({
      POSTGREST_UPSTREAM: `${a} http://127.0.0.1:9`,
      POSTGREST_READY_PORT: new URL(ready).port,
    })
    await isReady(one)
    for (let at = 0; at < 6; at++) {
      expect(await statusOf(`${one.url}/data/x`)).toBe(200)
      expect(await statusOf(`${one.url}/data/x`, { method: 'POST', body: 'x' })).toBe(200)
      expect(await statusOf(`${one.url}/data/x`, { method: 'DELETE' })).toBe(200)
    }
  })

  test('upstreams that abort a request cause an error in the surface’s format, and a change is not repeated', async () => {
    let changes = 0
    const cut: RequestListener = (request) => {
      if (request.method === 'POST') changes += 1
      request.socket.destroy()
    }
    const auth = await fakePostgrest(cut)
    const one = await edgeFor({ AUTH_UPSTREAM: auth, ...(await postgrest(cut)) })
    await isReady(one)
    const post = async (path: string) => {
      const response = await fetch(one.url + path, { method: 'POST', headers: json, body: '{}' })
      return [response.status, await response.json()]
    }
    expect(await post('/api/auth/sign-in/email')).toEqual([500, {
      error: 'INTERNAL_ERROR',
      message: 'Something went wrong on our side.',
    }])
    const message =
      'The response was lost, so the changes may or may not have been saved. Read the rows before you retry.'
    expect(await post('/data/transactions')).toEqual([502, {
      code: 'BAD_GATEWAY',
      message,
      details: null,
      hint: null,
    }])
    expect(changes).toBe(2)
  })
})

test('standbys serve reads; the primary serves changes, reads with no-cache, and all requests that a standby refuses', async () => {
  let status = 200
  const standby = await postgrest((request, response) =>
    void response.writeHead(status).end(`standby ${request.method} ${request.url}`)
  )
  const primary = await postgrest((request, response) =>
    void request.resume().once(
      'end',
      () => response.end(`primary ${request.method} ${request.url}`),
    )
  )
  const one = await edgeFor({
    ...primary,
    DATA_REPLICAS: standby.POSTGREST_UPSTREAM.slice('http://'.length),
    DATA_REPLICAS_READY_PORT: standby.POSTGREST_READY_PORT,
  })
  await expect.poll(async () => (await fetch(`${one.adminUrl}/metrics`)).text()).toContain(
    'edge_upstreams{surface="standby",state="ready"} 1',
  )
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${one.url}/data${path}`, init)
    return `${response.status} ${await response.text()}`
  }
  expect(await ask('/x?a=b')).toBe('200 standby GET /x?a=b')
  expect(await ask('/x', { headers: { 'cache-control': 'max-age=0, No-Cache' } })).toBe(
    '200 primary GET /x',
  )
  expect(await ask('/x', { method: 'DELETE' })).toBe('200 primary DELETE /x')
  expect(await ask('/x', { method: 'POST', body: 'x' })).toBe('200 primary POST /x')
  for (status of [401, 404, 429, 500, 503]) expect(await ask('/x')).toBe('200 primary GET /x')
})

test('standbys that are down leave the reads to the primary', async () => {
  const primary = await postgrest((_, response) => void response.end('primary'))
  const one = await edgeFor({ ...primary, DATA_REPLICAS: '127.0.0.1:9' })
  await isReady(one)
  expect(await (await fetch(`${one.url}/data/x`)).text()).toBe('primary')
})

describe('a PostgREST of version 16', () => {
  const expired = { code: 'PGRST303', details: null, hint: null, message: 'JWT expired' }
  const errors: [string, number, object, number, object][] = [
    ['an expired token gets the interface’s code', 401, expired, 401, {
      ...expired,
      code: 'PGRST301',
    }],
    ['an invalid token keeps its code', 401, { ...expired, code: 'PGRST301' }, 401, {
      ...expired,
      code: 'PGRST301',
    }],
    [
      'an upsert with the same row twice is a client error',
      500,
      { code: '21000', message: 'cannot affect row a second time' },
      400,
      {
        code: '21000',
        message: 'cannot affect row a second time',
      },
    ],
    [
      'a body that is nested too deeply is too large, like in 12.0.2',
      500,
      { code: '54001', message: 'stack depth limit exceeded' },
      413,
      {
        code: '54001',
        message: 'stack depth limit exceeded',
      },
    ],
    ['another server error stays one', 500, { code: 'XX000', message: 'x' }, 500, {
      code: 'XX000',
      message: 'x',
    }],
    [
      'a large error is passed on unchanged',
      500,
      { code: '21000', message: 'x'.repeat(20_000) },
      500,
      { code: '21000', message: 'x'.repeat(20_000) },
    ],
  ]
  test.each(errors)('%s', async (_, status, body, statusSeen, bodySeen) => {
    const answer = JSON.stringify(body)
    const headers = {
      'content-type': 'application/json',
      'content-length': answer.length,
      'proxy-status': `PostgREST; error=${(body as { code: string }).code}`,
    }
    const one = await edgeFor(
      await postgrest((request, response) =>
        void request.resume().once('end', () => response.writeHead(status, headers).end(answer))
      ),
    )
    await isReady(one)
    for (const init of [{}, { method: 'POST', body: '{}' }, { method: 'DELETE' }]) {
      const response = await fetch(`${one.url}/data/transactions`, init)
      expect([response.status, await response.json()]).toEqual([statusSeen, bodySeen])
      expect(response.headers.get('proxy-status')).not.toContain('PGRST303')
    }
  })
})

/** What can be seen of compose.yaml from outside it and by Prometheus: ids, lines, figures, and that a part is down. */
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { confidential, readInterruptedResponse, createLargeFunction } from '../support/interrupted-response.ts'
import { missingSeries } from '../support/metric-queries.ts'
import { deployment, listens, run, tokenOf, type Deployment } from './deployment.ts'

let it: Deployment
let token: string
let prometheus: string
let standIn: string

beforeAll(async () => {
  it = await deployment()
  const project = `finance-test-${new URL(it.url).port}`
  // an answer that is larger than all sockets hold takes more memory than a query has by itself
  await it.configure({ RATE_LIMIT_ENABLED: 'false', PGRST_LOG_LEVEL: 'info', PROMETHEUS_TAG: project, DB_BACKEND_MEMORY: '512' })
  await it.up()
  // a program that asks, in Prometheus's place, because a machine without a registry has no Prometheus
  standIn = `prom/prometheus:${project}`
  await run('docker', ['tag', `${project}-backend:latest`, standIn])
  prometheus = (await it.compose('run', '-d', '--no-deps', '--entrypoint', 'node', 'prometheus', '-e', 'setInterval(() => undefined, 60_000)')).trim()
  token = await tokenOf(it.person('Ann', 'ann@example.org'))
})
afterAll(async () => {
  await run('docker', ['rm', '-f', prometheus])
  await it.remove()
  await run('docker', ['image', 'rm', '-f', standIn])
})

const soon = { timeout: 30_000 }
const ownId = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** A service's lines with an id; compose clears the terminal before the first of them. */
const lines = async (service: string, id: string) => {
  const logged = (await it.compose('logs', '--no-log-prefix', service)).split('\n').filter((line) => line.includes(id))
  return logged.map((line) => stripVTControlCharacters(line))
}
/** What an address answers where Prometheus stands. */
const inside = (url: string, init: RequestInit = {}) =>
  run('docker', [
    'exec',
    prometheus,
    'node',
    '-e',
    `fetch('${url}', ${JSON.stringify(init)}).then((answer) => answer.text()).then((text) => process.stdout.write(text))`,
  ])
const healthz = async () => {
  const response = await fetch(`${it.url}/healthz`)
  return [response.status, await response.text()]
}

describe('a request', () => {
  test('to the data surface has one id in its answer, in the edge’s line and in PostgREST’s', async () => {
    const { headers } = await fetch(`${it.url}/data/transactions?name=eq.a-name-to-look-for`, {
      headers: { authorization: `Bearer ${token}`, 'user-agent': 'an agent', 'x-request-id': 'chosen-by-a-client' },
    })
    const id = headers.get('x-request-id') ?? ''
    expect(id).toMatch(ownId)
    await expect.poll(() => lines('edge', id), soon).toHaveLength(1)
    expect(JSON.parse((await lines('edge', id))[0] ?? '')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      msg: 'request',
      id,
      method: 'GET',
      path: '/data/transactions',
      status: 200,
      ms: expect.any(Number),
      client: it.gateway,
    })
    await expect.poll(() => lines('postgrest', id), soon).toEqual([expect.stringContaining(`"an agent request-id/${id}"`)])
  })

  test('to the auth surface has the edge’s id in the service’s line', async () => {
    const id = (await fetch(`${it.url}/api/auth/get-session`)).headers.get('x-request-id') ?? ''
    expect(id).toMatch(ownId)
    await expect.poll(async () => [(await lines('edge', id)).length, (await lines('auth', id)).length], soon).toEqual([1, 1])
    expect(JSON.parse((await lines('auth', id))[0] ?? '')).toMatchObject({ id, path: '/api/auth/get-session', status: 401, client: it.gateway })
  })

  test('through a proxy of this machine keeps the id that the proxy gave it, unless it is malformed', async () => {
    const idOf = async (path: string, given: string) => (await fetch(it.plainUrl + path, { headers: { 'x-request-id': given } })).headers.get('x-request-id')
    for (const path of ['/data/transactions', '/api/auth/get-session', '/nothing']) {
      expect(await idOf(path, 'an-id.of_the-proxy-1')).toBe('an-id.of_the-proxy-1')
      expect(await idOf(path, 'two words here')).toMatch(ownId)
    }
  })

  test('that the edge refuses has one too, and a page may read it', async () => {
    const { status, headers } = await fetch(`${it.url}/data/transactions?select=${'a'.repeat(3_000)}`, { headers: { origin: 'https://app.example.org' } })
    expect([status, headers.get('x-request-id')]).toEqual([414, expect.stringMatching(ownId)])
    expect(headers.get('access-control-expose-headers')).toContain('X-Request-Id')
    const { headers: direct } = await fetch(`${it.url}/data/transactions`, { headers: { origin: 'https://app.example.org' } })
    expect(direct.get('access-control-expose-headers')).toMatch(/Content-Range.*, X-Request-Id$/)
  })

  test('leaves neither its query nor its token in a line of Caddy, the edge or the auth service', async () => {
    const logged = await it.compose('logs', '--no-log-prefix', 'caddy', 'edge', 'auth')
    expect(logged).not.toContain('a-name-to-look-for')
    expect(logged).not.toContain(token)
  })
})

describe('Prometheus', () => {
  test('finds every figure that the alerts and the board ask for', async () => {
    const [auth, edge] = [await inside('http://auth:3000/metrics'), await inside('http://edge:9180/metrics')]
    expect(await missingSeries(/^(auth|finance_below|nodejs|process)_/, auth)).toMatchObject({ missing: [] })
    const found = await missingSeries(/^edge_/, edge)
    expect(found).toEqual({ seriesCount: expect.any(Number), missing: [] })
    expect(found.seriesCount).toBeGreaterThan(5)
  })

  test('counts each request to a surface once, with its status', async () => {
    const count = async () => {
      const text = await inside('http://edge:9180/metrics')
      const series = text.split('\n').filter((line) => line.startsWith('edge_requests_total{surface="data",status="414"}'))
      return series.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    }
    for (const url of [it.url, it.plainUrl]) {
      const before = await count()
      await fetch(`${url}/data/transactions?select=${'a'.repeat(3_000)}`)
      expect(await count()).toBe(before + 1)
    }
  })

  test('cannot speak for clients: what it says of where a request comes from is believed by neither', async () => {
    const [{ NetworkSettings: { Networks: standing } }] = JSON.parse(await run('docker', ['inspect', prometheus]))
    const own = Object.values(standing as Record<string, { IPAddress: string }>).map(({ IPAddress }) => IPAddress)
    const forged = (id: string) => ({ headers: { 'x-forwarded-for': '203.0.113.7', 'x-request-id': id } })
    const path = (number: number) => `/api/auth/from-prometheus-${number}`
    await inside(`http://auth:3000${path(1)}`, forged('chosen-by-prometheus-1'))
    await inside(`http://edge:8080${path(2)}`, forged('chosen-by-prometheus-2'))
    for (const [service, number] of [['auth', 1], ['edge', 2]] as const) {
      await expect.poll(() => lines(service, path(number)), soon).toHaveLength(1)
      const { client, id } = JSON.parse((await lines(service, path(number)))[0] ?? '')
      expect(own).toContain(client)
      expect(id).toMatch(ownId)
    }
    // while the edge is believed, on the one network where the service sees it
    expect(JSON.parse((await lines('auth', path(2)))[0] ?? '').client).toBe(JSON.parse((await lines('edge', path(2)))[0] ?? '').client)
  })

  test('alone is told: nobody outside is', async () => {
    expect((await fetch(`${it.url}/metrics`)).status).toBe(404)
    expect(await listens(9180)).toBe(false)
  })
})

test('an answer that PostgREST’s end cuts off is told with its id, and without what was asked, by whom, or a row', async () => {
  await it.sql(createLargeFunction)
  const authorization = `Bearer ${token}`
  await expect.poll(async () => (await fetch(`${it.url}/data/rpc/large_answer?note=small`, { headers: { authorization } })).status, soon).toBe(200)
  const { id, bytes } = await readInterruptedResponse(it.plainUrl, authorization, () => it.crash('postgrest'))
  expect(bytes).toBeLessThan(32_000_000)
  await expect.poll(() => lines('edge', id), soon).toHaveLength(1)
  // the number by which an answer that was cut off is told from a whole one
  expect(JSON.parse((await lines('edge', id))[0] ?? '')).toMatchObject({ id, method: 'GET', path: '/data/rpc/large_answer', status: 499, client: it.gateway })
  await expect.poll(() => lines('caddy', 'aborting with incomplete response'), soon).not.toEqual([])
  const logged = await it.compose('logs', '--no-log-prefix', 'caddy', 'edge')
  for (const value of [token, ...Object.values(confidential), 'aaaaaaaa']) expect(logged).not.toContain(value)
  // a migration would refuse it
  await it.sql('drop function api.large_answer')
  await expect.poll(healthz, soon).toEqual([200, '{"status":"up"}'])
})

test('PostgREST that is stopped is seen, while the auth service is well', async () => {
  const ready = async () => /^edge_upstreams\{surface="data",state="ready"\} (\d)$/m.exec(await inside('http://edge:9180/metrics'))?.[1]
  await expect.poll(ready, soon).toBe('1')
  expect(await healthz()).toEqual([200, '{"status":"up"}'])
  await it.compose('stop', 'postgrest')
  await expect.poll(ready, soon).toBe('0')
  expect(await healthz()).toEqual([503, '{"status":"down"}'])
  expect((await fetch(`${it.url}/api/auth/jwks`)).status).toBe(200)
  await it.compose('start', 'postgrest')
  await expect.poll(healthz, soon).toEqual([200, '{"status":"up"}'])
  await expect.poll(ready, soon).toBe('1')
})

/**
 * Observability of compose.yaml, from outside and by Prometheus: request ids, log lines, metrics,
 * and stopped services.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  confidential,
  createLargeFunction,
  largeResponse,
  readInterruptedResponse,
} from '../support/interrupted-response.ts'
import { missingSeries } from '../support/metric-queries.ts'
import { newDeployment, run, tokenOf, type Deployment } from './deployment.ts'

let deployment: Deployment
let token: string
let prometheus: string
let standIn: string

beforeAll(async () => {
  deployment = await newDeployment()
  const project = `finance-test-${new URL(deployment.url).port}`
  // A response that exceeds all socket buffers, without much memory for the query.
  await deployment.configure({
    RATE_LIMIT_ENABLED: 'false',
    PGRST_LOG_LEVEL: 'info',
    PROMETHEUS_TAG: project,
    DB_BACKEND_MEMORY: '1024',
  })
  await deployment.up()
  // A container in Prometheus's place, because a machine without a registry cannot pull Prometheus.
  standIn = `prom/prometheus:${project}`
  await run('docker', ['tag', `${project}-backend:latest`, standIn])
  prometheus = (await deployment.compose(
    'run',
    '-d',
    '--no-deps',
    '--entrypoint',
    'node',
    'prometheus',
    '-e',
    'setInterval(() => undefined, 60_000)',
  )).trim()
  token = await tokenOf(deployment.person('Ann', 'ann@example.org'))
})
afterAll(async () => {
  await run('docker', ['rm', '-f', prometheus])
  await deployment.remove()
  await run('docker', ['image', 'rm', '-f', standIn])
})

const soon = { timeout: 30_000 }
const ownId = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** Returns a service's log lines with an id. */
const lines = async (service: string, id: string) =>
  (await deployment.logs(service)).filter((line) => line.includes(id))
/** Returns the response of an address on Prometheus's network. */
const inside = (url: string, init: RequestInit = {}) =>
  run('docker', [
    'exec',
    prometheus,
    'node',
    '-e',
    `fetch('${url}', ${
      JSON.stringify(init)
    }).then((answer) => answer.text()).then((text) => process.stdout.write(text))`,
  ])
const healthz = async () => {
  const response = await fetch(`${deployment.url}/healthz`)
  return [response.status, await response.text()]
}

test('a request to the data surface has the same id in its response and in the lines of the edge and PostgREST', async () => {
  const { headers } = await fetch(
    `${deployment.url}/data/transactions?name=eq.a-name-to-look-for`,
    {
      headers: {
        authorization: `Bearer ${token}`,
        'user-agent': 'an agent',
        'x-request-id': 'chosen-by-a-client',
      },
    },
  )
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
    client: deployment.gateway,
  })
  await expect.poll(() => lines('postgrest', id), soon).toEqual([
    expect.stringContaining(`"an agent request-id/${id}"`),
  ])
})

test("a request to the auth surface has the edge's id in the service's line", async () => {
  const id = (await fetch(`${deployment.url}/api/auth/get-session`)).headers.get('x-request-id') ??
    ''
  expect(id).toMatch(ownId)
  await expect.poll(
    async () => [(await lines('edge', id)).length, (await lines('auth', id)).length],
    soon,
  ).toEqual([1, 1])
  expect(JSON.parse((await lines('auth', id))[0] ?? '')).toMatchObject({
    id,
    path: '/api/auth/get-session',
    status: 401,
    client: deployment.gateway,
  })
})

test("a request through a proxy of this machine gets the edge's id, because the proxy is not in TRACE_PROXIES", async () => {
  for (const path of ['/data/transactions', '/api/auth/get-session', '/nothing']) {
    const { headers } = await fetch(deployment.plainUrl + path, {
      headers: { 'x-request-id': 'an-id-of-a-client' },
    })
    expect(headers.get('x-request-id')).toMatch(ownId)
  }
})

test('a request leaves neither query nor token in a log line of Caddy, the edge or the auth service', async () => {
  const logged = (await deployment.logs('caddy', 'edge', 'auth')).join('\n')
  expect(logged).not.toContain('a-name-to-look-for')
  expect(logged).not.toContain(token)
})

test('Prometheus finds every metric of the alerts and the dashboard', async () => {
  const [auth, edge] = [
    await inside('http://auth:3000/metrics'),
    await inside('http://edge:9180/metrics'),
  ]
  expect(await missingSeries(/^(auth|finance_below|finance_database|nodejs|process)_/, auth))
    .toMatchObject({ missing: [] })
  const found = await missingSeries(/^edge_/, edge)
  expect(found).toEqual({ seriesCount: expect.any(Number), missing: [] })
  expect(found.seriesCount).toBeGreaterThan(5)
})

test('Prometheus reads the free space of each volume, and how much of the lifetime of the certificate is left', async () => {
  await deployment.compose('--profile', 'monitoring', 'up', '-d', '--no-deps', 'machine')
  const value = async (series: string) => {
    const text = await inside('http://machine:9102/metrics').catch(() => '')
    return Number(text.split('\n').find((line) => line.startsWith(`${series} `))?.split(' ')[1])
  }
  await expect.poll(() => value('finance_certificate_remaining_ratio'), soon).toBeGreaterThan(0.3)
  for (const volume of ['backups', 'certificates', 'database', 'docker', 'figures', 'offsite']) {
    const [free, size] = [
      await value(`finance_disk_free_bytes{volume="${volume}"}`),
      await value(`finance_disk_size_bytes{volume="${volume}"}`),
    ]
    expect([volume, free > 0, free <= size]).toEqual([volume, true, true])
  }
  // It owns no file, so it can read none.
  await expect(
    deployment.compose(
      'exec',
      '-T',
      'machine',
      'node',
      '-e',
      `require('fs').readdirSync('/volumes/database/18/docker')`,
    ),
  ).rejects.toThrow(/EACCES/)
})

test('Prometheus cannot set client addresses: neither the edge nor the auth service trusts it', async () => {
  const [{ NetworkSettings: { Networks: standing } }] = JSON.parse(
    await run('docker', ['inspect', prometheus]),
  )
  const addresses = Object.values(standing as Record<string, { IPAddress: string }>)
    .map(({ IPAddress }) => IPAddress)
  const forged = (id: string) => ({
    headers: { 'x-forwarded-for': '203.0.113.7', 'x-request-id': id },
  })
  const path = (number: number) => `/api/auth/from-prometheus-${number}`
  await inside(`http://auth:3000${path(1)}`, forged('chosen-by-prometheus-1'))
  await inside(`http://edge:8080${path(2)}`, forged('chosen-by-prometheus-2'))
  for (const [service, number] of [['auth', 1], ['edge', 2]] as const) {
    await expect.poll(() => lines(service, path(number)), soon).toHaveLength(1)
    const { client, id } = JSON.parse((await lines(service, path(number)))[0] ?? '')
    expect(addresses).toContain(client)
    expect(id).toMatch(ownId)
  }
  // The edge is trusted, on its network with the service.
  expect(JSON.parse((await lines('auth', path(2)))[0] ?? '').client).toBe(
    JSON.parse((await lines('edge', path(2)))[0] ?? '').client,
  )
})

test('a response that PostgREST breaks off is logged with its id, and without query, user or rows', async () => {
  await deployment.sql(createLargeFunction)
  const authorization = `Bearer ${token}`
  const read = async () => {
    const response = await fetch(`${deployment.url}/data/rpc/large_answer?note=small`, {
      headers: { authorization },
    })
    // An unread response of this size would stay in progress.
    await response.arrayBuffer()
    return response.status
  }
  await expect.poll(read, soon).toBe(200)
  const { id, bytes } = await readInterruptedResponse(
    deployment.plainUrl,
    authorization,
    await deployment.prepareCrash('postgrest'),
  )
  expect(bytes).toBeLessThan(largeResponse)
  await expect.poll(() => lines('edge', id), soon).toHaveLength(1)
  // This number distinguishes an interrupted response from a complete one.
  expect(JSON.parse((await lines('edge', id))[0] ?? '')).toMatchObject({
    id,
    method: 'GET',
    path: '/data/rpc/large_answer',
    status: 499,
    client: deployment.gateway,
  })
  await expect.poll(() => lines('caddy', 'aborting with incomplete response'), soon).not.toEqual([])
  const logged = (await deployment.logs('caddy', 'edge')).join('\n')
  for (const value of [token, ...Object.values(confidential), 'aaaaaaaa'])
    expect(logged).not.toContain(value)
  // A migration would refuse the function.
  await deployment.sql('drop function api.large_answer')
  await expect.poll(healthz, soon).toEqual([200, '{"status":"up"}'])
})

test('monitoring shows a stopped PostgREST, while the auth service is healthy', async () => {
  const ready = async () =>
    /^edge_upstreams\{surface="data",state="ready"\} (\d)$/m.exec(
      await inside('http://edge:9180/metrics'),
    )?.[1]
  await expect.poll(ready, soon).toBe('1')
  expect(await healthz()).toEqual([200, '{"status":"up"}'])
  await deployment.compose('stop', 'postgrest')
  await expect.poll(ready, soon).toBe('0')
  expect(await healthz()).toEqual([503, '{"status":"down"}'])
  expect((await fetch(`${deployment.url}/api/auth/jwks`)).status).toBe(200)
  await deployment.compose('start', 'postgrest')
  await expect.poll(healthz, soon).toEqual([200, '{"status":"up"}'])
  await expect.poll(ready, soon).toBe('1')
})

/** Requests of clients cannot create an unlimited number of metric series. */
import { Agent, METHODS, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '../../auth/rooms.ts'
import { pageRoutes } from '../../auth/pages/pages.ts'
import { startStack, type Stack } from '../support/stack.ts'

const trusted = 'https://app.example.org'
let stack: Stack
beforeAll(async () => {
  stack = await startStack({ env: { TRUSTED_ORIGINS: trusted, LOG_LEVEL: 'silent' } })
})
afterAll(() => stack.close())

const agent = new Agent({ keepAlive: false, maxSockets: 20 })
afterAll(() => agent.destroy())

/** Sends any method and an unchanged path, unlike fetch. @returns the status */
const send = (method: string, path: string, origin?: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(stack.url, {
      method,
      path,
      agent,
      headers: { 'content-length': '0', ...(origin === undefined ? {} : { origin }) },
    }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    }).on('error', reject).end()
  })

const labels = async (name: string) => {
  const text = await (await fetch(`${stack.url}/metrics`)).text()
  return [
    ...text.matchAll(
      new RegExp(`^auth_http_request_duration_seconds_count\\{[^}]*\\b${name}="([^"]*)"`, 'gm'),
    ),
  ].map(([, value = '']) => value)
}

/** Spellings of a route's path, and paths of no route. */
const pathOf = (i: number): string => {
  const { path } = routes[i % routes.length] ?? { path: '' }
  return [
    `/api/auth/guess-${i}`,
    `/guess-${i}`,
    `/api/auth${path}/`,
    `/api/auth${path}/${i}`,
    `/api/auth${path}?i=${i}`,
    `/api/auth${path.replace('e', '%65')}`,
    `/api/auth${path.toUpperCase()}`,
    `//api/auth${path}`,
    `/api/auth${path}%2f${i}`,
    `/api/auth${path};${i}`,
    `/API/auth/%ff${i}`,
  ][i % 11] ?? ''
}

test('all methods to a thousand paths from a trusted origin, a foreign one and none create only the series of the routes', async () => {
  // Node's server never passes a CONNECT to the handler.
  const methods = METHODS.filter((method) => method !== 'CONNECT')
  const sent = Array.from(
    { length: 1_000 },
    (_, i) =>
      [trusted, 'https://evil.example', undefined].map((origin, k) =>
        send(methods[(i + k) % methods.length] ?? '', pathOf(i), origin)
      ),
  )
  await Promise.all(sent.flat())
  const routeLabels = new Set([
    'unknown',
    '/livez',
    '/readyz',
    '/metrics',
    ...[...routes, ...pageRoutes].map(({ path }) => path),
  ])
  const seen = await labels('route')
  expect(seen).toContain('unknown')
  expect(seen.filter((label) => !routeLabels.has(label))).toEqual([])
  expect(
    (await labels('method')).filter((label) =>
      !['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'OTHER'].includes(label)
    ),
  ).toEqual([])
})

test('a proxy that forwards all paths below /api/auth unchanged does not expose internal endpoints', async () => {
  const ways = [
    '/api/auth/../..',
    '/api/auth/%2e%2e/%2E%2e',
    '/api/auth/.%2e/..',
    '/api/auth/./../x/../..',
  ]
  for (const path of ['/metrics', '/readyz', '/livez']) {
    for (const way of ways) expect(await send('GET', way + path), way + path).toBe(404)
    expect(await send('GET', `${path}?from=inside`)).toBe(200)
  }
})

test('a path with encoded letters or dots is no path of the service, so that no limit of the edge is passed by', async () => {
  expect(await send('GET', '/api/auth/changes')).toBe(401)
  for (const path of ['%63hanges', './changes', 'x/../changes', '%2e/changes'])
    expect(await send('GET', `/api/auth/${path}`), path).toBe(404)
})

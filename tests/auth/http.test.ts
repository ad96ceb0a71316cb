import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nothing } from '../../http/fields.ts'
import { routes } from '../../auth/rooms.ts'
import { pageRoutes } from '../../auth/pages/pages.ts'
import { raw } from '../edge/support.ts'
import { password, person, signedIn, subscribed } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

const app = 'https://app.example.org'
let stack: Stack
beforeAll(async () => {
  stack = await startStack({ env: { TRUSTED_ORIGINS: app } })
})
afterAll(() => stack.close())

const descriptions = ['/openapi.json', '/openapi-whole-rows.json']
test.each(descriptions)(
  'pages of all origins may read the OpenAPI description at %s, which names its server, and cache it for a minute',
  async (path) => {
    const reply = await fetch(`${stack.url}/api/auth${path}`, {
      headers: { origin: 'https://anybody.example' },
    })
    expect(reply.status).toBe(200)
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=60',
      'access-control-allow-origin': '*',
    })
    expect(await reply.json()).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      servers: [{ url: stack.publicUrl }],
      paths: { [`/api/auth${path}`]: {} },
    })
    expect(await person(stack).post(path)).toMatchObject({ status: 405 })
  },
)

test('the page at /docs may load resources and send requests only within its own origin', async () => {
  const page = await fetch(`${stack.url}/docs`)
  expect(page.headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  const files = [...(await page.text()).matchAll(/(?:src|href)="(\/[^"]+)"/g)]
    .map(([, path = '']) => path)
  expect(files).toHaveLength(4)
  for (const file of files) expect((await fetch(`${stack.url}${file}`)).status, file).toBe(200)
})

/** Returns the rows of users and teams, to check that a refused request changed nothing. */
const storedRows = async () =>
  (await stack.sql.query(`select
  (select count(*) from auth.users) users, (select count(*) from auth.sessions) sessions, (select count(*) from auth.organizations) organizations,
  (select md5(string_agg(u::text, '' order by id)) from auth.users u) hash`)).rows[0]

test('a request by HTTP/1.0 without Host, as simple health checks send it, is served', async () => {
  for (const path of ['/', '/docs', '/livez', '/api/auth/jwks'])
    expect(await raw(stack.url, `GET ${path} HTTP/1.0\r\n\r\n`), path).toMatch(/^HTTP\/1\.1 200 /)
})

describe('the body of every error is {error, message}', () => {
  const shaped = {
    error: expect.stringMatching(/^[A-Z_]+$/),
    message: expect.stringMatching(/^[A-Z].*\.$/),
  }

  test.each([
    '/nothing',
    '/',
    '/sign-in',
    '/sign-in/social',
    '/ok',
    '/error',
    '/reset-password/abc',
    '/list-accounts',
    '/delete-user',
    '/organization/add-member',
    '/organization/get-full-organization',
    '/organization/list-with-role',
    '/revoke-session-by-id',
    '/request-password-reset',
    '/request-verification-email',
    '/sign-up/email/',
    '/organization/check-slug',
  ])(
    'GET and POST %s, which is not a route, return 404',
    async (path) => {
      const ann = person(stack)
      for (const method of ['GET', 'POST']) {
        const { status, body } = await ann.call(method, path, method === 'POST' ? {} : undefined)
        expect({ status, body }).toEqual({
          status: 404,
          body: {
            error: 'NOT_FOUND',
            message: 'This path does not exist. All routes are at /docs.',
          },
        })
      }
    },
  )

  test('a route with another method returns 405, and names the methods of the path in Allow and in the message', async () => {
    const answers = async (method: string, path: string) => {
      const response = await fetch(stack.url + path, { method })
      return {
        status: response.status,
        allow: response.headers.get('allow'),
        body: await response.text(),
      }
    }
    const pages = [...pageRoutes.map(({ path }) => path), '/openapi.json']
    const paths = [...new Set([...routes.map(({ path }) => path), ...pages])]
    for (const path of paths) {
      const ofRoutes = routes.filter((row) => row.path === path).map(({ method }) =>
        method as string
      )
      const served = ofRoutes.includes('GET') || pages.includes(path) ? ['GET', 'HEAD'] : []
      const methods = [...new Set([...served, ...ofRoutes]), 'OPTIONS'].toSorted()
      const wrong = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].find((method) =>
        !methods.includes(method)
      ) ?? expect.fail(path)
      const { status, allow, body } = await answers(
        wrong,
        `/api/auth${path.replace(/\{\w+\}/, 'x')}`,
      )
      expect({ path, status, allow: allow?.split(', ').toSorted() }).toEqual({
        path,
        status: 405,
        allow: methods,
      })
      expect(JSON.parse(body)).toEqual({
        error: 'METHOD_NOT_ALLOWED',
        message: `This path supports only ${allow?.replace(/, (\w+)$/, ' and $1')}.`,
      })
    }
    for (const path of ['/', '/docs', '/docs/docs.js', '/livez', '/readyz', '/metrics'])
      expect(await answers('POST', path)).toMatchObject({
        status: 405,
        allow: 'GET, HEAD',
        body: expect.stringContaining('GET and HEAD'),
      })
  })

  test('a request that can change something is 400 with an Idempotency-Key, and changes nothing', async () => {
    const ann = await subscribed(stack, 'Ann')
    const before = await storedRows()
    const changing = routes.filter(({ method }) => method !== 'GET')
    for (const { method, path } of changing) {
      const answer = await ann.call(method, path.replace(/\{\w+\}/, 'x'), {}, {
        'content-type': 'application/json',
        'idempotency-key': 'k',
      })
      expect(answer, path).toMatchObject({
        status: 400,
        body: { ...shaped, error: 'IDEMPOTENCY_KEY_NOT_SUPPORTED' },
      })
    }
    expect(await storedRows()).toEqual(before)
    expect((await ann.call('GET', '/get-session', undefined, { 'idempotency-key': 'k' })).status)
      .toBe(200)
  })

  test('the body of every error is {error, message} names every wrong field at once, with the code of the first', async () => {
    const signUp = (body: object) => person(stack).post('/sign-up/email', body)
    expect(await signUp({ email: 'nobody', password: 'short', name: 'a\nb' })).toMatchObject({
      status: 400,
      body: {
        error: 'INVALID_EMAIL',
        message:
          'The field email: is not a valid email address. The field password: must have 8 to 128 characters. The field name: must be one line without control characters.',
      },
    })
    expect((await signUp({})).body.message).toBe(
      'The field email: is missing. The field password: is missing.',
    )
    expect((await signUp({ email: 'ann@example.org', password: 'short' })).body).toEqual({
      error: 'INVALID_PASSWORD',
      message: "The password is incorrect, or the new password isn't 8 to 128 characters long.",
    })
  })

  const withBody = routes.filter((row) => row.method !== 'GET' && row.isFile !== true)
    .map(({ method, path, input }) => [method, path, input] as const)

  test.each(withBody)(
    '%s %s with broken JSON, a list, a form, text, or 2 MB returns 4xx and changes nothing',
    async (method, path) => {
      const ann = await subscribed(stack, 'Ann')
      const before = await storedRows()
      const json = { 'content-type': 'application/json' }
      const bodies: [string, Record<string, string>, number?][] = [
        ['{"email":', json],
        ['[]', json],
        ['null', json],
        ['"text"', json],
        ['{"a":"\u0000"', json],
        ['email=a&password=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
        [JSON.stringify({ email: ann.email, password }), { 'content-type': 'text/plain' }, 415],
        [JSON.stringify({ email: ann.email, password }), {
          'content-type': 'application/json; charset=latin1',
        }, 415],
        [
          JSON.stringify({ email: ann.email, password }),
          { ...json, 'content-encoding': 'gzip' },
          415,
        ],
        [
          JSON.stringify({ email: 'new@example.org', password, name: 'x'.repeat(2_000_000) }),
          json,
          413,
        ],
      ]
      for (const [body, headers, status] of bodies) {
        const answer = await ann.call(method, path, body, headers)
        expect(answer.status).toBeGreaterThanOrEqual(400)
        expect(answer.status).toBeLessThan(500)
        if (status !== undefined) expect(answer.status).toBe(status)
        expect(answer.body).toEqual(shaped)
      }
      expect(await storedRows()).toEqual(before)
    },
  )

  // Without a provider, POST /sign-in/oidc returns 404 for every body.
  test.each(withBody.filter(([, path, input]) => input !== nothing && path !== '/sign-in/oidc'))(
    '%s %s with fields of wrong types, or with NUL bytes, is 400, and changes nothing',
    async (method, path, input) => {
      const ann = await subscribed(stack, 'Ann')
      const before = await storedRows()
      const names = [
        'email',
        'password',
        'name',
        'token',
        'organizationId',
        'userId',
        'role',
        'slug',
        'invitationId',
        'sessionId',
        'currentPassword',
        'newPassword',
        'image',
      ]
      for (const value of [1, true, [], {}, 'a\u0000b', '\ud800', 'x'.repeat(5000)]) {
        const answer = await ann.call(
          method,
          path,
          Object.fromEntries(names.map((name) => [name, value])),
        )
        expect(answer.status, JSON.stringify(value).slice(0, 20)).toBe(400)
        expect(answer.body).toEqual(shaped)
      }
      if (!input.safeParse({}).success) expect((await ann.call(method, path, {})).status).toBe(400)
      expect(await storedRows()).toEqual(before)
    },
  )

  test('the body of every error is {error, message} queries with NUL bytes, broken encodings or repeated names return 4xx', async () => {
    const ann = await signedIn(stack, 'Ann')
    for (
      const query of [
        'organizationId=%00',
        'organizationId=%ff%fe',
        'organizationId=',
        '',
        'organizationId=a&organizationId=b',
        `organizationId=${'x'.repeat(5000)}`,
      ]
    ) {
      const { status, body } = await ann.get(`/organization/get?${query}`)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
      expect(body).toEqual(shaped)
    }
  })
})

describe('a page of another origin', () => {
  const preflight = (origin: string) =>
    fetch(`${stack.url}/api/auth/sign-in/email`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })

  test('a page of another origin may send requests with credentials if its origin is trusted', async () => {
    const response = await preflight(app)
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe(app)
    expect(response.headers.get('access-control-allow-credentials')).toBe('true')
    expect(response.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(response.headers.get('access-control-allow-headers')?.toLowerCase()).toContain(
      'content-type',
    )
    const ann = await signedIn(stack, 'Ann')
    const answer = await ann.post('/token', undefined, {
      origin: app,
      'sec-fetch-site': 'cross-site',
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe(app)
    expect(answer.headers.get('vary')).toMatch(/origin/i)
    expect(
      (await ann.post('/sign-in/email', { email: ann.email, password: 'wrong password' }, {
        origin: app,
      })).headers.get('access-control-allow-origin'),
    )
      .toBe(app)
  })

  test.each([
    'https://evil.example',
    'https://app.example.org.evil.example',
    'http://app.example.org',
    'https://app.example.org:8443',
    'null',
  ])(
    '%s is refused',
    async (origin) => {
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull()
      const ann = await signedIn(stack, 'Ann')
      for (
        const [path, body] of [
          ['/token', undefined],
          ['/sign-in/email', { email: ann.email, password }],
          ['/forget-password', { email: ann.email }],
          [
            '/sign-up/email',
            { email: 'new@example.org', password },
          ],
        ] as const
      ) {
        const answer = await ann.post(path, body, { origin })
        expect(answer).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } })
        expect(answer.headers.get('access-control-allow-origin')).toBeNull()
      }
    },
  )

  test('a page of another origin is not assumed for a client that sends no origin, such as curl or a server', async () => {
    const ann = await signedIn(stack, 'Ann')
    expect((await ann.post('/token')).status).toBe(200)
    expect((await ann.post('/sign-out')).status).toBe(200)
  })

  test('a page of another origin cannot pass as our own by a forged Host header', async () => {
    const status = await new Promise((resolve, reject) => {
      request(`${stack.url}/api/auth/sign-in/email`, {
        method: 'POST',
        headers: {
          host: 'evil.example',
          origin: 'https://evil.example',
          'x-forwarded-host': 'evil.example',
          'content-type': 'application/json',
        },
      }, (response) => {
        response.resume()
        resolve(response.statusCode)
      }).on('error', reject).end(JSON.stringify({ email: 'a@example.org', password }))
    })
    expect(status).toBe(403)
  })
})

test('every response of the auth surface forbids caching, sniffing, frames and referrers, and has its type and the id of its log line', async () => {
  const ann = await signedIn(stack, 'Ann')
  for (
    const { headers } of [
      await ann.get('/get-session'),
      await ann.get('/nothing'),
      await ann.post('/token'),
    ]
  ) {
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('content-type')).toBe('application/json')
    expect(stack.logged.some((line) => line.includes(headers.get('x-request-id') ?? 'none'))).toBe(
      true,
    )
  }
})

// Caddy in compose keeps a connection for 30 s, a load balancer on AWS for 60 s.
test('every response keeps its connection open for longer than a proxy in front of it', async () => {
  expect((await fetch(`${stack.url}/livez`)).headers.get('keep-alive')).toBe('timeout=75')
})

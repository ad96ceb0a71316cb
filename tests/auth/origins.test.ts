/**
 * Trusted origins, cookie attributes, and the log lines that help an operator to configure both.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { originLog } from '../../http/origin-log.ts'
import { createLog } from '../../common/log.ts'
import { routes } from '../../auth/rooms.ts'
import { password, person, signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

const preflight = (stack: Stack, origin: string) =>
  fetch(`${stack.url}/api/auth/sign-in/email`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  })
const notesOf = (stack: Stack, origin: string) =>
  stack.logged.filter((line) => line.includes('"setting"') && line.includes(`"${origin}"`))

describe('with PUBLIC_URL on localhost', () => {
  let stack: Stack
  beforeAll(async () => {
    stack = await startStack()
  })
  afterAll(() => stack.close())

  test('the log says at start that all origins on localhost are trusted', () => {
    expect(
      stack.logged.filter((line) => line.includes('every origin on localhost is a trusted one')),
    ).toHaveLength(1)
  })

  test.each([
    'http://localhost:5173',
    'https://localhost',
    'http://app.localhost:8080',
    'http://127.0.0.1:4321',
    'http://[::1]:3000',
  ])(
    'an app at %s may send requests, also with a cookie, and be a redirect target',
    async (origin) => {
      expect((await preflight(stack, origin)).headers.get('access-control-allow-origin')).toBe(
        origin,
      )
      const ann = await signedIn(stack, 'Ann')
      // better-auth checks the origin again.
      expect(
        (await ann.post('/organization/set-active', { organizationId: null }, { origin })).status,
      ).toBe(200)
      expect(
        (await ann.post('/forget-password', {
          email: ann.email,
          redirectTo: `${origin}/new-password`,
        }, { origin })).status,
      ).toBe(200)
      expect(notesOf(stack, origin)).toEqual([])
    },
  )

  test.each([
    'http://localhost.example',
    'http://notlocalhost:5173',
    'http://127.0.0.1.example:5173',
    'http://127.0.0.2',
    'http://192.168.0.7:5173',
    'ftp://localhost',
    'http://localhost:5173@evil.example',
    'http://evil.example#.localhost',
    'http://LOCALHOST:5173',
    'http://localhost:80',
    'null',
  ])('an app at %s may not', async (origin) => {
    expect((await preflight(stack, origin)).headers.get('access-control-allow-origin')).toBeNull()
    const ann = await signedIn(stack, 'Ann')
    expect(
      (await ann.post('/organization/set-active', { organizationId: null }, { origin })).status,
    ).toBe(403)
    if (origin !== 'null' && origin !== 'http://LOCALHOST:5173' && origin !== 'http://localhost:80')
      expect(
        (await ann.post('/forget-password', { email: ann.email, redirectTo: `${origin}/` })).status,
      ).not.toBe(200)
  })

  test('the log names TRUSTED_ORIGINS once per refused origin, and contains nothing else of the request', async () => {
    for (let times = 0; times < 3; times++) await preflight(stack, 'https://shop.example')
    await person(stack, 'Ann').post('/sign-in/email', { email: 'ann@example.org', password }, {
      origin: 'https://shop.example',
    })
    expect(notesOf(stack, 'https://shop.example')).toEqual([
      expect.stringContaining('TRUSTED_ORIGINS does not name it'),
    ])
    await preflight(stack, 'https://shop.example:8443')
    expect(notesOf(stack, 'https://shop.example:8443')).toHaveLength(1)
  })
})

describe('an app on another site, with COOKIE_SAME_SITE=none', () => {
  const app = 'https://app.example.net'
  let stack: Stack
  beforeAll(async () => {
    stack = await startStack({
      env: {
        PUBLIC_URL: 'https://api.example.org',
        APP_URL: `${app}/money`,
        COOKIE_SAME_SITE: 'none',
      },
    })
  })
  afterAll(() => stack.close())

  test('an app on another site, with COOKIE_SAME_SITE=none gets a partitioned cookie, and sign-out deletes the same cookie', async () => {
    const ann = await signedIn(stack, 'Ann')
    const { headers } = await ann.post('/sign-in/email', { email: ann.email, password }, {
      origin: app,
      'sec-fetch-site': 'cross-site',
    })
    const cookie =
      headers.getSetCookie().find((line) =>
        /^__Secure-better-auth\.session_token=[^;]/.test(line)
      ) ?? ''
    const attributes = (line: string) =>
      line.split('; ').slice(1).filter((one) => !one.startsWith('Max-Age')).toSorted()
    expect(attributes(cookie)).toEqual([
      'HttpOnly',
      'Partitioned',
      'Path=/',
      'SameSite=None',
      'Secure',
    ])
    const out = await ann.post('/sign-out', undefined, {
      origin: app,
      'sec-fetch-site': 'cross-site',
    })
    const deleted = out.headers.getSetCookie().filter((line) =>
      line.startsWith('__Secure-better-auth.session_token=')
    )
    for (const line of deleted) expect(line).toContain('Max-Age=0')
    expect(deleted.map(attributes)).toContainEqual(attributes(cookie))
  })

  test('an app on another site, with COOKIE_SAME_SITE=none with an origin on localhost is not trusted', async () => {
    expect(
      (await preflight(stack, 'http://localhost:5173')).headers.get('access-control-allow-origin'),
    ).toBeNull()
    expect(stack.logged.some((line) => line.includes('every origin on localhost'))).toBe(false)
  })

  // The headers that a browser sends for a page of evil.example, for each kind of request.
  const foreign: [what: string, headers: Record<string, string>][] = [
    ['a fetch of another page', {
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'cors',
    }],
    ['a fetch without CORS of another page', {
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'no-cors',
      'content-type': 'text/plain',
    }],
    ['a form of another page', {
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'content-type': 'application/x-www-form-urlencoded',
    }],
    ['a form in a sandboxed frame', {
      origin: 'null',
      'sec-fetch-site': 'cross-site',
      'content-type': 'application/x-www-form-urlencoded',
    }],
    ['a page that hides its origin', { 'sec-fetch-site': 'cross-site' }],
    ['a page of a sibling domain that hides its origin', { 'sec-fetch-site': 'same-site' }],
    ['an old browser that sends only a referer', { referer: 'https://evil.example/page' }],
    ['a beacon of another page', {
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'no-cors',
      'content-type': 'text/plain;charset=UTF-8',
    }],
  ]
  test.each(foreign)(
    'an app on another site, with COOKIE_SAME_SITE=none is safe from %s, which sends the cookie but changes nothing on any route',
    async (_, headers) => {
      const ann = await signedIn(stack, 'Ann')
      const changing = routes.filter(({ method }) => method !== 'GET')
      expect(changing.length).toBeGreaterThan(20)
      await Promise.all(changing.map(async ({ method, path }) => {
        const answer = await ann.call(method, path.replaceAll(/[{}]/g, ''), '{}', {
          'content-type': 'application/json',
          ...headers,
        })
        expect(answer, `${method} ${path}`).toMatchObject({
          status: 403,
          body: { error: 'FORBIDDEN' },
        })
        expect(answer.headers.getSetCookie()).toEqual([])
      }))
      expect((await ann.get('/get-session')).status).toBe(200)
    },
  )

  test('an app on another site, with COOKIE_SAME_SITE=none is safe from GET requests of other pages: they change nothing, and other pages cannot read or embed their responses', async () => {
    const ann = await signedIn(stack, 'Ann')
    const state = async () =>
      (await stack.sql.query(
        `select (select md5(string_agg(s::text, '' order by id)) from auth.sessions s) sessions,
        (select md5(string_agg(u::text, '' order by id)) from auth.users u) users, (select count(*) from auth.members) members`,
      )).rows[0]
    const before = await state()
    for (const { path } of routes.filter(({ method }) => method === 'GET')) {
      const { headers } = await ann.get(path, {
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'no-cors',
      })
      expect(headers.get('access-control-allow-origin')).toBeNull()
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
    expect(await state()).toEqual(before)
  })

  test('an app on another site, with COOKIE_SAME_SITE=none does not affect clients without an origin', async () => {
    const ann = await signedIn(stack, 'Ann')
    expect((await ann.post('/token')).status).toBe(200)
  })
})

test('the log names COOKIE_SAME_SITE once for an app on another site, whose browser drops the cookie, and not for an app on our site', async () => {
  await using stack = await startStack({
    env: {
      PUBLIC_URL: 'https://api.example.org',
      TRUSTED_ORIGINS: 'https://app.example.net,https://app.example.org',
    },
  })
  const ann = await signedIn(stack, 'Ann')
  const enter = (origin: string, site: string) =>
    ann.post('/sign-in/email', { email: ann.email, password }, { origin, 'sec-fetch-site': site })
  for (let times = 0; times < 2; times++)
    expect((await enter('https://app.example.net', 'cross-site')).status).toBe(200)
  await enter('https://app.example.org', 'same-site')
  expect(notesOf(stack, 'https://app.example.net')).toEqual([
    expect.stringMatching(/"setting":"COOKIE_SAME_SITE".*another site/),
  ])
  expect(notesOf(stack, 'https://app.example.org')).toEqual([])
})

test('the log is not flooded by made-up origins: at most a hundred short lines per hour', () => {
  const lines: string[] = []
  let time = 0
  const note = originLog(
    createLog('info', {
      write: (line: string) => {
        lines.push(line)
      },
    }),
    () => time,
  )
  for (let number = 0; number < 1_000; number++)
    note('TRUSTED_ORIGINS', `https://${number}.example/${'x'.repeat(10_000)}`)
  expect(lines).toHaveLength(101)
  expect(lines.at(-1)).toContain('others are noted in an hour')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(500)
  time += 3_600_000
  note('TRUSTED_ORIGINS', 'https://app.example.net')
  expect(lines.at(-1)).toContain('https://app.example.net')
})

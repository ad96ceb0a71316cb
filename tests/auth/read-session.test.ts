/**
 * The service reads a session with one statement if better-auth would not change anything. A second
 * cookie with better-auth's prefix forces the read by better-auth, so each test compares both
 * reads.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { person, signedIn, subscribed, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
})
afterAll(() => stack.close())

const cookieName = 'better-auth.session_token'
const forceBetterAuth = '; better-auth.something=else'

/**
 * Sends the same request with and without the fast path. Removes values that differ between any two
 * responses.
 */
async function readBothWays(ask: (suffix: string) => Promise<Response>) {
  const comparable = async (response: Response) => {
    const text = await response.text()
    const { token } = (text === '' ? {} : JSON.parse(text)) as { token?: string }
    const headers = Object.fromEntries(
      [...response.headers].filter(([name]) =>
        !['date', 'x-request-id', 'content-length'].includes(name)
      ),
    )
    if (token === undefined) return { status: response.status, text, headers }
    const payload = decodeJwt(token)
    expect(payload.exp).toBe((payload.iat ?? 0) + 3600)
    return {
      status: response.status,
      header: decodeProtectedHeader(token),
      payload: JSON.stringify({ ...payload, iat: 0, exp: 0 }),
      headers,
    }
  }
  return {
    short: await comparable(await ask('')),
    long: await comparable(await ask(forceBetterAuth)),
  }
}

const routes = [['GET', '/get-session'], ['POST', '/token']] as const
const call = (
  method: string,
  path: string,
  cookie: string | undefined,
  headers: Record<string, string> = {},
) =>
  fetch(`${stack.url}/api/auth${path}`, {
    method,
    headers: { ...(cookie === undefined ? {} : { cookie }), ...headers },
  })

const cookieOf = (who: Person) => `${cookieName}=${who.cookies.get(cookieName)}`
const signed = (token: string, secret = stack.secret) =>
  `${token}.${createHmac('sha256', secret).update(token).digest('base64')}`

/**
 * A caller: its cookie with an optional suffix that disables the fast path, and the expected
 * status.
 */
type Caller = { cookie: (suffix: string) => string | undefined, status: number }

const callers: Record<string, () => Promise<Caller>> = {
  'a signed-in user': async () => {
    const ann = await signedIn(stack, 'Ann')
    return { cookie: (suffix) => cookieOf(ann) + suffix, status: 200 }
  },
  'a user with cookies of other sites': async () => {
    const ann = await signedIn(stack, 'Ann')
    return { cookie: (suffix) => `theme=dark; ${cookieOf(ann)}; lang=en${suffix}`, status: 200 }
  },
  'a user with an unescaped signature in the cookie': async () => {
    const ann = await signedIn(stack, 'Ann')
    return { cookie: (suffix) => decodeURIComponent(cookieOf(ann)) + suffix, status: 200 }
  },
  'a user with a plan': async () => {
    const pat = await subscribed(stack, 'Pat')
    return { cookie: (suffix) => cookieOf(pat) + suffix, status: 200 }
  },
  'an editor with an active team': async () => {
    const { editor } = await team(stack, ['editor'])
    return { cookie: (suffix) => cookieOf(editor) + suffix, status: 200 }
  },
  'a visitor without a cookie': async () => ({
    cookie: (suffix) => suffix.slice(2) || undefined,
    status: 401,
  }),
  'a visitor with a malformed cookie': async () => ({
    cookie: (suffix) => `${cookieName}=%%%${suffix}`,
    status: 401,
  }),
  'an attacker who signs with another secret': async () => {
    const ann = await signedIn(stack, 'Ann')
    const token = decodeURIComponent(ann.cookies.get(cookieName) ?? '').split('.')[0] ?? ''
    return {
      cookie: (suffix) =>
        `${cookieName}=${encodeURIComponent(signed(token, 'a secret of somebody else'))}${suffix}`,
      status: 401,
    }
  },
  'an attacker who omits the signature': async () => {
    const ann = await signedIn(stack, 'Ann')
    return {
      cookie: (suffix) => `${cookieOf(ann).split('.').slice(0, 2).join('.')}${suffix}`,
      status: 401,
    }
  },
  'a user with a malformed cookie before the valid one': async () => {
    const ann = await signedIn(stack, 'Ann')
    return { cookie: (suffix) => `${cookieName}=broken; ${cookieOf(ann)}${suffix}`, status: 200 }
  },
  'a session that never existed': async () => ({
    cookie: (suffix) => `${cookieName}=${encodeURIComponent(signed('never-was'))}${suffix}`,
    status: 401,
  }),
  'a user who signed out in another browser': async () => {
    const ann = await signedIn(stack, 'Ann')
    await stack.sql.query(
      'delete from auth.sessions where user_id = (select id from auth.users where email = $1)',
      [ann.email],
    )
    return { cookie: (suffix) => cookieOf(ann) + suffix, status: 401 }
  },
  'a user with an expired session': async () => {
    const ann = await signedIn(stack, 'Ann')
    const tokens: Record<string, string> = {
      '': `ended-${randomUUID()}`,
      [forceBetterAuth]: `ended-${randomUUID()}`,
    }
    await stack.sql.query(
      `insert into auth.sessions (id, user_id, token, expires_at) select gen_random_uuid(), id, token, now() - interval '1 second' from auth.users, unnest($2::text[]) token where email = $1`,
      [ann.email, Object.values(tokens)],
    )
    return {
      cookie: (suffix) =>
        `${cookieName}=${encodeURIComponent(signed(tokens[suffix] ?? ''))}${suffix}`,
      status: 401,
    }
  },
}

describe.each(routes)('%s %s returns the same with and without better-auth', (method, path) => {
  test.each(Object.keys(callers))('for %s', async (who) => {
    const { cookie, status } = await callers[who]!()
    const { short, long } = await readBothWays((suffix) => call(method, path, cookie(suffix)))
    expect(short).toEqual(long)
    expect(short.status).toBe(status)
  })

  test('for a user on a page of another site', async () => {
    const ann = await signedIn(stack, 'Ann')
    const { short, long } = await readBothWays((suffix) =>
      call(method, path, cookieOf(ann) + suffix, { origin: 'https://evil.example' })
    )
    expect(short).toEqual(long)
    expect(short.status).toBe(method === 'POST' ? 403 : 200)
    expect(short.headers['access-control-allow-origin']).toBeUndefined()
  })

  test('for a user with a session that is a day old and gets renewed', async () => {
    const ann = await signedIn(stack, 'Ann')
    const renewed = async (suffix: string) => {
      await stack.sql.query(
        `update auth.sessions set expires_at = now() + interval '5 days' where user_id = (select id from auth.users where email = $1)`,
        [
          ann.email,
        ],
      )
      const response = await call(method, path, cookieOf(ann) + suffix)
      const { rows } = await stack.sql.query(
        `select expires_at > now() + interval '6 days' as renewed from auth.sessions where user_id = (select id from auth.users where email = $1)`,
        [ann.email],
      )
      return {
        status: response.status,
        cookies: response.headers.getSetCookie().map((one) => one.replace(/Expires=[^;]*/i, '')),
        ...rows[0],
      }
    }
    const short = await renewed('')
    expect(short).toEqual(await renewed(forceBetterAuth))
    expect(short).toMatchObject({
      status: 200,
      cookies: [expect.stringContaining(cookieName)],
      renewed: true,
    })
  })
})

test('a request with an expired session deletes the session', async () => {
  const { cookie } = await callers['a user with an expired session']!()
  const ended = async () =>
    Number(
      (await stack.sql.query(
        `select count(*) from auth.sessions where expires_at < now() and token like 'ended-%'`,
      )).rows[0].count,
    )
  const before = await ended()
  await call('GET', '/get-session', cookie(''))
  expect(await ended()).toBe(before - 1)
})

test('a hundred requests to both routes run no statement of better-auth', async () => {
  const ann = await signedIn(stack, 'Ann')
  const lastAsked = async () =>
    (await stack.sql.query(
      `select max(query_start)::text from pg_stat_activity where datname = current_database() and application_name = 'auth-engine'`,
    ))
      .rows[0].max
  const before = await lastAsked()
  for (let i = 0; i < 50; i++)
    expect([(await ann.get('/get-session')).status, (await ann.post('/token')).status]).toEqual([
      200,
      200,
    ])
  expect(await lastAsked()).toBe(before)
  await ann.get('/list-sessions')
  expect(await lastAsked()).not.toBe(before)
})

test('a limit of each route counts each request once with both reads, and is the same for both', async () => {
  await using limited = await startStack({
    env: { RATE_LIMIT_ENABLED: 'true', TRUSTED_PROXIES: '127.0.0.0/8' },
  })
  const ann = await signedIn(limited, 'Ann')
  const from = { 'x-forwarded-for': '2001:db8::7' }
  for (const [method, path] of routes) {
    const ask = (cookie: string) =>
      fetch(`${limited.url}/api/auth${path}`, { method, headers: { ...from, cookie } })
    const counted = async () =>
      (await limited.sql.query(`select key, count::int from auth.rate_limits where key like $1`, [
        `%|${path}`,
      ])).rows
    await ask(cookieOf(ann))
    await ask(cookieOf(ann) + forceBetterAuth)
    await ask(
      `${cookieName}=${
        encodeURIComponent(
          `never-was.${createHmac('sha256', limited.secret).update('never-was').digest('base64')}`,
        )
      }`,
    )
    expect(await counted()).toEqual([{ key: `address|2001:db8:0:0|${path}`, count: 3 }])
    await limited.sql.query('update auth.rate_limits set count = 2000 where key like $1', [
      `%|${path}`,
    ])
    const { short, long } = await readBothWays((suffix) => ask(cookieOf(ann) + suffix))
    expect(short.status).toBe(429)
    expect(Number(short.headers['retry-after'])).toBeGreaterThan(0)
    expect({ ...short, headers: { ...short.headers, 'retry-after': '' } }).toEqual({
      ...long,
      headers: { ...long.headers, 'retry-after': '' },
    })
  }
  const metrics = await (await fetch(`${limited.url}/metrics`)).text()
  expect(metrics).toContain('auth_limit_hits_total{limit="address"} 4')
})

test('a cookie with a forged or altered signature, or without one, signs no user in', async () => {
  const ann = await signedIn(stack, 'Ann')
  const good = decodeURIComponent(ann.cookies.get(cookieName) ?? '')
  const [token = '', signature = ''] = good.split('.')
  const others = [
    token,
    `${token}.`,
    `${token}.AAAA`,
    `${token}x.${signature}`,
    `${token}.${signature.slice(1)}`,
    `.${signature}`,
    `${token}.${signature}x`,
    `${token}.${signature.toLowerCase()}`,
  ]
  for (const other of others)
    expect((await call('GET', '/get-session', `${cookieName}=${encodeURIComponent(other)}`)).status)
      .toBe(401)
  expect((await person(stack).get('/get-session')).status).toBe(401)
})

test('a user whose browser sends up to nineteen cookies of ended sessions before the live one is signed in', async () => {
  const ann = await signedIn(stack, 'Ann')
  const dead = (count: number) =>
    Array.from(
      { length: count },
      () => `${cookieName}=${encodeURIComponent(signed(randomUUID()))}; `,
    ).join('')
  const status = async (count: number, suffix = '') =>
    (await call('GET', '/get-session', dead(count) + cookieOf(ann) + suffix)).status
  for (const suffix of ['', forceBetterAuth])
    expect([await status(8, suffix), await status(19, suffix), await status(20, suffix)]).toEqual([
      200,
      200,
      401,
    ])
})

test('a client keeps the cookie of a missing session, because a restored backup may contain the session', async () => {
  const ann = await signedIn(stack, 'Ann')
  await stack.sql.query('delete from auth.sessions where user_id = $1', [await ann.id()])
  for (const [method, path] of routes) {
    const response = await call(method, path, cookieOf(ann))
    expect([response.status, response.headers.getSetCookie()]).toEqual([401, []])
  }
})

// the last test, because it leaves no signing key
test('the signing key is replaced at once after a rotation, and is unavailable at once after a revocation', async () => {
  const ann = await signedIn(stack, 'Ann')
  const kidOf = async () => decodeProtectedHeader(await ann.token()).kid
  const first = await kidOf()
  expect(await kidOf()).toBe(first)
  // The same private key under another id is enough here.
  await stack.sql.query(
    `update auth.jwks set expires_at = now() + interval '1 hour' where id = $1`,
    [first],
  )
  await stack.sql.query(
    `insert into auth.jwks (id, public_key, private_key, signs_from) select 'second', public_key, private_key, now() from auth.jwks where id = $1`,
    [
      first,
    ],
  )
  expect(await kidOf()).toBe('second')
  await stack.sql.query('update auth.jwks set signs_from = null where id = $1', ['second'])
  expect(await ann.post('/token')).toMatchObject({ status: 503, body: { error: 'SERVICE_BUSY' } })
})

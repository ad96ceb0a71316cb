/** Sessions, their tokens, and their cookies. */
import { decodeProtectedHeader, createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withTwoFactors } from '../support/authenticator-app.ts'
import { browserAt } from '../support/browser-jar.ts'
import { passkeyDevice } from '../support/passkey-device.ts'
import { password, person, signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())

describe('a session', () => {
  test('a session get-session returns exactly user, session and subscription', async () => {
    const ann = await signedIn(stack, 'Ann')
    await ann.signIn()
    const { status, body } = await ann.get('/get-session', { 'user-agent': 'a browser' })
    expect(status).toBe(200)
    expect(body).toEqual({
      user: {
        id: expect.any(String),
        email: ann.email,
        name: 'Ann',
        email_verified: true,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
      session: {
        id: expect.any(String),
        user_id: body.user.id,
        active_organization_id: null,
        expires_at: expect.any(String),
        ip_address: '127.0.0.1',
        user_agent: expect.any(String),
      },
      subscription: { isSubscribed: false, productId: null },
    })
    expect(JSON.stringify(body)).not.toContain([...ann.cookies.values()][0]?.split('.')[0])
  })

  test('a session has a random token of 32 characters, and each sign-in gets another', async () => {
    const ann = await signedIn(stack, 'Ann')
    const tokens = []
    for (let count = 0; count < 3; count++) {
      await ann.signIn()
      tokens.push(decodeURIComponent([...ann.cookies.values()][0] ?? '').split('.')[0])
    }
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9]{32}$/)
    expect(new Set(tokens).size).toBe(3)
  })

  test('a session and copies of its cookie are invalid after sign-out', async () => {
    const ann = await signedIn(stack, 'Ann')
    const copy = person(stack, 'Ann', ann.email)
    for (const [name, value] of ann.cookies) copy.cookies.set(name, value)
    expect(await ann.post('/sign-out')).toMatchObject({ status: 200, body: { success: true } })
    expect(ann.cookies.size).toBe(0)
    for (const browser of [ann, copy])
      expect(await browser.get('/get-session')).toMatchObject({
        status: 401,
        body: { error: 'UNAUTHORIZED' },
      })
    expect((await copy.post('/token')).status).toBe(401)
  })

  test('a session is listed for its user, who can end one by its id and then all others', async () => {
    const ann = await signedIn(stack, 'Ann')
    const [phone, laptop] = [person(stack, 'Ann', ann.email), person(stack, 'Ann', ann.email)]
    const phoneSession = (await phone.signIn()).body.session.id
    await laptop.signIn()
    // Listing needs no recent sign-in.
    await stack.sql.query(
      `update auth.sessions set created_at = now() - interval '2 days' where id = $1`,
      [(await ann.get('/get-session')).body.session.id],
    )
    const { body: sessions } = await ann.get('/list-sessions')
    expect(sessions).toHaveLength(3)
    expect(sessions.filter((row: { current: boolean }) => row.current)).toHaveLength(1)
    expect(Object.keys(sessions[0]).toSorted()).toEqual([
      'active_organization_id',
      'created_at',
      'current',
      'expires_at',
      'id',
      'ip_address',
      'user_agent',
      'user_id',
    ])
    expect(await ann.post('/revoke-session', { sessionId: phoneSession })).toMatchObject({
      status: 200,
      body: { success: true },
    })
    expect((await phone.get('/get-session')).status).toBe(401)
    expect((await laptop.get('/get-session')).status).toBe(200)
    expect(await ann.post('/revoke-other-sessions')).toMatchObject({
      status: 200,
      body: { success: true },
    })
    expect((await laptop.get('/get-session')).status).toBe(401)
    expect((await ann.get('/get-session')).status).toBe(200)
  })
})

// Several cookies of one name. A browser keeps the old ones when an operator changes COOKIE_DOMAIN,
// COOKIE_SAME_SITE or the scheme. The service must accept the valid one wherever it stands, and a
// sign-out must end all of them.

const sessionCookie = 'better-auth.session_token'
const credentials = { email: 'ann@example.org', password }
const valueOf = (who: Person) => who.cookies.get(sessionCookie) ?? ''
/** The cookie of a session that has ended. */
async function endedCookie(of: Person): Promise<string> {
  const elsewhere = person(stack, of.name, of.email)
  await elsewhere.signIn()
  const value = valueOf(elsewhere)
  await elsewhere.post('/sign-out')
  return value
}
/** Returns a browser that sends these values of the session cookie, in this order. */
const browserWith = (...values: string[]) => {
  const browser = person(stack)
  const [last = '', ...earlier] = values.toReversed()
  browser.cookies.set(
    sessionCookie,
    [...earlier.toReversed().map((value) => `${value}; ${sessionCookie}=`), last].join(''),
  )
  return browser
}

test.each(['the ended one first', 'the valid one first'])(
  'a browser with an ended and a valid session cookie is signed in on every kind of route: %s',
  async (order) => {
    const user = await signedIn(stack, 'Ann')
    const values = [await endedCookie(user), valueOf(user)]
    const browser = browserWith(...order.startsWith('the ended') ? values : values.toReversed())
    expect((await browser.get('/get-session')).body.user.email).toBe(user.email)
    expect(await browser.token()).toMatch(/^ey/)
    expect((await browser.get('/list-sessions')).body).toHaveLength(1)
    expect((await browser.post('/update-user', { name: 'Anne' })).status).toBe(200)
    const changes = await fetch(`${stack.url}/api/auth/changes`, {
      headers: { cookie: `${sessionCookie}=${valueOf(browser)}` },
    })
    expect(changes.status).toBe(200)
    await changes.body?.cancel()
  },
)

test.each(['broken', '%%%', '', '"', 'a.b', `${'x'.repeat(32)}.${'A'.repeat(43)}%3D`])(
  'a browser with an ended and a valid session cookie ignores a value without our signature: %j',
  async (value) => {
    const user = await signedIn(stack, 'Ann')
    expect((await browserWith(value, valueOf(user)).get('/get-session')).status).toBe(200)
    expect((await browserWith(valueOf(user), value).get('/get-session')).status).toBe(200)
    expect((await browserWith(value, value).get('/get-session')).status).toBe(401)
  },
)

test('a browser with an ended and a valid session cookie keeps the valid one when its session is renewed', async () => {
  const user = await signedIn(stack, 'Ann')
  const browser = browserWith(await endedCookie(user), valueOf(user))
  await stack.sql.query(
    `update auth.sessions set expires_at = now() + interval '2 days' where user_id = $1`,
    [await user.id()],
  )
  const { headers, status } = await browser.get('/get-session')
  expect([status, headers.getSetCookie().at(-1)?.split(';')[0]]).toEqual([
    200,
    `${sessionCookie}=${valueOf(user)}`,
  ])
})

test('a sign-out ends each session whose cookie the browser sends, and no other', async () => {
  const [first, second, elsewhere] = [
    await signedIn(stack, 'Ann'),
    await signedIn(stack, 'Bob'),
    await signedIn(stack, 'Cay'),
  ]
  expect((await browserWith(valueOf(first), valueOf(second)).post('/sign-out')).status).toBe(200)
  expect((await first.get('/get-session')).status).toBe(401)
  expect((await second.get('/get-session')).status).toBe(401)
  expect((await elsewhere.get('/get-session')).status).toBe(200)
  // a value that the service has not signed ends nothing
  const [token = ''] = decodeURIComponent(valueOf(elsewhere)).split('.')
  const attacker = await signedIn(stack, 'Eve')
  await browserWith(valueOf(attacker), encodeURIComponent(`${token}.${'A'.repeat(43)}=`)).post(
    '/sign-out',
  )
  expect((await elsewhere.get('/get-session')).status).toBe(200)
})

describe('an operator changes', () => {
  /**
   * Signs in, reads the session and signs out at a service with other settings. A browser that
   * keeps its cookies is never locked out.
   */
  async function comeAndGo(
    browser: ReturnType<typeof browserAt>,
    url: string,
    name: string,
  ): Promise<void> {
    expect((await browser.send(url, 'POST', '/sign-in/email', credentials)).status).toBe(200)
    expect((await browser.send(url, 'GET', '/get-session')).status).toBe(200)
    expect(browser.cookiesOf(name)).toHaveLength(1)
    const before = browser.cookie()
    expect((await browser.send(url, 'POST', '/sign-out')).status).toBe(200)
    expect(browser.cookiesOf(name)).toEqual([])
    const replay = await fetch(`${url}/api/auth/get-session`, { headers: { cookie: before } })
    expect(replay.status).toBe(401)
    expect((await browser.send(url, 'POST', '/sign-in/email', credentials)).status).toBe(200)
  }

  test('COOKIE_DOMAIN from unset to a domain to another and back, and no user is locked out or stays signed in', async () => {
    await using own = await startStack({ env: { PUBLIC_URL: 'http://eu.money.example.test' } })
    const browser = browserAt('eu.money.example.test')
    expect((await browser.send(own.url, 'POST', '/sign-up/email', credentials)).status).toBe(200)
    for (const domain of ['example.test', '.Money.example.test', '']) {
      const url = await own.startAnotherAuth({ COOKIE_DOMAIN: domain })
      expect((await browser.send(url, 'GET', '/get-session')).status).toBe(200)
      await comeAndGo(browser, url, sessionCookie)
    }
  })

  test('COOKIE_SAME_SITE, with and without COOKIE_DOMAIN', async () => {
    const name = `__Secure-${sessionCookie}`
    await using own = await startStack({ env: { PUBLIC_URL: 'https://money.example.test' } })
    const browser = browserAt('money.example.test')
    expect((await browser.send(own.url, 'POST', '/sign-up/email', credentials)).status).toBe(200)
    const settings = [['none', ''], ['none', 'example.test'], ['lax', 'example.test'], [
      'lax',
      '',
    ]] as const
    for (const [sameSite, domain] of settings) {
      const url = await own.startAnotherAuth({ COOKIE_SAME_SITE: sameSite, COOKIE_DOMAIN: domain })
      expect((await browser.send(url, 'GET', '/get-session')).status).toBe(200)
      await comeAndGo(browser, url, name)
    }
  })

  test('the scheme to https: the cookie from before does not sign in, and a sign-out ends its session too', async () => {
    await using own = await startStack({ env: { PUBLIC_URL: 'http://money.example.test' } })
    const browser = browserAt('money.example.test')
    await browser.send(own.url, 'POST', '/sign-up/email', credentials)
    const url = await own.startAnotherAuth({ PUBLIC_URL: 'https://money.example.test' })
    expect((await browser.send(url, 'GET', '/get-session')).status).toBe(401)
    const [before, old] = [person(own), browser.cookie()]
    await before.call('POST', '/sign-in/email', credentials)
    const both = { cookie: `${old}; __Secure-${sessionCookie}=${valueOf(before)}` }
    expect((await fetch(`${url}/api/auth/sign-out`, { method: 'POST', headers: both })).status)
      .toBe(200)
    expect((await own.sql.query('select 1 from auth.sessions')).rowCount).toBe(0)
    await comeAndGo(browser, url, `__Secure-${sessionCookie}`)
    expect(browser.cookiesOf(sessionCookie)).toEqual([])
  })
})

test('a service at a subdomain keeps the cookie of another deployment at the domain above, which has a name in common with ours', async () => {
  await using below = await startStack({ env: { PUBLIC_URL: 'http://eu.money.example.test' } })
  const browser = browserAt('eu.money.example.test')
  const other = `${'x'.repeat(32)}.${encodeURIComponent(`${'A'.repeat(43)}=`)}`
  browser.store(`${sessionCookie}=${other}; Domain=money.example.test; Path=/`)
  for (const path of ['/sign-up/email', '/sign-in/email']) {
    expect((await browser.send(below.url, 'POST', path, credentials)).status).toBe(200)
    expect((await browser.send(below.url, 'GET', '/get-session')).status).toBe(200)
    expect(browser.cookiesOf(sessionCookie)).toEqual([other, expect.any(String)])
    const before = browser.cookie()
    expect((await browser.send(below.url, 'POST', '/sign-out')).status).toBe(200)
    expect(
      (await fetch(`${below.url}/api/auth/get-session`, { headers: { cookie: before } })).status,
    ).toBe(401)
    expect(browser.cookiesOf(sessionCookie)).toEqual([other])
  }
})

describe('the other cookies', () => {
  test('an old cookie of a pending sign-in or of a remembered device hides no valid one', async () => {
    const { user, app } = await withTwoFactors(stack, 'Ann')
    const browser = person(stack, user.name, user.email)
    await browser.signIn()
    const pending = 'better-auth.two_factor'
    browser.cookies.set(pending, `${'x'.repeat(32)}; ${pending}=${browser.cookies.get(pending)}`)
    expect(
      (await browser.post('/two-factor/verify-totp', { code: app.code(), trustDevice: true }))
        .status,
    ).toBe(200)
    await browser.post('/sign-out')
    const [device = ''] = [...browser.cookies.keys()].filter((name) =>
      name.includes('trusted_device')
    )
    browser.cookies.set(device, `${'x'.repeat(32)}; ${device}=${browser.cookies.get(device)}`)
    expect((await browser.signIn()).status).toBe(200)
  })

  test('a passkey signs in although the browser also sends the cookie of an older challenge', async () => {
    const user = await signedIn(stack, 'Ann')
    const phone = passkeyDevice(stack.publicUrl)
    await user.post('/passkey/verify-registration', {
      response: phone.create((await user.post('/passkey/generate-register-options', {})).body),
    })
    const browser = person(stack)
    const challenge = 'better-auth.passkey_challenge'
    await browser.post('/passkey/generate-authenticate-options')
    const older = browser.cookies.get(challenge)
    const { body: options } = await browser.post('/passkey/generate-authenticate-options')
    browser.cookies.set(challenge, `${older}; ${challenge}=${browser.cookies.get(challenge)}`)
    expect(
      (await browser.post('/passkey/verify-authentication', { response: phone.get(options) }))
        .status,
    ).toBe(200)
  })
})

test('a token is RS256, valid for one hour, signed by a published key, with the claims of the interface', async () => {
  const ann = await signedIn(stack, 'Ann')
  const token = await ann.token()
  const { body: keySet } = await person(stack).get('/jwks')
  const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(keySet))
  const { body: { user, session } } = await ann.get('/get-session')
  const publicUrl =
    (await stack.sql.query('select public_url from private.settings')).rows[0].public_url
  expect(protectedHeader).toEqual({ alg: 'RS256', kid: keySet.keys[0].kid })
  expect(payload).toEqual({
    sub: user.id,
    user_id: user.id,
    email: ann.email,
    aud: publicUrl,
    iss: publicUrl,
    role: 'authenticated',
    sid: session.id,
    claims: {},
    iat: expect.any(Number),
    exp: (payload.iat ?? 0) + 3600,
  })
})

test('a token names the active organization and the user’s current role in it', async () => {
  const { id, owner, editor } = await team(stack, ['editor'])
  expect(decodeJwt(await owner.token())['claims']).toEqual({
    organization_id: id,
    organization_role: 'owner',
  })
  expect(decodeJwt(await editor.token())['claims']).toEqual({
    organization_id: id,
    organization_role: 'editor',
  })
  await owner.patch('/organization/update-member-role', {
    organizationId: id,
    userId: await editor.id(),
    role: 'viewer',
  })
  expect(decodeJwt(await editor.token())['claims']).toEqual({
    organization_id: id,
    organization_role: 'viewer',
  })
  await owner.post('/organization/remove-member', { organizationId: id, userId: await editor.id() })
  expect(decodeJwt(await editor.token())['claims']).toEqual({})
})

test('a token requested fifty times at once from a new service creates one key', async () => {
  const ann = await signedIn(stack, 'Ann')
  const elsewhere = await stack.startAnotherAuth()
  const ids = await Promise.all(Array.from({ length: 50 }, async (_, i) => {
    const browser = person({ ...stack, url: i % 2 ? elsewhere : stack.url }, 'Ann', ann.email)
    for (const [name, value] of ann.cookies) browser.cookies.set(name, value)
    return decodeProtectedHeader(await browser.token()).kid
  }))
  expect(new Set(ids).size).toBe(1)
  expect((await stack.sql.query('select count(*)::int from auth.jwks')).rows[0].count).toBe(1)
})

test('a token of five services that start at once on a database without a key is signed by one key', async () => {
  await stack.sql.query('delete from auth.jwks')
  await Promise.all(Array.from({ length: 5 }, () => stack.startAnotherAuth()))
  expect((await stack.sql.query('select count(*)::int from auth.jwks')).rows[0].count).toBe(1)
})

test('a token is signed by a key whose private half is encrypted in the database', async () => {
  const { rows } = await stack.sql.query('select private_key from auth.jwks')
  expect(rows[0].private_key).not.toMatch(/"(d|p|q|dp|dq|qi)"/)
  await expect(
    stack.sql.query(
      `insert into auth.jwks (id, public_key, private_key) select 'plain', public_key, '{"d":"1"}' from auth.jwks`,
    ),
  ).rejects.toThrow(
    /jwks_private_key_is_encrypted/,
  )
})

test('a token is verified by a key set that contains only public keys', async () => {
  const { status, body, headers } = await person(stack).get('/jwks')
  expect(status).toBe(200)
  expect(body.keys.map((key: object) => Object.keys(key).toSorted())).toEqual([[
    'alg',
    'e',
    'kid',
    'kty',
    'n',
    'use',
  ]])
  expect(headers.get('cache-control')).toContain('max-age')
})

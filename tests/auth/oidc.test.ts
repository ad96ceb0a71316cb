/**
 * Single sign-on with a real OpenID provider: the sign-in, its callback and its redirect, and the
 * settings of the operator.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JWTPayload } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { person, signedIn, subscribed, type Person } from '../support/person.ts'
import {
  openCallback,
  oidcProvider,
  signInAtProvider,
  signInWithProvider,
  callbackFromProvider,
  type TestProvider,
} from '../support/oidc.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { failed, isSignedOut, refused, storedAccounts, userOfProvider } from './oidc-users.ts'

let provider: TestProvider
let stack: Stack
beforeAll(async () => {
  provider = await oidcProvider()
  // The provider is down while the service starts.
  stack = await startStack({ env: provider.env })
  provider.serve(stack.publicUrl)
})
afterEach(() => provider.resetTokens())
afterAll(async () => {
  await stack.close()
  await provider.close()
})

const providerUser = (name?: string, claims?: Record<string, unknown>) =>
  userOfProvider(stack, provider, name, claims)
const accountsOf = (email: string) => storedAccounts(stack, email)

describe('a sign-in with the provider', () => {
  test('a sign-in with the provider creates an account with a verified address and a normal session, and stores no tokens of the provider', async () => {
    const ann = providerUser()
    const signed = await signInWithProvider(ann, ann.sub)
    expect(signed).toMatchObject({
      status: 200,
      body: {
        user: { email: ann.email, name: 'Ann', email_verified: true },
        session: { active_organization_id: null },
      },
    })
    expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
    expect(await accountsOf(ann.email)).toEqual([
      {
        provider_id: provider.issuer,
        account_id: ann.sub,
        access_token: null,
        refresh_token: null,
        id_token: null,
        has_password: false,
      },
    ])
    expect(stack.mail.mails().filter(({ to }) => to === ann.email)).toEqual([])
  })

  test('a sign-in with the provider accepts the address from the ID token and from the userinfo endpoint', async () => {
    provider.serve(stack.publicUrl, { conformIdTokenClaims: false })
    const ann = providerUser()
    expect((await signInWithProvider(ann, ann.sub)).body.user.email).toBe(ann.email)
    provider.serve(stack.publicUrl)
  })

  test('a sign-in with the provider ignores an invalid name', async () => {
    const ann = providerUser('Ann', { name: 'Ann\u202e\nnot her name' })
    expect((await signInWithProvider(ann, ann.sub)).body.user.name).toBe('')
  })

  test('a sign-in with the provider sends PKCE, a state and a nonce, which are random and never repeated', async () => {
    const authorizationUrls = await Promise.all(
      [person(stack), person(stack)].map(async (user) =>
        new URL((await user.post('/sign-in/oidc', {})).body.url)
      ),
    )
    for (const { origin, searchParams } of authorizationUrls) {
      expect(origin).toBe(provider.issuer)
      expect(Object.fromEntries(searchParams)).toEqual({
        client_id: 'finance',
        response_type: 'code',
        redirect_uri: `${stack.publicUrl}/api/auth/callback/oidc`,
        scope: 'openid profile email',
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
      })
    }
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(authorizationUrls[0]?.searchParams.get(name)).not.toBe(
        authorizationUrls[1]?.searchParams.get(name),
      )
  })

  test('a sign-in with the provider logs no secrets', async () => {
    const ann = providerUser()
    const from = await callbackFromProvider(ann, ann.sub)
    await openCallback(ann, from)
    await openCallback(ann, from)
    const log = stack.logged.join('\n')
    for (const name of ['code', 'state']) expect(log).not.toContain(from.searchParams.get(name))
    expect(log).not.toContain(provider.env.OIDC_CLIENT_SECRET)
  })
})

describe('a callback of the provider', () => {
  test('a callback of the provider does nothing for HEAD, and then still works', async () => {
    const ann = providerUser()
    const from = await callbackFromProvider(ann, ann.sub)
    const head = await ann.call('HEAD', `/callback/oidc${from.search}`)
    expect([head.status, head.headers.getSetCookie()]).toEqual([200, []])
    expect(await accountsOf(ann.email)).toEqual([])
    expect((await openCallback(ann, from)).status).toBe(200)
  })

  test('a callback of the provider works once', async () => {
    const ann = providerUser()
    const from = await callbackFromProvider(ann, ann.sub)
    const cookies = new Map(ann.cookies)
    expect((await openCallback(ann, from)).status).toBe(200)
    const thief = person(stack, 'Eve')
    for (const [name, value] of cookies) thief.cookies.set(name, value)
    expect(await openCallback(thief, from)).toMatchObject(failed)
    await isSignedOut(thief)
  })

  test('a callback of the provider of ten at once, creates one session; from two browsers at once, does not create a second account', async () => {
    const ann = providerUser()
    const from = await callbackFromProvider(ann, ann.sub)
    const same = Array.from({ length: 10 }, () => {
      const tab = person(stack)
      for (const [name, value] of ann.cookies) tab.cookies.set(name, value)
      return tab
    })
    const statuses = await Promise.all(
      same.map(async (tab) => (await openCallback(tab, from)).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 400)).toHaveLength(9)
    const bob = providerUser('Bob')
    const browsers = Array.from({ length: 4 }, () => person(stack))
    const back = await Promise.all(
      browsers.map((browser) => callbackFromProvider(browser, bob.sub)),
    )
    const browserStatuses = await Promise.all(
      browsers.map(async (browser, at) => (await openCallback(browser, back[at]!)).status),
    )
    expect(browserStatuses).toContain(200)
    expect(await accountsOf(bob.email)).toHaveLength(1)
    expect((await signInWithProvider(person(stack), bob.sub)).status).toBe(200)
  })

  test('a callback of the provider works only in the browser that started the sign-in: an attacker cannot sign a victim in or use up a victim’s sign-in', async () => {
    const [ann, eve] = [providerUser('Ann'), providerUser('Eve')]
    const [hers, evil] = [
      await callbackFromProvider(ann, ann.sub),
      await callbackFromProvider(eve, eve.sub),
    ]
    expect(await openCallback(person(stack), evil)).toMatchObject(failed)
    expect(await openCallback(ann, evil)).toMatchObject(failed)
    await isSignedOut(ann)
    // The code of one sign-in with the state of the other.
    const mixed = new URL(evil)
    mixed.searchParams.set('state', hers.searchParams.get('state') ?? '')
    const another = providerUser('Ann')
    const fresh = await callbackFromProvider(another, another.sub)
    mixed.searchParams.set('state', fresh.searchParams.get('state') ?? '')
    expect(await openCallback(another, mixed)).toMatchObject(failed)
    await isSignedOut(another)
    expect((await openCallback(ann, hers)).body.user.email).toBe(ann.email)
    expect((await openCallback(eve, evil)).body.user.email).toBe(eve.email)
  })

  test('a callback of the provider starts its own session if an attacker planted another one in the browser', async () => {
    const ann = providerUser()
    const eve = await signedIn(stack, 'Eve')
    for (const [name, value] of eve.cookies) ann.cookies.set(name, value)
    await signInWithProvider(ann, ann.sub)
    expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
    expect((await eve.get('/get-session')).body.user.email).toBe(eve.email)
  })

  test('a callback of the provider works until its deadline, and not after it', async () => {
    const ann = providerUser()
    const from = await callbackFromProvider(ann, ann.sub)
    await stack.sql.query(`update auth.verifications set expires_at = now() - interval '1 second'`)
    expect(await openCallback(ann, from)).toMatchObject(failed)
  })

  test.each<[string, (claims: JWTPayload) => JWTPayload]>([
    ['for another client', (claims) => ({ ...claims, aud: 'another' })],
    [
      'for several clients, authorized for another one',
      (claims) => ({ ...claims, aud: ['finance', 'another'], azp: 'another' }),
    ],
    ['from another issuer', (claims) => ({ ...claims, iss: 'https://login.example.org' })],
    [
      'that has expired',
      (claims) => ({ ...claims, iat: (claims.iat ?? 0) - 7_200, exp: (claims.iat ?? 0) - 3_600 }),
    ],
    ['with the nonce of another sign-in', (claims) => ({ ...claims, nonce: 'of another' })],
    ['without a nonce', (claims) => ({ ...claims, nonce: undefined })],
    [
      'without a sub',
      (claims) => Object.fromEntries(Object.entries(claims).filter(([name]) => name !== 'sub')),
    ],
    ['with a sub that differs from the userinfo', (claims) => ({ ...claims, sub: 'somebody' })],
  ])('a callback of the provider with an ID token %s is refused', async (_, change) => {
    const ann = providerUser()
    provider.changeClaims(change)
    expect(await signInWithProvider(ann, ann.sub)).toMatchObject(failed)
    await isSignedOut(ann)
    expect(await accountsOf(ann.email)).toEqual([])
  })

  test('a callback of the provider with a signature by an unpublished key is refused; a newly published key is accepted', async () => {
    const ann = providerUser()
    await provider.forgeSignatures()
    expect(await signInWithProvider(ann, ann.sub)).toMatchObject(failed)
    provider.resetTokens()
    expect((await signInWithProvider(ann, ann.sub)).status).toBe(200)
    await provider.rotateKey()
    expect((await signInWithProvider(person(stack), ann.sub)).status).toBe(200)
  })

  test.each([
    [
      'with an error of the provider',
      'error=access_denied&error_description=<script>alert(1)</script>',
    ],
    ['from another issuer', 'code=any&iss=https://login.example.org'],
    ['with a made-up code', 'code=made-up&iss=ISSUER'],
    ['without a code', 'iss=ISSUER'],
  ])('%s ends at the sign-in page, which does not repeat its parameters', async (_, query) => {
    const ann = providerUser()
    const { body } = await ann.post('/sign-in/oidc', {})
    const state = new URL(body.url).searchParams.get('state') ?? ''
    const answer = await ann.get(
      `/callback/oidc?${
        query.replace('ISSUER', encodeURIComponent(provider.issuer))
      }&state=${state}`,
    )
    expect(answer).toMatchObject(failed)
    expect(JSON.stringify(answer.body)).not.toContain('script')
  })

  test('a callback of the provider that is malformed is refused', async () => {
    for (const query of ['', 'state=&code=', 'state=a&state=b', `state=${'a'.repeat(5_000)}`]) {
      expect(await person(stack).get(`/callback/oidc?${query}`)).toMatchObject(failed)
    }
  })
})

test('an app that asks for a token instead of a cookie is refused, because the browser would get the session', async () => {
  const wish = { 'x-session-transport': 'token' }
  for (
    const answer of [
      await person(stack).post('/sign-in/oidc', {}, wish),
      await person(stack).get('/callback/oidc?state=a&code=b', wish),
    ]
  )
    expect(answer).toMatchObject(refused(400, 'VALIDATION_ERROR'))
})

describe('the redirect after a sign-in', () => {
  const openInBrowser = async (user: Person, from: URL) =>
    fetch(`${stack.url}/api/auth/callback/oidc${from.search}`, {
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie: [...user.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    })

  test('the redirect after a sign-in leads to redirectTo, and the response sets the session', async () => {
    const ann = providerUser()
    const answer = await openInBrowser(
      ann,
      await callbackFromProvider(ann, ann.sub, `${stack.publicUrl}/transactions?a=b`),
    )
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `${stack.publicUrl}/transactions?a=b`,
    ])
    const cookies = answer.headers.getSetCookie()
    expect(cookies).toContainEqual(
      expect.stringMatching(/^better-auth\.session_token=[^;]+;.*HttpOnly; SameSite=Lax/i),
    )
    expect(cookies).toContainEqual(expect.stringMatching(/^better-auth\.oidc_state=;.*Max-Age=0/i))
  })

  test('the redirect after a sign-in needs the state cookie, which is HttpOnly, Secure, and expires after ten minutes', async () => {
    await using secure = await startStack({
      env: { ...provider.env, PUBLIC_URL: 'https://money.example.org' },
    })
    const { headers } = await person(secure).post('/sign-in/oidc', {})
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Secure-better-auth\.oidc_state=[^;]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ])
  })

  test('the redirect after a sign-in to another site is refused', async () => {
    for (
      const redirectTo of [
        'https://evil.example/',
        '//evil.example',
        'javascript:alert(1)',
        'https://user@localhost/',
      ]
    ) {
      expect(await person(stack).post('/sign-in/oidc', { redirectTo })).toMatchObject(
        refused(403, 'FORBIDDEN'),
      )
    }
  })

  test('the redirect after a sign-in without an app leads to a page of the service', async () => {
    const ann = providerUser()
    const from = await callbackFromProvider(ann, ann.sub)
    const [yes, no] = [await openInBrowser(ann, from), await openInBrowser(ann, from)]
    expect([yes.status, no.status]).toEqual([200, 400])
    expect(await yes.text()).toContain('You are signed in')
    expect(await no.text()).toContain('You are not signed in')
  })

  test('the redirect after a sign-in with an app leads to the app, or with an error code to its sign-in page', async () => {
    await using withApp = await startStack({
      env: { ...provider.env, APP_URL: 'https://app.example.org/money' },
    })
    provider.serve(withApp.publicUrl)
    const open = async (user: Person, from: URL) =>
      fetch(`${withApp.url}/api/auth/callback/oidc${from.search}`, {
        redirect: 'manual',
        headers: {
          accept: 'text/html',
          cookie: [...user.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        },
      })
    provider.people.set('ann', { email: 'ann@example.org', email_verified: true })
    for (
      const [redirectTo, location] of [[undefined, 'https://app.example.org/money/'], [
        'https://app.example.org/money/accounts',
        'https://app.example.org/money/accounts',
      ]]
    ) {
      const ann = person(withApp)
      expect(
        (await open(ann, await callbackFromProvider(ann, 'ann', redirectTo))).headers.get(
          'location',
        ),
      ).toBe(location)
    }
    provider.people.set('eve', { email: 'eve@example.org', email_verified: false })
    const eve = person(withApp)
    const no = await open(eve, await callbackFromProvider(eve, 'eve'))
    expect([no.status, no.headers.get('location')]).toEqual([
      303,
      'https://app.example.org/money/sign-in?error=OIDC_EMAIL_NOT_VERIFIED',
    ])
    expect(
      (await person(withApp).post('/sign-in/oidc', {
        redirectTo: 'https://app.example.org/another',
      })).status,
    ).toBe(403)
    provider.serve(stack.publicUrl)
  })
})

describe('settings of the operator', () => {
  test('settings of the operator are returned to sign-in pages by /sign-in/methods', async () => {
    expect(await person(stack).get('/sign-in/methods')).toMatchObject({
      status: 200,
      body: { password: true, sign_up: 'open', oidc: { name: 'The House', sign_up: true } },
    })
  })

  test('settings of the operator without a provider disable the sign-in with one', async () => {
    await using ownStack = await startStack({ env: { SIGN_UP: 'closed' } })
    const user = person(ownStack)
    expect((await user.get('/sign-in/methods')).body).toEqual({
      password: true,
      sign_up: 'closed',
      oidc: null,
    })
    expect(await user.post('/sign-in/oidc', {})).toMatchObject(refused(404, 'NOT_FOUND'))
    expect(await user.get('/callback/oidc?state=a&code=b')).toMatchObject(refused(404, 'NOT_FOUND'))
  })

  test.each([
    ['OIDC_SIGN_UP=false', { OIDC_SIGN_UP: 'false' }, 'SIGN_UP_CLOSED'],
    ['SIGN_UP=closed', { SIGN_UP: 'closed' }, 'SIGN_UP_CLOSED'],
    ['SIGN_UP=invitation', { SIGN_UP: 'invitation' }, 'INVITATION_REQUIRED'],
    ['SIGN_UP_DOMAINS', { SIGN_UP_DOMAINS: 'example.com' }, 'EMAIL_DOMAIN_NOT_ALLOWED'],
  ])(
    'settings of the operator with %s: a user without an account is refused, and a user with one signs in',
    async (_, env, error) => {
      await using limited = await startStack({ env: { ...provider.env, ...env } })
      provider.serve(limited.publicUrl)
      provider.people.set('eve', { email: 'eve@example.org', email_verified: true })
      expect(await signInWithProvider(person(limited), 'eve')).toMatchObject(refused(403, error))
      const ann = await signedIn(limited, 'Ann')
      provider.people.set('ann', { email: ann.email, email_verified: true })
      expect((await signInWithProvider(person(limited), 'ann')).body.user.email).toBe(ann.email)
      expect((await limited.sql.query('select from auth.users')).rowCount).toBe(1)
      provider.serve(stack.publicUrl)
    },
  )

  test('settings of the operator that require invitations let an invited user sign up', async () => {
    await using limited = await startStack({ env: { ...provider.env, SIGN_UP: 'invitation' } })
    provider.serve(limited.publicUrl)
    const ann = await subscribed(limited, 'Ann')
    const { body: { id } } = await ann.post('/organization/create', { name: 'Household' })
    await ann.post('/organization/invite-member', {
      organizationId: id,
      email: 'bob@example.org',
      role: 'viewer',
    })
    provider.people.set('bob', { email: 'Bob@example.org', email_verified: true })
    expect((await signInWithProvider(person(limited), 'bob')).body.user.email).toBe(
      'bob@example.org',
    )
    provider.serve(stack.publicUrl)
  })

  test('a provider that compresses or redirects its responses is refused before its body is read', async () => {
    const paths: string[] = []
    await using hostile = createServer((request, response) => {
      paths.push(request.url ?? '')
      if (paths.length > 1) response.writeHead(302, { location: '/elsewhere' }).end()
      else response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' })
          .end('no Brotli')
    })
    hostile.listen(0, '127.0.0.1')
    await once(hostile, 'listening')
    await using waiting = await startStack({
      env: {
        ...provider.env,
        OIDC_ISSUER: `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`,
      },
    })
    expect(await person(waiting).post('/sign-in/oidc', {})).toMatchObject(
      refused(503, 'OIDC_UNAVAILABLE'),
    )
    expect(await person(waiting).post('/sign-in/oidc', {})).toMatchObject(
      refused(503, 'OIDC_UNAVAILABLE'),
    )
    expect(waiting.logged.join('\n')).toMatch(/OUTBOUND_ENCODED[^]*OUTBOUND_REDIRECT/)
    expect(paths).toEqual([
      '/.well-known/openid-configuration',
      '/.well-known/openid-configuration',
    ])
  })

  test('a provider that is down or announces another issuer is reported as unavailable, and is used again after its return', async () => {
    const away = await oidcProvider()
    await using waiting = await startStack({ env: away.env })
    const ann = person(waiting)
    const unavailable = await ann.post('/sign-in/oidc', {})
    expect(unavailable).toMatchObject(refused(503, 'OIDC_UNAVAILABLE'))
    expect(Number(unavailable.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await ann.signUp()).status).toBe(200)
    away.serve(waiting.publicUrl)
    away.people.set('ann', { email: 'ann@example.net', email_verified: true })
    const from = await callbackFromProvider(person(waiting), 'ann')
    expect(from.searchParams.get('iss')).toBe(away.issuer)
    const bob = person(waiting)
    const begun = await bob.post('/sign-in/oidc', {})
    const back = await signInAtProvider(begun.body.url, 'ann')
    away.stopServing()
    expect(await openCallback(bob, back)).toMatchObject(failed)
    await away.close()
    await using other = await startStack({
      env: { ...provider.env, OIDC_ISSUER: `${provider.issuer}/another` },
    })
    expect(await person(other).post('/sign-in/oidc', {})).toMatchObject(
      refused(503, 'OIDC_UNAVAILABLE'),
    )
  })
})

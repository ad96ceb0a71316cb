/** Single sign-on with a real OpenID provider. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JWTPayload } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { withTwoFactors } from '../support/authenticator-app.ts'
import { passkeyDevice } from '../support/passkey-device.ts'
import { password, person, signedIn, subscribed, type Person } from '../support/person.ts'
import {
  openCallback,
  oidcProvider,
  signInAtProvider,
  signInWithProvider,
  callbackFromProvider,
  type TestProvider,
} from '../support/oidc.ts'
import { startStack, type Stack } from '../support/stack.ts'

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

const refused = (status: number, error: string) => ({
  status,
  body: { error, message: expect.any(String) },
})
const failed = refused(400, 'OIDC_FAILED')

let people = 0
/**
 * A user of the provider, in a new browser. @param claims override those of a user with a verified
 * address
 */
function providerUser(
  name = 'Ann',
  claims: Record<string, unknown> = {},
): Person & { sub: string } {
  const sub = `${name.toLowerCase()}-at-the-house-${++people}`
  const user = person(stack, name, `${sub}@example.org`)
  provider.people.set(sub, { email: user.email, email_verified: true, name, ...claims })
  return { ...user, sub }
}
const accountsOf = async (email: string) =>
  (await stack.sql.query(
    `select provider_id, account_id, access_token, refresh_token, id_token, password is not null as has_password
      from auth.users u join auth.accounts a on a.user_id = u.id where email = $1 order by provider_id`,
    [email],
  )).rows
const isSignedOut = async (user: Person) =>
  expect((await user.get('/get-session')).status).toBe(401)

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

  test('a sign-in with the provider again opens the same account, even if the claims have changed', async () => {
    const ann = providerUser()
    const { body: { user } } = await signInWithProvider(ann, ann.sub)
    provider.people.set(ann.sub, {
      email: 'somebody-else@example.org',
      email_verified: false,
      name: 'Another',
    })
    const again = person(stack, 'Ann', ann.email)
    expect((await signInWithProvider(again, ann.sub)).body.user).toEqual(user)
    provider.people.set(ann.sub, {})
    expect((await signInWithProvider(person(stack), ann.sub)).body.user).toEqual(user)
  })

  test('a sign-in with the provider opens the account of a signed-in user with the same verified address, who keeps every other way in', async () => {
    const ann = await signedIn(stack, 'Ann')
    provider.people.set('ann-of-the-password', {
      email: ann.email.toUpperCase(),
      email_verified: 'true',
    })
    const { key } = (await ann.post('/api-key/create', { name: 'Report', expiresInDays: 9 })).body
    const [id, phone] = [await ann.id(), person(stack, 'Ann', ann.email)]
    await phone.signIn()
    expect((await signInWithProvider(ann, 'ann-of-the-password')).body.user.id).toBe(id)
    expect((await phone.get('/get-session')).status).toBe(200)
    expect((await person(stack, 'Ann', ann.email).signIn()).status).toBe(200)
    expect(
      (await person(stack).post('/token', undefined, { authorization: `Bearer ${key}` })).status,
    ).toBe(200)
    expect((await accountsOf(ann.email)).map(({ provider_id }) => provider_id)).toEqual([
      'credential',
      provider.issuer,
    ])
  })

  describe('ends every other way into an account that a stranger may have made and a mail scanner verified:', () => {
    /**
     * Prepares a way in for Eve. Returns a function that tries it, with 200 before Ann signs in and
     * another status after.
     */
    const ways: Record<string, (eve: Person) => Promise<() => Promise<number>>> = {
      'the password': async (eve) => async () =>
        (await person(stack, 'Eve', eve.email).signIn()).status,
      'a session': async (eve) => async () => (await eve.get('/get-session')).status,
      'an API key': async (eve) => {
        const { key } =
          (await eve.post('/api-key/create', { name: 'Report', expiresInDays: 9 })).body
        return async () =>
          (await person(stack).post('/token', undefined, { authorization: `Bearer ${key}` })).status
      },
      'a calendar': async (eve) => {
        const { url } = (await eve.post('/calendar/create', { name: 'Due' })).body
        return async () => (await fetch(`${stack.url}${new URL(url).pathname}`)).status
      },
      'a webhook': async (eve) => {
        const id = await eve.id()
        await stack.sql.query(
          `insert into auth.webhooks (id, name, user_id, url, secret) values ('of-eve', 'Mine', $1, 'https://example.com', 'x')`,
          [id],
        )
        return async () => ((await stack.sql.query(
            'select 1 from auth.webhooks where user_id = $1',
            [id],
          )).rowCount === 0
          ? 404
          : 200)
      },
      'a passkey': async (eve) => {
        const device = passkeyDevice(stack.publicUrl)
        const response = device.create(
          (await eve.post('/passkey/generate-register-options', {})).body,
        )
        expect((await eve.post('/passkey/verify-registration', { response, name: 'Phone' })).status)
          .toBe(200)
        return async () => {
          const browser = person(stack)
          const options = (await browser.post('/passkey/generate-authenticate-options')).body
          return (await browser.post('/passkey/verify-authentication', {
            response: device.get(options),
          })).status
        }
      },
    }
    test.each(Object.entries(ways))('%s', async (_, prepare) => {
      const ann = providerUser()
      const eve = person(stack, 'Eve', ann.email)
      await eve.signUp()
      await eve.verify()
      const enter = await prepare(eve)
      expect(await enter()).toBe(200)
      expect((await signInWithProvider(ann, ann.sub)).body.user.email).toBe(ann.email)
      expect(await enter()).not.toBe(200)
      expect((await ann.get('/get-session')).status).toBe(200)
      expect((await signInWithProvider(person(stack), ann.sub)).status).toBe(200)
    })

    test('a second factor, pending links and a requested change of the address; Ann then resets the password', async () => {
      const { user: eve } = await withTwoFactors(stack, 'Eve')
      await eve.post('/forget-password', { email: eve.email })
      const reset = /token=([\w-]+)/.exec(
        (await stack.mail.waitFor(eve.email, ({ text }) => text.includes('reset-password'))).text,
      )?.[1]
      await eve.post('/request-email-change', { newEmail: 'of-eve@example.org' })
      const change = /token=([\w-]+)/.exec(
        (await stack.mail.waitFor(
          'of-eve@example.org',
          ({ text }) => text.includes('confirm-email-change'),
        )).text,
      )?.[1]
      provider.people.set('ann-of-the-factor', { email: eve.email, email_verified: true })
      const ann = person(stack, 'Ann', eve.email)
      expect((await signInWithProvider(ann, 'ann-of-the-factor')).status).toBe(200)
      expect(await eve.post('/reset-password', { token: reset, password: 'known to Eve' }))
        .toMatchObject(refused(400, 'INVALID_TOKEN'))
      expect(await eve.post('/confirm-email-change', { token: change })).toMatchObject(
        refused(400, 'INVALID_TOKEN'),
      )
      expect((await ann.get('/two-factor/status')).body.enabled).toBe(false)
      await ann.post('/forget-password', { email: ann.email })
      const mail = await stack.mail.waitFor(
        ann.email,
        ({ text }) => text.includes('reset-password') && !text.includes(reset ?? ''),
      )
      const token = /token=([\w-]+)/.exec(mail.text)?.[1]
      expect((await ann.post('/reset-password', { token, password: 'known to Ann alone' })).status)
        .toBe(200)
      expect((await ann.signIn('known to Ann alone')).status).toBe(200)
      expect((await signInWithProvider(person(stack), 'ann-of-the-factor')).status).toBe(200)
    })

    test('a sign-in with the provider ends every other way into an account that a stranger may have made and a mail scanner verified: or refuses the account while the owner of its previous address can take it back', async () => {
      const eve = await signedIn(stack, 'Eve')
      const ann = providerUser()
      await eve.post('/request-email-change', { newEmail: ann.email })
      const mail = await stack.mail.waitFor(
        ann.email,
        ({ text }) => text.includes('confirm-email-change'),
      )
      await ann.post('/confirm-email-change', { token: /token=([\w-]+)/.exec(mail.text)?.[1] })
      expect(await signInWithProvider(ann, ann.sub)).toMatchObject(
        refused(409, 'EMAIL_CHANGED_RECENTLY'),
      )
      await isSignedOut(ann)
    })

    test('a sign-in with the provider ends every other way into an account that a stranger may have made and a mail scanner verified: also if the browser is signed in to another account', async () => {
      const [ann, eve] = [providerUser(), await signedIn(stack, 'Eve')]
      const victim = person(stack, 'Eve', ann.email)
      await victim.signUp()
      await victim.verify()
      for (const [name, value] of eve.cookies) ann.cookies.set(name, value)
      expect((await signInWithProvider(ann, ann.sub)).body.user.email).toBe(ann.email)
      expect((await victim.get('/get-session')).status).toBe(401)
      expect((await eve.get('/get-session')).status).toBe(200)
    })
  })

  test('a sign-in with the provider accepts the address from the ID token and from the userinfo endpoint', async () => {
    provider.serve(stack.publicUrl, { conformIdTokenClaims: false })
    const ann = providerUser()
    expect((await signInWithProvider(ann, ann.sub)).body.user.email).toBe(ann.email)
    provider.serve(stack.publicUrl)
  })

  test('a sign-in with the provider does not apply email_verified to another address in the ID token', async () => {
    const [ann, eve] = [await signedIn(stack, 'Ann'), providerUser('Eve')]
    provider.changeClaims((claims) => ({ ...claims, email: ann.email }))
    expect((await signInWithProvider(eve, eve.sub)).body.user.email).toBe(eve.email)
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

test.each<[string, Record<string, unknown>]>([
  ['an address that the provider marks as unverified', { email_verified: false }],
  ['an address without email_verified', { email_verified: undefined }],
  ['an address with an invalid email_verified', { email_verified: 'yes' }],
  ['no address', { email: undefined }],
  ['an invalid address', { email: 'ann' }],
])(
  'a sign-in with the provider is refused for %s, and is linked to no account',
  async (_, claims) => {
    const eve = providerUser('Eve', claims)
    if (claims['email'] === undefined) await person(stack, 'Ann', eve.email).signUp()
    await stack.sql.query('update auth.users set email_verified = true where email = $1', [
      eve.email,
    ])
    const before = await accountsOf(eve.email)
    expect(await signInWithProvider(eve, eve.sub)).toMatchObject(
      refused(403, 'OIDC_EMAIL_NOT_VERIFIED'),
    )
    await isSignedOut(eve)
    expect(await accountsOf(eve.email)).toEqual(before)
  },
)

test('a sign-in with the provider is refused for an unverified account that a stranger created, until the owner resets its password', async () => {
  const ann = providerUser()
  const eve = person(stack, 'Eve', ann.email)
  await eve.signUp()
  expect(await signInWithProvider(ann, ann.sub)).toMatchObject(refused(409, 'ACCOUNT_NOT_VERIFIED'))
  await isSignedOut(ann)
  expect((await accountsOf(ann.email)).map(({ provider_id }) => provider_id)).toEqual([
    'credential',
  ])
  await ann.post('/forget-password', { email: ann.email })
  const mail = await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))
  const token = /token=([\w-]+)/.exec(mail.text)?.[1]
  await ann.post('/reset-password', { token, password: 'known to Ann alone' })
  await isSignedOut(eve)
  await ann.verify()
  expect((await signInWithProvider(ann, ann.sub)).status).toBe(200)
  expect((await person(stack, 'Eve', ann.email).signIn()).status).toBe(401)
})

test('a sign-in with the provider is refused for a user with the same `sub` at another provider', async () => {
  await using elsewhere = await startStack({ env: provider.env })
  provider.serve(elsewhere.publicUrl)
  const ann = person(elsewhere, 'Ann')
  await elsewhere.sql.query(
    `insert into auth.users (id, name, email, email_verified) values ('bob', 'Bob', 'bob@example.org', true)`,
  )
  await elsewhere.sql.query(
    `insert into auth.accounts (id, account_id, provider_id, user_id) values ('a', 'the-same', 'https://login.example.org', 'bob')`,
  )
  provider.people.set('the-same', { email: ann.email, email_verified: true })
  expect((await signInWithProvider(ann, 'the-same')).body.user.email).toBe(ann.email)
  provider.serve(stack.publicUrl)
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

describe('an account without a password', () => {
  const passwordless = async () => {
    const ann = providerUser()
    expect((await signInWithProvider(ann, ann.sub)).status).toBe(200)
    return ann
  }
  const tenMinutesLater = async (user: Person) =>
    stack.sql.query(
      `update auth.sessions set created_at = created_at - interval '10 minutes 1 second' where user_id = $1`,
      [await user.id()],
    )
  const tokenIn = async (to: string, path: string) => {
    const mail = await stack.mail.waitFor(to, ({ text }) => text.includes(path))
    return /token=([\w.-]+)/.exec(mail.text)?.[1]
  }

  test('an account without a password is deleted right after a sign-in', async () => {
    const ann = await passwordless()
    expect((await ann.post('/delete-account', {})).status).toBe(200)
    expect(
      (await ann.post('/confirm-delete-account', {
        token: await tokenIn(ann.email, 'confirm-delete-account'),
      })).status,
    ).toBe(200)
    expect(await accountsOf(ann.email)).toEqual([])
    // The provider then creates a new account, like for any user.
    expect((await signInWithProvider(person(stack), ann.sub)).status).toBe(200)
  })

  test.each(['/delete-account', '/request-email-change'])(
    'needs a new sign-in for %s after ten minutes, and a renewed session is not a sign-in',
    async (path) => {
      const ann = await passwordless()
      const input = path === '/delete-account' ? {} : { newEmail: `new-${ann.email}` }
      await tenMinutesLater(ann)
      expect(await ann.post(path, input)).toMatchObject(refused(403, 'FRESH_SIGN_IN_REQUIRED'))
      // Renews the session, which happens once a day.
      await stack.sql.query(
        `update auth.sessions set expires_at = expires_at - interval '2 days', updated_at = updated_at - interval '2 days' where user_id = $1`,
        [
          await ann.id(),
        ],
      )
      expect((await ann.get('/get-session')).status).toBe(200)
      expect(await ann.post(path, input)).toMatchObject(refused(403, 'FRESH_SIGN_IN_REQUIRED'))
      expect((await signInWithProvider(ann, ann.sub)).status).toBe(200)
      expect((await ann.post(path, input)).status).toBe(200)
    },
  )

  test('an account without a password refuses a password, even right after a sign-in', async () => {
    const ann = await passwordless()
    for (const wrongPassword of [password, '']) {
      expect(await ann.post('/delete-account', { password: wrongPassword })).toMatchObject(
        refused(400, 'INVALID_PASSWORD'),
      )
      expect(
        await ann.post('/request-email-change', {
          newEmail: `new-${ann.email}`,
          password: wrongPassword,
        }),
      ).toMatchObject(refused(400, 'INVALID_PASSWORD'))
    }
    expect(
      (await ann.post('/change-password', { currentPassword: '', newPassword: 'something else' }))
        .status,
    ).toBe(400)
    expect((await person(stack, 'Ann', ann.email).signIn('')).status).toBe(401)
  })

  test('an account without a password changes its address, and its user still signs in with the provider', async () => {
    const ann = await passwordless()
    const { body: { user } } = await ann.get('/get-session')
    expect((await ann.post('/request-email-change', { newEmail: `new-${ann.email}` })).status).toBe(
      200,
    )
    expect(
      (await ann.post('/confirm-email-change', {
        token: await tokenIn(`new-${ann.email}`, 'confirm-email-change'),
      })).status,
    ).toBe(200)
    expect((await signInWithProvider(person(stack), ann.sub)).body.user).toMatchObject({
      id: user.id,
      email: `new-${ann.email}`,
    })
  })

  test('an account without a password gets a first password by mail, and both ways to sign in work', async () => {
    const ann = await passwordless()
    await ann.post('/forget-password', { email: ann.email })
    expect(
      (await ann.post('/reset-password', {
        token: await tokenIn(ann.email, 'reset-password'),
        password,
      })).status,
    ).toBe(200)
    expect((await person(stack, 'Ann', ann.email).signIn()).status).toBe(200)
    expect((await signInWithProvider(person(stack), ann.sub)).status).toBe(200)
  })
})

test('an attacker who knew the password linked the provider and changed the address; stopping the change removes the attacker’s link', async () => {
  const ann = providerUser()
  await signInWithProvider(ann, ann.sub)
  const eve = providerUser('Eve')
  expect((await ann.post('/request-email-change', { newEmail: eve.email })).status).toBe(200)
  const tokenIn = async (to: string, path: string) =>
    /token=([\w-]+)/.exec((await stack.mail.waitFor(to, ({ text }) => text.includes(path))).text)
      ?.[1]
  await eve.post('/confirm-email-change', {
    token: await tokenIn(eve.email, 'confirm-email-change'),
  })
  const id = await ann.id()
  expect((await signInWithProvider(ann, eve.sub)).body.user.id).toBe(id)
  expect(
    (await person(stack).post('/stop-email-change', {
      token: await tokenIn(ann.email, 'stop-email-change'),
    })).status,
  ).toBe(200)
  await isSignedOut(eve)
  expect((await signInWithProvider(eve, eve.sub)).body.user.id).not.toBe(id)
  expect((await signInWithProvider(ann, ann.sub)).body.user.id).toBe(id)
})

test('an account with a password refuses a wrong one right after a sign-in, and needs none then', async () => {
  const ann = await signedIn(stack, 'Ann')
  expect(await ann.post('/delete-account', { password: 'wrong' })).toMatchObject(
    refused(400, 'INVALID_PASSWORD'),
  )
  expect(
    await ann.post('/request-email-change', { newEmail: 'new@example.net', password: 'wrong' }),
  ).toMatchObject(refused(400, 'INVALID_PASSWORD'))
  expect((await ann.post('/request-email-change', { newEmail: 'new@example.net' })).status).toBe(
    200,
  )
  await stack.sql.query(
    `update auth.sessions set created_at = created_at - interval '10 minutes 1 second' where user_id = $1`,
    [await ann.id()],
  )
  expect(await ann.post('/delete-account', {})).toMatchObject(
    refused(403, 'FRESH_SIGN_IN_REQUIRED'),
  )
  expect((await ann.post('/delete-account', { password })).status).toBe(200)
})

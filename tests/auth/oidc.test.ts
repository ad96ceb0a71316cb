/** Single sign-on with a real provider: who gets in, to which account, and what does not work. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JWTPayload } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { password, person, signedIn, subscribed, type Person } from '../support/person.ts'
import { openCallback, oidcProvider, signInAtProvider, signInWithProvider, callbackFromProvider, type TestProvider } from '../support/oidc.ts'
import { startStack, type Stack } from '../support/stack.ts'

let provider: TestProvider
let stack: Stack
beforeAll(async () => {
  provider = await oidcProvider()
  // it is down while the service starts
  stack = await startStack({ env: provider.env })
  provider.serve(stack.publicUrl)
})
afterEach(() => provider.resetTokens())
afterAll(async () => {
  await stack.close()
  await provider.close()
})

const refused = (status: number, error: string) => ({ status, body: { error, message: expect.any(String) } })
const failed = refused(400, 'OIDC_FAILED')

let people = 0
/** Somebody whom the provider knows, at a browser that has never been here. @param claims beside those of somebody with a verified address */
function known(name = 'Ann', claims: Record<string, unknown> = {}): Person & { sub: string } {
  const sub = `${name.toLowerCase()}-at-the-house-${++people}`
  const someone = person(stack, name, `${sub}@example.org`)
  provider.people.set(sub, { email: someone.email, email_verified: true, name, ...claims })
  return { ...someone, sub }
}
const accountsOf = async (email: string) =>
  (await stack.sql.query(
    `select provider_id, account_id, access_token, refresh_token, id_token, password is not null as has_password
      from auth.users u join auth.accounts a on a.user_id = u.id where email = $1 order by provider_id`,
    [email],
  )).rows
const isSignedOut = async (someone: Person) => expect((await someone.get('/get-session')).status).toBe(401)

describe('Ann signs in with the provider', () => {
  test('and has an account whose address is verified, a session like any other, and none of the provider’s tokens is kept', async () => {
    const ann = known()
    const signed = await signInWithProvider(ann, ann.sub)
    expect(signed).toMatchObject({
      status: 200,
      body: { user: { email: ann.email, name: 'Ann', email_verified: true }, session: { active_organization_id: null } },
    })
    expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
    expect(await accountsOf(ann.email)).toEqual([
      { provider_id: provider.issuer, account_id: ann.sub, access_token: null, refresh_token: null, id_token: null, has_password: false },
    ])
    expect(stack.mail.mails().filter(({ to }) => to === ann.email)).toEqual([])
  })

  test('and again, to the same account, whatever the provider says of her by then', async () => {
    const ann = known()
    const { body: { user } } = await signInWithProvider(ann, ann.sub)
    provider.people.set(ann.sub, { email: 'somebody-else@example.org', email_verified: false, name: 'Another' })
    const again = person(stack, 'Ann', ann.email)
    expect((await signInWithProvider(again, ann.sub)).body.user).toEqual(user)
    provider.people.set(ann.sub, {})
    expect((await signInWithProvider(person(stack), ann.sub)).body.user).toEqual(user)
  })

  test('to the account that she has already, because both sides have verified the address', async () => {
    const ann = await signedIn(stack, 'Ann')
    provider.people.set('ann-of-the-password', { email: ann.email.toUpperCase(), email_verified: 'true' })
    const elsewhere = person(stack, 'Ann', ann.email)
    const { body } = await signInWithProvider(elsewhere, 'ann-of-the-password')
    expect(body.user.id).toBe(await ann.id())
    expect((await person(stack, 'Ann', ann.email).signIn()).status).toBe(200)
    expect((await accountsOf(ann.email)).map(({ provider_id }) => provider_id)).toEqual(['credential', provider.issuer])
  })

  test('whether it says who she is in the token or where it is asked for it', async () => {
    provider.serve(stack.publicUrl, { conformIdTokenClaims: false })
    const ann = known()
    expect((await signInWithProvider(ann, ann.sub)).body.user.email).toBe(ann.email)
    provider.serve(stack.publicUrl)
  })

  test('and what verifies one address verifies no other that the provider names beside it', async () => {
    const [ann, eve] = [await signedIn(stack, 'Ann'), known('Eve')]
    provider.changeClaims((claims) => ({ ...claims, email: ann.email }))
    expect((await signInWithProvider(eve, eve.sub)).body.user.email).toBe(eve.email)
  })

  test('and a name that is none here is left out', async () => {
    const ann = known('Ann', { name: 'Ann\u202e\nnot her name' })
    expect((await signInWithProvider(ann, ann.sub)).body.user.name).toBe('')
  })

  test('what is asked of the provider has PKCE, a state and a nonce, which nobody can guess and nobody is asked twice', async () => {
    const asked = await Promise.all([person(stack), person(stack)].map(async (someone) => new URL((await someone.post('/sign-in/oidc', {})).body.url)))
    for (const { origin, searchParams } of asked) {
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
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked[0]?.searchParams.get(name)).not.toBe(asked[1]?.searchParams.get(name))
  })

  test('nothing of it is in the log', async () => {
    const ann = known()
    const from = await callbackFromProvider(ann, ann.sub)
    await openCallback(ann, from)
    await openCallback(ann, from)
    const log = stack.logged.join('\n')
    for (const name of ['code', 'state']) expect(log).not.toContain(from.searchParams.get(name))
    expect(log).not.toContain(provider.env.OIDC_CLIENT_SECRET)
  })
})

describe('it says no', () => {
  test.each<[string, Record<string, unknown>]>([
    ['an address that it does not say is verified', { email_verified: false }],
    ['an address of which it says nothing', { email_verified: undefined }],
    ['an address of which it says something else', { email_verified: 'yes' }],
    ['no address', { email: undefined }],
    ['what is no address', { email: 'ann' }],
  ])('to %s, and joins it to nobody', async (_, claims) => {
    const eve = known('Eve', claims)
    if (claims['email'] === undefined) await person(stack, 'Ann', eve.email).signUp()
    await stack.sql.query('update auth.users set email_verified = true where email = $1', [eve.email])
    const before = await accountsOf(eve.email)
    expect(await signInWithProvider(eve, eve.sub)).toMatchObject(refused(403, 'OIDC_EMAIL_NOT_VERIFIED'))
    await isSignedOut(eve)
    expect(await accountsOf(eve.email)).toEqual(before)
  })

  test('to an account that a stranger made with her address and nobody verified, until its password is hers', async () => {
    const ann = known()
    const eve = person(stack, 'Eve', ann.email)
    await eve.signUp()
    expect(await signInWithProvider(ann, ann.sub)).toMatchObject(refused(409, 'ACCOUNT_NOT_VERIFIED'))
    await isSignedOut(ann)
    expect((await accountsOf(ann.email)).map(({ provider_id }) => provider_id)).toEqual(['credential'])
    await ann.post('/forget-password', { email: ann.email })
    const mail = await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))
    const token = /token=([\w-]+)/.exec(mail.text)?.[1]
    await ann.post('/reset-password', { token, password: 'known to Ann alone' })
    await isSignedOut(eve)
    await ann.verify()
    expect((await signInWithProvider(ann, ann.sub)).status).toBe(200)
    expect((await person(stack, 'Eve', ann.email).signIn()).status).toBe(401)
  })

  test('to another person of the same name at another provider', async () => {
    await using elsewhere = await startStack({ env: provider.env })
    provider.serve(elsewhere.publicUrl)
    const ann = person(elsewhere, 'Ann')
    await elsewhere.sql.query(`insert into auth.users (id, name, email, email_verified) values ('bob', 'Bob', 'bob@example.org', true)`)
    await elsewhere.sql.query(
      `insert into auth.accounts (id, account_id, provider_id, user_id) values ('a', 'the-same', 'https://login.example.org', 'bob')`,
    )
    provider.people.set('the-same', { email: ann.email, email_verified: true })
    expect((await signInWithProvider(ann, 'the-same')).body.user.email).toBe(ann.email)
    provider.serve(stack.publicUrl)
  })
})

describe('an answer of the provider', () => {
  test('works once', async () => {
    const ann = known()
    const from = await callbackFromProvider(ann, ann.sub)
    const cookies = new Map(ann.cookies)
    expect((await openCallback(ann, from)).status).toBe(200)
    const thief = person(stack, 'Eve')
    for (const [name, value] of cookies) thief.cookies.set(name, value)
    expect(await openCallback(thief, from)).toMatchObject(failed)
    await isSignedOut(thief)
  })

  test('of ten at once, one begins a session; and of two browsers at once neither makes a second account', async () => {
    const ann = known()
    const from = await callbackFromProvider(ann, ann.sub)
    const same = Array.from({ length: 10 }, () => {
      const tab = person(stack)
      for (const [name, value] of ann.cookies) tab.cookies.set(name, value)
      return tab
    })
    const statuses = await Promise.all(same.map(async (tab) => (await openCallback(tab, from)).status))
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 400)).toHaveLength(9)
    const bob = known('Bob')
    const browsers = Array.from({ length: 4 }, () => person(stack))
    const back = await Promise.all(browsers.map((browser) => callbackFromProvider(browser, bob.sub)))
    const met = await Promise.all(browsers.map(async (browser, at) => (await openCallback(browser, back[at]!)).status))
    expect(met).toContain(200)
    expect(await accountsOf(bob.email)).toHaveLength(1)
    expect((await signInWithProvider(person(stack), bob.sub)).status).toBe(200)
  })

  test('works in the browser alone that asked: Eve’s signs nobody else in as Eve, and takes nobody’s sign-in away', async () => {
    const [ann, eve] = [known('Ann'), known('Eve')]
    const [hers, evil] = [await callbackFromProvider(ann, ann.sub), await callbackFromProvider(eve, eve.sub)]
    expect(await openCallback(person(stack), evil)).toMatchObject(failed)
    expect(await openCallback(ann, evil)).toMatchObject(failed)
    await isSignedOut(ann)
    // the code of one with the state of the other
    const mixed = new URL(evil)
    mixed.searchParams.set('state', hers.searchParams.get('state') ?? '')
    const another = known('Ann')
    const fresh = await callbackFromProvider(another, another.sub)
    mixed.searchParams.set('state', fresh.searchParams.get('state') ?? '')
    expect(await openCallback(another, mixed)).toMatchObject(failed)
    await isSignedOut(another)
    expect((await openCallback(ann, hers)).body.user.email).toBe(ann.email)
    expect((await openCallback(eve, evil)).body.user.email).toBe(eve.email)
  })

  test('begins a new session beside the one that a stranger may have planted', async () => {
    const ann = known()
    const eve = await signedIn(stack, 'Eve')
    for (const [name, value] of eve.cookies) ann.cookies.set(name, value)
    await signInWithProvider(ann, ann.sub)
    expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
    expect((await eve.get('/get-session')).body.user.email).toBe(eve.email)
  })

  test('a moment before it ends, and not after', async () => {
    const ann = known()
    const from = await callbackFromProvider(ann, ann.sub)
    await stack.sql.query(`update auth.verifications set expires_at = now() - interval '1 second'`)
    expect(await openCallback(ann, from)).toMatchObject(failed)
  })

  test.each<[string, (claims: JWTPayload) => JWTPayload]>([
    ['for another client', (claims) => ({ ...claims, aud: 'another' })],
    ['for several, and not given to us', (claims) => ({ ...claims, aud: ['finance', 'another'], azp: 'another' })],
    ['by another provider', (claims) => ({ ...claims, iss: 'https://login.example.org' })],
    ['that has expired', (claims) => ({ ...claims, iat: (claims.iat ?? 0) - 7_200, exp: (claims.iat ?? 0) - 3_600 })],
    ['to another question', (claims) => ({ ...claims, nonce: 'of another' })],
    ['to no question', (claims) => ({ ...claims, nonce: undefined })],
    ['about nobody', (claims) => Object.fromEntries(Object.entries(claims).filter(([name]) => name !== 'sub'))],
    ['about somebody else than it then tells of', (claims) => ({ ...claims, sub: 'somebody' })],
  ])('%s is none', async (_, change) => {
    const ann = known()
    provider.changeClaims(change)
    expect(await signInWithProvider(ann, ann.sub)).toMatchObject(failed)
    await isSignedOut(ann)
    expect(await accountsOf(ann.email)).toEqual([])
  })

  test('with a key that it does not publish is none; with one that it has just changed to, it is', async () => {
    const ann = known()
    await provider.forgeSignatures()
    expect(await signInWithProvider(ann, ann.sub)).toMatchObject(failed)
    provider.resetTokens()
    expect((await signInWithProvider(ann, ann.sub)).status).toBe(200)
    await provider.rotateKey()
    expect((await signInWithProvider(person(stack), ann.sub)).status).toBe(200)
  })

  test.each([
    ['that says no', 'error=access_denied&error_description=<script>alert(1)</script>'],
    ['by another provider', 'code=any&iss=https://login.example.org'],
    ['with a code that was made up', 'code=made-up&iss=ISSUER'],
    ['without a code', 'iss=ISSUER'],
  ])('%s ends at the sign-in, and what it says is not repeated', async (_, query) => {
    const ann = known()
    const { body } = await ann.post('/sign-in/oidc', {})
    const state = new URL(body.url).searchParams.get('state') ?? ''
    const answer = await ann.get(`/callback/oidc?${query.replace('ISSUER', encodeURIComponent(provider.issuer))}&state=${state}`)
    expect(answer).toMatchObject(failed)
    expect(JSON.stringify(answer.body)).not.toContain('script')
  })

  test('that is none is refused', async () => {
    for (const query of ['', 'state=&code=', 'state=a&state=b', `state=${'a'.repeat(5_000)}`]) {
      expect(await person(stack).get(`/callback/oidc?${query}`)).toMatchObject(failed)
    }
  })
})

describe('who is sent where', () => {
  const opened = async (someone: Person, from: URL) =>
    fetch(`${stack.url}/api/auth/callback/oidc${from.search}`, {
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: [...someone.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })

  test('a browser goes on to where it wanted, with its session', async () => {
    const ann = known()
    const answer = await opened(ann, await callbackFromProvider(ann, ann.sub, `${stack.publicUrl}/transactions?a=b`))
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${stack.publicUrl}/transactions?a=b`])
    const cookies = answer.headers.getSetCookie()
    expect(cookies).toContainEqual(expect.stringMatching(/^better-auth\.session_token=[^;]+;.*HttpOnly; SameSite=Lax/i))
    expect(cookies).toContainEqual(expect.stringMatching(/^better-auth\.oidc_state=;.*Max-Age=0/i))
  })

  test('what binds a sign-in to the browser is for us alone, over https alone, and for ten minutes', async () => {
    await using secure = await startStack({ env: { ...provider.env, PUBLIC_URL: 'https://money.example.org' } })
    const { headers } = await person(secure).post('/sign-in/oidc', {})
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Secure-better-auth\.oidc_state=[^;]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ])
  })

  test('and nowhere else', async () => {
    for (const redirectTo of ['https://evil.example/', '//evil.example', 'javascript:alert(1)', 'https://user@localhost/']) {
      expect(await person(stack).post('/sign-in/oidc', { redirectTo })).toMatchObject(refused(403, 'FORBIDDEN'))
    }
  })

  test('without an app it is shown a page', async () => {
    const ann = known()
    const from = await callbackFromProvider(ann, ann.sub)
    const [yes, no] = [await opened(ann, from), await opened(ann, from)]
    expect([yes.status, no.status]).toEqual([200, 400])
    expect(await yes.text()).toContain('You are signed in')
    expect(await no.text()).toContain('You are not signed in')
  })

  test('with an app it goes there, or with the code to its page to sign in', async () => {
    await using withApp = await startStack({ env: { ...provider.env, APP_URL: 'https://app.example.org/money' } })
    provider.serve(withApp.publicUrl)
    const open = async (someone: Person, from: URL) =>
      fetch(`${withApp.url}/api/auth/callback/oidc${from.search}`, {
        redirect: 'manual',
        headers: { accept: 'text/html', cookie: [...someone.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      })
    provider.people.set('ann', { email: 'ann@example.org', email_verified: true })
    for (
      const [redirectTo, location] of [[undefined, 'https://app.example.org/money/'], [
        'https://app.example.org/money/accounts',
        'https://app.example.org/money/accounts',
      ]]
    ) {
      const ann = person(withApp)
      expect((await open(ann, await callbackFromProvider(ann, 'ann', redirectTo))).headers.get('location')).toBe(location)
    }
    provider.people.set('eve', { email: 'eve@example.org', email_verified: false })
    const eve = person(withApp)
    const no = await open(eve, await callbackFromProvider(eve, 'eve'))
    expect([no.status, no.headers.get('location')]).toEqual([303, 'https://app.example.org/money/sign-in?error=OIDC_EMAIL_NOT_VERIFIED'])
    expect((await person(withApp).post('/sign-in/oidc', { redirectTo: 'https://app.example.org/another' })).status).toBe(403)
    provider.serve(stack.publicUrl)
  })
})

describe('what the operator says', () => {
  test('a sign-in page is told', async () => {
    expect(await person(stack).get('/sign-in/methods')).toMatchObject({
      status: 200,
      body: { password: true, sign_up: 'open', oidc: { name: 'The House', sign_up: true } },
    })
  })

  test('without a provider there is none', async () => {
    await using alone = await startStack({ env: { SIGN_UP: 'closed' } })
    const someone = person(alone)
    expect((await someone.get('/sign-in/methods')).body).toEqual({ password: true, sign_up: 'closed', oidc: null })
    expect(await someone.post('/sign-in/oidc', {})).toMatchObject(refused(404, 'NOT_FOUND'))
    expect(await someone.get('/callback/oidc?state=a&code=b')).toMatchObject(refused(404, 'NOT_FOUND'))
  })

  test.each([
    ['OIDC_SIGN_UP=false', { OIDC_SIGN_UP: 'false' }, 'SIGN_UP_CLOSED'],
    ['SIGN_UP=closed', { SIGN_UP: 'closed' }, 'SIGN_UP_CLOSED'],
    ['SIGN_UP=invitation', { SIGN_UP: 'invitation' }, 'INVITATION_REQUIRED'],
    ['SIGN_UP_DOMAINS', { SIGN_UP_DOMAINS: 'example.com' }, 'EMAIL_DOMAIN_NOT_ALLOWED'],
  ])('with %s who has no account gets none, and who has one signs in', async (_, env, error) => {
    await using limited = await startStack({ env: { ...provider.env, ...env } })
    provider.serve(limited.publicUrl)
    provider.people.set('eve', { email: 'eve@example.org', email_verified: true })
    expect(await signInWithProvider(person(limited), 'eve')).toMatchObject(refused(403, error))
    const ann = await signedIn(limited, 'Ann')
    provider.people.set('ann', { email: ann.email, email_verified: true })
    expect((await signInWithProvider(person(limited), 'ann')).body.user.email).toBe(ann.email)
    expect((await limited.sql.query('select from auth.users')).rowCount).toBe(1)
    provider.serve(stack.publicUrl)
  })

  test('whom an invitation waits for gets an account', async () => {
    await using limited = await startStack({ env: { ...provider.env, SIGN_UP: 'invitation' } })
    provider.serve(limited.publicUrl)
    const ann = await subscribed(limited, 'Ann')
    const { body: { id } } = await ann.post('/organization/create', { name: 'Household' })
    await ann.post('/organization/invite-member', { organizationId: id, email: 'bob@example.org', role: 'viewer' })
    provider.people.set('bob', { email: 'Bob@example.org', email_verified: true })
    expect((await signInWithProvider(person(limited), 'bob')).body.user.email).toBe('bob@example.org')
    provider.serve(stack.publicUrl)
  })

  test('a provider that encodes its answers, or sends elsewhere, is refused before they are read', async () => {
    const paths: string[] = []
    await using hostile = createServer((request, response) => {
      paths.push(request.url ?? '')
      if (paths.length > 1) response.writeHead(302, { location: '/elsewhere' }).end()
      else response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' }).end('no Brotli')
    })
    hostile.listen(0, '127.0.0.1')
    await once(hostile, 'listening')
    await using waiting = await startStack({ env: { ...provider.env, OIDC_ISSUER: `http://127.0.0.1:${(hostile.address() as AddressInfo).port}` } })
    expect(await person(waiting).post('/sign-in/oidc', {})).toMatchObject(refused(503, 'OIDC_UNAVAILABLE'))
    expect(await person(waiting).post('/sign-in/oidc', {})).toMatchObject(refused(503, 'OIDC_UNAVAILABLE'))
    expect(waiting.logged.join('\n')).toMatch(/OUTBOUND_ENCODED[^]*OUTBOUND_REDIRECT/)
    expect(paths).toEqual(['/.well-known/openid-configuration', '/.well-known/openid-configuration'])
  })

  test('a provider that is down, or says that it is another, is told as that; one that comes back is asked', async () => {
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
    await using other = await startStack({ env: { ...provider.env, OIDC_ISSUER: `${provider.issuer}/another` } })
    expect(await person(other).post('/sign-in/oidc', {})).toMatchObject(refused(503, 'OIDC_UNAVAILABLE'))
  })
})

describe('Ann, whose account has no password,', () => {
  const passwordless = async () => {
    const ann = known()
    expect((await signInWithProvider(ann, ann.sub)).status).toBe(200)
    return ann
  }
  const tenMinutesLater = async (someone: Person) =>
    stack.sql.query(`update auth.sessions set created_at = created_at - interval '10 minutes 1 second' where user_id = $1`, [await someone.id()])
  const tokenIn = async (to: string, path: string) => {
    const mail = await stack.mail.waitFor(to, ({ text }) => text.includes(path))
    return /token=([\w.-]+)/.exec(mail.text)?.[1]
  }

  test('deletes it right after a sign-in', async () => {
    const ann = await passwordless()
    expect((await ann.post('/delete-account', {})).status).toBe(200)
    expect((await ann.post('/confirm-delete-account', { token: await tokenIn(ann.email, 'confirm-delete-account') })).status).toBe(200)
    expect(await accountsOf(ann.email)).toEqual([])
    // and the provider makes a new one of her, as of anybody
    expect((await signInWithProvider(person(stack), ann.sub)).status).toBe(200)
  })

  test.each(['/delete-account', '/request-email-change'])(
    'is asked by %s to sign in again ten minutes later, and a renewed session is no sign-in',
    async (path) => {
      const ann = await passwordless()
      const input = path === '/delete-account' ? {} : { newEmail: `new-${ann.email}` }
      await tenMinutesLater(ann)
      expect(await ann.post(path, input)).toMatchObject(refused(403, 'FRESH_SIGN_IN_REQUIRED'))
      // renewed, as it is once a day
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

  test('gives no password where she has none, however fresh she is', async () => {
    const ann = await passwordless()
    for (const given of [password, '']) {
      expect(await ann.post('/delete-account', { password: given })).toMatchObject(refused(400, 'INVALID_PASSWORD'))
      expect(await ann.post('/request-email-change', { newEmail: `new-${ann.email}`, password: given })).toMatchObject(refused(400, 'INVALID_PASSWORD'))
    }
    expect((await ann.post('/change-password', { currentPassword: '', newPassword: 'something else' })).status).toBe(400)
    expect((await person(stack, 'Ann', ann.email).signIn('')).status).toBe(401)
  })

  test('changes her address, and signs in as before', async () => {
    const ann = await passwordless()
    const { body: { user } } = await ann.get('/get-session')
    expect((await ann.post('/request-email-change', { newEmail: `new-${ann.email}` })).status).toBe(200)
    expect((await ann.post('/confirm-email-change', { token: await tokenIn(`new-${ann.email}`, 'confirm-email-change') })).status).toBe(200)
    expect((await signInWithProvider(person(stack), ann.sub)).body.user).toMatchObject({ id: user.id, email: `new-${ann.email}` })
  })

  test('chooses a first password by mail, and both ways lead in', async () => {
    const ann = await passwordless()
    await ann.post('/forget-password', { email: ann.email })
    expect((await ann.post('/reset-password', { token: await tokenIn(ann.email, 'reset-password'), password })).status).toBe(200)
    expect((await person(stack, 'Ann', ann.email).signIn()).status).toBe(200)
    expect((await signInWithProvider(person(stack), ann.sub)).status).toBe(200)
  })
})

test('Eve, who knew Ann’s password and changed the address, has joined herself at the provider; Ann stops the change, and is alone again', async () => {
  const ann = known()
  await signInWithProvider(ann, ann.sub)
  const eve = known('Eve')
  expect((await ann.post('/request-email-change', { newEmail: eve.email })).status).toBe(200)
  const tokenIn = async (to: string, path: string) => /token=([\w-]+)/.exec((await stack.mail.waitFor(to, ({ text }) => text.includes(path))).text)?.[1]
  await eve.post('/confirm-email-change', { token: await tokenIn(eve.email, 'confirm-email-change') })
  expect((await signInWithProvider(eve, eve.sub)).body.user.id).toBe(await ann.id())
  const id = await ann.id()
  expect((await person(stack).post('/stop-email-change', { token: await tokenIn(ann.email, 'stop-email-change') })).status).toBe(200)
  await isSignedOut(eve)
  expect((await signInWithProvider(eve, eve.sub)).body.user.id).not.toBe(id)
  expect((await signInWithProvider(ann, ann.sub)).body.user.id).toBe(id)
})

test('with a password, a wrong one is refused however fresh the sign-in is, and none is needed', async () => {
  const ann = await signedIn(stack, 'Ann')
  expect(await ann.post('/delete-account', { password: 'wrong' })).toMatchObject(refused(400, 'INVALID_PASSWORD'))
  expect(await ann.post('/request-email-change', { newEmail: 'new@example.net', password: 'wrong' })).toMatchObject(refused(400, 'INVALID_PASSWORD'))
  expect((await ann.post('/request-email-change', { newEmail: 'new@example.net' })).status).toBe(200)
  await stack.sql.query(`update auth.sessions set created_at = created_at - interval '10 minutes 1 second' where user_id = $1`, [await ann.id()])
  expect(await ann.post('/delete-account', {})).toMatchObject(refused(403, 'FRESH_SIGN_IN_REQUIRED'))
  expect((await ann.post('/delete-account', { password })).status).toBe(200)
})

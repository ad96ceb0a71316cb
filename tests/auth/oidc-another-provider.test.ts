/**
 * Single sign-on with a second OpenID provider, oauth2-mock-server. It shares no code with the
 * provider of oidc.test.ts.
 */
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import {
  Events,
  OAuth2Server,
  type MutableResponse,
  type MutableToken,
  type Payload,
} from 'oauth2-mock-server'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openCallback } from '../support/oidc.ts'
import { person, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

const clientId = 'finance'
const clientSecret = 'a secret of the provider and the service'

const provider = new OAuth2Server()
let issuer: string
let env: Record<string, string>
let stack: Stack
beforeAll(async () => {
  await provider.issuer.keys.generate('RS256')
  await provider.start(0, '127.0.0.1')
  issuer = provider.issuer.url ?? ''
  env = {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_NAME: 'Another House',
  }
  stack = await startStack({ env })
})
afterEach(() => provider.service.removeAllListeners())
afterAll(async () => {
  await stack.close()
  await provider.stop()
})

const failed = { status: 400, body: { error: 'OIDC_FAILED' } }

/**
 * Changes the ID token before the provider signs it. The access token, which the provider signs
 * too, has no audience.
 */
const changeIdToken = (change: (payload: Payload) => void) =>
  provider.service.on(Events.BeforeTokenSigning, ({ payload }: MutableToken) => {
    if ('aud' in payload) change(payload)
  })
const changeUserinfo = (claims: Record<string, unknown>) =>
  provider.service.on(
    Events.BeforeUserinfo,
    ({ body }: MutableResponse) => Object.assign(body, claims),
  )
/** Replaces the signed ID token in the provider's response. */
const replaceIdToken = (replace: (token: string) => string | undefined) =>
  provider.service.on(Events.BeforeResponse, ({ body }: MutableResponse) => {
    if (body !== '') body['id_token'] = replace(String(body['id_token']))
  })

let users = 0
/** A new user of the provider with a verified address, in a new browser. */
function userOfProvider(): Person & { claims: Record<string, unknown> } {
  const sub = `ann-${++users}`
  const ann = person(stack, 'Ann', `${sub}@another.example.org`)
  return { ...ann, claims: { sub, email: ann.email, email_verified: true } }
}

/** Starts a sign-in and lets the provider redirect. @returns the callback URL, not yet opened */
async function callbackOf(user: Person): Promise<URL> {
  const { status, body } = await user.post('/sign-in/oidc', {})
  expect(status).toBe(200)
  const redirect = await fetch(body.url, { redirect: 'manual' })
  return new URL(redirect.headers.get('location') ?? '')
}
const signIn = async (user: Person) => openCallback(user, await callbackOf(user))

const accountsOf = async (email: string) =>
  (await stack.sql.query(
    'select provider_id, account_id from auth.users u join auth.accounts a on a.user_id = u.id where email = $1',
    [email],
  )).rows

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const payloadIn = (token: string) => token.split('.')[1] ?? ''

test('a sign-in with another provider creates an account with the verified address of the ID token, and opens it again', async () => {
  const ann = userOfProvider()
  changeIdToken((payload) => Object.assign(payload, ann.claims))
  const first = await signIn(ann)
  expect(first).toMatchObject({
    status: 200,
    body: { user: { email: ann.email, email_verified: true } },
  })
  expect((await signIn(person(stack))).body.user.id).toBe(first.body.user.id)
  expect(await accountsOf(ann.email)).toEqual([{
    provider_id: issuer,
    account_id: ann.claims['sub'],
  }])
})

test('a sign-in with another provider takes the address from the userinfo endpoint if the ID token has none', async () => {
  const ann = userOfProvider()
  changeIdToken((payload) => Object.assign(payload, { sub: ann.claims['sub'] }))
  changeUserinfo(ann.claims)
  expect((await signIn(ann)).body.user.email).toBe(ann.email)
})

test('a sign-in with another provider sends the verifier of this sign-in: the provider refuses a code of another', async () => {
  const [ann, eve] = [userOfProvider(), userOfProvider()]
  changeIdToken((payload) => Object.assign(payload, ann.claims))
  const [hers, evil] = [await callbackOf(ann), await callbackOf(eve)]
  evil.searchParams.set('code', hers.searchParams.get('code') ?? '')
  expect(await openCallback(eve, evil)).toMatchObject(failed)
  expect(await accountsOf(ann.email)).toEqual([])
})

describe('a response of another provider is refused', () => {
  const now = Math.floor(Date.now() / 1_000)
  const refuses = async (
    attack: (ann: ReturnType<typeof userOfProvider>) => unknown,
    expected: object = failed,
  ) => {
    const ann = userOfProvider()
    changeIdToken((payload) => Object.assign(payload, ann.claims))
    await attack(ann)
    expect(await signIn(ann)).toMatchObject(expected)
    expect((await ann.get('/get-session')).status).toBe(401)
    expect(await accountsOf(ann.email)).toEqual([])
  }

  test.each<[string, Record<string, unknown>]>([
    ['is from another issuer', { iss: 'https://login.example.org' }],
    ['is for another client', { aud: 'another' }],
    ['is for several clients and authorized for another', {
      aud: [clientId, 'another'],
      azp: 'another',
    }],
    ['has another nonce', { nonce: 'of another sign-in' }],
    ['has no nonce', { nonce: undefined }],
    ['has expired', { iat: now - 7_200, nbf: now - 7_200, exp: now - 3_600 }],
    ['has no expiry', { exp: undefined }],
    ['is not valid yet', { nbf: now + 3_600 }],
    ['has no subject', { sub: undefined }],
  ])(
    'a response of another provider is refused if its ID token %s',
    (_, claims) => refuses(() => changeIdToken((payload) => Object.assign(payload, claims))),
  )

  test.each<[string, (token: string) => string | undefined]>([
    ['is missing', () => undefined],
    ['is unsigned (alg none)', (token) => `${base64url({ alg: 'none' })}.${payloadIn(token)}.`],
    ['is signed with the client secret (HS256)', (token) => {
      const signed = `${base64url({ alg: 'HS256' })}.${payloadIn(token)}`
      return `${signed}.${createHmac('sha256', clientSecret).update(signed).digest('base64url')}`
    }],
    ['is signed with an unpublished key, which is in its own header', (token) => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
      const signed = `${base64url({ alg: 'RS256', jwk: publicKey.export({ format: 'jwk' }) })}.${
        payloadIn(token)
      }`
      return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
    }],
    ['was changed after the signature', (token) => {
      const [header, payload = '', signature] = token.split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
      return [header, base64url({ ...claims, sub: 'another' }), signature].join('.')
    }],
  ])(
    'a response of another provider is refused if its ID token %s',
    (_, replace) => refuses(() => replaceIdToken(replace)),
  )

  test('a response of another provider is refused if the userinfo is about another user', () =>
    refuses((ann) => {
      changeIdToken((payload) => Object.assign(payload, { email: undefined }))
      changeUserinfo({ ...ann.claims, sub: 'another' })
    }))

  test('a response of another provider is refused if the provider has not verified the address', () =>
    refuses(() => changeIdToken((payload) => Object.assign(payload, { email_verified: false })), {
      status: 403,
      body: { error: 'OIDC_EMAIL_NOT_VERIFIED' },
    }))

  test('a response of another provider is refused if the token endpoint fails', () =>
    refuses(() =>
      provider.service.on(
        Events.BeforeResponse,
        (response: MutableResponse) =>
          Object.assign(response, { statusCode: 400, body: { error: 'invalid_grant' } }),
      )
    ))

  test('a response of another provider is refused if the redirect names another issuer', async () => {
    const ann = userOfProvider()
    changeIdToken((payload) => Object.assign(payload, ann.claims))
    const back = await callbackOf(ann)
    back.searchParams.set('iss', 'https://login.example.org')
    expect(await openCallback(ann, back)).toMatchObject(failed)
    expect(await accountsOf(ann.email)).toEqual([])
  })

  test('a response of another provider is refused if its metadata name another issuer', async () => {
    await using suspicious = await startStack({ env })
    provider.service.on(
      Events.BeforeWellKnownOpenIdConfiguration,
      ({ body }: MutableResponse) => Object.assign(body, { issuer: 'https://login.example.org' }),
    )
    expect(await person(suspicious).post('/sign-in/oidc', {})).toMatchObject({
      status: 503,
      body: { error: 'OIDC_UNAVAILABLE' },
    })
  })
})

/**
 * Forged, altered and borrowed bearer tokens. The data surface refuses each, and returns no rows.
 */
import { createHmac } from 'node:crypto'
import {
  base64url,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWTPayload,
} from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { person, signedIn, team, type Person } from '../support/person.ts'
import { tokenSigner } from '../support/signer.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
let ann: Person
let genuine: string
let claims: JWTPayload
/**
 * A key that the service accepts and the test can sign with, to test claims under a valid
 * signature.
 */
let ours: { kid: string, privateKey: CryptoKey, publicPem: string }
let foreignKey: CryptoKey

beforeAll(async () => {
  stack = await startStack({ data: true })
  ann = await signedIn(stack, 'Ann')
  genuine = await ann.token()
  claims = JSON.parse(Buffer.from(genuine.split('.')[1] ?? '', 'base64url').toString())
  const { kid, privateKey, publicKey } = await tokenSigner(stack.sql, claims.iss ?? '')
  ours = { kid, privateKey, publicPem: await exportSPKI(publicKey) }
  foreignKey = (await generateKeyPair('RS256')).privateKey
  await vi.waitFor(async () => {
    expect((await read(await sign({}))).status).toBe(200)
  }, { timeout: 30_000 })
})
afterAll(() => stack.close())

const read = async (bearer: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${stack.dataUrl}/transactions`, {
    headers: { authorization: `Bearer ${bearer}`, ...headers },
  })
  return { status: response.status, body: await response.json() as any }
}
const encode = (value: unknown) =>
  base64url.encode(typeof value === 'string' ? value : JSON.stringify(value))
/** Signs the genuine claims with changes, using a key that the service accepts. */
const sign = (change: Record<string, unknown>, header: Record<string, unknown> = {}) => {
  const payload = Object.fromEntries(
    Object.entries({ ...claims, ...change }).filter(([, value]) => value !== undefined),
  )
  return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: ours.kid, ...header }).sign(
    ours.privateKey,
  )
}
const hs256 = (key: string | Buffer, header: Record<string, unknown> = {}) => {
  const input = `${encode({ alg: 'HS256', kid: ours.kid, ...header })}.${encode(claims)}`
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`
}

const expectRefused = async (bearer: string, what = '') => {
  const { status, body } = await read(bearer)
  expect(status, `${what} ${JSON.stringify(body)}`).toBe(401)
  expect(Object.keys(body).toSorted()).toEqual(['code', 'details', 'hint', 'message'])
  expect(body.code).toMatch(/301$/)
}

describe('an invalid signature is refused:', () => {
  test('an invalid signature is refused: alg none, with and without a signature', async () => {
    for (const alg of ['none', 'None', 'NONE', '']) {
      await expectRefused(`${encode({ alg })}.${encode(claims)}.`)
      await expectRefused(
        `${encode({ alg, kid: ours.kid })}.${encode(claims)}.${genuine.split('.')[2]}`,
      )
    }
  })

  test('HS256 with the public key or the secret as its key', async () => {
    const { keys } = (await person(stack).get('/jwks')).body
    for (
      const key of [
        ours.publicPem,
        JSON.stringify(keys[0]),
        keys[0].n,
        Buffer.from(keys[0].n, 'base64url'),
        JSON.stringify({ keys }),
        'a secret of the tests, long enough',
        '',
      ]
    ) {
      await expectRefused(hs256(key))
      await expectRefused(hs256(key, { kid: undefined }))
    }
  })

  test('another key under a real kid, or embedded in the header', async () => {
    const jwk = await exportJWK((await generateKeyPair('RS256', { extractable: true })).publicKey)
    for (
      const header of [{}, { jwk }, { jku: 'http://127.0.0.1/keys' }, {
        x5u: 'http://127.0.0.1/cert',
      }, { x5c: ['MIIB'] }]
    ) {
      await expectRefused(
        await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: ours.kid, ...header })
          .sign(foreignKey),
      )
    }
  })

  test('a kid that is a path, a query or empty', async () => {
    for (const kid of ['../../etc/passwd', "' or 1=1 --", '', 'unknown']) {
      await expectRefused(
        await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(foreignKey),
      )
    }
  })

  test('one changed bit anywhere in the token', async () => {
    for (let i = 0; i < genuine.length; i += 37) {
      if (genuine[i] === '.') continue
      // The last character of a part can contain bits without meaning.
      if (['.', undefined].includes(genuine[i + 1])) continue
      const flipped = genuine[i] === 'A' ? 'B' : 'A'
      await expectRefused(genuine.slice(0, i) + flipped + genuine.slice(i + 1))
    }
  })

  test('an unknown critical extension', async () => {
    const input = `${encode({ alg: 'RS256', kid: ours.kid, crit: ['exp2'], exp2: 1 })}.${
      encode(claims)
    }`
    const signature = await crypto.subtle.sign(
      'RSASSA-PKCS1-v1_5',
      ours.privateKey,
      new TextEncoder().encode(input),
    )
    const { status } = await read(`${input}.${base64url.encode(new Uint8Array(signature))}`)
    expect([200, 401]).toContain(status)
  })

  test('an invalid signature is refused: missing parts, too many parts, or no token', async () => {
    const [header, payload, signature] = genuine.split('.')
    for (
      const token of [
        '',
        '.',
        '..',
        `${header}.${payload}`,
        `${header}.${payload}.`,
        `.${payload}.${signature}`,
        `${genuine}.${signature}`,
        `${header}..${signature}`,
        'null',
        '{}',
        'a'.repeat(9_000),
      ]
    ) {
      const { status } = await read(token)
      // An empty bearer is no bearer: the request is anonymous and returns [].
      expect(token === '' ? [200, 401] : [401, 431]).toContain(status)
    }
  })
})

test('claims under a valid signature are refused with an audience that is missing, null, empty, a list or another', async () => {
  for (
    const aud of [
      undefined,
      null,
      '',
      [],
      [claims.aud, 'https://evil.example'],
      ['https://evil.example'],
      'https://evil.example',
      { url: claims.aud },
      1,
      `${String(claims.aud)}/`,
    ]
  ) {
    await expectRefused(await sign({ aud }), JSON.stringify(aud))
  }
})

test('claims under a valid signature are refused with an expiry that is missing, past, or not a number', async () => {
  for (const exp of [undefined, null, '9999999999', 1, Math.floor(Date.now() / 1000) - 3_600])
    await expectRefused(await sign({ exp }))
})

test('claims under a valid signature are refused with a session that is missing, of another user, or made up', async () => {
  const eve = await signedIn(stack, 'Eve')
  const foreign = (await eve.get('/get-session')).body.session.id
  for (const sid of [undefined, null, '', 'x', foreign, [claims['sid']], { id: claims['sid'] }])
    await expectRefused(await sign({ sid }))
})

test('claims under a valid signature are refused after a sign-out, as a copy of the cookie is', async () => {
  const bob = await signedIn(stack, 'Bob')
  const copy = person(stack, 'Bob', bob.email)
  for (const [name, value] of bob.cookies) copy.cookies.set(name, value)
  const token = await bob.token()
  expect((await read(token)).status).toBe(200)
  await bob.post('/sign-out')
  await expectRefused(token)
  expect((await copy.get('/get-session')).status).toBe(401)
})

test('claims under a valid signature are refused with a user that differs from the session’s', async () => {
  const eve = await signedIn(stack, 'Eve')
  const id = await eve.id()
  await expectRefused(await sign({ sub: id, user_id: id }))
  await expectRefused(await sign({ user_id: id }))
  await expectRefused(await sign({ sub: id }))
  await expectRefused(await sign({ user_id: undefined }))
  await expectRefused(await sign({ sub: undefined }))
})

test('claims under a valid signature are refused with an organization of other users, or with only half of its claims', async () => {
  const { id } = await team(stack, [])
  for (
    const inner of [
      { organization_id: id, organization_role: 'owner' },
      { organization_id: id },
      { organization_role: 'owner' },
      { organization_id: id, organization_role: null },
      { organization_id: [id], organization_role: ['owner'] },
      { organization_id: '', organization_role: '' },
      { organization_id: id, organization_role: 'superuser' },
    ]
  ) await expectRefused(await sign({ claims: inner }))
})

test('claims under a valid signature are refused with a higher role than the membership’s', async () => {
  const { id, viewer } = await team(stack, ['viewer'])
  const viewerClaims = JSON.parse(
    Buffer.from((await viewer.token()).split('.')[1] ?? '', 'base64url').toString(),
  )
  expect((await read(await sign(viewerClaims))).status).toBe(200)
  for (
    const organization_role of ['editor', 'admin', 'owner', 'Viewer', 'viewer ', 'viewer,owner']
  ) {
    await expectRefused(
      await sign({ ...viewerClaims, claims: { organization_id: id, organization_role } }),
    )
  }
})

test('claims under a valid signature with another role of the database are refused or read no rows', async () => {
  for (
    const role of [
      'postgres',
      'authenticator',
      'auth_service',
      'pg_read_all_data',
      'none',
      'Authenticated',
      'anon; drop table x',
      '',
      1,
      null,
      [
        'authenticated',
      ],
    ]
  ) {
    const { status, body } = await read(await sign({ role }))
    // PostgREST treats a missing role as anonymous, which returns [].
    if (status === 200) expect(body).toEqual([])
    else expect([400, 401, 403]).toContain(status)
  }
})

test('claims under a valid signature that occur twice read no rows of another user', async () => {
  const eve = await signedIn(stack, 'Eve')
  await fetch(`${stack.dataUrl}/transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await eve.token()}`, 'content-type': 'application/json' },
    body: '{"name":"Eve’s","amount":1}',
  })
  const doubled = JSON.stringify(claims).replace(
    '{',
    `{"user_id":"${await eve.id()}","sub":"${await eve.id()}",`,
  )
  const input = `${encode({ alg: 'RS256', kid: ours.kid })}.${encode(doubled)}`
  const signature = await crypto.subtle.sign(
    'RSASSA-PKCS1-v1_5',
    ours.privateKey,
    new TextEncoder().encode(input),
  )
  const { status, body } = await read(`${input}.${base64url.encode(new Uint8Array(signature))}`)
  if (status === 200) expect(body).toEqual([])
  else expect(status).toBe(401)
})

describe('other secrets and headers are not accepted as a token:', () => {
  test('a session cookie, a verification token, a reset token', async () => {
    const bob = person(stack, 'Bob')
    await bob.signUp()
    const verification =
      new URL(linkIn(await stack.mail.waitFor(bob.email))).searchParams.get('token') ?? ''
    await bob.post('/forget-password', { email: bob.email })
    const reset = new URL(
      linkIn(await stack.mail.waitFor(bob.email, ({ text }) => text.includes('reset-password'))),
    ).searchParams.get('token') ?? ''
    for (const bearer of [verification, reset, ...bob.cookies.values()]) await expectRefused(bearer)
  })

  test('other secrets and headers are not accepted as a token: headers that imitate the values that PostgREST sets', async () => {
    const eve = await signedIn(stack, 'Eve')
    await fetch(`${stack.dataUrl}/transactions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await eve.token()}`, 'content-type': 'application/json' },
      body: '{"name":"Eve’s","amount":1}',
    })
    const forged = JSON.stringify({ ...claims, user_id: await eve.id() })
    for (
      const headers of [
        { 'request.jwt.claims': forged },
        { 'x-request-jwt-claims': forged },
        { role: 'postgres' },
        { prefer: 'params=single-object' },
        {
          'accept-profile': 'auth',
        },
        { 'content-profile': 'private' },
      ]
    ) {
      const { status, body } = await read(genuine, headers)
      expect([200, 406]).toContain(status)
      if (status === 200) expect(body).toEqual([])
    }
  })
})

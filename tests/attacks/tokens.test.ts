/** Bearer tokens that somebody made, bent or borrowed. Each is refused by the data surface, and nothing is read. */
import { createHmac } from 'node:crypto'
import { base64url, exportJWK, exportSPKI, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { person, signedIn, team, type Person } from '../support/person.ts'
import { tokenSigner } from '../support/signer.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
let ann: Person
let genuine: string
let claims: JWTPayload
/** A key that the service accepts and of which the test, unlike an attacker, has the private half: to ask what claims alone can do. */
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
  }, { timeout: 5_000 })
})
afterAll(() => stack.close())

const read = async (bearer: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${stack.dataUrl}/transactions`, { headers: { authorization: `Bearer ${bearer}`, ...headers } })
  return { status: response.status, body: await response.json() as any }
}
const encode = (value: unknown) => base64url.encode(typeof value === 'string' ? value : JSON.stringify(value))
/** Signed by a key the service knows, with the genuine claims changed. */
const sign = (change: Record<string, unknown>, header: Record<string, unknown> = {}) => {
  const payload = Object.fromEntries(Object.entries({ ...claims, ...change }).filter(([, value]) => value !== undefined))
  return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: ours.kid, ...header }).sign(ours.privateKey)
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

describe('a signature that is not ours', () => {
  test('alg none, with and without a signature', async () => {
    for (const alg of ['none', 'None', 'NONE', '']) {
      await expectRefused(`${encode({ alg })}.${encode(claims)}.`)
      await expectRefused(`${encode({ alg, kid: ours.kid })}.${encode(claims)}.${genuine.split('.')[2]}`)
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

  test('another key under a real kid, or brought along in the header', async () => {
    const jwk = await exportJWK((await generateKeyPair('RS256', { extractable: true })).publicKey)
    for (const header of [{}, { jwk }, { jku: 'http://127.0.0.1/keys' }, { x5u: 'http://127.0.0.1/cert' }, { x5c: ['MIIB'] }]) {
      await expectRefused(await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: ours.kid, ...header }).sign(foreignKey))
    }
  })

  test('a kid that is a path, a query or nothing', async () => {
    for (const kid of ['../../etc/passwd', "' or 1=1 --", '', 'unknown']) {
      await expectRefused(await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(foreignKey))
    }
  })

  test('one bit changed, anywhere in the token', async () => {
    for (let i = 0; i < genuine.length; i += 37) {
      if (genuine[i] === '.') continue
      // the last character of a part can carry bits that mean nothing
      if (['.', undefined].includes(genuine[i + 1])) continue
      const flipped = genuine[i] === 'A' ? 'B' : 'A'
      await expectRefused(genuine.slice(0, i) + flipped + genuine.slice(i + 1))
    }
  })

  test('a critical extension nobody understands', async () => {
    const input = `${encode({ alg: 'RS256', kid: ours.kid, crit: ['exp2'], exp2: 1 })}.${encode(claims)}`
    const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', ours.privateKey, new TextEncoder().encode(input))
    const { status } = await read(`${input}.${base64url.encode(new Uint8Array(signature))}`)
    expect([200, 401]).toContain(status)
  })

  test('parts missing, too many, or no token at all', async () => {
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
      // an empty bearer is no bearer: anonymous, which reads []
      expect(token === '' ? [200, 401] : [401, 431]).toContain(status)
    }
  })
})

describe('claims under a good signature, as only the service could write them,', () => {
  test('of an audience that is missing, null, empty, a list or another', async () => {
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

  test('of an end that is missing, past, or no number', async () => {
    for (const exp of [undefined, null, '9999999999', 1, Math.floor(Date.now() / 1000) - 3_600]) await expectRefused(await sign({ exp }))
  })

  test('of a session that is missing, another’s, or made up', async () => {
    const eve = await signedIn(stack, 'Eve')
    const foreign = (await eve.get('/get-session')).body.session.id
    for (const sid of [undefined, null, '', 'x', foreign, [claims['sid']], { id: claims['sid'] }]) await expectRefused(await sign({ sid }))
  })

  test('of a user that is not the session’s', async () => {
    const eve = await signedIn(stack, 'Eve')
    const id = await eve.id()
    await expectRefused(await sign({ sub: id, user_id: id }))
    await expectRefused(await sign({ user_id: id }))
    await expectRefused(await sign({ sub: id }))
    await expectRefused(await sign({ user_id: undefined }))
    await expectRefused(await sign({ sub: undefined }))
  })

  test('of an organization that is not hers, or only half there', async () => {
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

  test('of a higher role than the membership’s', async () => {
    const { id, viewer } = await team(stack, ['viewer'])
    const own = JSON.parse(Buffer.from((await viewer.token()).split('.')[1] ?? '', 'base64url').toString())
    expect((await read(await sign(own))).status).toBe(200)
    for (const organization_role of ['editor', 'admin', 'owner', 'Viewer', 'viewer ', 'viewer,owner']) {
      await expectRefused(await sign({ ...own, claims: { organization_id: id, organization_role } }))
    }
  })

  test('naming another role of the database do not become it', async () => {
    for (
      const role of ['postgres', 'authenticator', 'auth_service', 'pg_read_all_data', 'none', 'Authenticated', 'anon; drop table x', '', 1, null, [
        'authenticated',
      ]]
    ) {
      const { status, body } = await read(await sign({ role }))
      // what PostgREST takes for no role is anonymous, which reads []
      if (status === 200) expect(body).toEqual([])
      else expect([400, 401, 403]).toContain(status)
    }
  })

  test('written twice count once, and a token cannot say two things', async () => {
    const eve = await signedIn(stack, 'Eve')
    await fetch(`${stack.dataUrl}/transactions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await eve.token()}`, 'content-type': 'application/json' },
      body: '{"name":"Eve’s","amount":1}',
    })
    const doubled = JSON.stringify(claims).replace('{', `{"user_id":"${await eve.id()}","sub":"${await eve.id()}",`)
    const input = `${encode({ alg: 'RS256', kid: ours.kid })}.${encode(doubled)}`
    const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', ours.privateKey, new TextEncoder().encode(input))
    const { status, body } = await read(`${input}.${base64url.encode(new Uint8Array(signature))}`)
    if (status === 200) expect(body).toEqual([])
    else expect(status).toBe(401)
  })
})

describe('something that is no token of the data surface', () => {
  test('a session cookie, a verification token, a reset token', async () => {
    const bob = person(stack, 'Bob')
    await bob.signUp()
    const verification = new URL(linkIn(await stack.mail.waitFor(bob.email))).searchParams.get('token') ?? ''
    await bob.post('/forget-password', { email: bob.email })
    const reset = new URL(linkIn(await stack.mail.waitFor(bob.email, ({ text }) => text.includes('reset-password')))).searchParams.get('token') ?? ''
    for (const bearer of [verification, reset, ...bob.cookies.values()]) await expectRefused(bearer)
  })

  test('headers that pretend to be what PostgREST sets', async () => {
    const eve = await signedIn(stack, 'Eve')
    await fetch(`${stack.dataUrl}/transactions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await eve.token()}`, 'content-type': 'application/json' },
      body: '{"name":"Eve’s","amount":1}',
    })
    const forged = JSON.stringify({ ...claims, user_id: await eve.id() })
    for (
      const headers of [{ 'request.jwt.claims': forged }, { 'x-request-jwt-claims': forged }, { role: 'postgres' }, { prefer: 'params=single-object' }, {
        'accept-profile': 'auth',
      }, { 'content-profile': 'private' }]
    ) {
      const { status, body } = await read(genuine, headers)
      expect([200, 406]).toContain(status)
      if (status === 200) expect(body).toEqual([])
    }
  })
})

import { decodeProtectedHeader, createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { person, signedIn, team } from '../support/person.ts'
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
      user: { id: expect.any(String), email: ann.email, name: 'Ann', email_verified: true, created_at: expect.any(String), updated_at: expect.any(String) },
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

  test('a session ends at sign-out', async () => {
    const ann = await signedIn(stack, 'Ann')
    expect(await ann.post('/sign-out')).toMatchObject({ status: 200, body: { success: true } })
    expect(ann.cookies.size).toBe(0)
    expect(await ann.get('/get-session')).toMatchObject({ status: 401, body: { error: 'UNAUTHORIZED' } })
  })

  test('a session and copies of its cookie are invalid after sign-out', async () => {
    const ann = await signedIn(stack, 'Ann')
    const copy = person(stack, 'Ann', ann.email)
    for (const [name, value] of ann.cookies) copy.cookies.set(name, value)
    await ann.post('/sign-out')
    expect((await copy.get('/get-session')).status).toBe(401)
    expect((await copy.post('/token')).status).toBe(401)
  })

  test('a session is listed for its user, who can end one by its id and then all others', async () => {
    const ann = await signedIn(stack, 'Ann')
    const [phone, laptop] = [person(stack, 'Ann', ann.email), person(stack, 'Ann', ann.email)]
    const phoneSession = (await phone.signIn()).body.session.id
    await laptop.signIn()
    // Listing needs no recent sign-in.
    await stack.sql.query(`update auth.sessions set created_at = now() - interval '2 days' where id = $1`, [(await ann.get('/get-session')).body.session.id])
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
    expect(await ann.post('/revoke-session', { sessionId: phoneSession })).toMatchObject({ status: 200, body: { success: true } })
    expect((await phone.get('/get-session')).status).toBe(401)
    expect((await laptop.get('/get-session')).status).toBe(200)
    expect(await ann.post('/revoke-other-sessions')).toMatchObject({ status: 200, body: { success: true } })
    expect((await laptop.get('/get-session')).status).toBe(401)
    expect((await ann.get('/get-session')).status).toBe(200)
  })

  test('a session cannot be ended by another user', async () => {
    const [ann, eve] = [await signedIn(stack, 'Ann'), await signedIn(stack, 'Eve')]
    const { body } = await ann.get('/get-session')
    expect(await eve.post('/revoke-session', { sessionId: body.session.id })).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } })
    expect((await ann.get('/get-session')).status).toBe(200)
  })

  test.each([['GET', '/get-session'], ['POST', '/sign-out'], ['POST', '/token'], ['GET', '/list-sessions'], ['GET', '/organization/list'], [
    'POST',
    '/revoke-other-sessions',
  ]])(
    'is required by %s %s: without the cookie it returns 401 UNAUTHORIZED',
    async (method, path) => {
      expect(await person(stack).call(method, path)).toMatchObject({ status: 401, body: { error: 'UNAUTHORIZED', message: expect.any(String) } })
    },
  )
})

test('a token is RS256, valid for one hour, signed by a published key, with the claims of the interface', async () => {
  const ann = await signedIn(stack, 'Ann')
  const token = await ann.token()
  const { body: keySet } = await person(stack).get('/jwks')
  const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(keySet))
  const { body: { user, session } } = await ann.get('/get-session')
  const publicUrl = (await stack.sql.query('select public_url from private.settings')).rows[0].public_url
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
  expect(decodeJwt(await owner.token())['claims']).toEqual({ organization_id: id, organization_role: 'owner' })
  expect(decodeJwt(await editor.token())['claims']).toEqual({ organization_id: id, organization_role: 'editor' })
  await owner.patch('/organization/update-member-role', { organizationId: id, userId: await editor.id(), role: 'viewer' })
  expect(decodeJwt(await editor.token())['claims']).toEqual({ organization_id: id, organization_role: 'viewer' })
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
  await expect(stack.sql.query(`insert into auth.jwks (id, public_key, private_key) select 'plain', public_key, '{"d":"1"}' from auth.jwks`)).rejects.toThrow(
    /jwks_private_key_is_encrypted/,
  )
})

test('a token is verified by a key set that contains only public keys', async () => {
  const { status, body, headers } = await person(stack).get('/jwks')
  expect(status).toBe(200)
  expect(body.keys.map((key: object) => Object.keys(key).toSorted())).toEqual([['alg', 'e', 'kid', 'kty', 'n', 'use']])
  expect(headers.get('cache-control')).toContain('max-age')
})

/** supabase's published clients, at each address of the data surface of `npm start`. */
import { PostgrestClient } from '@supabase/postgrest-js'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { calls, type Client, type Clients } from './calls.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

/**
 * supabase-js configured as in docs/data.md. @returns a function that creates the client of a user
 * with a token, or an anonymous one
 */
const supabase = (origin: string, key: string) => (token?: string): Client =>
  createClient(origin, key, { accessToken: () => Promise.resolve(token ?? null) })

const plain = (url: string) => (token?: string) =>
  new PostgrestClient(url, {
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
  })

describe.each([
  ['supabase-js', () => supabase(stack.url, 'a publishable key')],
  ['postgrest-js at /data', () => plain(`${stack.url}/data`)],
  ['postgrest-js at DATA_PORT', () => plain(stack.dataUrl)],
])('%s', (_, client) => {
  let clients: Clients
  beforeAll(async () => {
    clients = {
      signedIn: client()(await (await signedIn(stack, 'Ann')).token()),
      signedOut: client()(),
    }
  })
  test.each(calls)('%s', (__, call) => call(clients))
})

test('other services of supabase are 404 with the right path, which the client gives as the message', async () => {
  const client = createClient(stack.url, 'key')
  const signIn =
    'This path does not exist. Sign in with POST /api/auth/sign-in/email, then get a token with POST /api/auth/token. All routes are at /docs.'
  const credentials = { email: 'ann@example.com', password: 'correct horse' }
  expect((await client.auth.signInWithPassword(credentials)).error).toMatchObject({
    status: 404,
    message: signIn,
  })
  expect((await client.auth.signUp(credentials)).error).toMatchObject({
    status: 404,
    message: signIn,
  })
  expect((await client.storage.listBuckets()).error).toMatchObject({
    status: 404,
    message: expect.stringContaining('/data/rpc/begin_upload'),
  })
  const { context } = (await client.functions.invoke('any')).error
  expect([context.status, (await context.json()).message]).toEqual([
    404,
    expect.stringContaining('functions at /data/rpc/{function}'),
  ])
})

test('with accessToken the client throws at .auth, and another schema is refused', async () => {
  const client = createClient(stack.url, 'key', { accessToken: () => Promise.resolve(null) })
  expect(await client.schema('auth').from('users').select()).toMatchObject({
    status: 406,
    error: { code: 'PGRST106' },
  })
  expect(() => client.auth.getSession()).toThrow('accessToken option')
})

test("a key in supabase's new format, which is never sent as the bearer, works too", async () => {
  const client = supabase(stack.url, 'sb_publishable_of-nobody')
  expect(await client().from('transactions').select()).toMatchObject({ status: 200, data: [] })
  expect(
    await client(await (await signedIn(stack, 'Ann')).token()).from('tags').insert({
      name: 'Kept',
    }),
  ).toMatchObject({ status: 201 })
})

describe('requests of supabase-js at /rest/v1', () => {
  const transactions = (headers: Record<string, string>, prefix = '/rest/v1') =>
    fetch(`${stack.url}${prefix}/transactions?select=name`, { headers })

  test('requests of supabase-js at /rest/v1 may name the schema public, which is dropped only there, and another schema is refused', async () => {
    expect((await transactions({ 'accept-profile': 'public' })).status).toBe(200)
    expect((await transactions({ 'accept-profile': 'api' })).status).toBe(200)
    expect((await transactions({ 'accept-profile': 'auth' })).status).toBe(406)
    expect((await transactions({ 'accept-profile': 'public' }, '/data')).status).toBe(406)
  })

  test('requests of supabase-js at /rest/v1 may have the apikey as the bearer, which is dropped, and an invalid token is refused', async () => {
    expect((await transactions({ apikey: 'key', authorization: 'Bearer key' })).status).toBe(200)
    expect((await transactions({ apikey: 'key', authorization: 'Bearer other' })).status).toBe(401)
    expect((await transactions({ authorization: 'Bearer key' })).status).toBe(401)
    expect((await transactions({ apikey: 'key', authorization: 'Bearer key' }, '/data')).status)
      .toBe(401)
  })

  test('requests of supabase-js at /rest/v1 get no additional rights: with a token as apikey they are anonymous, and with a key as token they have the limits of anonymous requests', async () => {
    const ann = await signedIn(stack, 'Ann')
    const token = await ann.token()
    const authorization = `Bearer ${token}`
    await fetch(`${stack.url}/data/transactions`, {
      method: 'POST',
      body: '{"name":"Mine","amount":1}',
      headers: { authorization, 'content-type': 'application/json' },
    })
    expect(await (await transactions({ authorization, apikey: 'key' })).json()).toEqual([{
      name: 'Mine',
    }])
    expect(await (await transactions({ authorization, apikey: token })).json()).toEqual([])
    const asKey = { apikey: 'key', authorization: 'Bearer key' }
    expect(
      (await fetch(`${stack.url}/rest/v1/transactions?select=${'a'.repeat(2_048)}`, {
        headers: asKey,
      })).status,
    ).toBe(414)
    const large = {
      method: 'POST',
      body: '['.repeat(64 * 1024 + 1),
      headers: { ...asKey, 'content-type': 'application/json' },
    }
    expect((await fetch(`${stack.url}/rest/v1/transactions`, large)).status).toBe(413)
  })

  test('requests of supabase-js at /rest/v1 send the key neither to the database nor to its log', async () => {
    await stack.sql.query(
      `create function api.fields() returns json language sql stable return current_setting('request.headers')::json;
      grant execute on function api.fields() to anon; notify pgrst, 'reload schema'`,
    )
    const fields = async () => (await createClient(stack.url, 'key').rpc('fields')).data
    await expect.poll(fields).toMatchObject({
      'x-client-info': expect.stringContaining('supabase-js'),
    })
    expect(Object.keys(await fields())).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/apikey|authorization|profile|traceparent/)]),
    )
  })

  test('requests of supabase-js at /rest/v1 are allowed to a page of any origin', async () => {
    const sent =
      'accept-profile,apikey,authorization,content-profile,content-type,prefer,x-client-info,x-retry-count,traceparent'
    const { status, headers } = await fetch(`${stack.url}/rest/v1/transactions`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.org',
        'access-control-request-method': 'POST',
        'access-control-request-headers': sent,
      },
    })
    const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
    expect([
      status,
      headers.get('access-control-allow-origin'),
      sent.split(',').filter((name) => !allowed?.includes(name)),
    ]).toEqual([200, '*', []])
  })
})

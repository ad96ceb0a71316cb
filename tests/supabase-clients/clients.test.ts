/** supabase's clients as they are published, at every address that `npm start` has for the data surface. */
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

/** supabase-js as docs/data.md has it. @returns what makes the client of a person with this token, or of an anonymous caller */
const supabase = (origin: string, key: string) => (token?: string): Client => createClient(origin, key, { accessToken: () => Promise.resolve(token ?? null) })

const plain = (url: string) => (token?: string) => new PostgrestClient(url, { headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } })

describe.each([
  ['supabase-js', () => supabase(stack.url, 'a publishable key')],
  ['postgrest-js at /data', () => plain(`${stack.url}/data`)],
  ['postgrest-js at DATA_PORT', () => plain(stack.dataUrl)],
])('%s', (_, client) => {
  let clients: Clients
  beforeAll(async () => {
    clients = { signedIn: client()(await (await signedIn(stack, 'Ann')).token()), signedOut: client()() }
  })
  test.each(calls)('%s', (__, call) => call(clients))
})

test('what supabase has and this product does not is 404, and with accessToken .auth says that it is not for this', async () => {
  const client = createClient(stack.url, 'key', { accessToken: () => Promise.resolve(null) })
  expect((await client.storage.listBuckets()).error).toMatchObject({ status: 404 })
  expect((await client.functions.invoke('any')).error).toMatchObject({ context: { status: 404 } })
  expect(await client.schema('auth').from('users').select()).toMatchObject({ status: 406, error: { code: 'PGRST106' } })
  expect(() => client.auth.getSession()).toThrow('accessToken option')
})

test('a key of supabase’s new form, which is never the bearer, works too', async () => {
  const client = supabase(stack.url, 'sb_publishable_of-nobody')
  expect(await client().from('transactions').select()).toMatchObject({ status: 200, data: [] })
  expect(await client(await (await signedIn(stack, 'Ann')).token()).from('tags').insert({ name: 'Kept' })).toMatchObject({ status: 201 })
})

describe('what supabase-js adds at /rest/v1', () => {
  const transactions = (headers: Record<string, string>, prefix = '/rest/v1') => fetch(`${stack.url}${prefix}/transactions?select=name`, { headers })

  test('is the schema public, which is dropped there and nowhere else; another schema is refused', async () => {
    expect((await transactions({ 'accept-profile': 'public' })).status).toBe(200)
    expect((await transactions({ 'accept-profile': 'api' })).status).toBe(200)
    expect((await transactions({ 'accept-profile': 'auth' })).status).toBe(406)
    expect((await transactions({ 'accept-profile': 'public' }, '/data')).status).toBe(406)
  })

  test('is its key as the bearer, which is dropped when it is the apikey of the same request; a token that is none is refused', async () => {
    expect((await transactions({ apikey: 'key', authorization: 'Bearer key' })).status).toBe(200)
    expect((await transactions({ apikey: 'key', authorization: 'Bearer other' })).status).toBe(401)
    expect((await transactions({ authorization: 'Bearer key' })).status).toBe(401)
    expect((await transactions({ apikey: 'key', authorization: 'Bearer key' }, '/data')).status).toBe(401)
  })

  test('gives nobody more: who calls their token a key is nobody, and with a key for a token the limits are those of nobody', async () => {
    const ann = await signedIn(stack, 'Ann')
    const token = await ann.token()
    const authorization = `Bearer ${token}`
    await fetch(`${stack.url}/data/transactions`, {
      method: 'POST',
      body: '{"name":"Mine","amount":1}',
      headers: { authorization, 'content-type': 'application/json' },
    })
    expect(await (await transactions({ authorization, apikey: 'key' })).json()).toEqual([{ name: 'Mine' }])
    expect(await (await transactions({ authorization, apikey: token })).json()).toEqual([])
    const asKey = { apikey: 'key', authorization: 'Bearer key' }
    expect((await fetch(`${stack.url}/rest/v1/transactions?select=${'a'.repeat(2_048)}`, { headers: asKey })).status).toBe(414)
    const large = { method: 'POST', body: '['.repeat(64 * 1024 + 1), headers: { ...asKey, 'content-type': 'application/json' } }
    expect((await fetch(`${stack.url}/rest/v1/transactions`, large)).status).toBe(413)
  })

  test('reaches neither the database nor its log', async () => {
    await stack.sql.query(`create function api.fields() returns json language sql stable return current_setting('request.headers')::json;
      grant execute on function api.fields() to anon; notify pgrst, 'reload schema'`)
    const fields = async () => (await createClient(stack.url, 'key').rpc('fields')).data
    await expect.poll(fields, { timeout: 10_000 }).toMatchObject({ 'x-client-info': expect.stringContaining('supabase-js') })
    expect(Object.keys(await fields())).not.toEqual(expect.arrayContaining([expect.stringMatching(/apikey|authorization|profile|traceparent/)]))
  })

  test('may be sent by a page of any origin', async () => {
    const sent = 'accept-profile,apikey,authorization,content-profile,content-type,prefer,x-client-info,x-retry-count,traceparent'
    const { status, headers } = await fetch(`${stack.url}/rest/v1/transactions`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example.org', 'access-control-request-method': 'POST', 'access-control-request-headers': sent },
    })
    const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
    expect([status, headers.get('access-control-allow-origin'), sent.split(',').filter((name) => !allowed?.includes(name))]).toEqual([200, '*', []])
  })
})

/**
 * Queries that the edge passes to PostgREST, queries that it refuses, and requests for one object.
 */
import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { most } from '../../edge/query.ts'
import { signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { objectCalls, type AskObject } from './objects.ts'
import { acceptedQueries, headerNames, hints, messages, naming, refusedQueries } from './queries.ts'
import { edgeForTest, fakePostgrest, raw } from './support.ts'

let stack: Stack
let bearer: { authorization: string }
beforeAll(async () => {
  stack = await startStack({ data: true })
  bearer = { authorization: `Bearer ${await (await signedIn(stack, 'Ann')).token()}` }
})
afterAll(() => stack.close())

const answer = async (url: string, method: string, headers = {}) => {
  const insert = method === 'POST'
    ? { body: '[]', headers: { ...headers, 'content-type': 'application/json' } }
    : {}
  const response = await fetch(url, { method, headers, ...insert })
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  }
}
const parsed = ({ text, ...rest }: { status: number, type: string | null, text: string }) => ({
  ...rest,
  body: JSON.parse(text),
})
const refusal = (code: string) => ({
  status: { URI_TOO_LONG: 414, PGRST103: 416 }[code] ?? 400,
  type: 'application/json; charset=utf-8',
  body: {
    code,
    message: naming[code] === undefined ? messages[code] : expect.stringMatching(naming[code]),
    details: null,
    hint: hints[code] ?? null,
  },
})

test.each(acceptedQueries)(
  '%s reaches PostgREST, and the response is the same as without the edge',
  async (_, path, method = 'GET') => {
    const through = await answer(`${stack.url}/data${path}`, method, bearer)
    expect(through.status).toBeLessThan(300)
    expect(through).toEqual(await answer(stack.dataUrl + path, method, bearer))
  },
)

test('a list of 7,000 commas reaches PostgREST, although a response header repeats it encoded', async () => {
  const answered = await raw(
    stack.url,
    `GET /data/transactions?name=in.(${
      ','.repeat(7_000)
    }) HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${bearer.authorization}\r\nConnection: close\r\n\r\n`,
  )
  expect(answered).toMatch(/^HTTP\/1\.1 200 /)
  expect(answered.length).toBeGreaterThan(20_000)
})

test('the docs name the limits', async () => {
  const [ofData, ofSecurity] = await Promise.all(
    ['data', 'security'].map(async (page) =>
      (await readFile(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8')).replaceAll(
        /\s+/g,
        ' ',
      )
    ),
  )
  // The type requires a text of each limit.
  const items = `${most.items} commas and JSON arrows or ${
    most.itemBytes / 1024
  } KiB in \`select\`, \`order\`, \`columns\` and \`on_conflict\``
  const boolean =
    `${most.conditions} conditions and JSON arrows or ${most.groups} parentheses in \`and\` and \`or\``
  const limits: Record<keyof typeof most, string> = {
    pathBytes: `a path above ${most.pathBytes} bytes`,
    argumentBytes: `${most.argumentBytes / 1024} KiB in the names of a function's parameters`,
    relationBytes: `${most.relationBytes} bytes in an item of \`select\``,
    parameters: `${most.parameters} parameters`,
    nameBytes: `${most.nameBytes} bytes in a name`,
    items,
    itemBytes: items,
    embeddings: `${most.embeddings} embedded tables and \`*\``,
    groups: boolean,
    conditions: boolean,
  }
  for (const limit of Object.values(limits)) expect(ofData).toContain(limit)
  // The page of promises links to the list of limits.
  expect(ofSecurity).toContain('(data.md#errors)')
  expect(ofSecurity).toContain(limits.pathBytes)
})

test('a URL and headers of more than 16 KiB together are refused without a body', async () => {
  const answered = await raw(
    stack.url,
    `GET /data/transactions?name=eq.${'a'.repeat(8_200)} HTTP/1.1\r\nHost: localhost\r\nX: ${
      'a'.repeat(8_200)
    }\r\n\r\n`,
  )
  expect(answered).toMatch(/^HTTP\/1\.1 431 [^]*\r\n\r\n$/)
})

describe('the edge refuses', () => {
  test.each(refusedQueries)(
    'the edge refuses with %s: %s',
    async (code, _, path, method = 'GET') => {
      for (const prefix of ['/data', '/rest/v1'])
        expect(parsed(await answer(stack.url + prefix + path, method, bearer))).toEqual(
          refusal(code),
        )
    },
  )

  test.each(Object.getOwnPropertyNames(Object.prototype))(
    'the edge refuses columns of the unknown function %s',
    async (name) => {
      for (const query of ['select=foo', 'order=foo', 'foo=eq.1', 'or=(foo.eq.1,foo.eq.2)'])
        expect(parsed(await answer(`${stack.url}/data/rpc/${name}?${query}`, 'GET', bearer)))
          .toEqual(refusal('42703'))
    },
  )

  test('the edge refuses these queries for anonymous clients too, and PostgREST receives none', async () => {
    const seen: (string | undefined)[] = []
    const address = await edgeForTest(
      await fakePostgrest((request, response) => {
        seen.push(request.url)
        response.end('[]')
      }),
    )
    for (
      const [code, , path, method = 'GET'] of refusedQueries.filter((one) => one[2].length < 2000)
    )
      expect(parsed(await answer(`${address}/data${path}`, method))).toEqual(refusal(code))
    expect(seen).toEqual([])
  })

  test.each(headerNames)('a byte that is not UTF-8 in %s', async (name) => {
    const ask = (value: string) =>
      raw(
        stack.url,
        Buffer.from(
          `GET /data/transactions HTTP/1.1\r\nHost: localhost\r\n${name}: ${value}\r\nConnection: close\r\n\r\n`,
          'latin1',
        ),
      )
    expect(await ask('a=\xff')).toMatch(/^HTTP\/1\.1 400 [^]*"code":"INVALID_ENCODING"/)
    expect(await ask('a=\xc3\xa4')).not.toMatch(/^HTTP\/1\.1 5|INVALID_ENCODING/)
  })
})

/** The values of the columns that the queries below select. */
const values = new Set([
  'Bread of Cay',
  'Groceries of Cay',
  -12.34,
  '-12.34',
  'usd',
  'in JSON',
  '"in JSON"',
  null,
])

const columns = [
  'name',
  'amount',
  'currency',
  '"name"',
  'metadata->>count',
  'metadata->xmin',
  'metadata->"a,count,b"',
  'name->"a',
]
const others = [
  'count',
  'pg_typeof',
  'xmin',
  'ctid',
  'tableoid',
  'json_agg',
  'row_to_json',
  'to_jsonb',
  '"count"',
  '"json_agg"',
  'record_out',
  'array_agg',
  'id"',
]
const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...columns) },
  fc.constantFrom(...others),
)
const alias = fc.constantFrom('', '', 'a:', 'count:', '"b,c":', '"(d":', '"e\\"f":', ' ', ':')
const cast = fc.constantFrom(
  '',
  '',
  '',
  '::text',
  '::TEXT',
  '::regrole',
  '::oid',
  ':: text',
  '::xml',
  '.sum()',
  '->count',
)
const column = fc.tuple(alias, name, cast).map((parts) => parts.join(''))
const list = (item: fc.Arbitrary<string>) =>
  fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(','))
// Without a table before it, `...` selects all columns.
const embedding = fc.tuple(
  fc.oneof(alias, fc.constant('...')),
  fc.constantFrom('categories', 'categories!inner', '"categories"'),
  list(column),
)
  .map(([before, table, inner]) =>
    `${before}${table}(${inner.replaceAll(/amount|currency|metadata/g, 'name')})`
  )
const select = list(fc.oneof({ weight: 4, arbitrary: column }, embedding))
const more = fc.oneof(
  fc.constant(''),
  column.map((item) => `&order=${item}.desc`),
  fc.tuple(name, fc.constantFrom('not.is.null', 'neq.1', 'not.in.(1)')).map(([filtered, value]) =>
    `&${filtered}=${value}`
  ),
  fc.tuple(name, fc.constantFrom('a"', '"a', 'a')).map(([filtered, value]) =>
    `&or=(name.in.(${value}),${filtered}.not.is.null,name.eq.${value})`
  ),
)
/** Percent-encodes some characters. */
const query = fc.tuple(select, more, fc.integer({ min: 2, max: 12 }))
  .map(([selected, rest, every]) =>
    `select=${selected}${rest}`.replaceAll(
      /[^&=%]/g,
      (character, at: number) => (at % every === 0 ? encodeURIComponent(character) : character),
    )
  )

const leaves = (body: unknown): unknown[] =>
  typeof body === 'object' && body !== null ? Object.values(body).flatMap(leaves) : [body]

test('no random query reads a function, a system column or the catalogue', async () => {
  const authorization = `Bearer ${await (await signedIn(stack, 'Cay')).token()}`
  const create = async (table: string, row: object) => {
    const headers = {
      authorization,
      'content-type': 'application/json',
      prefer: 'return=representation',
    }
    return (await (await fetch(`${stack.url}/data/${table}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(row),
    })).json() as { id: string }[])[0]?.id
  }
  const category_id = await create('categories', { name: 'Groceries of Cay' })
  await create('transactions', {
    name: 'Bread of Cay',
    amount: -12.34,
    category_id,
    metadata: { count: 'in JSON', xmin: 'in JSON' },
  })
  let answered = 0
  await fc.assert(
    fc.asyncProperty(query, async (sent) => {
      const { status, text } = await answer(`${stack.url}/data/transactions?${sent}`, 'GET', {
        authorization,
      })
      expect(status, text).toBeLessThan(500)
      // PostgREST treats a select that it cannot parse as all columns of the table.
      if (status !== 200) return
      const body = JSON.parse(text) as object[]
      if (body.some((row: object) => 'created_at' in row)) return
      answered += 1
      expect(leaves(body).filter((value) => !values.has(value as string))).toEqual([])
    }),
    { numRuns: 600 },
  )
  expect(answered).toBeGreaterThan(20)
})

const ask: AskObject = async (path, accept, init = {}) => {
  const response = await fetch(`${stack.url}/data${path}`, {
    ...init,
    headers: { ...bearer, accept, ...init.headers },
  })
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: await response.json(),
  }
}

test.each(objectCalls)('a request for one object %s', (_, call) => call(ask))

test('a request for one object has one Content-Type in its response, even if PostgREST sends two', async () => {
  const request = (accept: string) =>
    raw(
      stack.url,
      `GET /data/tags?limit=0 HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`,
    )
  expect((await request('application/vnd.rest.object+json')).match(/^content-type: .*$/gim))
    .toEqual(['Content-Type: application/json; charset=utf-8'])
})

/** Queries that the edge passes to PostgREST, and queries that it refuses. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { most } from '../../edge/query.ts'
import { signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
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
  const response = await fetch(url, { method, headers })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}
const parsed = ({ text, ...rest }: { status: number, type: string | null, text: string }) => ({ ...rest, body: JSON.parse(text) })
const refusal = (code: string) => ({
  status: { URI_TOO_LONG: 414, PGRST103: 416 }[code] ?? 400,
  type: 'application/json; charset=utf-8',
  body: { code, message: naming[code] === undefined ? messages[code] : expect.stringMatching(naming[code]), details: null, hint: hints[code] ?? null },
})

test.each(acceptedQueries)('%s reaches PostgREST, and the response is the same as without the edge', async (_, path, method = 'GET') => {
  const through = await answer(`${stack.url}/data${path}`, method, bearer)
  expect(through.status).toBeLessThan(300)
  expect(through).toEqual(await answer(stack.dataUrl + path, method, bearer))
})

test('a list of 7,000 commas reaches PostgREST, although a response header repeats it encoded', async () => {
  const answered = await raw(
    stack.url,
    `GET /data/transactions?name=in.(${','.repeat(7_000)}) HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${bearer.authorization}\r\nConnection: close\r\n\r\n`,
  )
  expect(answered).toMatch(/^HTTP\/1\.1 200 /)
  expect(answered.length).toBeGreaterThan(20_000)
})

test('the docs name the limits', async () => {
  const [ofData, ofSecurity] = await Promise.all(
    ['data', 'security'].map(async (page) => (await readFile(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8')).replaceAll(/\s+/g, ' ')),
  )
  // The type requires a text of each limit.
  const items = `${most.items} commas and JSON arrows or ${most.itemBytes / 1024} KiB in \`select\`, \`order\`, \`columns\` and \`on_conflict\``
  const boolean = `${most.conditions} conditions and JSON arrows or ${most.groups} parentheses in \`and\` and \`or\``
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
  const answered = await raw(stack.url, `GET /data/transactions?name=eq.${'a'.repeat(8_200)} HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(8_200)}\r\n\r\n`)
  expect(answered).toMatch(/^HTTP\/1\.1 431 [^]*\r\n\r\n$/)
})

describe('the edge refuses', () => {
  test.each(refusedQueries)('the edge refuses with %s: %s', async (code, _, path, method = 'GET') => {
    for (const prefix of ['/data', '/rest/v1']) expect(parsed(await answer(stack.url + prefix + path, method, bearer))).toEqual(refusal(code))
  })

  test.each(Object.getOwnPropertyNames(Object.prototype))('the edge refuses columns of the unknown function %s', async (name) => {
    for (const query of ['select=foo', 'order=foo', 'foo=eq.1', 'or=(foo.eq.1,foo.eq.2)'])
      expect(parsed(await answer(`${stack.url}/data/rpc/${name}?${query}`, 'GET', bearer))).toEqual(refusal('42703'))
  })

  test('the edge refuses these queries for anonymous clients too, and PostgREST receives none', async () => {
    const seen: (string | undefined)[] = []
    const address = await edgeForTest(
      await fakePostgrest((request, response) => {
        seen.push(request.url)
        response.end('[]')
      }),
    )
    for (const [code, , path, method = 'GET'] of refusedQueries.filter((one) => one[2].length < 2000))
      expect(parsed(await answer(`${address}/data${path}`, method))).toEqual(refusal(code))
    expect(seen).toEqual([])
  })

  test.each(headerNames)('a byte that is not UTF-8 in %s', async (name) => {
    const ask = (value: string) =>
      raw(stack.url, Buffer.from(`GET /data/transactions HTTP/1.1\r\nHost: localhost\r\n${name}: ${value}\r\nConnection: close\r\n\r\n`, 'latin1'))
    expect(await ask('a=\xff')).toMatch(/^HTTP\/1\.1 400 [^]*"code":"INVALID_ENCODING"/)
    expect(await ask('a=\xc3\xa4')).not.toMatch(/^HTTP\/1\.1 5|INVALID_ENCODING/)
  })
})

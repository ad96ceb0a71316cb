/**
 * Bodies and URLs that the edge refuses before PostgREST reads them, with errors in PostgREST's
 * format, and bodies that it repairs.
 */
import { request as httpRequest } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { edgeForTest, fakePostgrest, raw, sharingEdge, stream } from './support.ts'

const KiB = 1024
const MiB = 1024 * KiB
let stack: Stack
let bearer: { authorization: string }
beforeAll(async () => {
  stack = await startStack({ data: true })
  bearer = { authorization: `Bearer ${await (await signedIn(stack, 'Ann')).token()}` }
})
afterAll(() => stack.close())

const tooLarge = {
  code: 'PAYLOAD_TOO_LARGE',
  message: 'The request body is too large.',
  details: null,
  hint: null,
}
const tooLong = {
  code: 'URI_TOO_LONG',
  message: 'The URL is too long.',
  details: null,
  hint: null,
}
const json = { 'content-type': 'application/json' }

async function send(path: string, init: RequestInit) {
  const response = await fetch(`${stack.url}/data${path}`, init)
  const text = await response.text()
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: text === '' ? null : JSON.parse(text),
  }
}
/** Returns a row with this many bytes of JSON. */
const row = (bytes: number) =>
  `{"name":"Bread","amount":-3,"description":"${'x'.repeat(bytes - 45)}"}`.padEnd(bytes)
const chunksOf = (bytes: number) =>
  Array.from({ length: Math.ceil(bytes / (16 * KiB)) }, () => Buffer.alloc(16 * KiB, '['))
const pathOf = (prefix: string, bytes: number) =>
  `${prefix}/transactions?select=${'a'.repeat(bytes)}`.slice(0, bytes)

test('a body of 64 KiB is accepted without a token, and one more byte is refused', async () => {
  expect(
    (await send('/transactions', { method: 'POST', headers: json, body: row(64 * KiB) })).status,
  ).toBe(401)
  expect(await send('/transactions', { method: 'POST', headers: json, body: row(64 * KiB + 1) }))
    .toEqual({
      status: 413,
      type: 'application/json; charset=utf-8',
      body: tooLarge,
    })
})

test('a body of 2 MiB is accepted with a token, and one more byte is refused', async () => {
  const rows = JSON.stringify(
    Array.from({ length: 1000 }, (_, number) => ({ name: `Row ${number}`, amount: 1 })),
  ).padEnd(2 * MiB)
  expect(
    (await send('/transactions', { method: 'POST', headers: { ...json, ...bearer }, body: rows }))
      .status,
  ).toBe(201)
  expect(
    await send('/transactions', {
      method: 'POST',
      headers: { ...json, ...bearer },
      body: `${rows} `,
    }),
  ).toMatchObject({ status: 413, body: tooLarge })
})

test('a body with an invalid token gets the token’s error, whatever its size', async () => {
  for (const bytes of [5 * KiB, 60 * KiB, 200 * KiB]) {
    const answers = await Promise.all(
      Array.from(
        { length: 20 },
        () =>
          send('/transactions', {
            method: 'POST',
            headers: { ...json, authorization: 'Bearer x' },
            body: row(bytes),
          }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
  }
})

test.each(['Basic abc', 'Bearer', 'Bearer  ', 'Token x'])(
  'a body with the Authorization %j counts as anonymous, like in PostgREST',
  async (authorization) => {
    expect(
      await send('/transactions', {
        method: 'POST',
        headers: { ...json, authorization },
        body: row(64 * KiB + 1),
      }),
    ).toMatchObject({
      status: 413,
      body: tooLarge,
    })
  },
)

test('a body with two tokens counts as anonymous if the first is invalid, because PostgREST reads the first', async () => {
  const answer = await raw(
    stack.url,
    `POST /data/transactions HTTP/1.1\r\nHost: localhost\r\nAuthorization: x\r\nAuthorization: ${bearer.authorization}\r\nContent-Length: 70000\r\nConnection: close\r\n\r\n`,
    Buffer.alloc(70_000, '['),
  )
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
})

test.each(['GET', 'HEAD', 'OPTIONS', 'DELETE'])(
  'a body of more than 64 KiB is refused for %s, which needs no body',
  async (method) => {
    const answer = await raw(
      stack.url,
      `${method} /data/transactions HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${bearer.authorization}\r\nContent-Length: 70000\r\nConnection: close\r\n\r\n`,
      Buffer.alloc(70_000, '['),
    )
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  },
)

test('a body of CSV may have 4 KiB, or 16 KiB with a token, because PostgREST writes the column names into each row', async () => {
  const csv = (bytes: number) =>
    `name,amount\n${'Bread,-3\n'.repeat(bytes / 9)}`.slice(0, bytes).padEnd(bytes, '\n')
  const headers = { 'content-type': 'text/csv' }
  expect((await send('/transactions', { method: 'POST', headers, body: csv(4 * KiB) })).status).not
    .toBe(413)
  expect((await send('/transactions', { method: 'POST', headers, body: csv(4 * KiB + 1) })).status)
    .toBe(413)
  expect(
    (await send('/transactions', {
      method: 'POST',
      headers: { ...headers, ...bearer },
      body: csv(16 * KiB),
    })).status,
  ).not.toBe(413)
  expect(
    (await send('/transactions', {
      method: 'POST',
      headers: { ...headers, ...bearer },
      body: csv(16 * KiB + 1),
    })).status,
  ).toBe(413)
})

test('a body may be as large as DATA_BODY_LIMIT', async () => {
  const small = await stack.startAnotherAuth({ DATA_BODY_LIMIT: '100000' })
  const status = async (bytes: number) =>
    (await fetch(`${small}/data/transactions`, {
      method: 'POST',
      headers: { ...json, ...bearer },
      body: row(bytes),
    })).status
  expect([await status(99_999), await status(100_001)]).toEqual([400, 413])
})

test('a chunked body is counted, and refused at the first byte above the limit', async () => {
  expect(await stream(`${stack.url}/data/transactions`, json, chunksOf(64 * KiB))).toMatchObject({
    status: 400,
  })
  expect(
    JSON.parse(
      (await stream(`${stack.url}/data/transactions`, json, [...chunksOf(64 * KiB), '['])).body,
    ),
  ).toEqual(tooLarge)
  expect(
    (await stream(`${stack.url}/data/transactions`, { ...json, ...bearer }, [
      ...chunksOf(2 * MiB),
      '[',
    ])).status,
  ).toBe(413)
})

test('a chunked body slightly above the limit is read to its end, and the connection stays open', async () => {
  const chunk = (bytes: number) =>
    Buffer.concat([
      Buffer.from(`${bytes.toString(16)}\r\n`),
      Buffer.alloc(bytes, '['),
      Buffer.from('\r\n'),
    ])
  const answer = await raw(
    stack.url,
    'POST /data/transactions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n',
    chunk(3 * MiB),
    '0\r\n\r\n',
    'GET /data/transactions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  )
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
})

test('a chunked body without an end gets a response, and its connection is closed', async () => {
  const endless = (function*() {
    for (;;) yield Buffer.alloc(64 * KiB, '[')
  })()
  const answered = stream(`${stack.url}/data/transactions`, json, endless)
  await expect(Promise.race([answered.then(({ status }) => status), answered.then(() => 0)]))
    .resolves.toBe(413)
})

describe('PostgREST', () => {
  /** Starts a PostgREST that records its requests. */
  async function recordingPostgrest() {
    const seen: { method: string | undefined, bytes: number, complete: boolean }[] = []
    const url = await edgeForTest(
      await fakePostgrest((request, response) => {
        const one = { method: request.method, bytes: 0, complete: false }
        seen.push(one)
        request.on('data', (chunk: Buffer) => {
          one.bytes += chunk.length
        }).once('end', () => {
          one.complete = true
          response.end('[]')
        }).on('error', () => undefined)
      }),
    )
    return { url, seen }
  }

  test('PostgREST receives nothing of a request with too large a Content-Length or too long a URL', async () => {
    const { url, seen } = await recordingPostgrest()
    expect(
      (await fetch(`${url}/data/transactions`, { method: 'POST', body: Buffer.alloc(16 * MiB) }))
        .status,
    ).toBe(413)
    expect((await fetch(url + pathOf('/data', 2 * KiB + 1))).status).toBe(414)
    expect(seen).toEqual([])
  })

  test('PostgREST receives a chunked request above the limit without its end, and without a token nothing of it', async () => {
    const { url, seen } = await recordingPostgrest()
    expect((await stream(`${url}/data/transactions`, json, chunksOf(MiB))).status).toBe(413)
    expect(seen).toEqual([])
    expect(
      (await stream(`${url}/data/transactions`, { ...json, ...bearer }, chunksOf(4 * MiB))).status,
    ).toBe(413)
    await expect.poll(() => seen).toMatchObject([{ complete: false }])
    expect(seen[0]?.bytes).toBeLessThanOrEqual(2 * MiB)
  })

  test('PostgREST receives no byte of a body with an invalid token', async () => {
    const answered = await stream(`${stack.url}/data/transactions`, {
      ...json,
      authorization: 'Bearer bent',
    }, chunksOf(MiB))
    expect(answered).toMatchObject({ status: 401, body: expect.stringContaining('PGRST301') })
  })

  test('PostgREST reads two large bodies at a time, and the others wait', async () => {
    let reading = 0
    let most = 0
    const waiting: (() => void)[] = []
    const url = await edgeForTest(
      await fakePostgrest((request, response) => {
        most = Math.max(most, reading += 1)
        request.resume().once('end', () =>
          waiting.push(() => {
            reading -= 1
            response.end('[]')
          }))
      }),
    )
    const post = () =>
      fetch(`${url}/data/transactions`, {
        method: 'POST',
        headers: bearer,
        body: Buffer.alloc(100_000),
      }).then(({ status }) => status)
    const answers = Promise.all([post(), post(), post(), post(), post()])
    for (const left of [5, 3, 1]) {
      await expect.poll(() => waiting.length).toBe(Math.min(2, left))
      waiting.splice(0).forEach((finish) => finish())
    }
    expect(await answers).toEqual([200, 200, 200, 200, 200])
    expect(most).toBe(2)
  })
})

test('a client that disconnects after its large body keeps its slot until PostgREST has responded', async () => {
  const waiting: (() => void)[] = []
  const postgrest = await fakePostgrest((request, response) => {
    request.resume().once('end', () => waiting.push(() => response.end('[]')))
  })
  // a share of six connections
  const { url } = await sharingEdge(postgrest, { env: { PGRST_DB_POOL: '36' } })
  const post = (signal?: AbortSignal) =>
    fetch(`${url}/data/transactions`, {
      method: 'POST',
      headers: bearer,
      body: Buffer.alloc(100_000),
      ...(signal && { signal }),
    }).then(({ status }) => status)
  const away = new AbortController()
  const aborted = Promise.allSettled([post(away.signal), post(away.signal)])
  await expect.poll(() => waiting.length).toBe(2)
  away.abort()
  await aborted
  const next = post()
  // A request that needs no slot overtakes it.
  const small = fetch(`${url}/data/transactions`, { method: 'POST', headers: bearer, body: 'x' })
  await expect.poll(() => waiting.length).toBe(3)
  waiting[2]?.()
  expect((await small).status).toBe(200)
  expect(waiting).toHaveLength(3)
  waiting[0]?.()
  await expect.poll(() => waiting.length).toBe(4)
  waiting[3]?.()
  expect(await next).toBe(200)
  waiting[1]?.()
})

test.each(['/data', '/rest/v1'])(
  'a URL at %s may have 2 KiB, or 8 KiB with a token, counted as received',
  async (prefix) => {
    const status = async (bytes: number, headers: Record<string, string>) =>
      (await fetch(stack.url + pathOf(prefix, bytes), { headers })).status
    expect([await status(2 * KiB, {}), await status(2 * KiB + 1, {})]).toEqual([400, 414])
    expect([await status(8 * KiB, bearer), await status(8 * KiB + 1, bearer)]).toEqual([400, 414])
  },
)

test('a URL above the limit gets an error in PostgREST’s format, readable by pages of all origins', async () => {
  const response = await fetch(stack.url + pathOf('/data', 3 * KiB), {
    headers: { origin: 'https://app.example.org' },
  })
  expect([
    response.status,
    response.headers.get('content-type'),
    response.headers.get('access-control-allow-origin'),
    await response.json(),
  ])
    .toEqual([414, 'application/json; charset=utf-8', '*', tooLong])
})

describe('a file of Excel or PowerShell', () => {
  const mark = '\ufeff'
  const csv = { 'content-type': 'text/csv', prefer: 'return=representation' }
  /** Sends a file as Ann. */
  const post = (
    path: string,
    body: string | Buffer<ArrayBuffer>,
    headers: Record<string, string> = {},
  ) => send(path, { method: 'POST', headers: { ...json, ...bearer, ...headers }, body })

  test.each([
    ['CSV', csv, `${mark}name,amount\nRent,-900\n`],
    [
      'CSV with a charset',
      { ...csv, 'content-type': 'text/csv; charset=utf-8' },
      `${mark}name,amount\r\nRent,-900\r\n`,
    ],
    ['CSV without a mark', csv, 'name,amount\nRent,-900\n'],
    ['JSON', { prefer: csv.prefer }, `${mark}{"name":"Rent","amount":-900}`],
    ['JSON of several rows', { prefer: csv.prefer }, `${mark}[{"name":"Rent","amount":-900}]`],
  ])('a file of Excel or PowerShell is stored: %s', async (_, headers, body) => {
    expect(await post('/transactions?select=name,amount', body, headers)).toMatchObject({
      status: 201,
      body: [{ name: 'Rent', amount: -900 }],
    })
  })

  test('a file of Excel or PowerShell keeps a mark in another place', async () => {
    expect((await post('/transactions?select=name', `name,amount\n${mark}Rent,-900\n`, csv)).body)
      .toEqual([{ name: `${mark}Rent` }])
  })

  test('a file of Excel or PowerShell loses a mark whose bytes arrive one by one', async () => {
    const bytes = Buffer.from(`${mark}name,amount\nRent,-900\n`)
    const sent = httpRequest(`${stack.url}/data/transactions?select=name`, {
      method: 'POST',
      headers: { ...csv, ...bearer, 'content-length': bytes.length },
    })
    const answer = new Promise<string>((resolve, reject) =>
      sent.once('response', (response) => resolve(textOf(response))).once('error', reject)
    )
    for (const byte of bytes.subarray(0, 4)) {
      sent.write(Buffer.of(byte))
      await sleep(20)
    }
    sent.end(bytes.subarray(4))
    expect(JSON.parse(await answer)).toEqual([{ name: 'Rent' }])
  })

  test.each([
    ['CSV of Western Windows', Buffer.from('name,amount\nMüller,-3\n', 'latin1')],
    ['CSV that ends within a letter', Buffer.from('name,amount\nRent,-900\nMü').subarray(0, -1)],
    ['CSV of Excel’s “Unicode text”', Buffer.from(`${mark}name,amount\nRent,-900\n`, 'utf16le')],
  ])('a file of Excel or PowerShell is refused and stores nothing: %s', async (_, bytes) => {
    const rows = async () =>
      (await send('/transactions?select=id', { headers: bearer })).body.length
    const before = await rows()
    expect(await post('/transactions', bytes, csv)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_ENCODING', details: null },
    })
    expect(await rows()).toBe(before)
  })

  test('a file of Excel or PowerShell has a type, which may have capital letters and no charset but UTF-8', async () => {
    const sendAs = (type: string, body: string) =>
      post('/transactions', body, { 'content-type': type })
    expect(
      (await sendAs('Application/JSON; Charset="UTF-8"', '{"name":"Rent","amount":-900}')).status,
    ).toBe(201)
    expect((await sendAs('TEXT/CSV', 'name,amount\nRent,-900\n')).status).toBe(201)
    for (
      const type of [
        'application/json; charset=utf-16',
        'text/csv; charset=iso-8859-1',
        'text/csv;charset="windows-1252"',
      ]
    )
      expect(await sendAs(type, '{"name":"Rent","amount":-900}')).toMatchObject({
        status: 415,
        body: { code: 'UNSUPPORTED_MEDIA_TYPE' },
      })
  })

  test('a file of Excel or PowerShell with a mark only, or with less, is no row', async () => {
    for (const body of [mark, 'a', ''])
      expect((await post('/transactions', body, csv)).status).toBeGreaterThanOrEqual(400)
    expect(await post('/transactions', mark)).toMatchObject({
      status: 400,
      body: { code: 'PGRST102' },
    })
  })
})

describe('a request that two servers could parse differently', () => {
  const head = 'POST /data/transactions HTTP/1.1\r\nHost: localhost\r\n'
  const hidden = 'GET /data/transactions HTTP/1.1\r\nHost: localhost\r\n\r\n'
  test.each([
    [
      'both a length and chunks',
      `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    ],
    [
      'two lengths',
      `${head}Content-Length: 4\r\nContent-Length: ${4 + hidden.length}\r\n\r\nnull${hidden}`,
    ],
    ['one length twice', `${head}Content-Length: 4\r\nContent-Length: 4\r\n\r\nnull`],
    ['a length that is a list', `${head}Content-Length: 4, 4\r\n\r\nnull`],
    ['a length with a sign', `${head}Content-Length: +4\r\n\r\nnull`],
    ['an unknown encoding', `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`],
    [
      'chunked not as the last encoding',
      `${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
    ],
    ['a space before the colon', `${head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`],
    [
      'a chunk size that is not a number',
      `${head}Transfer-Encoding: chunked\r\n\r\n4x\r\nnull\r\n0\r\n\r\n${hidden}`,
    ],
    ['a line that ends with a line feed only', `${head}X: a\nContent-Length: 4\r\n\r\nnull`],
  ])('a request that two servers could parse differently is refused: %s', async (_, bytes) => {
    const answer = await raw(stack.url, bytes)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toHaveLength(1)
  })
})

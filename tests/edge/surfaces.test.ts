/** Both surfaces on one origin: the edge passes requests and responses on unchanged. */
import { once } from 'node:events'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../start/ports.ts'
import { signedIn, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { edgeForTest, fakePostgrest, raw } from './support.ts'

let stack: Stack
let ann: Person
let token: string
beforeAll(async () => {
  stack = await startStack({ data: true })
  ann = await signedIn(stack, 'Ann')
  token = await ann.token()
  // A function of this test's database that returns the headers the database receives.
  await stack.sql.query(`
    create function api.headers_of_this_request() returns json language sql stable return current_setting('request.headers')::json;
    grant execute on function api.headers_of_this_request() to anon, authenticated;
    notify pgrst, 'reload schema'`)
  await vi.waitFor(
    async () =>
      expect((await fetch(`${stack.dataUrl}/rpc/headers_of_this_request`)).status).toBe(200),
    { timeout: 30_000 },
  )
})
afterAll(() => stack.close())

const prefixes = ['/data', '/rest/v1'] as const
const bearer = () => ({ authorization: `Bearer ${token}` })
const json = { 'content-type': 'application/json' }

/** The edge adds these headers to each response of the data surface. */
const dataHeaders = {
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}

/** The visible parts of a response, except values of the connection and of the moment. */
async function visibleParts(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init)
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) =>
      !['date', 'x-request-id', 'x-change-id', 'connection', 'keep-alive', 'transfer-encoding']
        .includes(name)
    ),
  )
  return {
    status: response.status,
    statusText: response.statusText,
    headers,
    body: await response.text(),
  }
}

describe.each(prefixes)('at %s', (prefix) => {
  test('every method returns the same as PostgREST itself: status, headers and body', async () => {
    const requests: [string, RequestInit][] = [
      ['/transactions?select=name&order=name', { headers: bearer() }],
      ['/transactions', { method: 'HEAD', headers: { ...bearer(), prefer: 'count=exact' } }],
      ['/transactions?select=name', {
        headers: { ...bearer(), accept: 'application/vnd.pgrst.object+json' },
      }],
      ['/transactions', {
        method: 'POST',
        body: '{"name":"Bread","amount":-3}',
        headers: { ...bearer(), ...json },
      }],
      ['/transactions', { method: 'POST', body: '{"name":', headers: { ...bearer(), ...json } }],
      ['/transactions?name=eq.Nothing', {
        method: 'PATCH',
        body: '{"name":"Rolls"}',
        headers: { ...bearer(), ...json },
      }],
      ['/transactions?name=eq.Bread', {
        method: 'PATCH',
        body: '{"name":"Rolls"}',
        headers: { ...bearer(), ...json, prefer: 'return=representation,count=exact' },
      }],
      ['/transactions?name=eq.Nothing', { method: 'DELETE', headers: bearer() }],
      ['/rpc/get_transaction_stat', {
        method: 'POST',
        body: '{}',
        headers: { ...bearer(), ...json },
      }],
      ['/transactions', { method: 'OPTIONS' }],
      ['/transactions', {
        method: 'OPTIONS',
        headers: {
          origin: 'https://app.example.org',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization',
        },
      }],
      ['/transactions?select=id&order=id.wrong', {
        headers: { origin: 'https://app.example.org' },
      }],
      ['/nothing?a=%2F..%2F&b=%00', {}],
      ['/transactions', { headers: { authorization: 'Bearer bent' } }],
    ]
    for (const [path, init] of requests) {
      const [direct, through] = [
        await visibleParts(stack.dataUrl + path, init),
        await visibleParts(stack.url + prefix + path, init),
      ]
      const exposed = direct.headers['access-control-expose-headers']
      expect(through.headers, path).toMatchObject(dataHeaders)
      Object.assign(direct.headers, dataHeaders)
      const location = direct.headers['content-location']
      if (location !== undefined) direct.headers['content-location'] = prefix + location
      if (exposed !== undefined)
        direct.headers['access-control-expose-headers'] =
          `${exposed}, X-Change-Id, X-Left-Out, X-Request-Id`
      if (path.includes('eq.Bread')) expect([through.status, direct.status]).toEqual([200, 200])
      else expect(through, `${init.method ?? 'GET'} ${path}`).toEqual(direct)
    }
  })

  test('a 405 names the methods of the path in Allow, as RFC 9110 requires', async () => {
    const tables = 'OPTIONS, GET, HEAD, POST, PUT, PATCH, DELETE'
    const { body: created } = await visibleParts(`${stack.url}${prefix}/categories`, {
      method: 'POST',
      body: JSON.stringify({ name: `Of ${prefix}` }),
      headers: { ...bearer(), ...json, prefer: 'return=representation' },
    })
    const refused: [method: string, path: string, code: string, allow: string][] = [
      ['PROPFIND', '/transactions', 'PGRST117', tables],
      ['PROPFIND', '/nothing', 'PGRST117', tables],
      ['PUT', '/transactions', 'PGRST105', tables.replace('PUT, ', '')],
      ['DELETE', '/rpc/get_cash_flow', 'PGRST101', 'OPTIONS, GET, HEAD, POST'],
      ['PROPFIND', '/rpc/undo', 'PGRST101', 'OPTIONS, POST'],
      [
        'GET',
        `/rpc/delete_category?p_category_id=${JSON.parse(created)[0].id}`,
        '25006',
        'OPTIONS, POST',
      ],
      ...['', '/', '/?select=id'].flatMap((path) =>
        ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'].map((
          method,
        ): typeof refused[number] => [method, path, 'PGRST117', 'OPTIONS, GET, HEAD'])
      ),
    ]
    for (const [method, path, code, allow] of refused) {
      const more = method === 'PUT' ? { body: '{}' } : {}
      const { status, headers, body } = await visibleParts(`${stack.url}${prefix}${path}`, {
        method,
        headers: { ...bearer(), ...json },
        ...more,
      })
      expect({ status, allow: headers['allow'], ...JSON.parse(body) }, `${method} ${path}`)
        .toMatchObject({ status: 405, allow, code, details: null })
    }
  })

  test('TRACE is refused, and no header of the request is in the response', async () => {
    for (const path of [`${prefix}/transactions`, '/api/auth/get-session', '/']) {
      const answer = await raw(
        stack.url,
        `TRACE ${path} HTTP/1.1\r\nHost: localhost\r\nX-Secret: of the proxy\r\nConnection: close\r\n\r\n`,
      )
      expect(answer).toMatch(/^HTTP\/1\.1 40[145] /)
      expect(answer).not.toContain('of the proxy')
    }
  })

  test('a token without the bearer scheme is refused, where PostgREST would read it as no token and return no rows', async () => {
    for (
      const authorization of [
        token,
        `JWT ${token}`,
        `Token ${token}`,
        `"Bearer ${token}"`,
        `Bearer:${token}`,
        'Basic YW5uOmE=',
      ]
    ) {
      const answer = await visibleParts(`${stack.url}${prefix}/transactions`, {
        headers: { authorization },
      })
      expect(answer).toMatchObject({
        status: 401,
        headers: { ...dataHeaders, 'www-authenticate': 'Bearer error="invalid_token"' },
      })
      expect(JSON.parse(answer.body)).toEqual({
        code: 'PGRST301',
        message: 'Authorization has no bearer token.',
        details: null,
        hint: 'Send it as Authorization: Bearer {token}.',
      })
    }
    for (const authorization of [`bearer ${token}`, 'Bearer', ''])
      expect(
        (await visibleParts(`${stack.url}${prefix}/transactions`, { headers: { authorization } }))
          .status,
      ).toBe(200)
  })

  test('an API key in place of a token is refused with the way to a token, and the key is not repeated', async () => {
    const key = `fin_${'k'.repeat(43)}`
    for (
      const headers of [
        { authorization: `Bearer ${key}` },
        { authorization: key },
        { apikey: key, authorization: `Bearer ${key}` },
        { apikey: key },
        {
          'x-api-key': key,
        },
      ]
    ) {
      const answer = await visibleParts(`${stack.url}${prefix}/transactions`, {
        headers: headers as Record<string, string>,
      })
      expect(answer).toMatchObject({
        status: 401,
        headers: { ...dataHeaders, 'www-authenticate': 'Bearer error="invalid_token"' },
      })
      expect(JSON.parse(answer.body)).toEqual({
        code: 'PGRST301',
        message: 'An API key is not a token.',
        details: null,
        hint:
          'Send the key as the bearer token to POST /api/auth/token, and use the returned token here.',
      })
    }
    expect(
      (await visibleParts(`${stack.url}${prefix}/transactions`, {
        headers: { ...bearer(), 'x-api-key': key },
      })).status,
    ).toBe(200)
  })

  test.each([
    ['GET', '/transactions/00000000-0000-4000-8000-000000000000'],
    ['GET', '/transactions/?select=name'],
    ['GET', '/rpc/'],
    ['POST', '/rpc/get_cash_flow/2025'],
    ['DELETE', '/transactions/1'],
    // PostgREST decodes both, and the edge would count the second as a read
    ['GET', '/%74ransactions'],
    ['POST', '/rpc/import_%74ransactions'],
  ])(
    '%s %s is the path of no table and no function, and the response says how to name a row',
    async (method, path) => {
      const answer = await visibleParts(`${stack.url}${prefix}${path}`, {
        method,
        headers: bearer(),
      })
      expect(answer).toMatchObject({ status: 404, headers: dataHeaders })
      expect(JSON.parse(answer.body)).toEqual({
        code: 'PGRST125',
        message: 'No table or function has this path.',
        details: null,
        hint:
          'Tables are at /{table}, functions at /rpc/{function}. The row with an id is /{table}?id=eq.{id}.',
      })
    },
  )

  test('errors of the edge, also for an unreachable PostgREST, are not cacheable', async () => {
    const unreachable = await edgeForTest(`http://127.0.0.1:${await freePort()}`, 0)
    const answers = [
      await visibleParts(`${stack.url}${prefix}/transactions?${'a'.repeat(3_000)}`),
      await visibleParts(`${stack.url}${prefix}/transactions?name=eq.%ff`),
      await visibleParts(`${stack.url}${prefix}/transactions`, {
        method: 'POST',
        body: 'x'.repeat(70_000),
      }),
      await visibleParts(`${unreachable}${prefix}/transactions`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([414, 400, 413, 502])
    for (const { headers } of answers) expect(headers).toMatchObject(dataHeaders)
  })

  test('the description is served with and without a slash, and paths in responses point to the edge', async () => {
    for (const path of ['', '/'])
      expect(
        (await visibleParts(stack.url + prefix + path, {
          headers: { accept: 'application/openapi+json' },
        })).status,
      ).toBe(200)
    const created = await visibleParts(`${stack.url}${prefix}/transactions`, {
      method: 'POST',
      body: '{"name":"Bread","amount":-3}',
      headers: { ...bearer(), ...json, prefer: 'return=headers-only' },
    })
    expect(created).toMatchObject({
      status: 201,
      headers: {
        location: expect.stringMatching(new RegExp(`^${prefix}/transactions\\?id=eq\\.`)),
      },
    })
    expect(
      JSON.parse(
        (await visibleParts(stack.url + created.headers['location'], { headers: bearer() })).body,
      ),
    ).toMatchObject([{ name: 'Bread' }])
  })

  test('several Prefer headers reach PostgREST and the database as one', async () => {
    const answer = await raw(
      stack.url,
      `GET ${prefix}/rpc/headers_of_this_request HTTP/1.1\r\nHost: localhost\r\nPrefer: count=exact\r\nPrefer: return=minimal\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toContain('"prefer":"count=exact, return=minimal"')
  })

  test('a client cannot set its address, or have its token dropped by naming it in Connection', async () => {
    const answer = await raw(
      stack.url,
      `GET ${prefix}/rpc/headers_of_this_request HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.7\r\nX-Forwarded-For: 10.0.0.1\r\nAuthorization: Bearer ${token}\r\nConnection: close, authorization\r\n\r\n`,
    )
    expect(answer).toContain('"x-forwarded-for":"127.0.0.1"')
    expect(answer).toContain('"authorization":"Bearer')
  })
})

test('a client cannot set the parent of its request’s trace', async () => {
  const headers = {
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'a=b',
  }
  expect((await visibleParts(`${stack.url}/data/rpc/headers_of_this_request`, { headers })).body)
    .not.toContain('trace')
})

test('behind a trusted proxy the client’s address is the one that the proxy reports, and behind one of TRACE_PROXIES so is the trace', async () => {
  const behind = await stack.startAnotherAuth({
    TRUSTED_PROXIES: '127.0.0.1',
    TRACE_PROXIES: '127.0.0.1',
  })
  const received = async (headers: Record<string, string>) =>
    (await fetch(`${behind}/data/rpc/headers_of_this_request`, { headers })).json()
  expect(await received({ 'x-forwarded-for': '198.51.100.1, 203.0.113.7' })).toMatchObject({
    'x-forwarded-for': '203.0.113.7',
  })
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  expect(await received({ traceparent })).toMatchObject({ traceparent })
})

test('a path that only starts like a prefix is not the data surface, and the auth surface keeps its paths', async () => {
  for (
    const path of [
      '/datax',
      '/data%2ftransactions',
      '/%64ata/transactions',
      '/DATA/transactions',
      '/rest/v2/transactions',
      '/x/data/transactions',
    ]
  ) {
    expect(await visibleParts(stack.url + path)).toMatchObject({
      status: 404,
      body: expect.stringContaining('"error":"NOT_FOUND"'),
    })
  }
  expect((await ann.get('/get-session')).status).toBe(200)
  expect((await fetch(`${stack.url}/livez`)).status).toBe(200)
})

test('a response is streamed before it is complete', async () => {
  let finish = () => {}
  const url = await edgeForTest(
    await fakePostgrest((_, response) => {
      response.write('[1,')
      finish = () => response.end('2]')
    }),
  )
  const body = (await fetch(`${url}/data/transactions`)).body?.getReader()
  expect(Buffer.from((await body?.read())?.value ?? []).toString()).toBe('[1,')
  finish()
  expect(Buffer.from((await body?.read())?.value ?? []).toString()).toBe('2]')
})

test('a response of 10,000 rows is complete and unchanged', async () => {
  await stack.sql.query(
    `insert into api.tags (name, user_id) select 'tag ' || n, $1 from generate_series(1, 10000) n`,
    [await ann.id()],
  )
  const [direct, through] = [
    await visibleParts(`${stack.dataUrl}/tags?order=id`, { headers: bearer() }),
    await visibleParts(`${stack.url}/data/tags?order=id`, { headers: bearer() }),
  ]
  expect(through.body.length).toBeGreaterThan(1_000_000)
  expect(through).toEqual({
    ...direct,
    headers: { ...direct.headers, ...dataHeaders, 'content-location': '/data/tags?order=id' },
  })
})

test('a response that breaks off also breaks off for the client', async () => {
  const url = await edgeForTest(
    await fakePostgrest((_, response) => {
      response.write('[1,', () => response.destroy())
    }),
  )
  await expect(fetch(`${url}/data/transactions`).then((response) => response.text())).rejects
    .toThrow()
})

test('a response is canceled at PostgREST when its client disconnects', async () => {
  const cut: string[] = []
  const url = await edgeForTest(
    await fakePostgrest((request, response) => {
      response.once('close', () => cut.push(request.url ?? ''))
      response.write('[1,')
    }),
  )
  const impatient = new AbortController()
  const answer = await fetch(`${url}/data/slow`, { signal: impatient.signal })
  impatient.abort()
  await expect(answer.text()).rejects.toThrow()
  await expect.poll(() => cut).toEqual(['/slow'])
})

test('a reason phrase that HTTP forbids is not passed on, and the edge serves the next request', async () => {
  const upstream = createTcpServer((socket) => {
    socket.on('error', () => undefined).once('data', (head) => {
      if (head.includes('100-continue')) socket.write('HTTP/1.1 100 Continue\r\n\r\n')
      socket.end(
        'HTTP/1.1 404 category “x”\u0007 not found\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
      )
    })
  }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  onTestFinished(() => void upstream.close())
  const url = await edgeForTest(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`)
  for (let round = 0; round < 3; round += 1) {
    const response = await fetch(`${url}/data/transactions`)
    expect([response.status, response.statusText, await response.text()]).toEqual([
      404,
      'Not Found',
      '{}',
    ])
  }
})

test.each([
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a compressed body', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ['a body with an unknown encoding', {
    'content-type': 'application/json',
    'content-encoding': 'identity, foo',
  }],
])('%s is refused, because PostgREST would misread it', async (_, headers) => {
  expect(
    await visibleParts(`${stack.url}/data/rpc/get_cash_flow`, {
      method: 'POST',
      body: '{}',
      headers,
    }),
  ).toMatchObject({
    status: 415,
    body: expect.stringContaining('"code":"UNSUPPORTED_MEDIA_TYPE"'),
  })
})

test('an unreachable PostgREST causes an error in PostgREST’s format after a short wait, and the auth surface responds', async () => {
  const url = await edgeForTest(`http://127.0.0.1:${await freePort()}`, 300)
  for (const init of [{}, { method: 'POST', body: '{}' }]) {
    expect(
      await visibleParts(`${url}/data/transactions`, {
        ...init,
        headers: { origin: 'https://app.example.org' },
      }),
    ).toMatchObject({
      status: 502,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'access-control-allow-origin': '*',
      },
      body:
        '{"code":"BAD_GATEWAY","message":"The data surface is not responding.","details":null,"hint":null}',
    })
  }
  expect((await visibleParts(`${url}/api/auth/jwks`)).body).toBe('the auth surface')
})

test('an unreachable PostgREST that returns during the wait serves the request', async () => {
  const port = await freePort()
  const url = await edgeForTest(`http://127.0.0.1:${port}`, 10_000)
  const answers = [
    visibleParts(`${url}/data/a`),
    visibleParts(`${url}/data/b`, { method: 'POST', body: 'x' }),
  ]
  await fakePostgrest((request, response) => {
    request.resume().once('end', () => response.end(request.url))
  }, port)
  expect((await Promise.all(answers)).map(({ status, body }) => [status, body])).toEqual([[
    200,
    '/a',
  ], [200, '/b']])
})

test('an unreachable PostgREST that closed a kept connection gets a read again, and a change is not repeated', async () => {
  let served = 0
  const url = await edgeForTest(
    await fakePostgrest((request, response) => {
      served += 1
      // The second request uses the closed connection.
      if (served === 2) request.socket.destroy()
      else response.end(String(served))
    }),
  )
  expect((await visibleParts(`${url}/data/a`)).body).toBe('1')
  expect((await visibleParts(`${url}/data/a`)).body).toBe('3')
  served = 1
  expect((await visibleParts(`${url}/data/a`, { method: 'DELETE' })).status).toBe(502)
})

test('consecutive reads use one connection to PostgREST, and changes with a body use another', async () => {
  const ports: (number | undefined)[] = []
  const url = await edgeForTest(
    await fakePostgrest((request, response) => {
      ports.push(request.socket.remotePort)
      request.resume().once('end', () => response.end('[]'))
    }),
  )
  const change = { method: 'POST', body: 'x' }
  for (const init of [{ method: 'OPTIONS' }, {}, change, {}, change])
    await visibleParts(`${url}/data/a`, init)
  const [read, , changed] = ports
  expect(ports).toEqual([read, read, changed, read, changed])
})

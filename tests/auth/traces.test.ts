/** Traces as an OpenTelemetry collector receives them. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeStatement } from '../../http/database.ts'
import { freePort } from '../../start/ports.ts'
import { startTracing } from '../../common/tracing.ts'
import { password, person, signedIn, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

type Span = {
  service: string
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Record<string, unknown>
  failed: boolean
  nanoseconds: bigint
}

/** A collector that accepts OTLP in JSON over HTTP. */
async function collector() {
  const spans: Span[] = []
  const requests: { url: string | undefined, headers: Record<string, unknown> }[] = []
  let raw = ''
  const take = (body: any) => {
    raw += JSON.stringify(body)
    const attributesOf = (list: any[]) =>
      Object.fromEntries(
        list.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
      )
    for (const { resource, scopeSpans } of body.resourceSpans) {
      const service = attributesOf(resource.attributes)['service.name']
      for (const span of scopeSpans.flatMap((scope: any) => scope.spans)) {
        const nanoseconds = BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)
        spans.push({
          ...span,
          service,
          attributes: attributesOf(span.attributes),
          failed: span.status.code === 2,
          nanoseconds,
        })
      }
    }
  }
  const server: Server = createServer((request, response) => {
    requests.push({ url: request.url, headers: request.headers })
    void json(request).then(take).finally(() => response.end('{}'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    raw: () => raw,
    of: (requestId: string) => {
      const traces = new Set(
        spans.filter(({ attributes }) => attributes['request.id'] === requestId)
          .map(({ traceId }) => traceId),
      )
      return spans.filter(({ traceId }) => traces.has(traceId))
    },
    close: () => server.close(),
  }
}

let sink: Awaited<ReturnType<typeof collector>>
let stack: Stack
let ann: Person
beforeAll(async () => {
  sink = await collector()
  stack = await startStack({
    data: true,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${sink.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20key,x-other=b',
      TRACE_PROXIES: '127.0.0.1',
    },
  })
  ann = await signedIn(stack, 'Ann')
})
afterAll(async () => {
  await stack.close()
  sink.close()
})

test('a request to the auth surface is one trace of nested spans: the edge, the service, and its statements', async () => {
  const { headers } = await ann.get('/get-session')
  const id = headers.get('x-request-id') ?? ''
  await expect.poll(() => sink.of(id).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['edge auth', 'GET /get-session', 'select auth.sessions']),
  )
  const spans = sink.of(id)
  const named = (name: string) => spans.find((span) => span.name === name)
  expect(named('edge auth')).toMatchObject({
    service: 'finance-edge',
    kind: 2,
    attributes: { 'request.id': id, 'http.response.status_code': 200 },
  })
  expect(named('GET /get-session')).toMatchObject({
    service: 'finance-auth',
    kind: 2,
    parentSpanId: named('edge auth')?.spanId,
    attributes: {
      'request.id': id,
      'http.route': '/get-session',
      'http.request.method': 'GET',
      'http.response.status_code': 200,
    },
  })
  expect(named('select auth.sessions')).toMatchObject({
    service: 'finance-auth',
    kind: 3,
    parentSpanId: named('GET /get-session')?.spanId,
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': 'select',
      'db.collection.name': 'auth.sessions',
    },
  })
  for (const { nanoseconds } of spans) expect(Number(nanoseconds)).toBeGreaterThan(0)
})

test('a request to the auth surface continues the trace of a proxy in TRACE_PROXIES, and is not traced if the proxy says so', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  await fetch(`${stack.url}/api/auth/jwks`, {
    headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
  })
  await expect.poll(() => sink.spans.filter((span) => span.traceId === traceId)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'edge auth', parentSpanId: 'b7ad6b7169203331' }),
    ]),
  )
  const unwanted = traceId.replaceAll('0', '1')
  await fetch(`${stack.url}/api/auth/jwks`, {
    headers: { traceparent: `00-${unwanted}-b7ad6b7169203331-00` },
  })
  // A later span has arrived, so an earlier one would have arrived too.
  const { headers } = await fetch(`${stack.url}/api/auth/jwks`)
  await expect.poll(() => sink.of(headers.get('x-request-id') ?? '')).not.toEqual([])
  expect(sink.spans.filter((span) => span.traceId === unwanted)).toEqual([])
})

test('a request to the auth surface does not join the trace that a client names, also behind a trusted proxy', async () => {
  const behind = await stack.startAnotherAuth({ TRACE_PROXIES: '', TRUSTED_PROXIES: '127.0.0.1' })
  const traceId = '1bf7651916cd43dd8448eb211c80319d'
  const { headers } = await fetch(`${behind}/api/auth/jwks`, {
    headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
  })
  await expect.poll(() => sink.of(headers.get('x-request-id') ?? '').map(({ name }) => name))
    .toEqual(expect.arrayContaining(['edge auth', 'GET /jwks']))
  expect(sink.spans.filter((span) => span.traceId === traceId)).toEqual([])
})

test('a request to the auth surface that fails is a failed span with the database’s error code', async () => {
  await stack.sql.query('alter table auth.sessions rename to hidden')
  const { headers, status } = await ann.get('/get-session')
  await stack.sql.query('alter table auth.hidden rename to sessions')
  expect(status).toBe(500)
  const id = headers.get('x-request-id') ?? ''
  await expect.poll(() => sink.of(id).filter(({ failed }) => failed).map(({ name }) => name))
    .toEqual(
      expect.arrayContaining(['edge auth', 'GET /get-session', 'select auth.sessions']),
    )
  expect(
    sink.of(id).find(({ name }) => name === 'select auth.sessions')
      ?.attributes['db.response.status_code'],
  ).toBe('42P01')
})

test('a request to the data surface is a span of the edge, which passes its trace to PostgREST', async () => {
  await stack.sql.query(
    `create function api.headers_of_this_request() returns json language sql stable return current_setting('request.headers')::json;
    grant execute on function api.headers_of_this_request() to anon; notify pgrst, 'reload schema'`,
  )
  await expect.poll(async () =>
    (await fetch(`${stack.url}/data/rpc/headers_of_this_request`)).status
  ).toBe(200)
  const answer = await fetch(`${stack.url}/data/rpc/headers_of_this_request`)
  await fetch(`${stack.url}/data/transactions?name=eq.a-name-to-look-for`)
  const spans = () => sink.of(answer.headers.get('x-request-id') ?? '')
  await expect.poll(spans).toHaveLength(1)
  const [span] = spans()
  expect(span).toMatchObject({
    name: 'edge data',
    service: 'finance-edge',
    attributes: { 'http.response.status_code': 200 },
  })
  expect((await answer.json() as any).traceparent).toBe(`00-${span?.traceId}-${span?.spanId}-01`)
})

test('the exporter uses the configured path and headers, and spans contain no address, password, token or search text', async () => {
  const bob = person(stack, 'Bob')
  await bob.signUp()
  await bob.verify()
  await bob.signIn()
  const token = await bob.token()
  const { headers } = await bob.get('/get-session')
  await expect.poll(() => sink.of(headers.get('x-request-id') ?? '')).not.toEqual([])
  expect(sink.requests[0]).toMatchObject({
    url: '/v1/traces',
    headers: { 'content-type': 'application/json', 'x-key': 'a key', 'x-other': 'b' },
  })
  const cookie = [...bob.cookies.values()][0] ?? 'none'
  for (
    const secret of [
      bob.email,
      password,
      token,
      cookie.split('.')[0] ?? '',
      'a-name-to-look-for',
      'Bearer',
    ]
  ) expect(sink.raw()).not.toContain(secret)
})

test('an unreachable collector causes a warning and no other effect', async () => {
  const warnings: object[] = []
  const tracing = startTracing(`http://127.0.0.1:${await freePort()}`, undefined, {
    warn: (fields) => warnings.push(fields),
  })
  expect(
    await tracing?.span(
      'x',
      { service: 'finance-auth', kind: 'internal' },
      () => Promise.resolve('done'),
    ),
  ).toBe('done')
  await tracing?.stop()
  expect(warnings).toEqual([{ reason: 'ECONNREFUSED' }])
})

test('without a collector, tracing does not start', () => {
  expect(startTracing(undefined, undefined, console)).toBeUndefined()
})

test.each([
  ['select "id" from "users" where "email" = $1', 'select', 'users'],
  ['select * from "auth"."sessions" as "s"', 'select', 'auth.sessions'],
  [`  insert into auth.users (id, name) values ('x', 'from secret')`, 'insert', 'auth.users'],
  ['update only "members" set "role" = $1', 'update', 'members'],
  [
    'delete from auth.rate_limits where key in (select key from other)',
    'delete',
    'auth.rate_limits',
  ],
  ['select * from auth.consume_rate_limit($1, $2, $3)', 'select', undefined],
  ['begin', 'begin', undefined],
  ['', 'statement', undefined],
])('the span of %j names the operation %s and the table %s', (text, operation, table) => {
  expect(describeStatement(text)).toEqual({ operation, table })
})

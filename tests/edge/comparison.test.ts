/**
 * Requests to PostgREST itself and through the edge at both prefixes. Status, headers and body are
 * the same, except where docs/data.md says that they differ.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'
import { startEdge } from './support.ts'

type Sent = { method?: string, path: string, headers?: Record<string, string>, body?: unknown }

const columns = [
  'name',
  'amount',
  'transaction_date',
  'status',
  'description',
  'category_id',
  'metadata->>kind',
]
const operands = [
  'eq.pending',
  'neq.a',
  'gt.1',
  'gte.2026-01-01',
  'lt.m',
  'lte.5',
  'like.*a*',
  'ilike.B*',
  'match.^R',
  'imatch.^r',
  'in.(Rent,"a,b.eq.c",3)',
  'is.null',
  'isdistinct.a',
  'fts.rent',
  'wfts(english).rent',
  'cs.{a}',
  'ov.[1,2]',
]
const filters = columns.flatMap((column) =>
  operands.flatMap((operand) => [`${column}=${operand}`, `${column}=not.${operand}`])
)
const quantified = ['eq', 'gt', 'lte', 'like', 'ilike', 'match', 'imatch'].flatMap((
  operator,
) => [`name=${operator}(any).{Rent,Food}`, `name=not.${operator}(all).{"R,x",*d*}`])
const texts = [
  'Hotel (www.is.de)',
  'Flug, icelandair.is, KEF',
  'Paytm (paytm.in)',
  'a.fts(1).b',
  'x.match.{y}',
  String.raw`say \"a.eq.b\", (c)`,
  String.raw`back\\slash`,
  '{a,b}',
  'null',
  ' . ',
]
const quotes = texts.flatMap((text) => [
  `or=(name.eq."${text}",amount.eq.1)`,
  `and=(description.not.ilike."*${text}*",or(name.in.("${text}",b),amount.gt.0))`,
  `not.or=(name.eq."${text}")`,
  `name=in.("${text}",b)`,
  `name=eq.${text}`,
])
const trees = [
  'or=(amount.lt.0,status.eq.pending)',
  'and=(amount.lt.0,or(name.eq.Rent,not.and(name.eq.a,amount.gt.1)))',
  'not.and=(amount.gt.0,name.like.R*)',
  'or=(',
  'or=()',
  'or=(name.eq)',
  'or=(name.eq.a,)',
  'and=(name.xx.a)',
  'or=name.eq.a',
  'or=(name.eq.{a,b},name.like(any).{a,R*})',
  'or=( name.eq.Rent , amount.gt.0 )',
  'or=(metadata->>"a,b".eq.1,metadata->kind.is.null)',
]
const selects = [
  '*',
  'name',
  'n:name,amount::text',
  '*,categories(*)',
  'name,cat:categories(label:name)',
  'name,...categories(label:name)',
  'name,line_items(name,amount)',
  'name,line_items(name,c:categories(name))',
  'name,tags(name)',
  'name,categories!inner(name)',
  'metadata->kind,k:metadata->>kind',
  'metadata->"a,b"',
  'name,tags()',
  'name,wallets(id)',
  'name,',
  'name,(',
  'amount.sum()',
  '"name"',
  'name,categories!left(name)',
]
const embedded = [
  'cat=is.null',
  'cat=not.is.null',
  'cat.name=eq.Food',
  'order=cat(label)',
  'order=cat(label).desc.nullslast',
  'or=(cat.is.null,amount.gt.0)',
  'not.or=(cat.not.is.null)',
  'and=(cat.is.null,line_items.not.is.null)',
  'line_items=is.null',
  'line_items.order=name.desc',
  'line_items.limit=1',
  'line_items.c=is.null',
  'line_items.or=(c.is.null,amount.lt.0)',
  'line_items.order=c(label)',
  'tags.name=eq.a',
  'line_items=eq.1&line_items=is.null'.split('&')[1] ?? '',
]
const withEmbedded = embedded.map((query) =>
  `select=name,cat:categories(label:name),line_items(name,c:categories(label:name))&${query}`
)
const orders = [
  'name',
  'name.desc',
  'amount.asc.nullsfirst',
  'name,amount.desc',
  'metadata->kind',
  'metadata->>"a,b"',
  'name.wrong',
  'categories(name)',
  '',
]
const pages = [
  'limit=1',
  'limit=0',
  'limit=-1',
  'offset=1',
  'offset=99',
  'limit=2&offset=1',
  'limit=x',
  'select=name&limit=1&order=name',
]
const ranges: Record<string, string>[] = [
  {},
  { range: '0-0' },
  { range: '1-' },
  { range: '9-10' },
  { range: '3-1' },
  { prefer: 'count=exact' },
  { prefer: 'count=exact', range: '0-1' },
  { prefer: 'count=planned' },
  { prefer: 'handling=strict,foo=bar' },
  { prefer: 'timezone=Europe/Berlin' },
]
const types = [
  'application/json',
  'text/csv',
  'application/vnd.pgrst.object+json',
  'application/vnd.pgrst.object+json;nulls=stripped',
  'application/vnd.pgrst.array+json;nulls=stripped',
  'application/octet-stream',
  'text/html',
  'image/png',
  '*/*',
  'application/geo+json',
  'application/vnd.pgrst.plan+json',
]
const profiles: Record<string, string>[] = [{ 'accept-profile': 'api' }, {
  'accept-profile': 'auth',
}]
const id = '00000000-0000-4000-8000-000000000001'
const bodies: unknown[] = [
  { name: 'New' },
  [{ name: 'New' }, { name: 'Newer' }],
  {},
  [],
  [{ name: 'a' }, { color: 'b' }],
  { name: null },
  { name: 'Food' },
  { nothing: 1 },
  '{"name":',
  '"text"',
  '',
  { id, name: 'Own' },
]
const prefers = [
  'return=representation',
  'return=minimal',
  'return=headers-only',
  'resolution=merge-duplicates,return=representation',
  'resolution=ignore-duplicates',
  'missing=default,return=representation',
]
const rolledBack = (prefer: string) => ({ prefer: `tx=rollback,${prefer}` })
const calls: [path: string, body: unknown][] = [
  ['get_cash_flow', { grouping: 'monthly', periods: 2 }],
  ['get_cash_flow', { colour: 1 }],
  ['get_balances', {}],
  ['get_transaction_stat', { p_aggregate_fn: 'count' }],
  ['get_transaction_stat', { p_aggregate_fn: 'max' }],
  ['get_filtered_transactions', { filters: [] }],
  ['nothing', {}],
]

const table = (queries: string[]): Sent[] =>
  queries.map((query) => ({ path: `/transactions?${query}` }))
const requests: Sent[] = [
  ...table([
    ...filters,
    ...quantified,
    ...quotes,
    ...trees,
    ...withEmbedded,
    ...selects.map((select) => `select=${select}`),
    ...orders.map((order) => `select=name,categories(name)&order=${order}`),
    ...pages,
  ]),
  ...ranges.flatMap((headers) =>
    ['GET', 'HEAD'].map((method) => ({
      method,
      path: '/transactions?select=name&order=name',
      headers,
    }))
  ),
  ...types.flatMap((accept) =>
    ['/transactions?select=name', '/tags?select=name', '/rpc/get_balances'].map((path) => ({
      path,
      headers: { accept },
    }))
  ),
  ...profiles.map((headers) => ({ path: '/tags', headers })),
  ...bodies.flatMap((body) =>
    prefers.map((prefer) => ({
      method: 'POST',
      path: '/tags?select=name',
      body,
      headers: rolledBack(prefer),
    }))
  ),
  ...[
    'id=not.is.null',
    'name=eq.Nothing',
    'name=in.("a,b",weekly)',
    'nothing=eq.1',
    'or=(name.eq.weekly,name.eq."x,y.is.z")',
  ].flatMap((query) =>
    ['PATCH', 'DELETE'].flatMap((method) =>
      ['return=representation', 'return=minimal', 'count=exact,return=headers-only']
        .map((prefer) => ({
          method,
          path: `/tags?select=name&${query}`,
          ...(method === 'PATCH' && { body: { color: '#00ff00' } }),
          headers: rolledBack(prefer),
        }))
    )
  ),
  ...calls.flatMap((
    [path, body],
  ) => [{ method: 'POST', path: `/rpc/${path}`, body }, { path: `/rpc/${path}` }]),
  ...calls.slice(5, 6).flatMap(([path, body]) =>
    withEmbedded.map((query) => ({ method: 'POST', path: `/rpc/${path}?${query}`, body }))
  ),
  { path: '/wallets' },
  { method: 'OPTIONS', path: '/transactions' },
]

/** The differences that docs/data.md documents, by the code of the response through the edge. */
const documented = [
  'QUERY_TOO_COMPLEX',
  'LIMIT_NOT_SUPPORTED',
  'ORDER_NOT_SUPPORTED',
  'PGRST123',
  '22P02',
  '42703',
  '42704',
  'PGRST100',
  'PGRST103',
  'PGRST125',
]

let stack: DataStack
let edge: Awaited<ReturnType<typeof startEdge>>
let ann: Caller
beforeAll(async () => {
  stack = await dataStack()
  edge = await startEdge(stack.url)
  ann = stack.as(await stack.person())
  const food = await ann.create('categories', { name: 'Food' })
  const [rent] = await ann.create('transactions', [
    { name: 'Rent', amount: -900, category_id: food.id, metadata: { kind: 'home', 'a,b': 1 } },
    ...texts.map((name) => ({
      name: name.replaceAll('\\', ''),
      amount: 1,
      category_id: null,
      metadata: null,
    })),
  ])
  await ann.create('line_items', [{
    transaction_id: rent.id,
    name: 'Garage',
    amount: -80,
    category_id: food.id,
  }, {
    transaction_id: rent.id,
    name: 'Rest',
    amount: -20,
    category_id: null,
  }])
  await ann.create('tags', { name: 'weekly' })
})
afterAll(async () => {
  edge.close()
  await stack.stop()
})

/** Headers of a connection or of a moment, and those that the edge adds to each response. */
const ofEdge = new Set([
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'x-request-id',
  'x-change-id',
  'cache-control',
  'x-content-type-options',
  'content-security-policy',
  'access-control-expose-headers',
])

async function ask(address: string, { method = 'GET', path, headers = {}, body }: Sent) {
  const response = await fetch(address + encodeURI(path), {
    method,
    headers: {
      authorization: `Bearer ${await ann.token()}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  // ids and moments of rows that are rolled back
  return {
    status: response.status,
    headers: Object.fromEntries(
      [...response.headers].filter(([name]) => !ofEdge.has(name)).map(([name, value]) => [
        name,
        value.replace(/^\/(data|rest\/v1)\//, '/').replace(/id=eq\.[\da-f-]{36}/, 'id=eq.…'),
      ]),
    ),
    text,
  }
}

test('at least 500 requests are answered through the edge as by PostgREST', async () => {
  expect(requests.length).toBeGreaterThanOrEqual(500)
  const different: string[] = []
  const compare = async (request: Sent) => {
    const [direct, ...through] = await Promise.all(
      [stack.url, `${edge.url}/data`, `${edge.url}/rest/v1`].map((address) =>
        ask(address, request)
      ),
    )
    for (const answer of through) {
      const code = /^\{"code":"(\w+)"/.exec(answer.text)?.[1] ?? ''
      const isDocumented = answer.status >= 400 && documented.includes(code) &&
        direct?.text !== answer.text &&
        (code === 'QUERY_TOO_COMPLEX' ||
          direct !== undefined && (direct.status >= 400 || ['PGRST103', 'PGRST123'].includes(code)))
      if (!isDocumented && JSON.stringify(answer) !== JSON.stringify(direct))
        different.push(
          `${request.method ?? 'GET'} ${request.path} ${JSON.stringify(request.headers ?? {})}\n  ${
            JSON.stringify(direct)
          }\n  ${JSON.stringify(answer)}`,
        )
    }
  }
  for (let at = 0; at < requests.length; at += 2)
    await Promise.all(requests.slice(at, at + 2).map(compare))
  expect(different).toEqual([])
})

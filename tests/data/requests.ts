/**
 * Arbitraries of fast-check for valid and invalid requests to the data surface. They are generated
 * from the catalogue, so a new table, column or function is covered without further work.
 */
import fc from 'fast-check'
import type { Column, Table } from '../isolation/catalogue.ts'
import { contents, sentCanary, type Payload } from '../isolation/rows.ts'
import { models } from '../support/tables.ts'
import {
  list,
  mostly,
  parameter,
  queries,
  sometimes,
  type Ground,
  type Parameter,
  type RemoteFunction,
} from './request-queries.ts'
import { anyJson, jsonOf, nested, oddText } from './values.ts'

/** A request. `actor` is the index of a caller. The path is percent-encoded. */
export type Request = {
  actor: number
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

const prefer = fc.constantFrom(
  'return=minimal',
  'return=representation',
  'return=representation',
  'return=headers-only',
  'return=nothing',
  'resolution=merge-duplicates',
  'resolution=ignore-duplicates',
  'missing=default',
  'missing=null',
  'count=exact',
  'count=planned',
  'count=estimated',
  'count=all',
  'tx=rollback',
  'tx=commit',
  'handling=strict',
  'handling=lenient',
  'max-affected=1',
  'max-affected=-1',
  'max-affected=9999999999999999999',
  'timezone=Europe/Berlin',
  'timezone=Nowhere',
  'timezone=',
  'params=single-object',
  'respond-async',
  '=',
  ';',
  'timezone="\'; drop table x"',
)
const accepts = [
  '*/*',
  '*/*;q=0',
  '',
  ';',
  'application/json',
  'application/json;q=0.1, text/csv',
  'text/csv',
  'application/vnd.rest.object+json',
  'application/vnd.rest.object+json; charset=utf-8',
  'application/vnd.pgrst.object+json',
  'application/vnd.pgrst.object+json;nulls=stripped',
  'application/vnd.pgrst.array+json;nulls=stripped',
  'application/vnd.pgrst.array',
  'application/octet-stream',
  'text/plain',
  'text/xml',
  'application/geo+json',
  'application/openapi+json',
  'application/vnd.pgrst.plan',
  'application/vnd.pgrst.plan+json; for="application/json"; options=analyze|verbose',
  'application/x-www-form-urlencoded',
  'nonsense',
  'application/vnd.rest.',
  '/',
]
const ranges = [
  '0-0',
  '0-9',
  '5-',
  '-5',
  '5-1',
  'x-y',
  '0-99999999999999999999',
  '9223372036854775807-',
  'items=0-9',
  '',
]

const oneHeader = (
  name: string,
  value: fc.Arbitrary<string>,
  once: number,
): fc.Arbitrary<Record<string, string>> =>
  sometimes(value, once).map(([text]): Record<string, string> =>
    text === undefined ? {} : { [name]: text }
  )
const headers = fc.tuple(
  oneHeader('accept', fc.constantFrom(...accepts), 5),
  oneHeader('prefer', list(prefer, 4).map((all) => all.join(', ')), 2),
  oneHeader('range', fc.constantFrom(...ranges), 12),
  ...['range-unit', 'accept-profile', 'content-profile', 'cookie', 'x-forwarded-for'].map((name) =>
    oneHeader(
      name,
      fc.oneof(fc.constantFrom('items', 'api', 'auth'), fc.string({ maxLength: 9 })),
      60,
    )
  ),
).map((all): Record<string, string> => Object.assign({}, ...all))

/** Bodies that fit no table. PostgREST must report their error. */
const oddBodies = [
  '',
  '{',
  '}',
  '[',
  'null',
  'true',
  '1',
  '-',
  '1e999',
  'NaN',
  '"x"',
  '[]',
  '{}',
  '[{}]',
  '[null]',
  '[1,2]',
  '[[]]',
  '[{},null]',
  '{"":""}',
  '{"name":"a","name":1}',
  '{"name":"\\ud800"}',
  '{"name":"\\u0000"}',
  '\ufeff{}',
  '{}{}',
  nested(300),
  `{"metadata":${nested(300)}}`,
  '[{"name":"a"},{"title":"b"}]',
  '[{"name":"a","amount":1},{"amount":2,"name":"b","status":"lost"}]',
  'name\n',
  'name\na,b',
  'name,amount\n"a',
  '\n\n',
  'name,name\na,b',
  'name=a&amount=1',
  'name=%00&=&&',
  '\0',
]

/** A row of a table that can be stored by a caller who may write in the context. */
export function rightRow(
  table: Table,
  ground: Ground,
  actor: number,
  n: number,
  pick: number,
): Payload {
  // Each column refers to another row of the tenant than the one before, so that the pair is new if
  // it is the key.
  const references = table.references.filter(({ column }) =>
    models[table.name]?.refers[column]?.isKept !== true
  ).map(({ column, table: name }, at): [string, unknown] => [
    column,
    ground.ids(name, actor)[(pick + at) % Math.max(1, ground.ids(name, actor).length)],
  ])
  return { ...contents(table, n, sentCanary(n)), ...Object.fromEntries(references) }
}

function row(table: Table, ground: Ground, actor: number): fc.Arbitrary<Payload> {
  const value = ({ name, type, values }: Column): fc.Arbitrary<[string, unknown]> => {
    const named = table.references.find(({ column }) => column === name)?.table ?? table.name
    return jsonOf(type, ground.ids(named), values).map((one): [string, unknown] => [name, one])
  }
  const change = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...table.columns).chain(value) },
    { weight: 1, arbitrary: fc.tuple(oddText, anyJson) },
  )
  return fc.tuple(
    fc.nat({ max: 999 }),
    fc.nat({ max: 99 }),
    fc.oneof(list(change, 1), list(change)),
    mostly<string[]>(
      fc.constant([]),
      list(fc.constantFrom(...table.columns.map(({ name }) => name))),
    ),
  ).map(([n, pick, changes, left]) => {
    const sent = { ...rightRow(table, ground, actor, n, pick), ...Object.fromEntries(changes) }
    return Object.fromEntries(Object.entries(sent).filter(([name]) => !left.includes(name)))
  })
}

type Body = { body: string, type: string }
const json = (value: unknown): Body => ({ body: JSON.stringify(value), type: 'application/json' })
const cell = (value: unknown): string =>
  `"${(typeof value === 'string' ? value : JSON.stringify(value) ?? '').replaceAll('"', '""')}"`
const csv = (rows: Payload[]): Body => {
  const names = Object.keys(rows[0] ?? {})
  return {
    body: [
      names.map(cell).join(),
      ...rows.map((one) => names.map((name) => cell(one[name])).join()),
    ].join('\n').toWellFormed(),
    type: 'text/csv',
  }
}
const types = [
  'application/json',
  'application/json; charset=latin1',
  'text/csv',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'text/xml',
  'nonsense',
  '',
]
const oddBody: fc.Arbitrary<Body> = fc.record({
  body: fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...oddBodies) }, {
    weight: 1,
    arbitrary: anyJson.map((value) => JSON.stringify(value)),
  }),
  type: fc.oneof({ weight: 2, arbitrary: fc.constant('application/json') }, {
    weight: 1,
    arbitrary: fc.constantFrom(...types),
  }),
}, { noNullPrototype: true })

function bodies(rows: fc.Arbitrary<Payload>): fc.Arbitrary<Body> {
  return fc.oneof(
    { weight: 5, arbitrary: rows.map(json) },
    { weight: 3, arbitrary: list(rows, 5).map(json) },
    { weight: 1, arbitrary: rows.map((one) => json([one, one])) },
    { weight: 1, arbitrary: fc.array(rows, { minLength: 1, maxLength: 3 }).map(csv) },
    { weight: 1, arbitrary: oddBody },
  )
}

const withQuery = (path: string, query: string[]): string =>
  query.length === 0 ? path : `${path}?${query.join('&')}`
const sent = (
  actor: number,
  method: string,
  path: string,
  given: Record<string, string>,
  body?: Body,
): Request => ({
  actor,
  method,
  path,
  headers: body === undefined ? given : { 'content-type': body.type, ...given },
  ...(body === undefined ? {} : { body: body.body }),
})

/** Any request to a table. */
export function tableRequest(table: Table, ground: Ground): fc.Arbitrary<Request> {
  const { where, shape } = queries(table, ground)
  const actor = fc.nat({ max: ground.actors - 1 })
  const names = fc.constantFrom(...table.columns.map(({ name }) => name), 'nothing', '', '*')
  // Only for reads: PostgREST itself fails for a change that is ordered by another table.
  const ordered = fc.constantFrom(...ground.catalogue.tables).map((
    { name, key },
  ) => [parameter('order', `${name}(${key.join()}).desc`)])
  const extra = fc.tuple(
    sometimes(list(names, 4).map((all) => parameter('columns', all.join())), 6),
    sometimes(
      mostly(fc.constantFrom(table.key, ...table.uniques), list(names)).map((all) =>
        parameter('on_conflict', all.join())
      ),
      4,
    ),
  ).map((parts) => parts.flat())
  const read = fc.tuple(
    actor,
    mostly(fc.constantFrom('GET', 'GET', 'GET', 'HEAD'), fc.constant('OPTIONS')),
    where,
    shape,
    mostly(fc.constant<string[]>([]), ordered),
    headers,
  ).map(
    ([who, method, conditions, rest, more, given]) =>
      sent(who, method, withQuery(`/${table.name}`, [...conditions, ...rest, ...more]), given),
  )
  const write = actor.chain((who) =>
    fc.tuple(
      fc.constant(who),
      fc.constantFrom('POST', 'POST', 'PATCH', 'PUT', 'DELETE'),
      where,
      shape,
      extra,
      headers,
      bodies(row(table, ground, who)),
    )
  ).map(([who, method, conditions, rest, more, given, body]) =>
    sent(
      who,
      method,
      withQuery(`/${table.name}`, [...(method === 'POST' ? more : conditions), ...rest]),
      given,
      method === 'DELETE' ? undefined : body,
    )
  )
  const put = actor.chain((who) =>
    fc.tuple(
      fc.constant(who),
      fc.constantFrom(...ground.ids(table.name, who), '1'),
      row(table, ground, who),
      headers,
    )
  ).map(([who, id, payload, given]) =>
    sent(
      who,
      'PUT',
      `/${table.name}?${
        table.key.map((column, at) => parameter(column, `eq.${id.split('/')[at] ?? ''}`)).join('&')
      }`,
      given,
      json({
        ...payload,
        ...Object.fromEntries(table.key.map((column, at) => [column, id.split('/')[at]])),
      }),
    )
  )
  return fc.oneof({ weight: 5, arbitrary: read }, { weight: 5, arbitrary: write }, {
    weight: 1,
    arbitrary: put,
  })
}

/** Any call of a function. */
export function functionRequest(
  { name, parameters }: RemoteFunction,
  ground: Ground,
): fc.Arbitrary<Request> {
  const { where, shape } = queries(
    ground.catalogue.tables.find((table) => table.name === 'transactions') ??
      { name: '', columns: [], key: [], references: [], uniques: [] },
    ground,
  )
  const word = fc.constantFrom(...ground.words)
  const ids = ground.catalogue.tables.flatMap((table) => ground.ids(table.name).slice(0, 3))
  const leaf = fc.oneof(
    word,
    ...['uuid', 'numeric', 'date', 'boolean'].map((type) => jsonOf(type, ids, [])),
  )
  const filter = fc.record({
    field: fc.oneof(word, fc.constantFrom('amount', 'transaction_date', 'name', 'category_id')),
    operation: fc.oneof(word, anyJson, fc.constantFrom('eq', 'between', 'in', 'from', 'to')),
    value: fc.oneof(leaf, list(leaf)),
  }, { noNullPrototype: true, requiredKeys: [] })
  const tree = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof({ maxDepth: 3 }, { weight: 1, arbitrary: leaf }, {
      weight: 3,
      arbitrary: list(filter, 3),
    }, {
      weight: 1,
      arbitrary: fc.dictionary(word, tie('any'), { maxKeys: 4, noNullPrototype: true }),
    }, { weight: 1, arbitrary: list(tie('any')) }),
  })).any
  const argument = ({ type }: Parameter): fc.Arbitrary<unknown> =>
    mostly(type.startsWith('json') ? tree : jsonOf(type, ids, ground.words), tree)
  const args = fc.tuple(
    fc.record(Object.fromEntries(parameters.map((one) => [one.name, argument(one)])), {
      noNullPrototype: true,
      requiredKeys: [],
    }),
    mostly(fc.constant({}), fc.dictionary(oddText, tree, { maxKeys: 2, noNullPrototype: true })),
  ).map(([right, more]): Payload => ({ ...right, ...more }))
  const actor = fc.nat({ max: ground.actors - 1 })
  const some = (arbitrary: fc.Arbitrary<string[]>): fc.Arbitrary<string[]> =>
    fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, { weight: 1, arbitrary })
  const post = fc.tuple(
    actor,
    mostly(fc.constant('POST'), fc.constantFrom('PUT', 'PATCH', 'DELETE')),
    mostly(args.map(json), oddBody),
    some(where),
    some(shape),
    headers,
  )
    .map(([who, method, body, conditions, rest, given]) =>
      sent(who, method, withQuery(`/rpc/${name}`, [...conditions, ...rest]), given, body)
    )
  const get = fc.tuple(
    actor,
    mostly(fc.constantFrom('GET', 'GET', 'HEAD'), fc.constant('OPTIONS')),
    args,
    some(where),
    some(shape),
    headers,
  ).map(([who, method, given, conditions, rest, more]) =>
    sent(
      who,
      method,
      withQuery(`/rpc/${name}`, [
        ...Object.entries(given).map(([key, value]) =>
          parameter(key, typeof value === 'string' ? value : JSON.stringify(value) ?? '')
        ),
        ...conditions,
        ...rest,
      ]),
      more,
    )
  )
  return fc.oneof(post, get)
}

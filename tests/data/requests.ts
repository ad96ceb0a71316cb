/**
 * Arbitraries of fast-check for valid and invalid requests to the data surface. They are generated
 * from the catalogue, so a new table, column or function is covered without further work.
 */
import fc from 'fast-check'
import type pg from 'pg'
import type { Catalogue, Column, Table } from '../isolation/catalogue.ts'
import { contents, sentCanary, type Payload } from '../isolation/rows.ts'
import { models } from '../support/tables.ts'
import { anyJson, jsonOf, nested, oddText, textOf } from './values.ts'

/** A request. `actor` is the index of a caller. The path is percent-encoded. */
export type Request = {
  actor: number
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}
type Parameter = { name: string, type: string }
export type RemoteFunction = { name: string, parameters: Parameter[] }

/** The inputs of the generators. */
export type Ground = {
  catalogue: Catalogue
  functions: RemoteFunction[]
  /** The strings that functions compare with, from their source. */
  words: string[]
  /** The ids of a table's rows: those of the tenant that an actor writes to, or all. */
  ids: (table: string, actor?: number) => string[]
  actors: number
}

/**
 * Returns the functions of api, and the strings that their source and the functions called by it
 * compare with.
 */
export async function readFunctions(
  owner: pg.Client,
): Promise<{ functions: RemoteFunction[], words: string[] }> {
  const { rows: functions } = await owner.query<RemoteFunction>(`
    select p.proname as name, coalesce(json_agg(json_build_object('name', a.name, 'type', format_type(a.type, null)) order by a.at) filter (where a.name is not null), '[]') as parameters
    from pg_proc p
    left join unnest(p.proargnames[1:p.pronargs], p.proargtypes::oid[]) with ordinality as a (name, type, at) on true
    where p.pronamespace = 'api'::regnamespace and p.prokind in ('f', 'p')
    group by p.oid, p.proname order by 1`)
  const { rows: sources } = await owner.query<{ word: string }>(`
    select distinct coalesce(m[1], m[2]) as word from pg_proc p, regexp_matches(p.prosrc || coalesce(pg_get_function_sqlbody(p.oid), ''), '''([a-z][a-z0-9_]{1,30})''|"([a-z][a-z0-9_]{1,30})"', 'g') as m
    where p.pronamespace in ('api'::regnamespace, 'private'::regnamespace) order by 1`)
  return { functions, words: sources.map(({ word }) => word) }
}

const encode = (text: string): string => encodeURIComponent(text.toWellFormed())
const parameter = (name: string, value: string): string => `${encode(name)}=${encode(value)}`
const list = <Item>(item: fc.Arbitrary<Item>, maxLength = 3): fc.Arbitrary<Item[]> =>
  fc.array(item, { maxLength })
/** Mostly nothing, sometimes a value. */
const sometimes = (arbitrary: fc.Arbitrary<string>, once = 3): fc.Arbitrary<string[]> =>
  fc.oneof({ weight: once - 1, arbitrary: fc.constant<string[]>([]) }, {
    weight: 1,
    arbitrary: arbitrary.map((one) => [one]),
  })
/** Mostly the first: one error reveals more than five, because the first hides the others. */
const mostly = <Item>(
  usual: fc.Arbitrary<Item>,
  ...odd: fc.Arbitrary<Item>[]
): fc.Arbitrary<Item> =>
  fc.oneof({ weight: 12, arbitrary: usual }, ...odd.map((arbitrary) => ({ weight: 1, arbitrary })))

const comparisons = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'isdistinct']
const operators = [
  'like',
  'ilike',
  'match',
  'imatch',
  'cs',
  'cd',
  'ov',
  'sl',
  'sr',
  'nxr',
  'nxl',
  'adj',
  'fts',
  'plfts',
  'phfts',
  'wfts',
  'fts(english)',
  'plfts(klingon)',
  'wfts()',
  'about',
]
// Excludes `unknown`, for which PostgreSQL itself fails (`failing` in inputs.test.ts).
const casts = [
  'text',
  'integer',
  'int2',
  'numeric',
  'date',
  'timestamptz',
  'time',
  'interval',
  'boolean',
  'uuid',
  'json',
  'jsonb',
  'jsonpath',
  'xml',
  'bytea',
  'bit',
  'money',
  'name',
  'char',
  '_text',
  'text array',
  'setof text',
  'int4range',
  'tsquery',
  'tsvector',
  'point',
  'inet',
  'oid',
  'regclass',
  'regtype',
  'record',
  'void',
  'internal',
  'cstring',
  'anyelement',
  'nothing',
  'double precision',
  'transactions',
]

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, (mark) => `\\${mark}`)}"`

/**
 * A condition on a column or parameter of a type, as it follows the first dot: `eq.5`,
 * `not.in.(1,2)`, `like(any).{a,b}`.
 */
function condition(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const several = list(fc.oneof(value, value.map(quoted))).map((all) => all.join())
  return fc.tuple(
    fc.constantFrom('', '', '', 'not.'),
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.tuple(fc.constantFrom(...comparisons), value).map(([operator, text]) =>
          `${operator}.${text}`
        ),
      },
      {
        weight: 4,
        arbitrary: fc.tuple(fc.constantFrom(...operators), value).map(([operator, text]) =>
          `${operator}.${text}`
        ),
      },
      { weight: 1, arbitrary: several.map((all) => `in.(${all})`) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('null', 'not_null', 'true', 'false', 'unknown', 'nothing')
          .map((what) => `is.${what}`),
      },
      {
        weight: 1,
        arbitrary: fc.tuple(
          fc.constantFrom('eq', 'gt', 'like', 'ilike', 'match', 'in', 'fts'),
          fc.constantFrom('any', 'all', 'some'),
          several,
        ).map(([operator, many, all]) => `${operator}(${many}).{${all}}`),
      },
    ),
  ).map((parts) => parts.join(''))
}

/** Query parameters for the rows of a table, or of a function that returns rows of it. */
function queries(
  table: Table,
  ground: Ground,
): { where: fc.Arbitrary<string[]>, shape: fc.Arbitrary<string[]> } {
  const column = fc.constantFrom(...table.columns)
  const near = [
    ...table.references.map((reference) => reference.table),
    ...ground.catalogue.tables.filter(({ references }) =>
      references.some((one) => one.table === table.name)
    ).map(({ name }) => name),
    'nothing',
  ]
  const embed = fc.constantFrom(...near)
  const path = column.chain(({ name }) =>
    fc.constantFrom(
      name,
      name,
      name,
      name,
      `${name}->a`,
      `${name}->a->>b`,
      `${name}->0`,
      `${name}->>-1`,
      `${name}->99999999999`,
    )
  )
  const filterOf = (written: (value: fc.Arbitrary<string>) => fc.Arbitrary<string>) =>
    fc.tuple(column, fc.constantFrom('', '', '', '->a', '->>a', '->0->>b'))
      .chain(([{ name, type, values }, inside]) =>
        condition(written(textOf(inside === '' ? type : 'text', ground.ids(table.name), values)))
          .map(
            (text): [string, string] => [name + inside, text],
          )
      )
  const filter = filterOf((value) => value)
  // Between commas and parentheses a value is quoted, except sometimes.
  const nestedFilter = filterOf((value) => mostly(value.map(quoted), value))
  const tree = fc.letrec<{ node: string, group: string }>((tie) => ({
    node: fc.oneof({ maxDepth: 3, withCrossShrink: true }, {
      weight: 3,
      arbitrary: nestedFilter.map(([name, text]) => `${name}.${text}`),
    }, {
      weight: 1,
      arbitrary: tie('group'),
    }),
    group: fc.tuple(
      fc.constantFrom('and', 'or', 'not.and', 'not.or'),
      fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
    ).map(([name, parts]) => `${name}(${parts.join()})`),
  }))
  const logic = fc.tuple(
    fc.constantFrom('and', 'or', 'not.and', 'not.or'),
    mostly(fc.array(tree.node, { minLength: 1, maxLength: 3 }), list(tree.node)),
  ).map(([name, parts]) => parameter(name, `(${parts.join()})`))
  const where = list(
    mostly(
      fc.oneof(filter.map(([name, text]) => parameter(name, text)), logic),
      fc.tuple(
        embed,
        fc.oneof(filter, fc.tuple(fc.constantFrom('limit', 'offset', 'order', 'or'), oddText)),
      ).map(([name, [field, text]]) => parameter(`${name}.${field}`, text)),
      fc.tuple(oddText, oddText).map(([name, text]) => parameter(name, text)),
    ),
    2,
  )
  const item = fc.letrec<{ item: string }>((tie) => ({
    item: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      { weight: 20, arbitrary: path },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          '*',
          'count()',
          'amount.sum()',
          'amount.sum()::text',
          'count',
          '',
          'a b',
          'x:',
        ),
      },
      {
        weight: 4,
        arbitrary: fc.tuple(path, fc.constantFrom(...casts)).map((parts) => parts.join('::')),
      },
      { weight: 1, arbitrary: fc.tuple(oddText, path).map((parts) => parts.join(':')) },
      {
        weight: 6,
        arbitrary: fc.tuple(
          fc.constantFrom('', 'x:', '...'),
          embed,
          fc.constantFrom(
            '',
            '',
            '',
            '!inner',
            '!left',
            '!nothing',
            ...table.references.map(({ name, column: key }) => `!${name}!inner,x:${key}`),
          ),
          list(tie('item')),
        ).map(([alias, name, hint, items]) => `${alias}${name}${hint}(${items.join()})`),
      },
      { weight: 1, arbitrary: oddText },
    ),
  })).item
  const number = mostly(fc.nat({ max: 9 }).map(String), textOf('bigint', [], []))
  const order = fc.tuple(
    path,
    mostly(
      fc.constantFrom('', '.asc', '.desc', '.desc.nullslast', '.nullsfirst'),
      fc.constant('.sideways'),
    ),
  ).map((parts) => parts.join(''))
  const shape = fc.tuple(
    sometimes(
      mostly(fc.array(item, { minLength: 1, maxLength: 4 }), list(item)).map((items) =>
        parameter('select', items.join())
      ),
    ),
    sometimes(
      mostly(fc.array(order, { minLength: 1, maxLength: 3 }), list(oddText)).map((items) =>
        parameter('order', items.join())
      ),
    ),
    sometimes(number.map((value) => parameter('limit', value))),
    sometimes(number.map((value) => parameter('offset', value))),
  ).map((parts) => parts.flat())
  return { where, shape }
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

/**
 * Arbitraries of fast-check for the query parameters of requests, and the inputs of all generators
 * of requests.
 */
import fc from 'fast-check'
import type pg from 'pg'
import type { Catalogue, Table } from '../isolation/catalogue.ts'
import { oddText, textOf } from './values.ts'

export type Parameter = { name: string, type: string }
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
export const parameter = (name: string, value: string): string => `${encode(name)}=${encode(value)}`
export const list = <Item>(item: fc.Arbitrary<Item>, maxLength = 3): fc.Arbitrary<Item[]> =>
  fc.array(item, { maxLength })
/** Mostly nothing, sometimes a value. */
export const sometimes = (arbitrary: fc.Arbitrary<string>, once = 3): fc.Arbitrary<string[]> =>
  fc.oneof({ weight: once - 1, arbitrary: fc.constant<string[]>([]) }, {
    weight: 1,
    arbitrary: arbitrary.map((one) => [one]),
  })
/** Mostly the first: one error reveals more than five, because the first hides the others. */
export const mostly = <Item>(
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
export function queries(
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

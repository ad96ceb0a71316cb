/**
 * All requests of a caller that contain a value: each operation of each exposed table and function,
 * for each column. The strangers in one of two twin databases have this value, and no row of the
 * other has it. The responses of the twins must be equal. The questions are generated, so a new
 * table is covered without further work.
 */
import type { Column, Table } from './catalogue.ts'
import { contents, type Payload } from './rows.ts'
import type { Request } from './sender.ts'
import { uuid, valueOf, word, type Crowd } from './strangers.ts'
import type { Actor, World } from './world.ts'

export type Question = {
  actor: Actor
  table: string
  column: string
  operation: string
  request: Request
  /** It may change the caller's own rows, so it runs alone and after all reads. */
  isWriting?: true
}
/** A question without its actor. */
export type QuestionTemplate = Omit<Question, 'actor'>
export const nameOf = ({ actor, table, column, operation }: Question): string =>
  `${actor.name} · ${table}${column === '' ? '' : `.${column}`} · ${operation}`

/** Spellings of a Prefer header that PostgREST accepts as a request for an estimate. */
export const estimating: (string | string[])[] = [
  'count=planned',
  'count=estimated',
  ' count=planned ',
  'return=minimal, count=planned',
  'count=planned,handling=lenient',
  'handling=strict, count=planned',
  'count=planned, count=exact',
]
/** Two Prefer fields: PostgREST reads both, and a function of the database sees one. */
export const twoFields: string[][] = [
  ['count=planned', 'handling=lenient'],
  ['handling=lenient', 'count=planned'],
  ['count=planned', 'count=exact'],
]
/** PostgREST counts exactly up to the rows of one response, and estimates beyond. */
const estimatingInTwo = ['return=minimal', 'count=estimated']
const preferences: (string | string[] | undefined)[] = [
  undefined,
  ...estimating,
  ...twoFields,
  estimatingInTwo,
  ['count=estimated', 'return=minimal'],
  ['count=exact', 'count=planned'],
  'count=exact',
  'count=exact, count=planned',
  'COUNT=planned',
  'Count=Planned',
  'count = planned',
  'count="planned"',
  '"count=planned"',
  'count=planned;q=1',
  'handling=strict, COUNT=planned',
  'count=planned\tcount=exact',
  'count=none',
  'tx=rollback, count=planned',
  'timezone=Europe/Berlin, count=planned',
  'max-affected=1, count=estimated',
]
const plans = [
  'application/vnd.pgrst.plan',
  'application/vnd.pgrst.plan+json',
  'application/vnd.pgrst.plan+text; options=analyze|verbose|buffers',
  'application/vnd.pgrst.plan+json; for="application/json"',
]
const accepts = [
  ...plans,
  'text/csv',
  'application/vnd.pgrst.object+json',
  'application/vnd.rest.object+json',
  'application/vnd.pgrst.array+json; nulls=stripped',
  'application/geo+json',
  'text/xml',
  'application/octet-stream',
  '*/*',
]
export const describePreference = (preference: string | string[] | undefined): string =>
  preference === undefined ? 'without Prefer' : `Prefer: ${[preference].flat().join(' | ')}`
export const prefer = (preference: string | string[] | undefined): Request['headers'] =>
  preference === undefined ? {} : { prefer: preference }
export const json = { 'content-type': 'application/json' }
const e = encodeURIComponent

/** The requested values of a column: the most common one, a unique one, and a middle one. */
export function valuesOf(
  table: Table,
  column: Column,
  strangers: Crowd,
): { what: string, value: string }[] {
  const at = (what: string, n: number): { what: string, value: string } => ({
    what,
    value: String(valueOf(table, column, n, strangers)),
  })
  if (valueOf(table, column, strangers.start, strangers) === undefined) return []
  return [
    at('the common value', strangers.start),
    at('the middle value', strangers.start + strangers.size / 2),
    at('the last value', strangers.start + strangers.size - 1),
  ]
}

type Filter = { what: string, query: string }
/** Filters with every operator that takes a value, alone and combined. */
function filters(
  column: Column,
  [common, middle, last]: { what: string, value: string }[],
  prefix = '',
): Filter[] {
  if (common === undefined || middle === undefined || last === undefined) return []
  const name = `${prefix}${column.name}`
  const either = `${prefix}or`
  const quoted = (value: string): string => e(`"${value}"`)
  const one = (operator: string, value: string, what: string): Filter => ({
    what: `${operator} ${what}`,
    query: `${name}=${operator}.${e(value)}`,
  })
  return [
    ...['eq', 'neq', 'not.eq', 'isdistinct'].map((operator) =>
      one(operator, common.value, common.what)
    ),
    one('eq', last.value, last.what),
    ...['gt', 'gte', 'lt', 'lte', 'not.gt'].map((operator) =>
      one(operator, middle.value, middle.what)
    ),
    {
      what: 'between two values',
      query: `${name}=gte.${e(middle.value)}&${name}=lt.${e(last.value)}`,
    },
    { what: 'in', query: `${name}=in.(${quoted(common.value)},${quoted(last.value)})` },
    { what: 'not in', query: `${name}=not.in.(${quoted(common.value)})` },
    ...['like', 'ilike', 'not.like'].map((operator) =>
      one(operator, `${common.value.slice(0, -1)}*`, common.what)
    ),
    { what: 'is null', query: `${name}=is.null` },
    { what: 'is not null', query: `${name}=not.is.null` },
    ...(column.type === 'boolean' ? [{ what: 'is true', query: `${name}=is.true` }] : []),
    {
      what: 'or',
      query: `${either}=(${column.name}.eq.${quoted(common.value)},${column.name}.gt.${
        quoted(last.value)
      })`,
    },
    {
      what: 'not or',
      query: `${prefix}not.or=(${column.name}.eq.${quoted(common.value)},${column.name}.is.null)`,
    },
  ]
}

/** The number of questions: everything, or for each column the two filters that detect most. */
export type Depth = 'everything' | 'a little'

/** Reads a table, or the rows of a function, with filters on its columns and on embedded ones. */
export function* reading(
  world: World,
  table: Table,
  strangers: Crowd,
  depth: Depth,
  path = `/${table.name}`,
  body?: string,
): Generator<QuestionTemplate> {
  const [read, counted] = body === undefined ? ['GET', 'HEAD'] as const : ['POST', 'POST'] as const
  const ask = (
    column: string,
    operation: string,
    method: string,
    query: string,
    headers: Request['headers'] = {},
  ): QuestionTemplate => ({
    table: table.name,
    column,
    operation: `${method} ${operation}`,
    request: {
      method,
      path: `${path}?${query}`,
      headers: { ...headers, ...(body === undefined ? {} : json) },
      ...(body === undefined ? {} : { body }),
    },
  })
  const both = function*(
    column: string,
    what: string,
    query: string,
    preference: string | string[] = 'count=planned',
  ): Generator<QuestionTemplate> {
    yield ask(column, what, read, query)
    yield ask(
      column,
      `${what}, ${describePreference(preference)}`,
      counted,
      query,
      prefer(preference),
    )
  }
  for (const column of table.columns) {
    const some = filters(column, valuesOf(table, column, strangers))
    if (column.type === 'jsonb')
      yield* both(column.name, 'eq in JSON', `${column.name}->>canary=eq.${word(strangers.start)}`)
    for (const { what, query } of depth === 'everything' ? some : telling(some))
      yield* both(column.name, what, query)
    // Beyond the rows of one response the count is an estimate.
    const wide = some.find(({ what }) => what.startsWith('lt '))
    if (wide !== undefined) {
      for (const preference of ['count=estimated', estimatingInTwo])
        yield ask(
          column.name,
          `${wide.what}, ${describePreference(preference)}`,
          counted,
          wide.query,
          prefer(preference),
        )
    }
    const [first] = some
    if (first !== undefined)
      yield ask(
        column.name,
        `${first.what}, ${describePreference(twoFields[0])}`,
        counted,
        first.query,
        prefer(twoFields[0]),
      )
  }
  if (depth === 'everything') {
    yield* dressed(table, strangers, ask, [read, counted])
    yield* embedded(world, table, strangers, both)
  }
}

const telling = (some: Filter[]): Filter[] =>
  some.filter(({ what }, at) => at === 0 || what.startsWith('gt '))

type Ask = (
  column: string,
  operation: string,
  method: string,
  query: string,
  headers?: Request['headers'],
) => QuestionTemplate

/**
 * The first text column, with every spelling of Prefer headers, media types, ranges, pages and
 * orders.
 */
function* dressed(
  table: Table,
  strangers: Crowd,
  ask: Ask,
  methods: readonly [string, string],
): Generator<QuestionTemplate> {
  const column = table.columns.find(({ type, name }) => type === 'text' && !name.endsWith('_id')) ??
    table.columns[0]
  const some = column === undefined ? [] : filters(column, valuesOf(table, column, strangers))
  const [equal, unequal] = some
  if (column === undefined || equal === undefined || unequal === undefined) return
  for (const method of new Set(methods)) {
    for (const preference of preferences)
      yield ask(
        column.name,
        `${equal.what}, ${describePreference(preference)}`,
        method,
        equal.query,
        prefer(preference),
      )
    for (const accept of accepts)
      yield ask(column.name, `${equal.what}, as ${accept}`, method, equal.query, { accept })
    for (const range of ['0-0', '0-', '5-9', '100000-100001'])
      yield ask(
        column.name,
        `${unequal.what}, Range ${range}, ${describePreference('count=planned')}`,
        method,
        unequal.query,
        {
          'range-unit': 'items',
          range,
          ...prefer('count=planned'),
        },
      )
  }
  for (
    const page of [
      'limit=1',
      'limit=0',
      'offset=1',
      'limit=2&offset=3',
      `order=${column.name}.desc.nullslast`,
      `order=${column.name}&limit=1`,
    ]
  ) {
    yield ask(column.name, `${unequal.what}, ${page}`, methods[0], `${unequal.query}&${page}`)
    yield ask(
      column.name,
      `${unequal.what}, ${page}, ${describePreference('count=planned')}`,
      methods[1],
      `${unequal.query}&${page}`,
      prefer('count=planned'),
    )
  }
}

/** The columns of related tables, inside and outside of an embed. */
function* embedded(
  { catalogue: { tables } }: World,
  table: Table,
  strangers: Crowd,
  both: (column: string, what: string, query: string) => Generator<QuestionTemplate>,
): Generator<QuestionTemplate> {
  const related = tables.flatMap((other) => [
    ...table.references.filter(({ table: up }) => up === other.name).map(({ name }) => ({
      other,
      hint: name,
    })),
    ...other.references.filter(({ table: up }) => up === table.name).map(({ name }) => ({
      other,
      hint: name,
    })),
  ])
  for (const { other, hint } of related) {
    for (const column of other.columns) {
      const some = telling(filters(column, valuesOf(other, column, strangers), 'e.'))
      for (const { what, query } of some)
        yield* both(
          `${other.name}.${column.name}`,
          `inner embed, ${what}`,
          `select=*,e:${other.name}!${hint}!inner(*)&${query}`,
        )
      for (const { what, query } of some.slice(0, 1))
        yield* both(
          `${other.name}.${column.name}`,
          `embed, ${what}`,
          `select=*,e:${other.name}!${hint}(*)&${query}&e=not.is.null`,
        )
    }
  }
}

/** Writes with values: in filters, as references, owners, keys, and keys of imports. */
export function* writing(
  table: Table,
  strangers: Crowd,
  ownCrowd: Crowd,
  depth: Depth,
): Generator<QuestionTemplate> {
  let sent = ownCrowd.start + 50
  const ask = (
    column: string,
    operation: string,
    method: string,
    query: string,
    payload?: Payload,
    headers: Request['headers'] = {},
  ): QuestionTemplate => ({
    table: table.name,
    column,
    operation: `${method} ${operation}`,
    isWriting: true,
    request: {
      method,
      path: `/${table.name}?${query}`,
      headers: { ...(payload === undefined ? {} : json), ...headers },
      ...(payload === undefined ? {} : { body: JSON.stringify(payload) }),
    },
  })
  const [isKey, hasId] = [
    (name: string): boolean => table.key.includes(name),
    table.key.join() === 'id',
  ]
  // The id is fixed, so that both twins create the same row.
  const fresh = (): Payload => ({
    ...contents(table, 1, 'sent'),
    ...Object.fromEntries(table.references.map(({ column }) => [column, uuid(ownCrowd.start)])),
    ...(hasId ? { id: uuid(sent++) } : {}),
  })
  // Has no id, because a past budget that the service stores has another id in each twin.
  const shownColumns = table.columns.filter(({ name }) => name in fresh() && name !== 'id')
  const select = `select=${shownColumns.map(({ name }) => name).join()}`
  const label = table.columns.find(({ name, type }) => name in fresh() && type === 'text')?.name ??
    table.columns[0]?.name ?? ''
  const representing = { prefer: 'return=representation' }
  for (const column of table.columns) {
    const values = valuesOf(table, column, strangers)
    const [common] = values
    if (common === undefined) continue
    const matching = filters(column, values).filter(({ what }) =>
      /^(?:eq the common|in$|like )/.test(what)
    )
    for (const { what, query } of depth === 'everything' ? matching : matching.slice(0, 1)) {
      yield ask(column.name, `${what}, shown`, 'PATCH', `${query}&${select}`, {
        [label]: fresh()[label],
      }, representing)
      // A body that can be read in only one order.
      yield ask(column.name, `${what}, with a value that is none`, 'PATCH', query, {
        [table.key[0] ?? '']: 'none',
      })
      yield ask(
        column.name,
        `${what}, shown`,
        'DELETE',
        `${query}&${select}`,
        undefined,
        representing,
      )
    }
    yield ask(
      column.name,
      `${matching[0]?.what}, ${describePreference('count=planned')}`,
      'PATCH',
      matching[0]?.query ?? '',
      { [label]: fresh()[label] },
      prefer('count=planned'),
    )
    const isReference = table.references.some((one) => one.column === column.name)
    const unique = table.uniques.find((columns) => columns.includes(column.name)) ?? []
    const isNaming = isKey(column.name) || isReference ||
      ['user_id', 'organization_id', 'tenant'].includes(column.name)
    if (!isNaming && unique.length === 0) continue
    const references = Object.fromEntries(
      table.columns.filter(({ name }) => unique.includes(name)).map((
        one,
      ) => [one.name, valueOf(table, one, strangers.start, strangers)]),
    )
    const naming = (): Payload => ({ ...fresh(), ...references, [column.name]: common.value })
    const named = hasId && isKey(column.name) ? 'a taken key' : common.what
    if (isNaming)
      yield ask(
        column.name,
        `to ${common.what}`,
        'PATCH',
        table.key.map((key) => `${key}=eq.${uuid(ownCrowd.start)}`).join('&'),
        {
          [column.name]: common.value,
        },
      )
    yield ask(column.name, `with ${named}`, 'POST', select, naming(), representing)
    for (const resolution of ['merge', 'ignore']) {
      yield ask(column.name, `with ${named}, ${resolution}`, 'POST', select, naming(), {
        prefer: `resolution=${resolution}-duplicates, return=representation`,
      })
      yield ask(
        column.name,
        `with ${named}, ${resolution} on the column`,
        'POST',
        `on_conflict=${column.name}&${select}`,
        naming(),
        {
          prefer: `resolution=${resolution}-duplicates, return=minimal`,
        },
      )
    }
    if (hasId && isKey(column.name))
      yield ask(column.name, `with ${named}`, 'PUT', `${column.name}=eq.${common.value}`, naming())
  }
}

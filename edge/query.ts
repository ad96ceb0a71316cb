/**
 * Rules for a query to the data surface. PostgREST parses and plans a query before a limit of the
 * database applies, and the cost of some parts grows with the square of their number. PostgREST
 * also accepts every cast and every name, and answers bytes that are not UTF-8 with a 500 without a
 * body. No I/O.
 */
import { isUtf8 } from 'node:buffer'
import { columnsOfFunctions, columnsOfTables, numbers } from './columns.ts'
import {
  castsOf,
  conditionsOf,
  embeddingsOf,
  filterOf,
  isEmbedded,
  isFilter,
  isNullFilter,
  itemsOf,
  nameIn,
  pathIn,
  sourceOf,
  type Embedding,
  type Filter,
  type Parameter,
} from './query-text.ts'

/** Maximum values of one query. Repeated parameters are counted together. */
export const most = {
  /**
   * Bytes of the path as sent. PostgREST searches for a similar name, at a cost that grows with the
   * square of its length.
   */
  pathBytes: 128,
  /**
   * Bytes of the parameters' names of a function together, and of an embedded table's name, for the
   * same reason.
   */
  argumentBytes: 1024,
  relationBytes: 128,
  /** Parts between `&` and `;`, empty ones included. */
  parameters: 100,
  /**
   * Bytes of a parameter's name as sent. A filter on an embedded table has the path of the table in
   * its name.
   */
  nameBytes: 256,
  /**
   * Commas and JSON arrows in `select`, `order`, `columns` and `on_conflict`. Filters may have long
   * lists of ids.
   */
  items: 100,
  /**
   * Bytes of these four parameters as sent, with their names: PostgREST's work also grows with the
   * length of aliases.
   */
  itemBytes: 2048,
  /** Embedded tables and `*` in `select`: each adds many columns, and PostgreSQL allows 1,664. */
  embeddings: 50,
  /** Opening parentheses in `and` and `or`. */
  groups: 200,
  /**
   * Conditions and JSON arrows in `and` and `or`, without the values of a list. 700 of them cost
   * 0.2 s.
   */
  conditions: 100,
} as const

type QueryRejection =
  | 'URI_TOO_LONG'
  | 'INVALID_ENCODING'
  | 'QUERY_TOO_COMPLEX'
  | 'LIMIT_NOT_SUPPORTED'
  | 'ORDER_NOT_SUPPORTED'
  | 'PGRST100'
  | 'PGRST103'
  | 'PGRST123'
  | '22P02'
  | '42703'
  | '42704'

/**
 * Decodes percent-encoding to one character per byte. Like PostgREST it keeps a percent sign that
 * begins no byte.
 */
const decode = (text: string) =>
  text.replace(
    /%([0-9a-f]{2})/gi,
    (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)),
  )

/** Returns a name for a message, cut to the length of PostgreSQL's names. */
const nameInMessage = (bytes: string) => Buffer.from(bytes.slice(0, 63), 'latin1').toString()

/** Returns true if a text with one character per byte is UTF-8. */
export const isText = (bytes: string): boolean => isUtf8(Buffer.from(bytes, 'latin1'))

/**
 * Returns true if a filter is a regular expression with a counted repetition. PostgreSQL expands
 * nested ones to up to 160 MB, and each of its processes caches 32 expressions.
 */
const repeatsByNumber = (filter: string) =>
  /^(not\.)?i?match[.(]/i.test(filter) && filter.includes('{')

const count = (values: string[], what: RegExp) => values.join('\n').match(what)?.length ?? 0

/**
 * The types of a cast. A cast to any other type could look up roles, tables and functions by their
 * names, as regclass does.
 */
const plainType =
  /^(text|varchar|character varying|char|bpchar|bool|boolean|int[248]?|integer|smallint|bigint|numeric|decimal|real|float[48]?|double precision|date|time|timetz|timestamp|timestamptz|time with(out)? time zone|timestamp with(out)? time zone|interval|uuid|jsonb?|bytea)$/i

/**
 * Returns true if a name is a column. PostgreSQL would read other names as system columns or as
 * functions of the whole row.
 */
const isColumn = (path: string, name: string) =>
  ['', '*'].includes(name) || columnsOfTables.has(name) ||
  columnsOfFunctions.get(/\/rpc\/(\w+)$/.exec(path)?.[1] ?? '')?.includes(name) === true

/**
 * A text search with a configuration that is not a name. PostgreSQL would read a number as an OID
 * and fail with an internal error.
 */
const otherConfiguration = /^(?:not\.)?(?:pl|ph|w)?fts\((?! *[a-z_]+ *\))([^)]*)/i

/**
 * A number in a form that PostgreSQL reads since version 16, and 15 refuses: `0x10`, `0o17`, `0b1`
 * and `1_000`.
 */
const newerNumber = /[+-]?\d[xob_][\w.]*/i

/**
 * Returns the unknown columns of an `order`. An order by an embedded table can name what this table
 * has only in the response.
 */
function unknownInOrder(
  order: Parameter,
  embeddings: Embedding[],
  isKnown: (name: string) => boolean,
): string[] {
  const items = itemsOf(order.value)
  return items.flatMap((item, at) => {
    const name = sourceOf(item)
    const before = items[at - 1]
    const isOutput = before?.delimiter === '('
      && isEmbedded(
        embeddings,
        pathIn(order.name),
        sourceOf(before),
        ({ outputs }) => outputs.has(name),
      )
    return item.delimiter === '(' || isKnown(name) || isOutput ? [] : [name]
  })
}

/** A query as sent: the decoded path and parameters, with the lengths of their texts. */
type Query = {
  method: string
  path: string
  parameters: (Parameter & { nameBytes: number, bytes: number })[]
}

type Rejection = { code: QueryRejection, message?: string }

function queryOf(method: string, url: string): Query {
  const at = url.indexOf('?')
  const path = decode(at === -1 ? url : url.slice(0, at))
  const parts = at === -1 ? [] : url.slice(at + 1).split(/[&;]/)
  const parameters = parts.map((part) => {
    const [name = '', ...rest] = part.replaceAll('+', ' ').split('=')
    return {
      name: decode(name),
      nameBytes: name.length,
      value: decode(rest.join('=')),
      bytes: part.length,
    }
  })
  return { method, path, parameters }
}

const named = ({ parameters }: Query, names: RegExp) =>
  parameters.filter(({ name }) => names.test(name))
const valuesOf = (query: Query, names: RegExp) =>
  named(query, names).map((parameter) => parameter.value)

const logicNames = /^(.*\.)?(and|or)$/s

/** Checks the size of the path and of the parameters. */
function checkSize(query: Query): Rejection | undefined {
  const { path, parameters } = query
  const lists = /^(select|columns|on_conflict|(.*\.)?order)$/s
  const listBytes = parameters.filter(({ name }) => lists.test(name)).reduce(
    (sum, { bytes }) => sum + bytes,
    0,
  )
  if (path.length > most.pathBytes) return { code: 'URI_TOO_LONG' }
  // PostgREST finds the table before it and repeats it in a header, which no client accepts
  if (path.includes('\0')) return { code: 'INVALID_ENCODING' }
  const argumentBytes = path.includes('/rpc/')
    ? parameters.reduce((sum, { nameBytes }) => sum + nameBytes, 0)
    : 0
  const selects = valuesOf(query, /^select$/)
  const isTooMuch = parameters.length > most.parameters
    || argumentBytes > most.argumentBytes
    || selects.some((select) =>
      select.split(/[,()]/).some((item) => item.length > most.relationBytes && !/->|::/.test(item))
    )
    || parameters.some(({ nameBytes }) => nameBytes > most.nameBytes)
    || count(valuesOf(query, lists), /,|->/g) > most.items
    || listBytes > most.itemBytes
    || count(selects, /[(*]/g) > most.embeddings
    || count(valuesOf(query, logicNames), /\(/g) > most.groups
  return isTooMuch ? { code: 'QUERY_TOO_COMPLEX' } : undefined
}

/** Checks the names and the casts of columns. */
function checkColumns(
  query: Query,
  filters: Filter[],
  conditions: Filter[],
): Rejection | undefined {
  const { method, path } = query
  const selects = valuesOf(query, /^select$/)
  const items = selects.flatMap(itemsOf)
  if (items.flatMap(castsOf).some((type) => !plainType.test(type))) return { code: 'PGRST100' }
  const isKnown = (name: string) => isColumn(path, name)
  if (items.some((one) => sourceOf(one) === 'count' && !isKnown('count')))
    return { code: 'PGRST123' }
  const embeddings = embeddingsOf(selects[0] ?? '')
  // PostgREST reads some filters of a change as columns of the changed table: its own, and every
  // `and` and `or`. An insert has none.
  const isChange = ['PATCH', 'PUT', 'DELETE'].includes(method)
  const ofEmbedded = isChange
    ? filters.filter((filter) => filter.path.length > 0)
    : [...filters, ...conditions]
  const unknown = [
    ...items.filter(({ delimiter }) => delimiter !== '(').map(sourceOf).filter((name) =>
      !isKnown(name)
    ),
    ...named(query, /^(.*\.)?order$/s).flatMap((order) =>
      unknownInOrder(order, embeddings, isKnown)
    ),
    ...[...conditions, ...filters]
      .filter((filter) =>
        !(ofEmbedded.includes(filter) && isNullFilter(filter) &&
          isEmbedded(embeddings, filter.path, nameIn(filter.column)))
      )
      .map(({ column }) => nameIn(column))
      .filter((name) => !isKnown(name)),
  ][0]
  return unknown === undefined
    ? undefined
    : { code: '42703', message: `column ${nameInMessage(unknown)} does not exist` }
}

/** Checks the values of filters and arguments. */
function checkValues(
  { path, parameters }: Query,
  filters: Filter[],
  conditions: Filter[],
): Rejection | undefined {
  const configuration = [...filters, ...conditions].map((filter) =>
    otherConfiguration.exec(filter.value)?.[1]
  ).find((name) => name !== undefined)
  if (configuration !== undefined)
    return {
      code: '42704',
      message: `text search configuration "${nameInMessage(configuration)}" does not exist`,
    }
  const givenNumbers = [
    ...[...filters, ...conditions].filter(({ column }) => !column.includes('->'))
      .map(({ column, value }) => ({ name: nameIn(column), value })),
    ...(path.includes('/rpc/') ? parameters.filter((parameter) => !isFilter(parameter)) : []),
  ]
  const newer = givenNumbers.filter(({ name }) => numbers.has(name)).map(({ value }) =>
    newerNumber.exec(value)?.[0]
  ).find((text) => text !== undefined)
  return newer === undefined ? undefined : {
    code: '22P02',
    message: `invalid input syntax for type numeric: "${nameInMessage(newer)}"`,
  }
}

/** Checks `limit`, `offset` and `order`, which PostgREST ignores or fails at in some requests. */
function checkPaging(query: Query): Rejection | undefined {
  const { method, path } = query
  // PostgREST would ignore it and return all rows, or fail at a negative limit of an embedded table
  if (valuesOf(query, /^(.*\.)?(limit|offset)$/s).some((value) => !/^ *\d{1,18} *$/.test(value)))
    return { code: 'PGRST103' }
  // PostgREST 13 and later would ignore it and change every row of the filter
  if (['PATCH', 'DELETE'].includes(method) && valuesOf(query, /^(limit|offset)$/).length > 0)
    return { code: 'LIMIT_NOT_SUPPORTED' }
  // PostgreSQL would not run the function, and the response would be a success
  if (
    method === 'POST' && path.includes('/rpc/') &&
    valuesOf(query, /^limit$/).some((value) => Number(value) === 0)
  ) return { code: 'LIMIT_NOT_SUPPORTED' }
  // PostgREST 12 fails at it
  if (
    ['PATCH', 'DELETE'].includes(method) &&
    valuesOf(query, /^order$/).some((value) => value.includes('('))
  ) return { code: 'ORDER_NOT_SUPPORTED' }
  return undefined
}

/**
 * Checks a URL against these rules.
 * @param url path and query as received, one byte a character
 * @returns the error code, with a message that names the refused name; undefined if the URL is
 * accepted
 */
export function checkQuery(method: string, url: string): Rejection | undefined {
  if (!isText(decode(url))) return { code: 'INVALID_ENCODING' }
  const query = queryOf(method, url)
  const tooLarge = checkSize(query)
  if (tooLarge !== undefined) return tooLarge
  const conditions = named(query, logicNames).flatMap(conditionsOf)
  if (conditions.length + count(conditions.map(({ column }) => column), /->/g) > most.conditions)
    return { code: 'QUERY_TOO_COMPLEX' }
  const filters = query.parameters.filter(isFilter).map(filterOf)
  if ([...filters, ...conditions].some((filter) => repeatsByNumber(filter.value)))
    return { code: 'QUERY_TOO_COMPLEX' }
  return checkColumns(query, filters, conditions) ?? checkValues(query, filters, conditions) ??
    checkPaging(query)
}

/**
 * Rules for a query to the data surface. PostgREST parses and plans a query before the caller's connection limit applies, and the cost
 * of some parts grows with the square of their number. PostgREST also accepts every cast and every name, and answers bytes that are not
 * UTF-8 with a 500 without a body. No I/O.
 */
import { isUtf8 } from 'node:buffer'
import { columnsOfFunctions, columnsOfTables } from './columns.ts'

/** Maximum values of one query. Repeated parameters are counted together. */
export const most = {
  /** Bytes of the path as sent. PostgREST searches for a similar name, at a cost that grows with the square of its length. */
  pathBytes: 128,
  /** Bytes of the parameters' names of a function together, and of an embedded table's name, for the same reason. */
  argumentBytes: 1024,
  relationBytes: 128,
  /** Parts between `&` and `;`, empty ones included. */
  parameters: 100,
  /** Bytes of a parameter's name as sent. A filter on an embedded table has the path of the table in its name. */
  nameBytes: 256,
  /** Commas and JSON arrows in `select`, `order`, `columns` and `on_conflict`. Filters may have long lists of ids. */
  items: 100,
  /** Bytes of these four parameters as sent, with their names: PostgREST's work also grows with the length of aliases. */
  itemBytes: 2048,
  /** Embedded tables and `*` in `select`: each adds many columns, and PostgreSQL allows 1,664. */
  embeddings: 50,
  /** Opening parentheses in `and` and `or`. */
  groups: 200,
  /** Conditions and JSON arrows in `and` and `or`, without the values of a list. 700 of them cost 0.2 s. */
  conditions: 100,
} as const

export type QueryRefusal =
  | 'URI_TOO_LONG'
  | 'INVALID_ENCODING'
  | 'QUERY_TOO_COMPLEX'
  | 'LIMIT_NOT_SUPPORTED'
  | 'ORDER_NOT_SUPPORTED'
  | 'PGRST100'
  | '42703'
  | '42704'

/** Decodes percent-encoding to one character per byte. Like PostgREST it keeps a percent sign that begins no byte. */
const decode = (text: string) => text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Returns a name for a message, cut to the length of PostgreSQL's names. */
const nameInMessage = (bytes: string) => Buffer.from(bytes.slice(0, 63), 'latin1').toString()

/** Returns true if a text with one character per byte is UTF-8. */
export const isText = (bytes: string): boolean => isUtf8(Buffer.from(bytes, 'latin1'))

/**
 * Returns true if a query has a regular expression with a counted repetition. PostgreSQL expands nested ones to up to 160 MB, and each
 * of its processes caches 32 expressions.
 */
const repeatsByNumber = (query: string) => /[=.]i?match[.(]/i.test(query) && query.includes('{')

const count = (values: string[], what: RegExp) => values.join('\n').match(what)?.length ?? 0

/** The types of a cast. A cast to any other type could look up roles, tables and functions by their names, as regclass does. */
const plainType =
  /^(text|varchar|character varying|char|bpchar|bool|boolean|int[248]?|integer|smallint|bigint|numeric|decimal|real|float[48]?|double precision|date|time|timetz|timestamp|timestamptz|time with(out)? time zone|timestamp with(out)? time zone|interval|uuid|jsonb?|bytea)$/i

/** Returns true if a `select` has a cast to another type. */
const hasOtherCast = (select: string) => [...select.matchAll(/::([^(),]*)/g)].some(([, type = '']) => !plainType.test(type.replaceAll('+', ' ').trim()))

/** Returns true if a name is a column. PostgreSQL would read other names as system columns or as functions of the whole row. */
const isColumn = (path: string, name: string) =>
  ['', '*'].includes(name) || columnsOfTables.has(name) || columnsOfFunctions.get(/\/rpc\/(\w+)$/.exec(path)?.[1] ?? '')?.includes(name) === true

/** Returns the name that PostgreSQL receives: the part before a JSON path, a cast or an operator, without quotes. */
const nameIn = (item: string) => (item.replaceAll('+', ' ').split(/->|::|\./, 1)[0] ?? '').trim().replace(/^"(.*)"$/s, '$1')

/** Returns the columns in `select` and `order`: neither aliases nor embedded tables. PostgREST accepts a quoted name only at the start of an item. */
const columnsOfList = (list: string) =>
  [...list.matchAll(/(?:\s*\.{3})?((?:\s*"(?:[^"\\]|\\.)*"\s*(?::(?!:))?)*[^(),]*)([(),]|$)/gs)]
    .filter(([, , delimiter]) => delimiter !== '(')
    .map(([, item = '']) => nameIn(item.replace(/^(?:\s*"(?:[^"\\]|\\.)*"\s*|[^":]*):(?!:)/s, '')))

/** An operator of a condition, at the start of a filter's value and after a column in `and` and `or`. */
const operator = '(not|eq|gte?|lte?|neq|i?like|i?match|in|is|isdistinct|w?fts|plfts|phfts|c[sd]|ov|s[lr]|nx[rl]|adj)([.(]|$)'
const filterValue = new RegExp(`^${operator}`)
const condition = new RegExp(`\\.${operator}`)

/** Returns the columns in `and` and `or`. A value that looks like a condition counts as well. */
const columnsOfLogic = (logic: string) => logic.split(/[(),]/).filter((item) => condition.test(item)).map(nameIn)

/** Returns the column of a filter such as `categories.name=eq.a`, or an empty name for another parameter. */
const columnOfFilter = ({ name, value }: { name: string, value: string }) =>
  filterValue.test(value) ? nameIn(name.split('->', 1)[0]?.split('.').at(-1) ?? '') : ''

/** A text search with a configuration that is not a name. PostgreSQL would read a number as an OID and fail with an internal error. */
const otherConfiguration = '(?:not\\.)?(?:pl|ph|w)?fts\\((?![+ ]*[a-z_]+[+ ]*\\))([^)]*)'
const otherInFilter = new RegExp(`^${otherConfiguration}`, 'i')
const otherInLogic = new RegExp(`\\.${otherConfiguration}`, 'i')

/**
 * Checks a URL against these rules.
 * @param url path and query as received, one byte a character
 * @returns the error code, with a message that names the refused name; undefined if the URL is accepted
 */
export function judge(method: string, url: string): { code: QueryRefusal, message?: string } | undefined {
  if (!isText(decode(url))) return { code: 'INVALID_ENCODING' }
  const at = url.indexOf('?')
  const path = decode(at === -1 ? url : url.slice(0, at))
  const parts = at === -1 ? [] : url.slice(at + 1).split(/[&;]/)
  const parameters = parts.map((part) => {
    const [name = '', ...value] = part.split('=')
    return { name: decode(name), nameBytes: name.length, value: decode(value.join('=')), bytes: part.length }
  })
  const valuesOf = (names: RegExp) => parameters.filter(({ name }) => names.test(name)).map(({ value }) => value)
  const logic = valuesOf(/^(.*\.)?(and|or)$/s)
  // an operator stands between two dots, or a dot and a parenthesis
  const conditions = logic.flatMap((value) => value.split(/,|(?=->)/)).filter((part) => /^->|\.[a-z]+[.(]/.test(part))
  const lists = /^(select|columns|on_conflict|(.*\.)?order)$/s
  const listBytes = parameters.filter(({ name }) => lists.test(name)).reduce((sum, { bytes }) => sum + bytes, 0)
  if (path.length > most.pathBytes) return { code: 'URI_TOO_LONG' }
  // PostgREST finds the table before it and repeats it in a header, which no client accepts
  if (path.includes('\0')) return { code: 'INVALID_ENCODING' }
  const argumentBytes = path.includes('/rpc/') ? parameters.reduce((sum, { nameBytes }) => sum + nameBytes, 0) : 0
  const isTooMuch = parameters.length > most.parameters
    || argumentBytes > most.argumentBytes
    || valuesOf(/^select$/).some((select) => select.split(/[,()]/).some((item) => item.length > most.relationBytes && !/->|::/.test(item)))
    || parameters.some(({ nameBytes }) => nameBytes > most.nameBytes)
    || count(valuesOf(lists), /,|->/g) > most.items
    || listBytes > most.itemBytes
    || count(valuesOf(/^select$/), /[(*]/g) > most.embeddings
    || count(logic, /\(/g) > most.groups
    || conditions.length > most.conditions
    || repeatsByNumber(decode(parts.join('&')))
  if (isTooMuch) return { code: 'QUERY_TOO_COMPLEX' }
  if (valuesOf(/^select$/).some(hasOtherCast)) return { code: 'PGRST100' }
  const columns = [...valuesOf(/^(select|(.*\.)?order)$/s).flatMap(columnsOfList), ...logic.flatMap(columnsOfLogic), ...parameters.map(columnOfFilter)]
  const unknown = columns.find((name) => !isColumn(path, name))
  if (unknown !== undefined) return { code: '42703', message: `column ${nameInMessage(unknown)} does not exist` }
  const configuration = [...parameters.map(({ value }) => otherInFilter.exec(value)), ...logic.map((value) => otherInLogic.exec(value))].find((found) =>
    found !== null
  )?.[1]
  if (configuration !== undefined) return { code: '42704', message: `text search configuration "${nameInMessage(configuration)}" does not exist` }
  // PostgREST 13 and later would ignore it and change every row of the filter
  if (['PATCH', 'DELETE'].includes(method) && valuesOf(/^(limit|offset)$/).length > 0) return { code: 'LIMIT_NOT_SUPPORTED' }
  // PostgreSQL would not run the function, and the response would be a success
  if (method === 'POST' && path.includes('/rpc/') && valuesOf(/^limit$/).some((value) => Number(value) === 0)) return { code: 'LIMIT_NOT_SUPPORTED' }
  // PostgREST 12 fails at it
  if (['PATCH', 'DELETE'].includes(method) && valuesOf(/^order$/).some((value) => value.includes('('))) return { code: 'ORDER_NOT_SUPPORTED' }
  return undefined
}

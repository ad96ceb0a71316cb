/**
 * What the URL of a request to the data surface may ask. PostgREST parses and plans a query before it takes one of the
 * caller's shares, some parts of it in the square of their number, and fails with a bare 500 where bytes are no UTF-8. No I/O.
 */
import { isUtf8 } from 'node:buffer'

/** How many there may be of each in one query, repeated parameters counted together. */
const most = {
  /** What `&` and `;` separate, empty ones too. */
  parameters: 100,
  /** Bytes of one parameter's name as sent: an embedded table's filter has a path in it. */
  nameBytes: 256,
  /** Commas and JSON arrows in `select`, `order`, `columns` and `on_conflict`; not in filters, where a list of ids is long. */
  items: 100,
  /** Bytes of those four as sent, names included: PostgREST's work grows with the length of aliases too. */
  itemBytes: 2048,
  /** Embedded tables and `*` in `select`: each stands for many columns, and 1,664 are PostgreSQL's limit. */
  embeddings: 50,
  /** Opening parentheses in `and` and `or`. */
  groups: 200,
  /** Conditions and JSON arrows in `and` and `or`, of which 700 cost 0.2 s; not the values of a list. */
  conditions: 100,
} as const

export type QueryRefusal = 'INVALID_ENCODING' | 'QUERY_TOO_COMPLEX' | 'ORDER_NOT_SUPPORTED'

/** Bytes, one a character. A percent sign that begins no byte is itself, as it is to PostgREST. */
const decode = (text: string) => text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Whether a text, one byte a character, is UTF-8. */
export const isText = (bytes: string): boolean => isUtf8(Buffer.from(bytes, 'latin1'))

/**
 * Whether a query has a regular expression that may repeat by number. PostgreSQL writes such a repetition out, a repetition of
 * it again, up to 160 MB for each query, and keeps 32 that it took in each of its processes.
 */
const repeatsByNumber = (query: string) => /[=.]i?match[.(]/i.test(query) && query.includes('{')

const count = (values: string[], what: RegExp) => values.join('\n').match(what)?.length ?? 0

/**
 * Judges a URL.
 * @param url path and query as received, one byte a character
 * @returns why it is refused, or undefined
 */
export function judge(method: string, url: string): QueryRefusal | undefined {
  if (!isText(decode(url))) return 'INVALID_ENCODING'
  const at = url.indexOf('?')
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
  const isTooMuch = parameters.length > most.parameters
    || parameters.some(({ nameBytes }) => nameBytes > most.nameBytes)
    || count(valuesOf(lists), /,|->/g) > most.items
    || listBytes > most.itemBytes
    || count(valuesOf(/^select$/), /[(*]/g) > most.embeddings
    || count(logic, /\(/g) > most.groups
    || conditions.length > most.conditions
    || repeatsByNumber(decode(parts.join('&')))
  if (isTooMuch) return 'QUERY_TOO_COMPLEX'
  // PostgREST has no answer to it
  if (['PATCH', 'DELETE'].includes(method) && valuesOf(/^order$/).some((value) => value.includes('('))) return 'ORDER_NOT_SUPPORTED'
  return undefined
}

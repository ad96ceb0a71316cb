/**
 * Reads the texts of a query as PostgREST does: `select`, `order`, `and`, `or` and filters. All
 * texts are decoded, one byte a character. A text that PostgREST refuses may be read in any way. No
 * I/O.
 */

/** A text in quotes. A backslash escapes the next character. */
const quoted = String.raw`"(?:[^"\\]|\\.)*"`

/** A parameter of the query. */
export type Parameter = { name: string, value: string }

const startsQuoted = new RegExp(String.raw`^\s*"((?:[^"\\]|\\.)*)"`, 's')

/**
 * Returns the name that PostgreSQL receives: the part before a JSON path, a cast or an operator,
 * without quotes.
 */
export const nameIn = (text: string): string =>
  startsQuoted.exec(text)?.[1] ?? (text.split(/->|::|\./, 1)[0] ?? '').trim()

/**
 * An item of `select` or `order`, and the delimiter after it: a comma, a parenthesis, or nothing at
 * the end.
 */
type Item = { text: string, delimiter: string }

/** PostgREST accepts quotes at the start of an item, after an alias and in a JSON path. */
const item = new RegExp(
  String.raw`((?:\s*\.{3})?(?:\s*${quoted}\s*(?::(?!:))?)*(?:->>?${quoted}|[^(),])*)([(),]|$)`,
  'gs',
)
const quotedKey = new RegExp(`->>?${quoted}`, 'gs')
const alias = new RegExp(String.raw`^(?:\s*${quoted}\s*|[^":]*):(?!:)`, 's')
const spread = /^\s*\.{3}/

/**
 * Returns the items of a `select` or `order`. The delimiter after an embedded table is an opening
 * parenthesis.
 */
export const itemsOf = (list: string): Item[] =>
  [...list.matchAll(item)].map(([, text = '', delimiter = '']) => ({ text, delimiter }))

/** Returns the name of an item's column or table. */
export const sourceOf = ({ text, delimiter }: Item): string => {
  const name = nameIn(text.replace(spread, '').replace(alias, ''))
  return delimiter === '(' ? name.replace(/!.*$/s, '').trim() : name
}

/**
 * Returns the name of an item in the response: its alias, the last key of its JSON path, or its own
 * name.
 */
const outputOf = (one: Item) =>
  nameIn(
    alias.exec(one.text)?.[0].slice(0, -1) ?? /->>?([^->]+)$/.exec(one.text)?.[1] ?? sourceOf(one),
  )

/** Returns the types of an item's casts. */
export const castsOf = ({ text }: Item): string[] =>
  [...text.replace(alias, '').replace(quotedKey, '').matchAll(/::([^(),]*)/g)]
    .map(([, type = '']) => type.trim())

/**
 * An embedded table. `outputs` are the names of its columns and embedded tables in the response.
 */
export type Embedding = {
  table: string
  name: string
  outputs: Set<string>
  embeddings: Embedding[]
}

/**
 * The starts of a `select` that PostgREST reads to the end or refuses. After another start, such as
 * `*x`, it ignores the rest.
 */
const readToTheEnd =
  /^(?:[\p{L}\d_$" \t]|\*[ \t]*(?:,|$)|\.{3}\w+(?:!(?:inner|left|(?!inner|left)\w+)){0,2}\()/u

/**
 * Returns the embedded tables of a `select`. Returns none if PostgREST could ignore a part of it.
 */
export function embeddingsOf(select: string): Embedding[] {
  if (!readToTheEnd.test(Buffer.from(select, 'latin1').toString())) return []
  const root: Embedding = { table: '', name: '', outputs: new Set(), embeddings: [] }
  const open = [root]
  let isAfterTable = false
  for (const one of itemsOf(select)) {
    const parent = open.at(-1) ?? root
    const isTable = one.delimiter === '('
    const isSpread = spread.test(one.text)
    // after the parenthesis of a table PostgREST reads on only after a comma
    const isIgnored = isAfterTable ? isTable || !/^[ \t]*$/.test(one.text) : isSpread && !isTable
    if (isIgnored || one.delimiter === ')' && parent === root) return []
    if (!isAfterTable && !isSpread) parent.outputs.add(outputOf(one))
    if (isTable) {
      open.push({
        table: sourceOf(one),
        name: outputOf(one),
        outputs: isSpread ? parent.outputs : new Set(),
        embeddings: [],
      })
      parent.embeddings.push(open.at(-1) ?? root)
    }
    isAfterTable = one.delimiter === ')'
    if (isAfterTable) open.pop()
  }
  return root.embeddings
}

/**
 * Returns the lists of tables that are embedded at a path. PostgREST takes any one of several
 * tables that the path names.
 */
function embeddingsAt(embeddings: Embedding[], path: string[]): Embedding[][] {
  const [first, ...rest] = path
  if (first === undefined) return [embeddings]
  return embeddings.filter(({ table, name }) => [table, name].includes(nameIn(first)))
    .flatMap((found) => embeddingsAt(found.embeddings, rest))
}

/**
 * Returns true if every table at the path embeds a table with this name, and each of these passes
 * the test.
 */
export function isEmbedded(
  embeddings: Embedding[],
  path: string[],
  name: string,
  test: (embedding: Embedding) => boolean = () => true,
): boolean {
  const lists = embeddingsAt(embeddings, path).map((one) =>
    one.filter((embedding) => embedding.name === name)
  )
  return lists.length > 0 && lists.every((found) => found.length > 0 && found.every(test))
}

/**
 * A text in quotes in a parameter's name. PostgREST refuses a name whose quotes do not close; it is
 * read to its end here, so that no later quote reads it again.
 */
const quotedName = String.raw`"(?:[^"\\]|\\.?)*(?:"|$)`
const beforeJson = new RegExp(String.raw`^(?:${quotedName}|(?!->).)*`, 's')
const segment = new RegExp(String.raw`(?:${quotedName}|[^.])+`, 'gs')

/**
 * Returns the path of the embedded table in a parameter's name. A name in quotes can contain dots
 * and arrows.
 */
export const pathIn = (name: string): string[] =>
  beforeJson.exec(name)?.[0].match(segment)?.slice(0, -1) ?? []

/**
 * A filter of a column, which may have a JSON path. The value starts with the operator, as in
 * `not.in.(1,2)`.
 */
export type Filter = { column: string, path: string[], value: string }

/** Returns true if a parameter is a filter. Otherwise it is an argument of a function. */
export const isFilter = ({ value }: Parameter): boolean =>
  /^(not|eq|gte?|lte?|neq|i?like|i?match|in|is|isdistinct|w?fts|plfts|phfts|c[sd]|ov|s[lr]|nx[rl]|adj)([.(]|$)/
    .test(value)

export function filterOf({ name, value }: Parameter): Filter {
  const path = pathIn(name)
  return { column: path.length === 0 ? name : name.slice(`${path.join('.')}.`.length), path, value }
}

const field = String
  .raw`(?:[ \t]*${quoted}[ \t]*|[^"(),.>]+)(?:->>?(?:${quoted}[ \t]*|[^"(),.>][^(),.>]*))*`
const quotedValue = String.raw`${quoted}(?=[,)]|$)`
const element = String.raw`(?:${quotedValue}|(?!${quotedValue})[^,)]*)`
const list = String.raw`in\.[ \t]*\([ \t]*${element}(?:,${element})*\)`
const other = String.raw`(?!in\.)[a-z]+(?:\([^()]*\))?\.(?:${quotedValue}|\{[^{}]*\}|[^,)]*)`

/**
 * A condition of `and` and `or`, or the text up to the next delimiter. A list, an array and a text
 * in quotes contain no condition.
 */
const condition = new RegExp(
  String.raw`(${field})\.((?:not\.)?(?:${list}|${other}))|[^(),]+|[(),]`,
  'gs',
)

/** Returns the conditions of an `and` or `or`. */
export function conditionsOf({ name, value }: Parameter): Filter[] {
  const path = pathIn(name).filter((part) => part !== 'not')
  return [...value.matchAll(condition)].flatMap(([, column, filter = '']) =>
    column === undefined ? [] : [{ column, path, value: filter }]
  )
}

/**
 * Returns true for `is.null` and `not.is.null`, which also filter by whether an embedded table has
 * rows.
 */
export const isNullFilter = ({ column, value }: Filter): boolean =>
  beforeJson.exec(column)?.[0] === column && /^(not\.)?is\.null[ \t]*$/i.test(value)

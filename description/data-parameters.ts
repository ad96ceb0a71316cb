/** What a query to the data surface may ask, as parameters of OpenAPI. No I/O. */
import type { Column, Table } from './catalogue.ts'
import type { Schema } from './json-schema.ts'
import { reference, type Json } from './json-schema.ts'

const sentences = (...parts: string[]): string => parts.filter((part) => part !== '').join('\n\n')

const quantified = (operators: string): string => `(${operators})(\\((any|all)\\))?`
const comparisons = `${quantified('eq|gt|gte|lt|lte')}|neq|in|is|isdistinct`
const operatorsOf: Record<string, string> = {
  text: `${comparisons}|${quantified('like|ilike|match|imatch')}|(fts|plfts|phfts|wfts)(\\([a-z_]+\\))?`,
  jsonb: `${comparisons}|cs|cd`,
}

/** A parameter that may be there several times, each of which must hold. */
export function filterParameter({ name, type, description }: Pick<Column, 'name' | 'type' | 'description'>): Json {
  const one: Schema = { type: 'string', pattern: `^(not\\.)?(${operatorsOf[type] ?? comparisons})\\.` }
  return {
    name,
    in: 'query',
    description: sentences(description, 'A filter: `<operator>.<value>`. It may repeat, and then all must hold.'),
    style: 'form',
    explode: true,
    schema: { anyOf: [one, { type: 'array', items: one }] },
  }
}

const prefers = (...preferences: string[]): Json => {
  const one = `(${preferences.join('|')})`
  return { name: 'Prefer', in: 'header', schema: { type: 'string', pattern: `^${one}(, *${one})*$` } }
}
const general = ['timezone=[A-Za-z0-9_+:/-]+', 'handling=(strict|lenient)', 'tx=(commit|rollback)', 'count=exact']
const returned = 'return=(minimal|headers-only|representation)'

const queryText = (name: string, description: string, pattern?: string): Json => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string', ...(pattern !== undefined && { pattern }) },
})

/** The parameters that have the same meaning wherever they are. */
export const sharedParameters: Record<string, Json> = {
  select: queryText(
    'select',
    'Columns by comma, `*` for all; `alias:column`, `column::type`; `alias:table(column,…)` embeds what is related, `!inner` keeps only rows that have it.',
  ),
  order: queryText('order', 'Columns by comma, each with `.asc` or `.desc`, and `.nullsfirst` or `.nullslast`.'),
  limit: { name: 'limit', in: 'query', description: 'The most rows; 10,000 is the most of all.', schema: { type: 'integer', minimum: 0 }, example: 20 },
  offset: { name: 'offset', in: 'query', description: 'Rows to skip.', schema: { type: 'integer', minimum: 0 } },
  ...Object.fromEntries(
    (['and', 'or', 'not.and', 'not.or'] as const).map((name) => [name, {
      ...queryText(name, `Conditions in parentheses: \`(column.operator.value,…)\`, which may hold \`and(…)\` and \`or(…)\` again.`),
      style: 'form',
      explode: true,
      schema: { anyOf: [{ type: 'string', pattern: String.raw`^\(` }, { type: 'array', items: { type: 'string', pattern: String.raw`^\(` } }] },
    }]),
  ),
  embedded: {
    name: 'embedded',
    in: 'query',
    description:
      'Parameters whose names depend on the query: filters, `order`, `limit` and `offset` of what is embedded, such as `category.name=eq.Home` or `line_items.order=name`, and filters inside JSON, such as `metadata->>shop=eq.Corner`.',
    // an explorer would send made-up names otherwise
    example: {},
    style: 'form',
    explode: true,
    schema: { type: 'object', additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] } },
  },
  Range: {
    name: 'Range',
    in: 'header',
    description: 'Rows as `first-last`, counted from 0: another way to say `limit` and `offset`.',
    schema: { type: 'string', pattern: String.raw`^\d+-\d*$` },
  },
  'Range-Unit': { name: 'Range-Unit', in: 'header', schema: { type: 'string', enum: ['items'] } },
  'Prefer.read': {
    ...prefers(...general),
    description: '`count=exact` counts all rows that match, `timezone=Europe/Berlin` reads and writes times there, `timezone=+02:00` at this offset.',
  },
  'Prefer.create': {
    ...prefers(...general, returned, 'resolution=(ignore|merge)-duplicates', 'missing=default'),
    description:
      '`return=representation` answers the rows; `resolution=merge-duplicates` updates rows that are there, `resolution=ignore-duplicates` skips them; `missing=default` takes the default for what an object of an array leaves out; `tx=rollback` is a dry run.',
  },
  'Prefer.write': { ...prefers(...general, returned), description: '`return=representation` answers the rows; `tx=rollback` is a dry run.' },
  columns: queryText('columns', 'The columns that the objects of an array have between them.'),
  on_conflict: queryText(
    'on_conflict',
    'The columns that say whether a row is there already: those of the primary key, which is the default; of budgets and exchange rates also those that their description names.',
  ),
}

/** Refers to parameters by their names. */
export const of = (...names: string[]): Json[] => names.map((name) => reference('parameters', name))
/** What the filter of a column is called among the parameters. */
export const filterName = (table: string, column: string): string => `${table}.${column}`
/** The filters of a table's columns. */
export const filtersOf = ({ name, columns, computed }: Table): Json[] => of(...[...columns, ...computed].map((column) => filterName(name, column.name)))
/** The parameters that put filters together. */
export const logic = ['and', 'or', 'not.and', 'not.or', 'embedded']
/** The parameters that choose a page. */
export const pageParameters = ['order', 'limit', 'offset']

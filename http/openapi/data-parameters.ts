/** OpenAPI parameters of the data surface: filters, paging, embedding and preferences. No I/O. */
import type { Column, Table } from './catalogue.ts'
import type { Schema } from './json-schema.ts'
import { reference, type Json } from './json-schema.ts'

/** The token of the caller. */
export const bearer = [{ bearer: [] }]

const sentences = (...parts: string[]): string => parts.filter((part) => part !== '').join('\n\n')

const quantified = (operators: string): string => `(${operators})(\\((any|all)\\))?`
const comparisons = `${quantified('eq|gt|gte|lt|lte')}|neq|in|is|isdistinct`
const operatorsOf: Record<string, string> = {
  text: `${comparisons}|${
    quantified('like|ilike|match|imatch')
  }|(fts|plfts|phfts|wfts)(\\([a-z_]+\\))?`,
  jsonb: `${comparisons}|cs|cd`,
}

/** Returns the filter parameter of a column. It can repeat; then all filters must match. */
export function filterParameter(
  { name, type, description }: Pick<Column, 'name' | 'type' | 'description'>,
): Json {
  const one: Schema = {
    type: 'string',
    pattern: `^(not\\.)?(${operatorsOf[type] ?? comparisons})\\.`,
  }
  return {
    name,
    in: 'query',
    description: sentences(
      description,
      'A filter: `<operator>.<value>`. It can repeat; then all filters must match.',
    ),
    style: 'form',
    explode: true,
    schema: { anyOf: [one, { type: 'array', items: one }] },
  }
}

const prefers = (...preferences: string[]): Json => {
  const one = `(${preferences.join('|')})`
  return {
    name: 'Prefer',
    in: 'header',
    schema: { type: 'string', pattern: `^${one}(, *${one})*$` },
  }
}
const general = [
  'timezone=[A-Za-z0-9_+:/-]+',
  'handling=(strict|lenient)',
  'tx=(commit|rollback)',
  'count=exact',
]
const returned = 'return=(minimal|headers-only|representation)'

const queryText = (name: string, description: string, pattern?: string): Json => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string', ...(pattern !== undefined && { pattern }) },
})

/** Parameters that several operations share. */
export const sharedParameters: Record<string, Json> = {
  select: queryText(
    'select',
    'Columns, separated by commas; `*` for all; `alias:column`, `column::type`. `alias:table(column,…)` embeds a related table; `!inner` returns only rows with related rows.',
  ),
  order: queryText(
    'order',
    'Columns, separated by commas, each with `.asc` or `.desc`, and `.nullsfirst` or `.nullslast`.',
  ),
  limit: {
    name: 'limit',
    in: 'query',
    description: 'Maximum number of rows, at most 10,000.',
    schema: { type: 'integer', minimum: 0 },
    example: 20,
  },
  offset: {
    name: 'offset',
    in: 'query',
    description: 'Number of rows to skip.',
    schema: { type: 'integer', minimum: 0 },
  },
  ...Object.fromEntries(
    (['and', 'or', 'not.and', 'not.or'] as const).map((name) => [name, {
      ...queryText(
        name,
        `Conditions in parentheses: \`(column.operator.value,…)\`, with nested \`and(…)\` and \`or(…)\`.`,
      ),
      style: 'form',
      explode: true,
      schema: {
        anyOf: [{ type: 'string', pattern: String.raw`^\(` }, {
          type: 'array',
          items: { type: 'string', pattern: String.raw`^\(` },
        }],
      },
    }]),
  ),
  embedded: {
    name: 'embedded',
    in: 'query',
    description:
      'Parameters with names that depend on the query: filters, `order`, `limit` and `offset` of embedded tables, such as `category.name=eq.Home` or `line_items.order=name`, and filters inside JSON, such as `metadata->>shop=eq.Corner`.',
    // without an example an API explorer would send invented names
    example: {},
    style: 'form',
    explode: true,
    schema: {
      type: 'object',
      additionalProperties: {
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      },
    },
  },
  Range: {
    name: 'Range',
    in: 'header',
    description: 'Rows as `first-last`, counted from 0: an alternative to `limit` and `offset`.',
    schema: { type: 'string', pattern: String.raw`^\d+-\d*$` },
  },
  'Range-Unit': { name: 'Range-Unit', in: 'header', schema: { type: 'string', enum: ['items'] } },
  'Prefer.read': {
    ...prefers(...general),
    description:
      '`count=exact` counts all matching rows. `timezone=Europe/Berlin` sets the time zone of times in filters and rows, `timezone=+02:00` an offset.',
  },
  'Prefer.create': {
    ...prefers(...general, returned, 'resolution=(ignore|merge)-duplicates', 'missing=default'),
    description:
      '`return=representation` returns the rows. `resolution=merge-duplicates` updates existing rows, `resolution=ignore-duplicates` skips them. `missing=default` uses the default of a column that an object omits. `tx=rollback` is a dry run.',
  },
  'Prefer.write': {
    ...prefers(...general, returned),
    description: '`return=representation` returns the rows; `tx=rollback` is a dry run.',
  },
  columns: queryText('columns', 'All columns that the objects of an array contain.'),
  on_conflict: queryText(
    'on_conflict',
    'The unique columns that identify an existing row. Default: the primary key. Budgets and exchange rates have others, which their descriptions name.',
  ),
}

/** Returns references to parameters by name. */
export const parameterRefs = (...names: string[]): Json[] =>
  names.map((name) => reference('parameters', name))
/** Returns the name of a column's filter among the parameters. */
export const filterName = (table: string, column: string): string => `${table}.${column}`
/** Returns references to the filters of a table's columns. */
export const filtersOf = ({ name, columns, computed }: Table): Json[] =>
  parameterRefs(...[...columns, ...computed].map((column) => filterName(name, column.name)))
/** Names of the parameters that combine filters, and of `embedded`. */
export const logicalParameters = ['and', 'or', 'not.and', 'not.or', 'embedded']
/** Names of the parameters that select a page. */
export const pageParameters = ['order', 'limit', 'offset']

/**
 * The data surface in OpenAPI 3.1, made of the exposed schema: paths from data_url, and the parts they refer to. It says what
 * PostgREST serves, for clients that are made of a description and for tools that check requests and answers. No I/O.
 */
import { reference, type Description, type Json } from './json-schema.ts'
import { filterName, filterParameter, filtersOf, logic, of, pageParameters, sharedParameters } from './data-parameters.ts'
import { everyForm, rangeHeaders, refusalResponses, refusals, refusalsWithoutBody, rows } from './data-responses.ts'
import type { Exposed, Routine, Table } from './catalogue.ts'
import type { Schema } from './json-schema.ts'
import { exampleId, namedShapes } from './shapes.ts'
import { changedFields, computedFields, newFields, parameterFields, replyFields, replySchema, rowFields, shapeOfRoutine, type Field } from './fields.ts'

/** Where the edge has the data surface, from base_url. */
const servers = [{ url: '/data', description: 'Through the edge; data_url may be another address of the same surface' }]
const functionsTag = { name: 'functions', description: 'What is called under `/rpc`, with the rights of the caller.' }

const listOf = (items: Json): Json => ({ type: 'array', items })
const objectSchema = (fields: Field[], rest: Json): Json => ({
  type: 'object',
  ...rest,
  ...(fields.some(({ isOptional }) => !isOptional) && { required: fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name) }),
  properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
})

const bearer = [{ bearer: [] }]
const bearerOrNot = [{ bearer: [] }, {}]

function exampleOf(schema: Schema): unknown {
  const { $ref, enum: values, format, type, anyOf, examples } = schema
  const shape = $ref === undefined ? schema : namedShapes[$ref.slice($ref.lastIndexOf('/') + 1)] ?? schema
  if (examples?.[0] !== undefined || shape.examples?.[0] !== undefined) return examples?.[0] ?? shape.examples?.[0]
  if (values?.[0] !== undefined) return values[0]
  if (anyOf?.[0] !== undefined) return exampleOf(anyOf[0])
  if (format === 'uuid') return exampleId
  // some columns take only the first day of a month
  if (format === 'date') return '2025-01-01'
  if (format === 'date-time') return '2025-01-31T09:30:00Z'
  const [first] = [type].flat()
  if (first === 'boolean') return true
  if (first === 'integer') return 1
  return first === 'number' ? 12.5 : 'Example'
}
const exampleRow = (fields: Field[]): Json => Object.fromEntries(fields.map(({ name, schema }) => [name, exampleOf(schema)]))

const isOwnKey = ({ primaryKey }: Table, name: string): boolean => primaryKey.includes(name)

function tableSchemas(table: Table): Record<string, Json> {
  const { name, summary, mayInsert, mayUpdate } = table
  const columns = rowFields(table)
  const [whole, part] = [reference('schemas', name), reference('schemas', `${name}_part`)]
  return {
    [`${name}_row`]: { description: 'A row, a whole one unless `select` asks for something else.', anyOf: [whole, part] },
    [`${name}_rows`]: { description: 'Rows, whole ones unless `select` asks for something else.', anyOf: [listOf(whole), listOf(part)] },
    [name]: objectSchema(columns, { description: summary }),
    [`${name}_part`]: objectSchema([...columns, ...computedFields(table)].map((field) => ({ ...field, isOptional: true })), {
      description: 'What `select` asks for: columns, and under any name what is embedded.',
      additionalProperties: true,
    }),
    ...(mayInsert &&
      {
        [`${name}_new`]: objectSchema(newFields(table), {
          description: 'A new row; what may be left out has a default or may be null.',
          additionalProperties: false,
        }),
      }),
    ...(mayUpdate && { [`${name}_change`]: objectSchema(changedFields(table), { description: 'Only what changes.', additionalProperties: false }) }),
  }
}

function tablePath(table: Table): Json {
  const { name, summary, description, mayInsert, mayUpdate, mayDelete } = table
  const common = { tags: [name] }
  const found = [...filtersOf(table), ...of(...logic)]
  // a change or a deletion in an example is of one row
  const oneRow = filtersOf(table).map((parameter, at) => {
    const column = table.columns[at]
    return column === undefined || !isOwnKey(table, column.name) ? parameter : { ...filterParameter(column), example: `eq.${exampleId}` }
  })
  const changed = changedFields(table).filter((field) => !newFields(table).some((other) => other.name === field.name && other.isOptional)).slice(0, 1)
  return {
    servers,
    get: {
      ...common,
      operationId: `list_${name}`,
      summary,
      description,
      security: bearerOrNot,
      parameters: [...of('select', ...pageParameters), ...found, ...of('Range', 'Range-Unit', 'Prefer.read')],
      responses: {
        200: { description: 'The rows that match, which may be none.', headers: rangeHeaders, content: rows(name) },
        206: { description: 'With `count=exact`: a page, and there are more rows.', headers: rangeHeaders, content: rows(name) },
        ...refusals('read'),
      },
    },
    head: {
      ...common,
      operationId: `count_${name}`,
      summary: `${summary}: how many`,
      description: 'With `Prefer: count=exact` the number after the slash of `Content-Range`.',
      security: bearerOrNot,
      parameters: [...of('select', ...pageParameters), ...found, ...of('Range', 'Range-Unit', 'Prefer.read')],
      responses: {
        200: { description: 'As GET, without the rows.', headers: rangeHeaders },
        206: { description: 'As GET, without the rows.', headers: rangeHeaders },
        ...refusalsWithoutBody('read'),
      },
    },
    ...(mayInsert && {
      post: {
        ...common,
        operationId: `create_${name}`,
        summary: `${summary}: create`,
        description: 'One object, or an array of which all are stored or none. In an array every object has the same keys.',
        security: bearer,
        parameters: of('select', 'columns', 'on_conflict', 'Prefer.create'),
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { anyOf: [reference('schemas', `${name}_new`), listOf(reference('schemas', `${name}_new`))] },
              examples: {
                one: { value: exampleRow(newFields(table).filter(({ isOptional }) => !isOptional)) },
                several: { value: [exampleRow(newFields(table).filter(({ isOptional }) => !isOptional))] },
              },
            },
            'text/csv': { schema: { type: 'string', description: 'A header line with the names, and a line for each row; `NULL` is no value.' } },
          },
        },
        responses: {
          200: { description: 'A merge found every row there. Its body is that of `2XX`.', headers: rangeHeaders },
          201: { description: 'Stored. Its body is that of `2XX`.', headers: { ...rangeHeaders, Location: reference('headers', 'Location') } },
          '2XX': {
            description: 'The body of 200 and 201 with `Prefer: return=representation`: the rows. Without it there is none, and no media type.',
            headers: rangeHeaders,
            content: rows(name),
          },
          ...refusals('create'),
        },
      },
    }),
    ...(mayUpdate && {
      patch: {
        ...common,
        operationId: `update_${name}`,
        summary: `${summary}: change`,
        description: 'Changes every row that matches; without a filter, every row you see.',
        security: bearer,
        parameters: [...of('select'), ...oneRow, ...of(...logic, 'Prefer.write')],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: reference('schemas', `${name}_change`), examples: { one: { value: exampleRow(changed) } } } },
        },
        responses: {
          200: { description: 'With `Prefer: return=representation`: the rows, in no certain order.', headers: rangeHeaders, content: rows(name) },
          204: { description: 'Changed, which may be none.', headers: rangeHeaders },
          ...refusals('change'),
        },
      },
    }),
    ...(mayDelete && {
      delete: {
        ...common,
        operationId: `delete_${name}`,
        summary: `${summary}: delete`,
        description: 'Deletes every row that matches; without a filter, every row you see.',
        security: bearer,
        parameters: [...of('select'), ...oneRow, ...of(...logic, 'Prefer.write')],
        responses: {
          200: { description: 'With `Prefer: return=representation`: the rows that are gone.', headers: rangeHeaders, content: rows(name) },
          204: { description: 'Deleted, which may be none.', headers: rangeHeaders },
          ...refusals('remove'),
        },
      },
    }),
  }
}

/** What a function answers when it has answered. */
function answer(routine: Routine): Json {
  const { reply } = routine
  if (reply.kind === 'table')
    return {
      description: 'The rows.',
      headers: rangeHeaders,
      content: reply.isSet ? rows(reply.table) : { 'application/json': { schema: reference('schemas', `${reply.table}_row`) } },
    }
  if (reply.kind === 'value') {
    const schema = replySchema(routine, reply) as Json
    return { description: 'The value.', headers: rangeHeaders, content: { 'application/json': { schema: reply.isSet ? listOf(schema) : schema } } }
  }
  const fields = replyFields(routine, reply)
  // `select` may ask for fewer
  const row = objectSchema(fields.map((field) => ({ ...field, isOptional: true })), {})
  const whole = objectSchema(fields, {})
  return reply.isSet
    ? { description: 'The rows.', headers: rangeHeaders, content: everyForm({ anyOf: [whole, row] }, { anyOf: [listOf(whole), listOf(row)] }) }
    : { description: 'One row.', headers: rangeHeaders, content: { 'application/json': { schema: whole } } }
}

/** The columns of the reply as filters, where no argument of a GET has that name. */
function replyFilters(routine: Routine, tables: Table[], taken: string[]): Json[] {
  const { reply } = routine
  if (reply.kind === 'value' || !reply.isSet) return []
  if (reply.kind === 'rows') return reply.columns.filter(({ name }) => !taken.includes(name)).map((column) => filterParameter({ ...column, description: '' }))
  const table = tables.find(({ name }) => name === reply.table)
  return table === undefined ? [] : filtersOf(table)
}

function routinePath(routine: Routine, tables: Table[]): Json {
  const { name, summary, description, readsOnly, reply } = routine
  const isList = reply.kind !== 'value' && reply.isSet
  const fields = parameterFields(routine)
  const { example } = shapeOfRoutine(routine)
  const common = {
    tags: [functionsTag.name],
    summary,
    description,
    security: bearer,
    responses: { 200: answer(routine), ...isList && { 206: answer(routine) }, ...refusals('call') },
  }
  const inQuery = fields.filter(({ name: field }) => !['json', 'jsonb'].includes(routine.parameters.find((parameter) => parameter.name === field)?.type ?? ''))
  const paging = (taken: string[]) =>
    isList
      ? [...of('select', ...pageParameters), ...replyFilters(routine, tables, taken), ...of(...logic, 'Range', 'Range-Unit')]
      : reply.kind === 'table'
      ? of('select')
      : []
  return {
    servers,
    post: {
      ...common,
      operationId: name,
      parameters: [...paging([]), ...of('Prefer.write')],
      requestBody: {
        required: fields.some(({ isOptional }) => !isOptional),
        content: { 'application/json': { schema: objectSchema(fields, { additionalProperties: false }), examples: { one: { value: example } } } },
      },
    },
    // JSON does not go into a query
    ...(readsOnly && fields.every((field) => field.isOptional || inQuery.includes(field)) && {
      get: {
        ...common,
        operationId: `query_${name}`,
        parameters: [
          ...inQuery.map((field) => ({
            name: field.name,
            in: 'query',
            required: !field.isOptional,
            // null cannot be said here, only left out
            schema: withoutNull(field.schema),
            ...(example[field.name] != null && { example: example[field.name] }),
          })),
          ...paging(inQuery.map((field) => field.name)),
          ...of('Prefer.write'),
        ],
      },
    }),
  }
}

function withoutNull({ type, enum: values, anyOf, ...rest }: Schema): Schema {
  const kept = anyOf?.filter((one) => one.type !== 'null')
  if (kept?.length === 1) return { ...rest, ...kept[0] }
  const types = [type].flat().filter((one) => one !== undefined && one !== 'null') as string[]
  return {
    ...rest,
    ...(types.length > 0 && { type: types.length === 1 ? types[0] as string : types }),
    ...(values !== undefined && { enum: values.filter((value) => value !== null) }),
    ...(kept !== undefined && { anyOf: kept }),
  }
}

/** The data surface. */
export function dataDescription({ tables, routines }: Exposed): Description {
  const filters = tables.flatMap((table) =>
    [...table.columns, ...table.computed].map((column) => [filterName(table.name, column.name), filterParameter(column)])
  )
  return {
    paths: Object.fromEntries([
      ...tables.map((table) => [`/${table.name}`, tablePath(table)]),
      ...routines.map((routine) => [`/rpc/${routine.name}`, routinePath(routine, tables)]),
    ]) as Record<string, Json>,
    components: {
      schemas: {
        ...Object.assign({}, ...tables.map(tableSchemas)) as Record<string, Json>,
        ...namedShapes,
        DataError: {
          type: 'object',
          description: 'An error of the data surface. Branch on the status and `code`.',
          required: ['code', 'message', 'details', 'hint'],
          properties: {
            code: { type: 'string', description: 'An SQLSTATE of the database, `PGRST…` of PostgREST, or a word of the edge.' },
            message: { type: 'string', description: 'What is wrong. For 23514, 23505 and 23503 it names the constraint, for 23502 the column.' },
            details: { type: ['string', 'null'] },
            hint: { type: ['string', 'null'], description: 'What is allowed instead.' },
          },
        },
      },
      responses: refusalResponses(),
      parameters: { ...sharedParameters, ...Object.fromEntries(filters) as Record<string, Json> },
      headers: {
        ContentRange: {
          description: 'The rows of the answer, and after the slash how many there are in all if they were counted: `0-19/57`, `*/0`.',
          schema: { type: 'string' },
        },
        Location: { description: 'With `Prefer: return=headers-only`: where the new row is.', schema: { type: 'string' } },
        DataChallenge: { description: 'That the token is the reason.', schema: { type: 'string' } },
      },
      // The token's scheme is described with the route that issues it.
      securitySchemes: {},
    },
    tags: [...tables.map(({ name, summary }) => ({ name, description: summary })), functionsTag],
  }
}

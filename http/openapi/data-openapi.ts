/**
 * Builds the data surface's part of the OpenAPI 3.1 document: a path for each table and function,
 * and the components. It describes PostgREST's real behaviour precisely enough for generated
 * clients and for tools that validate requests and responses. No I/O.
 */
import { reference, type Description, type Json } from './json-schema.ts'
import {
  filterName,
  filterParameter,
  filtersOf,
  logicalParameters,
  pageParameters,
  parameterRefs,
  sharedParameters,
} from './data-parameters.ts'
import {
  errorResponses,
  errorResponsesWithoutBody,
  namedErrorResponses,
  rangeHeaders,
  rowContent,
} from './data-responses.ts'
import type { Exposed, Routine, Table } from './catalogue.ts'
import type { Schema } from './json-schema.ts'
import { exampleId, namedSchemas } from './handwritten-schemas.ts'
import {
  changedFields,
  computedFields,
  newFields,
  parameterFields,
  replyFields,
  replySchema,
  rowFields,
  schemasOfRoutine,
  type Field,
} from './fields.ts'

/** The address of the data surface at the edge, from base_url. */
const servers = [{
  url: '/data',
  description: 'Through the edge; data_url can be another address of the same surface',
}]
const functionsTag = {
  name: 'functions',
  description: 'Functions under `/rpc`. They run with the privileges of the caller.',
}

const arrayOf = (items: Json): Json => ({ type: 'array', items })
const objectSchema = (fields: Field[], rest: Json): Json => ({
  type: 'object',
  ...rest,
  ...(fields.some(({ isOptional }) => !isOptional) &&
    { required: fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name) }),
  properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
})

const bearer = [{ bearer: [] }]
const bearerOrNot = [{ bearer: [] }, {}]

function exampleOf(schema: Schema): unknown {
  const { $ref, enum: values, format, type, anyOf, examples } = schema
  const target = $ref === undefined
    ? schema
    : namedSchemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? schema
  if (examples?.[0] !== undefined || target.examples?.[0] !== undefined)
    return examples?.[0] ?? target.examples?.[0]
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
const exampleRow = (fields: Field[]): Json =>
  Object.fromEntries(fields.map(({ name, schema }) => [name, exampleOf(schema)]))

const isOwnKey = ({ primaryKey }: Table, name: string): boolean => primaryKey.includes(name)

/** Returns the schemas of the rows of a table or a function. */
function rowSchemas(
  name: string,
  description: string,
  columns: Field[],
  computed: Field[] = [],
): Record<string, Json> {
  const [whole, part] = [reference('schemas', name), reference('schemas', `${name}_part`)]
  return {
    [`${name}_row`]: {
      description: 'A whole row, or with `select` a part of it.',
      anyOf: [whole, part],
    },
    [`${name}_rows`]: {
      description: 'Whole rows, or with `select` parts of them.',
      anyOf: [arrayOf(whole), arrayOf(part)],
    },
    [name]: objectSchema(columns, { description }),
    [`${name}_part`]: objectSchema(
      [...columns, ...computed].map((field) => ({ ...field, isOptional: true })),
      {
        description: 'The columns of `select`, and embedded rows under any name.',
        additionalProperties: true,
      },
    ),
  }
}

function tableSchemas(table: Table): Record<string, Json> {
  const { name, summary, mayInsert, mayUpdate } = table
  return {
    ...rowSchemas(name, summary, rowFields(table), computedFields(table)),
    ...(mayInsert &&
      {
        [`${name}_new`]: objectSchema(newFields(table), {
          description: 'A new row. Optional columns have a default or can be null.',
          additionalProperties: false,
        }),
      }),
    ...(mayUpdate &&
      {
        [`${name}_change`]: objectSchema(changedFields(table), {
          description: 'The columns to change.',
          additionalProperties: false,
        }),
      }),
  }
}

function tablePath(table: Table): Json {
  const { name, summary, description, mayInsert, mayUpdate, mayDelete } = table
  const common = { tags: [name] }
  const filters = [...filtersOf(table), ...parameterRefs(...logicalParameters)]
  // required columns, and optional ones with an example of their own
  const newExample = exampleRow(
    newFields(table).filter(({ isOptional, schema }) =>
      !isOptional || schema.examples !== undefined
    ),
  )
  // examples of changes and deletions match only one row
  const oneRow = filtersOf(table).map((parameter, at) => {
    const column = table.columns[at]
    return column === undefined || !isOwnKey(table, column.name)
      ? parameter
      : { ...filterParameter(column), example: `eq.${exampleId}` }
  })
  const changed = changedFields(table).filter((field) =>
    !newFields(table).some((other) => other.name === field.name && other.isOptional)
  ).slice(0, 1)
  return {
    servers,
    get: {
      ...common,
      operationId: `list_${name}`,
      summary,
      description,
      security: bearerOrNot,
      parameters: [
        ...parameterRefs('select', ...pageParameters),
        ...filters,
        ...parameterRefs('Range', 'Range-Unit', 'Prefer.read'),
      ],
      responses: {
        200: {
          description: 'The matching rows; may be empty.',
          headers: rangeHeaders,
          content: rowContent(name),
        },
        206: {
          description: 'With `count=exact`: one page of more rows.',
          headers: rangeHeaders,
          content: rowContent(name),
        },
        ...errorResponses('read'),
      },
    },
    head: {
      ...common,
      operationId: `count_${name}`,
      summary: `${summary}: count`,
      description:
        'With `Prefer: count=exact`, `Content-Range` has the number of matching rows after its slash.',
      security: bearerOrNot,
      parameters: [
        ...parameterRefs('select', ...pageParameters),
        ...filters,
        ...parameterRefs('Range', 'Range-Unit', 'Prefer.read'),
      ],
      responses: {
        200: { description: 'As GET, without the rows.', headers: rangeHeaders },
        206: { description: 'As GET, without the rows.', headers: rangeHeaders },
        ...errorResponsesWithoutBody('read'),
      },
    },
    ...(mayInsert && {
      post: {
        ...common,
        operationId: `create_${name}`,
        summary: `${summary}: create`,
        description:
          'Takes one object, or an array that is stored completely or not at all. All objects of an array have the same keys.',
        security: bearer,
        parameters: parameterRefs('select', 'columns', 'on_conflict', 'Prefer.create'),
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                anyOf: [
                  reference('schemas', `${name}_new`),
                  arrayOf(reference('schemas', `${name}_new`)),
                ],
              },
              examples: {
                one: { value: newExample },
                several: { value: [newExample] },
              },
            },
            'text/csv': {
              schema: {
                type: 'string',
                description:
                  'A header line with the column names, then one line per row. `NULL` is null.',
              },
            },
          },
        },
        responses: {
          200: {
            description:
              'A merge updated only existing rows. The body has them with `Prefer: return=representation`, otherwise it is empty.',
            headers: rangeHeaders,
            content: rowContent(name),
          },
          201: {
            description:
              'Created. The body has the rows with `Prefer: return=representation`, otherwise it is empty.',
            headers: { ...rangeHeaders, Location: reference('headers', 'Location') },
            content: rowContent(name),
          },
          ...errorResponses('create'),
        },
      },
    }),
    ...(mayUpdate && {
      patch: {
        ...common,
        operationId: `update_${name}`,
        summary: `${summary}: change`,
        description: 'Changes all matching rows; without a filter, all rows that you can see.',
        security: bearer,
        parameters: [
          ...parameterRefs('select'),
          ...oneRow,
          ...parameterRefs(...logicalParameters, 'Prefer.write'),
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: reference('schemas', `${name}_change`),
              examples: { one: { value: exampleRow(changed) } },
            },
          },
        },
        responses: {
          200: {
            description:
              'With `Prefer: return=representation`: the changed rows, in no defined order.',
            headers: rangeHeaders,
            content: rowContent(name),
          },
          204: { description: 'Changed; possibly no rows.', headers: rangeHeaders },
          ...errorResponses('change'),
        },
      },
    }),
    ...(mayDelete && {
      delete: {
        ...common,
        operationId: `delete_${name}`,
        summary: `${summary}: delete`,
        description: 'Deletes all matching rows; without a filter, all rows that you can see.',
        security: bearer,
        parameters: [
          ...parameterRefs('select'),
          ...oneRow,
          ...parameterRefs(...logicalParameters, 'Prefer.write'),
        ],
        responses: {
          200: {
            description: 'With `Prefer: return=representation`: the deleted rows.',
            headers: rangeHeaders,
            content: rowContent(name),
          },
          204: { description: 'Deleted; possibly no rows.', headers: rangeHeaders },
          ...errorResponses('remove'),
        },
      },
    }),
  }
}

/**
 * Returns the schemas of a function's own rows. A single row is always whole, because it takes no
 * `select`.
 */
function routineRowSchemas(routine: Routine): Record<string, Json> {
  const { name, summary, reply } = routine
  if (reply.kind !== 'rows') return {}
  const columns = replyFields(routine, reply)
  return reply.isSet
    ? rowSchemas(name, summary, columns)
    : { [name]: objectSchema(columns, { description: summary }) }
}

/** Returns the successful response of a function. */
function routineResponse(routine: Routine): Json {
  const { name, reply } = routine
  const described = (description: string, content: Json) => ({
    description,
    headers: rangeHeaders,
    content,
  })
  const json = (schema: Json) => ({ 'application/json': { schema } })
  if (reply.kind === 'value') {
    const schema = replySchema(routine, reply) as Json
    return described('The value.', json(reply.isSet ? arrayOf(schema) : schema))
  }
  if (reply.isSet)
    return described('The rows.', rowContent(reply.kind === 'table' ? reply.table : name))
  return described(
    'One row.',
    json(reference('schemas', reply.kind === 'table' ? `${reply.table}_row` : name)),
  )
}

/**
 * Returns the filters on the result's columns, except those with the name of a parameter of GET.
 */
function replyFilters(routine: Routine, tables: Table[], parameterNames: string[]): Json[] {
  const { reply } = routine
  if (reply.kind === 'value' || !reply.isSet) return []
  if (reply.kind === 'rows')
    return reply.columns.filter(({ name }) => !parameterNames.includes(name)).map((column) =>
      filterParameter({ ...column, description: '' })
    )
  const table = tables.find(({ name }) => name === reply.table)
  return table === undefined ? [] : filtersOf(table)
}

function routinePath(routine: Routine, tables: Table[]): Json {
  const { name, summary, description, readsOnly, reply } = routine
  const isList = reply.kind !== 'value' && reply.isSet
  const fields = parameterFields(routine)
  const { example, needsBody } = schemasOfRoutine(routine)
  const common = {
    tags: [functionsTag.name],
    summary,
    description,
    security: bearer,
    responses: {
      200: routineResponse(routine),
      ...isList && { 206: routineResponse(routine) },
      ...errorResponses('call'),
    },
  }
  const inQuery = fields.filter(({ name: field }) =>
    !['json', 'jsonb'].includes(
      routine.parameters.find((parameter) => parameter.name === field)?.type ?? '',
    )
  )
  const paging = (parameterNames: string[]) =>
    isList
      ? [
        ...parameterRefs('select', ...pageParameters),
        ...replyFilters(routine, tables, parameterNames),
        ...parameterRefs(...logicalParameters, 'Range', 'Range-Unit'),
      ]
      : reply.kind === 'table'
      ? parameterRefs('select')
      : []
  return {
    servers,
    post: {
      ...common,
      operationId: name,
      parameters: [...paging([]), ...parameterRefs('Prefer.write')],
      requestBody: {
        required: fields.some(({ isOptional }) => !isOptional),
        content: {
          'application/json': {
            schema: objectSchema(fields, { additionalProperties: false }),
            examples: { one: { value: example } },
          },
        },
      },
    },
    // GET cannot have parameters with JSON
    ...(readsOnly && needsBody === undefined &&
      fields.every((field) => field.isOptional || inQuery.includes(field)) && {
      get: {
        ...common,
        operationId: `query_${name}`,
        parameters: [
          ...inQuery.map((field) => ({
            name: field.name,
            in: 'query',
            required: !field.isOptional,
            // a query string cannot contain null, only omit the parameter
            schema: withoutNull(field.schema),
            ...(example[field.name] != null && { example: example[field.name] }),
          })),
          ...paging(inQuery.map((field) => field.name)),
          ...parameterRefs('Prefer.write'),
        ],
      },
    }),
  }
}

function withoutNull({ type, anyOf, ...rest }: Schema): Schema {
  const kept = anyOf?.filter((one) => one.type !== 'null')
  if (kept?.length === 1) return { ...rest, ...kept[0] }
  const types = [type].flat().filter((one) => one !== undefined && one !== 'null') as string[]
  return {
    ...rest,
    ...(types.length > 0 && { type: types.length === 1 ? types[0] as string : types }),
    ...(kept !== undefined && { anyOf: kept }),
  }
}

/** Returns the description of the data surface. */
export function dataDescription({ tables, routines }: Exposed): Description {
  const filters = tables.flatMap((table) =>
    [...table.columns, ...table.computed].map((
      column,
    ) => [filterName(table.name, column.name), filterParameter(column)])
  )
  return {
    paths: Object.fromEntries([
      ...tables.map((table) => [`/${table.name}`, tablePath(table)]),
      ...routines.map((routine) => [`/rpc/${routine.name}`, routinePath(routine, tables)]),
    ]) as Record<string, Json>,
    components: {
      schemas: {
        ...Object.assign(
          {},
          ...tables.map(tableSchemas),
          ...routines.map(routineRowSchemas),
        ) as Record<string, Json>,
        ...namedSchemas,
        DataError: {
          type: 'object',
          description: 'An error of the data surface. Branch on the status and `code`.',
          required: ['code', 'message', 'details', 'hint'],
          properties: {
            code: {
              type: 'string',
              description:
                'An SQLSTATE of the database, `PGRST…` of PostgREST, or a code of the edge.',
            },
            message: {
              type: 'string',
              description:
                'The error. For 23514, 23505 and 23503 it names the constraint, for 23502 the column.',
            },
            details: { type: ['string', 'null'] },
            hint: { type: ['string', 'null'], description: 'The allowed values.' },
          },
        },
      },
      responses: namedErrorResponses(),
      parameters: { ...sharedParameters, ...Object.fromEntries(filters) as Record<string, Json> },
      headers: {
        ContentRange: {
          description:
            'The range of the rows, and after the slash their total number if it was counted: `0-19/57`, `*/0`.',
          schema: { type: 'string' },
        },
        Location: {
          description: 'With `Prefer: return=headers-only`: the address of the new row.',
          schema: { type: 'string' },
        },
        DataChallenge: {
          description: 'Names the token as the reason.',
          schema: { type: 'string' },
        },
      },
      // The token's scheme is described with the route that issues it.
      securitySchemes: {},
    },
    tags: [...tables.map(({ name, summary }) => ({ name, description: summary })), functionsTag],
  }
}

/**
 * The OpenAPI description of the functions: the operations of each, and the schemas of its rows. No
 * I/O.
 */
import type { Routine, Table } from './catalogue.ts'
import {
  bearer,
  filterParameter,
  filtersOf,
  logicalParameters,
  pageParameters,
  parameterRefs,
} from './data-parameters.ts'
import { errorResponses, rangeHeaders, rowContent } from './data-responses.ts'
import { arrayOf, objectSchema, rowSchemas } from './data-schemas.ts'
import { parameterFields, replyFields, replySchema, schemasOfRoutine } from './fields.ts'
import { reference, type Json, type Schema } from './json-schema.ts'

/** The group of all functions. */
export const functionsTag = {
  name: 'functions',
  description: 'Functions under `/rpc`. They run with the privileges of the caller.',
}

/**
 * Returns the schemas of a function's own rows. A single row is always whole, because it takes no
 * `select`.
 */
export function routineRowSchemas(routine: Routine): Record<string, Json> {
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

/** Whether the result is rows, of which a request may read a part. */
const isList = ({ reply }: Routine): boolean => reply.kind !== 'value' && reply.isSet

/** Returns the parameters that select, filter and page the result. */
const pagingOf = (routine: Routine, tables: Table[], parameterNames: string[]): Json[] =>
  isList(routine)
    ? [
      ...parameterRefs('select', ...pageParameters),
      ...replyFilters(routine, tables, parameterNames),
      ...parameterRefs(...logicalParameters, 'Range', 'Range-Unit'),
    ]
    : routine.reply.kind === 'table'
    ? parameterRefs('select')
    : []

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

/** Returns the operations of a function. */
export function routinePath(routine: Routine, tables: Table[]): Json {
  const { name, summary, description, readsOnly } = routine
  const fields = parameterFields(routine)
  const { example, needsBody } = schemasOfRoutine(routine)
  const common = {
    tags: [functionsTag.name],
    summary,
    description,
    security: bearer,
    responses: {
      200: routineResponse(routine),
      ...isList(routine) && { 206: routineResponse(routine) },
      ...errorResponses('call'),
    },
  }
  const inQuery = fields.filter(({ name: field }) =>
    !['json', 'jsonb'].includes(
      routine.parameters.find((parameter) => parameter.name === field)?.type ?? '',
    )
  )
  return {
    post: {
      ...common,
      operationId: name,
      parameters: [...pagingOf(routine, tables, []), ...parameterRefs('Prefer.write')],
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
          ...pagingOf(routine, tables, inQuery.map((field) => field.name)),
          ...parameterRefs('Prefer.write'),
        ],
      },
    }),
  }
}

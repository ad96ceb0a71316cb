/**
 * The OpenAPI description of the tables: the operations of each, and the schemas of its rows. No
 * I/O.
 */
import type { Table } from './catalogue.ts'
import {
  bearer,
  filterParameter,
  filtersOf,
  logicalParameters,
  pageParameters,
  parameterRefs,
} from './data-parameters.ts'
import {
  errorResponses,
  errorResponsesWithoutBody,
  rangeHeaders,
  rowContent,
} from './data-responses.ts'
import { arrayOf, exampleRow, objectSchema, rowSchemas } from './data-schemas.ts'
import { changedFields, computedFields, newFields, rowFields } from './fields.ts'
import { exampleId } from './handwritten-schemas.ts'
import { reference, type Json } from './json-schema.ts'

/** The token of the caller, or none. */
const bearerOrNot = [{ bearer: [] }, {}]

const isOwnKey = ({ primaryKey }: Table, name: string): boolean => primaryKey.includes(name)

/** Returns the schemas of the rows of a table: whole, new and changed. */
export function tableSchemas(table: Table): Record<string, Json> {
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

/** Returns the parameters of a request that reads rows. */
const listParameters = (table: Table): Json[] => [
  ...parameterRefs('select', ...pageParameters),
  ...filtersOf(table),
  ...parameterRefs(...logicalParameters, 'Range', 'Range-Unit', 'Prefer.read'),
]

/** Returns the parameters of a request that changes or deletes rows. */
function changeParameters(table: Table): Json[] {
  // examples of changes and deletions match only one row
  const oneRow = filtersOf(table).map((parameter, at) => {
    const column = table.columns[at]
    return column === undefined || !isOwnKey(table, column.name)
      ? parameter
      : { ...filterParameter(column), example: `eq.${exampleId}` }
  })
  return [
    ...parameterRefs('select'),
    ...oneRow,
    ...parameterRefs(...logicalParameters, 'Prefer.write'),
  ]
}

function listOperation(table: Table): Json {
  const { name, summary, description } = table
  return {
    tags: [name],
    operationId: `list_${name}`,
    summary,
    description,
    security: bearerOrNot,
    parameters: listParameters(table),
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
  }
}

function countOperation(table: Table): Json {
  const { name, summary } = table
  return {
    tags: [name],
    operationId: `count_${name}`,
    summary: `${summary}: count`,
    description:
      'With `Prefer: count=exact`, `Content-Range` has the number of matching rows after its slash.',
    security: bearerOrNot,
    parameters: listParameters(table),
    responses: {
      200: { description: 'As GET, without the rows.', headers: rangeHeaders },
      206: { description: 'As GET, without the rows.', headers: rangeHeaders },
      ...errorResponsesWithoutBody('read'),
    },
  }
}

function createOperation(table: Table): Json {
  const { name, summary } = table
  // required columns, and optional ones with an example of their own
  const newExample = exampleRow(
    newFields(table).filter(({ isOptional, schema }) =>
      !isOptional || schema.examples !== undefined
    ),
  )
  return {
    tags: [name],
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
  }
}

function updateOperation(table: Table): Json {
  const { name, summary } = table
  const changed = changedFields(table).filter((field) =>
    !newFields(table).some((other) => other.name === field.name && other.isOptional)
  ).slice(0, 1)
  return {
    tags: [name],
    operationId: `update_${name}`,
    summary: `${summary}: change`,
    description: 'Changes all matching rows; without a filter, all rows that you can see.',
    security: bearer,
    parameters: changeParameters(table),
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
        description: 'With `Prefer: return=representation`: the changed rows, in no defined order.',
        headers: rangeHeaders,
        content: rowContent(name),
      },
      204: { description: 'Changed; possibly no rows.', headers: rangeHeaders },
      ...errorResponses('change'),
    },
  }
}

function deleteOperation(table: Table): Json {
  const { name, summary } = table
  return {
    tags: [name],
    operationId: `delete_${name}`,
    summary: `${summary}: delete`,
    description: 'Deletes all matching rows; without a filter, all rows that you can see.',
    security: bearer,
    parameters: changeParameters(table),
    responses: {
      200: {
        description: 'With `Prefer: return=representation`: the deleted rows.',
        headers: rangeHeaders,
        content: rowContent(name),
      },
      204: { description: 'Deleted; possibly no rows.', headers: rangeHeaders },
      ...errorResponses('remove'),
    },
  }
}

/** Returns the operations of a table. */
export const tablePath = (table: Table): Json => ({
  get: listOperation(table),
  head: countOperation(table),
  ...(table.mayInsert && { post: createOperation(table) }),
  ...(table.mayUpdate && { patch: updateOperation(table) }),
  ...(table.mayDelete && { delete: deleteOperation(table) }),
})

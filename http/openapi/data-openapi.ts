/**
 * Builds the data surface's part of the OpenAPI 3.1 document: a path for each table and function,
 * and the components. It describes PostgREST's real behaviour precisely enough for generated
 * clients and for tools that validate requests and responses. No I/O.
 */
import type { Exposed } from './catalogue.ts'
import { functionsTag, routinePath, routineRowSchemas } from './data-functions.ts'
import { filterName, filterParameter, sharedParameters } from './data-parameters.ts'
import { namedErrorResponses } from './data-responses.ts'
import { tablePath, tableSchemas } from './data-tables.ts'
import { namedSchemas } from './handwritten-schemas.ts'
import type { Description, Json } from './json-schema.ts'

/** The address of the data surface at the edge, from base_url. */
const servers = [{
  url: '/data',
  description: 'Through the edge; data_url can be another address of the same surface',
}]

/** The body of an error. */
const dataError: Json = {
  type: 'object',
  description: 'An error of the data surface. Branch on the status and `code`.',
  required: ['code', 'message', 'details', 'hint'],
  properties: {
    code: {
      type: 'string',
      description: 'An SQLSTATE of the database, `PGRST…` of PostgREST, or a code of the edge.',
    },
    message: {
      type: 'string',
      description:
        'The error. For 23514, 23505 and 23503 it names the constraint, for 23502 the column.',
    },
    details: { type: ['string', 'null'] },
    hint: { type: ['string', 'null'], description: 'The allowed values.' },
  },
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
      ...tables.map((table) => [`/${table.name}`, { servers, ...tablePath(table) }]),
      ...routines.map((
        routine,
      ) => [`/rpc/${routine.name}`, { servers, ...routinePath(routine, tables) }]),
    ]) as Record<string, Json>,
    components: {
      schemas: {
        ...Object.assign(
          {},
          ...tables.map(tableSchemas),
          ...routines.map(routineRowSchemas),
        ) as Record<string, Json>,
        ...namedSchemas,
        DataError: dataError,
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

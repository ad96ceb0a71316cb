/**
 * `FinanceError`, the only error of the client: for error responses of both surfaces and for
 * requests without a response.
 */
import type { PostgrestSingleResponse } from '@supabase/postgrest-js'
import { fieldsOfConstraints } from './fields.ts'

export class FinanceError extends Error {
  override readonly name = 'FinanceError'
  /** The HTTP status; 0 without a response. */
  readonly status: number
  /**
   * A code of the auth surface's catalogue, an SQLSTATE, PostgREST's `PGRST…`, `NETWORK_ERROR`,
   * `ABORTED`, or `HTTP_<status>` for a response of neither surface.
   */
  readonly code: string
  /** The form fields that the error is about; may be empty. */
  readonly fields: readonly string[]
  /** PostgREST's `details`. */
  readonly details: string | null
  /**
   * A sentence for users: the values that a field allows, or the action that the data surface
   * suggests. Null if there is none.
   */
  readonly hint: string | null

  constructor(
    status: number,
    { code, message, details, hint, sent = {} }: ErrorDetails,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.status = status
    this.code = code
    this.fields = fieldsOf(code, message, sent)
    this.details = details ?? null
    this.hint = hint ?? null
  }
}

type ErrorDetails = {
  code: string
  message: string
  details?: string | null
  hint?: string | null
  sent?: object
}

/**
 * The form fields for each error code of the auth surface. An error names only those that the
 * request had. A test compares the codes with the catalogue (tests/unit/errors.test.ts).
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
  // the auth surface names each wrong field if there are several
  const named = [...message.matchAll(/(?:^|[.] )The field (\w+)/g)].map(([, field = '']) => field)
  if (named.length > 0) return named
  if (Object.hasOwn(fieldsOfCode, code))
    return fieldsOfCode[code]?.filter((field) => field in sent) ?? []
  const [, constraint] = /constraint "([^"]+)"/.exec(message) ?? []
  // PostgreSQL and PostgREST phrase the name of a column differently
  const [, column] =
    /column ["']([^"']+)["']|the '([^']+)' column/i.exec(message)?.filter((part) =>
      part !== undefined
    ) ?? []
  return (constraint === undefined ? undefined : fieldsOfConstraints[constraint]) ??
    (column === undefined ? [] : [column])
}

// postgrest-js puts the name of the exception into the message
const isAborted = (name: unknown, message: unknown) =>
  name === 'AbortError' || String(message).startsWith('AbortError')

/**
 * Converts any failure to a FinanceError: the body of a response, the `error` of `{ data, error,
 * status }`, or an exception of `fetch`.
 * @param status the HTTP status; 0 without a response
 * @param sent the input of the failed method of the auth surface
 */
export function financeError(error: unknown, status: number, sent: object = {}): FinanceError {
  if (error instanceof FinanceError) return error
  const { error: authCode, code = authCode, name, message, details, hint } =
    (typeof error === 'object' && error !== null ? error : {}) as Record<
      string,
      unknown
    >
  const hasCode = typeof code === 'string' && code !== ''
  const fallback = status > 0
    ? `HTTP_${status}`
    : isAborted(name, message)
    ? 'ABORTED'
    : 'NETWORK_ERROR'
  return new FinanceError(status, {
    code: hasCode ? code : fallback,
    message: typeof message === 'string' ? message : `The response was ${fallback}.`,
    details: details as string | null,
    hint: hint as string | null,
    sent,
  }, { cause: error })
}

/**
 * Returns the rows of a query of `data`.
 * @throws FinanceError if the query failed
 */
export async function unwrap<Data>(
  query: PromiseLike<PostgrestSingleResponse<Data>>,
): Promise<Data> {
  const { data, error, status } = await query
  if (error !== null) throw financeError(error, status)
  return data
}

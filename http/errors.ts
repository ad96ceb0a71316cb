/**
 * Errors that a client receives: how code throws one, its response, and the error for a failure of
 * the database. No I/O.
 */
import { errorCodes, isErrorCode, type ErrorCode, type WireError } from '../common/error-codes.ts'

/** An error that the client receives. */
export type Rejection = Error & { code: ErrorCode, retryAfterSeconds?: number }

/**
 * Makes a rejection.
 * @param message a more specific sentence than the default
 */
export function rejection(
  code: ErrorCode,
  message?: string,
  retryAfterSeconds?: number,
): Rejection {
  return Object.assign(new Error(message ?? errorCodes[code][1]), {
    name: 'Rejection',
    code,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

/** Throws the rejection of a code. */
export function reject(code: ErrorCode, retryAfterSeconds?: number): never {
  throw rejection(code, undefined, retryAfterSeconds)
}

export const isRejection = (error: unknown): error is Rejection =>
  error instanceof Error && error.name === 'Rejection'

/** Builds the response of a code, with Retry-After if waiting helps. */
export function errorResponse(
  code: ErrorCode,
  message?: string,
  retryAfterSeconds?: number,
): Response {
  const [status, sentence] = errorCodes[code]
  const body: WireError = { error: code, message: message ?? sentence }
  const headers = retryAfterSeconds === undefined
    ? undefined
    : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))) }
  return Response.json(body, headers === undefined ? { status } : { status, headers })
}

const constraintCodes: Record<string, ErrorCode> = {
  users_email_unique: 'USER_EXISTS',
  organizations_slug_unique: 'SLUG_TAKEN',
  invitations_one_pending: 'ALREADY_INVITED',
  members_organization_user_unique: 'ALREADY_MEMBER',
  members_one_owner: 'FORBIDDEN',
  passkeys_credential_unique: 'PASSKEY_EXISTS',
  // one of two concurrent sign-ins of a user fails; the next attempt finds the account
  accounts_provider_account_unique: 'OIDC_FAILED',
}

/**
 * Returns the code of a database error. A trigger raises our code as its message (P0001), a
 * constraint is known by its name.
 * @returns undefined for all other errors
 */
export function codeOfDatabase(error: unknown): ErrorCode | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  const { code, message, constraint } = error as {
    code: unknown
    message?: unknown
    constraint?: unknown
  }
  if (code === 'P0001' && isErrorCode(message)) return message
  if (code === '23505' && typeof constraint === 'string') return constraintCodes[constraint]
  // the account of the request was deleted since the request began
  if (
    code === '23503' && typeof constraint === 'string' &&
    /_(user|inviter|actor)_id_fkey$/.test(constraint)
  ) return 'UNAUTHORIZED'
  return undefined
}

/**
 * SQLSTATEs of a database that has no room, memory or connection left, is stopping, starts or has
 * become a standby, of a statement that waited too long, also for a lock, or deadlocked with
 * another request, and codes of a lost connection.
 */
const unavailableCode =
  /^(53...|57P0[1-5]|57014|55P03|25006|25P0[34]|40...|08...|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/
/**
 * The messages of pg for a connection that ended in use or between two statements, and for a pool
 * without a free one. None has a code.
 */
const unavailableMessage =
  /^(Connection terminated|Client .* is not queryable|timeout exceeded when trying to connect)/

/**
 * Returns the response to an error that the code did not expect. The same request works later if
 * only the database is unavailable.
 */
export function unexpectedErrorResponse(error: unknown): Response {
  const isUnavailable = error instanceof Error &&
    (unavailableMessage.test(error.message) ||
      ('code' in error && unavailableCode.test(String(error.code))))
  return isUnavailable
    ? errorResponse(
      'SERVICE_BUSY',
      'The database is unavailable right now. Try again in a moment.',
      5,
    )
    : errorResponse('INTERNAL_ERROR')
}

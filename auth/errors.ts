/**
 * Every error of the auth surface, as data. `errorCodes` is the one place that gives a code its status and its default sentence.
 * docs/errors.md is generated from it. No I/O.
 */
import type { BASE_ERROR_CODES } from 'better-auth'
import type { ORGANIZATION_ERROR_CODES } from 'better-auth/client/plugins'

/** The HTTP status of each code, and the sentence that a client shows or logs. */
export const errorCodes = {
  INVALID_EMAIL: [400, 'The e-mail address is not valid.'],
  INVALID_PASSWORD: [400, 'The password is not valid: it must have 8 to 128 characters, and a current password must match.'],
  INVALID_CODE: [400, 'The code is not valid, was used, or has expired.'],
  INVALID_TOKEN: [400, 'The token is not valid, was used, or has expired.'],
  INVALID_PASSKEY: [400, 'The response of the passkey is not valid for this service, or came too late. Try again.'],
  VALIDATION_ERROR: [400, 'The request is not valid.'],
  IDEMPOTENCY_KEY_NOT_SUPPORTED: [400, 'Idempotency-Key is not supported, and nothing was done. Leave it out, and read the state before you repeat a request.'],
  OIDC_FAILED: [400, 'Signing in with the provider did not work, or took longer than ten minutes. Try again.'],
  INVALID_CREDENTIALS: [401, 'The e-mail address or the password is incorrect.'],
  UNAUTHORIZED: [401, 'Sign in first.'],
  EMAIL_NOT_VERIFIED: [403, 'Verify your e-mail address first.'],
  SIGN_UP_CLOSED: [403, 'This service is closed to new accounts. Ask its operator.'],
  INVITATION_REQUIRED: [403, 'A new account needs an invitation to this address.'],
  EMAIL_DOMAIN_NOT_ALLOWED: [403, 'Addresses of this domain cannot have an account.'],
  OIDC_EMAIL_NOT_VERIFIED: [403, 'The provider has not verified your e-mail address. Ask its operator.'],
  FRESH_SIGN_IN_REQUIRED: [403, 'Enter your password, or sign in again: this needs a sign-in within the last ten minutes.'],
  SECOND_FACTOR_REQUIRED: [403, 'This account requires a second factor: a code, a backup code or a passkey.'],
  FORBIDDEN: [403, 'You are not allowed to do this.'],
  MEMBERSHIP_LIMIT_REACHED: [403, 'An organization has at most 50 members.'],
  API_KEY_LIMIT_REACHED: [403, 'A user has at most 20 API keys.'],
  CALENDAR_LIMIT_REACHED: [403, 'A user has at most 10 calendars.'],
  WEBHOOK_LIMIT_REACHED: [403, 'A user has at most 10 webhooks.'],
  INVITATION_LIMIT_REACHED: [403, 'An organization has at most 100 pending invitations.'],
  ORGANIZATION_LIMIT_REACHED: [403, 'A user owns at most 5 organizations.'],
  PASSKEY_LIMIT_REACHED: [403, 'A user has at most 20 passkeys.'],
  OWNER_REQUIRED: [403, 'An organization always has an owner. Transfer the ownership first.'],
  SUBSCRIPTION_REQUIRED: [403, 'This needs an active subscription of the Teams tier or higher.'],
  NOT_FOUND: [404, 'It does not exist, or you have no access to it.'],
  METHOD_NOT_ALLOWED: [405, 'This path does not support this method.'],
  ALREADY_INVITED: [409, 'This address already has a pending invitation to the organization.'],
  ALREADY_MEMBER: [409, 'This address already belongs to a member of the organization.'],
  ACCOUNT_NOT_VERIFIED: [
    409,
    'An account with your address exists, and its address was never verified. Choose a new password by e-mail, sign in with it, and verify the address. Then connect the provider.',
  ],
  ALREADY_VERIFIED: [
    409,
    'The address of this account was confirmed, so the account stays. If you did not confirm it, choose a new password, which ends every session.',
  ],
  EMAIL_CHANGED_RECENTLY: [
    409,
    'The e-mail address of this account was changed in the last seven days, and the owner of the old address can still stop the change. Try again after seven days.',
  ],
  PASSKEY_EXISTS: [409, 'This passkey already belongs to an account.'],
  PASSKEY_MISSING: [409, 'This account has no passkey. Add one first.'],
  SLUG_TAKEN: [409, 'Another organization has this slug.'],
  TWO_FACTOR_ENABLED: [409, 'This account already has a second factor.'],
  TWO_FACTOR_NOT_ENABLED: [409, 'This account has no second factor.'],
  USER_EXISTS: [409, 'There is already an account with this e-mail address.'],
  PRECONDITION_FAILED: [412, 'The file has another ETag.'],
  PAYLOAD_TOO_LARGE: [413, 'The request body is larger than 64 KiB.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Send the body as application/json.'],
  RATE_LIMIT_EXCEEDED: [429, 'Too many requests. Try again after the seconds in Retry-After.'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side.'],
  SERVICE_BUSY: [503, 'The service is busy. Try again after the seconds in Retry-After.'],
  OIDC_UNAVAILABLE: [503, 'The provider cannot be reached at the moment. Try again after the seconds in Retry-After.'],
} as const satisfies Record<string, readonly [number, string]>

export type ErrorCode = keyof typeof errorCodes

/** The body of an error. */
export type WireError = { error: ErrorCode, message: string }

/** An error that the client receives. */
export type Refusal = Error & { code: ErrorCode, retryAfterSeconds?: number }

/**
 * Makes a refusal.
 * @param message a more specific sentence than the default
 */
export function refusal(code: ErrorCode, message?: string, retryAfterSeconds?: number): Refusal {
  return Object.assign(new Error(message ?? errorCodes[code][1]), { name: 'Refusal', code, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) })
}

/** Throws the refusal of a code. */
export function refuse(code: ErrorCode, retryAfterSeconds?: number): never {
  throw refusal(code, undefined, retryAfterSeconds)
}

export const isRefusal = (error: unknown): error is Refusal => error instanceof Error && error.name === 'Refusal'

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(errorCodes, code)

/** Builds the response of a code, with Retry-After if waiting helps. */
export function errorResponse(code: ErrorCode, message?: string, retryAfterSeconds?: number): Response {
  const [status, sentence] = errorCodes[code]
  const body: WireError = { error: code, message: message ?? sentence }
  const headers = retryAfterSeconds === undefined ? undefined : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))) }
  return Response.json(body, headers === undefined ? { status } : { status, headers })
}

/** Returns the sentence of METHOD_NOT_ALLOWED and its header `Allow` (RFC 9110, 15.5.6). @param methods at least two */
export const onlyMethods = (methods: string[]): { message: string, headers: { allow: string } } => ({
  message: `This path has only ${methods.slice(0, -1).join(', ')} and ${methods.at(-1)}.`,
  headers: { allow: methods.join(', ') },
})

/** The codes of better-auth and its organization plugin. */
type EngineCode = keyof typeof BASE_ERROR_CODES | keyof typeof ORGANIZATION_ERROR_CODES

/**
 * Our code for each code of better-auth. The status decides for all other codes. A user cannot find out that a foreign organization
 * exists, so every code for "not a member" is NOT_FOUND.
 */
const engineCodes = {
  INVALID_EMAIL: 'INVALID_EMAIL',
  INVALID_EMAIL_OR_PASSWORD: 'INVALID_CREDENTIALS',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: 'USER_EXISTS',
  USER_ALREADY_EXISTS: 'USER_EXISTS',
  INVALID_PASSWORD: 'INVALID_PASSWORD',
  PASSWORD_TOO_SHORT: 'INVALID_PASSWORD',
  PASSWORD_TOO_LONG: 'INVALID_PASSWORD',
  INVALID_TOKEN: 'INVALID_TOKEN',
  TOKEN_EXPIRED: 'INVALID_TOKEN',
  USER_NOT_FOUND: 'INVALID_TOKEN',
  EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION: 'EMAIL_NOT_VERIFIED',
  EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION: 'EMAIL_NOT_VERIFIED',
  ORGANIZATION_ALREADY_EXISTS: 'SLUG_TAKEN',
  ORGANIZATION_SLUG_ALREADY_TAKEN: 'SLUG_TAKEN',
  ORGANIZATION_NOT_FOUND: 'NOT_FOUND',
  USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION: 'NOT_FOUND',
  MEMBER_NOT_FOUND: 'NOT_FOUND',
  INVITATION_NOT_FOUND: 'NOT_FOUND',
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'ALREADY_MEMBER',
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: 'ALREADY_INVITED',
  INVITATION_LIMIT_REACHED: 'INVITATION_LIMIT_REACHED',
  ORGANIZATION_MEMBERSHIP_LIMIT_REACHED: 'MEMBERSHIP_LIMIT_REACHED',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER: 'OWNER_REQUIRED',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER: 'OWNER_REQUIRED',
  SESSION_EXPIRED: 'FRESH_SIGN_IN_REQUIRED',
  SESSION_NOT_FRESH: 'FRESH_SIGN_IN_REQUIRED',
  // better-auth responds with 401, although the caller is signed in
  YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER: 'FORBIDDEN',
} as const satisfies Partial<Record<EngineCode, ErrorCode>>

const isEngineCode = (code: unknown): code is keyof typeof engineCodes => typeof code === 'string' && Object.hasOwn(engineCodes, code)

const statusCodes: Record<number, ErrorCode> = {
  400: 'VALIDATION_ERROR',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'VALIDATION_ERROR',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'VALIDATION_ERROR',
  429: 'RATE_LIMIT_EXCEEDED',
}

/** Returns the code of a better-auth error. Our own codes pass through, because our hooks throw them. */
export function codeOfEngine(status: number, engineCode: unknown): ErrorCode {
  if (isEngineCode(engineCode)) return engineCodes[engineCode]
  if (isErrorCode(engineCode)) return engineCode
  return statusCodes[status] ?? (status >= 500 ? 'INTERNAL_ERROR' : 'VALIDATION_ERROR')
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
 * Returns the code of a database error. A trigger raises our code as its message (P0001), a constraint is known by its name.
 * @returns undefined for all other errors
 */
export function codeOfDatabase(error: unknown): ErrorCode | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  const { code, message, constraint } = error as { code: unknown, message?: unknown, constraint?: unknown }
  if (code === 'P0001' && isErrorCode(message)) return message
  if (code === '23505' && typeof constraint === 'string') return constraintCodes[constraint]
  return undefined
}

/**
 * SQLSTATEs of a database that has no room, memory or connection left, is stopping, starts or has become a standby, of a statement that waited
 * too long, also for a lock, or deadlocked with another request, and codes of a lost connection.
 */
const unavailableCode = /^(53...|57P0[1-5]|57014|55P03|25006|25P0[34]|40...|08...|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/
/** The messages of pg for a connection that ended in use or between two statements, and for a pool without a free one. None has a code. */
const unavailableMessage = /^(Connection terminated|Client .* is not queryable|timeout exceeded when trying to connect)/

/** Returns the response to an error that the code did not expect. The same request works later if only the database is unavailable. */
export function unexpectedErrorResponse(error: unknown): Response {
  const isUnavailable = error instanceof Error &&
    (unavailableMessage.test(error.message) || ('code' in error && unavailableCode.test(String(error.code))))
  return isUnavailable
    ? errorResponse('SERVICE_BUSY', 'The database cannot do this at the moment. Try again after the seconds in Retry-After.', 5)
    : errorResponse('INTERNAL_ERROR')
}

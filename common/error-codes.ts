/**
 * Every error of the auth surface, as data: the one place that gives a code its status and its
 * default sentence. The edge sends these errors too. docs/errors.md is generated from it. No I/O.
 */

/** The HTTP status of each code, and the sentence that a client shows or logs. */
export const errorCodes = {
  INVALID_EMAIL: [400, 'The email address is not valid.'],
  INVALID_PASSWORD: [
    400,
    'The password is not valid: it must have 8 to 128 characters, and a current password must match.',
  ],
  INVALID_CODE: [400, 'The code is not valid, was used, or has expired.'],
  INVALID_TOKEN: [400, 'The token is not valid, was used, or has expired.'],
  INVALID_PASSKEY: [
    400,
    'The passkey response is not valid for this service, or arrived too late. Try again.',
  ],
  VALIDATION_ERROR: [400, 'The request is not valid.'],
  IDEMPOTENCY_KEY_NOT_SUPPORTED: [
    400,
    'Idempotency-Key is not supported, so nothing was done. Omit it, and read the current state before you repeat a request.',
  ],
  OIDC_FAILED: [
    400,
    'Signing in with the provider failed or took longer than ten minutes. Try again.',
  ],
  INVALID_CREDENTIALS: [401, 'The email address or password is incorrect.'],
  UNAUTHORIZED: [401, 'Sign in first.'],
  EMAIL_NOT_VERIFIED: [403, 'Verify your email address first.'],
  SIGN_UP_CLOSED: [403, 'This service is closed to new accounts. Ask its operator.'],
  INVITATION_REQUIRED: [403, 'A new account needs an invitation to this address.'],
  EMAIL_DOMAIN_NOT_ALLOWED: [403, 'Addresses of this domain cannot have an account.'],
  OIDC_EMAIL_NOT_VERIFIED: [
    403,
    'The provider has not verified your email address. Ask its operator.',
  ],
  FRESH_SIGN_IN_REQUIRED: [
    403,
    'Enter your password, or sign in again: this needs a sign-in within the last ten minutes.',
  ],
  SECOND_FACTOR_REQUIRED: [
    403,
    'This account requires a second factor: a code, a backup code or a passkey.',
  ],
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
    'An account with your address exists, but the address was never verified. Reset your password by email, sign in, and verify the address. Then connect the provider.',
  ],
  ALREADY_VERIFIED: [
    409,
    'The address of this account was confirmed, so the account stays. If you did not confirm it, choose a new password, which ends every session.',
  ],
  EMAIL_CHANGED_RECENTLY: [
    409,
    'The email address of this account was changed in the last seven days, and the owner of the old address can still stop the change. Try again after seven days.',
  ],
  PASSKEY_EXISTS: [409, 'This passkey already belongs to an account.'],
  PASSKEY_MISSING: [409, 'This account has no passkey. Add one first.'],
  SLUG_TAKEN: [409, 'Another organization has this slug.'],
  TWO_FACTOR_ENABLED: [409, 'This account already has a second factor.'],
  TWO_FACTOR_NOT_ENABLED: [409, 'This account has no second factor.'],
  USER_EXISTS: [409, 'An account with this email address already exists.'],
  PRECONDITION_FAILED: [412, 'The file has another ETag.'],
  PAYLOAD_TOO_LARGE: [413, 'The request body is larger than 64 KiB.'],
  UNSUPPORTED_MEDIA_TYPE: [
    415,
    'Send the body as application/json in UTF-8, without a Content-Encoding.',
  ],
  RATE_LIMIT_EXCEEDED: [429, 'Too many requests. Try again after the seconds in Retry-After.'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side.'],
  SERVICE_BUSY: [503, 'The service is busy. Try again after the seconds in Retry-After.'],
  OIDC_UNAVAILABLE: [
    503,
    'The provider cannot be reached at the moment. Try again after the seconds in Retry-After.',
  ],
} as const satisfies Record<string, readonly [number, string]>

export type ErrorCode = keyof typeof errorCodes

/** The body of an error. */
export type WireError = { error: ErrorCode, message: string }

export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(errorCodes, code)

/**
 * Returns the sentence of METHOD_NOT_ALLOWED and its header `Allow` (RFC 9110, 15.5.6). @param
 * methods at least two
 */
export const onlyMethods = (
  methods: string[],
): { message: string, headers: { allow: string } } => ({
  message: `This path has only ${methods.slice(0, -1).join(', ')} and ${methods.at(-1)}.`,
  headers: { allow: methods.join(', ') },
})

/**
 * Every error of the auth surface, as data: the one place that gives a code its status and its
 * default sentence. The edge sends these errors too. docs/errors.md is generated from it. No I/O.
 */

/** The HTTP status of each code, and the sentence that a client shows or logs. */
export const errorCodes = {
  INVALID_EMAIL: [400, 'The email address is not valid.'],
  INVALID_PASSWORD: [
    400,
    "The password is incorrect, or the new password isn't 8 to 128 characters long.",
  ],
  INVALID_CODE: [400, 'The code is invalid, expired or already used.'],
  INVALID_TOKEN: [400, 'The token is invalid, expired or already used.'],
  INVALID_PASSKEY: [
    400,
    "The passkey wasn't accepted, or the request timed out. Try again.",
  ],
  VALIDATION_ERROR: [400, 'The request is not valid.'],
  IDEMPOTENCY_KEY_NOT_SUPPORTED: [
    400,
    'Idempotency-Key is not supported, so nothing was done. Omit it, and check the current state before you retry.',
  ],
  OIDC_FAILED: [
    400,
    'Signing in with the provider failed or took longer than ten minutes. Try again.',
  ],
  INVALID_CREDENTIALS: [401, 'The email address or password is incorrect.'],
  UNAUTHORIZED: [401, 'Sign in first.'],
  EMAIL_NOT_VERIFIED: [403, 'Verify your email address first.'],
  SIGN_UP_CLOSED: [403, 'Sign-ups are closed. Contact the operator of this service.'],
  INVITATION_REQUIRED: [403, 'To create an account, you need an invitation sent to this address.'],
  EMAIL_DOMAIN_NOT_ALLOWED: [403, "Email addresses from this domain aren't allowed."],
  OIDC_EMAIL_NOT_VERIFIED: [
    403,
    "The provider hasn't verified your email address. Contact the provider.",
  ],
  FRESH_SIGN_IN_REQUIRED: [
    403,
    'Enter your password or sign in again. This requires a sign-in within the last ten minutes.',
  ],
  SECOND_FACTOR_REQUIRED: [
    403,
    'This account requires a second factor: a code, a backup code or a passkey.',
  ],
  FORBIDDEN: [403, 'You are not allowed to do this.'],
  MEMBERSHIP_LIMIT_REACHED: [403, 'This organization has reached its limit of 50 members.'],
  API_KEY_LIMIT_REACHED: [403, 'You can have up to 20 API keys. Revoke one to add another.'],
  CALENDAR_LIMIT_REACHED: [403, 'You can have up to 10 calendar URLs. Revoke one to add another.'],
  WEBHOOK_LIMIT_REACHED: [403, 'You can have up to 10 webhooks. Delete one to add another.'],
  INVITATION_LIMIT_REACHED: [
    403,
    'This organization has reached its limit of 100 pending invitations.',
  ],
  ORGANIZATION_LIMIT_REACHED: [403, 'You can own up to 5 organizations.'],
  PASSKEY_LIMIT_REACHED: [403, 'You can have up to 20 passkeys. Delete one to add another.'],
  OWNER_REQUIRED: [403, 'An organization must have an owner. Transfer ownership first.'],
  SUBSCRIPTION_REQUIRED: [403, 'You need an active Teams plan or higher.'],
  NOT_FOUND: [404, "Not found, or you don't have access."],
  METHOD_NOT_ALLOWED: [405, 'This path does not support this method.'],
  ALREADY_INVITED: [409, 'This email address already has a pending invitation.'],
  ALREADY_MEMBER: [409, 'This email address already belongs to a member.'],
  ACCOUNT_NOT_VERIFIED: [
    409,
    'An account with your address exists, but the address was never verified. Reset your password by email, sign in, and verify the address. Then connect the provider.',
  ],
  ALREADY_VERIFIED: [
    409,
    "This email address has already been verified, so the account can't be deleted with this link. If you didn't verify it, reset your password. That signs you out everywhere.",
  ],
  EMAIL_CHANGED_RECENTLY: [
    409,
    'The email address of this account was changed in the last seven days, and the owner of the old address can still stop the change. Try again after seven days.',
  ],
  PASSKEY_EXISTS: [409, 'This passkey already belongs to an account.'],
  PASSKEY_MISSING: [409, 'This account has no passkey. Add one first.'],
  SLUG_TAKEN: [409, 'This slug is already taken.'],
  TWO_FACTOR_ENABLED: [409, 'This account already has a second factor.'],
  TWO_FACTOR_NOT_ENABLED: [409, 'This account has no second factor.'],
  USER_EXISTS: [409, 'An account with this email address already exists.'],
  PRECONDITION_FAILED: [412, "The ETag doesn't match: the file has changed."],
  PAYLOAD_TOO_LARGE: [413, 'The request body is larger than 64 KiB.'],
  UNSUPPORTED_MEDIA_TYPE: [
    415,
    'Send the body as application/json in UTF-8, without a Content-Encoding.',
  ],
  RATE_LIMIT_EXCEEDED: [429, 'Too many requests. Try again later.'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side.'],
  SERVICE_BUSY: [503, 'The service is busy. Try again in a moment.'],
  OIDC_UNAVAILABLE: [
    503,
    "The provider can't be reached right now. Try again in a moment.",
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
  message: `This path supports only ${methods.slice(0, -1).join(', ')} and ${methods.at(-1)}.`,
  headers: { allow: methods.join(', ') },
})

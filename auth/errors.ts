/** Our error for each error of better-auth. No I/O. */
import type { BASE_ERROR_CODES } from 'better-auth'
import type { ORGANIZATION_ERROR_CODES } from 'better-auth/client/plugins'
import { isErrorCode, type ErrorCode } from '../common/error-codes.ts'

/** The codes of better-auth and its organization plugin. */
type EngineCode = keyof typeof BASE_ERROR_CODES | keyof typeof ORGANIZATION_ERROR_CODES

/**
 * Our code for each code of better-auth. The status decides for all other codes. A user cannot find
 * out that a foreign organization exists, so every code for "not a member" is NOT_FOUND.
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

const isEngineCode = (code: unknown): code is keyof typeof engineCodes =>
  typeof code === 'string' && Object.hasOwn(engineCodes, code)

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

/**
 * Returns the code of a better-auth error. Our own codes pass through, because our hooks throw
 * them.
 */
export function codeOfEngine(status: number, engineCode: unknown): ErrorCode {
  if (isEngineCode(engineCode)) return engineCodes[engineCode]
  if (isErrorCode(engineCode)) return engineCode
  return statusCodes[status] ?? (status >= 500 ? 'INTERNAL_ERROR' : 'VALIDATION_ERROR')
}

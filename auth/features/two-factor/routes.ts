/** The second factor. */
import { perMinute } from '../../../http/policy.ts'
import { respondWith, route } from '../../../http/route.ts'
import { confirmed, done, needsConfirmation, nothing, unconfirmed } from '../../../http/fields.ts'
import { signInOutput } from '../session-fields.ts'
import {
  disableTwoFactor,
  enableTwoFactor,
  generateBackupCodes,
  input,
  output,
  twoFactorStatus,
  verifyBackupCode,
  verifyTotp,
} from './two-factor.ts'

/**
 * The policy of the routes that complete a sign-in. Their guesses have a budget per account:
 * engine/guesses.ts.
 */
const completesSignIn = {
  credentials: [],
  startsSession: 'sign-in',
  secondFactor: 'verified',
  limits: { address: perMinute(20) },
} as const

export const twoFactorRoutes = [
  route('GET', '/two-factor/status', {
    summary:
      'Returns whether the signed-in user has two factors, and the number of unused backup codes.',
    input: nothing,
    output: output.status,
    handle: twoFactorStatus,
  }),
  route('POST', '/two-factor/enable', {
    summary:
      'Starts to set up two factors: returns the secret for an authenticator app, and ten backup codes.',
    description:
      'Sign-in needs no code before `/two-factor/verify-totp` has received a first one. The secret and the codes are not returned again.',
    input: confirmed,
    example: { password: 'correct horse' },
    rejects: [...unconfirmed, 'EMAIL_NOT_VERIFIED', 'TWO_FACTOR_ENABLED'],
    ...needsConfirmation,
    output: output.begun,
    handle: enableTwoFactor,
  }),
  route('POST', '/two-factor/verify-totp', {
    summary:
      'Completes a sign-in with a code of the authenticator app. For a signed-in user, turns two factors on.',
    description:
      'The sign-in is the one that `SECOND_FACTOR_REQUIRED` refused in this browser in the last ten minutes. A code works once. Turning two factors on ends the other sessions.',
    input: input.totp,
    example: { code: '123456', trustDevice: true },
    rejects: ['INVALID_CODE', 'UNAUTHORIZED', 'TWO_FACTOR_ENABLED', 'TWO_FACTOR_NOT_ENABLED'],
    ...completesSignIn,
    output: signInOutput,
    handle: verifyTotp,
  }),
  route('POST', '/two-factor/verify-backup-code', {
    summary: 'Completes a sign-in with a backup code, which works once.',
    input: input.backupCode,
    example: { code: 'mz2k-q4tn-x7ab-c5dw' },
    rejects: ['INVALID_CODE', 'UNAUTHORIZED'],
    ...completesSignIn,
    output: signInOutput,
    handle: verifyBackupCode,
  }),
  route('POST', '/two-factor/generate-backup-codes', {
    summary: 'Creates ten new backup codes. The old ones no longer work.',
    input: confirmed,
    example: { password: 'correct horse' },
    rejects: [...unconfirmed, 'TWO_FACTOR_NOT_ENABLED'],
    ...needsConfirmation,
    output: output.backupCodes,
    handle: generateBackupCodes,
  }),
  route('POST', '/two-factor/disable', {
    summary: 'Turns two factors off and forgets all remembered devices.',
    input: confirmed,
    example: { password: 'correct horse' },
    rejects: [...unconfirmed, 'TWO_FACTOR_NOT_ENABLED'],
    ...needsConfirmation,
    output: done,
    handle: respondWith({ success: true }, disableTwoFactor),
  }),
]

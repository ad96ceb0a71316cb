/** A second factor beside the password. */
import { perMinute } from '../policy.ts'
import { confirmed, unconfirmed } from './confirmed.ts'
import { engineReplies } from './engine-replies.ts'
import { signedIn } from './presenters.ts'
import { planOfSignedIn, route } from './route.ts'
import { schemas } from './schemas.ts'
import { wire } from './wire.ts'

/** What signing in answers, to whoever shows the second factor. */
const finishing = {
  session: 'none',
  signsIn: 'again',
  secondFactor: 'shown',
  guesses: 'second-factor',
  limits: { address: perMinute(20) },
  reply: engineReplies.signedIn,
  load: planOfSignedIn,
  answer: wire.signedIn,
  present: signedIn,
} as const

export const twoFactorRoutes = [
  route({
    method: 'GET',
    path: '/two-factor/status',
    summary: 'Says whether who is signed in has two factors, and how many backup codes are left.',
    input: schemas.nothing,
    reply: engineReplies.twoFactor,
    engine: { method: 'GET', path: '/two-factor/status' },
    answer: wire.twoFactor,
    present: ({ enabled, backupCodesLeft }) => ({ enabled, backup_codes_left: backupCodesLeft }),
  }),
  route({
    method: 'POST',
    path: '/two-factor/enable',
    summary: 'Begins to set up two factors: what an authenticator app is told, and ten backup codes.',
    description: 'Nothing is asked at sign-in before `/two-factor/verify-totp` has had a first code. Neither is shown again.',
    input: schemas.confirmed,
    example: { password: 'correct horse' },
    refuses: [...unconfirmed, 'EMAIL_NOT_VERIFIED', 'TWO_FACTOR_ENABLED'],
    reply: engineReplies.twoFactorBegun,
    engine: { method: 'POST', path: '/two-factor/enable' },
    ...confirmed,
    answer: wire.twoFactorBegun,
    present: ({ totpUri, backupCodes }) => ({ totp_uri: totpUri, backup_codes: backupCodes }),
  }),
  route({
    method: 'POST',
    path: '/two-factor/verify-totp',
    summary: 'Finishes a sign-in with a code of the authenticator app; of who is signed in, it turns two factors on.',
    description:
      'The sign-in is the one that was refused with `SECOND_FACTOR_REQUIRED` in this browser within ten minutes. A code works once. Turning it on ends the other sessions.',
    input: schemas.totp,
    example: { code: '123456', trustDevice: true },
    refuses: ['INVALID_CODE', 'UNAUTHORIZED', 'TWO_FACTOR_ENABLED', 'TWO_FACTOR_NOT_ENABLED'],
    engine: { method: 'POST', path: '/two-factor/verify-totp' },
    ...finishing,
  }),
  route({
    method: 'POST',
    path: '/two-factor/verify-backup-code',
    summary: 'Finishes a sign-in with a backup code, which works once.',
    input: schemas.backupCode,
    example: { code: 'mz2k-q4tn-x7ab-c5dw' },
    refuses: ['INVALID_CODE', 'UNAUTHORIZED'],
    engine: { method: 'POST', path: '/two-factor/verify-backup-code' },
    ...finishing,
  }),
  route({
    method: 'POST',
    path: '/two-factor/generate-backup-codes',
    summary: 'Makes ten new backup codes. The old ones are none any more.',
    input: schemas.confirmed,
    example: { password: 'correct horse' },
    refuses: [...unconfirmed, 'TWO_FACTOR_NOT_ENABLED'],
    reply: engineReplies.backupCodes,
    engine: { method: 'POST', path: '/two-factor/generate-backup-codes' },
    ...confirmed,
    answer: wire.backupCodes,
    present: ({ backupCodes }) => ({ backup_codes: backupCodes }),
  }),
  route({
    method: 'POST',
    path: '/two-factor/disable',
    summary: 'Turns two factors off. No device is remembered any more.',
    input: schemas.confirmed,
    example: { password: 'correct horse' },
    refuses: [...unconfirmed, 'TWO_FACTOR_NOT_ENABLED'],
    reply: engineReplies.done,
    engine: { method: 'POST', path: '/two-factor/disable' },
    ...confirmed,
    answer: wire.done,
    present: () => ({ success: true }),
  }),
]

/** What rows have in common whose caller is asked for the password, or for a sign-in that was just now: engine/confirm-caller.ts. */
import { perMinute } from '../policy.ts'

/** The limits of such a row and of change-password. Wrong passwords count against the budget of the account in addition. */
export const passwordGuesses = { address: perMinute(20), account: { by: 'caller', ...perMinute(10) } } as const

/** The policy of such a row. */
export const confirmed = { hashesPassword: true, guesses: 'password', limits: passwordGuesses } as const

/** What it is refused with where the caller is not confirmed. */
export const unconfirmed = ['INVALID_PASSWORD', 'FRESH_SIGN_IN_REQUIRED'] as const

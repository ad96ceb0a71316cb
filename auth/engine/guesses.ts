/** The budgets of guesses at passwords and second factors. */
import { reject } from '../../http/errors.ts'
import { perMinute, type RateLimit } from '../../http/policy.ts'
import type { Limits } from '../../http/rate-limits.ts'

/**
 * Maximum guesses per account, over all routes that check a password or a second factor. Three of a
 * million codes are valid at a time.
 */
const budgets = {
  password: perMinute(10),
  'second-factor': { window: 900, max: 5 },
} satisfies Record<string, RateLimit>

export type Guess = keyof typeof budgets

const counterOf = (guess: Guess) => `guesses at the ${guess}`

/** The budgets. An account is an email address for passwords and a user id for second factors. */
export const createGuesses = (limits: Limits) => ({
  /**
   * Counts a guess before it is checked, so that concurrent requests cannot exceed the budget.
   * @throws Rejection RATE_LIMIT_EXCEEDED
   */
  count: async (guess: Guess, account: string): Promise<void> => {
    const { allowed, retryAfterSeconds } = await limits.consumeForAccount(
      counterOf(guess),
      account,
      budgets[guess],
    )
    if (!allowed) reject('RATE_LIMIT_EXCEEDED', retryAfterSeconds)
  },
  /** Uncounts one guess that was correct. */
  takeBack: (guess: Guess, account: string) => limits.returnToAccount(counterOf(guess), account),
  /** Forgets all guesses after a correct one. */
  forget: (guess: Guess, account: string) => limits.forgetAccount(counterOf(guess), account),
})

export type Guesses = ReturnType<typeof createGuesses>

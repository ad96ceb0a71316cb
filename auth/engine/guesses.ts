/** Guesses of passwords and second factors: one budget per account and kind, on all routes that check them. */
import { refuse } from '../errors.ts'
import { perMinute, type RateLimit } from '../policy.ts'
import type { Limits } from './rate-limits.ts'

/** Three of a million codes are valid at a time. */
const budgets = { password: perMinute(10), 'second-factor': { window: 900, max: 5 } } satisfies Record<string, RateLimit>

export type Guess = keyof typeof budgets

const counterOf = (guess: Guess) => `guesses at the ${guess}`

/** The budgets. An account is an e-mail address for passwords and a user id for second factors. */
export const createGuesses = (limits: Limits) => ({
  /**
   * Counts a guess before it is checked, so that concurrent requests cannot exceed the budget.
   * @throws Refusal RATE_LIMIT_EXCEEDED
   */
  count: async (guess: Guess, account: string): Promise<void> => {
    const { allowed, retryAfterSeconds } = await limits.consumeForAccount(counterOf(guess), account, budgets[guess])
    if (!allowed) refuse('RATE_LIMIT_EXCEEDED', retryAfterSeconds)
  },
  /** Takes one guess back, because it was right. */
  takeBack: (guess: Guess, account: string) => limits.returnToAccount(counterOf(guess), account),
  /** Forgets all guesses, because a right one followed. */
  forget: (guess: Guess, account: string) => limits.forgetAccount(counterOf(guess), account),
})

export type Guesses = ReturnType<typeof createGuesses>

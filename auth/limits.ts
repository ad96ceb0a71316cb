/**
 * Rate limits: true fixed windows, counted in PostgreSQL so that they hold across processes and restarts. The engine asks
 * per client address and path; our hooks in the engine ask per account.
 */
import { createHash } from 'node:crypto'
import type pg from 'pg'

/** At most `max` requests in each window of `window` seconds. */
export type Rule = { window: number, max: number }

/** Per client address (an IPv6 client is its /64) and path, by the engine's own path. */
export const addressRules = {
  '/sign-up/email': { window: 60, max: 60 },
  '/sign-in/email': { window: 60, max: 60 },
  '/verify-email': { window: 60, max: 60 },
  '/disown-account': { window: 60, max: 20 },
  '/forget-password': { window: 60, max: 20 },
  '/request-verification-email': { window: 60, max: 20 },
  '/reset-password': { window: 60, max: 20 },
  '/change-password': { window: 60, max: 20 },
} as const satisfies Record<string, Rule>

/**
 * Per client address, for each other path: a ceiling against runaway clients, not against attackers. A page that polls, or
 * an office behind one address, is far below it.
 */
export const otherAddressRule: Rule = { window: 10, max: 2_000 }

/** Per account, whichever address asks: guessing one password, and mail to one person. */
export const accountRules = {
  'sign-in': { window: 60, max: 10 },
  'change-password': { window: 60, max: 10 },
  'verification-mail': { window: 900, max: 5 },
  'verification-request': { window: 900, max: 5 },
  'reset-mail': { window: 900, max: 5 },
  'invitation-mail': { window: 3_600, max: 20 },
} as const satisfies Record<string, Rule>

export type AccountRule = keyof typeof accountRules

export type Verdict = { allowed: boolean, retryAfterSeconds: number }

export type Limits = {
  consume: (key: string, rule: Rule) => Promise<Verdict>
  /** @param account an e-mail address or a user id; stored as a hash, because counters outlive accounts */
  consumeForAccount: (name: AccountRule, account: string) => Promise<Verdict>
}

/** @param enabled false counts nothing and allows everything (RATE_LIMIT_ENABLED) */
export function limits(pool: pg.Pool, enabled: boolean): Limits {
  const consume = async (key: string, rule: Rule): Promise<Verdict> => {
    if (!enabled) return { allowed: true, retryAfterSeconds: 0 }
    const { rows } = await pool.query<{ allowed: boolean, retry_after_seconds: number }>(
      'select allowed, retry_after_seconds from auth.consume_rate_limit($1, $2, $3)', [key, rule.window, rule.max])
    const row = rows[0]
    return { allowed: row?.allowed ?? false, retryAfterSeconds: row?.retry_after_seconds ?? rule.window }
  }
  return {
    consume,
    consumeForAccount: (name, account) =>
      consume(`${name}|${createHash('sha256').update(account.trim().toLowerCase()).digest('base64url')}`, accountRules[name]),
  }
}

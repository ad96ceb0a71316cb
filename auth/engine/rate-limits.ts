/**
 * Rate limits: true fixed windows, counted in PostgreSQL so that they hold across processes and restarts. The engine asks
 * per client address and path; our hooks in the engine ask per account. How many are allowed stands in each route's row.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { FunctionRows } from '../../db/types.ts'
import type { AuthDatabase } from '../database.ts'
import type { RateLimit } from '../policy.ts'

/**
 * Per client address, for each path whose row names no limit: a ceiling for runaway clients, not for attackers. A page that
 * polls, or an office behind one address, is far below it.
 */
export const otherAddressLimit: RateLimit = { window: 10, max: 2_000 }

export type Verdict = { allowed: boolean, retryAfterSeconds: number }

export type Limits = {
  /** @param key the address and the path, as the engine puts them together */
  consumeForAddress: (key: string, rule: RateLimit) => Promise<Verdict>
  /**
   * @param what is counted, by a name that nothing else has
   * @param account an e-mail address or a user id; stored as a hash, because counters outlive accounts
   */
  consumeForAccount: (what: string, account: string, rule: RateLimit) => Promise<Verdict>
}

/**
 * @param enabled false counts nothing and allows everything (RATE_LIMIT_ENABLED)
 * @param onLimit told of each request over its limit, and by what it is counted
 */
export function limits(db: AuthDatabase, enabled: boolean, onLimit: (by: 'address' | 'account') => void = () => undefined): Limits {
  const consumeBy = async (by: 'address' | 'account', key: string, rule: RateLimit): Promise<Verdict> => {
    if (!enabled) return { allowed: true, retryAfterSeconds: 0 }
    const { rows } = await sql<FunctionRows['auth.consume_rate_limit']>`select * from auth.consume_rate_limit(${key}, ${rule.window}, ${rule.max})`.execute(db)
    const row = rows[0]
    if (row?.allowed !== true) onLimit(by)
    return { allowed: row?.allowed ?? false, retryAfterSeconds: row?.retryAfterSeconds ?? rule.window }
  }
  return {
    consumeForAddress: (key, rule) => consumeBy('address', `address|${key}`, rule),
    consumeForAccount: (what, account, rule) =>
      consumeBy('account', `${what}|${createHash('sha256').update(account.trim().toLowerCase()).digest('base64url')}`, rule),
  }
}

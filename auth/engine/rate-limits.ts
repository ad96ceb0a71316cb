/**
 * Rate limits: true fixed windows, counted in PostgreSQL so that they hold across processes and restarts. The engine asks
 * per client address and path; our hooks in the engine ask per account. How many are allowed stands in each route's row.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { FunctionRows } from '../../db/types.ts'
import type { AuthDatabase } from '../database.ts'
import type { RateLimit } from '../policy.ts'
import type { RequestContext } from '../request-context.ts'

/**
 * Per client address, for each path whose row names no limit: a ceiling for runaway clients, not for attackers. A page that
 * polls, or an office behind one address, is far below it.
 */
export const otherAddressLimit: RateLimit = { window: 10, max: 2_000 }

/** How much more a program of this machine may ask than anybody else: a front end's whole suite comes from one address. */
const localFactor = 10

/** The limit of this request per client address. What is counted per account is the same for everybody. */
export const addressLimit = (rule: RateLimit, { isLocal = false }: Pick<RequestContext, 'isLocal'> = {}): RateLimit =>
  isLocal ? { ...rule, max: rule.max * localFactor } : rule

export type Verdict = { allowed: boolean, retryAfterSeconds: number }

/** A row of `addressRelation`. */
export type CountedRow = { allowed: boolean, retry_after_seconds: number }

export type Limits = {
  /** What consumeForAddress asks, as a relation of one row, for a statement that asks more; $1 to $3 are `addressValues`. */
  addressRelation: string
  addressValues: (key: string, rule: RateLimit) => unknown[]
  /** What the row says; told once a request. */
  addressVerdict: (row: CountedRow) => Verdict
  /** @param key the address and the path, as the engine puts them together */
  consumeForAddress: (key: string, rule: RateLimit) => Promise<Verdict>
  /**
   * @param what is counted, by a name that nothing else has
   * @param account an e-mail address or a user id; stored as a hash, because counters outlive accounts
   */
  consumeForAccount: (what: string, account: string, rule: RateLimit) => Promise<Verdict>
  /** Takes back one request that was counted. */
  returnToAccount: (what: string, account: string) => Promise<void>
  /** Counts anew, because what was counted has proved to be no attack. */
  forgetAccount: (what: string, account: string) => Promise<void>
}

/**
 * @param enabled false counts nothing and allows everything (RATE_LIMIT_ENABLED)
 * @param onLimit told of each request over its limit, and by what it is counted
 */
export function limits(db: AuthDatabase, enabled: boolean, onLimit: (by: 'address' | 'account') => void = () => undefined): Limits {
  const addressKey = (key: string) => `address|${key}`
  const accountKey = (what: string, account: string) => `${what}|${createHash('sha256').update(account.trim().toLowerCase()).digest('base64url')}`
  const judged = (by: 'address' | 'account', { allowed, retryAfterSeconds }: Verdict): Verdict => {
    if (!allowed) onLimit(by)
    return { allowed, retryAfterSeconds }
  }
  const consumeBy = async (by: 'address' | 'account', key: string, rule: RateLimit): Promise<Verdict> => {
    if (!enabled) return { allowed: true, retryAfterSeconds: 0 }
    const { rows } = await sql<FunctionRows['auth.consume_rate_limit']>`select * from auth.consume_rate_limit(${key}, ${rule.window}, ${rule.max})`.execute(db)
    const row = rows[0]
    return judged(by, { allowed: row?.allowed ?? false, retryAfterSeconds: row?.retryAfterSeconds ?? rule.window })
  }
  return {
    addressRelation: enabled
      ? 'auth.consume_rate_limit($1, $2, $3)'
      : '(select true as allowed, 0 as retry_after_seconds from (select $1::text, $2::integer, $3::integer) as uncounted)',
    addressValues: (key, rule) => [addressKey(key), rule.window, rule.max],
    addressVerdict: (row) => judged('address', { allowed: row.allowed, retryAfterSeconds: row.retry_after_seconds }),
    consumeForAddress: (key, rule) => consumeBy('address', addressKey(key), rule),
    consumeForAccount: (what, account, rule) => consumeBy('account', accountKey(what, account), rule),
    returnToAccount: async (what, account) => {
      if (!enabled) return
      await db.updateTable('auth.rate_limits').set({ count: sql`count - 1` }).where('key', '=', accountKey(what, account)).where('count', '>', '0').execute()
    },
    forgetAccount: async (what, account) => {
      await db.deleteFrom('auth.rate_limits').where('key', '=', accountKey(what, account)).execute()
    },
  }
}

/**
 * Rate limits in fixed windows. PostgreSQL counts them, so they hold across processes and restarts.
 */
import { createHash } from 'node:crypto'
import type { FunctionRows } from '../db/types.ts'
import { clientNetwork } from '../common/client-address.ts'
import type { Connections } from './database.ts'
import type { Client, RateLimit } from './policy.ts'

/**
 * The limit per client address and path if the row names none. It stops runaway clients, not
 * attackers: a page that polls and an office behind one address stay far below it.
 */
export const otherAddressLimit: RateLimit = { window: 10, max: 2_000 }

/**
 * Factor of the address limits for programs on this machine, because a whole test suite has one
 * address.
 */
const localFactor = 10

export type Verdict = { allowed: boolean, retryAfterSeconds: number }

export type Limits = {
  consumeForAddress: (path: string, client: Client, rule: RateLimit) => Promise<Verdict>
  /**
   * @param counter a unique name
   * @param account an email address or a user id; stored as a hash, because counters outlive
   * accounts
   */
  consumeForAccount: (counter: string, account: string, rule: RateLimit) => Promise<Verdict>
  /** Uncounts one request. */
  returnToAccount: (counter: string, account: string) => Promise<void>
  /** Starts a new window. */
  forgetAccount: (counter: string, account: string) => Promise<void>
}

const consume = {
  name: 'rate-limit',
  text:
    'select allowed, retry_after_seconds as "retryAfterSeconds" from auth.consume_rate_limit($1, $2, $3)',
}
const forget = { name: 'rate-limit-forget', text: 'delete from auth.rate_limits where key = $1' }
const uncount = {
  name: 'rate-limit-uncount',
  text: 'update auth.rate_limits set count = count - 1 where key = $1 and count > 0',
}

/**
 * @param enabled false counts nothing and allows everything (RATE_LIMIT_ENABLED)
 * @param onLimit called for each request over its limit
 */
export function createLimits(
  { prepared }: Pick<Connections, 'prepared'>,
  enabled: boolean,
  onLimit: (by: 'address' | 'account') => void = () => undefined,
): Limits {
  const accountKey = (counter: string, account: string) =>
    `${counter}|${createHash('sha256').update(account.trim().toLowerCase()).digest('base64url')}`
  const consumeBy = async (
    by: 'address' | 'account',
    key: string,
    { window, max }: RateLimit,
  ): Promise<Verdict> => {
    if (!enabled) return { allowed: true, retryAfterSeconds: 0 }
    const verdict =
      await prepared<FunctionRows['auth.consume_rate_limit']>(consume, [key, window, max]) ??
        { allowed: false, retryAfterSeconds: window }
    if (!verdict.allowed) onLimit(by)
    return verdict
  }
  return {
    consumeForAddress: (path, { address, isLocal }, rule) =>
      consumeBy(
        'address',
        `address|${clientNetwork(address)}|${path}`,
        isLocal ? { ...rule, max: rule.max * localFactor } : rule,
      ),
    consumeForAccount: (counter, account, rule) =>
      consumeBy('account', accountKey(counter, account), rule),
    returnToAccount: async (counter, account) => {
      if (!enabled) return
      await prepared(uncount, [accountKey(counter, account)])
    },
    forgetAccount: async (counter, account) => {
      await prepared(forget, [accountKey(counter, account)])
    },
  }
}

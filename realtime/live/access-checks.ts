/**
 * The checks of the accesses of live streams. An access that has ended closes its stream before the
 * stream tells a later change.
 */
import type pg from 'pg'
import { describeError, type Log } from '../../common/log.ts'
import type { EndReason } from './event-stream.ts'
import { readAccesses } from './stream-access.ts'
import type { Entries, Entry } from './stream-entries.ts'

/**
 * Interval of the check of all accesses, in milliseconds. Most ends are noted in private.changes
 * and found at once.
 */
const accessCheckMs = 30_000
/**
 * Minimum time between two such checks, in milliseconds: the clock of the database may be behind.
 */
const minCheckMs = 250
/** Number of accesses in one statement. With all of them events would wait. */
const checkedTogether = 250
/** Pause after a failed read or check, in milliseconds. */
export const failureMs = 2_000

/** Checks the accesses of some streams, and closes those that have ended. */
async function checkAccesses(pool: pg.Pool, [...some]: Entry[]): Promise<void> {
  while (some.length > 0) await checkTogether(pool, some.splice(0, checkedTogether))
}

async function checkTogether(pool: pg.Pool, some: Entry[]): Promise<void> {
  const all = await readAccesses(pool, some.map(({ access }) => access))
  some.forEach((entry, at) => {
    const living = all[at]
    if (living !== undefined) Object.assign(entry, living)
    else {
      const reason: EndReason = (entry.access.token?.endsAt.getTime() ?? Infinity) <= Date.now()
        ? 'expired'
        : 'ended'
      entry.stream.close(reason, reason)
    }
  })
}

/** Makes the checks, which begin with the first stream. @param signal fires at a stop */
export function createAccessChecks({ pool, entries, log, signal }: {
  pool: pg.Pool
  entries: Entries
  log: Log
  signal: AbortSignal
}) {
  const check = (some: Entry[]): Promise<void> => checkAccesses(pool, some)
  let checkTimer: NodeJS.Timeout | undefined
  let checkAt = Infinity
  let checkedAllAt = 0
  /** Checks at a time, in milliseconds since 1970, unless an earlier check is planned. */
  const planCheck = (at: number): void => {
    if (at >= checkAt || signal.aborted) return
    clearTimeout(checkTimer)
    checkAt = at
    checkTimer = setTimeout(() => void checkDue(), Math.max(0, at - Date.now()))
  }
  const planNext = (): void => {
    if (entries.all.size === 0) return
    let next = checkedAllAt + accessCheckMs
    for (const { endsAt } of entries.all) next = Math.min(next, endsAt)
    planCheck(Math.max(Date.now() + minCheckMs, next))
  }
  /** Checks the accesses that end now, and every 30 seconds all of them. */
  const checkDue = async (): Promise<void> => {
    const now = Date.now()
    const isOfAll = now - checkedAllAt >= accessCheckMs
    checkAt = Infinity
    try {
      await check([...entries.all].filter(({ endsAt }) => isOfAll || endsAt <= now))
      if (isOfAll) checkedAllAt = now
      planNext()
    } catch (error) {
      log.warn(
        { error: describeError(error) },
        'the accesses of live streams could not be checked; trying again',
      )
      // the last check has proved each access only until its end
      for (const { stream, endsAt } of entries.all)
        if (endsAt <= Date.now()) stream.close('expired', 'expired')
      planCheck(Date.now() + failureMs)
    }
  }
  return {
    check,
    /** Plans the check that a new stream needs. */
    planFor: ({ endsAt }: Entry): void => planCheck(Math.min(endsAt, Date.now() + accessCheckMs)),
    stop: (): void => clearTimeout(checkTimer),
  }
}

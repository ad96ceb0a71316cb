/** The deletion of a user or an organization with all rows. */
import { sql } from 'kysely'
import { clientNetwork } from '../../common/client-address.ts'
import { refusal, refuse } from '../errors.ts'
import type { RouteContext } from '../route.ts'

/**
 * Time limits, in milliseconds. One statement deletes all rows, and takes some seconds for each 100,000. It may wait for a lock as long as
 * requests of members take.
 */
const timeoutsMs = { statement: 600_000, lock: 60_000 }

/** Acquires the lock of a deletion, until the transaction ends. All processes share these locks. */
const begin = (subject: string) =>
  sql<{ isFirst: boolean }>`
  select set_config('statement_timeout', ${String(timeoutsMs.statement)}, true), set_config('lock_timeout', ${String(timeoutsMs.lock)}, true),
    pg_try_advisory_xact_lock(hashtextextended('deletion of ' || ${subject}, 0)) as "isFirst"`

/**
 * Runs such a deletion in one transaction. Few run at once, because each holds a connection.
 * @param subject identifies the deletion. A repeated request is refused while the first one runs, so it takes no second slot.
 * @throws Refusal SERVICE_BUSY if others take too long, or if the same deletion is running
 */
export async function deleteWithRows<Result>(c: RouteContext, subject: string, work: () => Promise<Result>): Promise<Result> {
  const { db, deletionQueue, inTransaction } = c.var.services
  const leave = await deletionQueue.enter(clientNetwork(c.var.client.address)) ?? refuse('SERVICE_BUSY', 60)
  try {
    return await inTransaction(async () => {
      const { rows: [lock] } = await begin(subject).execute(db)
      if (lock?.isFirst !== true) throw refusal('SERVICE_BUSY', 'This deletion is already running. It needs no second request.', 10)
      return work()
    })
  } finally {
    leave()
  }
}

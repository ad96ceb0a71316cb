/** The deletion of a user or an organization with all rows. */
import { sql } from 'kysely'
import { clientNetwork } from '../../common/client-address.ts'
import { reject } from '../../http/errors.ts'
import type { RouteContext } from '../../http/route.ts'

/**
 * Time limit of a statement. One statement deletes all rows, and takes some seconds for each
 * 100,000.
 */
const statementTimeout = '10min'
/**
 * Longest wait for a row that a request of a member holds. Other requests of this service wait a
 * second.
 */
const lockTimeout = '1min'

/**
 * Runs such a deletion in one transaction. Few run at once, because each holds a connection.
 * @param subject identifies the deletion. The same deletion again waits only a second, so it takes
 * no second slot for long.
 * @throws Rejection SERVICE_BUSY if others take too long
 */
export async function deleteWithRows<Result>(
  c: RouteContext,
  subject: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const { db, deletionQueue, inTransaction } = c.var.services
  const leave = await deletionQueue.enter(clientNetwork(c.var.client.address)) ??
    reject('SERVICE_BUSY', 60)
  try {
    return await inTransaction(async () => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`deletion of ${subject}`}, 0))`
        .execute(db)
      await sql`select set_config('statement_timeout', ${statementTimeout}, true), set_config('lock_timeout', ${lockTimeout}, true)`
        .execute(db)
      return work()
    })
  } finally {
    leave()
  }
}

/** The deletion of a user or an organization with all rows. */
import { sql } from 'kysely'
import { clientNetwork } from '../../common/client-address.ts'
import { refuse } from '../errors.ts'
import type { RouteContext } from '../route.ts'

/** Time limit of a statement, in milliseconds. One statement deletes all rows, and takes some seconds for each 100,000. */
const timeoutMs = 600_000

/**
 * Runs such a deletion in one transaction. Few run at once, because each holds a connection.
 * @throws Refusal SERVICE_BUSY if others take too long
 */
export async function deleteWithRows<Result>(c: RouteContext, work: () => Promise<Result>): Promise<Result> {
  const { db, deletionQueue, inTransaction } = c.var.services
  const leave = await deletionQueue.enter(clientNetwork(c.var.client.address)) ?? refuse('SERVICE_BUSY', 60)
  try {
    return await inTransaction(async () => {
      await sql`set local statement_timeout = ${sql.lit(timeoutMs)}`.execute(db)
      return work()
    })
  } finally {
    leave()
  }
}

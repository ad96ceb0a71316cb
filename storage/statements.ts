/** Runs the statements of files. No connection waits for a client. */
import type pg from 'pg'
import { fairQueue } from '../common/fair-queue.ts'
import { withClient } from '../http/database.ts'
import { reject } from '../http/errors.ts'
import type { TicketFile } from './byte-store.ts'

/**
 * Statements at once of all files together, so that the other connections of the pool remain for
 * sign-ins.
 */
const statements = 4
const waitingStatements = 2_000
const waitMs = 60_000

/** PostgreSQL's code for a lock that another transaction holds for too long. */
const lockTimeout = '55P03'

/**
 * Runs a prepared statement; its first parameter is the hash of the ticket. @returns its first row
 * @throws Rejection SERVICE_BUSY
 */
export type RunStatement = <Row extends pg.QueryResultRow>(
  file: TicketFile,
  name: string,
  text: string,
  values: unknown[],
) => Promise<Row | undefined>

/** @param pool connections of the auth service */
export function fileStatements(pool: pg.Pool): RunStatement {
  const queue = fairQueue(statements, waitingStatements, waitMs)
  return async <Row extends pg.QueryResultRow>(
    { userId, tokenHash }: TicketFile,
    name: string,
    text: string,
    values: unknown[],
  ) => {
    const leave = await queue.enter(userId) ?? reject('SERVICE_BUSY', 5)
    try {
      return await withClient(
        pool,
        async (client) =>
          (await client.query<Row>({ name, text, values: [tokenHash, ...values] })).rows[0],
      )
    } catch (error) {
      if ((error as { code?: unknown }).code === lockTimeout) reject('SERVICE_BUSY', 5)
      throw error
    } finally {
      leave()
    }
  }
}

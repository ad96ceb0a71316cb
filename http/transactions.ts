/**
 * The transaction of a request: all statements of both query builders run on its connection.
 * Connections of database.ts describes the rules.
 */
import type { AsyncLocalStorage } from 'node:async_hooks'
import {
  CompiledQuery,
  PostgresDialect,
  PostgresDriver,
  type DatabaseConnection,
  type PostgresPoolClient,
  type TransactionSettings,
} from 'kysely'
import type pg from 'pg'
import { currentRequest } from './policy.ts'

/**
 * Begins with each transaction. Otherwise requests that wait for the locks of a long deletion would
 * take all connections. Statements outside of transactions wait for a migration's locks, until
 * statement_timeout.
 */
const setLockTimeout = `set local lock_timeout = '1s'`

/** The connection of an open transaction, as Kysely uses it. */
type OpenTransaction = PostgresPoolClient & Pick<pg.ClientBase, 'query'> & {
  /** The first error of a statement. PostgreSQL then refuses the rest of the transaction. */
  failure: unknown
  /** Whether a transaction inside this one was rolled back. */
  isRolledBack: boolean
  /** Whether the connection may belong to another request already. */
  isClosed: boolean
  afterCommit: (() => void)[]
}

function openTransaction(client: pg.PoolClient): OpenTransaction {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const transaction: OpenTransaction = {
    failure: undefined,
    isRolledBack: false,
    isClosed: false,
    afterCommit: [],
    query: (async (...args: unknown[]): Promise<unknown> => {
      if (transaction.isClosed)
        throw new Error('The transaction of this request is already finished.')
      try {
        return await query(...args)
      } catch (error) {
        transaction.failure ??= error
        throw error
      }
    }) as pg.ClientBase['query'],
    release: () => undefined,
  }
  return transaction
}

/** The open transaction of the current request. */
export type Transactions = AsyncLocalStorage<OpenTransaction | undefined>

/** Reports a failed query to the current request. */
export const onQueryError = (error: unknown): void => currentRequest.getStore()?.onQueryError(error)

/** Returns the dialect of a pool. Inside a transaction, all statements run on its connection. */
export function joiningDialect(pool: pg.Pool, transactions: Transactions): PostgresDialect {
  const config = {
    pool: {
      options: pool.options,
      connect: async (): Promise<PostgresPoolClient> => {
        try {
          return transactions.getStore() ?? await pool.connect()
        } catch (error) {
          // Kysely logs failed queries, but no failed connections.
          onQueryError(error)
          throw error
        }
      },
      end: () => pool.end(),
    },
  }
  class JoiningDriver extends PostgresDriver {
    override async beginTransaction(
      connection: DatabaseConnection,
      settings: TransactionSettings,
    ): Promise<void> {
      if (transactions.getStore() !== undefined) return
      await super.beginTransaction(connection, settings)
      await connection.executeQuery(CompiledQuery.raw(setLockTimeout))
    }
    override async commitTransaction(connection: DatabaseConnection): Promise<void> {
      if (transactions.getStore() === undefined) await super.commitTransaction(connection)
    }
    override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
      const transaction = transactions.getStore()
      if (transaction === undefined)
        await super.rollbackTransaction(
          connection as Parameters<PostgresDriver['rollbackTransaction']>[0],
        )
      else transaction.isRolledBack = true
    }
  }
  class JoiningDialect extends PostgresDialect {
    override createDriver(): JoiningDriver {
      return new JoiningDriver(config)
    }
  }
  return new JoiningDialect(config)
}

/** Runs work in a transaction on a connection of the pool. */
export async function runTransaction<Result>(
  pool: pg.Pool,
  transactions: Transactions,
  work: () => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  const transaction = openTransaction(client)
  let isBroken = false
  try {
    await client.query(`begin; ${setLockTimeout}`)
    const result = await transactions.run(transaction, work)
    if (transaction.failure !== undefined || transaction.isRolledBack)
      throw new Error('A part of the transaction has failed.')
    await client.query('commit')
    for (const run of transaction.afterCommit) run()
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {
      isBroken = true
    })
    throw transaction.failure ?? error
  } finally {
    transaction.isClosed = true
    client.release(isBroken)
  }
}

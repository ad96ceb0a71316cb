/**
 * The auth service's connections. There are two pools because the engine keeps a connection for a whole transaction: a
 * request that holds one and waits for another out of the same pool can wait for itself.
 */
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Tables } from '../db/types.ts'
import type { Tracing } from '../infra/shared/tracing.ts'
import { currentRequest } from './current-request.ts'
import { wrapClients } from './pg-client.ts'

export type AuthDatabase = Kysely<Tables>

/** Runs a prepared statement. @returns its first row */
export type PreparedQuery = <Row extends pg.QueryResultRow>(statement: { name: string, text: string }, values: unknown[]) => Promise<Row | undefined>

export type Connections = {
  /** The engine's alone. */
  engine: Kysely<unknown>
  /** Our own queries. */
  db: AuthDatabase
  /** The same connections as `db`, for what needs one of them for itself or is no query of typed rows. */
  pool: pg.Pool
  /** For the statements of each request, which a query builder would write anew every time. */
  prepared: PreparedQuery
  /** Both pools by their names, to be counted. */
  pools: { auth: pg.Pool, engine: pg.Pool }
  close: () => Promise<void>
}

/**
 * Opens both pools; nothing is connected before the first query.
 * @param url the connection of the role `auth_service`
 * @param onError told of a connection that broke while idle; the pool replaces it by itself
 * @param tracing gets a span for each statement of a request
 */
export function connect(url: string, onError: (error: Error) => void, tracing?: Tracing): Connections {
  const poolOf = (name: string) => {
    const pool = new pg.Pool({
      connectionString: url,
      application_name: name,
      max: 10,
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 30_000,
      statement_timeout: 15_000,
      idle_in_transaction_session_timeout: 30_000,
    })
    pool.on('error', onError)
    // A connection that breaks in use fails the query too, which tells its caller. Unheard, this event would end the process.
    pool.on('connect', (client) => client.on('error', () => undefined))
    wrapClients(pool, tracing)
    return pool
  }
  const pool = poolOf('auth')
  const enginePool = poolOf('auth-engine')
  const onQueryError = (error: unknown) => currentRequest.getStore()?.onQueryError(error)
  const engine = new Kysely<unknown>({
    dialect: new PostgresDialect({
      pool: {
        options: enginePool.options,
        // Kysely logs failed queries, and not a connection that cannot be opened
        connect: () =>
          enginePool.connect().catch((error: unknown) => {
            onQueryError(error)
            throw error
          }),
        end: () => enginePool.end(),
      },
    }),
    plugins: [new CamelCasePlugin()],
    // to the engine a session that it could not read does not exist
    log: (event) => {
      if (event.level === 'error') onQueryError(event.error)
    },
  })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] })
  return {
    engine,
    db,
    pool,
    prepared: async (statement, values) => {
      // A query of the pool itself calls back, so it would not be traced.
      const client = await pool.connect()
      try {
        return (await client.query({ ...statement, values })).rows[0]
      } finally {
        client.release()
      }
    },
    pools: { auth: pool, engine: enginePool },
    close: async () => {
      await Promise.all([engine.destroy(), db.destroy()])
    },
  }
}

/**
 * The auth service's connections. There are two pools because the engine keeps a connection for a whole transaction: a
 * request that holds one and waits for another out of the same pool can wait for itself.
 */
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Tables } from '../db/types.ts'
import type { Tracing } from '../infra/shared/tracing.ts'
import { noteDatabaseFailure } from './request-context.ts'
import { tellWhoAsks } from './telling-statements.ts'
import { traceStatements } from './traced-statements.ts'

export type AuthDatabase = Kysely<Tables>

export type Connections = {
  /** The engine's alone. */
  engine: Kysely<unknown>
  /** Our own queries. */
  db: AuthDatabase
  /** The same connections as `db`, for what needs one of them for itself or is no query of typed rows. */
  pool: pg.Pool
  /** Both pools by their names, to be counted. */
  pools: { auth: pg.Pool, engine: pg.Pool }
  close: () => Promise<void>
}

/**
 * Opens both pools; nothing is connected before the first query.
 * @param url the connection of the role `auth_service`
 * @param onError told of a connection that broke while idle, which the pool replaces by itself, and of a password that is no longer valid
 * @param tracing gets a span for each statement of a request
 */
export function connect(url: string, onError: (error: Error) => void, tracing?: Tracing): Connections {
  let isAccepted = false
  /** Reports a password that the database has accepted before. Only the caller of a query hears of it otherwise, for each query. */
  class Client extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config)
      this.connection.on('errorMessage', ({ code }: pg.DatabaseError) => {
        if (code !== '28P01' || !isAccepted) return
        isAccepted = false
        onError(new Error('AUTH_DATABASE_URL: the database refuses the password of auth_service. Restart this service after a change of the password.'))
      })
    }
  }
  const poolOf = (name: string) => {
    const pool = new pg.Pool({
      Client,
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
    pool.on('connect', (client) => {
      isAccepted = true
      client.on('error', () => undefined)
    })
    tellWhoAsks(pool)
    if (tracing !== undefined) traceStatements(pool, tracing)
    return pool
  }
  const pool = poolOf('auth')
  const enginePool = poolOf('auth-engine')
  const engine = new Kysely<unknown>({
    dialect: new PostgresDialect({
      pool: {
        options: enginePool.options,
        // Kysely logs failed queries, and not a connection that cannot be opened
        connect: () =>
          enginePool.connect().catch((error: unknown) => {
            noteDatabaseFailure(error)
            throw error
          }),
        end: () => enginePool.end(),
      },
    }),
    plugins: [new CamelCasePlugin()],
    // to the engine a session that it could not read does not exist
    log: (event) => {
      if (event.level === 'error') noteDatabaseFailure(event.error)
    },
  })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] })
  return {
    engine,
    db,
    pool,
    pools: { auth: pool, engine: enginePool },
    close: async () => {
      await Promise.all([engine.destroy(), db.destroy()])
    },
  }
}

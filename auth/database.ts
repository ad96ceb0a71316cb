/**
 * The connections of the auth service. There are two pools, because better-auth holds a connection for a whole transaction. A
 * request that holds one and needs another of the same pool could wait forever.
 */
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Tables } from '../db/types.ts'
import type { Tracing } from '../common/tracing.ts'
import { currentRequest } from './current-request.ts'
import { wrapClients } from './pg-client.ts'

export type AuthDatabase = Kysely<Tables>

/** Runs work on one connection. A failure closes the connection, because it may be inside a transaction or hold a lock. */
export async function withClient<Result>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  let hasFailed = true
  try {
    const result = await work(client)
    hasFailed = false
    return result
  } finally {
    client.release(hasFailed)
  }
}

/** Runs a prepared statement. @returns its first row */
export type PreparedQuery = <Row extends pg.QueryResultRow>(statement: { name: string, text: string }, values: unknown[]) => Promise<Row | undefined>

export type Connections = {
  /** For better-auth only. */
  engine: Kysely<unknown>
  db: AuthDatabase
  /** The connections of `db`, for work that needs a connection of its own. */
  pool: pg.Pool
  /** Skips the query builder for the statements of every request. */
  prepared: PreparedQuery
  /** Both pools, for metrics. */
  pools: { auth: pg.Pool, engine: pg.Pool }
  close: () => Promise<void>
}

/**
 * Opens both pools. They connect with the first query.
 * @param url the connection of the role `auth_service`
 * @param onError called if an idle connection breaks, which the pool replaces, and if a password is no longer valid
 * @param tracing receives a span for each statement of a request
 */
export function connect(url: string, onError: (error: Error) => void, tracing?: Tracing): Connections {
  let isAccepted = false
  /** Reports once that the database refuses a password that it has accepted before. Without it only the failed queries say so. */
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
    pool.on('connect', (client) => {
      isAccepted = true
      // A connection that breaks in use also fails its query. Without a listener this event would end the process.
      client.on('error', () => undefined)
    })
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
        // Kysely logs failed queries, but no failed connections.
        connect: () =>
          enginePool.connect().catch((error: unknown) => {
            onQueryError(error)
            throw error
          }),
        end: () => enginePool.end(),
      },
    }),
    plugins: [new CamelCasePlugin()],
    // better-auth treats a session that it could not read as missing.
    log: (event) => {
      if (event.level === 'error') onQueryError(event.error)
    },
  })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] })
  return {
    engine,
    db,
    pool,
    // A query of the pool itself calls back, so it would not be traced.
    prepared: (statement, values) => withClient(pool, async (client) => (await client.query({ ...statement, values })).rows[0]),
    pools: { auth: pool, engine: enginePool },
    close: async () => {
      await Promise.all([engine.destroy(), db.destroy()])
    },
  }
}

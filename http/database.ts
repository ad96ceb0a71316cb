/**
 * The connections of the auth service. There are two pools, because a request holds a connection
 * for its whole transaction. A request that holds one and needs another of the same pool could wait
 * forever.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { CamelCasePlugin, Kysely } from 'kysely'
import pg from 'pg'
import type { Tables } from '../db/types.ts'
import type { Tracing } from '../common/tracing.ts'
import { currentRequest } from './policy.ts'
import { joiningDialect, onQueryError, runTransaction, type Transactions } from './transactions.ts'

export type AuthDatabase = Kysely<Tables>

/** The name of a process in traces. */
export type ServiceName = 'finance-auth' | 'finance-realtime'

/**
 * Runs work on one connection. A failure closes the connection, because it may be inside a
 * transaction or hold a lock.
 */
export async function withClient<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
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
export type PreparedQuery = <Row extends pg.QueryResultRow>(
  statement: { name: string, text: string },
  values: unknown[],
) => Promise<Row | undefined>

export type Connections = {
  /** For better-auth only. */
  engine: Kysely<unknown>
  db: AuthDatabase
  /**
   * The connections of `db` outside of a transaction, for work that needs a connection of its own.
   */
  pool: pg.Pool
  /**
   * Skips the query builder for the statements of every request. Never part of a transaction, so
   * that a refused request still counts.
   */
  prepared: PreparedQuery
  /**
   * Runs work in one transaction: all statements of `engine`, `db` and `currentTransaction` in it
   * are stored together or not at all. A transaction inside another one is a part of it.
   * @throws the first error of a statement, otherwise what the work throws
   */
  inTransaction: <Result>(work: () => Promise<Result>) => Promise<Result>
  /**
   * Runs a part of such work outside of the transaction, so that it is stored even if the request
   * fails.
   */
  outsideTransaction: <Result>(work: () => Promise<Result>) => Promise<Result>
  /**
   * Returns the connection of the open transaction, for statements as text. Undefined outside of
   * one.
   */
  currentTransaction: () => Pick<pg.ClientBase, 'query'> | undefined
  /**
   * Runs work after the commit of the open transaction, and never if that fails. Outside of a
   * transaction it runs at once.
   */
  afterCommit: (work: () => void) => void
  /** Both pools, for metrics. */
  pools: { auth: pg.Pool, engine: pg.Pool }
  close: () => Promise<void>
}

type Query = (...args: unknown[]) => unknown

const isWrite = /^\s*(?:insert|update|delete)\b/i

const setAuditContext = {
  name: 'audit-context',
  text: `select set_config('events.asking', $1, false)`,
}

/**
 * The audit context of the current request, for the triggers in db/identity/events.sql. Empty
 * outside a request.
 */
function auditContext(): string {
  const request = currentRequest.getStore()
  if (request === undefined) return ''
  const { client: { address, userAgent }, caller } = request
  return JSON.stringify({
    user_id: caller?.user.id,
    session_id: caller?.session.id,
    ip_address: address,
    user_agent: userAgent,
  })
}

/** Returns the operation and the table of a statement, as far as its first words name them. */
export function describeStatement(text: string): { operation: string, table: string | undefined } {
  const operation = /^\s*([a-z]{1,20})\b/i.exec(text)?.[1]?.toLowerCase() ?? 'statement'
  const [, schema, table] =
    /\b(?:from|into|update)\s+(?:only\s+)?(?:"?([a-z_]{1,63})"?\.)?"?([a-z_]{1,63})"?(?!["\w.(])/i
      .exec(text) ?? []
  return {
    operation,
    table: table === undefined ? undefined : schema === undefined ? table : `${schema}.${table}`,
  }
}

/**
 * Returns a query function that makes a span inside a request. The span holds no SQL text and no
 * values.
 */
const tracedQuery = (query: Query, tracing: Tracing, service: ServiceName): Query => (...args) => {
  const [statement] = args
  const text = typeof statement === 'string'
    ? statement
    : (statement as { text?: unknown } | undefined)?.text
  if (typeof text !== 'string' || tracing.traceparent() === undefined) return query(...args)
  const { operation, table } = describeStatement(text)
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    ...(table !== undefined && { 'db.collection.name': table }),
  }
  return tracing.span([operation, table].filter(Boolean).join(' '), {
    service,
    kind: 'client',
    attributes,
  }, async (span) => {
    try {
      return await query(...args)
    } catch (error) {
      if (error instanceof Error && 'code' in error && typeof error.code === 'string')
        span.set({ 'db.response.status_code': error.code })
      throw error
    }
  })
}

/**
 * Wraps every client that the pool opens. A write as text first sets the audit context, and each
 * statement of a request makes a span. Queries with a callback pass through unchanged, because they
 * return no promise. No write uses one. Prepared statements set no audit context, so they must not
 * write to a table whose triggers record events.
 */
function wrapClients(pool: pg.Pool, tracing: Tracing | undefined, service: ServiceName): void {
  pool.on('connect', (client) => {
    const direct = client.query.bind(client) as Query
    const query = tracing === undefined ? direct : tracedQuery(direct, tracing, service)
    const wrapped: Query = (...args) => {
      if (typeof args.at(-1) === 'function') return direct(...args)
      if (typeof args[0] !== 'string' || !isWrite.test(args[0])) return query(...args)
      // set before each write, because requests share connections and a rollback resets the setting
      return (direct({ ...setAuditContext, values: [auditContext()] }) as Promise<unknown>).then(
        () => query(...args),
      )
    }
    client.query = wrapped as typeof client.query
  })
}

/**
 * Returns the function that opens a pool under a name.
 * @param url the connection of the role `auth_service`
 * @param onError called as in connect()
 */
function poolsOf(
  url: string,
  onError: (error: Error) => void,
  tracing: Tracing | undefined,
  service: ServiceName,
): (name: string) => pg.Pool {
  let isAccepted = false
  /**
   * Reports once that the database refuses a password that it has accepted before. Without this
   * class only failed queries would show it.
   */
  class Client extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config)
      this.connection.on('errorMessage', ({ code }: pg.DatabaseError) => {
        if (code !== '28P01' || !isAccepted) return
        isAccepted = false
        onError(
          new Error(
            'AUTH_DATABASE_URL: the database refuses the password of auth_service. Restart this service after a change of the password.',
          ),
        )
      })
    }
  }
  return (name) => {
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
      // A connection that breaks in use also fails its query. Without a listener this event would
      // end the process.
      client.on('error', () => undefined)
    })
    wrapClients(pool, tracing, service)
    return pool
  }
}

/**
 * Opens both pools. They connect with the first query.
 * @param url the connection of the role `auth_service`
 * @param onError called if an idle connection breaks, which the pool replaces, and if a password is
 * no longer valid
 * @param tracing receives a span for each statement of a request
 * @param service the name of the process in these spans
 */
export function connect(
  url: string,
  onError: (error: Error) => void,
  tracing?: Tracing,
  service: ServiceName = 'finance-auth',
): Connections {
  const poolOf = poolsOf(url, onError, tracing, service)
  const pool = poolOf('auth')
  const enginePool = poolOf('auth-engine')
  const transactions: Transactions = new AsyncLocalStorage()
  const engine = new Kysely<unknown>({
    dialect: joiningDialect(enginePool, transactions),
    plugins: [new CamelCasePlugin()],
    // better-auth treats a session that it could not read as missing, so serve-route.ts needs the
    // error itself.
    log: (event) => {
      if (event.level === 'error') onQueryError(event.error)
    },
  })
  const db = new Kysely<Tables>({
    dialect: joiningDialect(pool, transactions),
    plugins: [new CamelCasePlugin()],
  })
  return {
    engine,
    db,
    pool,
    // pool.query() passes a callback, so wrapClients() would not trace it.
    prepared: (statement, values) =>
      withClient(pool, async (client) => (await client.query({ ...statement, values })).rows[0]),
    inTransaction: (
      work,
    ) => (transactions.getStore() === undefined
      ? runTransaction(enginePool, transactions, work)
      : work()),
    outsideTransaction: (work) => transactions.run(undefined, work),
    currentTransaction: () => transactions.getStore(),
    afterCommit: (work) => {
      const transaction = transactions.getStore()
      if (transaction === undefined) work()
      else transaction.afterCommit.push(work)
    },
    pools: { auth: pool, engine: enginePool },
    close: async () => {
      await Promise.all([engine.destroy(), db.destroy()])
    },
  }
}

/** Wraps the clients of a pool once: the audit context before each write, and a span for each statement of a request. */
import type pg from 'pg'
import type { Tracing } from '../common/tracing.ts'
import { currentRequest } from './current-request.ts'

type Query = (...args: unknown[]) => unknown

const isWrite = /^\s*(?:insert|update|delete)\b/i

/** The audit context of the current request, for the triggers in db/functions/private/events.sql. Empty outside a request. */
function auditContext(): string {
  const request = currentRequest.getStore()
  if (request === undefined) return ''
  const { client: { address, userAgent }, caller } = request
  return JSON.stringify({ user_id: caller?.user.id, session_id: caller?.session.id, ip_address: address, user_agent: userAgent })
}

/** Returns the operation and the table of a statement, as far as its first words name them. */
export function describeStatement(text: string): { operation: string, table: string | undefined } {
  const operation = /^\s*([a-z]{1,20})\b/i.exec(text)?.[1]?.toLowerCase() ?? 'statement'
  const [, schema, table] = /\b(?:from|into|update)\s+(?:only\s+)?(?:"?([a-z_]{1,63})"?\.)?"?([a-z_]{1,63})"?(?!["\w.(])/i.exec(text) ?? []
  return { operation, table: table === undefined ? undefined : schema === undefined ? table : `${schema}.${table}` }
}

/** Returns a query function that makes a span inside a request. The span holds no SQL text and no values. */
const tracedQuery = (query: Query, tracing: Tracing): Query => (...args) => {
  const [statement] = args
  const text = typeof statement === 'string' ? statement : (statement as { text?: unknown } | undefined)?.text
  if (typeof text !== 'string' || tracing.traceparent() === undefined) return query(...args)
  const { operation, table } = describeStatement(text)
  const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation, ...(table !== undefined && { 'db.collection.name': table }) }
  return tracing.span([operation, table].filter(Boolean).join(' '), { service: 'finance-auth', kind: 'client', attributes }, async (span) => {
    try {
      return await query(...args)
    } catch (error) {
      if (error instanceof Error && 'code' in error && typeof error.code === 'string') span.set({ 'db.response.status_code': error.code })
      throw error
    }
  })
}

/** Wraps every client that the pool opens. Cursors and callbacks pass through: they return no promise, and no write uses them. */
export function wrapClients(pool: pg.Pool, tracing: Tracing | undefined): void {
  pool.on('connect', (client) => {
    const direct = client.query.bind(client) as Query
    const query = tracing === undefined ? direct : tracedQuery(direct, tracing)
    const wrapped: Query = (...args) => {
      if (typeof args.at(-1) === 'function') return direct(...args)
      if (typeof args[0] !== 'string' || !isWrite.test(args[0])) return query(...args)
      // before each write, because requests share the connection and a failed transaction takes the setting back
      return (direct(`select set_config('events.asking', $1, false)`, [auditContext()]) as Promise<unknown>).then(() => query(...args))
    }
    client.query = wrapped as typeof client.query
  })
}

/** A span for each statement that a request makes: its kind and its table, and nothing of its text or its values. */
import type pg from 'pg'
import type { Span, Tracing } from '../infra/shared/tracing.ts'

/** What a statement does and to which table, as far as its first words say so. */
export function describeStatement(text: string): { operation: string, table: string | undefined } {
  const operation = /^\s*([a-z]{1,20})\b/i.exec(text)?.[1]?.toLowerCase() ?? 'statement'
  const [, schema, table] = /\b(?:from|into|update)\s+(?:only\s+)?(?:"?([a-z_]{1,63})"?\.)?"?([a-z_]{1,63})"?(?!["\w.(])/i.exec(text) ?? []
  return { operation, table: table === undefined ? undefined : schema === undefined ? table : `${schema}.${table}` }
}

/**
 * Makes a pool's connections trace what is asked of them. Only inside a span: what the service does of its own accord is
 * nobody's request.
 */
export function traceStatements(pool: pg.Pool, tracing: Tracing): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    const traced = (...args: unknown[]): unknown => {
      const [statement] = args
      const text = typeof statement === 'string' ? statement : (statement as { text?: unknown } | undefined)?.text
      // a cursor and a callback answer otherwise than by a promise
      if (typeof text !== 'string' || typeof args.at(-1) === 'function' || tracing.traceparent() === undefined) return query(...args)
      const { operation, table } = describeStatement(text)
      const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation, ...(table !== undefined && { 'db.collection.name': table }) }
      return tracing.span([operation, table].filter(Boolean).join(' '), { service: 'finance-auth', kind: 'client', attributes }, async (span: Span) => {
        try {
          return await query(...args)
        } catch (error) {
          if (error instanceof Error && 'code' in error && typeof error.code === 'string') span.set({ 'db.response.status_code': error.code })
          throw error
        }
      })
    }
    client.query = traced as typeof client.query
  })
}

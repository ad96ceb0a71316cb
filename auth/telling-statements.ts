/** Tells the database who asks, because its triggers write down who did what and from where (db/functions/private/events.sql). */
import type pg from 'pg'
import { requestContexts } from './request-context.ts'

const isWrite = /^\s*(?:insert|update|delete)\b/i

/** The request that is being answered; nothing where the service does something of its own accord. */
function asking(): string {
  const request = requestContexts.getStore()
  if (request === undefined) return ''
  return JSON.stringify({
    user_id: request.caller?.userId,
    session_id: request.caller?.sessionId,
    ip_address: request.address,
    user_agent: request.userAgent,
  })
}

/**
 * Makes a pool's connections say who asks before each statement that writes. Before each, because a connection serves one
 * request after the other, and a transaction that fails takes the setting back.
 */
export function tellWhoAsks(pool: pg.Pool): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    const telling = (...args: unknown[]): unknown => {
      const [text] = args
      // a cursor and a callback answer otherwise than by a promise; nobody writes by them
      if (typeof text !== 'string' || typeof args.at(-1) === 'function' || !isWrite.test(text)) return query(...args)
      return (query(`select set_config('events.asking', $1, false)`, [asking()]) as Promise<unknown>).then(() => query(...args))
    }
    client.query = telling as typeof client.query
  })
}

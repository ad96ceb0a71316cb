/**
 * Tells people by mail what happened in their accounts. The triggers that write events note whom to tell; this puts the mails into
 * the queue, and ends the note in the same transaction: each is told once, however many processes look, whoever made the
 * event, and also when a process ends in between.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { describeError, type Log } from '../log.ts'
import type { Mailer } from './mailer.ts'
import type { Notice } from './messages.ts'

/** Between two looks, in milliseconds: as often as the queue looks for jobs. */
const usualPauseMs = 2_000
/** Events of one transaction. */
const batch = 100

/** @returns how many were told */
async function tell(client: pg.ClientBase, notify: (notice: Notice) => Promise<void>): Promise<number> {
  const { rows } = await client.query<Notice & { id: string }>(
    `select e.id, e.mail_to as "to", u.name, e.kind, e.happened_at as "happenedAt", e.detail ->> 'name' as about,
      e.ip_address as "ipAddress", e.user_agent as "userAgent"
    from auth.events e join auth.users u on u.id = e.user_id
    where e.mail_to is not null
    order by e.happened_at limit ${batch} for update of e skip locked`,
  )
  if (rows.length === 0) return 0
  for (const { id: _, ...notice } of rows) await notify(notice)
  await client.query('update auth.events set mail_to = null where id = any ($1)', [rows.map(({ id }) => id)])
  return rows.length
}

/**
 * Runs until stopped; several processes may run it at once.
 * @param mailerThrough the mails, put into the queue in this connection's transaction
 * @param pauseMs between two looks, for tests that wait for many mails
 * @returns the function that stops it, which waits for the mails that it is about to queue
 */
export function startNotices(
  pool: pg.Pool,
  mailerThrough: (client: pg.ClientBase) => Pick<Mailer, 'notice'>,
  log: Log,
  pauseMs = usualPauseMs,
): () => Promise<void> {
  const stopping = new AbortController()
  const look = async () => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      const told = await tell(client, mailerThrough(client).notice)
      await client.query('commit')
      client.release()
      return told
    } catch (error) {
      // ends the connection, and with it the transaction
      client.release(true)
      throw error
    }
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      const told = await look().catch((error: unknown) => {
        log.warn({ error: describeError(error) }, 'notices of events could not be queued; trying again')
        return 0
      })
      if (told < batch) await sleep(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}

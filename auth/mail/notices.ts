/**
 * Notifies users of events by mail. Triggers mark the events that need a mail. This queues the mails and removes the marks in one
 * transaction, so each mail is sent once, also with several processes and after a crash.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { withClient } from '../database.ts'
import { describeError, type Log } from '../../common/log.ts'
import type { Mailer } from './mailer.ts'
import type { Notice } from './messages.ts'

/** Pause between queries, in milliseconds, like that of the queue. */
const usualPauseMs = 2_000
/** Events per transaction. */
const batch = 100

/** Queues a batch. @returns the number of mails */
async function queueNotices(client: pg.ClientBase, notify: (notice: Notice) => Promise<void>): Promise<number> {
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
 * Runs until stopped, in any number of processes.
 * @param mailerThrough builds a mailer that queues in the transaction of a connection
 * @param pauseMs pause between queries, for tests
 * @returns a function that stops it after the current batch
 */
export function startNotices(
  pool: pg.Pool,
  mailerThrough: (client: pg.ClientBase) => Pick<Mailer, 'notice'>,
  log: Log,
  pauseMs = usualPauseMs,
): () => Promise<void> {
  const stopping = new AbortController()
  const look = () =>
    withClient(pool, async (client) => {
      await client.query('begin')
      const queuedMails = await queueNotices(client, mailerThrough(client).notice)
      await client.query('commit')
      return queuedMails
    })
  const run = async () => {
    while (!stopping.signal.aborted) {
      const queuedMails = await look().catch((error: unknown) => {
        log.warn({ error: describeError(error) }, 'notices of events could not be queued; trying again')
        return 0
      })
      if (queuedMails < batch) await sleep(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}

/**
 * Queues the changes of rows for webhooks and delivers them. The queue is a table of its own and not that of mails: a receiver that users
 * choose may hold each attempt for ten seconds, and mails must not wait for it. Any number of processes may run this.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { symmetricDecrypt } from 'better-auth/crypto'
import type pg from 'pg'
import { withClient } from '../database.ts'
import { describeError, type Log } from '../../common/log.ts'
import { sendMessage, type Change, type Failure, type Message, type Receipt, type Receivers } from './sender.ts'

/** Receives the outcome of each attempt, for metrics. */
export type WebhookObserver = {
  delivered: () => void
  failed: (failure: Failure) => void
  disabled: () => void
}

/** Pause between rounds, in milliseconds. Changes of one pause become one message. */
const usualPauseMs = 2_000
/** Concurrent attempts of a process. An attempt only waits, so many cost little. */
const concurrency = 64
/** Maximum concurrent attempts of one user. So it takes sixteen users with slow receivers to hold all attempts. */
const maxPerUser = 4
/** Time after which another process may repeat an attempt, in seconds. An attempt takes at most ten. */
const leaseSeconds = 30
/** A webhook that fails for this long is turned off, in milliseconds. */
const giveUpMs = 86_400_000
/** The delays after failed attempts, in milliseconds: from the first one, doubled up to the last one. */
const [firstDelayMs, lastDelayMs] = [5_000, 3_600_000]
/** The status with which a receiver ends its webhook. */
const gone = 410

/** Returns the delay after the given number of failures. A random part keeps the webhooks of one receiver apart. */
export const delayAfter = (failures: number, random = Math.random()): number =>
  Math.round(Math.min(firstDelayMs * 2 ** (failures - 1), lastDelayMs) * (0.8 + 0.4 * random))

type Due = {
  webhookId: string
  userId: string
  url: string
  secret: string
  formerSecret: string | null
  failures: number
  failingSince: Date | null
  id: string
  type: Message['type']
  changes: Change[]
  timestamp: Date
}

/** Claims webhooks with a message, and closes the message. One statement, so that no process sends to a webhook at the same time as another. */
const claim = `
  with ranked as (
    select w.id, row_number() over (partition by w.user_id order by w.next_attempt_at)
      + (select count(*) from unnest($2::text[]) as running where running = w.user_id) as place from auth.webhooks w
    where w.disabled_at is null and w.next_attempt_at <= now()
      and exists (select from auth.webhook_deliveries d where d.webhook_id = w.id)
  ), due as (
    select w.id from auth.webhooks w
    where w.id in (select r.id from ranked r where r.place <= ${maxPerUser}) and w.disabled_at is null and w.next_attempt_at <= now()
    order by w.next_attempt_at limit $1
    for update skip locked
  ), claimed as (
    update auth.webhooks w set next_attempt_at = now() + interval '${leaseSeconds} seconds' from due where w.id = due.id returning w.*
  ), oldest as (
    select distinct on (d.webhook_id) d.id from auth.webhook_deliveries d join due on due.id = d.webhook_id order by d.webhook_id, d.is_open, d.created_at
  )
  update auth.webhook_deliveries d set is_open = false
    from claimed c, oldest o where d.id = o.id and c.id = d.webhook_id
    returning c.id as "webhookId", c.user_id as "userId", c.url, c.secret, case when c.former_secret_until > now() then c.former_secret end as "formerSecret", c.failures,
      c.failing_since as "failingSince", d.id, d.type, d.changes, d.created_at as timestamp`

const succeed = `
  with done as (delete from auth.webhook_deliveries where id = $2)
  update auth.webhooks set failures = 0, failing_since = null, last_failure = null, last_status = null, delivered_at = now(), next_attempt_at = now() where id = $1`

const retry = `
  update auth.webhooks
    set failures = failures + 1, failing_since = coalesce(failing_since, now()), last_failure = $2, last_status = $3,
      next_attempt_at = now() + $4 * interval '1 millisecond'
    where id = $1`

const disable = `
  update auth.webhooks set disabled_at = now(), failures = failures + 1, failing_since = coalesce(failing_since, now()), last_failure = $2, last_status = $3
    where id = $1 and disabled_at is null`

/** Returns undefined if BETTER_AUTH_SECRET has changed since the secret was stored. */
const decrypt = (key: string, data: string): Promise<string | undefined> => symmetricDecrypt({ key, data }).catch(() => undefined)

/**
 * Runs until stopped.
 * @param secret BETTER_AUTH_SECRET
 * @param pauseMs pause between rounds, for tests
 * @returns a function that stops it; a message that is being sent is sent again by the next process
 */
export function startWebhooks({ pool, secret, receivers, observer, log, pauseMs = usualPauseMs }: {
  pool: pg.Pool
  secret: string
  receivers: Receivers
  observer: WebhookObserver
  log: Log
  pauseMs?: number | undefined
}): () => Promise<void> {
  const stopping = new AbortController()
  /** The running attempts, each with its user. */
  const attempts = new Map<Promise<void>, string>()

  const send = async ({ url, id, type, timestamp, changes, ...due }: Due): Promise<Receipt> => {
    const current = await decrypt(secret, due.secret)
    if (current === undefined) return { delivered: false, failure: 'secret' }
    const former = due.formerSecret === null ? undefined : await decrypt(secret, due.formerSecret)
    return sendMessage(receivers, url, { id, type, timestamp, changes }, former === undefined ? [current] : [current, former], stopping.signal)
  }
  const attempt = async (due: Due): Promise<void> => {
    const { webhookId, failures, failingSince } = due
    const receipt = await send(due)
    if (receipt.delivered) {
      observer.delivered()
      await pool.query(succeed, [webhookId, due.id])
      return
    }
    const { failure, status } = receipt
    observer.failed(failure)
    const isOver = status === gone || failure === 'secret' || failingSince !== null && Date.now() - failingSince.getTime() > giveUpMs
    // The log names neither the address nor the response: both belong to the user.
    log.debug({ webhook: webhookId, message: due.id, failures: failures + 1, failure, status }, 'a webhook failed')
    if (!isOver) {
      await pool.query(retry, [webhookId, failure, status ?? null, delayAfter(failures + 1)])
      return
    }
    // by a client, so that the event gets no audit context of an earlier request: auth/database.ts
    const isDisabled = await withClient(pool, async (client) => {
      await client.query('begin')
      const { rowCount } = await client.query(disable, [webhookId, failure, status ?? null])
      if (rowCount === 1) await client.query('delete from auth.webhook_deliveries where webhook_id = $1', [webhookId])
      await client.query('commit')
      return rowCount === 1
    })
    if (!isDisabled) return
    observer.disabled()
    log.info({ webhook: webhookId, failure, status }, 'a webhook was turned off')
  }
  const release = ({ webhookId }: Due) => pool.query('update auth.webhooks set next_attempt_at = now() where id = $1', [webhookId])

  const round = async (): Promise<void> => {
    await pool.query('select private.queue_webhooks()')
    const { rows } = await pool.query<Due>(claim, [concurrency - attempts.size, [...attempts.values()]])
    for (const due of rows) {
      const running = attempt(due)
        .catch(async (error: unknown) => {
          if (stopping.signal.aborted) await release(due)
          else log.warn({ webhook: due.webhookId, error: describeError(error) }, 'the outcome of a webhook could not be stored; it will be sent again')
        })
        .catch(() => undefined)
        .finally(() => attempts.delete(running))
      attempts.set(running, due.userId)
    }
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      await round().catch((error: unknown) => log.warn({ error: describeError(error) }, 'webhooks could not be queued; trying again'))
      await sleep(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
    await Promise.all(attempts.keys())
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}

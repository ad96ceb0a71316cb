/**
 * Delivers the messages of webhooks. private.queue_webhooks() makes them of changed rows. They are
 * jobs with slots of their own: a receiver that users choose may hold each attempt for ten seconds,
 * and mails must not wait for it. Any number of processes may run this.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { symmetricDecrypt } from 'better-auth/crypto'
import type pg from 'pg'
import { startWorker, type Handler, type Job } from '../../common/jobs/worker.ts'
import { withClient } from '../../http/database.ts'
import { describeError, type Log } from '../../common/log.ts'
import { sendMessage, type Failure, type Message, type Delivery, type Receivers } from './sender.ts'

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
/**
 * Maximum concurrent attempts of one user. So it takes sixteen users with slow receivers to hold
 * all attempts.
 */
const maxPerUser = 4
/** Timeout of an attempt, in milliseconds. The receiver has ten seconds of it. */
const attemptMs = 20_000
/** A webhook that fails for this long is turned off, in milliseconds. */
const giveUpMs = 86_400_000
/**
 * The delays after failed attempts, in milliseconds: from the first one, doubled up to the last
 * one.
 */
const [firstDelayMs, lastDelayMs] = [5_000, 3_600_000]
/** The status with which a receiver ends its webhook. */
const gone = 410

/**
 * Returns the delay after the given number of failures. A random part keeps the webhooks of one
 * receiver apart.
 */
export const delayAfter = (failures: number, random = Math.random()): number =>
  Math.round(Math.min(firstDelayMs * 2 ** (failures - 1), lastDelayMs) * (0.8 + 0.4 * random))

type Receiver = {
  url: string
  secret: string
  formerSecret: string | null
  failingSince: Date | null
}

const receiverOf = `
  select url, secret, case when former_secret_until > now() then former_secret end as "formerSecret", failing_since as "failingSince"
    from auth.webhooks where id = $1 and disabled_at is null`

const noteDelivery =
  'update auth.webhooks set failing_since = null, last_failure = null, last_status = null, delivered_at = now() where id = $1'

const noteFailure = `
  update auth.webhooks set failing_since = coalesce(failing_since, now()), last_failure = $2, last_status = $3
    where id = $1`

const disable = `
  update auth.webhooks set disabled_at = now(), failing_since = coalesce(failing_since, now()), last_failure = $2, last_status = $3
    where id = $1 and disabled_at is null`

/** Returns undefined if BETTER_AUTH_SECRET has changed since the secret was stored. */
const decrypt = (key: string, data: string): Promise<string | undefined> =>
  symmetricDecrypt({ key, data }).catch(() => undefined)

type WebhookOptions = {
  pool: pg.Pool
  /** BETTER_AUTH_SECRET */
  secret: string
  receivers: Receivers
  observer: WebhookObserver
  log: Log
  /** Pause between rounds, for tests. */
  pauseMs?: number | undefined
}

/** Sends a message, signed with the secrets of its receiver. */
async function send(
  { secret, receivers }: WebhookOptions,
  receiver: Receiver,
  message: Message,
  signal: AbortSignal,
): Promise<Delivery> {
  const current = await decrypt(secret, receiver.secret)
  if (current === undefined) return { delivered: false, failure: 'secret' }
  const former = receiver.formerSecret === null
    ? undefined
    : await decrypt(secret, receiver.formerSecret)
  return sendMessage(
    receivers,
    receiver.url,
    message,
    former === undefined ? [current] : [current, former],
    signal,
  )
}

/** Turns a webhook off, and deletes its messages. */
async function turnOff(
  { pool, observer, log }: WebhookOptions,
  webhookId: string,
  failure: Failure,
  status: number | undefined,
): Promise<void> {
  // by a client, so that the event gets no audit context of an earlier request: http/database.ts
  const isDisabled = await withClient(pool, async (client) => {
    await client.query('begin')
    const { rowCount } = await client.query(disable, [webhookId, failure, status ?? null])
    if (rowCount === 1)
      await client.query(`delete from private.jobs where task = 'send_webhook' and key = $1`, [
        webhookId,
      ])
    await client.query('commit')
    return rowCount === 1
  })
  if (!isDisabled) return
  observer.disabled()
  log.info({ webhook: webhookId, failure, status }, 'a webhook was turned off')
}

/** Returns the handler that sends a message once. */
function sendOnce(options: WebhookOptions): Handler {
  const { pool, observer, log } = options
  return async ({ id, key, payload, createdAt, failures }, signal) => {
    const webhookId = key ?? ''
    const { rows: [receiver] } = await pool.query<Receiver>(receiverOf, [webhookId])
    if (receiver === undefined) return
    const content = payload as Pick<Message, 'type' | 'changes'> // private.queue_webhooks() writes it
    const delivery = await send(options, receiver, {
      ...content,
      id: `msg_${id.replaceAll('-', '')}`,
      timestamp: createdAt,
    }, signal)
    if (delivery.delivered) {
      observer.delivered()
      await pool.query(noteDelivery, [webhookId])
      return
    }
    const { failure, status } = delivery
    observer.failed(failure)
    // The log names neither the address nor the response: both belong to the user.
    log.debug(
      { webhook: webhookId, message: id, failures: failures + 1, failure, status },
      'a webhook failed',
    )
    const { failingSince } = receiver
    if (
      status === gone || failure === 'secret' ||
      failingSince !== null && Date.now() - failingSince.getTime() > giveUpMs
    )
      return turnOff(options, webhookId, failure, status)
    await pool.query(noteFailure, [webhookId, failure, status ?? null])
    throw new Error(failure) // the worker repeats the message
  }
}

/** Makes messages of changed rows until the signal fires. @param wake called if there are any */
async function queueMessages(
  { pool, log, pauseMs = usualPauseMs }: WebhookOptions,
  wake: () => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { rows: [row] } = await pool.query<{ queued: string }>(
        'select private.queue_webhooks() as queued',
      )
      if (row?.queued !== '0') wake()
    } catch (error) {
      log.warn({ error: describeError(error) }, 'webhooks could not be queued; trying again')
    }
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/**
 * Runs until stopped. @returns a function that stops it; a message that is being sent is sent again
 * by the next process
 */
export function startWebhooks(options: WebhookOptions): () => Promise<void> {
  const { pool, log, pauseMs = usualPauseMs } = options
  const onFailure = (error: unknown, { failures }: Job) => ({
    afterMs: delayAfter(failures + 1),
    reason: describeError(error).message,
  })
  const worker = startWorker({
    pool,
    tasks: { send_webhook: sendOnce(options) },
    slots: concurrency,
    slotsPerShare: maxPerUser,
    timeoutMs: attemptMs,
    pauseMs,
    onFailure,
    log,
  })
  const stopping = new AbortController()
  const running = queueMessages(options, worker.wake, stopping.signal)
  return async () => {
    stopping.abort()
    await worker.stop()
    await running
  }
}

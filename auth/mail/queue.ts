/** The mail queue. A request stores a job within milliseconds and never waits for a provider. */
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import type pg from 'pg'
import { enqueue, type JobStore } from '../../common/jobs/jobs.ts'
import { startWorker, type Handler, type Job, type Worker } from '../../common/jobs/worker.ts'
import type { Log } from '../../common/log.ts'
import { withClient } from '../../http/database.ts'
import { isLastAttempt, reasonOf, retryDelay, safeReason, type FailureReason } from './failures.ts'
import type { Mailer, MailJobs } from './mailer.ts'
import type { Notice } from './messages.ts'

/** Receives the outcome of each attempt, for metrics. */
export type MailObserver = {
  sent: () => void
  failed: (reason: FailureReason) => void
  gaveUp: (reason: FailureReason) => void
}

/**
 * The handlers. The queue repeats an attempt with the same key, also after a crash, so a handler
 * must be idempotent per key.
 */
export type MailTasks = {
  [Task in keyof MailJobs]: (
    payload: MailJobs[Task],
    job: { key: string, signal: AbortSignal },
  ) => Promise<void>
}

/** A mail holds a link that opens an account, so only its recipient's domain is readable. */
type SealedPayload = { domain: string | undefined, sealed: string }

/**
 * The tasks of the queue. Each waiting job of them counts as unsent mail. A trigger of auth.events stores `queue_notice` for each event that needs
 * a mail.
 */
const names = [
  'send_mail',
  'request_password_reset',
  'request_verification',
  'queue_notice',
] as const

/** Concurrent jobs. A hanging job ends after 20 s, so eight leave room for others. */
const slots = 8
/** Timeout of an attempt, in milliseconds: twice that of transports.ts. */
const attemptMs = 20_000
/**
 * Pause between two queries for due jobs, in milliseconds. A process sends its own mails without
 * this pause.
 */
const usualPauseMs = 500
/** Time for the current jobs at a stop, in milliseconds. Then they are aborted and returned. */
const patienceMs = 3_000

/** Stores a job of a mail. @param secret encrypts the payload */
export async function enqueueMail<Task extends keyof MailJobs>(
  store: JobStore,
  secret: string,
  task: Task,
  payload: MailJobs[Task],
): Promise<void> {
  const stored: SealedPayload = {
    domain: payload.to.split('@').at(-1),
    sealed: await symmetricEncrypt({ key: secret, data: JSON.stringify(payload) }),
  }
  await enqueue(store, task, stored)
}

/**
 * Queues the mail about an event, once: the mail is stored in the transaction that removes the mark
 * of the event.
 */
async function queueNotice(
  pool: pg.Pool,
  mailerThrough: (client: pg.ClientBase) => Pick<Mailer, 'notice'>,
  eventId: string,
): Promise<void> {
  await withClient(pool, async (client) => {
    await client.query('begin')
    const { rows: [notice] } = await client.query<Notice>(
      `select e.mail_to as "to", u.name, e.kind, e.happened_at as "happenedAt", e.detail ->> 'name' as about,
        e.ip_address as "ipAddress", e.user_agent as "userAgent"
      from auth.events e join auth.users u on u.id = e.user_id where e.id = $1 and e.mail_to is not null for update of e`,
      [eventId],
    )
    if (notice !== undefined) {
      await mailerThrough(client).notice(notice)
      await client.query('update auth.events set mail_to = null where id = $1', [eventId])
    }
    await client.query('commit')
  })
}

export type MailQueueOptions = {
  pool: pg.Pool
  /** BETTER_AUTH_SECRET */
  secret: string
  tasks: MailTasks
  /** Builds a mailer that queues in the transaction of a connection. */
  mailerThrough: (client: pg.ClientBase) => Pick<Mailer, 'notice'>
  observer: MailObserver
  log: Log
  /** Pause between two queries for due jobs, for tests. */
  pauseMs?: number
}

/** Starts the queue, in any number of processes. */
export function startMailQueue(
  { pool, secret, tasks, mailerThrough, observer, log, pauseMs = usualPauseMs }: MailQueueOptions,
): Worker {
  const unsealed =
    (run: (payload: never, job: { key: string, signal: AbortSignal }) => Promise<void>): Handler =>
    async ({ id, payload }, signal) => {
      const { sealed } = payload as SealedPayload // only enqueueMail() writes these payloads
      await run(JSON.parse(await symmetricDecrypt({ key: secret, data: sealed })) as never, {
        key: id,
        signal,
      })
    }
  const onFailure = (error: unknown, { id, task, payload, failures, ageMs }: Job) => {
    observer.failed(reasonOf(error))
    const reason = safeReason(error)
    const facts = {
      task,
      key: id,
      recipient_domain: (payload as Partial<SealedPayload>).domain,
      failures: failures + 1,
      reason,
    }
    if (isLastAttempt(error, ageMs)) {
      observer.gaveUp(reasonOf(error))
      log.error(facts, 'gave up on a job of the mail queue')
      return undefined
    }
    // one warning per job, because an outage repeats it at each attempt
    log[failures === 0 ? 'warn' : 'debug'](
      facts,
      'a job of the mail queue failed and will be tried again',
    )
    return { afterMs: retryDelay(ageMs), reason }
  }
  return startWorker({
    pool,
    tasks: {
      send_mail: unsealed(async (message: never, job) => {
        await tasks.send_mail(message, job)
        observer.sent()
      }),
      request_password_reset: unsealed(tasks.request_password_reset),
      request_verification: unsealed(tasks.request_verification),
      queue_notice: ({ payload }) =>
        queueNotice(pool, mailerThrough, (payload as { event_id: string }).event_id),
    } satisfies Record<typeof names[number], Handler>,
    slots,
    timeoutMs: attemptMs,
    pauseMs,
    patienceMs,
    onFailure,
    log,
  })
}

export type Backlog = { depth: number, oldestSeconds: number }

/** Returns the number of unfinished jobs, and the age of the oldest in seconds. */
export async function mailBacklog(pool: pg.Pool): Promise<Backlog> {
  const { rows: [row] } = await pool.query<Backlog>(
    `select count(*)::int as depth, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestSeconds" from private.jobs
      where task = any ($1)`,
    [names],
  )
  return row ?? { depth: 0, oldestSeconds: 0 }
}

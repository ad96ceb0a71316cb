/** One job: storing, attempts, retries and failure. */
import { symmetricDecrypt } from 'better-auth/crypto'
import type { JobHelpers } from 'graphile-worker'
import type { Pool } from 'pg'
import type { Logger } from 'pino'

/** A failed delivery, described without address, body, link or key. */
export type DeliveryFailure = Error & {
  /** Whether the mail itself was refused, so that no retry can help. */
  permanent: boolean
  reason: FailureReason
  /** The server's own words, for the operator's terminal only: they may repeat an address. */
  answer: string | undefined
}

/**
 * The metric labels of failures:
 * - `rejected`: the provider refused the mail itself
 * - `refused`: the provider returned another error
 * - `unreachable`, `timeout`: the provider could not be reached, or did not respond in time
 * - `internal`: our code failed
 */
export const failureReasons = ['rejected', 'refused', 'unreachable', 'timeout', 'internal'] as const
export type FailureReason = typeof failureReasons[number]

/** A failure that the queue retries, unless the mail itself was refused. */
export const deliveryFailure = (message: string, reason: FailureReason = 'refused', answer?: string): DeliveryFailure =>
  Object.assign(new Error(message), { name: 'DeliveryFailure', permanent: reason === 'rejected', reason, answer })

export const isDeliveryFailure = (error: unknown): error is DeliveryFailure => error instanceof Error && error.name === 'DeliveryFailure'

/** Returns the metric label of a failed job. */
const reasonOf = (error: unknown): FailureReason =>
  isDeliveryFailure(error) ? error.reason : error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'internal'

/** A payload. The log names the recipient's domain if the job fails. */
export type Payload = { to: string }

/**
 * Runs one job. The queue repeats it with the same `key` until it resolves, also after a crash, so it must be idempotent per key. It
 * must end when `signal` fires.
 */
export type Handler<P extends Payload> = (payload: P, job: { key: string, signal: AbortSignal }) => Promise<void>

/** Receives the outcome of each attempt, for metrics. */
export type MailObserver = {
  done: (task: string) => void
  failed: (reason: FailureReason) => void
  gaveUp: (reason: FailureReason) => void
}

/** A stored job. The payload is encrypted, because a mail holds a link that opens an account. */
export type StoredJob = { key: string, enqueuedAt: number, failures: number, sealed: string }

const second = 1_000
/** Timeout of an attempt: twice that of transports.ts. A handler that ignores the signal loses its slot. */
const attemptTimeout = 20 * second
const giveUpAfter = 3 * 24 * 3_600 * second

/**
 * Returns the delay after a failed attempt, in milliseconds: a sixth of the job's age, from 2 s to 5 min. A provider that recovers
 * soon gets the waiting mails, and an outage causes few requests.
 */
export const retryDelay = (age: number): number => Math.min(Math.max(age / 6, 2 * second), 300 * second)

/**
 * Stores a new job, or puts a running job back into the queue: `add_job` with the key of a running job ends it and inserts another.
 * Graphile-worker's own retry would wait up to six hours. New jobs have priority over failed ones.
 * @param delay milliseconds
 */
export async function store(pool: Pick<Pool, 'query'>, name: string, job: StoredJob, delay: number): Promise<void> {
  await pool.query(
    `select graphile_worker.add_job($1, payload => $2::json, job_key => $3, priority => $4,
      run_at => now() + $5 * interval '1 millisecond')`,
    [name, JSON.stringify(job), job.key, Math.min(job.failures, 1_000), delay],
  )
}

/** Wraps a handler as a graphile-worker task: decrypts the payload, runs the handler, and retries or gives up. */
export function attempts({ name, handler, secret, log, pool, observer }: {
  name: string
  handler: Handler<never>
  secret: string
  log: Logger
  pool: Pool
  observer: MailObserver
}) {
  // The keys of finished jobs. A job that the lost database could not mark as done comes again.
  const done = new Set<string>()

  return async (row: unknown, { abortSignal }: Pick<JobHelpers, 'abortSignal'>): Promise<void> => {
    const stored = row as StoredJob // only store() writes payloads
    const { key, sealed } = stored
    if (done.has(key)) return
    let domain: string | undefined
    try {
      const payload = JSON.parse(await symmetricDecrypt({ key: secret, data: sealed })) as Payload
      domain = payload.to.split('@').at(-1)
      const signal = AbortSignal.any([abortSignal, AbortSignal.timeout(attemptTimeout)])
      await unlessAborted(handler(payload as never, { key, signal }), signal)
      remember(done, key)
      observer.done(name)
    } catch (error) {
      if (abortSignal.aborted) return store(pool, name, stored, 0)
      observer.failed(reasonOf(error))
      const failures = stored.failures + 1
      const age = Date.now() - stored.enqueuedAt
      const delay = retryDelay(age)
      const facts = { task: name, key, recipient_domain: domain, failures, reason: safeReason(error) }
      if ((isDeliveryFailure(error) && error.permanent) || age + delay > giveUpAfter) {
        observer.gaveUp(reasonOf(error))
        log.error(facts, 'gave up on a job of the mail queue')
        return
      }
      // one warning per job, because an outage repeats it at each attempt
      log[failures === 1 ? 'warn' : 'debug'](facts, 'a job of the mail queue failed and will be tried again')
      await store(pool, name, { ...stored, failures }, delay)
    }
  }
}

/** Adds a key. Keeps the newest thousand. */
function remember(keys: Set<string>, key: string): void {
  keys.add(key)
  const [oldest] = keys
  if (keys.size > 1_000 && oldest !== undefined) keys.delete(oldest)
}

/** Returns the result of the work, or rejects when the signal fires. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason as Error)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Describes an error for the log. A message that is not ours may contain an address or a link, so only name, code and stack frames remain. */
export function safeReason(error: unknown): string {
  if (isDeliveryFailure(error)) return error.message
  if (!(error instanceof Error)) return typeof error
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  const frames = error.stack?.replace(error.message, '').match(/^ {4}at .*$/gm)?.slice(0, 3).map((frame) => ` ${frame.trim()}`).join('') ?? ''
  return error.name + code + frames
}

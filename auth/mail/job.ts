/** One job: how it is stored, attempted, put back when it fails, and given up in the end. */
import { symmetricDecrypt } from 'better-auth/crypto'
import type { JobHelpers } from 'graphile-worker'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { isDeliveryFailure, reasonOf, type FailureReason } from './failure.ts'

/** Every payload has a recipient, whose domain is logged when the job fails. */
export type Payload = { to: string }

/**
 * Does one job. It is called again with the same `key` until it resolves, also after a crash, so it must have one effect
 * per key. It must end when `signal` fires: the attempt takes too long, or the process stops.
 */
export type Handler<P extends Payload> = (payload: P, job: { key: string, signal: AbortSignal }) => Promise<void>

/** Told what becomes of each attempt. */
export type Witness = {
  done: (task: string) => void
  failed: (reason: FailureReason) => void
  gaveUp: (reason: FailureReason) => void
}

/** A job as the database stores it. The payload is encrypted, because a mail holds a link that opens an account. */
export type StoredJob = { key: string, enqueuedAt: number, failures: number, sealed: string }

const second = 1_000
/** How long an attempt may take: twice the limit of transports.ts. A handler that ignores its signal loses its place then. */
const attemptTimeout = 20 * second
const giveUpAfter = 3 * 24 * 3_600 * second

/**
 * How long to wait after a failed attempt: a sixth of the job's age, from 2 s to 5 min, in milliseconds. A provider that
 * comes back gets the waiting mails soon, and is not asked all the time while it is down.
 */
export const retryDelay = (age: number): number => Math.min(Math.max(age / 6, 2 * second), 300 * second)

/**
 * Stores a job, or puts a running one back: `add_job` with the key of a running job ends that job and inserts a new one.
 * Graphile-worker's own retry is not used, because it waits exp(n) seconds: 55 after the fourth attempt, six hours in the
 * end. The priority lets jobs that have not failed go first.
 * @param delay milliseconds from now
 */
export async function store(pool: Pick<Pool, 'query'>, name: string, job: StoredJob, delay: number): Promise<void> {
  await pool.query(
    `select graphile_worker.add_job($1, payload => $2::json, job_key => $3, priority => $4,
      run_at => now() + $5 * interval '1 millisecond')`,
    [name, JSON.stringify(job), job.key, Math.min(job.failures, 1_000), delay],
  )
}

/** The graphile-worker task around a handler: decrypts the payload, calls the handler, and puts a failed job back or gives it up. */
export function attempts({ name, handler, secret, log, pool, witness }: {
  name: string
  handler: Handler<never>
  secret: string
  log: Logger
  pool: Pool
  witness: Witness
}) {
  // The keys of jobs that succeeded. One that could not be marked as done, because the database was gone, comes again.
  const done = new Set<string>()

  return async (row: unknown, { abortSignal }: Pick<JobHelpers, 'abortSignal'>): Promise<void> => {
    const stored = row as StoredJob // nobody else writes to this schema
    const { key, sealed } = stored
    if (done.has(key)) return
    let domain: string | undefined
    try {
      const payload = JSON.parse(await symmetricDecrypt({ key: secret, data: sealed })) as Payload
      domain = payload.to.split('@').at(-1)
      const signal = AbortSignal.any([abortSignal, AbortSignal.timeout(attemptTimeout)])
      await unlessAborted(handler(payload as never, { key, signal }), signal)
      remember(done, key)
      witness.done(name)
    } catch (error) {
      if (abortSignal.aborted) return store(pool, name, stored, 0)
      witness.failed(reasonOf(error))
      const failures = stored.failures + 1
      const age = Date.now() - stored.enqueuedAt
      const delay = retryDelay(age)
      const facts = { task: name, key, recipient_domain: domain, failures, reason: safeReason(error) }
      if ((isDeliveryFailure(error) && error.permanent) || age + delay > giveUpAfter) {
        witness.gaveUp(reasonOf(error))
        log.error(facts, 'gave up on a job of the mail queue')
        return
      }
      // one warning a job is enough: an outage would repeat it at each attempt
      log[failures === 1 ? 'warn' : 'debug'](facts, 'a job of the mail queue failed and will be tried again')
      await store(pool, name, { ...stored, failures }, delay)
    }
  }
}

/** Adds a key, and forgets the oldest of more than a thousand. */
function remember(keys: Set<string>, key: string): void {
  keys.add(key)
  const [oldest] = keys
  if (keys.size > 1_000 && oldest !== undefined) keys.delete(oldest)
}

/** The work's outcome, or a rejection with the signal's reason, whichever is first. */
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

/**
 * What may be logged of an error: our own message, or the name, the code and the place of anybody else's, whose message may
 * repeat an address or a link.
 */
export function safeReason(error: unknown): string {
  if (isDeliveryFailure(error)) return error.message
  if (!(error instanceof Error)) return typeof error
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  const frames = error.stack?.replace(error.message, '').match(/^ {4}at .*$/gm)?.slice(0, 3).map((frame) => ` ${frame.trim()}`).join('') ?? ''
  return error.name + code + frames
}

/** One job: how it is stored, attempted, put back when it fails, and given up in the end. */
import { symmetricDecrypt } from 'better-auth/crypto'
import type { JobHelpers } from 'graphile-worker'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { isDeliveryFailure } from './failure.ts'

/** Every payload says whom it is for, so that giving up can be told by the recipient's domain. */
export type Payload = { to: string }

/**
 * Does one job. Called again with the same `key` until it resolves, also after a crash, so what it does must be done
 * once per key. `signal` ends an attempt that takes too long or stands in the way of stopping; heed it.
 */
export type Handler<P extends Payload> = (payload: P, job: { key: string, signal: AbortSignal }) => Promise<void>

/** A job as the table has it. The payload is sealed because a mail holds a link that opens an account. */
export type StoredJob = { key: string, enqueuedAt: number, failures: number, sealed: string }

const second = 1_000
/** Twice what one mail may take (see transports.ts). A handler that ignores its signal gives its place back then. */
const attemptTimeout = 20 * second
const giveUpAfter = 3 * 24 * 3_600 * second

/**
 * How long to wait after a failed attempt, in milliseconds, by the age of the job: a sixth of it, from 2 s to 5 min.
 * However long a provider was down, what waits for it is sent soon after, and nobody hammers it meanwhile.
 */
export const retryDelay = (age: number): number => Math.min(Math.max(age / 6, 2 * second), 300 * second)

/**
 * Stores a job, or puts a running one back. Called with the key of a running job, `add_job` takes away that job's further
 * attempts and inserts a new job in the same statement. graphile-worker's own retry is not used, because it waits exp(n)
 * seconds: 55 after the fourth attempt, six hours in the end. A job that has failed runs after those that have not.
 * @param delay milliseconds from now.
 */
export async function store(pool: Pool, name: string, job: StoredJob, delay: number): Promise<void> {
  await pool.query(
    `select graphile_worker.add_job($1, payload => $2::json, job_key => $3, priority => $4,
      run_at => now() + $5 * interval '1 millisecond')`,
    [name, JSON.stringify(job), job.key, Math.min(job.failures, 1_000), delay],
  )
}

/** The graphile-worker task around a handler: unseal, try, and on failure put the job back or give it up. */
export function attempts({ name, handler, secret, log, pool }: {
  name: string
  handler: Handler<never>
  secret: string
  log: Logger
  pool: Pool
}) {
  // What succeeded, but perhaps could not be marked as done because the database was gone: not to be done twice.
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
    } catch (error) {
      if (abortSignal.aborted) return store(pool, name, stored, 0)
      const failures = stored.failures + 1
      const age = Date.now() - stored.enqueuedAt
      const delay = retryDelay(age)
      const facts = { task: name, key, recipient_domain: domain, failures, reason: safeReason(error) }
      if ((isDeliveryFailure(error) && error.permanent) || age + delay > giveUpAfter) {
        log.error(facts, 'gave up on a job of the mail queue')
        return
      }
      // once as a warning is enough: an outage would repeat it for every mail that waits
      log[failures === 1 ? 'warn' : 'debug'](facts, 'a job of the mail queue failed and will be tried again')
      await store(pool, name, { ...stored, failures }, delay)
    }
  }
}

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
 * What may be logged of an error. A message from elsewhere may repeat what it was given (an address, a link), so only
 * our own words pass; of the rest the name, the code and where it was thrown.
 */
export function safeReason(error: unknown): string {
  if (isDeliveryFailure(error)) return error.message
  if (!(error instanceof Error)) return typeof error
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  const frames = error.stack?.replace(error.message, '').match(/^ {4}at .*$/gm)?.slice(0, 3).map((frame) => ` ${frame.trim()}`).join('') ?? ''
  return error.name + code + frames
}

/**
 * Runs the jobs of `private.jobs`, in any number of processes. A claimed job has a lease. A process
 * that is killed leaves its leases, and another process repeats the jobs when they expire. So a
 * handler must be idempotent per job id.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { describeError, type Log } from '../log.ts'

export type Job = {
  id: string
  task: string
  key: string | null
  payload: unknown
  /** Attempts that failed, or ended with their process. */
  failures: number
  createdAt: Date
  /** Time since the creation, by the clock of the database. */
  ageMs: number
}

/**
 * Runs one attempt, which must end when `signal` fires. @returns the time until the job runs again,
 * in milliseconds; without one the job is done
 */
export type Handler = (job: Job, signal: AbortSignal) => Promise<number | void>

/** The next attempt of a failed job. `reason` is stored, so it must contain no secret. */
type Retry = { afterMs: number, reason: string }

export type WorkerOptions = {
  pool: pg.Pool
  /** The handlers by task. The worker claims no other tasks. */
  tasks: Record<string, Handler>
  /** Concurrent jobs of this process. */
  slots: number
  /** Concurrent jobs of one share, of all processes. Default: no limit. */
  slotsPerShare?: number
  /** Timeout of an attempt. A handler that ignores its signal loses its slot. */
  timeoutMs: number
  /** Pause between two claims without a job. */
  pauseMs: number
  /** Time before the first claim. Default: none. */
  firstPauseMs?: number
  /** Time for running jobs at a stop. Then their signals fire. Default: none. */
  patienceMs?: number
  /** Called with the error of each failed attempt. @returns undefined to delete the job */
  onFailure: (error: unknown, job: Job) => Retry | undefined
  log: Log
}

export type Worker = {
  /** Claims due jobs at once. */
  wake: () => void
  /** Whether its last claim succeeded. */
  isClaiming: () => boolean
  /** Stops within 5 s: claims no more jobs, and finishes or returns the running ones. */
  stop: () => Promise<void>
}

/**
 * Time after the timeout of an attempt in which its outcome must be stored. Then another process
 * may repeat the job.
 */
const reportMs = 25_000
/** Pause after a claim that failed, usually because the database is down. */
const lostPauseMs = 1_000
/** Timeout of a statement, for a database that stops responding. */
const queryTimeoutMs = 10_000
/** Time of handlers to end after their signal. */
const settleMs = 1_500
/** Timeout of a complete stop. */
const stopMs = 5_000

/**
 * Condition of a job that may run now: it is due, has no lease, and no other job of its key has
 * started.
 */
const isReady =
  `j.task = any ($1) and j.run_at <= now() and (j.leased_until is null or j.leased_until <= now())
      and (j.key is null or j.started_at is not null
        or not exists (select from private.jobs s where s.task = j.task and s.key = j.key and s.started_at is not null))`

/**
 * Claims jobs. Those without a failure come first, and a share has a limited number. The condition
 * is repeated next to the lock, because another process may claim a job meanwhile.
 */
const claim = `
  with of_shares as (
    select j.id, row_number() over (partition by j.share order by j.failures, j.run_at)
      + (select count(*) from private.jobs r where r.share = j.share and r.leased_until > now()) as place
    from private.jobs j where j.share is not null and ${isReady}
  ), due as (
    select j.id from private.jobs j
    where (j.share is null or j.id in (select o.id from of_shares o where o.place <= $3)) and ${isReady}
    order by j.failures, j.run_at limit $2
    for update skip locked
  )
  update private.jobs j
    set started_at = coalesce(started_at, now()), leased_until = now() + $4 * interval '1 millisecond',
      failures = failures + (leased_until is not null)::int
    from due where j.id = due.id
    returning j.id, j.task, j.key, j.payload, j.failures, j.created_at as "createdAt",
      (extract(epoch from now() - j.created_at) * 1000)::float8 as "ageMs", j.leased_until::text as lease`

// Each of these does nothing after the lease, when another process may have the job.
const finish = 'delete from private.jobs where id = $1 and leased_until = $2::timestamptz'
const runAgain = `
  update private.jobs set leased_until = null, failures = 0, last_error = null, run_at = now() + $3 * interval '1 millisecond'
    where id = $1 and leased_until = $2::timestamptz`
const retry = `
  update private.jobs set leased_until = null, failures = failures + 1, last_error = $4, run_at = now() + $3 * interval '1 millisecond'
    where id = $1 and leased_until = $2::timestamptz`
const giveBack =
  'update private.jobs set leased_until = null where id = $1 and leased_until = $2::timestamptz'

type ClaimedJob = Job & { lease: string }

type Query = (text: string, values: unknown[]) => Promise<pg.QueryResult<ClaimedJob>>

/**
 * Returns the function that runs an attempt of a job and stores its outcome.
 * @param aborting ends the running attempts
 * @param abandoning ends those that ignore that signal
 */
function attemptsOf(
  { tasks, timeoutMs, onFailure, log }: WorkerOptions,
  query: Query,
  aborting: AbortSignal,
  abandoning: AbortSignal,
): (job: ClaimedJob) => Promise<void> {
  /** The ids of jobs that are done, but were not deleted because the database was lost. */
  const done = new Set<string>()
  /**
   * Runs the handler. @returns the statement that stores the outcome, and its further parameters
   */
  const outcomeOf = async (job: Job): Promise<[statement: string, ...values: unknown[]]> => {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const work = tasks[job.task]?.(job, AbortSignal.any([aborting, timeout]))
      const againMs = await unlessAborted(work, AbortSignal.any([abandoning, timeout]))
      if (againMs !== undefined) return [runAgain, againMs]
      done.add(job.id)
      return [finish]
    } catch (error) {
      if (aborting.aborted) return [giveBack]
      const next = onFailure(error, job)
      return next === undefined ? [finish] : [retry, next.afterMs, next.reason]
    }
  }
  return async ({ lease, ...job }) => {
    const [statement, ...values] = done.has(job.id) ? [finish] as const : await outcomeOf(job)
    try {
      await query(statement, [job.id, lease, ...values])
      done.delete(job.id)
    } catch (error) {
      log.warn(
        { task: job.task, job: job.id, error: describeError(error) },
        'the outcome of a job could not be stored; the job comes again',
      )
    }
  }
}

/** The pauses between claims. A wake ends the current one. */
function createPauses() {
  let isWoken = false
  let pause = new AbortController()
  return {
    wake: () => {
      isWoken = true
      pause.abort()
    },
    isWoken: () => isWoken,
    /** Forgets the wakes before a claim. */
    renew: () => {
      isWoken = false
      pause = new AbortController()
    },
    wait: (milliseconds: number) =>
      sleep(milliseconds, undefined, { signal: pause.signal, ref: false }).catch(() => undefined),
  }
}

/**
 * Claims jobs until the signal fires, also while the database is down.
 * @param onClaim receives whether each claim succeeded
 */
async function claimUntilStopped(
  claimJobs: () => Promise<void>,
  onClaim: (succeeded: boolean) => void,
  pauses: ReturnType<typeof createPauses>,
  { tasks, pauseMs, firstPauseMs = 0, log }: WorkerOptions,
  stopping: AbortSignal,
): Promise<void> {
  if (firstPauseMs > 0) await pauses.wait(firstPauseMs)
  while (!stopping.aborted) {
    pauses.renew()
    let pauseNow = pauseMs
    try {
      await claimJobs()
      onClaim(true)
    } catch (error) {
      onClaim(false)
      log.warn(
        { tasks: Object.keys(tasks), error: describeError(error) },
        'no jobs could be claimed; trying again',
      )
      pauseNow = lostPauseMs
    }
    if (!pauses.isWoken()) await pauses.wait(pauseNow)
  }
}

/** Starts a worker. It runs until stopped, also while the database is down. */
export function startWorker(options: WorkerOptions): Worker {
  const { pool, tasks, slots, slotsPerShare = slots, timeoutMs, patienceMs = 0 } = options
  const names = Object.keys(tasks)
  /** Ends the claims, then the running attempts, then those that ignore their signal. */
  const [stopping, aborting, abandoning] = [
    new AbortController(),
    new AbortController(),
    new AbortController(),
  ]
  const running = new Set<Promise<void>>()
  const pauses = createPauses()

  const query: Query = (text, values) =>
    pool.query<ClaimedJob>(
      { text, values, query_timeout: queryTimeoutMs } as pg.QueryConfig,
    )
  const attempt = attemptsOf(options, query, aborting.signal, abandoning.signal)
  const claimJobs = async (): Promise<void> => {
    if (running.size >= slots) return
    const { rows } = await query(claim, [
      names,
      slots - running.size,
      slotsPerShare,
      timeoutMs + reportMs,
    ])
    for (const job of rows) {
      const attempted: Promise<void> = attempt(job).finally(() => {
        running.delete(attempted)
        // its slot is free, and the next job of its key may run
        pauses.wake()
      })
      running.add(attempted)
    }
  }
  let isClaiming = false
  const onClaim = (succeeded: boolean) => {
    isClaiming = succeeded
  }
  const claims = claimUntilStopped(claimJobs, onClaim, pauses, options, stopping.signal)
  const settled = async () => {
    await claims
    await Promise.all(running)
  }
  const within = (milliseconds: number) =>
    Promise.race([settled(), sleep(milliseconds, undefined, { ref: false })])
  return {
    wake: pauses.wake,
    isClaiming: () => isClaiming,
    async stop() {
      stopping.abort()
      pauses.wake()
      if (patienceMs > 0) await within(patienceMs)
      aborting.abort()
      await within(settleMs)
      abandoning.abort()
      await within(stopMs - patienceMs - settleMs)
    },
  }
}

/** Returns the result of the work, or rejects when the signal fires. */
async function unlessAborted<Result>(
  work: Promise<Result> | undefined,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason as Error)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

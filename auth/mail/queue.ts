/**
 * The durable mail queue: graphile-worker in the service's own PostgreSQL. A request stores a job within milliseconds and never
 * waits for a provider. Graphile-worker alone would wait hours between attempts (job.ts), keep the jobs of a killed worker locked
 * for four hours (unlockAbandoned), and end its worker with a lost database (supervise).
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { symmetricEncrypt } from 'better-auth/crypto'
import { Logger as WorkerLogger, run, type Runner } from 'graphile-worker'
import pg from 'pg'
import type { Logger } from 'pino'
import { attempts, safeReason, store, type Handler, type Payload, type MailObserver } from './job.ts'

export type Queue<Payloads extends Record<string, Payload>> = {
  /**
   * Stores a job with one statement.
   * @param through a connection whose transaction the job belongs to
   * @throws if the database fails; no job is stored then
   */
  enqueue<Name extends keyof Payloads & string>(name: Name, payload: Payloads[Name], through?: Pick<pg.ClientBase, 'query'>): Promise<void>
  /** The number of unfinished jobs, and the age of the oldest in seconds. */
  backlog: () => Promise<Backlog>
  /** The queue's own connections, for metrics. */
  pool: pg.Pool
  /** Stops within 5 s: takes no more jobs, finishes or returns the current ones, and closes the connections. */
  stop: () => Promise<void>
}

export type Backlog = { depth: number, oldestSeconds: number }

const second = 1_000
/** Concurrent jobs. A hanging job ends after 20 s, so eight leave room for others. */
const concurrency = 8
const connectTimeout = 5 * second
const queryTimeout = 10 * second
/**
 * Age of a lock that belongs to a dead worker, in seconds. A live worker finishes an attempt within 35 s. A process that was
 * suspended for longer may repeat a job. The mail still arrives once, because its key is the same.
 */
const abandonedAfterSeconds = 45
/** Time for the current jobs at a stop, in milliseconds. Then they are aborted and returned. */
const stopPatience = 3 * second
/** Timeout of the complete stop, because the database may be unreachable. */
const stopTimeout = 5 * second

const noObserver: MailObserver = { done: () => undefined, failed: () => undefined, gaveUp: () => undefined }

/**
 * Starts the queue, in any number of processes.
 * @param options.databaseUrl a user that owns the schema `graphile_worker`; the queue opens up to 10 connections
 * @param options.secret encrypts payloads at rest
 * @param options.tasks the handlers by task name
 * @param options.observer receives the outcome of each attempt
 * @throws if the database cannot be reached at the start; a later loss pauses the queue
 */
export async function startQueue<Payloads extends Record<string, Payload>>({ databaseUrl, secret, log, tasks, observer = noObserver }: {
  databaseUrl: string
  secret: string
  log: Logger
  observer?: MailObserver
  tasks: { [Name in keyof Payloads]: Handler<Payloads[Name]> }
}): Promise<Queue<Payloads>> {
  const stopping = new AbortController()
  const pool = openPool(databaseUrl, log)
  const taskList = Object.fromEntries(
    Object.entries<Handler<never>>(tasks)
      .map(([name, handler]) => [name, attempts({ name, handler, secret, log, pool, observer })]),
  )

  const start = async (): Promise<Runner> => {
    await prepareSchema(pool)
    return run({
      pgPool: pool,
      schema: 'graphile_worker',
      taskList,
      parsedCronItems: [],
      concurrency,
      noHandleSignals: true,
      gracefulShutdownAbortTimeout: stopPatience,
      logger: workerLogger(log),
      // Not for speed. Without a batch delay, graphile-worker 0.18.0 does not await the statement that ends a job. A
      // database that is lost at that moment then ends the process by an unhandled rejection.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    })
  }

  let first: Runner
  try {
    first = await start()
  } catch (error) {
    await pool.end()
    throw error
  }

  const supervise = async () => {
    let runner: Runner | undefined = first
    for (;;) {
      if (runner !== undefined) {
        await watch(runner, pool, stopping.signal)
        // A runner without a database may take minutes to stop, and does not disturb the next one.
        await Promise.race([runner.stop().catch(() => {}), sleep(stopTimeout, undefined, { ref: false })])
      }
      if (stopping.signal.aborted) return
      log.warn('the mail queue lost the database; trying again in 3 s')
      await sleep(3 * second, undefined, { signal: stopping.signal }).catch(() => {})
      runner = stopping.signal.aborted ? undefined : await start().catch(() => undefined)
    }
  }
  const ended = supervise().then(() => pool.end())

  return {
    async enqueue(name, payload, through = pool) {
      const key = randomUUID()
      const sealed = await symmetricEncrypt({ key: secret, data: JSON.stringify(payload) })
      await store(through, name, { key, enqueuedAt: Date.now(), failures: 0, sealed }, 0)
    },
    pool,
    async backlog() {
      // the payload has the age, because each failed attempt makes a new row
      const { rows: [row] } = await pool.query<{ depth: number, oldest: string | null }>(
        `select count(*)::int as depth, min((payload->>'enqueuedAt')::numeric) as oldest from graphile_worker._private_jobs`,
      )
      const oldest = row?.oldest ?? null
      return { depth: row?.depth ?? 0, oldestSeconds: oldest === null ? 0 : Math.max(0, Date.now() - Number(oldest)) / second }
    },
    async stop() {
      stopping.abort()
      await Promise.race([ended, sleep(stopTimeout, undefined, { ref: false })])
    },
  }
}

/**
 * Frees the jobs of dead workers every 10 s until the runner ends, cannot take a job or loses its database, or `signal` fires. One
 * error is enough: graphile-worker 0.18.0 repeats the error of its first query forever.
 */
async function watch(runner: Runner, pool: pg.Pool, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const end = () => over.abort()
  runner.promise.then(end, end)
  runner.events.once('worker:getJob:error', end)
  const either = AbortSignal.any([signal, over.signal])
  while (!either.aborted) {
    await sleep(10 * second, undefined, { signal: either }).catch(() => {})
    if (!either.aborted) await unlockAbandoned(pool).catch(end)
  }
  // The other workers fail the same way within moments. A worker that stops earlier prints its error outside of our log.
  await sleep(1 * second, undefined, { signal }).catch(() => {})
}

/** Frees the jobs of dead workers of all processes. */
async function unlockAbandoned(pool: pg.Pool): Promise<void> {
  await pool.query(
    `select graphile_worker.force_unlock_workers(array_agg(distinct locked_by)) from graphile_worker.jobs
      where locked_at < now() - $1 * interval '1 second'`,
    [abandonedAfterSeconds],
  )
}

function openPool(connectionString: string, log: Logger): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: concurrency + 2, // one per job, one to listen, one to enqueue
    connectionTimeoutMillis: connectTimeout,
    query_timeout: queryTimeout,
    keepAlive: true,
    application_name: 'mail queue',
  })
  // A closed connection emits an error, on the pool or on itself. Without a listener it would end the process.
  pool.on('error', (error) => log.debug({ reason: safeReason(error) }, 'the mail queue lost a connection'))
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * Makes the first table of graphile-worker, so that its migration skips `create schema if not exists`. PostgreSQL requires the right
 * to create schemas for that statement, even if the schema exists.
 */
async function prepareSchema(pool: pg.Pool): Promise<void> {
  await pool.query(`
    select pg_advisory_xact_lock(hashtext('graphile_worker'));
    create table if not exists graphile_worker.migrations (
      id int primary key,
      ts timestamptz not null default now(),
      breaking boolean not null default false
    )`)
}

/** Logs messages of graphile-worker. It recovers from its errors, so they are warnings. */
function workerLogger(log: Logger): WorkerLogger {
  return new WorkerLogger(() => (level, message) => {
    log[level === 'error' || level === 'warning' ? 'warn' : 'debug'](`graphile-worker: ${message.split('\n', 1)[0]}`)
  })
}

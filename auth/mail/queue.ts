/**
 * The durable queue between a request and the mail it causes: graphile-worker over the service's own PostgreSQL. A
 * request stores a job, which takes milliseconds, and never waits for a mail provider.
 *
 * Graphile-worker alone would wait hours between attempts (see job.ts), leave the jobs of a killed worker locked for four
 * hours (unlockAbandoned), and end its worker when the database is lost (supervise).
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { symmetricEncrypt } from 'better-auth/crypto'
import { Logger as WorkerLogger, run, type Runner } from 'graphile-worker'
import pg from 'pg'
import type { Logger } from 'pino'
import { attempts, safeReason, store, type Handler, type Payload, type Witness } from './job.ts'

export type Queue<Payloads extends Record<string, Payload>> = {
  /**
   * Stores a job: one statement.
   * @param through whose transaction it belongs to: a connection of the same user; its own unless told
   * @throws when the database does not take it; nothing is queued then.
   */
  enqueue<Name extends keyof Payloads & string>(name: Name, payload: Payloads[Name], through?: Pick<pg.ClientBase, 'query'>): Promise<void>
  /** How many jobs are not done, and since when the oldest of them waits, in seconds; 0 when there is none. */
  backlog: () => Promise<Backlog>
  /** The queue's own connections, to be counted. */
  pool: pg.Pool
  /** Takes no more jobs, ends or puts back those in flight, and closes the connections, within 5 s. */
  stop: () => Promise<void>
}

export type Backlog = { depth: number, oldestSeconds: number }

const second = 1_000
/** Jobs at a time. A job that hangs is ended after 20 s, so eight places leave room for others. */
const concurrency = 8
const connectTimeout = 5 * second
const queryTimeout = 10 * second
/**
 * The age at which a job's lock is taken for a dead worker's, in seconds: a live worker attempts a job and reports to the
 * database within 35. A process that was frozen for longer may do a job that another has done. The mail still arrives once,
 * because its key is the same in every attempt.
 */
const abandonedAfterSeconds = 45
/** How long a stop waits for the jobs in flight. Then it fires their signal and puts them back. */
const stopPatience = 3 * second
/** How long a stop may take in all; the database may be away. */
const stopTimeout = 5 * second

const unseen: Witness = { done: () => undefined, failed: () => undefined, gaveUp: () => undefined }

/**
 * Starts the queue. Several processes may run one on the same database, and may start at the same moment.
 * @param options.databaseUrl the connection of a user that owns the schema `graphile_worker` and needs no other right. The
 * queue opens at most 10 connections.
 * @param options.secret encrypts payloads at rest.
 * @param options.tasks the handler of each task by its name.
 * @param options.witness told what becomes of each attempt
 * @throws when the database cannot be reached now. Losing it later only pauses the queue.
 */
export async function startQueue<Payloads extends Record<string, Payload>>({ databaseUrl, secret, log, tasks, witness = unseen }: {
  databaseUrl: string
  secret: string
  log: Logger
  witness?: Witness
  tasks: { [Name in keyof Payloads]: Handler<Payloads[Name]> }
}): Promise<Queue<Payloads>> {
  const stopping = new AbortController()
  const pool = openPool(databaseUrl, log)
  const taskList = Object.fromEntries(
    Object.entries<Handler<never>>(tasks)
      .map(([name, handler]) => [name, attempts({ name, handler, secret, log, pool, witness })]),
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
        // a runner whose database is away may take minutes to stop, and does no harm beside the next one
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
      // the age is the payload's, because each attempt that fails makes a new row
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
 * Frees the jobs of dead workers every 10 s, until the runner is of no more use: it ended, it could not take a job, the
 * database did not answer, or `signal` fired. One error is enough, because graphile-worker 0.18.0 keeps the error of its
 * very first query and repeats it for ever.
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
  // The runner's other workers meet the same error within moments. One that is stopped before has its error printed past our log.
  await sleep(1 * second, undefined, { signal }).catch(() => {})
}

/** Frees the jobs whose worker died, whichever process it belonged to. */
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
    max: concurrency + 2, // and one to listen, one to enqueue
    connectionTimeoutMillis: connectTimeout,
    query_timeout: queryTimeout,
    keepAlive: true,
    application_name: 'mail queue',
  })
  // A connection that ends emits an error, on the pool while idle and on itself while in use. Unheard, it would end the process.
  pool.on('error', (error) => log.debug({ reason: safeReason(error) }, 'the mail queue lost a connection'))
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * Makes the first of graphile-worker's tables, which makes its migration skip `create schema if not exists`. PostgreSQL
 * demands the right to create schemas for that statement, even when the schema is there.
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

/** Graphile-worker's remarks as lines of our log. It recovers by itself from what it calls an error, so that is a warning here. */
function workerLogger(log: Logger): WorkerLogger {
  return new WorkerLogger(() => (level, message) => {
    log[level === 'error' || level === 'warning' ? 'warn' : 'debug'](`graphile-worker: ${message.split('\n', 1)[0]}`)
  })
}

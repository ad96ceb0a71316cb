/**
 * The durable queue between a request and the mail it causes: graphile-worker over the service's own PostgreSQL. A
 * request stores a job, which takes milliseconds; a provider that is down or hangs is met here and by nobody else.
 *
 * What graphile-worker leaves to us: its wait between attempts grows to hours, a killed worker's jobs stay locked for
 * four, and a lost database ends its worker. Each is settled below with its public functions alone.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { symmetricEncrypt } from 'better-auth/crypto'
import { Logger as WorkerLogger, run, type Runner } from 'graphile-worker'
import pg from 'pg'
import type { Logger } from 'pino'
import { attempts, safeReason, store, type Handler, type Payload } from './job.ts'

export type Queue<Payloads extends Record<string, Payload>> = {
  /** Stores a job: one statement. @throws when the database does not take it; nothing is queued then. */
  enqueue<Name extends keyof Payloads & string>(name: Name, payload: Payloads[Name]): Promise<void>
  /** Takes no more jobs, ends or puts back those in flight, and closes the connections, within 5 s. */
  stop: () => Promise<void>
}

const second = 1_000
/** Jobs at a time. Enough that hanging ones, each gone after 20 s at the latest, leave room for others. */
const concurrency = 8
const connectTimeout = 5 * second
const queryTimeout = 10 * second
/**
 * A lock this old has no living owner, because an attempt and telling the database of it end 35 s after they began. So
 * a killed worker's jobs go to another and a live one's do not. A process that was frozen for longer may find its job
 * done by another; there the key, which is the same in every attempt, is what keeps the mail from arriving twice.
 */
const abandonedAfterSeconds = 45
/** Stopping leaves attempts in flight 3 s to end by themselves, then fires their signal and puts them back. */
const stopPatience = 3 * second
const stopTimeout = 5 * second

/**
 * Starts the queue. Several processes may run one on the same database, and may start at the same moment.
 * @param options.databaseUrl the least-privilege connection. Its user owns the schema `graphile_worker` and needs no
 * right beyond it. The queue owns its pool of at most 10 connections; `enqueue` uses it too.
 * @param options.secret encrypts payloads at rest.
 * @param options.tasks the handler of each task by its name.
 * @throws when the database cannot be reached now. Losing it later only pauses the queue.
 */
export async function startQueue<Payloads extends Record<string, Payload>>({ databaseUrl, secret, log, tasks }: {
  databaseUrl: string
  secret: string
  log: Logger
  tasks: { [Name in keyof Payloads]: Handler<Payloads[Name]> }
}): Promise<Queue<Payloads>> {
  const stopping = new AbortController()
  const pool = openPool(databaseUrl, log)
  const taskList = Object.fromEntries(
    Object.entries<Handler<never>>(tasks)
      .map(([name, handler]) => [name, attempts({ name, handler, secret, log, pool })]),
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
      // Not for speed: without a batch delay, 0.18.0 does not await the statement that ends a job, and the process
      // dies of an unhandled rejection when the database is lost at that moment.
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
        // the old runner may wait minutes for a database that is away; nobody waits for it, because what it still does then is right
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
    async enqueue(name, payload) {
      const key = randomUUID()
      const sealed = await symmetricEncrypt({ key: secret, data: JSON.stringify(payload) })
      await store(pool, name, { key, enqueuedAt: Date.now(), failures: 0, sealed }, 0)
    },
    async stop() {
      stopping.abort()
      await Promise.race([ended, sleep(stopTimeout, undefined, { ref: false })])
    },
  }
}

/**
 * Resolves when the runner is of no more use: it ended, it cannot take jobs, the database does not answer, or `signal`
 * fired. A runner whose very first query failed would go on failing for ever with that one error (graphile-worker
 * 0.18.0 keeps it), so the first error is the last. Meanwhile it hands out again what dead workers hold.
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
  // the runner's other workers meet the same error within moments; graphile-worker prints the error of a worker that is stopped earlier past our log
  await sleep(1 * second, undefined, { signal }).catch(() => {})
}

/** Frees the jobs of workers that died holding them. Any live process does it for all. */
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
  // A connection that ends while idle, and one that ends in use, each emit an error that nobody else awaits.
  pool.on('error', (error) => log.debug({ reason: safeReason(error) }, 'the mail queue lost a connection'))
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * graphile-worker migrates its own tables, beginning with `create schema if not exists`, for which PostgreSQL demands
 * the right to create schemas even when the schema is there. It skips that step when it finds its first table.
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

/** graphile-worker's remarks. It mends by itself whatever it calls an error, so none is more than a warning here. */
function workerLogger(log: Logger): WorkerLogger {
  return new WorkerLogger(() => (level, message) => {
    log[level === 'error' || level === 'warning' ? 'warn' : 'debug'](`graphile-worker: ${message.split('\n', 1)[0]}`)
  })
}

/** The queue of durable work, with several workers on one database. */
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { enqueue, schedule } from '../../common/jobs/jobs.ts'
import { startWorker, type Handler, type WorkerOptions } from '../../common/jobs/worker.ts'
import { createLog } from '../../common/log.ts'
import { freshDatabase } from '../support/database.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
let pool: pg.Pool
let stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  database = await freshDatabase()
  pool = new pg.Pool({ connectionString: database.authUrl, max: 8 })
})
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()))
  stops = []
  await pool.query('delete from private.jobs')
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

/** Starts the worker of a process for the task `note`. */
function worker(note: Handler, options: Partial<WorkerOptions> = {}) {
  const started = startWorker({
    pool,
    tasks: { note },
    slots: 8,
    timeoutMs: 20_000,
    pauseMs: 20,
    onFailure: (error) => ({ afterMs: 3_600_000, reason: (error as Error).message }),
    log: createLog('silent'),
    ...options,
  })
  stops.push(started.stop)
  return started
}
const jobs = async (columns: string) =>
  (await pool.query(`select ${columns} from private.jobs order by created_at, id`)).rows
/** A handler whose attempts stay open until the test ends them. */
function gate() {
  const open: { name: string, end: () => void }[] = []
  const handler: Handler = async ({ payload }) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    open.push({ name: (payload as { name: string }).name, end: resolve })
    await promise
  }
  return { open, handler, names: () => open.map(({ name }) => name) }
}
const store = (name: string, key: string | null, share: string | null = null) =>
  pool.query(`insert into private.jobs (task, key, share, payload) values ('note', $1, $2, $3)`, [
    key,
    share,
    { name },
  ])

test('a job is stored with the transaction that causes it, or not at all', async () => {
  const done: unknown[] = []
  worker(({ payload }) => Promise.resolve(void done.push(payload)))
  const client = await pool.connect()
  await client.query('begin')
  await enqueue(client, 'note', { name: 'of a refused request' })
  await client.query('rollback')
  await client.query('begin')
  await enqueue(client, 'note', { name: 'of a request' })
  expect(await jobs('id')).toEqual([])
  await client.query('commit')
  client.release()
  await expect.poll(() => done).toEqual([{ name: 'of a request' }])
  await expect.poll(() => jobs('id')).toEqual([])
})

test('a worker claims no job of another worker’s tasks, and without a due job it writes nothing', async () => {
  await enqueue(pool, 'other', {})
  const texts: string[] = []
  const client = await pool.connect()
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
  const recorded = async (statement: { text: string, values: unknown[] }) => {
    await query('begin')
    const result = await query(statement)
    texts.push(
      ((await query('select pg_current_xact_id_if_assigned() as id')) as pg.QueryResult<
        { id: string | null }
      >).rows[0]?.id ?? 'nothing written',
    )
    await query('commit')
    return result
  }
  const { stop } = worker(() => Promise.reject(new Error('no job of this task')), {
    pool: { query: recorded } as unknown as pg.Pool,
  })
  await expect.poll(() => texts.length).toBeGreaterThan(2)
  await stop()
  client.release()
  expect(new Set(texts)).toEqual(new Set(['nothing written']))
  expect(await jobs('task, started_at')).toEqual([{ task: 'other', started_at: null }])
})

test('jobs of one key run one after another in two processes, and a failed one runs again before the next', async () => {
  const { open, handler, names } = gate()
  worker(handler)
  worker(handler)
  await store('first', 'k')
  await expect.poll(names).toEqual(['first'])
  await store('second', 'k')
  await store('of another key', 'l')
  await expect.poll(names).toEqual(['first', 'of another key'])
  open[0]!.end()
  await expect.poll(names).toEqual(['first', 'of another key', 'second'])
  for (const { end } of open) end()
})

test('a key has one waiting job, also in two processes at the same moment', async () => {
  await store('first', 'k')
  await expect(store('second', 'k')).rejects.toThrow('jobs_one_waiting')
})

test('jobs of one share hold a limited number of slots, of two processes together', async () => {
  const { open, handler, names } = gate()
  for (let index = 0; index < 12; index += 1) await store('slow', null, 'mallory')
  worker(handler, { slotsPerShare: 3 })
  await expect.poll(names).toHaveLength(3)
  worker(handler, { slotsPerShare: 3 })
  await store('of others', null, 'ann')
  await expect.poll(names).toContain('of others')
  expect(names().filter((name) => name === 'slow')).toHaveLength(3)
  for (const { end } of open) end()
  await expect.poll(() => names().length).toBeGreaterThanOrEqual(7)
  for (const { end } of open) end()
})

test('a job whose process was killed runs again when its lease has ended, and counts as failed once', async () => {
  await store('first', null)
  await pool.query(
    `update private.jobs set started_at = now(), leased_until = now() + interval '1 hour'`,
  )
  const attempts: number[] = []
  const { wake } = worker(async ({ failures }) => void attempts.push(failures))
  await store('later', null)
  wake()
  await expect.poll(() => attempts).toEqual([0])
  await expect.poll(() => jobs('payload')).toEqual([{ payload: { name: 'first' } }])
  await pool.query('update private.jobs set leased_until = now()')
  await expect.poll(() => attempts).toEqual([0, 1])
})

test('a process that was suspended for longer than its lease changes nothing of the attempt that another has begun', async () => {
  const suspended = gate()
  // its only slot is in use, so it cannot claim the job itself
  const { stop } = worker(suspended.handler, { slots: 1 })
  await store('one', null)
  await expect.poll(suspended.names).toEqual(['one'])
  await pool.query('update private.jobs set leased_until = now()')
  const other = gate()
  worker(other.handler)
  await expect.poll(other.names).toEqual(['one'])
  const before = await jobs('*')
  suspended.open[0]!.end()
  await stop()
  expect(await jobs('*')).toEqual(before)
  for (const { end } of [...suspended.open, ...other.open]) end()
  await expect.poll(() => jobs('id')).toEqual([])
})

test('a failed job keeps its reason and waits, and one that is given up is deleted', async () => {
  worker(() => Promise.reject(new Error('no answer')))
  await store('one', null)
  await expect.poll(() =>
    jobs(
      `failures, last_error, leased_until, round(extract(epoch from run_at - now()) / 60)::int as minutes`,
    )
  ).toEqual([
    { failures: 1, last_error: 'no answer', leased_until: null, minutes: 60 },
  ])
  worker(() => Promise.reject(new Error('no answer')), { onFailure: () => undefined })
  await expect.poll(async () => {
    await pool.query('update private.jobs set run_at = now()')
    return jobs('id')
  }).toEqual([])
})

test('a scheduled job is stored once by all processes, runs again and again in one of them, and has no former failures', async () => {
  await Promise.all(Array.from({ length: 6 }, () => schedule(pool, 'note', ['daily'])))
  expect(await jobs('key')).toEqual([{ key: 'daily' }])
  let runs = 0
  const handler: Handler = () => {
    runs += 1
    return runs === 1 ? Promise.reject(new Error('once')) : Promise.resolve(10)
  }
  const onFailure = () => ({ afterMs: 0, reason: 'once' })
  worker(handler, { onFailure })
  worker(handler, { onFailure })
  await expect.poll(() => runs).toBeGreaterThan(5)
  expect(await jobs('key, failures, last_error')).toEqual([{
    key: 'daily',
    failures: 0,
    last_error: null,
  }])
})

test('a scheduled job with another payload is due at once, also while it runs, and the running attempt does not delay it', async () => {
  const { open, handler, names } = gate()
  const daily: Handler = async (job, signal) => {
    await handler(job, signal)
    return 3_600_000
  }
  await schedule(pool, 'note', ['daily'], { name: 'first address' })
  worker(daily)
  await expect.poll(names).toEqual(['first address'])
  await schedule(pool, 'note', ['daily'], { name: 'first address' })
  await schedule(pool, 'note', ['daily'], { name: 'second address' })
  await expect.poll(names).toEqual(['first address', 'second address'])
  open[0]!.end()
  open[1]!.end()
  await expect.poll(() =>
    jobs(`payload, leased_until, run_at > now() + interval '50 minutes' as waits`)
  ).toEqual([
    { payload: { name: 'second address' }, leased_until: null, waits: true },
  ])
})

test('a stop returns a job whose handler ignores its signal, with neither a failure nor a lease', async () => {
  const { handler, names } = gate()
  const { stop } = worker(handler)
  await store('one', null)
  await expect.poll(names).toEqual(['one'])
  await stop()
  expect(await jobs('failures, leased_until, run_at <= now() as due')).toEqual([{
    failures: 0,
    leased_until: null,
    due: true,
  }])
})

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { deliveryFailure, retryDelay } from '../../auth/mail/failures.ts'
import { enqueueMail, startMailQueue, type MailTasks } from '../../auth/mail/queue.ts'
import { mailSender } from '../../auth/mail/transports.ts'
import { freshDatabase } from '../support/database.ts'
import { linkIn, mailSink, type MailSink } from '../support/mail-sink.ts'
import { mailTasks, mailTo, noObserver } from './mails.ts'

const secret = 'a secret of the tests, long enough'
const second = 1_000

let database: Awaited<ReturnType<typeof freshDatabase>>
let owner: pg.Client
let sink: MailSink
let lines: string[]
let stops: (() => Promise<void>)[]

beforeAll(async () => {
  database = await freshDatabase()
  owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await database.drop()
})
beforeEach(async () => {
  sink = await mailSink()
  lines = []
  stops = []
})
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(stops.map((stop) => stop()))
  await sink.close()
  await owner.query('delete from private.jobs')
})

const jobs = async (columns: string, where = 'true') =>
  (await owner.query<Record<string, unknown>>(`select ${columns} from private.jobs where ${where}`))
    .rows

type SendMail = MailTasks['send_mail']

/**
 * Starts a process's queue with this handler. By default it sends mails to the sink, like the
 * service.
 */
function open(handler?: SendMail) {
  const log = pino({ level: 'trace' }, {
    write: (line: string) => {
      lines.push(line)
    },
  })
  const send = mailSender({ kind: 'resend', apiKey: 're_secret', baseUrl: sink.url }, log)
  const toSink: SendMail = async (mail, { key, signal }) => {
    await send({ ...mail, from: 'no-reply@example.org', idempotencyKey: key }, signal)
  }
  const pool = new pg.Pool({ connectionString: database.authUrl, max: 4 })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const { stop } = startMailQueue({
    pool,
    secret,
    log,
    observer: noObserver,
    mailerThrough: () => ({ notice: () => Promise.resolve() }),
    tasks: mailTasks(handler ?? toSink),
  })
  stops.push(async () => {
    await stop()
    if (!pool.ending) await pool.end()
  })
  return { enqueue: (to: string) => enqueueMail(pool, secret, 'send_mail', mailTo(to)), stop }
}

const idle = () =>
  vi.waitFor(async () => expect(await jobs('id')).toEqual([]), {
    timeout: 10 * second,
    interval: 50,
  })

test('several processes share the mails, and each mail is handled once', async () => {
  const handled: string[] = []
  const record: SendMail = async ({ to }) => {
    handled.push(to)
  }
  const [first] = [open(record), open(record), open(record)]
  const everybody = Array.from({ length: 60 }, (_, index) => `u${index}@example.org`)
  await Promise.all(everybody.map((to) => first.enqueue(to)))
  await idle()
  expect(handled.toSorted()).toEqual(everybody.toSorted())
})

test('a mail is sent within a second, also if another process has queued it', async () => {
  const queue = open()
  await queue.enqueue('ann@example.org')
  const mail = await sink.waitFor('ann@example.org', undefined, 1 * second)
  expect(linkIn(mail)).toBe('https://money.example.org/verify?token=s3cret-of-ann@example.org')
})

test.each(['down', 'refuse', 'busy'] as const)(
  'a provider in mode %s neither fails nor delays queueing, and each mail arrives once after it recovers',
  async (mode) => {
    const queue = open()
    sink.mode = mode
    const begin = performance.now()
    for (let index = 0; index < 10; index += 1) await queue.enqueue(`u${index}@example.org`)
    // Each insert waits only for the database, not for the provider, which is retried for 20
    // seconds.
    expect(performance.now() - begin).toBeLessThan(10 * second)
    await vi.waitFor(
      async () =>
        expect(await jobs('id', 'failures >= 1'), 'each has failed once').toHaveLength(10),
      {
        timeout: 10 * second,
        interval: 50,
      },
    )
    sink.mode = 'ok'
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => sink.waitFor(`u${index}@example.org`)),
    )
    await idle()
    expect(sink.mails()).toHaveLength(10)
    expect(new Set(sink.mails().map(({ key }) => key)).size).toBe(10)
  },
)

test('hanging jobs leave capacity for new ones, are retried with the same key, and wait behind new ones', async () => {
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((bound) => {
    expect(bound).toBe(20 * second)
    const controller = new AbortController()
    setTimeout(() => controller.abort(new DOMException('too slow', 'TimeoutError')), 200)
    return controller.signal
  })
  const keys = new Map<string, string[]>()
  const fresh = Promise.withResolvers<void>()
  const queue = open(async ({ to }, { key }) => {
    keys.set(to, [...keys.get(to) ?? [], key])
    if (to === 'fresh@example.org') return fresh.resolve()
    await new Promise(() => {}) // heeds no signal
  })
  for (let index = 0; index < 24; index += 1) await queue.enqueue(`u${index}@example.org`)
  await queue.enqueue('fresh@example.org')
  await fresh.promise
  await vi.waitFor(() => expect(keys.get('u0@example.org')).toHaveLength(2), {
    timeout: 10 * second,
    interval: 50,
  })
  expect(new Set(keys.get('u0@example.org')).size).toBe(1)
  expect(await jobs('failures')).toContainEqual({ failures: 1 })
})

test('the delay between attempts is a sixth of the job’s age, from two seconds to five minutes', () => {
  const minute = 60 * second
  expect([0, 6 * second, 30 * second, 10 * minute, 30 * minute, 24 * 60 * minute].map(retryDelay))
    .toEqual([2 * second, 2 * second, 5 * second, 100 * second, 5 * minute, 5 * minute])
})

test('a permanently refused mail is not retried, and the log contains only its domain', async () => {
  const queue = open()
  sink.mode = 'reject'
  await queue.enqueue('ann@example.org')
  await idle()
  expect(sink.requests()).toBe(1)
  const errors = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ level }) => level === 50)
  expect(errors).toMatchObject([{
    task: 'send_mail',
    recipient_domain: 'example.org',
    reason: 'Resend answered 422 validation_error',
  }])
})

test('a mail that failed for three days is given up', async () => {
  const queue = open()
  sink.mode = 'down'
  await queue.enqueue('ann@example.org')
  await expect.poll(() => jobs('failures, leased_until')).toEqual([{
    failures: 1,
    leased_until: null,
  }])
  await owner.query(
    `update private.jobs set created_at = created_at - interval '3 days', run_at = now()`,
  )
  await idle()
  expect(lines.map((line) => JSON.parse(line) as Record<string, unknown>)).toContainEqual(
    expect.objectContaining({ level: 50, recipient_domain: 'example.org' }),
  )
})

test('the log and the jobs table contain no address, link or body, whatever error a handler throws', async () => {
  const failures = [
    deliveryFailure('no answer in time'),
    new Error('for ann@example.org\n    at s3cret-of-ann'),
    's3cret-of-ann',
  ]
  const thrown: unknown[] = []
  const queue = open(async () => {
    thrown.push(failures[thrown.length])
    throw thrown.at(-1)
  })
  await queue.enqueue('ann@example.org')
  await queue.enqueue('ann@example.org')
  await queue.enqueue('ann@example.org')
  await vi.waitFor(
    async () => expect(await jobs('id', 'failures = 1 and leased_until is null')).toHaveLength(3),
    {
      timeout: 5 * second,
    },
  )
  const everything = lines.join('') + JSON.stringify(await jobs('*'))
  expect(everything).not.toMatch(/s3cret|ann@|Confirm/)
  expect(lines.join('')).toMatch(/"reason":"no answer in time".*"reason":"Error at /s)
  expect((await jobs('last_error')).map(({ last_error: error }) => String(error).slice(0, 18)))
    .toContain('no answer in time')
})

test('a stop ends within five seconds and requeues the running job, which the next process runs at once', async () => {
  const first = open()
  sink.mode = 'hang'
  await first.enqueue('ann@example.org')
  await expect.poll(() => sink.requests()).toBe(1)
  const begin = performance.now()
  await first.stop()
  expect(performance.now() - begin).toBeLessThan(5 * second)
  expect(await jobs('leased_until, failures')).toEqual([{ leased_until: null, failures: 0 }])
  sink.mode = 'ok'
  open()
  // far below the 45 seconds after which another process takes the job of a killed one
  await sink.waitFor('ann@example.org', undefined, 20 * second)
})

/**
 * Starts a process that takes a job, and kills it. @returns the key of the job, whose lease stays
 */
async function killedWorker(): Promise<string> {
  const worker = fork(fileURLToPath(new URL('hanging-worker.ts', import.meta.url)), [
    database.authUrl,
    secret,
  ], { execArgv: [] })
  const [key] = await once(worker, 'message') as [string]
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  return key
}

test(
  'the mail of a killed process is sent by another one when its lease of 45 seconds has ended, and not before',
  async () => {
    const old = await killedWorker()
    const recent = await killedWorker()
    const [lease] = await jobs(
      'extract(epoch from leased_until - started_at)::float as seconds',
      `id = '${recent}'`,
    )
    expect(lease).toEqual({ seconds: 45 })
    await owner.query(
      `update private.jobs set leased_until = leased_until - interval '45 seconds' where id = $1`,
      [old],
    )
    const before = await jobs('*', `id = '${recent}'`)
    const keys: string[] = []
    const queue = open(async ({ to }, { key }) => {
      keys.push(to === 'later@example.org' ? to : key)
    })
    await expect.poll(() => keys).toEqual([old])
    // a later claim sees both leases too
    await queue.enqueue('later@example.org')
    await expect.poll(() => keys).toEqual([old, 'later@example.org'])
    expect(await jobs('*', `id = '${recent}'`)).toEqual(before)
  },
  30 * second,
)

test(
  'a database that disappears during a job ends neither the process nor the queue, and the mail is sent once',
  async () => {
    const name = new URL(database.ownerUrl).pathname.slice(1)
    const handled: string[] = []
    const queue = open(async ({ to }) => {
      handled.push(to)
      if (to !== 'first@example.org') return
      await owner.query(`alter database ${name} connection limit 0`)
      // again until none is left, because a connection that begins just then is not yet in the view
      const terminate =
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()'
      await expect.poll(async () => (await owner.query(terminate, [name])).rowCount).toBe(0)
    })
    await queue.enqueue('first@example.org')
    await vi.waitFor(() => expect(lines.join('')).toContain('no jobs could be claimed'), {
      timeout: 10 * second,
    })
    expect(lines.join('')).toContain('the outcome of a job could not be stored')
    await expect(queue.enqueue('lost@example.org')).rejects.toThrow()
    expect(await jobs('leased_until > now() as leased')).toEqual([{ leased: true }])
    await owner.query(`alter database ${name} connection limit -1`)
    await owner.query(`update private.jobs set leased_until = now()`)
    await queue.enqueue('second@example.org')
    await vi.waitFor(async () => expect(await jobs('id')).toEqual([]), {
      timeout: 20 * second,
      interval: 100,
    })
    expect(handled).toEqual(['first@example.org', 'second@example.org'])
  },
  40 * second,
)

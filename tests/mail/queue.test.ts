import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { deliveryFailure, retryDelay, type Handler } from '../../auth/mail/job.ts'
import { verificationMessage, type Message } from '../../auth/mail/messages.ts'
import { startQueue, type Queue } from '../../auth/mail/queue.ts'
import { mailSender } from '../../auth/mail/transports.ts'
import { freshDatabase } from '../support/database.ts'
import { linkIn, mailSink, type MailSink } from '../support/mail-sink.ts'

const secret = 'a secret of the tests, long enough'
const second = 1_000

let database: Awaited<ReturnType<typeof freshDatabase>>
let owner: pg.Client
let sink: MailSink
let lines: string[]
let queues: { stop(): Promise<void> }[]

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
  queues = []
})
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(queues.map((queue) => queue.stop()))
  await sink.close()
  await owner.query('drop schema graphile_worker cascade; create schema graphile_worker authorization auth_service')
})

async function jobs(columns: string, from = 'graphile_worker.jobs'): Promise<Record<string, unknown>[]> {
  const { rows } = await owner.query<Record<string, unknown>>(`select ${columns} from ${from}`)
  return rows
}

type Payloads = { send_mail: Message }

/** Starts a queue with this handler. By default it sends mails to the sink, like the service. */
async function open(handler?: Handler<Message>): Promise<Queue<Payloads>> {
  const log = pino({ level: 'trace' }, {
    write: (line: string) => {
      lines.push(line)
    },
  })
  const send = mailSender({ kind: 'resend', apiKey: 're_secret', baseUrl: sink.url }, log)
  const toSink: Handler<Message> = async (mail, { key, signal }) => {
    await send({ ...mail, from: 'no-reply@example.org', idempotencyKey: key }, signal)
  }
  const queue = await startQueue<Payloads>({ databaseUrl: database.authUrl, secret, log, tasks: { send_mail: handler ?? toSink } })
  queues.push(queue)
  return queue
}

const mailTo = (to: string) =>
  verificationMessage({
    to,
    name: 'Ann',
    createdAt: new Date('2026-03-12T14:05:00Z'),
    site: 'money.example.org',
    url: `https://money.example.org/verify?token=s3cret-of-${to}`,
    disownUrl: 'https://money.example.org/disown-account?token=x',
  })

const idle = () => vi.waitFor(async () => expect(await jobs('id')).toEqual([]), { timeout: 10 * second, interval: 50 })

test('the auth service cannot create schemas, and several processes may start on an empty database at once', async () => {
  const { rows } = await owner.query(`select has_database_privilege('auth_service', current_database(), 'create') as allowed`)
  expect(rows).toEqual([{ allowed: false }])
  const handled: string[] = []
  const record: Handler<Message> = async ({ to }) => {
    handled.push(to)
  }
  const [first] = await Promise.all([open(record), open(record), open(record)])
  const everybody = Array.from({ length: 60 }, (_, index) => `u${index}@example.org`)
  await Promise.all(everybody.map((to) => first.enqueue('send_mail', mailTo(to))))
  await idle()
  expect(handled.toSorted()).toEqual(everybody.toSorted())
})

test('a mail is sent as soon as it is queued', async () => {
  const queue = await open()
  await queue.enqueue('send_mail', mailTo('ann@example.org'))
  const mail = await sink.waitFor('ann@example.org', undefined, 1 * second)
  expect(linkIn(mail)).toBe('https://money.example.org/verify?token=s3cret-of-ann@example.org')
})

test.each(['down', 'refuse', 'busy'] as const)(
  'a provider in mode %s neither fails nor delays queueing, and each mail arrives once after it recovers',
  async (mode) => {
    const queue = await open()
    sink.mode = mode
    const begin = performance.now()
    for (let index = 0; index < 10; index += 1) await queue.enqueue('send_mail', mailTo(`u${index}@example.org`))
    // Each insert waits only for the database, not for the provider, which is retried for 20 seconds.
    expect(performance.now() - begin).toBeLessThan(10 * second)
    await vi.waitFor(async () => expect(await jobs('id', 'graphile_worker.jobs where priority >= 1'), 'each has failed once').toHaveLength(10), {
      timeout: 10 * second,
      interval: 50,
    })
    sink.mode = 'ok'
    await Promise.all(Array.from({ length: 10 }, (_, index) => sink.waitFor(`u${index}@example.org`)))
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
  const queue = await open(async ({ to }, { key }) => {
    keys.set(to, [...keys.get(to) ?? [], key])
    if (to === 'fresh@example.org') return fresh.resolve()
    await new Promise(() => {}) // heeds no signal
  })
  for (let index = 0; index < 24; index += 1) await queue.enqueue('send_mail', mailTo(`u${index}@example.org`))
  await queue.enqueue('send_mail', mailTo('fresh@example.org'))
  await fresh.promise
  await vi.waitFor(() => expect(keys.get('u0@example.org')).toHaveLength(2), { timeout: 10 * second, interval: 50 })
  expect(new Set(keys.get('u0@example.org')).size).toBe(1)
  expect(new Set(await jobs('priority'))).toContainEqual({ priority: 1 })
})

test('the delay between attempts is a sixth of the job’s age, from two seconds to five minutes', () => {
  const minute = 60 * second
  expect([0, 6 * second, 30 * second, 10 * minute, 30 * minute, 24 * 60 * minute].map(retryDelay))
    .toEqual([2 * second, 2 * second, 5 * second, 100 * second, 5 * minute, 5 * minute])
})

test('a permanently refused mail is not retried, and the log contains only its domain', async () => {
  const queue = await open()
  sink.mode = 'reject'
  await queue.enqueue('send_mail', mailTo('ann@example.org'))
  await idle()
  expect(sink.requests()).toBe(1)
  const errors = lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ level }) => level === 50)
  expect(errors).toMatchObject([{ task: 'send_mail', recipient_domain: 'example.org', reason: 'Resend answered 422 validation_error' }])
})

test('a mail that failed for three days is given up', async () => {
  const queue = await open()
  sink.mode = 'down'
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 3 * 24 * 3_600 * second)
  await queue.enqueue('send_mail', mailTo('ann@example.org'))
  clock.mockRestore()
  await idle()
  expect(lines.map((line) => JSON.parse(line) as Record<string, unknown>)).toContainEqual(
    expect.objectContaining({ level: 50, recipient_domain: 'example.org' }),
  )
})

test('the log and the jobs table contain no address, link or body, whatever error a handler throws', async () => {
  const failures = [deliveryFailure('no answer in time'), new Error('for ann@example.org\n    at s3cret-of-ann'), 's3cret-of-ann']
  const thrown: unknown[] = []
  const queue = await open(async () => {
    thrown.push(failures[thrown.length])
    throw thrown.at(-1)
  })
  await queue.enqueue('send_mail', mailTo('ann@example.org'))
  await queue.enqueue('send_mail', mailTo('ann@example.org'))
  await queue.enqueue('send_mail', mailTo('ann@example.org'))
  await vi.waitFor(async () => expect(await jobs('id', 'graphile_worker.jobs where priority = 1 and locked_at is null')).toHaveLength(3), {
    timeout: 5 * second,
  })
  const everything = lines.join('') + JSON.stringify(await jobs('*', 'graphile_worker._private_jobs'))
  expect(everything).not.toMatch(/s3cret|ann@|Confirm/)
  expect(lines.join('')).toMatch(/"reason":"no answer in time".*"reason":"Error at /s)
})

test('a stop ends within five seconds and requeues the running job, which the next process runs at once', async () => {
  const first = await open()
  sink.mode = 'hang'
  await first.enqueue('send_mail', mailTo('ann@example.org'))
  await expect.poll(() => sink.requests()).toBe(1)
  const begin = performance.now()
  await first.stop()
  expect(performance.now() - begin).toBeLessThan(5 * second)
  expect(await jobs('locked_by, priority')).toEqual([{ locked_by: null, priority: 0 }])
  sink.mode = 'ok'
  await open()
  // far below the 45 seconds after which another process takes over the lock of a killed one
  await sink.waitFor('ann@example.org', undefined, 20 * second)
})

/** Starts a process that takes a job, and kills it. @returns the key of the job, which stays locked */
async function killedWorker(): Promise<string> {
  const worker = fork(fileURLToPath(new URL('hanging-worker.ts', import.meta.url)), [database.authUrl, secret], { execArgv: [] })
  const [key] = await once(worker, 'message') as [string]
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  return key
}

test('the job of a killed process runs in another one once its lock is 45 seconds old, and not before', async () => {
  const old = await killedWorker()
  const recent = await killedWorker()
  await owner.query(`update graphile_worker._private_jobs set locked_at = locked_at - interval '45 seconds' where key = $1`, [old])
  const keys: string[] = []
  await open(async (_, { key }) => {
    keys.push(key)
  })
  const recentJob = `graphile_worker.jobs where key = '${recent}'`
  const [owned] = await jobs('locked_by, locked_at', recentJob)
  // One statement frees all jobs that are old enough. If the other job were free too, this process would have taken it.
  await vi.waitFor(async () => expect(await jobs('key')).toEqual([{ key: recent }]), { timeout: 15 * second, interval: 100 })
  expect(await jobs('locked_by, locked_at', recentJob)).toEqual([owned])
  expect(keys).toEqual([old])
}, 30 * second)

test('a database that disappears during a job ends neither the process nor the queue, and the mail is sent once', async () => {
  const name = new URL(database.ownerUrl).pathname.slice(1)
  const handled: string[] = []
  const queue = await open(async ({ to }) => {
    handled.push(to)
    if (to !== 'first@example.org') return
    await owner.query(`alter database ${name} connection limit 0`)
    // again until none is left, because a connection that begins just then is not yet in the view
    const terminate = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()'
    await expect.poll(async () => (await owner.query(terminate, [name])).rowCount).toBe(0)
  })
  await queue.enqueue('send_mail', mailTo('first@example.org'))
  await vi.waitFor(() => expect(lines.join('')).toContain('lost the database'), { timeout: 10 * second })
  await expect(queue.enqueue('send_mail', mailTo('lost@example.org'))).rejects.toThrow()
  expect(await jobs('locked_at is not null as locked')).toEqual([{ locked: true }])
  await owner.query(`alter database ${name} connection limit -1`)
  await owner.query(`update graphile_worker._private_jobs set locked_at = locked_at - interval '45 seconds'`)
  await queue.enqueue('send_mail', mailTo('second@example.org'))
  await vi.waitFor(async () => expect(await jobs('id')).toEqual([]), { timeout: 20 * second, interval: 100 })
  expect(handled).toEqual(['first@example.org', 'second@example.org'])
}, 40 * second)

test('a start without a database fails instead of waiting', async () => {
  const log = pino({ level: 'silent' })
  const nowhere = startQueue<Payloads>({ databaseUrl: 'postgresql://auth_service:x@127.0.0.1:1/none', secret, log, tasks: { send_mail: async () => {} } })
  await expect(nowhere).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

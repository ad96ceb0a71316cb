/**
 * Measures `npm run realtime` with as many idle streams as one process is meant for: memory,
 * processor, connections to the database, and how soon an event arrives while others write.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { authDatabaseUrl } from '../../start/environment.ts'
import { freePort } from '../../start/ports.ts'
import type { Figure } from './figures.ts'
import { create, idsIn, openStream, residentMegabytes, secret } from './live.ts'
import { runProgram } from './programs.ts'
import { benchStack, people, person, quantile } from './stack.ts'

/** A process of most systems may open 20,480 files at most, so both ends keep some in reserve. */
const streams = Number(process.env['BENCH_STREAMS'] ?? 19_500)
const openedTogether = 25

const settleMs = 40_000
const idleMs = 40_000
const writers = 50
const writes = 1_500
const writesPerSecond = 50

/** Runs all measurements of this file, in about five minutes. */
export async function manyStreamsFigures(): Promise<Figure[]> {
  if (process.platform !== 'linux') return []
  await using stack = await benchStack(people(streams))
  await stack.owner.query(`update auth.sessions set expires_at = now() + interval '7 days'`)
  await stack.owner.query('delete from auth.jwks where signs_from is null')
  await stack.owner.query('analyze')
  await using resources = new AsyncDisposableStack()
  const port = await freePort()
  const { pid, cpuMs } = await runProgram(
    resources,
    ['realtime/main.ts'],
    {
      PUBLIC_URL: stack.publicUrl,
      AUTH_DATABASE_URL: authDatabaseUrl(stack.url, stack.authServicePassword),
      BETTER_AUTH_SECRET: secret,
      TRUSTED_PROXIES: '127.0.0.1/32',
      LOG_LEVEL: 'warn',
      CHANGES_STREAMS: String(streams),
      NODE_OPTIONS: process.env['BENCH_NODE_OPTIONS'] ?? '',
    },
    port,
    '/readyz',
  )
  const begun = new Map<string, number>()
  const times: number[] = []
  const onText = (text: string) => {
    const now = performance.now()
    for (const id of idsIn(text)) {
      const since = begun.get(id)
      if (since !== undefined) times.push(now - since)
    }
  }
  const sockets = new DisposableStack()
  resources.use(sockets)
  for (let opened = 0; opened < streams; opened += openedTogether) {
    const readers = await Promise.all(
      Array.from(
        { length: Math.min(openedTogether, streams - opened) },
        (_, at) => openStream(port, 1 + opened + at),
      ),
    )
    for (const reader of readers) {
      reader.onText = onText
      sockets.defer(() => reader.socket.destroy())
    }
  }
  await sleep(settleMs)
  const used = cpuMs()
  await sleep(idleMs)
  const share = (cpuMs() - used) / idleMs
  const memory = residentMegabytes(pid)
  const { rows: [database] } = await stack.owner.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where usename = 'auth_service'`,
  )
  const askAs = await stack.postgrest({ PGRST_DB_POOL: '6' })
  const asks = await Promise.all(
    Array.from(
      { length: writers },
      (_, at) => askAs(person(1 + at * Math.floor(streams / writers))),
    ),
  )
  const since = performance.now()
  const sent: Promise<number>[] = []
  for (let write = 0; write < writes; write++) {
    const id = randomUUID()
    begun.set(id, performance.now())
    sent.push(create(asks[write % writers]!, id))
    await sleep(Math.max(0, since + (write + 1) * 1_000 / writesPerSecond - performance.now()))
  }
  await Promise.all(sent)
  await sleep(1_000)
  const p95 = quantile(times, 0.95)
  const work = `${streams} idle streams of one process`
  return [
    {
      work: `${work}: memory`,
      against: '400 MB',
      ratio: memory / 400,
      aim: 1,
      unit: 'times',
      note: `${memory.toFixed(0)} MB`,
    },
    {
      work: `${work}: processor`,
      against: '10 % of a core',
      ratio: share / 0.1,
      aim: 1,
      unit: 'times',
      note: `${(share * 100).toFixed(1)} %`,
    },
    {
      work: `${work}: connections to the database`,
      against: '2',
      ratio: (database?.count ?? 0) / 2,
      aim: 1,
      unit: 'times',
    },
    {
      work:
        `${work}: from a write to its event, ${writesPerSecond} writes a second in ${writers} tenants: 95 % within`,
      against: '150 ms',
      ratio: p95 / 150,
      aim: 1,
      unit: 'times',
      note: `${p95.toFixed(0)} ms, median ${
        quantile(times, 0.5).toFixed(0)
      } ms, ${times.length} of ${writes} events`,
    },
  ]
}

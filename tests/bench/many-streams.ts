/**
 * Measures `npm run realtime` with as many idle streams as one process is meant for. The figures are
 * memory, processor, connections to the database, and the delay of an event while others write.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure } from './figures.ts'
import {
  create,
  eventTimes,
  openStream,
  residentMegabytes,
  runStreams,
  streamsStack,
} from './live.ts'
import { person, quantile } from './stack.ts'

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
  await using stack = await streamsStack(streams)
  await using resources = new AsyncDisposableStack()
  const { port, pid, cpuMs } = await runStreams(resources, stack, 'realtime/main.ts', {
    CHANGES_STREAMS: String(streams),
    NODE_OPTIONS: process.env['BENCH_NODE_OPTIONS'] ?? '',
  })
  const { begin, onText, times } = eventTimes()
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
    sent.push(create(asks[write % writers]!, begin()))
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

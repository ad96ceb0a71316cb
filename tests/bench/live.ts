/**
 * Measures live streams: what they cost a write, how soon an event arrives, and what a thousand
 * idle streams cost the auth service. The baseline of a write is the same database without notes of
 * changes.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { authDatabaseUrl } from '../../start/environment.ts'
import { freePort } from '../../start/ports.ts'
import type { Figure } from './figures.ts'
import { runProgram } from './programs.ts'
import { benchStack, people, person, quantile, type Ask, type BenchStack } from './stack.ts'

const users = 1_100
const secret = 'a secret of the bench, long enough for it'

const writers = 12
const pairs = 15
const roundMs = 1_000

const latencyWrites = 500
const writesPerSecond = 50

const idleStreams = 1_000
const idleMs = 40_000

/** A user's cookie of the session that `people` made. */
const cookieOf = (user: number): string => {
  const signature = createHmac('sha256', secret).update(`token-${user}`).digest('base64')
  return `better-auth.session_token=${encodeURIComponent(`token-${user}.${signature}`)}`
}

/** An address of each user's own, because the service limits requests by address. */
const addressOf = (user: number): string => `10.1.${user >> 8}.${user & 255}`

type Reader = { socket: Socket, onText: (text: string) => void }

/** Measures the times from writes to their events, in milliseconds. */
export function eventTimes() {
  const begun = new Map<string, number>()
  const times: number[] = []
  return {
    times,
    /** Returns the id of a row that is created now. */
    begin: (): string => {
      const id = randomUUID()
      begun.set(id, performance.now())
      return id
    },
    /** Reads the text of a stream. */
    onText: (text: string): void => {
      const now = performance.now()
      for (const id of text.match(/[\da-f]{8}-[\da-f-]{27}(?=["\]])/g) ?? []) {
        const since = begun.get(id)
        if (since !== undefined) times.push(now - since)
      }
    },
  }
}

/** Starts a database of users with sessions of a week. */
export async function streamsStack(count: number): Promise<BenchStack> {
  const stack = await benchStack(people(count))
  await stack.owner.query(`update auth.sessions set expires_at = now() + interval '7 days'`)
  await stack.owner.query('delete from auth.jwks where signs_from is null')
  await stack.owner.query('analyze')
  return stack
}

/** Starts a program that serves streams. @param env settings beside those of every such program */
export async function runStreams(
  resources: AsyncDisposableStack,
  { publicUrl, url, authServicePassword }: BenchStack,
  program: string,
  env: Record<string, string> = {},
): Promise<{ port: number, pid: number, cpuMs: () => number }> {
  const port = await freePort()
  const settings = {
    PUBLIC_URL: publicUrl,
    AUTH_DATABASE_URL: authDatabaseUrl(url, authServicePassword),
    BETTER_AUTH_SECRET: secret,
    TRUSTED_PROXIES: '127.0.0.1/32',
    LOG_LEVEL: 'error',
    ...env,
  }
  return { port, ...await runProgram(resources, [program], settings, port, '/readyz') }
}

/**
 * Opens a stream of a user over a raw connection, whose cost is small beside the measured server's.
 * Resolves after `ready`.
 */
export async function openStream(port: number, user: number): Promise<Reader> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1')
  const reader: Reader = { socket, onText: () => undefined }
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('error', reject).on('data', (text: string) => {
      if (!text.startsWith('HTTP/1.1 200') && text.startsWith('HTTP/'))
        reject(new Error(text.slice(0, 12)))
      if (text.includes('event: ready')) resolve()
      else reader.onText(text)
    })
  })
  socket.write(
    `GET /api/auth/changes?tables=transactions HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: ${
      addressOf(user)
    }\r\ncookie: ${cookieOf(user)}\r\n\r\n`,
  )
  await opened
  return reader
}

const sample = { name: 'Bread', amount: -3, transaction_date: '2026-01-02T10:00:00Z' }

export async function create(ask: Ask, id: string = randomUUID()): Promise<number> {
  const { status, ms } = await ask('/transactions', { ...sample, id }, { prefer: 'return=minimal' })
  if (status !== 201) throw new Error(`unexpected ${status}`)
  return ms
}

/**
 * Creates rows with twelve writers for a second. @returns the number, and the median of the times
 */
async function writeRound(asks: Ask[]): Promise<{ count: number, median: number }> {
  const times: number[] = []
  const until = performance.now() + roundMs
  await Promise.all(asks.map(async (ask) => {
    while (performance.now() < until) times.push(await create(ask))
  }))
  return { count: times.length, median: quantile(times, 0.5) }
}

/** Compares writes with and without notes of changes, with this number of open streams. */
async function writeFigures(stack: BenchStack, asks: Ask[], streams: number): Promise<Figure[]> {
  const { owner } = stack
  const { rows: [stored] } = await owner.query<{ definition: string }>(
    `select pg_get_functiondef('private.record_creation()'::regprocedure) as definition`,
  )
  const withNotes = stored?.definition ?? ''
  const withoutNotes = withNotes.replace(/perform private\.note_change[^;]*;/, '')
  const round = async (definition: string) => {
    await owner.query(definition)
    await Promise.all(asks.map((ask) => create(ask)))
    return writeRound(asks)
  }
  const ratios: { count: number, median: number }[] = []
  for (let pair = 0; pair < pairs; pair++) {
    const order = pair % 2 === 0 ? [withNotes, withoutNotes] : [withoutNotes, withNotes]
    const first = await round(order[0]!)
    const second = await round(order[1]!)
    const [ours, theirs] = pair % 2 === 0 ? [first, second] : [second, first]
    ratios.push({ count: ours.count / theirs.count, median: ours.median / theirs.median })
  }
  await owner.query(withNotes)
  const work = `one row created, ${writers} writers, ${streams} streams`
  return [
    {
      work: `${work}: median time`,
      against: 'the same without notes of changes',
      ratio: quantile(ratios.map(({ median }) => median), 0.5),
      aim: 1.05,
      unit: 'times',
    },
    {
      work: `${work}: throughput`,
      against: 'the same without notes of changes',
      ratio: quantile(ratios.map(({ count }) => count), 0.5),
      aim: 0.95,
      unit: 'throughputs',
    },
  ]
}

/** Creates fifty rows a second and measures the time from each request to its event. */
async function latencyFigure(
  port: number,
  askAs: (who: ReturnType<typeof person>) => Promise<Ask>,
): Promise<Figure> {
  const user = 1_001
  const stream = await openStream(port, user)
  const ask = await askAs(person(user))
  const { begin, onText, times } = eventTimes()
  stream.onText = onText
  for (let write = 0; write < latencyWrites; write++) {
    const now = performance.now()
    const id = begin()
    await create(ask, id)
    await sleep(Math.max(0, 1_000 / writesPerSecond - (performance.now() - now)))
  }
  await sleep(500)
  stream.socket.destroy()
  const p95 = quantile(times, 0.95)
  return {
    work: 'from a write to its event, 50 writes a second to one stream: 95 % within',
    against: '150 ms',
    ratio: p95 / 150,
    aim: 1,
    unit: 'times',
    note: `${p95.toFixed(0)} ms, median ${quantile(times, 0.5).toFixed(0)} ms`,
  }
}

export const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

/** Runs all measurements of this file, in about three minutes. */
export async function liveFigures(): Promise<Figure[]> {
  if (process.platform !== 'linux') return []
  await using stack = await streamsStack(users)
  await using resources = new AsyncDisposableStack()
  const { port, pid, cpuMs } = await runStreams(resources, stack, 'auth/main.ts')
  const askAs = await stack.postgrest()
  const asks = await Promise.all(
    Array.from({ length: writers }, (_, at) => askAs(person(1_050 + at))),
  )
  await writeRound(asks)
  const figures = await writeFigures(stack, asks, 0)
  figures.push(await latencyFigure(port, askAs))
  const cpuShare = async (): Promise<number> => {
    const used = cpuMs()
    await sleep(idleMs)
    return (cpuMs() - used) / idleMs
  }
  const shareWithout = await cpuShare()
  // a service that has just started has not yet grown to its usual size
  for (let user = 1; user <= idleStreams; user++) {
    const response = await fetch(`http://127.0.0.1:${port}/api/auth/get-session`, {
      headers: { cookie: cookieOf(user), 'x-forwarded-for': addressOf(user) },
    })
    await response.arrayBuffer()
  }
  const streams: Reader[] = []
  const open = async (count: number) => {
    while (streams.length < count)
      streams.push(
        ...await Promise.all(
          Array.from(
            { length: Math.min(20, count - streams.length) },
            (_, at) => openStream(port, 1 + streams.length + at),
          ),
        ),
      )
  }
  await open(1)
  const before = residentMegabytes(pid)
  await open(100)
  figures.push(...await writeFigures(stack, asks, 100))
  await open(idleStreams)
  const share = await cpuShare() - shareWithout
  const grown = residentMegabytes(pid) - before
  figures.push(
    {
      work: `${idleStreams} idle streams: memory of the auth service`,
      against: '60 MB',
      ratio: grown / 60,
      aim: 1,
      unit: 'times',
      note: `${grown.toFixed(0)} MB`,
    },
    {
      work: `${idleStreams} idle streams: processor`,
      against: '2 % of a core',
      ratio: share / 0.02,
      aim: 1,
      unit: 'times',
      note: `${(share * 100).toFixed(1)} %, beside ${
        (shareWithout * 100).toFixed(1)
      } % without streams`,
    },
  )
  for (const { socket } of streams) socket.destroy()
  return figures
}

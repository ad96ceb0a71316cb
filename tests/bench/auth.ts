/**
 * Measures auth requests against baselines, in turn: get-session and token against bare Hono with
 * one query, sign-in against raw scrypt, and get-session during sign-ins against get-session alone.
 */
import { createHmac, scrypt } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { hashPassword } from 'better-auth/crypto'
import { authDatabaseUrl } from '../../start/environment.ts'
import { freePort } from '../../start/ports.ts'
import type { Figure } from './figures.ts'
import { runProgram } from './programs.ts'
import { benchStack, people, quantile } from './stack.ts'

const users = 400
const callers = 16
// short rounds, so that other load on the machine affects both sides of a pair alike
const rounds = 21
const roundMs = 300
const signInRounds = 7
const signInMs = 1_200
const floodMs = 700
const secret = 'a secret of the bench, long enough for it'
const password = 'correct horse'

/** A connection that sends raw HTTP requests. */
type Connection = {
  send: (request: string) => Promise<{ status: number, ms: number }>
  end: () => void
}

/**
 * Opens a keep-alive connection. Node's own client would use as much CPU time as the measured
 * server.
 */
async function open(port: number): Promise<Connection> {
  const socket: Socket = connect(port, '127.0.0.1').setNoDelay(true)
  await new Promise<void>((resolve, reject) =>
    socket.once('connect', resolve).once('error', reject)
  )
  let received = ''
  let onResponse: ((status: number) => void) | undefined
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
    const head = received.indexOf('\r\n\r\n')
    const length = /content-length: (\d+)/i.exec(received)?.[1]
    if (head === -1 || length === undefined || received.length < head + 4 + Number(length)) return
    const status = Number(received.slice(9, 12))
    received = ''
    onResponse?.(status)
  })
  return {
    send: async (request) => {
      const started = performance.now()
      const status = await new Promise<number>((resolve) => {
        onResponse = resolve
        socket.write(request)
      })
      return { status, ms: performance.now() - started }
    },
    end: () => socket.destroy(),
  }
}

/**
 * Returns the text of a user's request. Each user has an address of their own, because of the rate
 * limit per address.
 */
function requestOf(method: string, path: string, user: number, body?: unknown): string {
  const token = `token-${user}`
  const signature = createHmac('sha256', secret).update(token).digest('base64')
  const json = body === undefined ? '' : JSON.stringify(body)
  return [
    `${method} ${path} HTTP/1.1`,
    'host: localhost',
    `x-forwarded-for: 10.1.${user >> 8}.${user & 255}`,
    ...(body === undefined
      ? [`cookie: better-auth.session_token=${encodeURIComponent(`${token}.${signature}`)}`]
      : ['content-type: application/json']),
    `content-length: ${json.length}`,
    '',
    json,
  ].join('\r\n')
}

/** Index of the next request. The users take turns, because of the rate limit per account. */
let next = 0

/**
 * Sends requests over several connections for a time. @returns the responses per second, and their
 * times
 */
async function throughput(
  port: number,
  requests: string[],
  concurrency: number,
  milliseconds: number,
): Promise<{ perSecond: number, times: number[] }> {
  const times: number[] = []
  const connections = await Promise.all(Array.from({ length: concurrency }, () => open(port)))
  const started = performance.now()
  await Promise.all(connections.map(async ({ send }) => {
    while (performance.now() - started < milliseconds) {
      const { status, ms } = await send(requests[next++ % requests.length] ?? '')
      if (status !== 200) throw new Error(`unexpected ${status}`)
      times.push(ms)
    }
  }))
  const perSecond = times.length / (performance.now() - started) * 1000
  for (const { end } of connections) end()
  return { perSecond, times }
}

/**
 * Measures both sides in turn, each pair in the opposite order. @returns the median of the ratios,
 * and a note with both throughputs
 */
async function compare(ours: () => Promise<number>, theirs: () => Promise<number>, pairs: number) {
  const figures: { ours: number, theirs: number }[] = []
  for (let pair = 0; pair < pairs; pair++) {
    const first = pair % 2 === 0 ? await ours() : await theirs()
    const second = pair % 2 === 0 ? await theirs() : await ours()
    figures.push(pair % 2 === 0 ? { ours: first, theirs: second } : { ours: second, theirs: first })
  }
  const ratios = figures.map((figure) => figure.ours / figure.theirs)
  const of = (part: number) => quantile(ratios, part).toFixed(2)
  return {
    ratio: quantile(ratios, 0.5),
    note: `${quantile(figures.map((figure) => figure.ours), 0.5).toFixed(0)} a second against ${
      quantile(figures.map((figure) => figure.theirs), 0.5).toFixed(0)
    }; ${pairs} pairs, from ${of(0)} to ${of(1)}`,
  }
}

/** Hashes passwords with the parameters of better-auth. @returns hashes per second */
async function rawScrypt(concurrency: number, milliseconds: number): Promise<number> {
  const hash = promisify<string, string, number, object, Buffer>(scrypt)
  let done = 0
  const started = performance.now()
  await Promise.all(Array.from({ length: concurrency }, async () => {
    while (performance.now() - started < milliseconds) {
      await hash(password, 'a salt of sixteen', 64, {
        N: 16_384,
        r: 16,
        p: 1,
        maxmem: 128 * 16_384 * 16 * 2,
      })
      done += 1
    }
  }))
  return done / (performance.now() - started) * 1000
}

/** Runs all measurements of this file, in about forty seconds. */
export async function authFigures(): Promise<Figure[]> {
  await using stack = await benchStack(people(users))
  await stack.owner.query('update auth.users set email_verified = true')
  await stack.owner.query(
    `insert into auth.accounts (id, account_id, provider_id, user_id, password) select id, id, 'credential', id, $1 from auth.users`,
    [await hashPassword(password)],
  )
  await stack.owner.query(`update auth.sessions set expires_at = now() + interval '7 days'`)
  // the service creates a signing key only if there is none
  await stack.owner.query('delete from auth.jwks')
  await stack.owner.query('analyze')
  await using resources = new AsyncDisposableStack()
  const [port, barePort] = [await freePort(), await freePort()]
  const databaseUrl = authDatabaseUrl(stack.url, stack.authServicePassword)
  const { cpuMs: cpu } = await runProgram(
    resources,
    ['auth/main.ts'],
    {
      PUBLIC_URL: stack.publicUrl,
      AUTH_DATABASE_URL: databaseUrl,
      BETTER_AUTH_SECRET: secret,
      TRUSTED_PROXIES: '127.0.0.1/32',
    },
    port,
    '/readyz',
  )
  const { cpuMs: bareCpu } = await runProgram(
    resources,
    ['tests/bench/bare-hono.ts'],
    { DATABASE_URL: databaseUrl },
    barePort,
    '/session',
  )

  const allUsers = Array.from({ length: users }, (_, i) => i + 1)
  const requests = (method: string, path: string) =>
    allUsers.map((user) => requestOf(method, path, user))
  const signIns = allUsers.map((user) =>
    requestOf('POST', '/api/auth/sign-in/email', user, {
      email: `user-${user}@example.org`,
      password,
    })
  )
  /**
   * Measures the throughput of one side, and the CPU time of its server per response, which other
   * programs disturb less.
   */
  const side = (at: number, of: string[], used: () => number) => {
    let [responses, milliseconds] = [0, 0]
    return {
      perSecond: async () => {
        const before = used()
        const { perSecond, times } = await throughput(at, of, callers, roundMs)
        responses += times.length
        milliseconds += used() - before
        return perSecond
      },
      each: () => (milliseconds / responses).toFixed(2),
    }
  }
  /** Compares a route of the service with a route of bare Hono. */
  const against = async (ours: string[], theirs: string[]) => {
    const [product, bare] = [side(port, ours, cpu), side(barePort, theirs, bareCpu)]
    // warms up the just-in-time compiler
    await throughput(port, ours, callers, 1_500)
    await throughput(barePort, theirs, callers, 1_500)
    const found = await compare(product.perSecond, bare.perSecond, rounds)
    return {
      ...found,
      note: `${found.note}; ${product.each()} ms of CPU time each against ${bare.each()}`,
    }
  }
  const getSession = requests('GET', '/api/auth/get-session')

  const session = await against(getSession, requests('GET', '/session'))
  const token = await against(requests('POST', '/api/auth/token'), requests('POST', '/token'))
  const signIn = await compare(
    async () => (await throughput(port, signIns, 4, signInMs)).perSecond,
    () => rawScrypt(4, signInMs),
    signInRounds,
  )

  const p50 = async () => quantile((await throughput(port, getSession, 1, floodMs)).times, 0.5)
  const flooded: number[] = []
  const idle: number[] = []
  for (let round = 0; round < signInRounds; round++) {
    idle.push(await p50())
    const flood = throughput(port, signIns, 8, floodMs)
    flooded.push(await p50())
    await flood
  }
  const [quiet, busy] = [quantile(idle, 0.5), quantile(flooded, 0.5)]
  return [
    {
      work: 'get-session',
      against: 'bare Hono and one query',
      ...session,
      aim: 0.4,
      unit: 'throughputs',
    },
    {
      work: 'POST /token',
      against: 'bare Hono, one query and jose',
      ...token,
      aim: 0.5,
      unit: 'throughputs',
    },
    {
      work: 'sign-in, four at once',
      against: 'raw scrypt, four at once',
      ...signIn,
      aim: 0.95,
      unit: 'throughputs',
    },
    {
      work: 'get-session while eight sign in, median time',
      against: 'get-session alone',
      ratio: quantile(flooded.map((ms, i) => ms / (idle[i] ?? ms)), 0.5),
      aim: 1.5,
      unit: 'times',
      note: `${busy.toFixed(1)} ms against ${quiet.toFixed(1)}`,
    },
  ]
}

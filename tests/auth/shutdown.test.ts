/** The process of the auth service receives several signals, or crashes. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { request, type ClientRequest } from 'node:http'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../start/ports.ts'
import { freshDatabase } from '../support/database.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

/** A value that Node would print from a database error. */
const quotedRow = 'Key (email)=(ann@example.org) already exists.'
/**
 * Two errors that a test can trigger in the process: an unhandled rejection and an uncaught
 * exception.
 */
const crashes = `
  const error = () => Object.assign(new Error('duplicate key value'), { severity: 'ERROR', code: '23505', detail: ${
  JSON.stringify(quotedRow)
} })
  process.on('SIGUSR2', () => { void Promise.reject(error()) })
  process.on('SIGWINCH', () => { setImmediate(() => { throw error() }) })`

type Running = {
  process: ChildProcess
  url: string
  output: () => string
  ended: Promise<number | null>
  expectOutput: (text: string, times?: number) => Promise<void>
}

async function running(): Promise<Running> {
  const port = await freePort()
  const sql = new pg.Client({ connectionString: database.ownerUrl })
  await sql.connect()
  await sql.query('update private.settings set public_url = $1', [`http://localhost:${port}`])
  await sql.end()
  const child = spawn(process.execPath, [
    '--import',
    `data:text/javascript,${encodeURIComponent(crashes)}`,
    'auth/main.ts',
  ], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      AUTH_DATABASE_URL: database.authUrl,
      BETTER_AUTH_SECRET: 'a secret of the tests, long enough',
    },
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const expectOutput = (text: string, times = 1) =>
    expect.poll(() => output.split(text).length - 1, { timeout: 30_000, interval: 20 })
      .toBeGreaterThanOrEqual(times)
  await expectOutput('auth service listening')
  return {
    process: child,
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    ended,
    expectOutput,
  }
}

type Answered = { status: number | undefined, connection: string | undefined }
/** The response to all requests once the service shuts down. */
const lastResponse: Answered = { status: 200, connection: 'close' }

/** A request with half of its body sent: the service has it and cannot respond yet. */
async function inFlight({ url }: Running): Promise<{ finish: () => Promise<Answered> }> {
  const body = JSON.stringify({ email: 'nobody@example.org' })
  let half: ClientRequest | undefined
  const answered = new Promise<Answered>((resolve, reject) => {
    half = request(
      `${url}/api/auth/forget-password`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': body.length },
      },
      (response) => {
        response.resume().on(
          'end',
          () => resolve({ status: response.statusCode, connection: response.headers.connection }),
        )
      },
    ).on('error', reject)
    half.write(body.slice(0, 10))
  })
  // The caller that awaits the response handles the error.
  answered.catch(() => undefined)
  // A response to a later request proves that the service has read the head of the first one.
  await fetch(`${url}/livez`)
  return {
    finish: () => {
      half?.end(body.slice(10))
      return answered
    },
  }
}

// A process that creates its first key may take seconds to start on a busy machine.
describe('a request in flight', { timeout: 60_000 }, () => {
  test('a request in flight is answered as the last one on its connection, despite three more signals', async () => {
    const auth = await running()
    const { finish } = await inFlight(auth)
    for (const [i, signal] of (['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGINT'] as const).entries()) {
      auth.process.kill(signal)
      await auth.expectOutput('"stopping"', i + 1)
    }
    expect(await finish()).toEqual(lastResponse)
    expect(await auth.ended).toBe(0)
  })

  test.each(
    [['an unhandled rejection', 'SIGUSR2'], ['an uncaught exception', 'SIGWINCH']] as const,
  )(
    'is answered although %s crashes the service, which exits with 1 and logs no row',
    async (_, crash) => {
      const auth = await running()
      const { finish } = await inFlight(auth)
      auth.process.kill(crash)
      await auth.expectOutput('the process crashed and stops')
      expect(await finish()).toEqual(lastResponse)
      expect(await auth.ended).toBe(1)
      expect(auth.output()).toContain('"code":"23505"')
      expect(auth.output()).not.toContain('ann@example.org')
    },
  )

  test('a request in flight is answered although the service crashes during its shutdown, and the process ends soon afterwards', async () => {
    const auth = await running()
    const { finish } = await inFlight(auth)
    auth.process.kill('SIGTERM')
    await auth.expectOutput('"stopping"')
    for (const crash of ['SIGUSR2', 'SIGWINCH', 'SIGUSR2'] as const) auth.process.kill(crash)
    await auth.expectOutput('the process crashed and stops')
    expect(await finish()).toEqual(lastResponse)
    expect(await auth.ended).toBe(1)
    expect(auth.output()).not.toContain('ann@example.org')
  })
})

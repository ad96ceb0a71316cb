/** A service of the product as a process that a test can kill. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { authDatabaseUrl } from '../../start/environment.ts'
import { freePort } from '../../start/ports.ts'
import { passwords } from './database.ts'
import type { Stack } from './stack.ts'

export type ServiceProcess = AsyncDisposable & {
  url: string
  /** Starts the process and waits until it is ready. */
  start: () => Promise<void>
  /** Kills it without a stop, and waits for its end. */
  kill: () => Promise<void>
  /** Stops it, and waits for its end. @returns the exit code, or null after a signal */
  stop: () => Promise<number | null>
  isRunning: () => boolean
}

const root = join(import.meta.dirname, '../..')

/** Returns true if a probe responds with success. */
export const isUp = (url: string): Promise<boolean> => fetch(url).then(({ ok }) => ok, () => false)

/** Waits until a condition holds. @param output explains in the error why it does not */
export async function until(
  what: string,
  condition: () => Promise<boolean>,
  output: () => string = () => '',
): Promise<void> {
  const deadline = performance.now() + 120_000
  while (!await condition()) {
    if (performance.now() > deadline) throw new Error(`no ${what} in two minutes: ${output()}`)
    await sleep(100)
  }
}

/**
 * Prepares a process, and does not start it.
 * @param program its path in the checkout
 * @param database the database, with its address and its secret
 * @param env settings in addition
 */
export async function serviceProcess(
  program: string,
  { publicUrl, secret, ownerUrl }: Pick<Stack, 'publicUrl' | 'secret' | 'ownerUrl'>,
  env: Record<string, string> = {},
): Promise<ServiceProcess> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | undefined
  const isRunning = () =>
    child !== undefined && child.exitCode === null && child.signalCode === null
  const end = async (signal: NodeJS.Signals) => {
    if (child === undefined || !isRunning()) return child?.exitCode ?? null
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
    return child.exitCode
  }
  const kill = async () => void await end('SIGKILL')
  return {
    url,
    isRunning,
    kill,
    stop: () => end('SIGTERM'),
    [Symbol.asyncDispose]: kill,
    start: async () => {
      child = spawn(process.execPath, [join(root, program)], {
        env: {
          PATH: process.env['PATH'],
          NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
          PUBLIC_URL: publicUrl,
          PORT: String(port),
          AUTH_DATABASE_URL: authDatabaseUrl(ownerUrl, passwords.authService),
          BETTER_AUTH_SECRET: secret,
          LOG_LEVEL: 'silent',
          ...env,
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      await until(`ready ${program}`, async () => {
        if (!isRunning()) throw new Error(`${program} has ended.`)
        return isUp(`${url}/readyz`)
      })
    },
  }
}

/** The auth service, with the edge in the same process, as a child process. */
import { join } from 'node:path'
import { stopTimeoutMs } from '../common/shutdown.ts'
import { startChild, type Child } from './child-process.ts'
import { localUrl, waitForServer } from './wait-for-server.ts'

export type AuthOptions = {
  /** Path of the Node executable. */
  node: string
  host: string
  port: number
  /** The complete environment of the service. */
  env: Record<string, string | undefined>
  /**
   * Receives each line of standard error after the start. Standard output is the service's log and
   * is inherited.
   */
  log: (line: string) => void
  /** Restarts the service if one of its files changes. */
  watch: boolean
  /** Cancels the start and stops the process. */
  signal?: AbortSignal
}

const root = join(import.meta.dirname, '..')

/** Starts the auth service and waits until it is ready. @throws Error with one line. */
export async function startAuth(options: AuthOptions): Promise<Child> {
  const child = startChild({
    name: 'auth',
    command: options.node,
    args: [...(options.watch ? ['--watch', '--watch-preserve-output'] : []), 'start/serve.ts'],
    cwd: root,
    env: { ...options.env, HOST: options.host, PORT: String(options.port) },
    stdio: ['ignore', 'inherit', 'pipe'],
    // a stop takes up to this time: common/shutdown.ts
    signals: [['SIGTERM', stopTimeoutMs + 1_000], ['SIGKILL', 200]],
  })
  return waitForServer(child, {
    url: `${localUrl(options.host, options.port)}/readyz`,
    log: options.log,
    signal: options.signal,
  })
}

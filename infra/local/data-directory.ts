/** The data directory of the embedded PostgreSQL: creates it atomically, and checks it before a server starts on it. */
import { execFile } from 'node:child_process'
import { chown, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { configError } from '../../common/errors.ts'
import { onLine, startChild } from './child-process.ts'
import { launch, type OsUser } from './os-user.ts'

export type PostgresOptions = {
  /** DATA_DIR. It must exist. It holds the database in `postgres`, and the log in `postgres.log` and `postgres.log.1`. */
  directory: string
  /** The password of the owner, `postgres`. */
  password: string
  /** Additional server settings, such as `fsync: 'off'` for tests. */
  settings?: Record<string, string>
  /** Cancels the start and removes what it created. */
  signal?: AbortSignal
}

/** An environment that does not depend on the locale and time zone of the machine. */
export const environment = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }
const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-locale']

const exists = (path: string) => stat(path).then(() => true, () => false)

/** Creates a database in a temporary directory and then renames it, so that an interrupted first start leaves no partial database. */
async function initialise(initdb: string, user: OsUser | undefined, options: PostgresOptions): Promise<void> {
  const draft = await mkdtemp(join(options.directory, 'initdb-'))
  try {
    const password = join(draft, 'password')
    await writeFile(password, options.password, { mode: 0o600 })
    if (user !== undefined) await Promise.all([draft, password].map((path) => chown(path, user.uid, user.gid)))
    const child = startChild({
      name: 'initdb',
      env: environment,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
      signals: [['SIGTERM', 2000], ['SIGKILL', 1000]],
      ...launch(user, initdb, ['-D', join(draft, 'data'), '--username=postgres', '--auth=scram-sha-256', `--pwfile=${password}`, ...locale]),
    })
    const errors: string[] = []
    onLine(child.process.stderr, (line) => errors.push(line))
    const abort = () => void child.stop()
    options.signal?.addEventListener('abort', abort)
    const how = await child.exited
    options.signal?.removeEventListener('abort', abort)
    options.signal?.throwIfAborted()
    if (how !== 'stopped with exit code 0') throw new Error(`PostgreSQL's initdb ${how}: ${errors[0] ?? 'no error message'}`)
    await rename(join(draft, 'data'), join(options.directory, 'postgres'))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Refuses a directory of another user or PostgreSQL version, with a shorter message than PostgreSQL's. @throws ConfigError */
async function checkDatabase(database: string, postgres: string): Promise<void> {
  const owner = (await stat(database)).uid
  const self = process.getuid?.() ?? owner
  if (self !== 0 && self !== owner)
    throw configError(`DATA_DIR: ${database} belongs to another user (${owner}). Start as that user, or set DATA_DIR to another directory.`)
  const has = (await readFile(join(database, 'PG_VERSION'), 'utf8')).trim()
  const wants = /\d+/.exec((await promisify(execFile)(postgres, ['--version'])).stdout)?.[0]
  if (has !== wants) {
    throw configError(
      `DATA_DIR: ${database} was made by PostgreSQL ${has} and cannot be opened by ${
        wants ?? 'this one'
      }. Set DATA_DIR to another directory, or move the data with pg_dump.`,
    )
  }
}

/** Creates the database if the directory is empty, and checks that `postgres` can open it. @throws ConfigError or Error with one line */
export async function prepare(initdb: string, postgres: string, database: string, user: OsUser | undefined, options: PostgresOptions): Promise<void> {
  const hasDatabase = () => exists(join(database, 'PG_VERSION'))
  const entries = await readdir(database).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw configError(`DATA_DIR: ${database} cannot be read (${String(error.code)}). Start as the user who made it, or set DATA_DIR to another directory.`)
  })
  if (entries.length > 0 && !await hasDatabase())
    throw configError(`DATA_DIR: ${database} is not a database and not empty. Set DATA_DIR to another directory, or remove that one.`)
  if (entries.length === 0) {
    await initialise(initdb, user, options).catch(async (error: unknown) => {
      // another start may have created the database at the same time
      if (options.signal?.aborted === true || !await hasDatabase()) throw error
    })
  }
  await checkDatabase(database, postgres)
}

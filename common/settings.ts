/**
 * The environment variables of all programs, with their types and descriptions, from the files of
 * common/settings/. `NAME_FILE` is the path of a file with the value of the secret `NAME`. An error
 * is one sentence that names the variable. It never contains the value, because the value may be a
 * secret.
 */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { configError } from './errors.ts'
import { completeLocation } from './object-location.ts'
import type { ObjectOptions } from './open-objects.ts'
import * as auth from './settings/auth.ts'
import * as database from './settings/database.ts'
import * as edge from './settings/edge.ts'
import * as files from './settings/files.ts'
import * as mail from './settings/mail.ts'
import * as shared from './settings/shared.ts'
import * as start from './settings/start.ts'

export { checkAuthenticatorFile, type Replicas } from './settings/database.ts'
export type { AddressRange } from './settings/formats.ts'
export type { About } from './settings/setting.ts'

/** All settings, in the order of docs/settings.md. */
export const environment = z.object({
  ...shared.addresses,
  ...edge.authUpstreams,
  ...auth.realtime,
  ...edge.dataUpstreams,
  ...database.logins,
  ...database.connections,
  ...start.programs,
  ...auth.trust,
  ...shared.proxies,
  ...edge.tracing,
  ...auth.cookies,
  ...mail.mail,
  ...auth.retention,
  ...files.limits,
  ...files.storage,
  ...auth.limits,
  ...auth.accounts,
  ...auth.singleSignOn,
  ...auth.rates,
  ...shared.commands,
  ...shared.monitoring,
})

/** The names of the settings that are secrets. */
export const secretNames = Object.entries(environment.shape).filter(([, schema]) =>
  schema.meta()?.['secret'] === true
)
  .map(([name]) => name as keyof typeof environment.shape)

/** The parsed environment. A setting without value and default is undefined. */
export type Settings = z.output<typeof environment> & {
  PUBLIC_URL: string
  APP_URL: string
  DATA_URL: string
  /** Whether APP_URL or APP_DIR names an app. Its address may be the origin itself. */
  hasApp: boolean
  /** Whether neither APP_URL nor APP_DIR is set. */
  wantsReferenceApp: boolean
}

/**
 * Refuses a cookie that browsers would drop silently, because it does not fit PUBLIC_URL. @throws
 * ConfigError
 */
function checkCookie(
  { COOKIE_DOMAIN: domain, COOKIE_SAME_SITE: sameSite }: z.output<typeof environment>,
  { protocol, hostname }: URL,
): void {
  if (
    domain !== undefined && !`.${hostname}`.endsWith(`.${domain.replace(/^\./, '').toLowerCase()}`)
  ) {
    throw configError(
      'COOKIE_DOMAIN must be the host of PUBLIC_URL or a domain above it, or browsers drop the session cookie.',
    )
  }
  if (sameSite === 'none' && protocol !== 'https:') {
    throw configError(
      'COOKIE_SAME_SITE may be none only where PUBLIC_URL begins with https, or browsers drop the session cookie.',
    )
  }
}

/** Returns the connection URL with another password, escaped as a URL needs it. */
export function withPassword(databaseUrl: string, password: string): string {
  const url = new URL(databaseUrl)
  // encode first, because URL does not encode a percent sign
  url.password = encodeURIComponent(password)
  return url.href
}

/**
 * Returns the auth service's connection with its password. @throws ConfigError if there are two
 * passwords
 */
function authConnection(
  { AUTH_DATABASE_URL: url, AUTH_SERVICE_PASSWORD: password }: z.output<typeof environment>,
): string | undefined {
  if (url === undefined || password === undefined) return url
  if (new URL(url).password !== '')
    throw configError(
      'AUTH_SERVICE_PASSWORD is set and AUTH_DATABASE_URL has a password too: remove one of them.',
    )
  return withPassword(url, password)
}

/**
 * Returns the owner's connection with its password. A password in the URL takes precedence, because
 * OWNER_PASSWORD may be a new one.
 */
function ownerConnection(
  { DATABASE_URL: url, OWNER_PASSWORD: password }: z.output<typeof environment>,
): string | undefined {
  return url === undefined || password === undefined || new URL(url).password !== ''
    ? url
    : withPassword(url, password)
}

type Environment = Record<string, string | undefined>

function readSecret(name: string, path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw configError(
      `${name}_FILE names a file that cannot be read (${
        String((error as NodeJS.ErrnoException).code)
      }).`,
    )
  }
  if (text === '') throw configError(`${name}_FILE names an empty file.`)
  return text
}

/**
 * Replaces each `NAME_FILE` of an environment by `NAME` with the content of the file. An empty
 * `NAME_FILE` counts as unset.
 * @throws ConfigError if a file cannot be used, or if both `NAME` and `NAME_FILE` are set
 */
export function readSecretFiles(env: Environment): Environment {
  const result = { ...env }
  for (const name of secretNames) {
    const path = env[`${name}_FILE`] ?? ''
    delete result[`${name}_FILE`]
    if (path === '') continue
    if ((env[name] ?? '') !== '')
      throw configError(`${name} and ${name}_FILE are both set: unset one of them.`)
    result[name] = readSecret(name, path)
  }
  return result
}

/**
 * Parses the environment. An empty value counts as unset, because compose and CI systems pass unset
 * variables as empty ones.
 * @throws ConfigError that names the first invalid variable
 */
export function readSettings(env: Environment): Settings {
  const variables = Object.fromEntries(
    Object.entries(readSecretFiles(env)).filter(([, value]) => value !== undefined && value !== ''),
  )
  if (variables['FILES_URL'] !== undefined)
    variables['FILES_URL'] = completeLocation(variables['FILES_URL'], env)
  const parsed = environment.safeParse(variables)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw configError(`${String(issue?.path[0])} ${issue?.message ?? 'is wrong'}.`)
  }
  const settings = parsed.data
  if (settings.PORT === settings.DATA_PORT) throw configError('DATA_PORT must differ from PORT.')
  const publicUrl = settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`
  checkCookie(settings, new URL(publicUrl))
  const appDirectory = settings.APP_DIR === 'none' ? undefined : settings.APP_DIR
  return {
    ...settings,
    DATABASE_URL: ownerConnection(settings),
    AUTH_DATABASE_URL: authConnection(settings),
    PUBLIC_URL: publicUrl,
    APP_URL: settings.APP_URL ?? publicUrl,
    APP_DIR: appDirectory,
    hasApp: settings.APP_URL !== undefined || appDirectory !== undefined,
    wantsReferenceApp: settings.APP_URL === undefined && settings.APP_DIR === undefined,
    DATA_URL: settings.DATA_URL ?? `http://localhost:${settings.DATA_PORT}`,
  }
}

/** Returns the limits of files, for the migration. */
export const fileLimitsOf = (settings: Settings) => ({
  maxBytes: settings.FILE_MAX_BYTES,
  perTransaction: settings.FILES_PER_TRANSACTION,
  quota: settings.FILES_QUOTA,
  teamQuota: settings.FILES_TEAM_QUOTA ?? 5 * settings.FILES_QUOTA,
})

/**
 * Returns the object storage of files; undefined without FILES_URL. @throws ConfigError if only one
 * part of a key is set
 */
export function objectOptionsOf(settings: Settings): ObjectOptions | undefined {
  const {
    FILES_URL: location,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = settings
  if (location === undefined) return undefined
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return { location, keys: { accessKeyId, secretAccessKey, sessionToken } }
  if (accessKeyId !== undefined)
    throw configError('AWS_SECRET_ACCESS_KEY must be set, because AWS_ACCESS_KEY_ID is.')
  if (secretAccessKey !== undefined)
    throw configError('AWS_ACCESS_KEY_ID must be set, because AWS_SECRET_ACCESS_KEY is.')
  return { location, keys: undefined }
}

/** Returns the value of a required setting. @throws ConfigError if it is not set */
export function need<Name extends keyof Settings>(
  settings: Settings,
  name: Name,
): NonNullable<Settings[Name]> {
  const value = settings[name]
  if (value === undefined) throw configError(`${name} must be set.`)
  return value
}

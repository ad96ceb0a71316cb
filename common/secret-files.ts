/** Secrets from files: each secret setting may be given as `NAME_FILE`, the path of a file that holds its value. */
import { readFileSync } from 'node:fs'
import { configError } from './errors.ts'

type Environment = Record<string, string | undefined>

/** The settings whose value is a secret, or an address that may hold one. */
export const secretNames = [
  'DATABASE_URL',
  'AUTH_DATABASE_URL',
  'OWNER_PASSWORD',
  'AUTH_SERVICE_PASSWORD',
  'AUTHENTICATOR_PASSWORD',
  'BETTER_AUTH_SECRET',
  'RESEND_API_KEY',
  'SMTP_URL',
  'OIDC_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const

function read(name: string, path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw configError(`${name}_FILE names a file that cannot be read (${String((error as NodeJS.ErrnoException).code)}).`)
  }
  if (text === '') throw configError(`${name}_FILE names an empty file.`)
  return text
}

/**
 * Replaces each `NAME_FILE` of an environment with `NAME`, read from that file. An empty `NAME_FILE` counts as absent.
 * @throws ConfigError if a file cannot be used or a secret is given both ways
 */
export function readSecretFiles(env: Environment): Environment {
  const result = { ...env }
  for (const name of secretNames) {
    const path = env[`${name}_FILE`] ?? ''
    delete result[`${name}_FILE`]
    if (path === '') continue
    if ((env[name] ?? '') !== '') throw configError(`${name} and ${name}_FILE are both set: unset one of them.`)
    result[name] = read(name, path)
  }
  return result
}

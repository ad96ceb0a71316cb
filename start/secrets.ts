/**
 * The secrets of a local run. The first run generates them into DATA_DIR, and every later run reads
 * them there. A secret in the environment takes precedence and is never written to the file.
 */
import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { configError, isConfigError } from '../common/errors.ts'
import { need, type Settings } from '../common/settings.ts'

const secret = z.string().min(32)
const fileShape = z.object({
  BETTER_AUTH_SECRET: secret,
  OWNER_PASSWORD: secret,
  AUTH_SERVICE_PASSWORD: secret,
  AUTHENTICATOR_PASSWORD: secret,
})
type SecretsFile = z.output<typeof fileShape>

/** The passwords of the database logins of the two services. */
type LoginPasswords = { authService: string, authenticator: string }
export type Secrets = { betterAuthSecret: string, ownerPassword: string, logins: LoginPasswords }

/**
 * Returns DATA_DIR as an absolute path. A relative one starts at the root of the checkout,
 * independent of the working directory.
 */
export const dataDirectory = (settings: Pick<Settings, 'DATA_DIR'>): string =>
  resolve(import.meta.dirname, '..', settings.DATA_DIR)

/** Returns the error of a path that cannot be written. */
export const notWritable = (
  path: string,
  error: unknown,
  verb: 'created' | 'written' = 'written',
) =>
  configError(
    `DATA_DIR: ${path} cannot be ${verb} (${
      String((error as NodeJS.ErrnoException).code)
    }). Set DATA_DIR to a directory that this user can write.`,
  )

const isDirectory = (path: string) => stat(path).then((found) => found.isDirectory(), () => false)

/**
 * Creates a directory and its parents. Node's option `recursive` never ends if a parent such as
 * /proc refuses with ENOENT.
 */
async function makeDirectory(path: string): Promise<void> {
  if (await isDirectory(path)) return
  if (dirname(path) !== path) await makeDirectory(dirname(path))
  await mkdir(path).catch(async (error: unknown) => {
    // another start may have created it at the same time
    if (!await isDirectory(path)) throw error
  })
}

/** Creates DATA_DIR. @throws ConfigError */
export async function makeDataDirectory(settings: Pick<Settings, 'DATA_DIR'>): Promise<string> {
  const directory = dataDirectory(settings)
  try {
    await makeDirectory(directory)
  } catch (error) {
    throw notWritable(directory, error, 'created')
  }
  return directory
}

const generate = () => randomBytes(32).toString('base64url')

/**
 * Creates the file atomically. If two starts run at the same time, both read the file of the first.
 */
async function createOnce(path: string): Promise<void> {
  const content: SecretsFile = {
    BETTER_AUTH_SECRET: generate(),
    OWNER_PASSWORD: generate(),
    AUTH_SERVICE_PASSWORD: generate(),
    AUTHENTICATOR_PASSWORD: generate(),
  }
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true })
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw notWritable(path, error)
  } finally {
    await rm(draft, { force: true })
  }
}

async function readSecretsFile(path: string): Promise<SecretsFile> {
  const read = () => readFile(path, 'utf8')
  let text: string
  try {
    text = await read().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      await createOnce(path)
      return read()
    })
  } catch (error) {
    if (isConfigError(error)) throw error
    throw configError(
      `DATA_DIR: ${path} cannot be read (${
        String((error as NodeJS.ErrnoException).code)
      }). Start as the user who made it, or set DATA_DIR to another directory.`,
    )
  }
  try {
    return fileShape.parse(JSON.parse(text))
  } catch {
    throw configError(
      `DATA_DIR: ${path} is damaged. Restore a copy of it, or set DATA_DIR to an empty directory to start over.`,
    )
  }
}

/**
 * Returns the password of auth_service from the environment. @throws ConfigError if
 * AUTH_DATABASE_URL has none
 */
function authServicePassword(
  { AUTH_DATABASE_URL: url, AUTH_SERVICE_PASSWORD: password }: Settings,
): string | undefined {
  if (url === undefined) return password
  const inUrl = decodeURIComponent(new URL(url).password)
  if (inUrl === '')
    throw configError(
      'AUTH_DATABASE_URL must hold the password of auth_service, or AUTH_SERVICE_PASSWORD be set.',
    )
  return inUrl
}

/**
 * Returns the secrets of a local run.
 * @throws ConfigError if the file cannot be used, or if BETTER_AUTH_SECRET is not set in production
 */
export async function readSecrets(settings: Settings): Promise<Secrets> {
  if (settings.NODE_ENV === 'production') need(settings, 'BETTER_AUTH_SECRET')
  const file = await readSecretsFile(resolve(await makeDataDirectory(settings), 'secrets.json'))
  return {
    betterAuthSecret: settings.BETTER_AUTH_SECRET ?? file.BETTER_AUTH_SECRET,
    ownerPassword: file.OWNER_PASSWORD,
    logins: {
      authService: authServicePassword(settings) ?? file.AUTH_SERVICE_PASSWORD,
      authenticator: settings.AUTHENTICATOR_PASSWORD ?? file.AUTHENTICATOR_PASSWORD,
    },
  }
}

/**
 * Returns the secrets of a migration. If the environment has both passwords, DATA_DIR is neither
 * read nor written. In production both are required, because no other container would know a
 * generated password.
 */
export async function migrationSecrets(
  settings: Settings,
): Promise<Pick<Secrets, 'logins'> & { betterAuthSecret: string | undefined }> {
  const authService = authServicePassword(settings)
  if (
    settings.NODE_ENV !== 'production' &&
    (authService === undefined || settings.AUTHENTICATOR_PASSWORD === undefined)
  ) return readSecrets(settings)
  if (authService === undefined)
    throw configError('AUTH_SERVICE_PASSWORD or AUTH_DATABASE_URL must be set.')
  return {
    logins: { authService, authenticator: need(settings, 'AUTHENTICATOR_PASSWORD') },
    betterAuthSecret: settings.BETTER_AUTH_SECRET,
  }
}

import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readSettings } from '../../common/settings.ts'
import { migrationSecrets, readSecrets } from '../../start/secrets.ts'
import { emptyDirectory, remove } from './support.ts'

let directory: string
beforeEach(async () => {
  directory = await emptyDirectory()
})
afterEach(() => remove(directory))

const settings = (env: Record<string, string> = {}) => readSettings({ DATA_DIR: directory, ...env })
const external = { DATABASE_URL: 'postgresql://owner@db/x' }

test('secrets are created once, differ from each other, and are readable only by the owner', async () => {
  const [first, ...others] = await Promise.all(
    Array.from({ length: 5 }, () => readSecrets(settings())),
  )
  for (const other of others) expect(other).toEqual(first)
  const all = [
    first?.betterAuthSecret,
    first?.ownerPassword,
    first?.logins.authService,
    first?.logins.authenticator,
  ]
  expect(new Set(all).size).toBe(4)
  for (const secret of all) expect(secret).toMatch(/^[\w-]{43}$/)
  expect((await stat(join(directory, 'secrets.json'))).mode & 0o777).toBe(0o600)
  expect(await readdir(directory)).toEqual(['secrets.json'])
})

test('values of the environment take precedence and are not stored', async () => {
  const environment = {
    ...external,
    BETTER_AUTH_SECRET: 'from the environment, and long enough',
    AUTHENTICATOR_PASSWORD: 'of PostgREST',
    AUTH_DATABASE_URL: 'postgresql://auth_service:of%20auth@db/x',
  }
  expect(await readSecrets(settings(environment))).toMatchObject({
    betterAuthSecret: environment.BETTER_AUTH_SECRET,
    logins: { authService: 'of auth', authenticator: 'of PostgREST' },
  })
  expect(await readFile(join(directory, 'secrets.json'), 'utf8')).not.toMatch(
    /environment|of auth|of PostgREST/,
  )
})

test('a migration with both passwords in the environment writes no file', async () => {
  const environment = {
    ...external,
    AUTH_DATABASE_URL: 'postgresql://auth_service:of%20auth@db/x',
    AUTHENTICATOR_PASSWORD: 'of PostgREST',
  }
  expect(await migrationSecrets(settings({ ...environment, NODE_ENV: 'production' }))).toEqual({
    logins: { authService: 'of auth', authenticator: 'of PostgREST' },
  })
  const apart = {
    ...external,
    AUTH_SERVICE_PASSWORD: 'of auth',
    AUTHENTICATOR_PASSWORD: 'of PostgREST',
  }
  expect(await migrationSecrets(settings(apart))).toEqual({
    logins: { authService: 'of auth', authenticator: 'of PostgREST' },
  })
  expect(await readdir(directory)).toEqual([])
})

test('production creates no random secrets', async () => {
  await expect(readSecrets(settings({ NODE_ENV: 'production' }))).rejects.toThrow(
    'BETTER_AUTH_SECRET must be set.',
  )
  await expect(migrationSecrets(settings({ NODE_ENV: 'production' }))).rejects.toThrow(
    'AUTH_SERVICE_PASSWORD or AUTH_DATABASE_URL must be set.',
  )
})

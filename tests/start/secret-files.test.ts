/**
 * Each program reads its secrets from files. tests/containers/compose.containers.ts tests the
 * environment of the containers.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { postgrestConnection } from '../../start/environment.ts'
import { freePort } from '../../start/ports.ts'
import { startPostgrest } from '../../start/postgrest.ts'
import { connection, freshDatabase, passwords, publicUrl } from '../support/database.ts'
import { floorsOf, root, start } from './support.ts'

let folder: string
let database: Awaited<ReturnType<typeof freshDatabase>>
let files: Record<
  'DATABASE_URL' | 'BETTER_AUTH_SECRET' | 'AUTH_SERVICE_PASSWORD' | 'AUTHENTICATOR_PASSWORD',
  string
>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secrets-'))
  database = await freshDatabase()
  const write = async (name: string, secret: string) => {
    await writeFile(join(folder, name), `${secret}\n`)
    return join(folder, name)
  }
  files = {
    DATABASE_URL: await write('database-url', database.ownerUrl),
    BETTER_AUTH_SECRET: await write(
      'better-auth-secret',
      'a secret that is long enough for the test',
    ),
    AUTH_SERVICE_PASSWORD: await write('auth-service', passwords.authService),
    AUTHENTICATOR_PASSWORD: await write(
      'authenticator',
      `postgresql://authenticator:${encodeURIComponent(passwords.authenticator)}@`,
    ),
  }
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true })
})

const secretFiles = (...names: (keyof typeof files)[]) =>
  Object.fromEntries(names.map((name) => [`${name}_FILE`, files[name]]))

test('the migration of a container sets the passwords from the files, and prints only old versions', async () => {
  const { ended, output } = await start({
    command: [process.execPath, join(root, 'infra/docker/migrate.ts')],
    env: {
      NODE_ENV: 'production',
      PUBLIC_URL: publicUrl,
      ...secretFiles(
        'DATABASE_URL',
        'BETTER_AUTH_SECRET',
        'AUTH_SERVICE_PASSWORD',
        'AUTHENTICATOR_PASSWORD',
      ),
    },
  })
  expect([(await ended).code, output()]).toEqual([0, await floorsOf(database.ownerUrl)])
})

test('the migration of a container refuses a plain password of authenticator, and names the required form', async () => {
  const { ended, output } = await start({
    command: [process.execPath, join(root, 'infra/docker/migrate.ts')],
    env: {
      PUBLIC_URL: publicUrl,
      ...secretFiles('DATABASE_URL', 'BETTER_AUTH_SECRET', 'AUTH_SERVICE_PASSWORD'),
      // The other file has a plain password.
      AUTHENTICATOR_PASSWORD_FILE: files.AUTH_SERVICE_PASSWORD,
    },
  })
  expect([(await ended).code, output()]).toEqual([
    1,
    'Cannot migrate: The file of AUTHENTICATOR_PASSWORD must hold postgresql://authenticator:<password>@, with other characters of the password than letters and digits percent-encoded, such as %40 for @.\n',
  ])
})

test('the auth service connects with the password in the file', async () => {
  const port = await freePort()
  await using service = await start({
    command: [process.execPath, join(root, 'auth/main.ts')],
    env: {
      PORT: String(port),
      PUBLIC_URL: publicUrl,
      AUTH_DATABASE_URL: connection(database.ownerUrl, { user: 'auth_service', password: '' }),
      ...secretFiles('BETTER_AUTH_SECRET', 'AUTH_SERVICE_PASSWORD'),
    },
  })
  await expect.poll(
    () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status, () => service.output()),
    { timeout: 20_000 },
  ).toBe(200)
})

test('PostgREST reads the file of the authenticator’s password', async () => {
  const { PGPASSWORD, PGUSER, ...env } = postgrestConnection(database.ownerUrl, '')
  expect([PGPASSWORD, PGUSER]).toEqual(['', 'authenticator'])
  const port = await freePort()
  const postgrest = await startPostgrest({
    host: '127.0.0.1',
    port,
    env: { ...env, PGRST_DB_URI: `@${files.AUTHENTICATOR_PASSWORD}` },
    log: () => undefined,
  })
  try {
    await expect.poll(() =>
      fetch(`http://127.0.0.1:${port}/transactions`).then(({ status }) => status)
    ).toBe(200)
  } finally {
    await postgrest.stop()
  }
})

test('npm start reads the files too', async () => {
  await using run = await start({
    env: {
      DATA_DIR: join(folder, 'data'),
      ...secretFiles(
        'DATABASE_URL',
        'BETTER_AUTH_SECRET',
        'AUTH_SERVICE_PASSWORD',
        'AUTHENTICATOR_PASSWORD',
      ),
    },
  })
  await run.ready
  expect((await fetch(`${run.url}/readyz`)).status).toBe(200)
})

/**
 * A program that is pointed at the database of another deployment by mistake does not change it.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { symmetricEncrypt } from 'better-auth/crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../db/migrate.ts'
import { startPostgres, type PostgresServer } from '../../start/postgres.ts'
import { connection } from '../support/database.ts'
import { operator } from '../support/operator.ts'
import { emptyDirectory, remove, root, start, withoutFloors } from './support.ts'

const databaseOwner = {
  secret: 'the secret that made the signing keys',
  publicUrl: 'https://money.example.org',
  authService: 'first of the owner',
  authenticator: 'second of the owner',
}
const intruder = {
  secret: 'the secret of another deployment, long enough',
  authService: 'first of the intruder',
  authenticator: 'second of the intruder',
}

let directory: string
let server: PostgresServer
const query = async (sql: string, values: string[] = [], url = server.url): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql, values)).rows
  } finally {
    await client.end()
  }
}
const signsIn = (user: string, password: string) =>
  query('select 1', [], connection(server.url, { user, password })).then(() => true, () => false)

beforeAll(async () => {
  directory = await emptyDirectory()
  await mkdir(join(directory, 'server'))
  server = await startPostgres({
    directory: join(directory, 'server'),
    password: 'owner',
    settings: { fsync: 'off' },
  })
  await migrate({
    databaseUrl: server.url,
    publicUrl: databaseOwner.publicUrl,
    authServicePassword: databaseOwner.authService,
    authenticatorPassword: databaseOwner.authenticator,
  })
  const privateKey = JSON.stringify(
    await symmetricEncrypt({ key: databaseOwner.secret, data: '{"kty":"RSA"}' }),
  )
  await query(
    `insert into auth.jwks (id, public_key, private_key, created_at, signs_from) values ('first', '{"n":"n","e":"e","kty":"RSA"}', $1, now(), now())`,
    [
      privateKey,
    ],
  )
})
afterAll(async () => {
  await server.stop()
  await remove(directory)
})

/**
 * Runs a program with the settings of the other deployment. @returns its exit code and its output
 */
async function run(
  program: string,
  secret: string,
): Promise<{ code: number | null, output: string }> {
  const { ended, output } = await start({
    command: [process.execPath, join(root, program)],
    env: {
      DATA_DIR: join(directory, 'data'),
      DATABASE_URL: server.url,
      PUBLIC_URL: 'https://staging.example.org',
      AUTH_DATABASE_URL: connection(server.url, { user: 'auth_service', password: '' }),
      AUTH_SERVICE_PASSWORD: intruder.authService,
      AUTHENTICATOR_PASSWORD: intruder.authenticator,
      BETTER_AUTH_SECRET: secret,
    },
  })
  const { code } = await ended
  return { code, output: withoutFloors(output()) }
}

test.each([
  ['npm run migrate', 'start/migrate.ts', 'Cannot migrate'],
  [
    'the migration of a container or of a systemd unit',
    'infra/docker/migrate.ts',
    'Cannot migrate',
  ],
  ['npm start', 'start/start.ts', 'Cannot start'],
])(
  '%s with another BETTER_AUTH_SECRET names the database’s owner, and changes no password and no address',
  async (_name, program, says) => {
    const { code, output } = await run(program, intruder.secret)
    expect(code).toBe(1)
    expect(output).toMatch(
      new RegExp(
        `^${says}: BETTER_AUTH_SECRET is not the secret of the signing keys in this database, so nothing was changed\\. [^\\n]*\\.env and secrets/BETTER_AUTH_SECRET[^\\n]*\\n$`,
      ),
    )
    expect(output).not.toMatch(/revoke/)
    expect(await query('select public_url from private.settings')).toEqual([{
      public_url: databaseOwner.publicUrl,
    }])
    expect(await signsIn('auth_service', databaseOwner.authService)).toBe(true)
    expect(await signsIn('authenticator', databaseOwner.authenticator)).toBe(true)
    expect(await signsIn('authenticator', intruder.authenticator)).toBe(false)
  },
)

test('an intended change of the secret works after its keys were revoked, and then sets the passwords', async () => {
  expect(await operator(server.url, 'keys', 'revoke', '--all')).toMatchObject({ code: 0 })
  await rm(join(directory, 'data'), { recursive: true, force: true })
  expect(await run('infra/docker/migrate.ts', intruder.secret)).toEqual({ code: 0, output: '' })
  expect(await signsIn('authenticator', intruder.authenticator)).toBe(true)
})

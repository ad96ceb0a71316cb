/**
 * A start with wrong settings fails soon with exit code 1 and one line, which names the setting and
 * contains no secret.
 */
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startPostgres, type PostgresServer } from '../../start/postgres.ts'
import { startPostgrest } from '../../start/postgrest.ts'
import { program } from '../support/postgrest-versions.ts'
import { emptyDirectory, remove, start } from './support.ts'

const secret = 'open-sesame'
let directory: string
/** Accepts connections and never responds. */
let silent: Server
let silentPort: number
let postgres: PostgresServer

beforeAll(async () => {
  directory = await emptyDirectory()
  silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  silentPort = (silent.address() as { port: number }).port
  await mkdir(join(directory, 'server'))
  postgres = await startPostgres({
    directory: join(directory, 'server'),
    password: 'owner',
    settings: { fsync: 'off' },
  })
})
afterAll(async () => {
  silent.close()
  await postgres.stop()
  await remove(directory)
})

const server = (change: (url: URL) => void) => {
  const url = new URL(postgres.url)
  change(url)
  return url.href
}

/**
 * The promise is five seconds on an idle machine. Here other tests run at the same time; a start
 * that waited for a silent server would take minutes.
 */
const soon = 20_000

async function refusal(env: Record<string, string>): Promise<string> {
  const run = await start({ env: { DATA_DIR: join(directory, 'data'), ...env } })
  const { code, ms } = await run.ended
  expect(code).toBe(1)
  expect(ms).toBeLessThan(soon)
  expect(run.output()).toMatch(/^Cannot start: [^\n]+\.\n$/)
  expect(run.output()).not.toContain(secret)
  return run.output()
}

test.each<[what: string, env: () => Record<string, string>, line: RegExp]>([
  ['an invalid port', () => ({ PORT: 'eighty' }), /PORT must be a port number/],
  [
    'a PORT in use',
    () => ({ PORT: String(silentPort) }),
    /PORT: port \d+ is taken by another program.*set PORT/,
  ],
  [
    'a DATA_PORT in use',
    () => ({ DATA_PORT: String(silentPort) }),
    /DATA_PORT: port \d+ is taken by another program.*set DATA_PORT/,
  ],
  [
    'an address of another machine',
    () => ({ HOST: '192.0.2.1' }),
    /HOST: this machine does not have the address/,
  ],
  ['a short secret', () => ({ BETTER_AUTH_SECRET: secret }), /BETTER_AUTH_SECRET must have/],
  [
    'production without a secret',
    () => ({ NODE_ENV: 'production' }),
    /BETTER_AUTH_SECRET must be set/,
  ],
  [
    'production without mail',
    () => ({ NODE_ENV: 'production', BETTER_AUTH_SECRET: secret.repeat(4) }),
    /RESEND_API_KEY or SMTP_URL must be set/,
  ],
  [
    'a database server that does not listen',
    () => ({ DATABASE_URL: `postgresql://me:${secret}@127.0.0.1:1/x` }),
    /DATABASE_URL: no server answers at 127\.0\.0\.1:1/,
  ],
  [
    'a database server that does not respond',
    () => ({ DATABASE_URL: `postgresql://me:${secret}@127.0.0.1:${silentPort}/x` }),
    /DATABASE_URL: 127\.0\.0\.1:\d+ does not answer/,
  ],
  [
    'an unknown sslmode',
    () => ({ DATABASE_URL: `postgresql://me:${secret}@127.0.0.1:1/x?sslmode=on` }),
    /DATABASE_URL has an unknown sslmode: it must be one of disable, /,
  ],
  [
    'a missing certificate',
    () => ({ DATABASE_URL: `postgresql://me:${secret}@127.0.0.1:1/x?sslrootcert=/nowhere.pem` }),
    /DATABASE_URL: a certificate cannot be read: ENOENT.*sslrootcert/,
  ],
  [
    'an unknown host',
    () => ({ DATABASE_URL: `postgresql://me:${secret}@nowhere.invalid/x` }),
    /DATABASE_URL: the host nowhere\.invalid is not known/,
  ],
  ['a wrong password', () => ({
    DATABASE_URL: server((url) => {
      url.password = secret
    }),
  }), /DATABASE_URL: the server does not accept the password of the user postgres/],
  ['a missing password', () => ({
    DATABASE_URL: server((url) => {
      url.password = ''
    }),
  }), /DATABASE_URL: it has no password/],
  ['a missing database', () => ({
    DATABASE_URL: server((url) => {
      url.pathname = '/ledger'
    }),
  }), /DATABASE_URL: the server has no database ledger/],
  [
    'an incomplete configuration of an external server',
    () => ({ AUTH_DATABASE_URL: `postgresql://auth_service:${secret}@127.0.0.1/x` }),
    /AUTH_DATABASE_URL is set and DATABASE_URL is not/,
  ],
  [
    'an AUTH_DATABASE_URL without a password',
    () => ({
      DATABASE_URL: postgres.url,
      AUTH_DATABASE_URL: 'postgresql://auth_service@127.0.0.1/x',
    }),
    /AUTH_DATABASE_URL must hold the password/,
  ],
  [
    'an app that is not built',
    () => ({ APP_DIR: directory }),
    /APP_DIR must be a folder with an index\.html/,
  ],
  [
    'origins with a wildcard',
    () => ({ TRUSTED_ORIGINS: 'https://*.example.app' }),
    /TRUSTED_ORIGINS must name each origin in full/,
  ],
  [
    'a DATA_DIR that is a file',
    () => ({ DATA_DIR: import.meta.filename }),
    /DATA_DIR: .* cannot be created/,
  ],
  [
    'a DATA_DIR below a file',
    () => ({ DATA_DIR: join(import.meta.filename, 'data') }),
    /DATA_DIR: .* cannot be created/,
  ],
  [
    'a DATA_DIR that the system does not create',
    () => ({ DATA_DIR: '/proc/finance/data' }),
    /DATA_DIR: .* cannot be created .* Set DATA_DIR to a directory/,
  ],
])('the start fails with %s', async (_what, env, line) => {
  expect(await refusal(env())).toMatch(line)
})

test('the start fails with a damaged secrets.json', async () => {
  const data = join(directory, 'damaged')
  await mkdir(data)
  await writeFile(join(data, 'secrets.json'), '{"OWNER_PASSWORD":')
  expect(await refusal({ DATA_DIR: data })).toMatch(/DATA_DIR: .*secrets\.json is damaged/)
})

test('the start fails with a log that cannot be written', async () => {
  const data = join(directory, 'log')
  await mkdir(join(data, 'postgres.log'), { recursive: true })
  expect(await refusal({ DATA_DIR: data })).toMatch(
    /DATA_DIR: .*postgres\.log cannot be written \(EISDIR\)/,
  )
})

test('the start fails with a DATA_DIR that has secrets and cannot be written', async () => {
  await expect(startPostgres({ directory: '/sys', password: 'owner' })).rejects.toThrow(
    /^DATA_DIR: \/sys cannot be written \(E\w+\)\. Set DATA_DIR to a directory/,
  )
})

test('the start fails with a database directory of another PostgreSQL version', async () => {
  const data = join(directory, 'older')
  await mkdir(join(data, 'postgres'), { recursive: true })
  await writeFile(join(data, 'postgres/PG_VERSION'), '16\n')
  expect(await refusal({ DATA_DIR: data })).toMatch(
    /DATA_DIR: .* belongs to PostgreSQL 16, and 18.* cannot open it/,
  )
})

test('the start fails with another directory in place of the database', async () => {
  const data = join(directory, 'other')
  await mkdir(join(data, 'postgres'), { recursive: true })
  await writeFile(join(data, 'postgres/notes.txt'), '')
  expect(await refusal({ DATA_DIR: data })).toMatch(/DATA_DIR: .* is not a database and not empty/)
})

test('the start does not mistake another program on the port for PostgREST', async () => {
  const other = createHttpServer((_, response) => response.end('somebody else')).listen(
    0,
    '127.0.0.1',
  )
  onTestFinished(() => {
    other.close()
  })
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  await expect(startPostgrest({ program, host: '127.0.0.1', port, env: {}, log: () => undefined }))
    .rejects.toThrow(/^PostgREST: .*Address (already )?in use/)
})

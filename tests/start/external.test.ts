/**
 * With DATABASE_URL the product creates roles, schemas and logins on an external server, and
 * DATA_DIR holds only the secrets.
 */
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPostgres, type PostgresServer } from '../../start/postgres.ts'
import { emptyDirectory, floorsIn, floorsOf, remove, start, stop } from './support.ts'

let directory: string
let server: PostgresServer
let databaseUrl: string

const asOwner = async (sql: string) => {
  const client = new pg.Client(server.url)
  await client.connect()
  await client.query(sql)
  await client.end()
}

beforeAll(async () => {
  directory = await emptyDirectory()
  await mkdir(join(directory, 'server'))
  server = await startPostgres({
    directory: join(directory, 'server'),
    password: 'owner',
    settings: { fsync: 'off' },
  })
  // Like a hosted database: an owner that is no superuser, and a random password.
  await asOwner(`create role "the owner" login createrole password 'p@ss w:rd/%?#&='`)
  await asOwner('create database "my ledger" owner "the owner"')
  await asOwner(`create role reader login password 'reader'`)
  const url = new URL(server.url)
  url.username = 'the owner'
  url.password = encodeURIComponent('p@ss w:rd/%?#&=')
  url.pathname = '/my ledger'
  url.search = '?sslmode=disable'
  databaseUrl = url.href
})
afterAll(async () => {
  await server.stop()
  await remove(directory)
})

test('npm start creates what it needs on that server, reports old versions, and starts there again', async () => {
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(directory, 'data'),
    AUTHENTICATOR_PASSWORD: 'it\'s "q\\uoted" $HOME %41',
  }
  for (const time of ['first', 'second']) {
    await using run = await start({ env })
    await run.ready
    expect((await fetch(`${run.url}/readyz`)).status, time).toBe(200)
    expect((await fetch(`${run.dataUrl}/transactions`)).status, time).toBe(200)
    expect(floorsIn(run.output())).toBe(await floorsOf(databaseUrl, { postgrest: '12.0.2' }))
    expect(await stop(run, 'SIGTERM')).toMatchObject({ code: 0, left: [] })
  }
  expect(await readdir(join(directory, 'data'))).toEqual(['secrets.json'])
})

test('the operator’s commands work on that server', async () => {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: join(directory, 'data') }
  const migrated = await start({ command: [process.execPath, 'start/migrate.ts'], env })
  expect((await migrated.ended).code, migrated.output()).toBe(0)
  const admin = await start({ command: [process.execPath, 'admin/main.ts', 'products'], env })
  expect((await admin.ended).code, admin.output()).toBe(0)
  expect(admin.output()).toContain('teams')
})

test('a migration in production takes both passwords from the environment', async () => {
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(directory, 'none'),
    NODE_ENV: 'production',
  }
  const run = await start({ command: [process.execPath, 'start/migrate.ts'], env })
  expect((await run.ended).code).toBe(1)
  expect(run.output()).toBe(
    'Cannot migrate: AUTH_SERVICE_PASSWORD or AUTH_DATABASE_URL must be set.\n',
  )
})

test('an owner that may not create roles is refused with the name of the variable', async () => {
  const url = new URL(databaseUrl)
  url.username = 'reader'
  url.password = 'reader'
  const run = await start({ env: { DATABASE_URL: url.href, DATA_DIR: join(directory, 'data') } })
  expect((await run.ended).code).toBe(1)
  expect(run.output()).toMatch(/^Cannot start: DATABASE_URL: .*needs CREATEROLE[^\n]*\n$/)
})

test('a migration container needs no superuser, and leaves the owner its password', async () => {
  await asOwner('create database container owner "the owner"')
  const url = new URL(databaseUrl)
  url.pathname = '/container'
  const password = decodeURIComponent(url.password)
  url.password = ''
  const env = {
    DATABASE_URL: url.href,
    OWNER_PASSWORD: password,
    PUBLIC_URL: 'https://money.example.org',
    BETTER_AUTH_SECRET: 'a secret that is long enough for the test',
    AUTH_SERVICE_PASSWORD: 'a password of the auth service',
    AUTHENTICATOR_PASSWORD: 'a password of the authenticator',
  }
  for (let time = 0; time < 2; time++) {
    const run = await start({ command: [process.execPath, 'infra/docker/migrate.ts'], env })
    expect((await run.ended).code, run.output()).toBe(0)
  }
})

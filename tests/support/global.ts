/**
 * Runs before all tests: starts PostgreSQL and prepares the two templates that test databases are
 * copied from.
 */
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startAuth } from '../../auth/main.ts'
import { authConfig } from '../../auth/config.ts'
import { createLog } from '../../common/log.ts'
import { readSettings } from '../../common/settings.ts'
import { migrate } from '../../db/migrate.ts'
import { freePort } from '../../start/ports.ts'
import { startPostgres } from '../../start/postgres.ts'
import {
  connection,
  execute,
  passwords,
  publicUrl,
  secret,
  startedDatabase,
  templateDatabase,
} from './database.ts'

// Programs that tests start load their compiled modules from here, which saves half of a start.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../../node_modules/.cache/node')

/**
 * URL of a running server to use instead, such as another PostgreSQL version. Its user must be a
 * superuser.
 */
const externalServer = process.env['TEST_SERVER_URL']

/** The bytes that must be free in memory, several times those that a run writes. */
const room = 4 * 1024 ** 3

/**
 * Returns a folder in memory if the machine has the room. A disk takes ten times the processor time
 * for the files of a new database.
 */
async function folderOfServer(): Promise<string> {
  const memory = '/dev/shm'
  const free = await statfs(memory).then(({ bavail, bsize }) => bavail * bsize, () => 0)
  return Math.min(free, freemem()) < room ? tmpdir() : memory
}

async function startServer(): Promise<{ url: string, stop: () => Promise<void> }> {
  const directory = await mkdtemp(join(await folderOfServer(), 'finance-tests-'))
  await chmod(directory, 0o755)
  const server = await startPostgres({
    directory,
    password: 'owner-of-the-tests',
    // No data outlives the run, so commits need no disk flush.
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '400',
    },
  })
  return {
    url: server.url,
    stop: async () => {
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/**
 * Starts the auth service once: it creates the signing key and the tables of the queue, which cost
 * a quarter of a second of processor time.
 */
async function startOnce(databaseUrl: string): Promise<void> {
  const settings = readSettings({
    PUBLIC_URL: publicUrl,
    AUTH_DATABASE_URL: databaseUrl,
    BETTER_AUTH_SECRET: secret,
    MAIL_FROM: 'Money <money@example.org>',
    PORT: String(await freePort()),
  })
  const stop = await startAuth(authConfig(settings), createLog('fatal', { write: () => undefined }))
  await stop()
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = externalServer === undefined
    ? await startServer()
    : { url: externalServer, stop: () => Promise.resolve() }
  try {
    await execute(url, `drop database if exists ${templateDatabase}`)
    await execute(url, `create database ${templateDatabase}`)
    await migrate({
      databaseUrl: connection(url, { database: templateDatabase }),
      publicUrl,
      authServicePassword: passwords.authService,
      authenticatorPassword: passwords.authenticator,
    })
    await execute(url, `drop database if exists ${startedDatabase}`)
    await execute(url, `create database ${startedDatabase} template ${templateDatabase}`)
    await startOnce(
      connection(url, {
        database: startedDatabase,
        user: 'auth_service',
        password: passwords.authService,
      }),
    )
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('serverUrl', url)
  return stop
}

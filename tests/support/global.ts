/** Before all tests: one PostgreSQL, and in it the migrated database that every test database is a copy of. */
import { mkdtemp, rm, chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../db/migrate.ts'
import { startPostgres } from '../../infra/local/postgres.ts'
import { connection, execute, passwords, publicUrl, templateDatabase } from './database.ts'

/** A server that is already there, such as another PostgreSQL version; its user must be a superuser. */
const givenServer = process.env['TEST_SERVER_URL']

async function ownServer(): Promise<{ url: string, stop: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'finance-tests-'))
  await chmod(directory, 0o755)
  const server = await startPostgres({
    directory,
    password: 'owner-of-the-tests',
    // nothing here outlives the run; a disk flush a commit would only make it longer
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '400' },
  })
  return {
    url: server.url,
    stop: async () => {
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = givenServer === undefined ? await ownServer() : { url: givenServer, stop: () => Promise.resolve() }
  try {
    await execute(url, `drop database if exists ${templateDatabase}`)
    await execute(url, `create database ${templateDatabase}`)
    await migrate({
      databaseUrl: connection(url, { database: templateDatabase }),
      publicUrl,
      authServicePassword: passwords.authService,
      authenticatorPassword: passwords.authenticator,
    })
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('serverUrl', url)
  return stop
}

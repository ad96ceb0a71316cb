/** Before all tests: one PostgreSQL, and in it the migrated database that every test database is a copy of. */
import { mkdtemp, rm, chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../db/migrate.ts'
import { startPostgres } from '../../infra/local/postgres.ts'
import { connection, execute, passwords, templateDatabase } from './database.ts'

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'finance-tests-'))
  await chmod(directory, 0o755)
  const server = await startPostgres({
    directory, password: 'owner-of-the-tests',
    // nothing here outlives the run; a disk flush a commit would only make it longer
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '400' },
  })
  const stop = async () => {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await execute(server.url, `create database ${templateDatabase}`)
    await migrate({
      databaseUrl: connection(server.url, { database: templateDatabase }),
      publicUrl: 'http://localhost:3000', authServicePassword: passwords.authService, authenticatorPassword: passwords.authenticator,
    })
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('serverUrl', server.url)
  return stop
}

/** A database of its own and the PostgREST on it, in a vitest run or outside of one. */
import { randomBytes } from 'node:crypto'
import { postgrestConnection } from '../../infra/local/environment.ts'
import { freePort } from '../../infra/local/ports.ts'
import { startPostgrest } from '../../infra/local/postgrest.ts'
import { connection, execute, passwords, templateDatabase } from '../support/database.ts'
import type { Place } from './run.ts'

/** @param serverUrl the owner's connection to a server on which tests/support/global.ts has migrated the template */
export async function openPlace(serverUrl: string): Promise<Place & { close: () => Promise<void> }> {
  const name = `isolation_${randomBytes(6).toString('hex')}`
  await execute(serverUrl, `create database ${name} template ${templateDatabase}`)
  const ownerUrl = connection(serverUrl, { database: name })
  const port = await freePort()
  const postgrest = await startPostgrest({ host: '127.0.0.1', port, env: postgrestConnection(ownerUrl, passwords.authenticator), log: () => {} })
  return {
    ownerUrl, dataUrl: `http://127.0.0.1:${port}`,
    async close() {
      await postgrest.stop()
      await execute(serverUrl, `drop database ${name} with (force)`)
    },
  }
}

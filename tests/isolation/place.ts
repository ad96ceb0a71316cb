/** A database of its own and the PostgREST on it, in a vitest run or outside of one. */
import { randomBytes } from 'node:crypto'
import { postgrestConnection } from '../../infra/local/environment.ts'
import { freePort } from '../../infra/local/ports.ts'
import { startPostgrest } from '../../infra/local/postgrest.ts'
import { connection, execute, passwords, templateDatabase } from '../support/database.ts'
import type { Place } from './run.ts'

/**
 * @param serverUrl the owner's connection to a server on which tests/support/global.ts has migrated the template
 * @param options.template the database it is a copy of; the migrated one unless told
 * @param options.env what PostgREST is told beside its connection
 */
export async function openPlace(serverUrl: string, { template = templateDatabase, env = {} }: { template?: string, env?: Record<string, string> } = {}): Promise<Place & { close: () => Promise<void> }> {
  const database = await copyDatabase(serverUrl, template)
  const port = await freePort()
  const postgrest = await startPostgrest({ host: '127.0.0.1', port, env: { ...postgrestConnection(database.ownerUrl, passwords.authenticator), ...env }, log: () => {} })
  return {
    ownerUrl: database.ownerUrl, dataUrl: `http://127.0.0.1:${port}`,
    async close() {
      await postgrest.stop()
      await database.drop()
    },
  }
}

/** A database without a PostgREST, which would keep it from being copied in turn. */
export async function copyDatabase(serverUrl: string, template = templateDatabase): Promise<{ name: string, ownerUrl: string, drop: () => Promise<void> }> {
  const name = `isolation_${randomBytes(6).toString('hex')}`
  await execute(serverUrl, `create database ${name} template ${template}`)
  return { name, ownerUrl: connection(serverUrl, { database: name }), drop: () => execute(serverUrl, `drop database ${name} with (force)`) }
}

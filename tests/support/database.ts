/** A migrated database of its own for each test file, on the one server that tests/support/global.ts started. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The owner's connection to the server's maintenance database. */
    serverUrl: string
  }
}

/** Roles belong to the whole server, so every database of it has the same passwords. */
export const passwords = { authService: 'auth-service-of-the-tests', authenticator: 'authenticator-of-the-tests' }

/** base_url of the deployment that the template was migrated for. */
export const publicUrl = 'http://localhost:3000'

/** The database that every test database is a copy of. */
export const templateDatabase = 'migrated'

/** The same server as another user, or another database. */
export function connection(url: string, change: { database?: string, user?: string, password?: string }): string {
  const changed = new URL(url)
  if (change.database !== undefined) changed.pathname = `/${change.database}`
  if (change.user !== undefined) changed.username = change.user
  if (change.password !== undefined) changed.password = change.password
  return changed.toString()
}

/** Runs one statement on a connection of its own. */
export async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/**
 * A copy of a database that nobody is connected to.
 * @param options.serverUrl the owner's connection to the server, where no vitest runs that would provide it
 * @param options.template the database it is a copy of; the migrated one unless told
 * @returns its name, the owner's and the auth service's connection, and a function that drops it.
 */
export async function freshDatabase({ serverUrl = inject('serverUrl'), template = templateDatabase }: { serverUrl?: string, template?: string } = {}): Promise<{
  name: string
  ownerUrl: string
  authUrl: string
  drop: () => Promise<void>
}> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await execute(serverUrl, `create database ${name} template ${template}`)
  const ownerUrl = connection(serverUrl, { database: name })
  return {
    name,
    ownerUrl,
    authUrl: connection(ownerUrl, { user: 'auth_service', password: passwords.authService }),
    drop: () => execute(serverUrl, `drop database ${name} with (force)`),
  }
}

/** A migrated database and a connection of its owner to it; `stop` ends both. */
export async function ownedDatabase(): Promise<{ db: pg.Client, stop: () => Promise<void> }> {
  const { ownerUrl, drop } = await freshDatabase()
  const db = new pg.Client({ connectionString: ownerUrl })
  await db.connect()
  return {
    db,
    stop: async () => {
      await db.end()
      await drop()
    },
  }
}

/**
 * Creates migrated databases for test files, on the server that tests/support/global.ts started.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The owner's URL of the server's maintenance database. */
    serverUrl: string
  }
}

/** Passwords of the login roles. All databases share them, because roles belong to the server. */
export const passwords = {
  authService: 'auth-service-of-the-tests',
  authenticator: 'authenticator-of-the-tests',
}

/** PUBLIC_URL of the migrated template. */
export const publicUrl = 'http://localhost:3000'

/** BETTER_AUTH_SECRET of the signing key in the second template. */
export const secret = 'a secret of the tests, long enough'

/** The database that test databases are copied from. */
export const templateDatabase = 'migrated'

/**
 * The database that those with an auth service are copied from: the service has started on it once.
 */
export const startedDatabase = 'started'

/** Returns the URL with another database, user or password. */
export function connection(
  url: string,
  change: { database?: string, user?: string, password?: string },
): string {
  const changed = new URL(url)
  if (change.database !== undefined) changed.pathname = `/${change.database}`
  if (change.user !== undefined) changed.username = change.user
  if (change.password !== undefined) changed.password = change.password
  return changed.toString()
}

/** Runs one statement on a new connection. */
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
 * Creates a copy of a database that has no connections.
 * @param options.serverUrl the owner's URL of the server; by default the one that vitest provides
 * @param options.template the database to copy; by default the migrated template
 * @returns the name, the URLs of the owner and of the auth service, and a function that drops the
 * database
 */
export async function freshDatabase(
  { serverUrl = inject('serverUrl'), template = templateDatabase }: {
    serverUrl?: string
    template?: string
  } = {},
): Promise<{
  name: string
  ownerUrl: string
  authUrl: string
  drop: () => Promise<void>
}> {
  const name = `test_${randomBytes(6).toString('hex')}`
  // The default strategy writes the copy to the log too, which takes twice the processor time.
  await execute(serverUrl, `create database ${name} template ${template} strategy file_copy`)
  const ownerUrl = connection(serverUrl, { database: name })
  return {
    name,
    ownerUrl,
    authUrl: connection(ownerUrl, { user: 'auth_service', password: passwords.authService }),
    drop: () => execute(serverUrl, `drop database ${name} with (force)`),
  }
}

/**
 * Creates a migrated database and connects its owner. `stop` closes the connection and drops the
 * database.
 */
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

/**
 * The one-shot of a deployment in containers: `npm run migrate` with the passwords as plain variables. A password in a
 * URL must be escaped, and no compose file or task definition can do that.
 *
 * It gives the database the passwords it is started with, the owner's too where OWNER_PASSWORD is set. So a password
 * changed in the environment heals on the next start instead of locking everybody out.
 */
import pg from 'pg'
import { authDatabaseUrl } from '../local/environment.ts'
import { oneLine } from '../shared/errors.ts'
import { need, readSettings } from '../shared/settings.ts'

const { AUTH_SERVICE_PASSWORD, OWNER_PASSWORD } = process.env

async function setOwnerPassword(databaseUrl: string, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    await client.query(`set log_statement = 'none'; alter role current_user password ${client.escapeLiteral(password)}`)
  } finally {
    await client.end()
  }
}

try {
  const databaseUrl = need(readSettings(process.env), 'DATABASE_URL')
  if (AUTH_SERVICE_PASSWORD === undefined || AUTH_SERVICE_PASSWORD === '') throw new Error('AUTH_SERVICE_PASSWORD must be set.')
  process.env['AUTH_DATABASE_URL'] = authDatabaseUrl(databaseUrl, AUTH_SERVICE_PASSWORD)
  await import('../local/migrate.ts')
  if (OWNER_PASSWORD !== undefined && process.exitCode === undefined) await setOwnerPassword(databaseUrl, OWNER_PASSWORD)
} catch (error) {
  console.error(`Cannot migrate: ${oneLine(error)}`)
  process.exitCode = 1
}

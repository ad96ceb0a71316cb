/**
 * The one-shot of a deployment in containers: `npm run migrate` that requires the connection and the passwords.
 *
 * It sets the passwords it is started with, the owner's too where OWNER_PASSWORD is set. So a password that the operator
 * changed takes effect at the next start, and locks out no service.
 */
import pg from 'pg'
import { oneLine } from '../shared/errors.ts'
import { need, readSettings } from '../shared/settings.ts'

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
  const settings = readSettings(process.env)
  const databaseUrl = need(settings, 'DATABASE_URL')
  need(settings, 'AUTH_SERVICE_PASSWORD')
  await import('../local/migrate.ts')
  if (settings.OWNER_PASSWORD !== undefined && process.exitCode === undefined) await setOwnerPassword(databaseUrl, settings.OWNER_PASSWORD)
} catch (error) {
  console.error(`Cannot migrate: ${oneLine(error)}`)
  process.exitCode = 1
}

/**
 * The migration container: `npm run migrate`, with the connection and the passwords required.
 *
 * It sets the passwords of its environment in the database, also the owner's if OWNER_PASSWORD is set. Running services continue to use
 * the old passwords, so restart auth and PostgREST after a change.
 */
import pg from 'pg'
import { oneLine } from '../../common/errors.ts'
import { checkAuthenticatorFile, need, readSecretFiles, readSettings } from '../../common/settings.ts'

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
  if ((process.env['AUTHENTICATOR_PASSWORD_FILE'] ?? '') !== '') checkAuthenticatorFile(readSecretFiles(process.env)['AUTHENTICATOR_PASSWORD'] ?? '')
  const settings = readSettings(process.env)
  const databaseUrl = need(settings, 'DATABASE_URL')
  need(settings, 'AUTH_SERVICE_PASSWORD')
  await import('../local/migrate.ts')
  if (settings.OWNER_PASSWORD !== undefined && process.exitCode === undefined) await setOwnerPassword(databaseUrl, settings.OWNER_PASSWORD)
} catch (error) {
  console.error(`Cannot migrate: ${oneLine(error)}`)
  process.exitCode = 1
}

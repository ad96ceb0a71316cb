/**
 * The migration container: `npm run migrate`, with the connection and the passwords required. It
 * waits a minute for a database that starts or does not answer, because an upgrade would otherwise
 * go back.
 *
 * It sets the passwords of its environment in the database, also the owner's if OWNER_PASSWORD is
 * set. Running services continue to use the old passwords, so restart auth, realtime and PostgREST
 * after a change.
 *
 * With the argument `expand` it applies only the migrations beside which the old version can serve.
 */
import {
  checkAuthenticatorFile,
  need,
  readSecretFiles,
  readSettings,
} from '../../common/settings.ts'
import { connect, patient } from '../../db/connect.ts'
import { scramVerifier } from '../../db/migrate.ts'
import { migrateDeployment, reject } from '../../start/migrate.ts'

async function setOwnerPassword(databaseUrl: string, password: string): Promise<void> {
  const client = await connect(databaseUrl)
  try {
    await client.query(
      `alter role current_user password ${client.escapeLiteral(scramVerifier(password))}`,
    )
  } finally {
    await client.end()
  }
}

try {
  if ((process.env['AUTHENTICATOR_PASSWORD_FILE'] ?? '') !== '')
    checkAuthenticatorFile(readSecretFiles(process.env)['AUTHENTICATOR_PASSWORD'] ?? '')
  const settings = readSettings(process.env)
  const databaseUrl = need(settings, 'DATABASE_URL')
  need(settings, 'AUTH_SERVICE_PASSWORD')
  const onlyExpand = process.argv[2] === 'expand'
  await migrateDeployment(settings, patient, onlyExpand)
  if (!onlyExpand && settings.OWNER_PASSWORD !== undefined)
    await setOwnerPassword(databaseUrl, settings.OWNER_PASSWORD)
} catch (error) {
  reject(error)
}

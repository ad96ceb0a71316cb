/** `npm run migrate`: migrates the database of this deployment. */
import { checkSecret } from '../auth/keys/signing-keys.ts'
import { migrate } from '../db/migrate.ts'
import { oneLine } from '../common/errors.ts'
import { fileLimitsOf, readSettings, type Settings } from '../common/settings.ts'
import type { Patience } from '../db/connect.ts'
import { checkConnections } from './connection-limits.ts'
import { nameOfDatabase, withDatabase } from './database.ts'
import { reportFloors } from './floors.ts'
import { migrationSecrets } from './secrets.ts'

/**
 * Migrates the database of the settings.
 * @param onlyExpand stops before the changes for which the edge holds requests
 */
export async function migrateDeployment(
  settings: Settings,
  patience?: Patience,
  onlyExpand = false,
): Promise<void> {
  const { logins, betterAuthSecret } = await migrationSecrets(settings)
  await withDatabase(settings, async (databaseUrl) => {
    await checkConnections(databaseUrl, settings, console.log)
    await migrate({
      databaseUrl,
      publicUrl: settings.PUBLIC_URL,
      authServicePassword: logins.authService,
      authenticatorPassword: logins.authenticator,
      fileLimits: fileLimitsOf(settings),
      onlyExpand,
      ...(betterAuthSecret !== undefined &&
        { beforeMigrating: (client) => checkSecret(client, betterAuthSecret) }),
      log: (line) => console.log(`${nameOfDatabase(settings)}: ${line}`),
    })
    // skip PostgREST: in containers the old version is still connected and is about to be replaced
    await reportFloors(databaseUrl, { postgrest: null })
  }, patience)
}

/** Prints the reason in one line, and ends the process with 1. */
export function reject(error: unknown): void {
  console.error(`Cannot migrate: ${oneLine(error)}`)
  process.exitCode = 1
}

if (import.meta.main) {
  try {
    await migrateDeployment(readSettings(process.env))
  } catch (error) {
    reject(error)
  }
}

/** The operator's command, with the owner's connection: `npm run admin -- …`, or what ADMIN_COMMAND says. */
import { withDatabase } from '../infra/local/database.ts'
import { oneLine } from '../infra/shared/errors.ts'
import { readSettings } from '../infra/shared/settings.ts'
import { admin } from './commands.ts'

try {
  const settings = readSettings(process.env)
  process.exitCode = await withDatabase(
    settings,
    (databaseUrl) =>
      admin(process.argv.slice(2), { databaseUrl, command: settings.ADMIN_COMMAND, migrateCommand: settings.MIGRATE_COMMAND }, process.stdout, process.stderr),
  )
} catch (error) {
  console.error(`Cannot run the command: ${oneLine(error)}`)
  process.exitCode = 1
}

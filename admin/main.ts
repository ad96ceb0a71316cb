/** `npm run admin -- …`: the operator's command, with the owner's connection. */
import { withDatabase } from '../infra/local/database.ts'
import { oneLine } from '../infra/shared/errors.ts'
import { readSettings } from '../infra/shared/settings.ts'
import { admin } from './commands.ts'

try {
  const settings = readSettings(process.env)
  process.exitCode = await withDatabase(settings, (databaseUrl) => admin(process.argv.slice(2), { databaseUrl }, process.stdout))
} catch (error) {
  console.error(`Cannot run the command: ${oneLine(error)}`)
  process.exitCode = 1
}

/** `npm run admin -- …`: the operator's command, with the owner's connection. */
import { admin } from '../../auth/admin.ts'
import { readSettings } from '../../auth/config.ts'
import { withDatabase } from './database.ts'
import { oneLine } from './one-line.ts'

try {
  const settings = readSettings(process.env)
  process.exitCode = await withDatabase(settings, (databaseUrl) => admin(process.argv.slice(2), { databaseUrl }, process.stdout))
} catch (error) {
  console.error(`Cannot run the command: ${oneLine(error)}`)
  process.exitCode = 1
}

/** Entry point of the operator's command: `npm run admin -- …`. Connects to the database and runs `admin` of commands.ts. */
import { nameOfDatabase, withExistingDatabase } from '../infra/local/database.ts'
import { oneLine } from '../common/errors.ts'
import { openObjects } from '../common/open-objects.ts'
import { objectOptionsOf, readSettings } from '../common/settings.ts'
import { admin } from './commands.ts'

try {
  const settings = readSettings(process.env)
  const argv = process.argv.slice(2)
  const openFiles = async () => {
    const options = objectOptionsOf(settings)
    return options && await openObjects(options)
  }
  const run = (databaseUrl: string) =>
    admin(argv, { databaseUrl, command: settings.ADMIN_COMMAND, migrateCommand: settings.MIGRATE_COMMAND, openFiles }, process.stdout, process.stderr)
  const isHelp = argv.length === 0 || argv.includes('--help') || argv.includes('-h')
  process.exitCode = isHelp ? await run(settings.DATABASE_URL ?? '') : await withExistingDatabase(settings, (databaseUrl) => {
    // uses standard error, because standard output can be a file
    process.stderr.write(`Database: ${nameOfDatabase(settings)}\n`)
    return run(databaseUrl)
  })
} catch (error) {
  console.error(`Cannot run the command: ${oneLine(error)}`)
  process.exitCode = 1
}

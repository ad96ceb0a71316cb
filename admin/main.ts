/**
 * Entry point of the operator's command: `npm run admin -- …`. Connects to the database and runs
 * `admin` of commands.ts.
 */
import { nameOfDatabase, noteOfOtherServer, withExistingDatabase } from '../start/database.ts'
import { oneLine } from '../common/errors.ts'
import { openObjects } from '../common/open-objects.ts'
import { objectOptionsOf, readSettings } from '../common/settings.ts'
import { admin } from './commands.ts'
import { sendTestMail } from './mail-test.ts'

let outputError: Error | undefined
// Without a listener a full disk or a closed pipe would end the process with a stack trace, and
// leave the embedded database running.
process.stdout.on('error', (error) => {
  if (outputError === undefined) console.error(`Cannot write the output: ${oneLine(error)}.`)
  outputError ??= error
  process.exitCode = 1
})

try {
  const settings = readSettings(process.env)
  const argv = process.argv.slice(2)
  const openFiles = async () => {
    const options = objectOptionsOf(settings)
    return options && await openObjects(options)
  }
  const sendMail = (to: string) => sendTestMail(settings, to)
  const { ADMIN_COMMAND: command, MIGRATE_COMMAND: migrateCommand } = settings
  const run = (databaseUrl: string) =>
    admin(
      argv,
      { databaseUrl, command, migrateCommand, openFiles, sendMail },
      process.stdout,
      process.stderr,
    )
  const needsNoDatabase = argv.length === 0 || argv.includes('--help') || argv.includes('-h') ||
    argv[0] === 'mail-test'
  const note = needsNoDatabase ? undefined : await noteOfOtherServer(settings)
  const code = needsNoDatabase ?
    await run(settings.DATABASE_URL ?? '') :
    await withExistingDatabase(settings, (databaseUrl) => {
      // uses standard error, because standard output can be a file
      process.stderr.write(
        `Database: ${nameOfDatabase(settings)}\n${note === undefined ? '' : `${note}\n`}`,
      )
      return run(databaseUrl)
    })
  process.exitCode ??= code
} catch (error) {
  if (outputError === undefined) console.error(`Cannot run the command: ${oneLine(error)}`)
  process.exitCode = 1
}

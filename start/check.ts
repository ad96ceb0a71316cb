/**
 * `npm run check:db`: runs the lints of `db/lints` against the database of this deployment, and
 * compares each file with its SHA-256.
 */
import pg from 'pg'
import { checkDatabase, lints } from '../db/check.ts'
import { missingMigrations } from '../db/migrate.ts'
import { checkFiles, filesDatabase } from '../db/stored-files.ts'
import { oneLine } from '../common/errors.ts'
import { readSettings } from '../common/settings.ts'
import { nameOfDatabase, withExistingDatabase } from './database.ts'
import { reportFloors } from './floors.ts'

try {
  const settings = readSettings(process.env)
  await withExistingDatabase(settings, async (databaseUrl) => {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    try {
      await client.query('begin read only')
      const missing = await missingMigrations(client)
      if (missing.length > 0)
        throw new Error(
          `The database ${nameOfDatabase(settings)} lacks ${
            missing.join(', ')
          }: run \`${settings.MIGRATE_COMMAND}\` first.`,
        )
      const offences = await checkDatabase(client)
      for (const { lint, rule, what } of offences) console.error(`${lint}: ${what}\n  ${rule}`)
      await reportFloors(databaseUrl)
      console.log(`${(await lints()).length} rules, ${offences.length} broken`)
      const db = filesDatabase(new pg.Pool({ connectionString: databaseUrl, max: 1 }))
      const { files, bytes, externalFiles, wrong } = await checkFiles(db)
      await db.destroy()
      console.log(
        `Files: ${files} of ${bytes} bytes, ${wrong.length} damaged${
          externalFiles === 0 ? '' : `; ${externalFiles} more in the object storage`
        }`,
      )
      for (const { attachmentId } of wrong)
        console.error(`The file of the attachment ${attachmentId} is damaged.`)
      if (offences.length > 0 || wrong.length > 0) process.exitCode = 1
    } finally {
      await client.end()
    }
  })
} catch (error) {
  console.error(`Cannot check the database: ${oneLine(error)}`)
  process.exitCode = 1
}

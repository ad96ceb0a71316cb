/**
 * `npm run schema`: writes the generated files. Their sources are the database's catalogue (of a
 * temporary database), the routes, the errors and the settings.
 */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '../db/migrate.ts'
import { catalogueFiles } from '../http/openapi/generated-files.ts'
import { surfaceFiles } from '../auth/description.ts'
import { limitsPage } from './limits-page.ts'
import { settingsPages } from './settings-pages.ts'
import { oneLine } from '../common/errors.ts'
import { readSettings } from '../common/settings.ts'
import { withDatabase } from './database.ts'
import { migrationSecrets } from './secrets.ts'

/** Calls `work` with a new connection. */
async function connected<Result>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

try {
  const settings = readSettings(process.env)
  const { logins } = await migrationSecrets(settings)
  await withDatabase(settings, async (serverUrl) => {
    const name = `schema_${randomBytes(6).toString('hex')}`
    const databaseUrl = new URL(serverUrl)
    databaseUrl.pathname = `/${name}`
    await connected(serverUrl, (client) => client.query(`create database ${name}`))
    try {
      await migrate({
        databaseUrl: databaseUrl.href,
        publicUrl: settings.PUBLIC_URL,
        authServicePassword: logins.authService,
        authenticatorPassword: logins.authenticator,
      })
      const pages = await connected(databaseUrl.href, catalogueFiles)
      const limits = await connected(databaseUrl.href, limitsPage)
      for (
        const [file, page] of Object.entries({
          ...pages,
          ...limits,
          ...surfaceFiles(),
          ...settingsPages(),
        })
      )
        await writeFile(join(import.meta.dirname, '..', file), page)
    } finally {
      await connected(serverUrl, (client) => client.query(`drop database ${name} with (force)`))
    }
  })
} catch (error) {
  console.error(`Cannot write the generated files: ${oneLine(error)}`)
  process.exitCode = 1
}

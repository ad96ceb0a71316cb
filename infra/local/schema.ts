/** `npm run schema`: writes db/schema.sql and db/types.ts from a database made for it and dropped again. */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { typesPage } from '../../db/describe-types.ts'
import { describeDatabase, schemaPage } from '../../db/describe.ts'
import { migrate } from '../../db/migrate.ts'
import { oneLine } from '../shared/errors.ts'
import { readSettings } from '../shared/settings.ts'
import { withDatabase } from './database.ts'
import { loginPasswords } from './secrets.ts'

/** Does something with a connection of its own. */
async function connected<Result>(databaseUrl: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
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
  const logins = await loginPasswords(settings)
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
      const [page, types] = await connected(databaseUrl.href, async (client) => [schemaPage(await describeDatabase(client)), await typesPage(client)] as const)
      await writeFile(join(import.meta.dirname, '../../db/schema.sql'), page)
      await writeFile(join(import.meta.dirname, '../../db/types.ts'), types)
    } finally {
      await connected(serverUrl, (client) => client.query(`drop database ${name} with (force)`))
    }
  })
} catch (error) {
  console.error(`Cannot write db/schema.sql and db/types.ts: ${oneLine(error)}`)
  process.exitCode = 1
}

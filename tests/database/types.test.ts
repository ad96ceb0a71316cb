/** What the programs' queries are checked against is what the database has. */
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { typesPage } from '../../db/describe-types.ts'
import { ownedDatabase } from '../support/database.ts'

test('db/types.ts is what the catalogue of a migrated database says: `npm run schema` writes it', async () => {
  const { db: client, stop } = await ownedDatabase()
  onTestFinished(stop)
  const page = await typesPage(client)
  expect(page).toBe(await readFile(new URL('../../db/types.ts', import.meta.url), 'utf8'))
  await client.query('alter table auth.members rename column role to rank')
  expect(await typesPage(client)).not.toBe(page)
})

/** Generated files match the database. */
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { catalogueFiles } from '../../http/openapi/generated-files.ts'
import { limitsPage } from '../../start/limits-page.ts'
import { ownedDatabase } from '../support/database.ts'

test('each file that `npm run schema` writes is up to date with the catalogue of a migrated database', async () => {
  const { db: client, stop } = await ownedDatabase()
  onTestFinished(stop)
  const pages = { ...await catalogueFiles(client), ...await limitsPage(client) }
  for (const [file, page] of Object.entries(pages))
    expect(page, file).toBe(await readFile(new URL(`../../${file}`, import.meta.url), 'utf8'))
  await client.query('alter table auth.members rename column role to rank')
  await client.query('alter table api.tags rename column name to label')
  await client.query('alter table api.transactions rename column reference_no to number_of_bank')
  await client.query('alter table api.accounts drop constraint accounts_name_length')
  const changed = { ...await catalogueFiles(client), ...await limitsPage(client) }
  expect(Object.keys(pages).filter((file) => changed[file] === pages[file])).toEqual([])
})

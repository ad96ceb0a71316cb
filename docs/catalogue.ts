/** Every file of the repository that is made of the database's catalogue. `npm run schema` writes them, and a test compares. */
import type pg from 'pg'
import { columnsPage, databasePage, fieldsPage } from '../db/describe-client.ts'
import { dataDescription } from '../db/describe-data.ts'
import { typesPage } from '../db/describe-types.ts'
import { describeDatabase, schemaPage } from '../db/describe.ts'
import { readExposed } from '../db/exposed.ts'
import { strayShapes } from '../db/surface.ts'
import { openApiPage } from './openapi.ts'

/** @returns the text of each file, for a database that is at the present */
export async function cataloguePages(client: pg.ClientBase): Promise<Record<string, string>> {
  // first, because the connection keeps the settings of the other
  const types = await typesPage(client)
  const exposed = await readExposed(client)
  const strays = strayShapes(exposed)
  if (strays.length > 0) throw new Error(`db/shapes.ts has shapes of what is not exposed: ${strays.join(', ')}`)
  return {
    'db/types.ts': types,
    'client/database.ts': databasePage(exposed),
    'client/fields.ts': fieldsPage(exposed),
    'edge/columns.ts': columnsPage(exposed),
    'docs/openapi.json': openApiPage(exposed.title, dataDescription(exposed)),
    'db/schema.sql': schemaPage(await describeDatabase(client)),
  }
}

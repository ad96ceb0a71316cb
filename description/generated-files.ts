/** Lists the files that `npm run schema` generates. Tests compare them with the files in the repository. */
import type pg from 'pg'
import { errorCodes } from '../auth/errors.ts'
import { describeDatabase, type DatabaseObject } from '../db/describe.ts'
import { readExposed, readRules } from './catalogue.ts'
import { clientRoutesFile } from './client-routes.ts'
import { columnsFile, databaseFile, fieldsFile } from './client-types.ts'
import { typesFile } from './database-types.ts'
import { strayNames } from './fields.ts'

const errorsFile = () =>
  `# Errors of the auth surface

This page is for front-end developers. Every error of the auth surface has this body, and nothing else:

\`\`\`json
{ "error": "INVALID_CREDENTIALS", "message": "The e-mail address or the password is incorrect." }
\`\`\`

Decide by \`error\`. Show or log \`message\`, which may contain more than the sentence below. 429 and 503 have \`Retry-After\` in seconds.

| Status | \`error\` | \`message\` |
|---|---|---|
${Object.entries(errorCodes).map(([code, [status, message]]) => `| ${status} | \`${code}\` | ${message} |`).join('\n')}

The errors of the [data surface](data.md#errors) have PostgREST's own shape: \`code\`, \`message\`, \`details\`, \`hint\`.

\`npm run schema\` writes this page from \`auth/errors.ts\`.
`

const documentedKinds = ['schema', 'type', 'cast', 'table', 'view', 'sequence', 'index', 'statistics', 'policy', 'trigger', 'rule', 'grant']

/** Returns the text of db/schema.sql. It has no function bodies and no comments: their home is db/functions and db/rules. */
function schemaFile(objects: DatabaseObject[]): string {
  const definitions = documentedKinds.flatMap((kind) => objects.filter((object) => object.kind === kind).map(({ definition }) => definition))
  return `-- The present, written by \`npm run schema\`. Change it in db/migrations, db/functions and db/rules.\n\n${definitions.join('\n\n')}\n`
}

/** Returns the text of each file that is generated from the catalogue of a migrated database. */
export async function catalogueFiles(client: pg.ClientBase): Promise<Record<string, string>> {
  // first, because describeDatabase changes settings of the connection
  const types = await typesFile(client)
  const exposed = await readExposed(client)
  const strays = strayNames(exposed)
  if (strays.length > 0) throw new Error(`description/handwritten-schemas.ts has names that are not exposed: ${strays.join(', ')}`)
  return {
    'db/types.ts': types,
    'client/database.ts': databaseFile(exposed),
    'client/fields.ts': fieldsFile(exposed, await readRules(client)),
    'edge/columns.ts': columnsFile(exposed),
    'db/schema.sql': schemaFile(await describeDatabase(client)),
  }
}

/** Returns the text of each file that is generated from the auth surface's routes and errors. */
export const authFiles = (): Record<string, string> => ({ 'client/routes.ts': clientRoutesFile(), 'docs/errors.md': errorsFile() })

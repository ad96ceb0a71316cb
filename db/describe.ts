/**
 * A database as PostgreSQL itself describes it: what db/schema.sql shows, and what tells whether two databases are the
 * same. A backup asks the same two files.
 */
import { readFile } from 'node:fs/promises'
import type pg from 'pg'

/** One object of the database. `name` is unique within its kind. */
export type DatabaseObject = { kind: string, name: string, definition: string }

/** Runs a file of settings and, last, one query. The connection keeps the settings. */
async function ask(client: pg.ClientBase, file: string): Promise<DatabaseObject[]> {
  const results: unknown = await client.query(await readFile(`${import.meta.dirname}/${file}`, 'utf8'))
  return (results as pg.QueryResult<DatabaseObject>[]).at(-1)?.rows ?? []
}

/** Every object of the database, and our roles, in a stable order. No table's rows are read. */
export const describeDatabase = (client: pg.ClientBase): Promise<DatabaseObject[]> => ask(client, 'catalogue.sql')

/** How many rows each table holds, and a sum over them. */
export const sumUpRows = (client: pg.ClientBase): Promise<DatabaseObject[]> => ask(client, 'rows.sql')

const shownKinds = ['schema', 'type', 'cast', 'table', 'view', 'sequence', 'index', 'statistics', 'policy', 'trigger', 'rule', 'grant']

/** How db/schema.sql shows the objects: without the functions' bodies and the comments, whose home is db/functions and db/rules. */
export function schemaPage(objects: DatabaseObject[]): string {
  const shown = shownKinds.flatMap((kind) => objects.filter((object) => object.kind === kind).map(({ definition }) => definition))
  return `-- The present, written by \`npm run schema\`. Change it in db/migrations, db/functions and db/rules.\n\n${shown.join('\n\n')}\n`
}

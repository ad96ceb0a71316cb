/**
 * A database as PostgreSQL itself describes it: the objects that db/schema.sql shows, and what tells whether two databases are the
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

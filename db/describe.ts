/**
 * Describes a database from its catalogue, for db/schema.sql and for the comparison of two
 * databases. A backup runs the same two SQL files.
 */
import { readFile } from 'node:fs/promises'
import type pg from 'pg'

/** One object of the database. `name` is unique within its kind. */
export type DatabaseObject = { kind: string, name: string, definition: string }

/** Runs a file of settings that ends with one query. The connection keeps the settings. */
async function run(client: pg.ClientBase, file: string): Promise<DatabaseObject[]> {
  const results: unknown = await client.query(
    await readFile(`${import.meta.dirname}/${file}`, 'utf8'),
  )
  return (results as pg.QueryResult<DatabaseObject>[]).at(-1)?.rows ?? []
}

/**
 * Returns every object of the database and our roles, in a stable order. Reads no rows of tables.
 */
export const describeDatabase = (client: pg.ClientBase): Promise<DatabaseObject[]> =>
  run(client, 'catalogue.sql')

/** Counts and sums up the rows of each table. */
export const sumUpRows = (client: pg.ClientBase): Promise<DatabaseObject[]> =>
  run(client, 'rows.sql')

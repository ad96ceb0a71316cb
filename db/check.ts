/**
 * Checks a database against the rules of db/lints. Each rule is a query that returns the objects
 * that break it.
 */
import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'

/** A rule: its name, its sentence, and the query for the objects that break it. */
export type Lint = { name: string, rule: string, sql: string }
/** An object that breaks a rule. `what` names it. */
export type Offence = { lint: string, rule: string, what: string }

/**
 * Reads all rules, sorted by name. A rule begins with the line `-- name: …`. The comment after it
 * is the sentence, up to a line that ends with a period.
 */
export async function lints(): Promise<Lint[]> {
  const folder = `${import.meta.dirname}/lints`
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql'))
  const texts = await Promise.all(files.map((file) => readFile(`${folder}/${file}`, 'utf8')))
  return texts.flatMap((text) => text.split(/^-- name: /m).slice(1)).map((text) => {
    const [, name = '', sql = '', comment = ''] =
      /^(.*)\n(-- ((?:.*[^.]\n-- )*.*\.)\n[^]*)/.exec(text) ?? []
    return { name, rule: comment.replaceAll('\n-- ', ' '), sql }
  }).toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/**
 * Runs the query of one rule. If the query fails, for example because an object is missing, the
 * rule is broken.
 */
async function run(client: pg.ClientBase, { name, rule, sql }: Lint): Promise<Offence[]> {
  await client.query('savepoint lint')
  try {
    const { rows } = await client.query<{ what: string }>(sql)
    return rows.map(({ what }) => ({ lint: name, rule, what }))
  } catch (error) {
    await client.query('rollback to savepoint lint')
    return [{ lint: name, rule, what: error instanceof Error ? error.message : String(error) }]
  }
}

/**
 * Checks every rule within the client's open transaction.
 * @returns every object that breaks a rule
 */
export async function checkDatabase(client: pg.ClientBase): Promise<Offence[]> {
  const found: Offence[] = []
  for (const lint of await lints()) found.push(...await run(client, lint))
  return found
}

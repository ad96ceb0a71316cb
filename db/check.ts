/** Checks a database against the rules of db/lints. Each rule is a query that returns the objects that break it. */
import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'

/** A rule: its name, the sentence it says, and the query that answers what breaks it. */
export type Lint = { name: string, rule: string, sql: string }
/** What breaks a rule. */
export type Offence = { lint: string, rule: string, what: string }

/** Reads all rules, sorted by name. A rule begins with the line `-- name: …`; the comment after it is the rule in words. */
export async function lints(): Promise<Lint[]> {
  const folder = `${import.meta.dirname}/lints`
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql'))
  const texts = await Promise.all(files.map((file) => readFile(`${folder}/${file}`, 'utf8')))
  return texts.flatMap((text) => text.split(/^-- name: /m).slice(1)).map((text) => {
    const [, name = '', sql = '', rule = ''] = /^(.*)\n(-- (.*)\n[^]*)/.exec(text) ?? []
    return { name, rule, sql }
  }).toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** Asks one rule. A rule that cannot be asked, because something it names is not there, is broken. */
async function ask(client: pg.ClientBase, { name, rule, sql }: Lint): Promise<Offence[]> {
  await client.query('savepoint asked')
  try {
    const { rows } = await client.query<{ what: string }>(sql)
    return rows.map(({ what }) => ({ lint: name, rule, what }))
  } catch (error) {
    await client.query('rollback to savepoint asked')
    return [{ lint: name, rule, what: error instanceof Error ? error.message : String(error) }]
  }
}

/**
 * Asks every rule, of what the client's transaction sees; it must have begun one.
 * @returns everything in the database that breaks a rule; none is as it should be
 */
export async function checkDatabase(client: pg.ClientBase): Promise<Offence[]> {
  const found: Offence[] = []
  for (const lint of await lints()) found.push(...await ask(client, lint))
  return found
}

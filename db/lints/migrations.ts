/**
 * `npm run lint:sql`: refuses migrations that make users wait, or that drop what the release before
 * still uses. squawk has most of these rules. The others are here. .github/CONTRIBUTING.md has the
 * usual ways.
 */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { backfillName, readMigration, type Migration } from '../sql-files.ts'

const root = join(import.meta.dirname, '../..')

/** A refused statement. `what` says what to write instead. */
type Refusal = { file: string, what: string }

/** What to write instead, for rules of squawk without such a help. */
const insteadOf: Record<string, string> = {
  'changing-column-type':
    'Add a column of the new type, backfill it, and drop the old one a release later.',
  'renaming-column':
    'Add a column with the new name, backfill it, and drop the old one a release later.',
  'renaming-table':
    'Create a table with the new name, backfill it, and drop the old one a release later.',
}

/** Returns the statements in lower case, without comments, texts and bodies of functions. */
const statementsOf = (sql: string): string[] =>
  sql.replaceAll(
    /--.*|\/\*[^]*?\*\/|'(?:[^']|'')*'|(\$\w*\$)[^]*?\1/g,
    (found) => found.startsWith('-') || found.startsWith('/*') ? ' ' : `''`,
  ).toLowerCase().split(';').map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')

const stillUsed =
  'the release before may still use it: drop it a release later, in a file with a first line such as `-- contract: 1.1.0`, the release that stopped using it.'

/** Statements that block users, with what to write instead. */
const blocking: [statement: RegExp, what: string][] = [
  [
    /^lock /,
    'lock table makes every user wait: leave it out, and write statements that need none.',
  ],
  [/^vacuum .*\bfull\b/, 'vacuum full rewrites the table: leave it out, because autovacuum runs.'],
  [/^cluster\b/, 'cluster rewrites the table: leave it out, or create an index concurrently.'],
  [
    /^refresh materialized view/,
    'refresh materialized view blocks readers: use a table, and fill it by a backfill.',
  ],
  [/^truncate\b/, 'truncate blocks readers: delete the rows by a backfill.'],
  [
    /^alter .*\bset (tablespace|logged|unlogged|access method)\b/,
    'this rewrites the table: create a new one, backfill it, and drop the old one a release later.',
  ],
  [
    /^do\b/,
    'the lint cannot read a do block: write its statements out, or make it a backfill.',
  ],
]

/** A table that a statement alters, and the parts of the statement. */
function alteredBy(statement: string): { table: string, actions: string[] } {
  const [, table = '', actions = ''] =
    /^alter table (?:if exists )?(?:only )?(\S+) (.*)$/.exec(statement) ?? []
  return { table, actions: actions.split(/,(?![^(]*\))/).map((action) => action.trim()) }
}

/** Returns true if earlier files have added and validated a check that the column is not null. */
function isCheckedNotNull(table: string, column: string, earlier: Migration[]): boolean {
  const actions = earlier.flatMap(({ sql }) => statementsOf(sql)).map(alteredBy)
    .flatMap((altered) => (altered.table === table ? altered.actions : []))
  return actions.some((action) => {
    const [, constraint, checked] =
      /^add constraint (\w+) check \((\w+) is not null\) not valid$/.exec(action) ?? []
    return checked === column && actions.includes(`validate constraint ${constraint}`)
  })
}

/** Returns what is wrong with an action of `alter table`. */
function refusedAction(
  table: string,
  action: string,
  isContract: boolean,
  earlier: Migration[],
): string | undefined {
  const [, column] = /^alter (?:column )?(\w+) set not null$/.exec(action) ?? []
  if (column !== undefined && !isCheckedNotNull(table, column, earlier))
    return `set not null reads the whole table: in two earlier files add constraint … check (${column} is not null) not valid, and validate it.`
  if (/^add (column )?(?!constraint |check ).* check \(/.test(action))
    return 'a check of a new column reads the whole table: add it as a constraint that is not valid, and validate it in the next file.'
  return /^drop (?!constraint )/.test(action) && !isContract ? stillUsed : undefined
}

function* refusedStatements(
  { sql, kind, contract }: Migration,
  earlier: Migration[],
): Generator<string> {
  const isContract = contract !== undefined
  for (const statement of statementsOf(sql)) {
    for (const [pattern, what] of blocking) if (pattern.test(statement)) yield what
    if (kind !== 'backfill' && /^(with .*\b)?(update|delete from|merge into) /.test(statement))
      yield 'a change of all rows locks them until the end of the file: write a file with the first line `-- backfill`.'
    if (kind !== 'no transaction' && /\bconcurrently\b/.test(statement))
      yield 'a statement with concurrently cannot run in a transaction: the first line of its file is `-- no transaction`.'
    if (/^drop (table|schema|type|domain) /.test(statement) && !isContract) yield stillUsed
    const { table, actions } = alteredBy(statement)
    for (const action of actions) {
      const refused = refusedAction(table, action, isContract, earlier)
      if (refused !== undefined) yield refused
    }
  }
}

/** Compares two versions such as 1.2.0. */
function isNewer(version: string, than: string): boolean {
  const numbers = version.split('.').map(Number)
  const others = than.split('.').map(Number)
  const at = numbers.findIndex((number, index) => number !== others[index])
  return at >= 0 && (numbers[at] ?? 0) > (others[at] ?? 0)
}

function* refusedLines(
  { sql, kind, contract, needs }: Migration,
  earlier: Migration[],
  released: string,
): Generator<string> {
  const statements = statementsOf(sql)
  if (contract !== undefined && (!/^\d+\.\d+\.\d+$/.test(contract) || isNewer(contract, released)))
    yield `contract: ${contract} is not a release up to ${released}: name the release that stopped using it, and drop it in the one after.`
  if (
    needs !== undefined &&
    !earlier.some((file) => file.kind === 'backfill' && backfillName(file) === needs)
  )
    yield `needs: ${needs} is not an earlier file with the first line \`-- backfill\`.`
  if (kind !== 'transaction' && statements.length !== 1)
    yield `a file with the first line \`-- ${kind}\` has one statement: write a file for each.`
  if (kind === 'no transaction' && !/ if (not )?exists |^reindex /.test(statements.join(' ')))
    yield 'an interrupted statement runs again: write `if not exists` or `if exists`.'
  if (kind === 'backfill' && !(sql.includes('$1') && sql.includes('$2')))
    yield 'a backfill changes one batch of one tenant: the condition has `tenant = $1`, and a subquery `limit $2`.'
  if (
    kind !== 'transaction' && contract !== undefined || kind === 'backfill' && needs !== undefined
  )
    yield `a file with the first line \`-- ${kind}\` has no such other line: write a file of its own.`
}

type Finding = {
  file: string
  line: number
  rule_name: string
  message: string
  help: string | null
}

/** Runs squawk, which exits with 1 if it finds something. */
const squawk = (paths: string[]): Promise<Finding[]> =>
  new Promise((resolve, reject) => {
    const args = ['-c', '.ci/squawk.toml', '--reporter', 'json', ...paths]
    execFile(join(root, 'node_modules/.bin/squawk'), args, { cwd: root }, (error, out) => {
      if (error !== null && error.code !== 1) reject(error)
      else resolve(out === '' ? [] : JSON.parse(out) as Finding[])
    })
  })

/**
 * Checks the migrations of a folder.
 * @param released the version of package.json
 */
export async function lintMigrations(folder: string, released: string): Promise<Refusal[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  if (names.length === 0) return []
  const migrations = await Promise.all(
    names.map(async (name) =>
      readMigration({
        name: `migrations/${name.slice(0, -'.sql'.length)}`,
        sql: await readFile(join(folder, name), 'utf8'),
      })
    ),
  )
  const found = await squawk(names.map((name) => join(folder, name)))
  return migrations.flatMap((migration, at) => {
    const path = join(folder, names[at] ?? '')
    const earlier = migrations.slice(0, at)
    return [
      ...refusedLines(migration, earlier, released),
      ...refusedStatements(migration, earlier),
      ...found.filter(({ file }) => file === path).map(({ line, rule_name, message, help }) =>
        [`line ${line + 1}: ${rule_name}:`, message, help, insteadOf[rule_name]].filter(Boolean)
          .join(' ')
      ),
    ].map((what) => ({ file: `db/${migration.name}.sql`, what }))
  })
}

if (import.meta.main) {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    version: string
  }
  const refusals = await lintMigrations(join(root, 'db/migrations'), version)
  for (const { file, what } of refusals) console.error(`${file}: ${what}`)
  if (refusals.length > 0) process.exitCode = 1
}

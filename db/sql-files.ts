/**
 * The SQL files of the database. A folder is a feature, and its name is the feature's in the code
 * and in docs/.
 *
 * `<feature>/tables.sql` has the tables with their columns, constraints and indexes, and the types.
 * It runs once, in a new database. The other files define what every migration creates again:
 * functions, policies, triggers, grants and comments. `migrations/` has the changes of tables since
 * version 1.0.0, for databases that are already there.
 *
 * The first line of a file names what it comes after: files, or all files of a folder: `-- after:
 * core, accounts/tables`. A long list continues on a second such line. `*` is every file without a
 * `*`.
 */
import { readdir, readFile } from 'node:fs/promises'

const databaseFolder = import.meta.dirname
/** Folders that hold no feature. */
const otherFolders = ['lints', 'migrations']

/** A file. `name` is `<folder>/<file>` without `.sql`. */
export type SqlFile = { name: string, sql: string }

async function filesOf(folder: string): Promise<SqlFile[]> {
  const names = (await readdir(`${databaseFolder}/${folder}`)).filter((name) =>
    name.endsWith('.sql')
  ).toSorted()
  return Promise.all(names.map(async (name) => ({
    name: `${folder}/${name.slice(0, -'.sql'.length)}`,
    // line endings of the checkout must not change a checksum
    sql: (await readFile(`${databaseFolder}/${folder}/${name}`, 'utf8')).replaceAll('\r\n', '\n'),
  })))
}

/** A file of `migrations/`. Its first lines say how and when it runs: .github/CONTRIBUTING.md. */
export type Migration = SqlFile & {
  /** The way in which the file runs. A backfill runs as a job. */
  kind: 'transaction' | 'no transaction' | 'backfill'
  /** The release that stopped using what the file drops. */
  contract?: string
  /** The backfill that must be finished before. */
  needs?: string
}

/** Returns the name of a migration's backfill. */
export const backfillName = ({ name }: SqlFile): string => name.slice('migrations/'.length)

/** Reads the first lines of a migration. */
export function readMigration(file: SqlFile): Migration {
  const [lines = ''] = /^(?:-- .*\n)*/.exec(file.sql) ?? []
  const kind = /^-- (no transaction|backfill)$/m.exec(lines)?.[1] as Migration['kind'] | undefined
  const contract = /^-- contract: (.+)$/m.exec(lines)?.[1]
  const needs = /^-- needs: (.+)$/m.exec(lines)?.[1]
  return {
    ...file,
    kind: kind ?? 'transaction',
    ...(contract !== undefined && { contract }),
    ...(needs !== undefined && { needs }),
  }
}

/** Returns the migrations, in the order of their names. */
export const migrationFiles = async (): Promise<Migration[]> =>
  (await filesOf('migrations')).map(readMigration)

/**
 * Returns the files of all features in the order in which they run. Throws if a file comes after a
 * missing one, or after itself.
 */
export async function featureFiles(): Promise<SqlFile[]> {
  const entries = await readdir(databaseFolder, { withFileTypes: true })
  const folders = entries.filter((entry) =>
    entry.isDirectory() && !otherFolders.includes(entry.name)
  ).map(({ name }) => name)
  return inOrder((await Promise.all(folders.toSorted().map(filesOf))).flat())
}

function afterOf({ sql }: SqlFile): string[] {
  const [lines = ''] = /^(?:-- after: .+\n?)+/.exec(sql) ?? []
  return [...lines.matchAll(/^-- after: (.+)/gm)].flatMap(([, names = '']) => names.split(', '))
}

/**
 * Sorts files so that each comes after those that its first lines name. The order of the names
 * decides between others.
 * @throws Error that names both files of a wrong line
 */
export function inOrder(files: SqlFile[]): SqlFile[] {
  const earlier = files.filter((file) => !afterOf(file).includes('*'))
  const named = (file: SqlFile): SqlFile[] =>
    afterOf(file).flatMap((after) => {
      const found = after === '*'
        ? earlier
        : [
          ...files.filter(({ name }) => name === after),
          ...earlier.filter(({ name }) => name.startsWith(`${after}/`)),
        ]
      if (found.length === 0)
        throw new Error(
          `db/${file.name}.sql comes after ${after}, but there is no such file or folder`,
        )
      return found
    })
  const ordered = new Set<SqlFile>()
  const add = (file: SqlFile, path: SqlFile[]): void => {
    if (ordered.has(file)) return
    if (path.includes(file)) {
      const circle = [...path.slice(path.indexOf(file)), file].map(({ name }) => `db/${name}.sql`)
      throw new Error(`these files come after each other: ${circle.join(' after ')}`)
    }
    for (const before of named(file)) add(before, [...path, file])
    ordered.add(file)
  }
  for (const file of files) add(file, [])
  return [...ordered]
}

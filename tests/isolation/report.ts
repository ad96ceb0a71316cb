/** The result as a readable file: `.data-test/isolation-report.md`. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Result } from './run.ts'

const directory = join(import.meta.dirname, '../../.data-test')

const count = <Item>(items: Item[], of: (item: Item) => string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(of(item), (counts.get(of(item)) ?? 0) + 1)
  return counts
}

/** One line for the terminal. */
export function summary({ world, tested, cases, failures, milliseconds }: Result): string {
  const operations = new Set(tested.map(({ operation }) => operation)).size
  const targets = new Set(tested.map(({ target }) => target)).size - 1
  return `isolation: ${world.actors.length} actors × ${world.catalogue.tables.length} tables and ${world.catalogue.functions.length} functions × ${operations} operations × ${targets} targets: `
    + `${cases} cases, ${failures.length} failures, ${Math.round(milliseconds / 1000)} s`
}

/** @returns the path of the file */
export async function writeReport(result: Result): Promise<string> {
  const { world, tested, failures } = result
  const columns = [...new Set(tested.map(({ table }) => table))]
  const cells = count(tested, ({ actor, table }) => `${actor.name}|${table}`)
  const named = (table: string): string => table === '' ? 'beyond' : table
  const operations = count(tested, ({ operation }) => operation)
  const allowed =
    tested.filter(({ expected }) => expected.answers.every(({ status }) => status < 300)).length
  const text = [
    '# Isolation',
    '',
    `${summary(result)}.`,
    '',
    `${allowed} cases must be answered and ${tested.length - allowed} refused. ${
      tested.filter(({ expected: { changed, gone, added } }) =>
        changed.length + gone.length + added.length > 0
      ).length
    } must change rows, and every other row of the ${world.rows.length} must be as it was.`,
    '',
    ...(failures.length === 0
      ? ['No failures.']
      : [
        '## Failures',
        '',
        ...failures.flatMap((
          { name, problems },
        ) => [`- **${name}**`, ...problems.map((problem) => `  - ${problem}`)]),
      ]),
    '',
    '## Cases by actor and table',
    '',
    `| Actor | ${columns.map(named).join(' | ')} |`,
    `|---|${columns.map(() => '---:').join('|')}|`,
    ...world.actors.map(({ name }) =>
      `| ${name} | ${columns.map((table) => cells.get(`${name}|${table}`) ?? 0).join(' | ')} |`
    ),
    '',
    '## Cases by operation',
    '',
    '| Operation | Cases |',
    '|---|---:|',
    ...[...operations].map(([operation, cases]) => `| ${operation} | ${cases} |`),
    '',
  ].join('\n')
  await mkdir(directory, { recursive: true })
  const path = join(directory, 'isolation-report.md')
  await writeFile(path, text)
  return path
}

/**
 * SQL that is read: its lines fit on a screen, its templates name their holes, and long functions
 * say why they are long.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const database = join(import.meta.dirname, '../../db')
const widest = 120
const longest = 80

/** The files that people write. schema.sql is generated. */
const files = globSync('**/*.sql', { cwd: database }).filter((file) => file !== 'schema.sql')
  .toSorted()
const linesOf = (file: string): string[] => readFileSync(join(database, file), 'utf8').split('\n')
/** Returns `db/<file>:<line>` of each line that breaks a rule. */
const findLines = (isBroken: (line: string, lines: string[], at: number) => boolean): string[] =>
  files.flatMap((file) =>
    linesOf(file).flatMap((line, at, lines) =>
      isBroken(line, lines, at) ? [`db/${file}:${at + 1}`] : []
    )
  )

test(`lines of SQL have at most ${widest} characters`, () => {
  expect(files.length).toBeGreaterThan(100)
  expect(findLines((line) => Array.from(line).length > widest)).toEqual([])
})

test('templates of SQL have names for their holes: private.fill() instead of the positions of format()', () => {
  expect(findLines((line) => /%\d+\$/.test(line))).toEqual([])
})

test(`functions of more than ${longest} lines have the reason above them`, () => {
  const isEnd = (line: string) =>
    line === '$$;' || line === 'end;' || line.startsWith('comment on function')
  expect(findLines((line, lines, at) => {
    if (!line.startsWith('create or replace function')) return false
    const length = lines.slice(at).findIndex(isEnd) + 1
    return length > longest && !lines[at - 1]?.startsWith(`-- Over ${longest} lines, because `)
  })).toEqual([])
})

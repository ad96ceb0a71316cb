/**
 * The parts of the evidence: five commits in a row test everything, and a change is tested at once
 * by the suites of its room.
 */
import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parts, rooms, rotation, suitesOf } from '../rotation.ts'

const all = parts.flat()
const names = parts.map((_, at) => `${at + 1}/${parts.length}`)

test('a rotating file exists and belongs to one part', () => {
  expect(all.filter((file) => globSync(file).length === 0)).toEqual([])
  expect(all.filter((file, at) => all.indexOf(file) !== at)).toEqual([])
})

test('the suites of each room exist', () => {
  expect(
    rooms.flatMap(([, suites]) => suites).filter((suite) =>
      globSync([`${suite}*`, `${suite}*/**`]).length === 0
    ),
  ).toEqual([])
  expect(rooms.filter(([room]) => globSync(`${room}*`).length === 0)).toEqual([])
})

test('five parts together leave out no file', () => {
  for (const file of all)
    expect([
      file,
      names.filter((name) => !rotation(name, []).leftOut.includes(file)).length,
    ]).toEqual([file, 1])
  expect(rotation('', []).leftOut).toEqual([])
})

test('a commit that changes a room tests its suites whole, in every part', () => {
  for (const name of names) {
    const { leftOut, selected } = rotation(name, ['README.md', 'db/transactions/tags.sql'])
    expect(leftOut.filter((file) => file.startsWith('tests/isolation/'))).toEqual([])
    expect(selected('tests/isolation/isolation.test.ts', [1, 2, 3, 4, 5, 6])).toHaveLength(6)
  }
})

test('a commit that changes one page of the app tests its stories whole, and those of other pages in parts', () => {
  expect(suitesOf(['app/src/pages/budgets/page.tsx'])).toEqual(['tests/browser/app-budgets'])
  expect(suitesOf(['app/src/shell/router.tsx'])).toEqual(['tests/browser/app-'])
})

test('a commit that changes a file of tests runs it, and the file still selects the cases of the part', () => {
  for (const name of names) {
    const { leftOut, selected } = rotation(name, [
      'tests/auth/oidc.test.ts',
      'tests/isolation/isolation.test.ts',
    ])
    expect(leftOut).not.toContain('tests/auth/oidc.test.ts')
    expect(selected('tests/isolation/isolation.test.ts', [1, 2, 3, 4, 5])).toHaveLength(1)
  }
})

test.each([1, 2, 4, 5, 6, 11])(
  'a group of %i similar cases: each part has at least one, and five parts have all',
  (size) => {
    const group = Array.from({ length: size }, (_, at) => at)
    const selections = names.map((name) =>
      rotation(name, []).selected('tests/isolation/isolation.test.ts', group)
    )
    expect(selections.filter((selection) => selection.length === 0)).toEqual([])
    expect([...new Set(selections.flat())].toSorted((a, b) => a - b)).toEqual(group)
  },
)

test.each(['6/5', '0/5', '1/4', '3', 'all'])(
  'PART=%s is refused with the parts that exist',
  (text) => {
    expect(() => rotation(text, [])).toThrow(`PART is ${text}, and must be 1/5 to 5/5.`)
  },
)

/** docs/accessibility.md has each criterion of WCAG 2.2 AA once, with a test that exists. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The criteria of WCAG 2.2 of the levels A and AA, by guideline. 4.1.1 was removed. */
const criteria: Record<string, number[]> = {
  '1.1': [1],
  '1.2': [1, 2, 3, 4, 5],
  '1.3': [1, 2, 3, 4, 5],
  '1.4': [1, 2, 3, 4, 5, 10, 11, 12, 13],
  '2.1': [1, 2, 4],
  '2.2': [1, 2],
  '2.3': [1],
  '2.4': [1, 2, 3, 4, 5, 6, 7, 11],
  '2.5': [1, 2, 3, 4, 7, 8],
  '3.1': [1, 2],
  '3.2': [1, 2, 3, 4, 6],
  '3.3': [1, 2, 3, 4, 7, 8],
  '4.1': [2, 3],
}

const rows = [
  ...read('docs/accessibility.md').matchAll(
    /^\| (\d\.\d\.\d+) ([^|]+) \| (A|AA) \| ([^|]+) \| ([^|]+) \|$/gm,
  ),
]
  .map(([, number = '', name = '', , how = '', evidence = '']) => ({ number, name, how, evidence }))

test('the page has each of the 55 criteria once, in their order', () => {
  const numbers = Object.entries(criteria).flatMap(([guideline, last]) =>
    last.map((number) => `${guideline}.${number}`)
  )
  expect(numbers.length).toBe(55)
  expect(rows.map(({ number }) => number)).toEqual(numbers)
})

test('each criterion names a test that exists, was read in the source, or is not applicable for a reason', () => {
  const wrong = rows.filter(({ how, evidence }) => {
    if (evidence === 'not applicable') return !how.startsWith('Not applicable: ')
    if (evidence === 'read in the source') return false
    const [file = '', title] = evidence.split(': ')
    return title !== undefined && !read(file).replaceAll("\\'", "'").includes(title) ||
      !/^tests\/\S+\.ts$/.test(file) || read(file) === ''
  })
  expect(wrong).toEqual([])
})

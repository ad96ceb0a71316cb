/**
 * The header lines of banks, cards and apps, each with an invented expense of 12.50 on 13 March
 * 2025 and an income of 1,200 on the next day. The reader returns these rows or asks; it never
 * returns other ones.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type PresetName, PRESETS, readStatement, StatementError } from '../../bank-files/index.ts'

type Layout = { name: string, asks: string | undefined, lines: string[] }

const folder = join(import.meta.dirname, 'layouts')

/** `## name | asks option`, then the lines of the file. */
const layouts = readdirSync(folder).flatMap((file) =>
  readFileSync(join(folder, file), 'utf8').split(/^## /m).slice(1).map((block): Layout => {
    const [title = '', ...lines] = block.trimEnd().split('\n')
    const [name = '', asks] = title.split(' | asks ')
    return { name, asks, lines }
  })
)

/** The days 13 and 14 in the notations of banks. */
const days = { 13: /(?<!\d)13(?!\d)|(?<=202503)13/g, 14: /(?<!\d)14(?!\d)|(?<=202503)14/g }

/** The rows of a file in the order of their days, or the options of its questions. */
function read(
  lines: string[],
): { rows: Array<[day: string, amount: number]>, names: string[] } | { asks: string[] } {
  try {
    const { rows, problems } = readStatement(lines.join('\n'))
    const asks = problems.flatMap(({ option }) => option === undefined ? [] : [option])
    if (asks.length > 0 && rows.length === 0) return { asks }
    const sorted = rows.toSorted((one, other) =>
      one.transaction_date < other.transaction_date ? -1 : 1
    )
    return {
      rows: sorted.map(({ transaction_date: day, amount }) => [day, amount]),
      names: sorted.map(({ name, description }) => `${name} ${description}`),
    }
  } catch (error) {
    if (error instanceof StatementError && error.lines.length > 0) return { asks: ['columns'] }
    throw error
  }
}

test.each(layouts)('$name', ({ asks, lines }) => {
  const whole = read(lines)
  if (asks === undefined) {
    expect(whole).toMatchObject({
      rows: [['2025-03-13', -12.5], ['2025-03-14', 1200]],
      names: [/muster/i, /muster/i].map((name) => expect.stringMatching(name)),
    })
  } else expect(whole).toEqual({ asks: [asks] })

  const ambiguous = read(lines.map((line) => line.replace(days[13], '04').replace(days[14], '05')))
  if ('rows' in ambiguous)
    expect(ambiguous.rows).toEqual([['2025-03-04', -12.5], ['2025-03-05', 1200]])
  // a file can have only expenses, or only income
  for (
    const [other, rows] of [[14, [['2025-03-13', -12.5]]], [13, [['2025-03-14', 1200]]]] as const
  ) {
    const half = read(
      lines.filter((line) => !/muster/i.test(line) || line.search(days[other]) === -1),
    )
    if ('rows' in half) expect(half.rows).toEqual(rows)
  }
})

test('the layouts of these tests are as many as the page of the client says, and each preset is among them', () => {
  const names = new Set(layouts.map(({ name }) => name))
  expect(names.size).toBe(layouts.length)
  const quiet = layouts.filter(({ asks }) => asks === undefined)
  expect(readFileSync(join(folder, '../../../client/README.md'), 'utf8')).toContain(
    `${layouts.length} layouts, of which ${quiet.length} need no question`,
  )
  const others = readdirSync(join(folder, '../files')).map((file) => file.replace(/\.csv$/, ''))
  const recognized = quiet.map(({ lines }) => readStatement(lines.join('\n')).preset)
  expect(
    (Object.keys(PRESETS) as PresetName[]).filter((preset) =>
      !recognized.includes(preset) && !others.includes(preset)
    ),
  ).toEqual([])
})

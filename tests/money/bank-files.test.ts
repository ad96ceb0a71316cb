/**
 * Random books, written as bank files in each layout and cut into overlapping files of whole days.
 * Imported in any order they are the same books, by account and day, exact to the cent. A failure
 * prints the seed and the smallest failing book.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  inParts,
  type PresetName,
  PRESETS,
  type Problem,
  type ReadOptions,
  readStatement,
  type Statement,
} from '../../bank-files/index.ts'
import { type Caller, dataStack, type DataStack } from '../support/data.ts'
import { plusDays } from './days.ts'
import {
  type BookRow,
  camt,
  type Dialect,
  generic,
  type Layout,
  ofPreset,
  ofx,
  qif,
  signs,
} from './layouts.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const accounts = ['NL02RABO0001234567', 'NL44RABO0007654321']
const firstDay = '2024-12-20'
const days = 24

const dialect: fc.Arbitrary<Dialect> = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  decimal: fc.constantFrom('.', ','),
  groups: fc.boolean(),
  dates: fc.constantFrom('iso', 'dots', 'dmy', 'mdy'),
  encoding: fc.constantFrom('utf-8', 'utf-16le', 'windows-1250', 'windows-1252'),
  newline: fc.constantFrom('\n', '\r\n'),
  preamble: fc.boolean(),
  isNewestFirst: fc.boolean(),
}, { noNullPrototype: true })

const layouts: fc.Arbitrary<Layout> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.constantFrom(...signs),
      fc.boolean(),
      fc.boolean(),
      fc.nat({ max: 5 }),
      dialect,
    ).map((all) => generic(...all)),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(...Object.keys(PRESETS) as PresetName[]), dialect)
      .map((all) => ofPreset(...all)),
  },
  { weight: 2, arbitrary: fc.constantFrom(ofx(false), ofx(true), qif(false), qif(true), camt) },
)

type Sketch = {
  layout: Layout
  rows: Array<{ account: number, day: number, cents: number, name: string, pendingUntil: number }>
  /** Starts and lengths of further files. The first file has all days. */
  cuts: Array<[from: number, length: number]>
  order: number[]
}

const sketch: fc.Arbitrary<Sketch> = fc.record({
  layout: layouts,
  rows: fc.array(
    fc.record({
      account: fc.nat({ max: 1 }),
      day: fc.nat({ max: days - 1 }),
      cents: fc.integer({ min: -250_000, max: 250_000 }).filter((cents) => cents !== 0),
      name: fc.constantFrom('Bäckerei Müller', 'Kiosk', 'Rent; "March"', 'Ann, Ben', 'Café'),
      pendingUntil: fc.constantFrom(0, 0, 0, 1, 2, 9),
    }, { noNullPrototype: true }),
    { minLength: 1, maxLength: 14 },
  ),
  cuts: fc.array(fc.tuple(fc.nat({ max: days - 1 }), fc.integer({ min: 1, max: days })), {
    maxLength: 3,
  }),
  order: fc.array(fc.nat({ max: 100 }), { minLength: 4, maxLength: 4 }),
}, { noNullPrototype: true })

/** Reads a file and answers each question as the owner of the book would. */
function readAsOwner(file: Uint8Array, { answers, name }: Layout): Statement {
  // A file with only refunds looks like purchases with another sign. The owner has answered this
  // for an earlier file.
  let options: ReadOptions = {
    ...answers.preset === undefined ? {} : { preset: answers.preset },
    ...answers.negate ? { negate: true } : {},
  }
  for (;;) {
    const statement = readStatement(file, options)
    const questions = statement.problems.flatMap(({ option }) =>
      option === undefined ? [] : [option]
    )
    if (questions.length === 0) return statement
    const open = questions
      .filter((
        option,
      ): option is Exclude<NonNullable<Problem['option']>, 'columns' | 'roundAmounts' | 'fee'> =>
        !(option in options)
      )
    expect(open, `${name} asks again: ${JSON.stringify(statement.problems)}`).not.toEqual([])
    options = { ...options, ...Object.fromEntries(open.map((option) => [option, answers[option]])) }
  }
}

async function importFile(
  caller: Caller,
  layout: Layout,
  file: Uint8Array,
  ids: Map<string, string>,
  only: string[],
): Promise<void> {
  const statement = readAsOwner(file, layout)
  expect(statement.problems, layout.name).toEqual([])
  const groups = statement.accounts.length > 0
    ? statement.accounts
    : [{ id: only[0]!, rows: statement.rows }]
  expect(groups.reduce((sum, { rows }) => sum + rows.length, 0)).toBe(statement.rows.length)
  for (const { id, rows } of groups) {
    for (const p_rows of inParts(rows)) {
      const { status, text } = await caller.post('/rpc/import_transactions', {
        p_rows,
        p_source: `${layout.name} ${id}`,
        p_account_id: ids.get(id),
        p_dry_run: false,
      })
      expect(status, text).toBe(200)
    }
  }
}

const sorted = (lines: unknown[][]) => lines.map((line) => line.join(' ')).toSorted()

async function compare({ layout, rows: sketched, cuts, order }: Sketch): Promise<void> {
  const caller = stack.as(await stack.person())
  const created = await caller.create(
    'accounts',
    accounts.map((name) => ({ name, type: 'checking', currency: layout.currency })),
  )
  const ids = new Map<string, string>(
    created.map(({ id, name }: { id: string, name: string }) => [name, id]),
  )
  const book = sketched.map(({ account, day, pendingUntil, ...row }, at) => ({
    ...row,
    account: accounts[account]!,
    day: plusDays(firstDay, day),
    pendingUntil: layout.hasStatus ? pendingUntil : 0,
    id: `${1_000_001 + at}`,
  }))
  // Each file is the state of the bank at a time.
  const times = [
    ...cuts.map(([from, length]) => [from, Math.min(days - 1, from + length)] as const),
    [0, days - 1] as const,
  ]
  const files = times.flatMap(([from, to], written) =>
    (layout.takesAll ? [accounts] : accounts.map((account) => [account])).map((fileAccounts) => {
      const rows = book.filter(({ account, day }) =>
        fileAccounts.includes(account) && day >= plusDays(firstDay, from) &&
        day <= plusDays(firstDay, to)
      )
        .map(({ pendingUntil, ...row }): BookRow => ({ ...row, pending: written < pendingUntil }))
      return {
        fileAccounts: fileAccounts.filter((account) => rows.some((row) => row.account === account)),
        rows,
        written,
      }
    })
  ).filter(({ rows }) => rows.length > 0)
  const shuffled = files.map((file, at) => ({ file, key: order[at % order.length]! }))
    .toSorted((one, other) => one.key - other.key).map(({ file }) => file)
  for (const { fileAccounts, rows } of shuffled)
    await importFile(caller, layout, layout.write(rows, fileAccounts), ids, fileAccounts)

  const expected = book.map((row) => {
    const isBooked = files.some(({ rows, written }) =>
      written >= row.pendingUntil && rows.some(({ id }) => id === row.id)
    )
    return [ids.get(row.account), row.day, row.cents, row.name, isBooked ? 'paid' : 'pending']
  })
  const { body } = await caller.get(
    '/transactions?select=account_id,transaction_date,amount,name,status',
  )
  const found = body.map((row: Record<string, any>) => [
    row['account_id'],
    row['transaction_date'].slice(0, 10),
    Math.round(row['amount'] * 100),
    row['name'],
    row['status'],
  ])
  expect(sorted(found), layout.name).toEqual(sorted(expected))
}

test('a random book, imported from overlapping files of any layout in any order, is the same book to the cent', async () => {
  await fc.assert(fc.asyncProperty(sketch, compare), {
    numRuns: Number(process.env['BOOKS'] ?? 80),
  })
})

test.each(Object.keys(PRESETS))(
  'a user who imports a random book in the layout of %s gets the same book',
  async (preset) => {
    const layout = dialect.map((one) => ofPreset(preset as PresetName, one))
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(sketch, layout).map(([one, chosen]) => ({ ...one, layout: chosen })),
        compare,
      ),
      { numRuns: 2 },
    )
  },
)

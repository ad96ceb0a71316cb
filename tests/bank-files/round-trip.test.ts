/** Round trip: random rows, written in the dialect of a random bank, are read as the same rows. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvHead, csvLine } from '../../client/export/transactions-csv.ts'
import { readStatement, type StatementRow } from '../../bank-files/index.ts'

const cents = fc.integer({ min: -99_999_999_999, max: 99_999_999_999 }).filter((amount) =>
  amount !== 0
)
const day = fc.date({
  min: new Date('1970-01-01'),
  max: new Date('2069-12-31'),
  noInvalidDate: true,
}).map((date) => date.toISOString().slice(0, 10))
const word = fc.string({
  unit: fc.constantFrom(...Array.from(`abzÄßé€"';,|\t\n0 1.-/`)),
  minLength: 1,
  maxLength: 12,
}).map((text) => `S${text.replace(/\s+/g, ' ').trim()}`)
const row = fc.record({ name: word, cents, day, description: fc.option(word, { nil: undefined }) })

const dialect = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  newline: fc.constantFrom('\n', '\r\n', '\r'),
  decimal: fc.constantFrom<'.' | ','>('.', ','),
  group: fc.constantFrom('', 'other', ' ', `'`),
  sign: fc.constantFrom('before', 'after', 'brackets', 'columns'),
  dates: fc.constantFrom('iso', 'dots', 'dmy', 'mdy'),
  encoding: fc.constantFrom('utf-8', 'utf-8 with its mark', 'utf-16le', 'windows-1252'),
  before: fc.integer({ min: 0, max: 5 }),
})
type Dialect = typeof dialect extends fc.Arbitrary<infer T> ? T : never

const dateIn = (text: string, dates: Dialect['dates']) => {
  const [y, m, d] = text.split('-')
  return {
    iso: text,
    dots: `${d}.${m}.${y}`,
    dmy: `${d}/${m}/${y}`,
    mdy: `${m}/${d}/${y}`,
  }[dates as 'iso']
}

function magnitude(amount: number, { decimal, group }: Dialect): string {
  const digits = String(Math.abs(amount)).padStart(3, '0')
  const separator = group === 'other' ? decimal === '.' ? ',' : '.' : group
  return digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, separator) + decimal + digits.slice(-2)
}

function amountsIn(amount: number, kind: Dialect): string[] {
  const text = magnitude(amount, kind)
  if (kind.sign === 'columns') return amount < 0 ? [text, ''] : ['', text]
  if (amount >= 0) return [text]
  return [{ before: `-${text}`, after: `${text}-`, brackets: `(${text})` }[kind.sign as 'before']]
}

/** Encodes the used letters in Windows-1252. */
const encoded = (text: string, encoding: string): Uint8Array => {
  if (encoding === 'utf-16le')
    return Uint8Array.from([
      0xff,
      0xfe,
      ...Array.from(text).flatMap((
        letter,
      ) => [letter.charCodeAt(0) & 0xff, letter.charCodeAt(0) >> 8]),
    ])
  if (encoding === 'windows-1252')
    return Uint8Array.from(text, (letter) => letter === '€' ? 0x80 : letter.charCodeAt(0))
  return new TextEncoder().encode(`${encoding === 'utf-8' ? '' : '\uFEFF'}${text}`)
}

function fileOf(
  rows: Array<{ name: string, cents: number, day: string, description: string | undefined }>,
  kind: Dialect,
): Uint8Array {
  const cell = (text: string) =>
    /["\n\r']/.test(text) || text.includes(kind.delimiter)
      ? `"${text.replaceAll('"', '""')}"`
      : text
  const header = [
    'Buchungstag',
    'Empfänger',
    ...kind.sign === 'columns' ? ['Soll', 'Haben'] : ['Betrag'],
    'Verwendungszweck',
  ]
  const lines = rows.map((one) => [
    dateIn(one.day, kind.dates),
    one.name,
    ...amountsIn(one.cents, kind),
    one.description ?? '',
  ])
  const preamble = Array.from(
    { length: kind.before },
    (_, index) => ['Kontoauszug', `Nr. ${index}`],
  )
  return encoded(
    [...preamble, header, ...lines].map((cells) => cells.map(cell).join(kind.delimiter)).join(
      kind.newline,
    ),
    kind.encoding,
  )
}

/** The options that random texts and signs of random amounts cannot determine. */
const answers = ({ encoding }: Dialect) => ({
  negate: false,
  ...encoding === 'windows-1252' ? { encoding } : {},
})

test('random rows, written to a file and read again, are the same rows', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), dialect, (rows, kind) => {
      const order = kind.dates === 'dmy' || kind.dates === 'mdy' ? { dateOrder: kind.dates } : {}
      const { rows: read, problems } = readStatement(fileOf(rows, kind), {
        ...order,
        ...answers(kind),
      })
      expect(problems).toEqual([])
      expect(read).toEqual(rows.map((one): StatementRow => ({
        name: one.name,
        amount: Number(`${one.cents}e-2`),
        transaction_date: one.day,
        ...one.description === undefined || one.description === one.name
          ? {}
          : { description: one.description },
      })))
    }),
    { numRuns: 60 },
  )
})

test('without an option for the order of days, the days are the same or a question', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 6 }), dialect, (rows, kind) => {
      const { rows: read, problems } = readStatement(fileOf(rows, kind), answers(kind))
      if (read.length === 0)
        expect(problems).toMatchObject([{ field: 'transaction_date', option: 'dateOrder' }])
      else expect(read.map(({ transaction_date }) => transaction_date)).toEqual(
          rows.map((one) => one.day),
        )
    }),
    { numRuns: 30 },
  )
})

/**
 * The name of the only transaction of an export, with its cell as a spreadsheet of another list
 * separator splits it.
 */
const exported = (name: string) =>
  csvLine(JSON.stringify({ name, amount: -1, status: 'paid', booked_on: '2025-01-03' }), new Map())

test('no cell of an exported text begins with a formula, with any list separator, and an import of the file has the same text', () => {
  const unit = fc.constantFrom(...Array.from(`ab;"'=+-@＝＋－＠\n\r\t ,`))
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 14 }), (text) => {
      const name = `S${text}`
      for (const one of [name, text]) {
        const cells = exported(one).split(/[;\t\r\n]/).slice(0, -2)
        for (const cell of cells.slice(1)) expect(cell).not.toMatch(/^["\s]*[=+\-@＝＋－＠]/)
      }
      const [read] = readStatement(`${csvHead}${exported(name)}`).rows
      expect(read?.description ?? read?.name).toBe(name.replace(/\s+/g, ' ').trim())
    }),
    { numRuns: 300 },
  )
})

test.each([
  '=1+1',
  '＝1+1',
  'a;=cmd',
  'a;"=cmd',
  'a\n＋1',
  '-5',
  '@x',
  "'=1",
  "a;'-b",
  '\t=1',
  '+49 30 1234',
])(
  'the exported text %j is guarded, and its import has it again',
  (text) => {
    expect(exported(text)).toContain("'")
    expect(readStatement(`${csvHead}${exported(text)}`).rows[0]?.name).toBe(
      text.replace(/\s+/g, ' ').trim(),
    )
  },
)

/**
 * CSV files of banks without a preset: unambiguous properties are detected, and the others are
 * reported as questions.
 */
import { expect, test } from 'vitest'
import {
  inParts,
  readStatement,
  StatementError,
  type StatementRow,
} from '../../bank-files/index.ts'
import { briefly, bytesOf } from './files.ts'

const amounts = (...texts: string[]) =>
  `Date;Name;Amount\n${texts.map((text) => `2025-01-03;Shop;"${text}"`).join('\n')}`
const days = (...texts: string[]) =>
  `Date,Name,Amount\n${texts.map((text) => `"${text}",Shop,-1.50`).join('\n')}`

test('a file with lines before the header, ISO-8859-1, two columns of amounts and apostrophes is read', () => {
  const { encoding, rows } = readStatement(bytesOf('swiss-columns.csv'))
  expect(encoding).toBe('windows-1252')
  expect(rows).toEqual([
    {
      name: 'Miete',
      amount: -1450,
      transaction_date: '2025-04-03',
      currency: 'chf',
      external_id: '9930001TI1',
    },
    {
      name: 'Lohn',
      amount: 6200,
      transaction_date: '2025-04-04',
      currency: 'chf',
      external_id: '9930002TI1',
    },
  ])
})

test('a file in UTF-16 with tabs and positive amounts in the debit column is read', () => {
  const { encoding, rows } = readStatement(bytesOf('french-utf16.csv'), { currency: 'EUR' })
  expect(encoding).toBe('utf-16le')
  expect(briefly(rows)).toEqual([['2025-03-14', -4.1, 'eur', 'Boulangerie Éclair'], [
    '2025-03-15',
    2310.55,
    'eur',
    'Salaire',
  ]])
  const withoutMark = bytesOf('french-utf16.csv').subarray(2)
  expect(readStatement(withoutMark)).toMatchObject({
    encoding: 'utf-16le',
    rows: [{ name: 'Boulangerie Éclair' }, {}],
  })
})

test('a file in UTF-8 with a byte order mark, in an ArrayBuffer, is read', () => {
  const bytes = new TextEncoder().encode('\uFEFFDate,Name,Amount\n2025-01-03,Café,-1.50')
  expect(readStatement(bytes.buffer)).toMatchObject({ encoding: 'utf-8', rows: [{ name: 'Café' }] })
})

test('a file whose letters and accents are separate characters is read in NFC, as the files of other programs', () => {
  expect(readStatement('Date,Name,Amount\n2025-01-03,Cafe\u0301,-1.50')).toMatchObject({
    rows: [{ name: 'Caf\u00e9' }],
  })
})

test.each<[string[], number[]]>([
  [['1.234,56', '-0,05'], [1234.56, -0.05]],
  [['1,234.56', '-.05'], [1234.56, -0.05]],
  [['1 234,56', '1\u00a0234\u202f567,00', '-7'], [1234.56, 1234567, -7]],
  [[`1'234.56`, '-1’000.5'], [1234.56, -1000.5]],
  [['12,50-', '12,50 +', '−3,20'], [-12.5, 12.5, -3.2]],
  [['(1,234.56)', '$5.00', '-$5.00', '$-5.00', '($5.00)'], [-1234.56, 5, -5, -5, -5]],
  [['€ -5,10', '5,10 €', 'CHF 1.234,00', '12 kr'], [-5.1, 5.1, 1234, 12]],
  [['12,50 S', '12,50 H', '8.10 DR'], []],
  [['12,50 S', '12,50 H', '8,10 CR'], [-12.5, 12.5, 8.1]],
  [['12,-', '3,50'], [12, 3.5]],
  [[
    '12,- €',
    '1.234,- EUR',
    '50,- Kč',
    '100,-kr',
    '12,-€',
    '12,– €',
    '12,-- €',
    '€ 12,-',
    '-12,- €',
    '12,-€-',
    '(12,- €)',
  ], [
    12,
    1234,
    50,
    100,
    12,
    12,
    12,
    12,
    -12,
    -12,
    -12,
  ]],
  [[
    '12.- CHF',
    `1'234.- CHF`,
    'CHF 12.-',
    'Fr. 12.—',
    '12.--',
    '-12.- CHF',
    '12.50-',
    '12.50- CHF',
  ], [12, 1234, 12, 12, 12, -12, -12.5, -12.5]],
  [['12:-', '12:- kr', '1 200:-', 'Rs 500/-', '12,50'], [12, 12, 1200, 500, 12.5]],
  [['$.50', 'CHF.50', 'Rs.500', '(€5.25)', '€(5.25)', '-(5.25)'], []],
  [['$.50', 'CHF.50', 'Rs.500', '(€5.25)', '€(5.25)'], [0.5, 0.5, 500, -5.25, -5.25]],
  [[
    'KSh 1,200.00',
    'S/. 12.50',
    'S/12.50',
    '12.50 Lei',
    '₹1,200.00',
    '₱12',
    'RM12.50',
    'R 12.50',
    'Rs. 12.50',
    '₺12',
    '12 din',
    'KM 12.50',
    '12.50 eur',
  ], [
    1200,
    12.5,
    12.5,
    12.5,
    1200,
    12,
    12.5,
    12.5,
    12.5,
    12,
    12,
    12.5,
    12.5,
  ]],
  [[
    'Rp12.000,00',
    '12,50 лв',
    '12,50 руб.',
    '12,50 zł',
    '12 Ft',
    '₴12',
    '12 ден',
    'R$ 12,50',
    '₫12',
    'F CFA 1.200',
  ], [
    12000,
    12.5,
    12.5,
    12.5,
    12,
    12,
    12,
    12.5,
    12,
    1200,
  ]],
  [['12.50 D', '12.50 C', '12.50 Dr.', '12.50 Cr', '12.50 USD', '12.50 € S', '12.50 EUR H'], [
    -12.5,
    12.5,
    -12.5,
    12.5,
    12.5,
    -12.5,
    12.5,
  ]],
  [['DR 12.50', 'CR12.50', 'Dr. 12.50', '12.50 Haben', '12.50 debit'], [
    -12.5,
    12.5,
    -12.5,
    12.5,
    -12.5,
  ]],
  // millions are not read
  [['12 M'], []],
  [['12,34,567.89'], [1234567.89]],
  [['1.234.567', '1,5'], [1234567, 1.5]],
  [['0.10', '0.20', '4.35', '1.005000'], []],
  [['0.10', '0.20', '4.35', '1.1500'], [0.1, 0.2, 4.35, 1.15]],
])('amounts %j are read as %j', (texts, wanted) => {
  const { rows, problems } = readStatement(amounts(...texts), { negate: false, currency: 'eur' })
  // Each list is read completely, or has a problem.
  expect(wanted.length === 0 ? problems.length : rows.map(({ amount }) => amount)).toEqual(
    wanted.length === 0 ? 1 : wanted,
  )
})

test('an ambiguous amount is a question, and the option decides', () => {
  const file = amounts('1,234', '567')
  expect(readStatement(file)).toMatchObject({
    rows: [],
    problems: [{
      line: 2,
      field: 'amount',
      option: 'decimal',
      unclear: ['1,234'],
      message:
        '"1,234" can be read in several ways, and nothing in the file decides which is right. Specify one: decimal "." or ",".',
    }],
  })
  expect(readStatement(file, { decimal: '.', negate: false }).rows.map(({ amount }) => amount))
    .toEqual([1234, 567])
  expect(readStatement(file, { decimal: ',', negate: false })).toMatchObject({
    rows: [{ amount: 567 }],
    problems: [{
      line: 2,
      option: 'roundAmounts',
      message: expect.stringContaining('"1,234" has too many decimals.'),
    }],
  })
  // One unambiguous amount decides for all.
  expect(
    readStatement(amounts('1,234', '5.67'), { negate: false }).rows.map(({ amount }) => amount),
  ).toEqual([1234, 5.67])
  expect(readStatement(amounts('12,34', '5.67'))).toMatchObject({
    rows: [],
    problems: [{ option: 'decimal', message: expect.stringContaining('"12,34" and "5.67"') }],
  })
})

test.each<[string[], string[]]>([
  [
    ['2025-01-03', '2025-01-03 18:22:01', '2025-01-03T18:22:01+01:00', '2025/1/3', '20250103'],
    Array.from({ length: 5 }, () => '2025-01-03'),
  ],
  [['03.01.2025', '3.1.25', '03.01.2025 18:22'], ['2025-01-03', '2025-01-03', '2025-01-03']],
  [['03/01/2025', '13/01/2025'], ['2025-01-03', '2025-01-13']],
  [['01/03/2025', '01/13/2025'], ['2025-01-03', '2025-01-13']],
  [['3 Jan 2025', '03-Jan-25', 'January 3, 2025', 'Jan 3, 2025'], [
    '2025-01-03',
    '2025-01-03',
    '2025-01-03',
    '2025-01-03',
  ]],
  [['13. Mai 2026', '14-Dez-2026', '15 Okt 2026', '16. März 2026', '17 Mrz 26', '18.Jän.2026'], [
    '2026-05-13',
    '2026-12-14',
    '2026-10-15',
    '2026-03-16',
    '2026-03-17',
    '2026-01-18',
  ]],
  [[
    '3 août 2026',
    '1er mars 2026',
    '4 juil. 2026',
    '5 févr. 2026',
    '3 de agosto de 2026',
    '13-ene-2026',
    '14 dic 2026',
  ], [
    '2026-08-03',
    '2026-03-01',
    '2026-07-04',
    '2026-02-05',
    '2026-08-03',
    '2026-01-13',
    '2026-12-14',
  ]],
  [[
    '5 gen 2026',
    '6 ott 2026',
    '7 mag. 26',
    '13 mrt. 2026',
    '14 mei 2026',
    '1.º de maio de 2026',
    '2 out 2026',
    '3 dez 2026',
  ], [
    '2026-01-05',
    '2026-10-06',
    '2026-05-07',
    '2026-03-13',
    '2026-05-14',
    '2026-05-01',
    '2026-10-02',
    '2026-12-03',
  ]],
  [[
    '15 мая 2026',
    '2026. május 13.',
    '2026-Mar-13',
    'Mai 13, 2026',
    '3rd March 2026',
    "13 Mar '25",
  ], [
    '2026-05-15',
    '2026-05-13',
    '2026-03-13',
    '2026-05-13',
    '2026-03-03',
    '2025-03-13',
  ]],
  // Both readings are the same day.
  [['01/01/2025', '05-05-2025'], ['2025-01-01', '2025-05-05']],
  [['29/02/2024'], ['2024-02-29']],
])('days %j are read as %j', (texts, wanted) => {
  const { rows, problems } = readStatement(days(...texts))
  expect([rows.map(({ transaction_date }) => transaction_date), problems]).toEqual([wanted, []])
})

test('a month that two languages use for different months is no date', () => {
  // the Polish November and the Croatian October
  expect(readStatement(days('13 lis 2026', '14 Mai 2026'))).toMatchObject({
    rows: [{ transaction_date: '2026-05-14' }],
    problems: [{ line: 2 }],
  })
})

test('amounts of a currency without decimals have groups, by its column, the option, the header or its sign', () => {
  const yen = (currency: string, amount = '-1,200') =>
    `Date,Name,Amount,Currency\n2025-01-03,Shop,"${amount}",${currency}`
  const read = (file: string, options = {}) =>
    readStatement(file, options).rows.map(({ amount }) => amount)
  expect([read(yen('JPY')), read(yen('KRW', '-1.200')), read(yen('XOF', '-1,200,300'))]).toEqual([
    [-1200],
    [-1200],
    [-1_200_300],
  ])
  expect(readStatement(yen('EUR')).problems).toMatchObject([{ option: 'decimal' }])
  expect(read('Date,Name,Amount\n2025-01-03,Shop,"-1,200"', { currency: 'clp' })).toEqual([-1200])
  expect(read('Date,Name,Amount (JPY)\n2025-01-03,Shop,"-1,200"')).toEqual([-1200])
  expect(read('Date,Name,Amount\n2025-01-03,Shop,"-₩1,200"')).toEqual([-1200])
})

test('an ambiguous day is a question, and the option decides', () => {
  const file = days('03/04/2025', '05/04/2025')
  expect(readStatement(file)).toMatchObject({
    rows: [],
    problems: [{
      line: 2,
      field: 'transaction_date',
      option: 'dateOrder',
      message:
        '"03/04/2025" can be read in several ways, and nothing in the file decides which is right. Specify one: dateOrder "dmy" (day first) or "mdy" (month first).',
    }],
  })
  expect(readStatement(file, { dateOrder: 'dmy' }).rows[0]?.transaction_date).toBe('2025-04-03')
  expect(readStatement(file, { dateOrder: 'mdy' }).rows[0]?.transaction_date).toBe('2025-03-04')
  expect(readStatement(days('25/03/04'), { dateOrder: 'ymd' }).rows[0]?.transaction_date).toBe(
    '2025-03-04',
  )
  expect(readStatement(days('13/04/2025', '04/13/2025'))).toMatchObject({
    rows: [],
    problems: [{ message: expect.stringContaining('"13/04/2025" and "04/13/2025"') }],
  })
})

test('an invalid line is reported with line and field, and the other lines are read', () => {
  const file = [
    'Date,Name,Amount,Currency',
    '2025-02-30,Shop,-1.00,EUR',
    '2025-02-03,Shop,free,EUR',
    '2025-02-03,,-2.00,EUR',
    '2025-02-03,"Two',
    'lines",-3.00,EUR',
    '2025-02-03,Shop,,EUR',
    '2025-02-03,Shop,-4.00,Euros',
    '2025-02-03,Shop,1000000000000.00,EUR',
    'Total,,,',
  ]
  // An invalid currency does not fall back to the one in the options.
  const { rows, problems } = readStatement(file.join('\n'), { currency: 'usd' })
  expect(briefly(rows)).toEqual([['2025-02-03', -2, 'eur', 'Unnamed'], [
    '2025-02-03',
    -3,
    'eur',
    'Two lines',
  ], ['2025-02-03', -4, undefined, 'Shop']])
  expect(problems).toEqual([
    { line: 2, field: 'transaction_date', message: '"2025-02-30" is not a date.' },
    { line: 3, field: 'amount', message: '"free" is not an amount.' },
    {
      line: 4,
      row: 1,
      field: 'name',
      message: 'This row has neither a name nor a description, so it was named "Unnamed".',
    },
    { line: 7, field: 'amount', message: 'The amount is missing.' },
    { line: 8, row: 3, field: 'currency', message: `"Euros" is not a currency code.` },
    { line: 9, field: 'amount', message: '"1000000000000.00" is too large.' },
    { line: 10, message: 'This line has neither a date nor an amount and was skipped.' },
  ])
})

test('a file with unknown columns returns them, and a file that is read returns its header', () => {
  const unknown = 'Konto 1\nZeitpunkt;Wofür;Wieviel\n03.01.2025;Brot;-3,20\n04.01.2025;Milch;-1,10'
  let problem: unknown
  try {
    readStatement(unknown)
  } catch (error) {
    problem = error
  }
  expect(problem).toBeInstanceOf(StatementError)
  expect((problem as StatementError).lines).toEqual([['Zeitpunkt', 'Wofür', 'Wieviel'], [
    '03.01.2025',
    'Brot',
    '-3,20',
  ], ['04.01.2025', 'Milch', '-1,10']])
  const columns = { date: 'Zeitpunkt', name: 'Wofür', amount: 'Wieviel' }
  expect(readStatement(unknown, { columns }).header).toEqual(['Zeitpunkt', 'Wofür', 'Wieviel'])
  expect(readStatement(bytesOf('wells-fargo.csv'), { preset: 'wells-fargo' }).header).toEqual([])
})

test('a user maps columns by name or by position', () => {
  const named = 'Zeitpunkt;Wofür;Wieviel\n03.01.2025;Brot;-3,20'
  expect(() => readStatement(named)).toThrow(
    'No line names the columns of a statement (date, amount and name). Specify them with `columns`. Its widest line has: Zeitpunkt, Wofür, Wieviel.',
  )
  expect(
    briefly(
      readStatement(named, { columns: { date: 'zeitpunkt', name: 'Wofür', amount: 'Wieviel' } })
        .rows,
    ),
  ).toEqual([[
    '2025-01-03',
    -3.2,
    undefined,
    'Brot',
  ]])
  expect(() => readStatement(named, { columns: { date: 'Tag', amount: 'Wieviel' } })).toThrow(
    'No line of the file has all of these columns: Tag, Wieviel.',
  )
  const bare = 'Statement of Ann\n03.01.2025|Brot|-3,20\n04.01.2025|Milch|-1,10'
  expect(briefly(readStatement(bare, { columns: { date: 0, name: 1, amount: 2 } }).rows)).toEqual([
    ['2025-01-03', -3.2, undefined, 'Brot'],
    ['2025-01-04', -1.1, undefined, 'Milch'],
  ])
})

test('a column gives the direction, or the user says that positive amounts are expenses', () => {
  const file =
    'Date,Name,Amount,Direction\n2025-01-03,Shop,3.00,Debit\n2025-01-03,Ann,3.00,CREDIT\n2025-01-03,Ben,3.00,sideways'
  expect(readStatement(file)).toMatchObject({
    rows: [],
    problems: [{ line: 4, field: 'amount', option: 'directions', unclear: ['sideways'] }],
  })
  expect(readStatement(file, { directions: { Sideways: 'out' } }).rows.map(({ amount }) => amount))
    .toEqual([-3, 3, -3])
  expect(
    readStatement('Date,Name,Amount\n2025-01-03,Shop,3.10\n2025-01-03,Paid,-9.00', { negate: true })
      .rows.map(({ amount }) => amount),
  ).toEqual([-3.1, 9])
})

test("Excel's sep= line, a unit in the header, and the same purchase twice on one day are read", () => {
  const { rows } = readStatement(
    'sep=|\nBooking date|Payee|Amount (EUR)\n2025-01-03|Kiosk|-1.20\n2025-01-03|Kiosk|-1.20',
  )
  expect(rows).toEqual(
    Array.from(
      { length: 2 },
      () => ({ name: 'Kiosk', amount: -1.2, transaction_date: '2025-01-03', currency: 'eur' }),
    ),
  )
})

test('a text that is too long for the table is cut, and the description has the full name', () => {
  const long = 'Bäckerei 🥐'.repeat(40)
  const [row] = readStatement(`Date,Name,Amount\n2025-01-03,${long},-1.00`).rows
  expect(Array.from(row?.name ?? '')).toHaveLength(255)
  expect(row?.description).toBe(long)
})

test('a long file is split for import_transactions, and never within a day', () => {
  const rows = ['2025-01-01', '2025-01-02', '2025-01-02', '2025-01-03']
    .map((transaction_date): StatementRow => ({
      name: 'Kiosk',
      amount: -1,
      transaction_date,
    }))
  expect(inParts(rows, 2).map((part) => part.map(({ transaction_date }) => transaction_date)))
    .toEqual([['2025-01-01'], ['2025-01-02', '2025-01-02'], [
      '2025-01-03',
    ]])
  expect(inParts(rows)).toEqual([rows])
  // a statement without rows can have a balance
  expect(inParts([])).toEqual([[]])
  expect(() => inParts(rows, 1)).toThrow('2025-01-02 has more than 1 transactions.')
})

const lines = [
  '2025-01-03;Shop;-3,50;96,50',
  '2025-01-04;Ann;20,00;116,50',
  '2025-01-06;Bar;-4,50;112,00',
  '2025-01-06;Tram;-2,00;110,00',
]

test('running balances that the amounts prove are the closing balance of the last day before the newest', () => {
  const balance = { amount: 116.5, on: '2025-01-04' }
  for (const ordered of [lines, lines.toReversed()]) {
    const { balance: found, accounts } = readStatement(
      `Datum;Name;Betrag;Saldo\n${ordered.join('\n')}`,
    )
    expect([found, accounts]).toEqual([balance, []])
    const named = readStatement(
      `Datum;Name;Betrag;Saldo;Konto\n${
        ordered.map((line) => `${line};DE02120300000000202051`).join('\n')
      }`,
      { account: 'Konto' },
    )
    expect(named).not.toHaveProperty('balance')
    expect(named.accounts).toMatchObject([{ id: 'DE02120300000000202051', balance }])
  }
})

test.each([
  ['a row is missing', lines.filter((_, index) => index !== 1)],
  ['all rows are of one day', lines.map((line) => line.replace(/2025-01-0\d/, '2025-01-03'))],
  ['there are only two rows', lines.slice(0, 2)],
  ['both orders add up', [
    '2025-01-03;A;-2,00;98,00',
    '2025-01-03;B;2,00;100,00',
    '2025-01-03;C;-2,00;98,00',
    '2025-01-03;D;2,00;100,00',
  ]],
])('a file has no closing balance if %s', (_, some) => {
  const { balance, rows } = readStatement(`Datum;Name;Betrag;Saldo\n${some.join('\n')}`)
  expect([balance, rows.length]).toEqual([undefined, some.length])
})

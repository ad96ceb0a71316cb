/**
 * A file proves a sign, a date or an account, or Ann is asked or told. Each case is a file of a few
 * lines.
 */
import { afterEach, expect, test, vi } from 'vitest'
import { readAppExport, readStatement } from '../../bank-files/index.ts'
import {
  accountsOf,
  amounts,
  archive,
  camt,
  camtFile,
  csv,
  type Line,
  messagesOf,
  mt940,
  ofx,
  ofxFile,
} from './statement-files.ts'

/** Returns a statement of OFX with an amount per type. */
const typed = (...rows: Array<[type: string, amount: string]>) =>
  ofx(
    {},
    ...rows.map((
      [type, amount],
      at,
    ): Line => ['2026-03-01', amount, `<TRNTYPE>${type}<FITID>${at + 1}`]),
  )

test('OFX without signs has those of its types, and a type of either direction is a question', () => {
  expect(amounts(readStatement(ofxFile(typed(['DEBIT', '52.10'], ['CREDIT', '3000']))))).toEqual([
    -52.1,
    3000,
  ])
  expect(amounts(readStatement(ofxFile(typed(['DEBIT', '52.10']), typed(['DEP', '7']))))).toEqual([
    -52.1,
    7,
  ])
  const file = ofxFile(
    typed(['CHECK', '52.10'], ['CREDIT', '3000'], ['POS', '4'], ['OTHER', '0.00'], ['XFER', '5']),
  )
  expect(readStatement(file)).toMatchObject({
    rows: [],
    problems: [{ line: 6, field: 'amount', option: 'directions', unclear: ['POS', 'XFER'] }],
  })
  expect(amounts(readStatement(file, { directions: { POS: 'out', XFER: 'sign' } }))).toEqual([
    -52.1,
    3000,
    -4,
    5,
  ])
  expect(readStatement(file, { directions: { POS: 'out' } }).problems).toMatchObject([{
    option: 'directions',
    unclear: ['XFER'],
  }])
  expect(
    amounts(
      readStatement(archive(file, ofxFile(typed(['POS', '-1']))), {
        directions: { POS: 'out', XFER: 'in' },
      }),
    ),
  ).toEqual([-52.1, 3000, -4, 5, -1])
})

test('OFX with signs keeps them, also of a refund with the type DEBIT, and signs that contradict the types are a question', () => {
  expect(
    amounts(readStatement(ofxFile(typed(['DEBIT', '-52.10'], ['CREDIT', '3000'], ['DEBIT', '5'])))),
  ).toEqual([-52.1, 3000, 5])
  const inverted = ofxFile(
    typed(['DEBIT', '52.10'], ['DEBIT', '1'], ['CREDIT', '-3000'], ['DEBIT', '-5']),
  )
  expect(readStatement(inverted)).toMatchObject({
    rows: [],
    problems: [{ option: 'negate', unclear: ['52.10 Kiosk'] }],
  })
  expect(amounts(readStatement(inverted, { negate: true }))).toEqual([-52.1, -1, 3000, 5])
  const card = ofxFile(
    typed(['DEBIT', '-52.10'], ['CREDIT', '7']),
    typed(['DEBIT', '9'], ['CREDIT', '-8']),
  )
  expect(readStatement(card)).toMatchObject({
    rows: [],
    problems: [{ line: 8, option: 'directions', unclear: ['DEBIT', 'CREDIT'] }],
  })
  expect(amounts(readStatement(card, { directions: { DEBIT: 'out', CREDIT: 'in' } }))).toEqual([
    -52.1,
    7,
    -9,
    8,
  ])
})

test('an amount or a balance with more decimals than its currency is a question or a problem, also after a conversion', () => {
  const yen = (amount: string, more = '') =>
    ofxFile(
      ofx({ currency: 'JPY', closing: ['2026-03-02', '1200.50'] }, ['2026-03-01', amount, more]),
    )
  const read = readStatement(yen('-35.01', '<CURRENCY><CURRATE>150.5<CURSYM>USD</CURRENCY>'))
  expect([amounts(read), messagesOf(read).map(([, , message]) => message)]).toEqual([[-5269], [
    '"-35.01 USD" at the rate 150.5 was rounded to -5269.',
    'The closing balance "1200.50" has too many decimals, so it was rounded to 1201.',
  ]])
  expect(readStatement(yen('-35.51')).problems[0]).toMatchObject({
    option: 'roundAmounts',
    unclear: ['-35.51'],
  })
  expect(amounts(readStatement(yen('-35.50'), { roundAmounts: true }))).toEqual([-36])
  expect(
    readStatement(
      csv('Date,Name,Amount,Currency', '2026-03-01,Shop,-1200.00,JPY', '2026-03-02,Bar,-3.5,JPY'),
    ).problems,
  ).toMatchObject([
    { line: 3, option: 'roundAmounts' },
  ])
  const dinar = ofxFile(
    ofx({ currency: 'KWD', closing: ['2026-03-02', '12.345'] }, ['2026-03-01', '-1.250']),
  )
  expect([
    amounts(readStatement(dinar)),
    messagesOf(readStatement(dinar)).map(([, , message]) => message),
  ]).toEqual([[-1.25], [
    'The closing balance "12.345" has too many decimals, so it was rounded to 12.35.',
  ]])
  const parts = ['1.234', '-2.345'].map((amount) =>
    `<TxDtls><Amt Ccy="KWD">${amount.replace('-', '')}</Amt><CdtDbtInd>${
      amount.startsWith('-') ? 'DBIT' : 'CRDT'
    }</CdtDbtInd></TxDtls>`
  )
  const batch = camtFile(camt({ currency: 'KWD' }, ['2026-03-01', '-1.111'])).replace(
    '<AddtlNtryInf>',
    `<NtryDtls>${parts.join('')}</NtryDtls><AddtlNtryInf>`,
  )
  expect(amounts(readStatement(batch, { roundAmounts: true }))).toEqual([1.23, -2.35])
})

afterEach(() => {
  vi.useRealTimers()
})

const series = (pattern: (at: number) => string, length: number) =>
  Array.from({ length }, (_, at) => pattern(at))
const two = (number: number) => String(number % 100).padStart(2, '0')

test.each<[string, string[], string | undefined]>([
  ['a month of days', ['01.03.25', '09.03.25', '15.03.25', '31.03.25'], '2025-03-01'],
  [
    'a month of days, with the year first',
    ['26/02/01', '26/02/09', '26/02/15', '26/02/28'],
    '2026-02-01',
  ],
  ['the newest day first', ['15.03.25', '09.03.25', '02.03.25', '28.02.25'], '2025-03-15'],
  ['the turn of a year', ['28.12.24', '30.12.24', '02.01.25', '03.01.25'], '2024-12-28'],
  ['half a month, which can be years', ['01.03.25', '05.03.25', '09.03.25', '15.03.25'], undefined],
  ['few days, which can be years of the past', ['20.02.25', '02.03.25', '11.03.25'], undefined],
  [
    'few days, which would be years of the future',
    ['28.02.25', '02.03.25', '31.03.25'],
    '2025-02-28',
  ],
  ['one day, which would be years ahead with the year first', ['31.01.26'], '2026-01-31'],
  ['one day, which would be less than a year ahead', ['27.11.25'], undefined],
  ['a row on the same day of each month', series((at) => `12.${two(at + 1)}.24`, 12), undefined],
  ['interest of twenty years', series((at) => `20.12.${two(at + 5)}`, 20), undefined],
  [
    'interest at the end of each year, which would be years ahead',
    series((at) => `31.12.${two(at + 5)}`, 20),
    '2005-12-31',
  ],
  [
    'payments that are planned for seven years',
    series((at) => `26.12.${two(at + 25)}`, 7),
    undefined,
  ],
  [
    'days that are not sorted, which can be years',
    ['02.03.25', '20.02.25', '15.03.25', '09.03.25'],
    undefined,
  ],
  ['days and months that are both possible', [
    '03/04/25',
    '05/04/25',
    '07/04/25',
    '09/04/25',
    '11/04/25',
  ], undefined],
])('dates with a two-digit year: %s', (_, days, first) => {
  vi.useFakeTimers({ now: Date.parse('2026-11-29') })
  const { rows, problems } = readStatement(
    csv('Date,Name,Amount', ...days.map((day) => `${day},Shop,-1.50`)),
  )
  if (first === undefined)
    expect([rows, problems.map(({ option }) => option)]).toEqual([[], ['dateOrder']])
  else expect([rows[0]?.transaction_date, rows.length, problems]).toEqual([first, days.length, []])
})

test('a pending row may lie years ahead, so it proves no order of dates', () => {
  vi.useFakeTimers({ now: Date.parse('2026-11-29') })
  const file = (status: string) =>
    csv('Date,Name,Amount,Status', '20.01.25,Shop,-1.50,Posted', `31.01.25,Ann,-2.00,${status}`)
  expect(readStatement(file('Posted')).rows.map(({ transaction_date }) => transaction_date))
    .toEqual(['2025-01-20', '2025-01-31'])
  expect(readStatement(file('Pending'))).toMatchObject({
    rows: [],
    problems: [{ option: 'dateOrder', choices: [{ value: 'dmy' }, { value: 'ymd' }] }],
  })
})

test('the products of Revolut are accounts of their own, and one product is no account', () => {
  const file = (product: string) =>
    csv(
      'Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance',
      'CARD_PAYMENT,Current,2025-03-01 10:00:00,2025-03-02 10:00:00,Shop,-12.50,0.00,EUR,COMPLETED,87.50',
      `INTEREST,${product},2025-03-03 10:00:00,2025-03-03 10:00:00,Interest,0.02,0.00,EUR,COMPLETED,500.02`,
    )
  expect(
    readStatement(file('Savings')).accounts.map(({ id, rows }) => [
      id,
      rows.map(({ amount }) => amount),
    ]),
  ).toEqual([['Current', [-12.5]], ['Savings', [
    0.02,
  ]]])
  expect(readStatement(file('Current')).accounts).toEqual([])
})

test('an OFX account with and without its type or its bank is one account, unless two accounts have the number', () => {
  const [plain, checking, savings] = [
    ofx({ closing: ['2026-03-02', '50.00'] }, ['2026-03-02', '-1.00', '<FITID>2']).replace(
      /<ACCTTYPE>\w+/,
      '',
    ),
  ].concat(
    ['CHECKING', 'SAVINGS'].map((type) =>
      ofx({ type, closing: ['2026-03-01', '80.00'] }, ['2026-03-01', '-20.00', '<FITID>1'])
    ),
  ) as [string, string, string]
  expect(accountsOf(readStatement(archive(ofxFile(checking), ofxFile(plain))))).toEqual([[
    'CHECKING',
    50,
    '03-02',
    -20,
    -1,
  ]])
  expect(
    accountsOf(readStatement(archive(ofxFile(plain.replace('<BANKID>1', '')), ofxFile(checking)))),
  ).toEqual([['CHECKING', 50, '03-02', -1, -20]])
  expect(accountsOf(readStatement(ofxFile(checking, savings, plain)))).toHaveLength(3)
})

test('a starting balance of YNAB or Actual is no income, and that of the account in the export of the app', () => {
  const file = csv(
    'Account,Flag,Date,Payee,Category Group/Category,Category Group,Category,Memo,Outflow,Inflow,Cleared',
    'Checking,,03/14/2025,Shop,,,,,$2.00,$0.00,Cleared',
    'Checking,,03/01/2025,Starting Balance,,,,,$0.00,$500.00,Cleared',
  )
  const statement = readStatement(file)
  expect([amounts(statement), statement.problems.map(({ line }) => line)]).toEqual([[-2], [3]])
  expect(readAppExport(file)).toMatchObject({
    accounts: [{ name: 'Checking', opening: 500 }],
    transactions: [{ row: { amount: -2 } }],
  })
})

test('splits of YNAB 4 are line items of one transaction', () => {
  const { transactions } = readAppExport(csv(
    'Account,Flag,Check Number,Date,Payee,Category,Master Category,Sub Category,Memo,Outflow,Inflow,Cleared,Running Balance',
    'Checking,,,03/13/2025,Shop,Fun: Travel,Fun,Travel,(Split 1/2) Ticket,30.00,0,C,70.00',
    'Checking,,,03/13/2025,Shop,Needs: Food,Needs,Food,(Split 2/2) Coffee,4.20,0,C,65.80',
  ))
  expect(transactions).toMatchObject([{
    row: { amount: -34.2 },
    items: [{ name: 'Ticket', amount: -30 }, { name: 'Coffee', amount: -4.2 }],
  }])
})

test.each([
  ['D1.234,50', [-1234.5]],
  ['D1,234.50', [-1234.5]],
  ['D1.234.567,', [-1234567]],
  ['D12.5', [-12.5]],
  ['D1.234', []],
  ['D1 234,50', []],
  [`D1'234,50`, []],
  ['D1.2345,00', []],
])('the amount %s of MT940 is read right or not at all', (text, expected) => {
  const file = mt940({ opening: ['2026-05-01', '0.00'], closing: ['2026-05-04', '-1234.50'] }, [
    '2026-05-04',
    '-7.00',
  ]).replace('D7,00', text)
  const statement = readStatement(file.replace('D260504EUR1234,50', 'D260504EUR1.234,50'))
  expect(amounts(statement)).toEqual(expected)
  expect(accountsOf(statement)[0]?.[1]).toBe(-1234.5)
})

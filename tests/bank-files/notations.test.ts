/**
 * Notations of banks and programs, each in a file of a few lines: read right, or asked, or left out
 * with a problem.
 */
import { expect, test } from 'vitest'
import { readStatement } from '../../bank-files/index.ts'

const csv = (...lines: string[]) => lines.join('\n')

/** Returns the days and amounts of a file, and its questions. */
const read = (file: string, options = {}) => {
  const { rows, problems } = readStatement(file, options)
  return [
    ...rows.map(({ transaction_date: day, amount }) => `${day.slice(5)} ${amount}`),
    ...problems.flatMap(({ option }) => option ?? []),
  ]
}

test.each([
  ['only income is marked', ['12.50', '1200.00CR'], ['negate']],
  ['only income has a plus', ['12.50', '+1200.00'], ['negate']],
  ['only expenses are marked', ['12.50DR', '1200.00'], ['03-01 -12.5', '03-02 1200']],
  ['both are marked in front', ['Dr 12.50', 'Cr. 1200.00'], ['03-01 -12.5', '03-02 1200']],
  ['both are marked with words', ['12.50 Soll', '1200.00 Haben'], ['03-01 -12.5', '03-02 1200']],
  ['both are marked', ['12.50 S', '1200.00 H'], ['03-01 -12.5', '03-02 1200']],
  ['both have a sign at the end', ['12.50 -', '1200.00 +'], ['03-01 -12.5', '03-02 1200']],
  ['expenses have a triangle', ['△12.50', '¥1,200.00'], ['03-01 -12.5', '03-02 1200']],
  ['expenses have a black triangle after the currency', ['¥ ▲12.50', '1200.00'], [
    '03-01 -12.5',
    '03-02 1200',
  ]],
  ['all characters are wide', ['－￥１２．５０', '１，２００．００'], [
    '03-01 -12.5',
    '03-02 1200',
  ]],
  ['expenses are in wide brackets', ['（12.50）', '1200.00'], ['03-01 -12.5', '03-02 1200']],
  ['expenses have a minus of mathematics', ['−12.50', '1200.00'], ['03-01 -12.5', '03-02 1200']],
  ['expenses have a dash at the end', ['12.50–', '1200.00'], ['03-01 -12.5', '03-02 1200']],
  ['both are marked in French', ['12.50 débit', '1200.00 crédit'], ['03-01 -12.5', '03-02 1200']],
  ['expenses are in brackets', ['($12.50)', '$1200.00'], ['03-01 -12.5', '03-02 1200']],
])('amounts of which %s', (_, [spent, received], expected) => {
  const file = csv('Date,Name,Amount', `2026-03-01,Shop,"${spent}"`, `2026-03-02,Ann,"${received}"`)
  expect(read(file)).toEqual(expected)
  if (expected.includes('negate')) {
    expect([true, false].map((negate) => read(file, { negate }))).toEqual([[
      '03-01 -12.5',
      '03-02 1200',
    ], ['03-01 12.5', '03-02 1200']])
  }
})

test.each(['12.50¹', '①12.50', '12½', '▼12.50'])(
  'a character such as in %s is no part of an amount',
  (text) => {
    const { rows, problems } = readStatement(
      csv('Date,Name,Amount', `2026-03-01,Shop,"${text}"`, '2026-03-02,Bar,-1.00'),
    )
    expect([rows.map(({ name }) => name), problems.map(({ message }) => message)]).toEqual([
      ['Bar'],
      [`"${text}" is not an amount.`],
    ])
  },
)

test('a received payment next to a purchase does not prove the sign of a file without any minus', () => {
  expect(
    read(
      csv(
        'Date,Name,Amount',
        '2026-03-01,Shop,12.50',
        '2026-03-02,PAYMENT RECEIVED - THANK YOU,90.00',
      ),
    ),
  ).toEqual(['negate'])
})

test.each([
  ['Fri, 13 Mar 2026'],
  ['Fr 13.03.2026'],
  ['vendredi 13 mars 2026'],
  ['2026年3月13日'],
  ['2026년 3월 13일'],
  ['13. März 2026'],
  ['13 de marzo de 2026'],
  ['13 mar. 2026'],
])('the date %s', (date) => {
  expect(read(csv('Date;Name;Amount', `${date};Shop;-12.50`))).toEqual(['03-13 -12.5'])
})

test.each([
  [
    'a total with the day of the last row',
    ['2026-03-03,Total,-2.50'],
    '"Total" is the name of a balance or a total, not of a transaction. This line was skipped.',
  ],
  [
    'a total without a day',
    [',Grand total,-2.50'],
    '"Grand total" is the name of a balance or a total, not of a transaction. This line was skipped.',
  ],
])('the last row of a file is %s', (_, last, message) => {
  const lines = [
    'Date,Name,Amount',
    '2026-03-01,Shop,-12.50',
    '2026-03-02,Bar,-10.00',
    '2026-03-02,Ann,20.00',
  ]
  const { rows, problems } = readStatement(csv(...lines, ...last))
  expect([rows.length, problems.map((problem) => problem.message)]).toEqual([3, [message]])
  expect(readStatement(csv(...lines, '2026-03-03,Total Energies,-40.00')).rows).toHaveLength(4)
})

test.each([
  ['cents', 'Date,Name,Amount (cents)'],
  ['one of two columns with one name', 'Date,Name,Amount,Amount'],
])('amounts in %s are a question for the columns', (_, header) => {
  expect(() => readStatement(csv(header, '2026-03-01,Shop,-1250,-1100'))).toThrow(
    'Specify them with `columns`',
  )
})

test('amounts with several currencies have those that they name, and one without a name is left out', () => {
  const file = csv(
    'Date;Name;Amount',
    '2026-03-01;Shop;-12,50 USD',
    '2026-03-02;Bar;€ -5,00',
    '2026-03-03;Kiosk;$ -7,00',
    '2026-03-04;Inn;-1,00',
  )
  const { rows, problems } = readStatement(file)
  expect(rows.map(({ amount, currency }) => [amount, currency])).toEqual([[-12.5, 'usd'], [
    -5,
    'eur',
  ]])
  expect(problems.map(({ line, field }) => [line, field])).toEqual([[4, 'currency'], [
    5,
    'currency',
  ]])
  expect(readStatement(file, { currency: 'eur' }).rows.map(({ currency }) => currency)).toEqual([
    'usd',
    'eur',
    'eur',
    'eur',
  ])
  expect(
    readStatement(csv('Date;Name;Amount', '2026-03-01;Shop;-12,50 €', '2026-03-02;Bar;-5,00')).rows
      .map(({ currency }) => currency),
  ).toEqual([
    undefined,
    undefined,
  ])
})

test('a column of debits with as many minus signs as not is a question, unless a running balance decides it', () => {
  const lines = (...balances: string[]) =>
    csv(
      `Date,Name,Debit,Credit${balances.length > 0 ? ',Balance' : ''}`,
      ...['2026-03-01,Shop,-12.50,', '2026-03-02,Refund,5.00,', '2026-03-03,Ann,,7.00']
        .map((line, at) => [line, ...balances.slice(at, at + 1)].join(',')),
    )
  expect(readStatement(lines())).toMatchObject({
    rows: [],
    problems: [{ line: 3, option: 'negate', unclear: ['5.00 Refund'] }],
  })
  expect(read(lines(), { negate: false })).toEqual(['03-01 -12.5', '03-02 5', '03-03 7'])
  expect(read(lines(), { negate: true })).toEqual(['03-01 12.5', '03-02 -5', '03-03 7'])
  expect(read(lines('87.50', '92.50', '99.50'))).toEqual(['03-01 -12.5', '03-02 5', '03-03 7'])
})

test('cells that a spreadsheet writes as formulas are texts', () => {
  expect(
    readStatement(csv('Date;Particulars;Amount;Dr/Cr', '="2026-03-01";="0042";="12.50";Dr')).rows,
  ).toMatchObject([{ name: '0042', amount: -12.5 }])
})

// the header lines of MUFG, SMBC, Mizuho, Rakuten, Japan Post, SBI, Resona, Sony, AEON and
// MoneyForward
test.each<[header: string, spent: string, received: string, currency?: string]>([
  [
    '日付,摘要,摘要内容,支払い金額,預かり金額,差引残高,メモ',
    '2025/3/13,カード,Kiosk,"1,250",,"98,750",',
    '2025/3/14,振込,Ann,,"120,000","218,750",',
  ],
  [
    '年月日,お引出し,お預入れ,お取り扱い内容,残高,メモ,ラベル',
    '2025/3/13,1250,,Kiosk,98750,,',
    '2025/3/14,,120000,Ann,218750,,',
  ],
  [
    '日付,お引出金額,お預入金額,お取引内容,残高',
    '2025.03.13,1250,,Kiosk,98750',
    '2025.03.14,,120000,Ann,218750',
  ],
  [
    '取引日,入出金(円),取引後残高(円),入出金内容',
    '20250313,-1250,98750,Kiosk',
    '20250314,120000,218750,Ann',
    'jpy',
  ],
  [
    '取引日,入出金明細ID,受入金額(円),払出金額(円),詳細1,詳細2,現在(貸付)高',
    '20250313,1,,1250,Kiosk,,98750',
    '20250314,2,120000,,Ann,,218750',
    'jpy',
  ],
  [
    '日付,内容,出金金額(円),入金金額(円),残高(円),メモ',
    '2025/03/13,Kiosk,"1,250",,"98,750",',
    '2025/03/14,Ann,,"120,000","218,750",',
    'jpy',
  ],
  [
    '取扱日,取引名,金額,取引後残高,摘要',
    '2025/03/13,支払,1250,98750,Kiosk',
    '2025/03/14,預入,120000,218750,Ann',
  ],
  [
    'お取り引き日,摘要,お預け入れ額,お引き出し額,差し引き残高',
    '2025年3月13日,Kiosk,,"1,250","98,750"',
    '2025年3月14日,Ann,"120,000",,"218,750"',
  ],
  [
    '取引日,お支払金額,お預り金額,摘要,残高',
    '2025/03/13,1250,,Kiosk,98750',
    '2025/03/14,,120000,Ann,218750',
  ],
  [
    '計算対象,日付,内容,金額（円）,保有金融機関,大項目,メモ,振替,ID',
    '1,2025/03/13,Kiosk,△1250,銀行,食費,,0,a1',
    '1,2025/03/14,Ann,120000,銀行,収入,,0,a2',
    'jpy',
  ],
])('a file of a Japanese bank with the columns %s', (header, spent, received, currency) => {
  const { rows, problems } = readStatement(csv(header, spent, received))
  expect(rows.map((row) => [row.transaction_date, row.name, row.amount, row.currency])).toEqual([
    ['2025-03-13', 'Kiosk', -1250, currency],
    ['2025-03-14', 'Ann', 120000, currency],
  ])
  expect(problems).toEqual([])
})

test('an apostrophe that marks every text of a column is no part of names, dates, amounts and accounts', () => {
  const file = (name: string, other: string) =>
    csv(
      'Date,Type,Description,Value,Balance,Account Name,Account Number',
      `'13/03/2026,POS,${name},'-12.50,987.50,'BEN,'601111-11111111`,
      `'14/03/2026,BAC,${other},'1200.00,2187.50,'ANN,'602222-22222222`,
    )
  const { rows, accounts, problems } = readStatement(file("'MUSTER BAKERY", "'O'NEILL"))
  expect([rows.map(({ name, amount }) => `${name} ${amount}`), accounts.map(({ id }) => id)])
    .toEqual([['MUSTER BAKERY -12.5', "O'NEILL 1200"], ['BEN', 'ANN']])
  expect(problems).toEqual([])
  expect(readStatement(file("'t Hoekje", "'s-Gravenhage")).rows.map(({ name }) => name)).toEqual([
    "'t Hoekje",
    "'s-Gravenhage",
  ])
  expect(readStatement(file("'47 Brand", 'Ann')).rows.map(({ name }) => name)).toEqual([
    "'47 Brand",
    'Ann',
  ])
})

const ofx = (...rows: Array<[type: string, amount: string]>) =>
  `OFXHEADER:100\n\n<OFX><STMTRS><CURDEF>EUR<BANKTRANLIST>${
    rows.map(([type, amount]) =>
      `<STMTTRN><TRNTYPE>${type}<DTPOSTED>20260301<TRNAMT>${amount}<NAME>Shop</STMTTRN>`
    ).join('')
  }</BANKTRANLIST></STMTRS></OFX>`

test.each<[string, Array<[string, string]>, string[]]>([
  ['words of another program for types', [['D', '12.50'], ['C', '1200']], [
    '03-01 -12.5',
    '03-01 1200',
  ]],
  ['brackets around an expense', [['DEBIT', '(12.50)'], ['DEBIT', '5'], ['CREDIT', '1200']], [
    '03-01 -12.5',
    '03-01 5',
    '03-01 1200',
  ]],
  ['withdrawals without a minus', [['ATM', '12.50'], ['OTHER', '7']], ['directions']],
  ['a refund at a till and a salary, or no signs', [['POS', '12.50'], ['CREDIT', '1200']], [
    'directions',
  ]],
  ['only types of either direction', [['XFER', '12.50'], ['INT', '0.07']], [
    '03-01 12.5',
    '03-01 0.07',
  ]],
])('OFX with %s', (_, rows, expected) => {
  expect(read(ofx(...rows))).toEqual(expected)
})

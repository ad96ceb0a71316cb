/** Notations of banks and programs, each in a file of a few lines: read right, or asked, or left out with a problem. */
import { expect, test } from 'vitest'
import { readStatement } from '../../client/import/index.ts'

const csv = (...lines: string[]) => lines.join('\n')

/** Returns the days and amounts of a file, and its questions. */
const read = (file: string, options = {}) => {
  const { rows, problems } = readStatement(file, options)
  return [...rows.map(({ transaction_date: day, amount }) => `${day.slice(5)} ${amount}`), ...problems.flatMap(({ option }) => option ?? [])]
}

test.each([
  ['only income is marked', ['12.50', '1200.00CR'], ['negate']],
  ['only income has a plus', ['12.50', '+1200.00'], ['negate']],
  ['only expenses are marked', ['12.50DR', '1200.00'], ['03-01 -12.5', '03-02 1200']],
  ['both are marked in front', ['Dr 12.50', 'Cr. 1200.00'], ['03-01 -12.5', '03-02 1200']],
  ['both are marked with words', ['12.50 Soll', '1200.00 Haben'], ['03-01 -12.5', '03-02 1200']],
  ['both are marked', ['12.50 S', '1200.00 H'], ['03-01 -12.5', '03-02 1200']],
  ['both have a sign at the end', ['12.50 -', '1200.00 +'], ['03-01 -12.5', '03-02 1200']],
  ['expenses are in brackets', ['($12.50)', '$1200.00'], ['03-01 -12.5', '03-02 1200']],
])('amounts of which %s', (_, [spent, received], expected) => {
  const file = csv('Date,Name,Amount', `2026-03-01,Shop,${spent}`, `2026-03-02,Ann,${received}`)
  expect(read(file)).toEqual(expected)
  if (expected.includes('negate')) {
    expect([true, false].map((negate) => read(file, { negate }))).toEqual([['03-01 -12.5', '03-02 1200'], ['03-01 12.5', '03-02 1200']])
  }
})

test('a received payment next to a purchase does not prove the sign of a file without any minus', () => {
  expect(read(csv('Date,Name,Amount', '2026-03-01,Shop,12.50', '2026-03-02,PAYMENT RECEIVED - THANK YOU,90.00'))).toEqual(['negate'])
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
  ['a total with the day of the last row', ['2026-03-03,Total,-2.50'], '"Total" names a balance or a sum and no transaction. This line was left out.'],
  ['a total without a day', [',Grand total,-2.50'], '"Grand total" names a balance or a sum and no transaction. This line was left out.'],
])('the last row of a file is %s', (_, last, message) => {
  const lines = ['Date,Name,Amount', '2026-03-01,Shop,-12.50', '2026-03-02,Bar,-10.00', '2026-03-02,Ann,20.00']
  const { rows, problems } = readStatement(csv(...lines, ...last))
  expect([rows.length, problems.map((problem) => problem.message)]).toEqual([3, [message]])
  expect(readStatement(csv(...lines, '2026-03-03,Total Energies,-40.00')).rows).toHaveLength(4)
})

test.each([
  ['cents', 'Date,Name,Amount (cents)'],
  ['one of two columns with one name', 'Date,Name,Amount,Amount'],
])('amounts in %s are a question for the columns', (_, header) => {
  expect(() => readStatement(csv(header, '2026-03-01,Shop,-1250,-1100'))).toThrow('Say which is which with `columns`')
})

test('amounts with several currencies have those that they name, and one without a name is left out', () => {
  const file = csv('Date;Name;Amount', '2026-03-01;Shop;-12,50 USD', '2026-03-02;Bar;€ -5,00', '2026-03-03;Kiosk;$ -7,00', '2026-03-04;Inn;-1,00')
  const { rows, problems } = readStatement(file)
  expect(rows.map(({ amount, currency }) => [amount, currency])).toEqual([[-12.5, 'usd'], [-5, 'eur']])
  expect(problems.map(({ line, field }) => [line, field])).toEqual([[4, 'currency'], [5, 'currency']])
  expect(readStatement(file, { currency: 'eur' }).rows.map(({ currency }) => currency)).toEqual(['usd', 'eur', 'eur', 'eur'])
  expect(readStatement(csv('Date;Name;Amount', '2026-03-01;Shop;-12,50 €', '2026-03-02;Bar;-5,00')).rows.map(({ currency }) => currency)).toEqual([
    undefined,
    undefined,
  ])
})

test('a column of debits with as many minus signs as not is a question, unless a running balance decides it', () => {
  const lines = (...balances: string[]) =>
    csv(
      `Date,Name,Debit,Credit${balances.length > 0 ? ',Balance' : ''}`,
      ...['2026-03-01,Shop,-12.50,', '2026-03-02,Refund,5.00,', '2026-03-03,Ann,,7.00'].map((line, at) => [line, ...balances.slice(at, at + 1)].join(',')),
    )
  expect(readStatement(lines())).toMatchObject({ rows: [], problems: [{ line: 3, option: 'negate', unclear: ['5.00 Refund'] }] })
  expect(read(lines(), { negate: false })).toEqual(['03-01 -12.5', '03-02 5', '03-03 7'])
  expect(read(lines(), { negate: true })).toEqual(['03-01 12.5', '03-02 -5', '03-03 7'])
  expect(read(lines('87.50', '92.50', '99.50'))).toEqual(['03-01 -12.5', '03-02 5', '03-03 7'])
})

test('cells that a spreadsheet writes as formulas are texts', () => {
  expect(readStatement(csv('Date;Particulars;Amount;Dr/Cr', '="2026-03-01";="0042";="12.50";Dr')).rows).toMatchObject([{ name: '0042', amount: -12.5 }])
})

const ofx = (...rows: Array<[type: string, amount: string]>) =>
  `OFXHEADER:100\n\n<OFX><STMTRS><CURDEF>EUR<BANKTRANLIST>${
    rows.map(([type, amount]) => `<STMTTRN><TRNTYPE>${type}<DTPOSTED>20260301<TRNAMT>${amount}<NAME>Shop</STMTTRN>`).join('')
  }</BANKTRANLIST></STMTRS></OFX>`

test.each<[string, Array<[string, string]>, string[]]>([
  ['words of another program for types', [['D', '12.50'], ['C', '1200']], ['03-01 -12.5', '03-01 1200']],
  ['brackets around an expense', [['DEBIT', '(12.50)'], ['DEBIT', '5'], ['CREDIT', '1200']], ['03-01 -12.5', '03-01 5', '03-01 1200']],
  ['withdrawals without a minus', [['ATM', '12.50'], ['OTHER', '7']], ['directions']],
  ['a refund at a till and a salary, or no signs', [['POS', '12.50'], ['CREDIT', '1200']], ['directions']],
  ['only types of either direction', [['XFER', '12.50'], ['INT', '0.07']], ['03-01 12.5', '03-01 0.07']],
])('OFX with %s', (_, rows, expected) => {
  expect(read(ofx(...rows))).toEqual(expected)
})

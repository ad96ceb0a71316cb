/**
 * Files in which the sign of amounts is not certain. The reader returns a question, and Ann's answer
 * decides.
 */
import { expect, test } from 'vitest'
import { readStatement } from '../../bank-files/index.ts'
import { amounts, csv } from './statement-files.ts'

test.each([
  ['D', 'C'],
  ['DBIT', 'CRDT'],
  ['Soll', 'Haben'],
  ['Af', 'Bij'],
  ['débito', 'crédito'],
  ['Débit', 'Crédit'],
  ['dare', 'avere'],
  ['Withdrawal', 'Deposit'],
  ['OUT', 'IN'],
  ['-', '+'],
])('the words %s and %s in any column next to unsigned amounts are the direction', (out, into) => {
  const statement = readStatement(
    csv('Date,Name,Amount,Anything', `2025-01-03,Shop,3.50,${out}`, `2025-01-04,Ann,20.00,${into}`),
  )
  expect([amounts(statement), statement.problems]).toEqual([[-3.5, 20], []])
})

test('a payment by credit card is not an income', () => {
  const file = csv(
    'Date,Name,Amount,Card Type',
    '2025-01-03,Shop,3.50,credit',
    '2025-01-04,Kiosk,2.00,debit',
  )
  expect(readStatement(file).problems).toMatchObject([{ option: 'negate' }])
})

test('an unknown word in a direction column is a question, and so is a known one next to both signs', () => {
  const unknown = csv(
    'Date;Name;Amount;Way',
    '2025-01-03;Shop;3.50;D',
    '2025-01-04;Ann;20.00;C',
    '2025-01-05;Fee;1.00;X',
  )
  expect(readStatement(unknown)).toMatchObject({
    rows: [],
    problems: [{ line: 4, field: 'amount', option: 'directions', unclear: ['X'] }],
  })
  expect(amounts(readStatement(unknown, { directions: { x: 'out' } }))).toEqual([-3.5, 20, -1])
  const both = csv(
    'Date,Name,Amount,Direction',
    '2025-01-03,Shop,-3.50,Debit',
    '2025-01-04,Shop,1.50,Debit',
    '2025-01-05,Ann,20.00,Credit',
  )
  expect(readStatement(both)).toMatchObject({
    rows: [],
    problems: [{ option: 'directions', unclear: ['Debit'] }],
  })
  expect(amounts(readStatement(both, { directions: { Debit: 'sign' } }))).toEqual([-3.5, 1.5, 20])
  // A debt from the bank's point of view.
  const debt = csv(
    'Date,Name,Amount,Kind',
    '2025-01-03,Shop,3.50,debit',
    '2025-01-04,Paid,-20.00,credit',
  )
  expect(amounts(readStatement(debt))).toEqual([-3.5, 20])
})

test('amounts without a minus are a question, and the answer decides', () => {
  const file = csv('Date,Description,Amount', '2025-01-03,Shop,3.50', '2025-01-04,Kiosk,2.00')
  expect(readStatement(file)).toMatchObject({
    rows: [],
    problems: [{ line: 2, field: 'amount', option: 'negate', unclear: ['3.50 Shop'] }],
  })
  expect(amounts(readStatement(file, { negate: true }))).toEqual([-3.5, -2])
  expect(amounts(readStatement(file, { negate: false }))).toEqual([3.5, 2])
})

test('a payment with an unexpected sign among other signs is a question', () => {
  const paid = csv(
    'Date,Description,Amount',
    '2025-01-03,Shop,3.50',
    '2025-01-04,Refund of Ben,-2.00',
    '2025-01-05,PAYMENT RECEIVED - THANK YOU,-9.00',
  )
  expect(readStatement(paid)).toMatchObject({
    rows: [],
    problems: [{ option: 'negate', unclear: ['-9.00 PAYMENT RECEIVED - THANK YOU', '3.50 Shop'] }],
  })
  expect(amounts(readStatement(paid, { negate: true }))).toEqual([-3.5, 2, 9])
  const german = csv(
    'Datum;Name;Betrag',
    '03.01.2025;Laden;3,50',
    '04.01.2025;Zahlung erhalten, danke;-9,00',
  )
  expect(readStatement(german).problems).toMatchObject([{ option: 'negate' }])
  const plain = csv(
    'Date,Description,Amount',
    '2025-01-03,Shop,-3.50',
    '2025-01-04,Ann,2.00',
    '2025-01-05,PAYMENT - THANK YOU,9.00',
  )
  expect(amounts(readStatement(plain))).toEqual([-3.5, 2, 9])
})

test('a running balance determines the signs from the oldest or the newest row, except of the row before it', () => {
  const lines = [
    '2025-01-03,Shop,3.50,96.50',
    '2025-01-04,Kiosk,2.00,94.50',
    '2025-01-05,Bar,4.50,90.00',
  ]
  const falling = csv('Date,Name,Amount,Saldo', ...lines)
  expect(readStatement(falling)).toMatchObject({
    rows: [{ amount: -2 }, { amount: -4.5 }],
    problems: [{
      line: 2,
      message:
        'The file does not say whether this is income or an expense: the previous balance is missing.',
    }],
  })
  // An answer is about the bank, and also used for its next file, in which the first row may be a
  // salary.
  expect([true, false].map((negate) => amounts(readStatement(falling, { negate })))).toEqual([[
    -2,
    -4.5,
  ], [-2, -4.5]])
  expect(amounts(readStatement(csv('Date,Name,Amount,Left', ...lines.toReversed())))).toEqual([
    -4.5,
    -2,
  ])
  for (
    const opening of ['2025-01-03,Opening balance,,100.00', ',Beginning balance,100.00,100.00']
  ) {
    const read = readStatement(csv('Date,Name,Amount,Saldo', opening, ...lines))
    expect([amounts(read), read.problems.map(({ line }) => line)]).toEqual([[-3.5, -2, -4.5], [2]])
  }
  // Income raises a balance, and so do purchases by card, whose balance is a debt.
  const rising = csv(
    'Date,Name,Amount,Balance',
    '2025-01-03,Ann,3.50,103.50',
    '2025-01-04,Ben,2.00,105.50',
    '2025-01-05,Cleo,4.50,110.00',
  )
  expect(readStatement(rising)).toMatchObject({
    rows: [],
    problems: [{ option: 'negate', unclear: ['3.50 Ann'] }],
  })
  expect([true, false].map((negate) => amounts(readStatement(rising, { negate })))).toEqual([[
    -3.5,
    -2,
    -4.5,
  ], [3.5, 2, 4.5]])
  const paid = csv(
    'Date,Name,Amount,Balance',
    '2025-01-03,Shop,3.50,103.50',
    '2025-01-04,Payment received,90.00,13.50',
    '2025-01-05,Bar,4.50,18.00',
  )
  expect(readStatement(paid)).toMatchObject({ rows: [], problems: [{ option: 'negate' }] })
})

test('a balance that rises and falls determines the signs of unsigned amounts, and a row without a previous balance is reported', () => {
  const file = csv(
    'Date,Name,Amount,Balance',
    '2025-01-03,Shop,3.50,96.50',
    '2025-01-04,Ann,20.00,116.50',
    '2025-01-05,Bar,4.50,112.00',
  )
  const { rows, problems } = readStatement(file)
  expect(rows.map(({ amount }) => amount)).toEqual([20, -4.5])
  expect(problems).toMatchObject([{ line: 2, field: 'amount' }])
})

const sided = (debit: string, credit: string, ...balances: string[]) =>
  csv(
    'Date,Name,Debit,Credit,Balance',
    `2025-01-03,Shop,${debit},,${balances[0] ?? ''}`,
    `2025-01-04,Bank,,${credit},${balances[1] ?? ''}`,
  )

test.each([
  ['both without a minus', sided('3.50', '20.00')],
  ['debits with a minus', sided('-3.50', '20.00')],
  ['credits with a minus, as Citi writes them', sided('3.50', '-20.00')],
  ['credits with a minus and the balance of a debt', sided('3.50', '-20.00', '103.50', '83.50')],
  [
    'zeros in the other column',
    csv('Date,Name,Debit,Credit', '2025-01-03,Shop,3.50,0.00', '2025-01-04,Bank,0.00,-20.00'),
  ],
  [
    'a received payment with a minus',
    sided('3.50', '-20.00').replace('Bank', 'Payment received - thank you'),
  ],
])('the names of columns of debits and credits decide their signs: %s', (_, file) => {
  expect(readStatement(file)).toMatchObject({
    rows: [{ amount: -3.5 }, { amount: 20 }],
    problems: [],
  })
})

test('only debits or only credits have the signs of their column, and a refund or a correction among them has the other sign', () => {
  const file = (...cells: string[]) =>
    csv('Date,Name,Debit,Credit', ...cells.map((cell, at) => `2025-01-0${at + 1},Shop,${cell}`))
  expect(amounts(readStatement(file('3.50,', '2.00,', '-1.00,')))).toEqual([-3.5, -2, 1])
  expect(amounts(readStatement(file(',-20.00')))).toEqual([20])
  expect(amounts(readStatement(file(',-20.00', ',-5.00', ',1.00')))).toEqual([20, 5, -1])
  // the balance falls by a correction of income
  const falling = `${sided('3.50', '-20.00', '96.50', '76.50')}\n2025-01-05,Bar,4.50,,72.00`
  expect(amounts(readStatement(falling))).toEqual([-3.5, -20, -4.5])
})

test('credits with as many minus signs as not are a question, unless a running balance decides it', () => {
  const file = (...balances: string[]) =>
    csv(
      'Date,Name,Debit,Credit,Balance',
      ...['3.50,', ',20.00', ',-5.00'].map((cells, at) =>
        `2025-01-0${at + 3},Row ${at},${cells},${balances[at] ?? ''}`
      ),
    )
  expect(readStatement(file())).toMatchObject({
    rows: [],
    problems: [{ option: 'negate', unclear: ['20.00 Row 1'] }],
  })
  expect([true, false].map((negate) => amounts(readStatement(file(), { negate })))).toEqual([[
    -3.5,
    -20,
    5,
  ], [-3.5, 20, -5]])
  expect(amounts(readStatement(file('96.50', '116.50', '111.50')))).toEqual([-3.5, 20, -5])
})

test('debits and credits that both have a minus are a question, and so is a balance that contradicts the names of the columns', () => {
  const minus = sided('-3.50', '-20.00')
  expect(readStatement(minus)).toMatchObject({
    rows: [],
    problems: [{ line: 3, option: 'negate', unclear: ['-20.00 Bank'] }],
  })
  expect([true, false].map((negate) => amounts(readStatement(minus, { negate })))).toEqual([[
    -3.5,
    20,
  ], [-3.5, -20]])
  // the debt of a card, or the account of a ledger
  const rising = sided('3.50', '20.00', '103.50', '83.50')
  expect(readStatement(rising)).toMatchObject({
    rows: [],
    problems: [{ option: 'negate', unclear: ['20.00 Bank'] }],
  })
  expect([true, false].map((negate) => amounts(readStatement(rising, { negate })))).toEqual([[
    3.5,
    -20,
  ], [-3.5, 20]])
  const spent = csv(
    'Date,Name,Debit,Credit,Balance',
    '2025-01-03,Shop,3.50,,103.50',
    '2025-01-04,Bar,2.00,,105.50',
  )
  expect(amounts(readStatement(spent))).toEqual([-3.5, -2])
})

test('a balance that expenses with a minus raise, or payments with a minus lower, can be a debt and is a question', () => {
  const raised = csv(
    'Date,Name,Amount,Balance',
    '2025-01-03,Shop,-3.50,103.50',
    '2025-01-04,Bank,20.00,83.50',
    '2025-01-05,Bar,-4.50,88.00',
  )
  expect(readStatement(raised)).toMatchObject({
    rows: [],
    problems: [{ option: 'negate', unclear: ['-3.50 Shop'] }],
  })
  expect(amounts(readStatement(raised, { negate: false }))).toEqual([-3.5, 20, -4.5])
  const lowered = csv(
    'Date,Name,Amount,Balance',
    '2025-01-03,Shop,3.50,103.50',
    '2025-01-04,Autopay,-20.00,83.50',
    '2025-01-05,Bar,4.50,88.00',
  )
  expect(readStatement(lowered)).toMatchObject({ rows: [], problems: [{ option: 'negate' }] })
  expect(amounts(readStatement(lowered, { negate: true }))).toEqual([-3.5, 20, -4.5])
  expect(amounts(readStatement(lowered.replace('Autopay', 'Rent')))).toEqual([3.5, -20, 4.5])
})

test('purchases of a QIF card and OFX types that contradict their sign are a question', () => {
  const mixed = (amount: string) =>
    `!Type:Bank\nD2025-01-03\nT${amount}\nPShop\n^\n!Type:CCard\nD2025-01-04\nT2.00\nPKiosk\n^\n`
  expect(readStatement(mixed('3.50'))).toMatchObject({ rows: [], problems: [{ option: 'negate' }] })
  expect(amounts(readStatement(mixed('-3.50')))).toEqual([-3.5, 2])
  const card = '!Type:CCard\nD2025-01-03\nT3.50\nPShop\n^\nD2025-01-04\nT2.00\nPKiosk\n^\n'
  expect(readStatement(card)).toMatchObject({ rows: [], problems: [{ option: 'negate' }] })
  expect(amounts(readStatement(card, { negate: true }))).toEqual([-3.5, -2])
  expect(amounts(readStatement(card.replace('CCard', 'Bank')))).toEqual([3.5, 2])
  const ofx =
    'OFXHEADER:100\n<OFX><CCSTMTRS><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20250103<TRNAMT>3.50<FITID>1<NAME>Shop</STMTTRN></CCSTMTRS></OFX>'
  expect(readStatement(ofx)).toMatchObject({
    rows: [],
    problems: [{ option: 'directions', unclear: ['DEBIT'] }],
  })
  expect(amounts(readStatement(ofx, { directions: { DEBIT: 'out' } }))).toEqual([-3.5])
  expect(amounts(readStatement(ofx.replace('3.50', '-3.50')))).toEqual([-3.5])
})

const signed = (...texts: string[]) =>
  csv(
    'Date,Description,Amount',
    ...texts.map((text, index) => `2026-01-0${index + 1},Row ${index},${text}`),
  )

test('a file in which income may have the minus is a question, also if half of it is income', () => {
  for (
    const file of [
      signed('52.10', '40.00', '-3000.00', '-20.00'),
      signed('52.10', '40.00', '-3000.00'),
      signed('9.00', '-10.00'),
    ]
  ) {
    expect(readStatement(file)).toMatchObject({ rows: [], problems: [{ option: 'negate' }] })
  }
  const salary = csv(
    'Date,Description,Amount',
    '2026-01-02,Bar,-4.00',
    '2026-01-03,ACME PAYROLL,-3000.00',
    '2026-01-04,Shop,52.10',
  )
  expect(readStatement(salary)).toMatchObject({
    rows: [],
    problems: [{ option: 'negate', unclear: ['52.10 Shop', '-3000.00 ACME PAYROLL'] }],
  })
})

test("a bank's usual file is no question: most amounts have a minus, or the few without one are larger, or a payment was received", () => {
  expect(amounts(readStatement(signed('-52.10', '-40.00', '30.00')))).toEqual([-52.1, -40, 30])
  expect(amounts(readStatement(signed('-12.50', '1200.00')))).toEqual([-12.5, 1200])
  const card = csv(
    'Date,Description,Amount',
    '2026-01-02,Bar,-4.00',
    '2026-01-03,PAYMENT RECEIVED,3000.00',
    '2026-01-04,Refund of Shop,52.10',
  )
  expect(amounts(readStatement(card))).toEqual([-4, 3000, 52.1])
})

test('words of both directions next to signed amounts prove the sign of expenses, whatever other words the column has', () => {
  const file = (sign: string, other: string) =>
    csv(
      'Date,Description,Amount,Type',
      `2026-01-02,Shop,${sign}52.10,DEBIT`,
      `2026-01-03,Ann,${other}30.00,CREDIT`,
      `2026-01-03,Ben,${other}10.00,CREDIT`,
      `2026-01-04,Cash,${sign}5.00,ATM`,
    )
  for (const statement of [readStatement(file('-', '')), readStatement(file('', '-'))])
    expect(amounts(statement)).toEqual([-52.1, 30, 10, -5])
})

test('one word that contradicts the signs is a question about the signs, and in a column about accounts it is no direction', () => {
  const file = csv(
    'Date,Description,Amount,Type',
    '2026-01-02,Shop,52.10,regular',
    '2026-01-03,Acme,-3000.00,income',
  )
  expect(readStatement(file)).toMatchObject({
    rows: [],
    problems: [{ option: 'negate', unclear: ['52.10 Shop'] }],
  })
  const account = csv(
    'Date,Description,Amount,Account Type',
    '2026-01-02,Shop,-52.10,credit',
    '2026-01-03,Bar,-3.00,credit',
  )
  expect(amounts(readStatement(account))).toEqual([-52.1, -3])
})

test("Copilot's export is read by the type of its income, and is a question without income", () => {
  const header =
    'date,name,amount,status,category,parent category,excluded,tags,type,account,account mask,note,recurring'
  const spent = '2026-01-02,Shop,52.10,posted,Bakery,Food,false,,regular,Card,1111,,'
  expect(
    amounts(
      readStatement(
        csv(header, spent, '2026-01-03,Acme,-3000.00,posted,,,false,,income,Giro,2222,,'),
      ),
    ),
  ).toEqual([-52.1, 3000])
  expect(readStatement(csv(header, spent))).toMatchObject({
    rows: [],
    problems: [{ option: 'negate', unclear: ['52.10 Shop'] }],
  })
})

test('an opening balance is no income, in CSV, QIF and OFX', () => {
  const message =
    '"Opening Balance" is the name of a balance or a total, not of a transaction. This line was skipped.'
  const files = [
    csv('Date,Name,Amount', '2026-01-01,Opening Balance,500.00', '2026-01-02,Shop,-3.50'),
    "!Type:Bank\nD1/ 1'26\nT500.00\nPOpening Balance\nL[Checking]\n^\nD1/13'26\nT-3.50\nPShop\n^\n",
    'OFXHEADER:100\n<OFX><STMTRS><CURDEF>EUR<STMTTRN><DTPOSTED>20260101<TRNAMT>500.00<FITID>1<NAME>Opening Balance</STMTTRN>'
    + '<STMTTRN><DTPOSTED>20260102<TRNAMT>-3.50<FITID>2<NAME>Shop</STMTTRN></STMTRS></OFX>',
  ]
  for (const file of files) {
    const statement = readStatement(file)
    expect([amounts(statement), statement.problems.map((problem) => problem.message)]).toEqual([[
      -3.5,
    ], [message]])
  }
  // the first record is a transfer to the account itself, in any language
  const named =
    "!Account\nNGiro\n^\n!Type:Bank\nD1/ 1'26\nT500.00\nPAnfang\nL[Giro]\n^\nD1/13'26\nT-3.50\nPAnn\nL[Savings]\n^\n"
  expect(amounts(readStatement(named))).toEqual([-3.5])
})

// the words are a convenience store, a salary and rent, as the encodings of each country write them

/**
 * Ambiguous files: an account, a date, a status or an encoding is not certain. The reader returns a
 * question, and Ann's answer decides.
 */
import { expect, test } from 'vitest'
import { readStatement } from '../../bank-files/index.ts'
import { amounts, csv } from './statement-files.ts'

const bytes = (text: string, pairs: Record<string, number>) =>
  Uint8Array.from(Array.from(text), (letter) => pairs[letter] ?? letter.charCodeAt(0))

test('a column of account names splits the file, unless it has only one value', () => {
  const file = csv(
    'Account Name,Date,Name,Amount',
    'Giro,2025-01-03,Shop,-3.50',
    'Card,2025-01-04,Bar,-4.50',
    'Giro,2025-01-05,Ann,20.00',
  )
  expect(readStatement(file).accounts.map(({ id, rows }) => [id, rows.map(({ amount }) => amount)]))
    .toEqual([['Giro', [-3.5, 20]], ['Card', [-4.5]]])
  expect(readStatement(file.replace('Card', 'Giro'))).toMatchObject({
    accounts: [],
    rows: [{}, {}, {}],
  })
  const dutch = csv(
    'Rekening;Datum;Naam;Bedrag;Tegenrekening',
    'NL01;2025-01-03;Winkel;-3,50;NL91',
    'NL02;2025-01-04;Bar;-4,50;',
    'NL01;2025-01-05;Ann;20,00;NL93',
  )
  expect(readStatement(dutch).accounts.map(({ id }) => id)).toEqual(['NL01', 'NL02'])
})

test('a column of counterparty accounts does not split the file, and an ambiguous column is a question', () => {
  const other = csv(
    'Date,Name,Amount,IBAN Zahlungsbeteiligter',
    '2025-01-03,Shop,-3.50,DE01',
    '2025-01-04,Ann,4.50,DE02',
  )
  expect(readStatement(other)).toMatchObject({ accounts: [], problems: [] })
  const cash = csv(
    'Date,Name,Amount,IBAN',
    '2025-01-03,Shop,-3.50,DE01',
    '2025-01-04,Ann,4.50,DE02',
    '2025-01-05,Cash,-10.00,',
  )
  expect(readStatement(cash)).toMatchObject({ accounts: [], problems: [] })
  const either = csv(
    'Date,Name,Amount,IBAN',
    '2025-01-03,Shop,-3.50,DE01',
    '2025-01-04,Ann,4.50,DE02',
  )
  expect(readStatement(either)).toMatchObject({
    rows: [],
    problems: [{
      option: 'account',
      unclear: ['IBAN'],
      choices: [{ value: 'IBAN', sample: 'DE01, DE02' }],
    }],
  })
  expect(readStatement(either, { account: 'IBAN' }).accounts.map(({ id }) => id)).toEqual([
    'DE01',
    'DE02',
  ])
  expect(readStatement(either, { account: false })).toMatchObject({ accounts: [], rows: [{}, {}] })
})

test('characters of a code page are right if the file proves it, and otherwise a question', () => {
  const polish = { ż: 0xbf, ó: 0xf3, ł: 0xb3 }
  const read = readStatement(
    bytes('Data;Opis;Kwota\n2025-01-03;Sklep spożywczy;-3,50\n2025-01-04;główny;-2,00', polish),
  )
  expect([read.encoding, read.rows.map(({ name }) => name)]).toEqual(['windows-1250', [
    'Sklep spożywczy',
    'główny',
  ]])
  const russian = 'Дата;Описание;Сумма\n2025-01-03;Магазин;-3,50'
  const koi = bytes(
    russian,
    Object.fromEntries(
      Array.from(
        'юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ',
        (letter, at) => [letter, 0xc0 + at],
      ),
    ),
  )
  expect(readStatement(koi)).toMatchObject({
    encoding: 'koi8-r',
    rows: [{ name: 'Магазин', amount: -3.5 }],
  })
  const french = bytes(
    'Date;Libellé;Montant\n03/01/2025;Crème à Genève;-3,50\n14/01/2025;Café;-2,00',
    {},
  )
  expect(readStatement(french)).toMatchObject({
    encoding: 'windows-1252',
    rows: [{ name: 'Crème à Genève' }, { name: 'Café' }],
  })
  const german = bytes('Date,Name,Amount\n2025-01-03,Müller,-3.50', {})
  expect(readStatement(german)).toMatchObject({
    encoding: 'windows-1252',
    rows: [{ name: 'Müller' }],
  })

  const open = bytes('Date,Name,Amount\n2025-01-03,Pão,-3.50', {})
  expect(readStatement(open)).toMatchObject({
    header: ['Date', 'Name', 'Amount'],
    rows: [],
    problems: [{
      option: 'encoding',
      choices: [{ value: 'windows-1252', sample: 'Pão' }, { value: 'windows-1250', sample: 'Păo' }],
    }],
  })
  expect(readStatement(open, { encoding: 'windows-1252' }).rows[0]?.name).toBe('Pão')
  expect(
    readStatement(bytes('Date,Name,Amount\n2025-01-03,ż,-3.50', { ż: 0xbe }), { encoding: 'cp852' })
      .rows[0]?.name,
  ).toBe('ż')
})

test('booked, pending and failed have the words of banks, and other words are a question', () => {
  const file = (word: string) =>
    csv(
      'Date,Name,Amount,Status',
      '2025-01-03,Shop,-3.50,Posted',
      '2025-01-04,Bar,-4.50,Pending',
      `2025-01-05,Inn,-5.50,${word}`,
    )
  expect(readStatement(file('Declined')).rows.map(({ status }) => status)).toEqual([
    'paid',
    'pending',
    'failed',
  ])
  expect(readStatement(file('Odd'))).toMatchObject({
    rows: [],
    problems: [{ line: 4, field: 'status', option: 'statuses', unclear: ['Odd'] }],
  })
  expect(readStatement(file('Odd'), { statuses: { odd: 'pending' } }).rows[2]?.status).toBe(
    'pending',
  )
})

test('amounts with too many decimals are rounded only with the option, and trailing zeros are removed', () => {
  const file = csv(
    'Date,Name,Amount',
    '2025-01-03,Shop,-3.771',
    '2025-01-04,Bar,-4.5000',
    '2025-01-05,Inn,2.005',
  )
  const { rows, problems } = readStatement(file)
  expect(rows.map(({ amount }) => amount)).toEqual([-4.5])
  expect(problems).toMatchObject([{ line: 2, option: 'roundAmounts', unclear: ['-3.771'] }, {
    line: 4,
    option: 'roundAmounts',
  }])
  const rounded = readStatement(file, { roundAmounts: true })
  expect([amounts(rounded), rounded.problems.map(({ row, message }) => [row, message])]).toEqual([[
    -3.77,
    -4.5,
    2.01,
  ], [
    [1, '"-3.771" has too many decimals, so the amount was rounded to -3.77.'],
    [3, '"2.005" has too many decimals, so the amount was rounded to 2.01.'],
  ]])
  expect(readStatement(file, { roundAmounts: false }).problems.map(({ option }) => option)).toEqual(
    [undefined, undefined],
  )
})

test('the delimiter is the one that fits most lines, and lines before and after the table are reported', () => {
  const danish = csv(
    'x',
    '16-11-2012;Nota A, 5;16-11-2012;-48,00;250,00',
    '12-10-2012;Visa DKK 995,00 SHOP;15-10-2012;-995,00;-745,00',
    '13-10-2012;Nota B;15-10-2012;54,00;-691,00',
  )
  const { rows, problems } = readStatement(danish, { columns: { date: 0, name: 1, amount: 3 } })
  expect([rows.map(({ amount }) => amount), problems]).toEqual([[-48, -995, 54], []])
  const first = csv(
    '25/12/2023,TESCO,n/a',
    '26/12/2023,BAR,-3.50',
    '27/12/2023,ANN,5.00',
    'Total,,1.50',
  )
  expect(readStatement(first, { columns: { date: 0, name: 1, amount: 2 } })).toMatchObject({
    rows: [{ name: 'BAR' }, { name: 'ANN' }],
    problems: [{ line: 1 }, { line: 4, field: 'transaction_date' }],
  })
  const shifted = csv(
    'Date,Name,Amount',
    '2025-01-03,Shop,-5,30',
    '2025-01-04,Bar,-4.50',
    '2025-01-04,Ann,4.50',
  )
  expect(readStatement(shifted)).toMatchObject({
    rows: [{ name: 'Bar' }, { name: 'Ann' }],
    problems: [{ line: 2 }],
  })
})

test('a row with amount zero is left out and reported', () => {
  const file = csv('Date,Name,Amount', '2025-01-03,Notice,0.00', '2025-01-04,Bar,-4.50')
  expect(readStatement(file)).toMatchObject({
    rows: [{ name: 'Bar' }],
    problems: [{ line: 2, field: 'amount' }],
  })
})

test('column names with underscores or only a currency are recognized', () => {
  expect(
    readStatement(
      csv('booking_date,counter_party,amount,currency_code', '2025-01-03,Shop,-3.50,EUR'),
    ).rows,
  ).toEqual([
    { name: 'Shop', amount: -3.5, transaction_date: '2025-01-03', currency: 'eur' },
  ])
  expect(readStatement(csv('Datum;Popis;Amount CZK', '2025-01-03;Obchod;-35,00')).rows[0])
    .toMatchObject({ amount: -35, currency: 'czk' })
  expect(
    readStatement(
      csv(
        'Date;Libellé;Débit euros;Crédit euros',
        '13/01/2025;Pain;3,50;',
        '14/01/2025;Ann;;20,00',
      ),
    ).rows,
  ).toMatchObject([
    { amount: -3.5, currency: 'eur' },
    { amount: 20, currency: 'eur' },
  ])
})

test('XML that declares UTF-16 for ASCII, OFX with comments, and doubly escaped names are read', () => {
  const xml =
    `<?xml version="1.0" encoding="utf-16"?><OFX><STMTRS><CURDEF>EUR</CURDEF><STMTTRN><DTPOSTED>20250103</DTPOSTED><TRNAMT>-3.50</TRNAMT><FITID>1</FITID><NAME>Shop</NAME></STMTTRN></STMTRS></OFX>`
  expect(readStatement(new TextEncoder().encode(xml))).toMatchObject({
    encoding: 'utf-8',
    rows: [{ name: 'Shop', amount: -3.5, status: 'paid' }],
  })
  const sgml =
    'OFXHEADER:100\n<OFX> <!-- a statement\n<STMTTRN> --> <STMTRS><STMTTRN><!-- one --><DTPOSTED>20250103<TRNAMT>-3.50<FITID>1<NAME>TPAY &amp;lt;DEFTPYMT&amp;gt;</STMTTRN></STMTRS></OFX>'
  expect(readStatement(sgml).rows).toMatchObject([{ name: 'TPAY <DEFTPYMT>', amount: -3.5 }])
})

test('a CAMT entry without a date gets the last day of its statement, and this is reported', () => {
  const entry =
    '<Ntry><Amt Ccy="EUR">3.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><AddtlNtryInf>Fee</AddtlNtryInf></Ntry>'
  const camt =
    `<Document><BkToCstmrStmt><Stmt><CreDtTm>2025-03-05T07:00:00</CreDtTm><FrToDt><FrDtTm>2025-03-01T00:00:00</FrDtTm><ToDtTm>2025-03-04T23:59:59</ToDtTm></FrToDt>${entry}</Stmt></BkToCstmrStmt></Document>`
  expect(readStatement(camt)).toMatchObject({
    rows: [{ name: 'Fee', amount: -3.5, transaction_date: '2025-03-04', status: 'paid' }],
    problems: [{ row: 1, field: 'transaction_date' }],
  })
})

test('a fee column is subtracted from the amount if the running balance proves it, and otherwise a question', () => {
  const rows = [
    '2025-04-13,A,-100.00,0.00,900.00',
    '2025-04-14,B,-10.00,1.50,888.50',
    '2025-04-15,C,-10.00,0.00,878.50',
  ]
  const proven = csv('Date,Description,Amount,Fee,Balance', ...rows)
  expect([amounts(readStatement(proven)), readStatement(proven).problems]).toEqual([[
    -100,
    -11.5,
    -10,
  ], []])
  const newestFirst = csv('Date,Description,Amount,Fee,Balance', ...rows.toReversed())
  expect(amounts(readStatement(newestFirst))).toEqual([-10, -11.5, -100])
  const within = csv(
    'Date,Description,Amount,Fee,Balance',
    rows[0]!,
    '2025-04-14,B,-10.00,1.50,890.00',
    '2025-04-15,C,-10.00,0.00,880.00',
  )
  expect(amounts(readStatement(within))).toEqual([-100, -10, -10])
  const open = csv('Datum;Text;Betrag;Gebühr', '13.04.2025;A;-100,00;', '14.04.2025;B;-10,00;1,50')
  expect(readStatement(open)).toMatchObject({
    rows: [],
    problems: [{ line: 3, field: 'amount', option: 'fee', unclear: ['-10,00 and 1,50'] }],
  })
  expect(amounts(readStatement(open, { fee: true }))).toEqual([-100, -11.5])
  expect(amounts(readStatement(open, { fee: false }))).toEqual([-100, -10])
  expect(amounts(readStatement(csv('Datum;Text;Betrag;Gebühr', '13.04.2025;A;-100,00;0,00'))))
    .toEqual([-100])
})

test('a line with a balance or a sum is no transaction, and is reported', () => {
  const file = csv(
    'Datum;Text;Betrag;Saldo',
    '01.01.2025;Anfangssaldo;100,00;100,00',
    '13.01.2025;A;-3,50;96,50',
    '14.01.2025;Summe Hochbau GmbH;-10,00;86,50',
    '31.01.2025;Endsaldo per 31.01.2025;86,50;86,50',
    '31.01.2025;Summe;-13,50;',
  )
  const { rows, problems } = readStatement(file)
  expect(rows.map(({ name, amount }) => [name, amount])).toEqual([['A', -3.5], [
    'Summe Hochbau GmbH',
    -10,
  ]])
  expect(problems).toMatchObject([
    {
      line: 2,
      message:
        '"Anfangssaldo" is the name of a balance or a total, not of a transaction. This line was skipped.',
    },
    { line: 5 },
    {
      line: 6,
    },
  ])
})

const dated = (...texts: string[]) =>
  csv('Date,Description,Amount', ...texts.map((text) => `${text},Shop,-1.00`))
const days = (statement: ReturnType<typeof readStatement>) =>
  statement.rows.map(({ transaction_date }) => transaction_date)

test.each([
  ['26/02/01', ['dmy', 'ymd'], ['2001-02-26', '2026-02-01']],
  ['26-02-01', ['dmy', 'ymd'], ['2001-02-26', '2026-02-01']],
  ['26.02.01', ['dmy', 'ymd'], ['2001-02-26', '2026-02-01']],
  ['01/02/03', ['dmy', 'mdy', 'ymd'], ['2003-02-01', '2003-01-02', '2001-02-03']],
  ['01/02-03', ['dmy', 'mdy', 'ymd'], ['2003-02-01', '2003-01-02', '2001-02-03']],
  ['25.01.24', ['dmy', 'ymd'], ['2024-01-25', '2025-01-24']],
])('a date such as %s is a question with the date of each order', (text, orders, meant) => {
  const choices = orders.map((value, index) => ({ value, sample: meant[index] }))
  expect(readStatement(dated(text, text))).toMatchObject({
    rows: [],
    problems: [{ line: 2, option: 'dateOrder', unclear: [text], choices }],
  })
  for (const { value, sample } of choices)
    expect(days(readStatement(dated(text), { dateOrder: value as 'dmy' }))).toEqual([sample])
})

test('one date of the file can exclude the other orders of two-digit years', () => {
  expect(days(readStatement(dated('26/02/01', '32/02/01')))).toEqual(['2026-02-01', '2032-02-01'])
  expect(days(readStatement(dated('03/04/25', '03/13/25')))).toEqual(['2025-03-04', '2025-03-13'])
  // a year has two digits
  expect(days(readStatement(dated('1.3.25', '31.3.25')))).toEqual(['2025-03-01', '2025-03-31'])
  expect(days(readStatement(dated('26/2/1', '26/2/28')))).toEqual(['2026-02-01', '2026-02-28'])
})

test('years with two digits are a question in QIF too, and an apostrophe stands before the year', () => {
  const qif = (...texts: string[]) =>
    `!Type:Bank\n${texts.map((text) => `D${text}\nT-1.00\nPShop\n^`).join('\n')}\n`
  expect(days(readStatement(qif('26/01/31')))).toEqual(['2026-01-31'])
  expect(readStatement(qif('26/01/21'))).toMatchObject({
    rows: [],
    problems: [{ option: 'dateOrder', choices: [{ value: 'dmy' }, { value: 'ymd' }] }],
  })
  expect(days(readStatement(qif("1/ 5'26", "1/13'26", "1/14' 6")))).toEqual([
    '2026-01-05',
    '2026-01-13',
    '2006-01-14',
  ])
  expect(readStatement(qif("5'9.2024")).problems).toMatchObject([{
    option: 'dateOrder',
    choices: [{ sample: '2024-09-05' }, { sample: '2024-05-09' }],
  }])
  expect(days(readStatement(qif("28.02'2026", "05.03'26", "2024'01'02", "9.5'2024")))).toEqual([
    '2026-02-28',
    '2026-03-05',
    '2024-01-02',
    '2024-05-09',
  ])
  expect(days(readStatement(qif('03121984', '31121984', '1/2/102', '31/1/102')))).toEqual([
    '1984-12-03',
    '1984-12-31',
    '2002-02-01',
    '2002-01-31',
  ])
})

test("the export of an app that was saved again with two-digit years is a question, because the app's order is only that of its own notation", () => {
  const file = (day: string) =>
    csv(
      'Date,Merchant,Category,Account,Original Statement,Notes,Amount',
      `${day},Shop,Food,Giro,,,-1.00`,
    )
  expect(days(readStatement(file('2026-02-01')))).toEqual(['2026-02-01'])
  expect(readStatement(file('3/4/25'))).toMatchObject({
    preset: 'monarch',
    rows: [],
    problems: [{ option: 'dateOrder' }],
  })
})

test.each([
  ['shift_jis', 'コンビニ', '8352 8393 8372 836a', '給与', '8b8b 975e'],
  ['shift_jis', 'ｺﾝﾋﾞﾆ', 'ba dd cb de c6', 'スーパー', '8358 815b 8370 815b'],
  ['euc-jp', 'コンビニ', 'a5b3 a5f3 a5d3 a5cb', '給与', 'b5eb cdbf'],
  ['gb18030', '便利店', 'b1e3 c0fb b5ea', '工资', 'b9a4 d7ca'],
  ['euc-kr', '편의점', 'c6ed c0c7 c1a1', '급여', 'b1de bfa9'],
  ['big5', '便利店', 'ab4b a751 a9b1', '薪水', 'c17e a4f4'],
])(
  'a file in %s with %s is a question whose choices include it',
  (encoding, name, bytesOfName, other, bytesOfOther) => {
    const encoded = (hex: string) =>
      hex.replaceAll(' ', '').match(/../g)!.map((byte) =>
        String.fromCharCode(Number.parseInt(byte, 16))
      ).join('')
    const file = bytes(
      csv(
        'Date,Name,Amount',
        `2025-01-03,${encoded(bytesOfName)},-1200`,
        `2025-01-04,${encoded(bytesOfOther)},-300`,
      ),
      {},
    )
    const statement = readStatement(file)
    expect(statement).toMatchObject({
      header: ['Date', 'Name', 'Amount'],
      rows: [],
      problems: [{ option: 'encoding' }],
    })
    expect(statement.problems[0]?.choices).toContainEqual({
      value: encoding,
      sample: `${name}, ${other}`,
    })
    expect(readStatement(file, { encoding }).rows.map((row) => row.name)).toEqual([name, other])
  },
)

test('letters of Latin languages are no Japanese, Chinese or Korean', () => {
  for (const name of ['BÄCKEREI', 'Straße', 'ALIMENTAÇÃO', 'für', 'CRÈME BRÛLÉE']) {
    const { problems, encoding = '' } = readStatement(
      bytes(csv('Date,Name,Amount', `2025-01-03,${name},-3.50`), {}),
    )
    expect(
      [encoding, ...problems.flatMap(({ choices = [] }) => choices.map(({ value }) => value))]
        .join(),
    ).not.toMatch(/jis|euc|gb|big5/)
  }
})

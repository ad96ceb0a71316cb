/** Sums, amounts and texts of statements in CAMT, OFX and MT940. */
import { expect, test } from 'vitest'
import { readStatement } from '../../bank-files/index.ts'
import {
  accountsOf,
  archive,
  type Camt,
  camt,
  camtFile,
  type Line,
  messagesOf,
  mt940,
  notAddedUp,
  ofx,
  ofxFile,
  rowsOf,
} from './statement-files.ts'

test('CAMT whose entries do not add up to the closing balance, or to the stated number or total, reports it', () => {
  const total = (number: number, sum: string) =>
    `<TxsSummry><TtlNtries><NbOfNtries>${number}</NbOfNtries><Sum>${sum}</Sum></TtlNtries></TxsSummry>`
  const [opening, closing]: [Line, Line] = [['2026-05-01', '100.00'], ['2026-05-05', '60.00']]
  const problemsOf = (head: Camt, ...lines: Line[]) =>
    messagesOf(readStatement(camtFile(camt(head, ...lines)))).map((
      [, line, message],
    ) => [line, message])
  expect(problemsOf({ opening, closing, total: total(2, '40.00') }, ['2026-05-02', '-10.00']))
    .toEqual([
      [5, notAddedUp],
      [
        6,
        'The transactions do not match the stated number of 2. The file may be incomplete.',
      ],
    ])
  expect(problemsOf({ kind: 'Rpt', total: total(1, '40.00') }, ['2026-05-02', '-10.00'])).toEqual([
    [
      4,
      'The transactions do not add up to the stated total of 40.00. The file may be incomplete.',
    ],
  ])
  const direction = '<TxsSummry><TtlDbtNtries><NbOfNtries>2</NbOfNtries></TtlDbtNtries></TxsSummry>'
  expect(problemsOf({ kind: 'Rpt', total: direction }, ['2026-05-02', '-10.00'])).toHaveLength(1)
})

test('CAMT adds up without pending and informational entries, without a stated balance, and with a credit line in its balances', () => {
  const total =
    '<TxsSummry><TtlNtries><NbOfNtries>2</NbOfNtries><Sum>30.00</Sum></TtlNtries></TxsSummry>'
  const lines: Line[] = [['2026-05-02', '-10.00'], ['2026-05-03', '20.00'], [
    '2026-05-04',
    '-5.00',
    'PDNG',
  ], ['2026-05-04', '-5.00', 'INFO']]
  const only = 'This entry is for information only and moves no money, so it was skipped.'
  const [opening, line]: [Line, string] = [
    ['2026-05-01', '100.00'],
    '<CdtLine><Incl>true</Incl><Amt Ccy="EUR">500.00</Amt></CdtLine>',
  ]
  for (
    const head of [{ opening, closing: ['2026-05-04', '110.00'] }, { kind: 'Rpt', opening }, {
      opening,
      closing: ['2026-05-04', '610.00', line],
    }] satisfies Camt[]
  ) {
    expect(
      messagesOf(readStatement(camtFile(camt({ ...head, total }, ...lines)))).map(([, , message]) =>
        message
      ),
    ).toEqual([only])
  }
  expect(
    accountsOf(readStatement(camtFile(camt({ opening, closing: ['2026-05-04', '600.00', line] })))),
  ).toEqual([['eur', 100, '05-04']])
})

test('OFX with several statements of an account has the latest balance by day', () => {
  const [february, march] = [
    ofx({ closing: ['2026-02-28', '80.00'] }, ['2026-02-28', '-20.00', '<FITID>1']),
    ofx({ closing: ['2026-03-31', '50.00'] }, ['2026-03-31', '-30.00', '<FITID>2']),
  ]
  const latest = {
    type: 'CHECKING',
    balance: { amount: 50, on: '2026-03-31' },
    rows: { length: 2 },
  }
  for (const file of [ofxFile(february, march), ofxFile(march, february)])
    expect(readStatement(file).accounts).toMatchObject([latest])
  expect(readStatement(archive(ofxFile(march), ofxFile(february))).accounts).toMatchObject([latest])
})

test('an amount of OFX has no groups, so its last mark is the decimal sign', () => {
  const amounts = (...texts: string[]) =>
    readStatement(
      ofxFile(ofx({}, ...texts.map((text, at): Line => ['2026-03-01', text, `<FITID>${at}`]))),
    )
  expect(
    amounts('-12.500', '-1.234,50', '1.234.567', '1,234,567.89', '-7,5').rows.map(({ amount }) =>
      amount
    ),
  ).toEqual([
    -12.5,
    -1234.5,
    1234567,
    1234567.89,
    -7.5,
  ])
  expect(amounts('-3.771').problems).toMatchObject([{
    option: 'roundAmounts',
    unclear: ['-3.771'],
  }])
  expect(readStatement(ofxFile(ofx({ closing: ['2026-03-02', '1,234.50'] }))).accounts)
    .toMatchObject([{ balance: { amount: 1234.5 } }])
})

test('OFX without an <OFX> element or without an element of the statement is read', () => {
  const list =
    '<BANKTRANLIST><DTSTART>20260301\n<STMTTRN><DTPOSTED>20260301<TRNAMT>-12.50<FITID>1<NAME>Kiosk</STMTTRN></BANKTRANLIST>'
  const xml = list.replaceAll(/<(DTSTART|DTPOSTED|TRNAMT|FITID|NAME)>([^<\n]*)/g, '<$1>$2</$1>')
  for (
    const file of [
      `OFXHEADER:100\nDATA:OFXSGML\n\n${list}`,
      list,
      `<?xml version="1.0"?><?OFX OFXHEADER="200"?>${xml}`,
      `OFXHEADER:100\n\n<BANKMSGSRSV1>${list}</BANKMSGSRSV1>`,
    ]
  ) {
    expect(readStatement(file)).toMatchObject({
      format: 'ofx',
      rows: [{ amount: -12.5, name: 'Kiosk' }],
      problems: [],
      accounts: [],
    })
  }
  const named =
    `OFXHEADER:100\n\n<CURDEF>EUR<BANKACCTFROM><ACCTID>9</BANKACCTFROM>${list}<LEDGERBAL><BALAMT>10.00<DTASOF>20260302</LEDGERBAL>`
  expect(readStatement(named).accounts).toMatchObject([{
    id: '9',
    currency: 'eur',
    balance: { amount: 10 },
    rows: [{ amount: -12.5 }],
  }])
  expect(readStatement(named.replace(/<BANKACCTFROM>.*<\/BANKACCTFROM>/, ''))).toMatchObject({
    accounts: [],
    balance: { amount: 10, on: '2026-03-02' },
  })
})

test('an amount of OFX in another currency is converted at the rate of the file, except the original amount of a converted one', () => {
  const read = (element: string, rate: string, symbol: string, amount = '-35.01') =>
    readStatement(
      ofxFile(
        ofx({}, [
          '2026-03-01',
          amount,
          `<${element}><CURRATE>${rate}<CURSYM>${symbol}</${element}>`,
        ]),
      ),
    )
  expect(read('CURRENCY', '1.1', 'USD', '-35,00').rows).toMatchObject([{
    amount: -38.5,
    currency: 'eur',
    metadata: { original_amount: '-35.00 USD × 1.1' },
  }])
  const rounded = read('CURRENCY', '1.2345', 'USD')
  expect(rounded.rows).toMatchObject([{ amount: -43.22, currency: 'eur' }])
  expect(messagesOf(rounded)).toEqual([[
    undefined,
    4,
    '"-35.01 USD" at the rate 1.2345 was rounded to -43.22.',
  ]])
  expect(read('CURRENCY', '1.00', 'EUR').rows).toMatchObject([{ amount: -35.01, currency: 'eur' }])
  expect(read('ORIGCURRENCY', '1.1', 'USD').rows).toMatchObject([{
    amount: -35.01,
    currency: 'eur',
  }])
  const unrated = read('CURRENCY', '0', 'USD')
  expect(accountsOf(unrated)).toEqual([['CHECKING', undefined, undefined], [
    'CHECKING',
    undefined,
    undefined,
    -35.01,
  ]])
  expect(messagesOf(unrated)).toEqual([[
    undefined,
    4,
    'The file has no rate for USD, so this amount was not converted.',
  ]])
})

test('MT940 with a minus before an amount has the direction that the closing balance proves', () => {
  const read = (mark: string, closing: string) =>
    readStatement(
      mt940({ opening: ['2026-05-01', '0.00'], closing: ['2026-05-04', closing] }, [
        '2026-05-04',
        '-104.12',
      ]).replace('D104,12', mark),
    )
  expect(rowsOf(read('D-104,12', '104.12'))).toEqual(['04 104.12'])
  expect(rowsOf(read('D-104,12', '-104.12'))).toEqual(['04 -104.12'])
  expect(rowsOf(read('C-104,12', '-104.12'))).toEqual(['04 -104.12'])
  expect(rowsOf(read('D+104,12', '-104.12'))).toEqual(['04 -104.12'])
  expect(messagesOf(read('D-104,12', '-4.12'))).toEqual([
    [undefined, 5, '"2605040504D-104,12NTRFNONREF" is not an MT940 transaction. It was skipped.'],
    [undefined, 7, notAddedUp],
  ])
})

test.each([
  [
    'a French bank',
    'A44?Librairie Gibert\nVirement en ligne',
    'Librairie Gibert',
    'Virement en ligne',
  ],
  ['a French bank, with one line', 'C92?Frais de tenue', 'Frais de tenue', undefined],
  ['a Polish bank', '020~00VE02~20Czynsz~32Jan Kowalski', 'Jan Kowalski', 'Czynsz'],
  [
    'a bank without the code of the transaction type',
    '?00Lastschrift?20Miete?32Ann Muster',
    'Ann Muster',
    'Miete',
  ],
  ['a question in free text', 'WHY? nobody knows', 'WHY? nobody knows', undefined],
])('the field :86: of %s has its name and its description', (_, text, name, description) => {
  const [row] = readStatement(
    mt940({ opening: ['2026-05-01', '0.00'], closing: ['2026-05-04', '1.00'] }, [
      '2026-05-04',
      '1.00',
      text,
    ]),
  ).rows
  expect([row?.name, row?.description]).toEqual([name, description])
})

test('a French row that repeats the description of :61: after the name has it only as its description', () => {
  const file = mt940({ opening: ['2026-05-01', '0.00'], closing: ['2026-05-04', '1.00'] }, [
    '2026-05-04',
    '1.00',
    'B32?TREMBLAY, MARIE Paiement mobile',
  ])
  expect(readStatement(file.replace('NONREF', 'NONREF\nPaiement mobile')).rows).toMatchObject([{
    name: 'TREMBLAY, MARIE',
    description: 'Paiement mobile',
  }])
})

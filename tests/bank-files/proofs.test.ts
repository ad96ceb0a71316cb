/**
 * A file proves a sign, a date, a repeat or a balance, or Ann is asked or told. Each case is a file
 * of a few lines.
 */
import { afterEach, expect, test, vi } from 'vitest'
import { readAppExport, readStatement } from '../../bank-files/index.ts'
import {
  accountsOf,
  archive,
  camt,
  camtFile,
  type Line,
  messagesOf,
  mt940,
  ofx,
  ofxFile,
} from './statement-files.ts'

const csv = (...lines: string[]) => lines.join('\n')
const amounts = (statement: ReturnType<typeof readStatement>) =>
  statement.rows.map(({ amount }) => amount)

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

const report = (...lines: Line[]) => camtFile(camt({ kind: 'Rpt' }, ...lines))
const statesOf = (...files: string[]) => {
  const { rows, problems } = readStatement(archive(...files))
  return [
    rows.map(({ transaction_date: day, status }) => `${day.slice(8)} ${status}`),
    problems.map(({ file, message }) => `${file}: ${message}`),
  ]
}

test('a row that one report announces and a later one books is read once, unless both reports show that it is another', () => {
  const former = 'a.txt: This pending transaction is booked in line 5 of b.txt, so it was left out.'
  expect(statesOf(report(['2026-05-04', '-7.00', 'PDNG']), report(['2026-05-05', '-7.00'])))
    .toEqual([['05 paid'], [former]])
  expect(
    statesOf(
      report(['2026-05-04', '-7.00', 'PDNG']),
      report(['2026-05-04', '-7.00'], ['2026-05-05', '-7.00', 'PDNG']),
    ),
  )
    .toEqual([['04 paid', '05 pending'], [former]])
  for (
    const files of [
      [report(['2026-05-04', '-7.00', 'PDNG'], ['2026-05-04', '-7.00'])],
      [report(['2026-05-04', '-7.00', 'PDNG']), report(['2026-05-14', '-7.00'])],
      [report(['2026-05-04', '-7.00', 'PDNG']), report(['2026-05-04', '-7.10'])],
      [
        report(['2026-05-04', '-7.00', 'PDNG'], ['2026-05-06', '-1.00']),
        report(['2026-05-04', '-7.00']),
      ],
    ]
  ) {
    const [states, problems] = statesOf(...files)
    expect([states?.includes('04 pending'), problems]).toEqual([true, []])
  }
  const still = statesOf(
    report(['2026-05-04', '-7.00', 'PDNG']),
    report(['2026-05-04', '-7.00', 'PDNG'], ['2026-05-05', '-7.00']),
  )
  expect(still[0]).toEqual(['04 pending', '05 paid'])
})

test('a report without balances has no row that a complete statement has under another name, or as one row of a batch', () => {
  const complete = (closing: string, ...lines: Line[]) =>
    camtFile(
      camt({ opening: ['2026-05-01', '100.00'], closing: ['2026-05-04', closing] }, ...lines),
    )
  const brief = report(['2026-05-04', '-30.00']).replace('Kiosk', 'KIOSK 0042')
  const namesOf = (...files: string[]) => {
    const { rows, problems } = readStatement(archive(...files))
    return [
      rows.map(({ name, amount }) => `${name} ${amount}`),
      problems.filter(({ row }) => row === undefined).map(({ file }) => file),
    ]
  }
  expect(namesOf(brief, complete('70.00', ['2026-05-04', '-30.00']))).toEqual([['Kiosk -30'], [
    'a.txt',
  ]])
  expect(namesOf(complete('70.00', ['2026-05-04', '-30.00']), brief)).toEqual([['Kiosk -30'], [
    'b.txt',
  ]])
  // An incomplete statement, and one that has the same row too, prove nothing.
  expect(namesOf(brief, complete('60.00', ['2026-05-04', '-30.00']))[0]).toEqual([
    'KIOSK 0042 -30',
    'Kiosk -30',
  ])
  const both = report(['2026-05-04', '-30.00'], ['2026-05-04', '-30.00']).replace(
    'Kiosk',
    'KIOSK 0042',
  )
  expect(namesOf(both, complete('70.00', ['2026-05-04', '-30.00']))[0]).toEqual([
    'KIOSK 0042 -30',
    'Kiosk -30',
  ])

  const part = (amount: string) => `<TxDtls><Amt Ccy="EUR">${amount}</Amt></TxDtls>`
  const notified = (amount: string) =>
    report(['2026-05-04', amount]).replace(
      '<AddtlNtryInf>',
      `<NtryDtls>${part('10.00')}${part(String(-Number(amount) - 10))}</NtryDtls><AddtlNtryInf>`,
    )
  expect(namesOf(notified('-30.00'), complete('70.00', ['2026-05-04', '-30.00']))).toEqual([[
    'Kiosk -30',
  ], ['a.txt', 'a.txt']])
  expect(namesOf(notified('-45.00'), complete('70.00', ['2026-05-04', '-30.00']))[0]).toEqual([
    'Kiosk -10',
    'Kiosk -35',
    'Kiosk -30',
  ])
})

test('equal rows with one id are two transactions if the balances of the statement prove it, and one otherwise', () => {
  const line: Line = ['2026-05-04', '-10.00']
  const twice = (closing: string) =>
    readStatement(
      camtFile(
        camt({ opening: ['2026-05-01', '100.00'], closing: ['2026-05-04', closing] }, line, line),
      ).replaceAll(
        '</Sts>',
        '</Sts><AcctSvcrRef>REF-7</AcctSvcrRef>',
      ),
    )
  const both = twice('80.00')
  expect(both.rows).toMatchObject([{ amount: -10, metadata: { shared_id: 'REF-7' } }, {
    amount: -10,
    metadata: { shared_id: 'REF-7' },
  }])
  expect(both.rows[0]).not.toHaveProperty('external_id')
  expect(both.problems.map(({ line: at, field }) => [at, field])).toEqual([[7, 'external_id'], [
    8,
    'external_id',
  ]])
  const once = twice('90.00')
  expect([amounts(once), once.problems.map(({ message }) => message)]).toEqual([[-10], [
    'This is line 7 once more, with the same id, and was left out.',
  ]])
  expect([amounts(twice('70.00')), twice('70.00').problems.length]).toEqual([[-10], 2])
  const sheet = (second: string) =>
    csv(
      'Date,Name,Amount,Transaction ID,Balance',
      '2026-05-04,Bar,-3.50,7,96.50',
      `2026-05-04,Bar,-3.50,7,${second}`,
    )
  expect([amounts(readStatement(sheet('93.00'))), amounts(readStatement(sheet('96.50')))]).toEqual([
    [-3.5, -3.5],
    [-3.5],
  ])
})

const closed = (number: string, opening: string, closing: string, amount: string) =>
  mt940({ number, opening: ['2026-05-04', opening], closing: ['2026-05-04', closing] }, [
    '2026-05-04',
    amount,
  ])

test.each([
  [
    'its opening balance is the closing one of the other',
    closed('1/1', '90.00', '70.00', '-20.00'),
    closed('1/1', '100.00', '90.00', '-10.00'),
    70,
  ],
  [
    'it has the greater number, not the later place',
    closed('10/1', '50.00', '70.00', '20.00'),
    closed('9/1', '100.00', '90.00', '-10.00'),
    70,
  ],
  [
    'nothing says it, so there is no balance',
    closed('1/1', '50.00', '70.00', '20.00'),
    closed('1/1', '100.00', '90.00', '-10.00'),
    undefined,
  ],
])('the last of two statements of one day: %s', (_, one, other, balance) => {
  for (const file of [one + other, other + one]) {
    const { accounts, problems } = readStatement(file)
    expect(accounts.map((account) => account.balance?.amount)).toEqual([balance])
    expect(
      problems.map(({ message }) => message).filter((message) =>
        !message.startsWith('This statement opens with')
      ),
    ).toEqual(
      balance === undefined
        ? [
          'Several statements close on this day with other balances, and nothing says which is the last. None was taken.',
        ]
        : [],
    )
  }
})

/**
 * The balances and the closing day of each statement of an account; the last part is its number.
 */
const chainOf = (...parts: Array<[from: string, to: string, day: string, number?: string]>) => {
  const amountOf = (from: string, to: string) => (Number(to) - Number(from)).toFixed(2)
  const swift = parts.map(([from, to, day, number = day]) =>
    mt940(
      { number, opening: [`2026-05-${day}`, from], closing: [`2026-05-${day}`, to] },
      ...from === to ? [] : [[`2026-05-${day}`, amountOf(from, to)] as Line],
    )
  ).join('')
  const xml = camtFile(
    ...parts.map(([from, to, day]) =>
      camt(
        { id: day, opening: [`2026-05-${day}`, from], closing: [`2026-05-${day}`, to] },
        ...from === to ? [] : [[`2026-05-${day}`, amountOf(from, to)] as Line],
      )
    ),
  )
  return [swift, xml]
}

test.each<[string, Parameters<typeof chainOf>, string[]]>([
  ['one between two is missing', [['100.00', '90.00', '04'], ['70.00', '65.50', '06']], [
    '70.00 90.00',
  ]],
  ['two are missing', [['100.00', '90.00', '04'], ['70.00', '65.50', '06'], [
    '60.00',
    '60.00',
    '08',
  ]], ['70.00 90.00', '60.00 65.50']],
  ['one is missing after days without a change', [['90.00', '90.00', '04'], [
    '90.00',
    '90.00',
    '05',
  ], ['70.00', '65.50', '06']], ['70.00 90.00']],
  ['one of a day is missing', [['100.00', '90.00', '04'], ['70.00', '65.50', '04']], [
    '70.00 90.00',
  ]],
  ['each opens where another one closes', [['100.00', '90.00', '04'], ['90.00', '90.00', '05'], [
    '90.00',
    '65.50',
    '06',
  ]], []],
  ['the newest is first', [['90.00', '65.50', '06'], ['100.00', '90.00', '04']], []],
  ['one is there twice', [['100.00', '90.00', '04'], ['100.00', '90.00', '04'], [
    '90.00',
    '65.50',
    '06',
  ]], []],
])(
  'a statement that does not open where the one before it closes is a problem: %s',
  (_, parts, expected) => {
    for (const file of chainOf(...parts)) {
      const gaps = readStatement(file).problems.filter(({ message }) =>
        message.includes('may be missing')
      )
      expect(gaps.map(({ message }) => [...message.matchAll(/\d+\.\d\d/g)].join(' '))).toEqual(
        expected,
      )
    }
  },
)

test('the problem of a missing statement names both balances, and accounts and files of an archive have their own statements', () => {
  const [swift = ''] = chainOf(['100.00', '90.00', '04'], ['70.00', '65.50', '06'])
  const message =
    'This statement opens with 70.00, but that of line 2 closes with 90.00. A statement between them may be missing in the file.'
  expect(messagesOf(readStatement(swift))).toEqual([[undefined, 12, message]])
  const [first = '', second = ''] = [
    ['100.00', '90.00', '04'] as const,
    ['70.00', '65.50', '06'] as const,
  ].map((part) => chainOf([...part])[0])
  expect(messagesOf(readStatement(archive(first, second)))).toEqual([[
    'b.txt',
    4,
    message.replace('line 2', 'line 2 of a.txt'),
  ]])
  expect(messagesOf(readStatement(first + second.replace(':25:DE1', ':25:DE2')))).toEqual([])
})

test('the last of several statements of CAMT or OFX that close at one time has the greater sequence number, or the later end', () => {
  const numbered = (number: string, closing: string) =>
    camt({ closing: ['2026-05-04', closing], total: `<ElctrncSeqNb>${number}</ElctrncSeqNb>` })
  expect(accountsOf(readStatement(camtFile(numbered('10', '70.00'), numbered('9', '90.00')))))
    .toEqual([['eur', 70, '05-04']])
  const until = (day: string, closing: string) =>
    ofx({ closing: ['2026-05-04', closing] }).replace(
      '<BANKTRANLIST>',
      `<BANKTRANLIST><DTEND>${day}`,
    )
  expect(accountsOf(readStatement(ofxFile(until('20260504', '70.00'), until('20260430', '90.00')))))
    .toEqual([['CHECKING', 70, '05-04']])
})

test('an amount or a balance with more decimals than its currency is a question or a problem, also after a conversion', () => {
  const yen = (amount: string, more = '') =>
    ofxFile(
      ofx({ currency: 'JPY', closing: ['2026-03-02', '1200.50'] }, ['2026-03-01', amount, more]),
    )
  const read = readStatement(yen('-35.01', '<CURRENCY><CURRATE>150.5<CURSYM>USD</CURRENCY>'))
  expect([amounts(read), messagesOf(read).map(([, , message]) => message)]).toEqual([[-5269], [
    '"-35.01 USD" at the rate 150.5 was rounded to -5269.',
    'The closing balance "1200.50" has more decimals than can be stored, so it was rounded to 1201.',
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
    'The closing balance "12.345" has more decimals than can be stored, so it was rounded to 12.35.',
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

/** Returns a row of OFX with the id of the transaction that it corrects. */
const correcting = (amount: string, id: string, corrects?: string, action = 'REPLACE'): Line => [
  '2026-03-02',
  amount,
  `<FITID>${id}${
    corrects === undefined ? '' : `<CORRECTFITID>${corrects}<CORRECTACTION>${action}`
  }`,
]
const idsOf = ({ rows }: ReturnType<typeof readStatement>) =>
  rows.map(({ external_id: id, amount }) => `${id} ${amount}`)

test.each<[string, Line[], string[], string[]]>([
  ['a replacement in the file', [correcting('-10', '1'), correcting('-12', '2', '1')], ['1 -12'], [
    'The bank replaced line 4 with this transaction',
  ]],
  ['a replacement before its original', [correcting('-12', '2', '1'), correcting('-10', '1')], [
    '1 -12',
  ], ['The bank replaced line 5 with this transaction']],
  ['a replacement under the same id', [correcting('-10', '1'), correcting('-12', '1', '1')], [
    '1 -12',
  ], ['The bank replaced line 4 with this transaction']],
  [
    'a replacement of a replacement',
    [correcting('-10', '1'), correcting('-12', '2', '1'), correcting('-13', '3', '2')],
    ['1 -13'],
    [
      'The bank replaced line 4 with this transaction',
      'The bank replaced line 5 with this transaction',
    ],
  ],
  ['a replacement of an earlier file', [correcting('-12', '2', '1'), correcting('-7', '9')], [
    '1 -12',
    '9 -7',
  ], [
    'The bank replaced the earlier transaction "1"',
  ]],
  [
    'two replacements of each other, which are none',
    [correcting('-10', '1', '2'), correcting('-12', '2', '1')],
    ['1 -10', '2 -12'],
    [
      'The bank replaced the earlier transaction "2"',
      'The bank replaced the earlier transaction "1"',
    ],
  ],
  [
    'a deletion in the file',
    [correcting('-10', '1'), correcting('-10', '2', '1', 'DELETE'), correcting('-7', '9')],
    ['9 -7'],
    [
      'The bank deleted line 4 with this line',
    ],
  ],
  [
    'a deletion of a replacement',
    [correcting('-10', '1'), correcting('-12', '2', '1'), correcting('-12', '3', '2', 'DELETE')],
    [],
    [
      'The bank replaced line 4 with this transaction',
      'The bank deleted line 5 with this line',
    ],
  ],
  [
    'a deletion of an earlier file',
    [correcting('-10', '2', '1', 'DELETE'), correcting('-7', '9')],
    ['9 -7'],
    ['The bank deleted the earlier transaction "1"'],
  ],
  ['a deletion of an id that two transactions share', [
    correcting('-10', '1'),
    correcting('-7', '1'),
    correcting('-12', '2', '1', 'DELETE'),
  ], [
    'undefined -10',
    'undefined -7',
  ], [
    'The bank deleted the earlier transaction "1"',
    'The bank gave the id "1" to different transactions',
    'The bank gave the id "1" to different transactions',
  ]],
])('OFX with %s', (_, lines, expected, messages) => {
  const statement = readStatement(ofxFile(ofx({}, ...lines)))
  expect(idsOf(statement)).toEqual(expected)
  expect(
    statement.problems.map(({ message }) => messages.find((start) => message.startsWith(start))),
  ).toEqual(expect.arrayContaining(messages))
  expect(statement.problems).toHaveLength(messages.length)
})

test('a correction of OFX is followed over the files of an archive, and not into another account', () => {
  const [first, second] = [[correcting('-10', '1')], [correcting('-12', '2', '1')]].map((lines) =>
    ofxFile(ofx({}, ...lines))
  ) as [string, string]
  expect(idsOf(readStatement(archive(first, second)))).toEqual(['1 -12'])
  expect(idsOf(readStatement(archive(second, first)))).toEqual(['1 -12'])
  expect(idsOf(readStatement(archive(first, second.replace('CHECKING', 'SAVINGS'))))).toEqual([
    '1 -10',
    '1 -12',
  ])
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

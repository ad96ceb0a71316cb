/**
 * Rows that one statement has and another repeats, books or corrects, and statements that are
 * missing. Each case is a file of a few lines.
 */
import { expect, test } from 'vitest'
import { readStatement } from '../../bank-files/index.ts'
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

const report = (...lines: Line[]) => camtFile(camt({ kind: 'Rpt' }, ...lines))
const statesOf = (...files: string[]) => {
  const { rows, problems } = readStatement(archive(...files))
  return [
    rows.map(({ transaction_date: day, status }) => `${day.slice(8)} ${status}`),
    problems.map(({ file, message }) => `${file}: ${message}`),
  ]
}

test('a row that one report announces and a later one books is read once, unless both reports show that it is another', () => {
  const former =
    'a.txt: This pending transaction is already booked in line 5 of b.txt, so it was skipped.'
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
    'This repeats line 7, with the same ID, so it was skipped.',
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
          'Several statements close on this day with different balances, so none was used.',
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
    'This statement opens with 70.00, but the statement of line 2 closes with 90.00. A statement between them may be missing from the file.'
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
    'The bank gave the ID "1" to several transactions',
    'The bank gave the ID "1" to several transactions',
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

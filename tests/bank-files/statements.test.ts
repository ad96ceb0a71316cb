/**
 * Several statements in one file or archive: their accounts, their balances, and the rows that they
 * repeat.
 */
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

test('one account number with several currencies is an account for each currency, in MT940, CAMT and CSV', () => {
  const [euro, dollar] = [{ opening: ['2026-03-01', '100.00'], closing: ['2026-03-02', '90.00'] }, {
    opening: ['2026-03-01', '500.00'],
    closing: ['2026-03-03', '525.00'],
  }] as const
  const swift = (suffix: string) =>
    readStatement(
      mt940(
        { id: `NL1${suffix && 'EUR'}`, opening: [...euro.opening], closing: [...euro.closing] },
        ['2026-03-02', '-10.00'],
      )
        + mt940({
          id: `NL1${suffix && 'USD'}`,
          currency: 'USD',
          opening: [...dollar.opening],
          closing: [...dollar.closing],
        }, ['2026-03-03', '25.00']),
    )
  const expected = [['eur', 90, '03-02', -10], ['usd', 525, '03-03', 25]]
  expect([accountsOf(swift('')), accountsOf(swift('with'))]).toEqual([expected, expected])
  expect(swift('with').accounts.map(({ id }) => id)).toEqual(['NL1', 'NL1'])
  expect(accountsOf(readStatement(camtFile(
    camt({ opening: [...euro.opening], closing: [...euro.closing] }, ['2026-03-02', '-10.00']),
    camt({ currency: 'USD', opening: [...dollar.opening], closing: [...dollar.closing] }, [
      '2026-03-03',
      '25.00',
    ]),
  )))).toEqual(expected)
  const csv =
    'IBAN,Currency,Date,Name,Amount\nNL1,EUR,2026-03-02,Kiosk,-10.00\nNL1,USD,2026-03-03,Kiosk,25.00\nNL2,EUR,2026-03-03,Kiosk,-1.00\n'
  expect(accountsOf(readStatement(csv, { account: 'IBAN' }))).toEqual([
    ['eur', undefined, undefined, -10],
    ['usd', undefined, undefined, 25],
    [
      'eur',
      undefined,
      undefined,
      -1,
    ],
  ])
})

test('one CAMT statement with balances of two currencies has the entries and the balance of each', () => {
  const [euro, dollar] = [
    camt({ opening: ['2026-03-01', '100.00'], closing: ['2026-03-02', '90.00'] }, [
      '2026-03-02',
      '-10.00',
    ]),
    camt({ currency: 'USD', opening: ['2026-03-01', '10.00'], closing: ['2026-03-03', '12.00'] }, [
      '2026-03-03',
      '2.00',
    ]),
  ]
  const joint = camtFile(euro.replace('</Stmt>\n', '') + dollar.replace(/<Stmt>.*<\/Acct>/, ''))
    .replaceAll('<Ccy>EUR</Ccy>', '')
  const statement = readStatement(joint)
  expect(accountsOf(statement)).toEqual([['eur', 90, '03-02', -10], ['usd', 12, '03-03', 2]])
  expect(statement.problems).toEqual([])
})

test('OFX with one number for a checking, a savings and a credit line account, and for two banks, has an account for each', () => {
  const statement = readStatement(ofxFile(
    ofx({ closing: ['2026-03-02', '80.00'] }, ['2026-03-01', '-20.00', '<FITID>1']),
    ofx({ type: 'SAVINGS', closing: ['2026-03-03', '500.00'] }, ['2026-03-01', '1.25', '<FITID>1']),
    ofx({ type: 'CREDITLINE', closing: ['2026-03-04', '-900.00'] }),
    ofx({ bank: '2', closing: ['2026-03-05', '7.00'] }),
  ))
  expect(accountsOf(statement)).toEqual([
    ['CHECKING', 80, '03-02', -20],
    ['SAVINGS', 500, '03-03', 1.25],
    ['CREDITLINE', -900, '03-04'],
    [
      'CHECKING',
      7,
      '03-05',
    ],
  ])
  expect(statement.accounts.map(({ id, bank }) => [id, bank])).toEqual([['77', '1'], ['77', '1'], [
    '77',
    '1',
  ], ['77', '2']])
  expect(statement.rows.map(({ external_id }) => external_id)).toEqual(['1', '1'])
})

test('MT940 with a closing balance in another currency than its statement reports it, and takes it for no account', () => {
  const file = mt940({ opening: ['2026-03-01', '100.00'], closing: ['2026-03-02', '90.00'] }, [
    '2026-03-02',
    '-10.00',
  ])
  const statement = readStatement(file.replace(/(:62F:.*)EUR/, '$1USD'))
  expect(accountsOf(statement)).toEqual([['eur', undefined, undefined, -10]])
  expect(messagesOf(statement)).toEqual([[
    undefined,
    7,
    'This closing balance is in USD, but its statement is in EUR.',
  ]])
})

test('a statement without rows has its account and its closing balance, in each format', () => {
  const closing: Line = ['2026-05-31', '1234.50']
  const files = [
    mt940({ opening: ['2026-05-01', '1234.50'], closing }),
    ':20:A\n:25:DE1\n:62F:C260531EUR1234,50\n',
    camtFile(camt({ opening: ['2026-05-01', '1234.50'], closing })),
    camtFile(camt({ closing })),
    ofxFile(ofx({ closing })),
    ofxFile(ofx({ closing: ['2026-05-31', '1234,50'] })).replace(
      /<BANKTRANLIST>\n<\/BANKTRANLIST>/,
      '',
    ),
  ]
  for (const file of files) {
    const { rows, problems, accounts } = readStatement(file)
    expect([rows, problems]).toEqual([[], []])
    expect(accounts).toMatchObject([{
      currency: 'eur',
      balance: { amount: 1234.5, on: '2026-05-31' },
      rows: [],
    }])
  }
})

const first = mt940(
  { opening: ['2026-05-01', '100.00'], closing: ['2026-05-05', '66.00'] },
  ['2026-05-04', '-2.00'],
  ['2026-05-04', '-2.00'],
  [
    '2026-05-05',
    '-30.00',
  ],
)
const second = mt940(
  { number: '2/1', opening: ['2026-05-04', '96.00'], closing: ['2026-05-06', '65.00'] },
  ['2026-05-05', '-30.00'],
  ['2026-05-06', '-1.00'],
)
const once = (line: number, file: string) =>
  `According to the balances, this repeats line ${line} of ${file}, so it was skipped.`

test('overlapping MT940 files of one archive have each transaction once, in either order, and two equal purchases of one statement stay two', () => {
  const statement = readStatement(archive(first, second))
  expect(rowsOf(statement)).toEqual(['04 -2', '04 -2', '05 -30', '06 -1'])
  expect(accountsOf(statement)).toEqual([['eur', 65, '05-06', -2, -2, -30, -1]])
  expect(messagesOf(statement)).toEqual([['b.txt', 5, once(9, 'a.txt')]])
  const turned = readStatement(archive(second, first))
  expect(rowsOf(turned).toSorted()).toEqual(rowsOf(statement))
  expect(messagesOf(turned)).toEqual([['a.txt', 5, once(9, 'b.txt')]])
})

test('an archive with the same file twice, and a file with the same statement twice, have each transaction once', () => {
  const message = (line: number, file = '') =>
    `This repeats the statement of line ${line}${file}, so it was skipped.`
  expect(messagesOf(readStatement(archive(first, second, first)))).toEqual([[
    'b.txt',
    5,
    once(9, 'a.txt'),
  ], ['c.txt', 2, message(2, ' of a.txt')]])
  const joined = readStatement(first + first)
  expect([rowsOf(joined), messagesOf(joined)]).toEqual([['04 -2', '04 -2', '05 -30'], [[
    undefined,
    14,
    message(2),
  ]]])
  const renumbered = readStatement(first + first.replace('1/1', '7/1'))
  expect([rowsOf(renumbered).length, renumbered.problems.length]).toEqual([3, 3])
  const documents = readStatement(
    archive(
      ...['a', 'b'].map(() =>
        camtFile(
          camt({ opening: ['2026-05-01', '100.00'], closing: ['2026-05-04', '93.00'] }, [
            '2026-05-04',
            '-7.00',
          ]),
        )
      ),
    ),
  )
  expect([rowsOf(documents), messagesOf(documents)]).toEqual([['04 -7'], [[
    'b.txt',
    3,
    message(3, ' of a.txt'),
  ]]])
})

test('pages and statements of one day that continue each other keep their equal rows, also if the whole sequence is there twice', () => {
  const page = (
    number: string,
    from: string,
    to: string,
    amount: string,
    isFirst: boolean,
    isLast: boolean,
  ) =>
    mt940({ number, opening: ['2026-05-04', from], closing: ['2026-05-04', to], isFirst, isLast }, [
      '2026-05-04',
      amount,
    ])
  const pages = page('5/1', '100.00', '90.00', '-10.00', true, false) +
    page('5/2', '90.00', '85.00', '-5.00', false, false)
    + page('5/3', '85.00', '75.00', '-10.00', false, true)
  for (const file of [pages, pages.replaceAll(/:6([02])M/g, ':6$1F')]) {
    const statement = readStatement(file)
    expect([accountsOf(statement), statement.problems]).toEqual([[[
      'eur',
      75,
      '05-04',
      -10,
      -5,
      -10,
    ]], []])
    expect(accountsOf(readStatement(file + file))).toEqual(accountsOf(statement))
  }
})

test('statements that continue each other keep their equal rows, whatever their order, and also if a row is dated back', () => {
  const [one, other] = [
    mt940({ opening: ['2026-05-03', '100.00'], closing: ['2026-05-04', '90.00'] }, [
      '2026-05-04',
      '-10.00',
    ]),
    mt940({ number: '2/1', opening: ['2026-05-04', '90.00'], closing: ['2026-05-06', '70.00'] }, [
      '2026-05-04',
      '-10.00',
    ], ['2026-05-03', '-10.00']),
  ]
  for (const file of [one + other, other + one]) {
    const statement = readStatement(file)
    expect([rowsOf(statement).toSorted(), statement.problems]).toEqual([[
      '03 -10',
      '04 -10',
      '04 -10',
    ], []])
  }
})

test('a statement that ends where one of two adjoining statements opens does not continue them, but repeats the first', () => {
  const statement = (number: string, from: string, to: string, ...amounts: string[]) =>
    mt940(
      { number, opening: ['2026-05-04', from], closing: ['2026-05-04', to] },
      ...amounts.map((amount): Line => ['2026-05-04', amount]),
    )
  const [former, latter] = [
    statement('2', '98.00', '97.00', '-1.00'),
    statement('3', '97.00', '94.00', '-3.00'),
  ]
  const read = readStatement(
    archive(latter, former, statement('1', '100.00', '97.00', '-2.00', '-1.00')),
  )
  expect(rowsOf(read).toSorted()).toEqual(['04 -1', '04 -2', '04 -3'])
  expect(read.problems.map(({ message }) => message)).toEqual([once(5, 'b.txt')])
})

test('the same balance on another day proves no repeat', () => {
  const week = mt940(
    { opening: ['2026-05-02', '0.00'], closing: ['2026-05-04', '-5.00'] },
    ['2026-05-02', '-3.00'],
    ['2026-05-03', '-1.00'],
    [
      '2026-05-04',
      '-1.00',
    ],
  )
  const later = mt940({
    number: '2/1',
    opening: ['2026-05-04', '-3.00'],
    closing: ['2026-05-04', '-4.00'],
  }, ['2026-05-04', '-1.00'])
  expect(readStatement(archive(week, later)).problems.map(({ message }) => message)).toMatchObject([
    expect.stringContaining('Nothing confirms'),
  ])
})

test('an archive of daily files and the file of their week has each transaction once', () => {
  const balance = (day: number) => `${101 - day}.00`
  const dated = (day: number) => `2026-05-0${day}`
  const daily = [1, 2, 3, 4, 5, 6].map((day) =>
    mt940({
      number: `${day}/1`,
      opening: [dated(day), balance(day)],
      closing: [dated(day), balance(day + 1)],
    }, [dated(day), '-1.00'])
  )
  const week = mt940(
    { number: '9/1', opening: [dated(1), balance(1)], closing: [dated(5), balance(6)] },
    ...[1, 2, 3, 4, 5].map((day): Line => [dated(day), '-1.00']),
  )
  for (const files of [[...daily, week], [week, ...daily]]) {
    const statement = readStatement(archive(...files))
    expect(rowsOf(statement).toSorted()).toEqual([
      '01 -1',
      '02 -1',
      '03 -1',
      '04 -1',
      '05 -1',
      '06 -1',
    ])
    expect(statement.problems.every(({ message }) => message.includes('According to the balances')))
      .toBe(true)
  }
})

test('CAMT files without references have each transaction once, whatever the order of their entries', () => {
  const opening: Line = ['2026-05-01', '100.00']
  const [older, newer]: [Line[], Line[]] = [[['2026-05-04', '-7.00'], ['2026-05-05', '-30.00']], [[
    '2026-05-05',
    '-30.00',
  ], ['2026-05-06', '-1.00']]]
  for (const order of [(lines: Line[]) => lines, (lines: Line[]) => lines.toReversed()]) {
    const statement = readStatement(archive(
      camtFile(camt({ opening, closing: ['2026-05-05', '63.00'] }, ...order(older))),
      camtFile(
        camt(
          { id: 'S2', opening: ['2026-05-04', '93.00'], closing: ['2026-05-06', '62.00'] },
          ...order(newer),
        ),
      ),
    ))
    expect(rowsOf(statement).toSorted()).toEqual(['04 -7', '05 -30', '06 -1'])
    expect(messagesOf(statement)).toMatchObject([[
      'b.txt',
      expect.any(Number),
      expect.stringContaining('According to the balances'),
    ]])
  }
})

test('the pages of a CAMT statement are one statement, with the opening balance of the first and the closing balance of the last', () => {
  const page = (number: number, isLast: boolean, head: Camt, ...lines: Line[]) =>
    camt({
      ...head,
      total: `<StmtPgntn><PgNb>${number}</PgNb><LastPgInd>${
        String(isLast)
      }</LastPgInd></StmtPgntn>${head.total ?? ''}`,
    }, ...lines)
  const total = '<TxsSummry><TtlNtries><NbOfNtries>2</NbOfNtries></TtlNtries></TxsSummry>'
  const file = (closing: string) =>
    camtFile(
      page(1, false, { opening: ['2026-05-01', '100.00'], total }, ['2026-05-04', '-7.00']),
      page(2, true, { closing: ['2026-05-04', closing] }, ['2026-05-04', '-7.00']),
    )
  const statement = readStatement(file('86.00'))
  expect([accountsOf(statement), statement.problems]).toEqual([[['eur', 86, '05-04', -7, -7]], []])
  expect(readStatement(file('93.00')).problems.map(({ message }) => message)).toEqual([notAddedUp])
})

test('equal rows that no balance proves to be different are read once, and a problem says so', () => {
  const unproven =
    "Nothing confirms that it's a separate transaction, so it was skipped. If it is one, add it manually."
  const elsewhere = mt940({
    number: '2/1',
    opening: ['2026-05-04', '500.00'],
    closing: ['2026-05-06', '470.00'],
  }, ['2026-05-05', '-30.00'])
  const gap = readStatement(archive(first, elsewhere))
  expect([rowsOf(gap), messagesOf(gap)]).toEqual([['04 -2', '04 -2', '05 -30'], [[
    'b.txt',
    5,
    `This may repeat line 9 of a.txt. ${unproven}`,
  ]]])
  const reports = readStatement(
    archive(
      ...['R1', 'R2'].map((id) => camtFile(camt({ kind: 'Rpt', id }, ['2026-05-04', '-7.00']))),
    ),
  )
  expect([rowsOf(reports), messagesOf(reports)]).toEqual([['04 -7'], [[
    'b.txt',
    5,
    `This may repeat line 5 of a.txt. ${unproven}`,
  ]]])
  // A purchase and its refund change no balance.
  const nothing = (number: string) =>
    mt940({ number, opening: ['2026-05-04', '100.00'], closing: ['2026-05-04', '100.00'] }, [
      '2026-05-04',
      '-10.00',
    ], ['2026-05-04', '10.00'])
  expect(
    readStatement(nothing('1/1') + nothing('2/1')).problems.map(({ message }) =>
      message.endsWith(unproven)
    ),
  ).toEqual([true, true])
})

test('overlapping statements that name the same transaction differently report it', () => {
  const statement = readStatement(archive(first, second.replace('Kiosk', 'Shop')))
  expect(messagesOf(statement)).toEqual([
    [
      'b.txt',
      2,
      'This statement starts at a balance within another statement but has different transactions. The file may contain some of them twice.',
    ],
  ])
})

test('OFX files of one archive without ids, or with ids that begin at 1 in each file, have each transaction once', () => {
  for (const ids of [['', '', '', ''], ['<FITID>1', '<FITID>2', '<FITID>1', '<FITID>2']]) {
    const statement = readStatement(archive(
      ofxFile(
        ofx({ closing: ['2026-05-05', '68.00'] }, ['2026-05-04', '-2.00', ids[0]!], [
          '2026-05-05',
          '-30.00',
          ids[1]!,
        ]),
      ),
      ofxFile(
        ofx({ closing: ['2026-05-06', '67.00'] }, ['2026-05-05', '-30.00', ids[2]!], [
          '2026-05-06',
          '-1.00',
          ids[3]!,
        ]),
      ),
    ))
    expect(accountsOf(statement)).toEqual([['CHECKING', 67, '05-06', -2, -30, -1]])
  }
})

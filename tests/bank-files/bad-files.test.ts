/** Invalid and malicious files. */
import fc from 'fast-check'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStatement, StatementError } from '../../bank-files/index.ts'
import { bytesOf } from './files.ts'

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

test.each<[string, string | Uint8Array, string]>([
  ['an empty file', '', 'The file is empty.'],
  [
    'a workbook',
    bytes('PK\x03\x04rest'),
    'This is a ZIP archive or an Excel workbook. Unzip it first',
  ],
  ['an old workbook', bytes('\xd0\xcf\x11\xe0rest'), 'This is an Excel workbook.'],
  ['a PDF', bytes('%PDF-1.7'), 'This is a PDF.'],
  ['a picture', bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), 'This is not a text file.'],
  ['a web page', '<!DOCTYPE html><html><body>Sign in</body></html>', 'This is a web page'],
  [
    'MT940 without an account',
    ':20:STARTUMS\n:28C:1/1\n',
    'This MT940 file has neither an account nor a transaction.',
  ],
  [
    'prose',
    'Dear Ann,\nhere is nothing.',
    'This is not a bank statement in CSV, OFX, QIF, MT940 or CAMT.053.',
  ],
  [
    'a table without transactions',
    'City,Country,People\nBonn,Germany,330000',
    'No line names the columns of a statement',
  ],
  [
    'OFX without a statement',
    'OFXHEADER:100\n<OFX><SIGNONMSGSRSV1></SIGNONMSGSRSV1></OFX>',
    'This OFX file has no account statement.',
  ],
  ['QIF without a list', '!Type:Cat\nNFood\n^\n', 'This QIF file has no list of transactions'],
  [
    'another XML',
    '<?xml version="1.0"?><Document><CstmrCdtTrfInitn/></Document>',
    'This XML file is not an account statement (CAMT.052, .053 or .054).',
  ],
  ['truncated XML', '<?xml version="1.0"?>\n<Document>\n<Stmt>', 'Line 3 is not well-formed XML: '],
  ['a file over 16 MB', 'x'.repeat(16 * 1024 * 1024 + 1), 'The file is larger than 16 MB.'],
])('%s is refused with one clear error', (_, file, message) => {
  expect(() => readStatement(file)).toThrow(StatementError)
  expect(() => readStatement(file)).toThrow(message)
})

test('a text with stray NUL bytes, and QIF after a comment, are read', () => {
  for (
    const text of [
      'Date,Name,Amount\n2025-01-03,Sh\0op,-1.00\0\0\0',
      '\0\0\0Date,Name,Amount\n2025-01-03,Shop,-1.00',
    ]
  ) {
    expect(readStatement(bytes(text))).toMatchObject({ rows: [{ name: 'Shop', amount: -1 }] })
  }
  for (const before of ['# written by a program\n', '^\n', '; Quicken\n^\n\n']) {
    expect(readStatement(`${before}!Type:Bank\nD13/1/2025\nT-1.00\nPShop\n^\n`)).toMatchObject({
      format: 'qif',
      rows: [{ name: 'Shop', amount: -1 }],
    })
  }
})

test('invalid options are errors too', () => {
  expect(() => readStatement('Date,Name,Amount', { encoding: 'klingon' })).not.toThrow()
  expect(() => readStatement(bytes('Date,Name,Amount'), { encoding: 'klingon' })).toThrow(
    'The encoding "klingon" is unknown.',
  )
  expect(() => readStatement('Date,Name,Amount', { currency: 'euros' })).toThrow(
    `"euros" is not a currency code.`,
  )
})

test('entities that a file defines are not expanded', () => {
  const lol = Array.from(
    { length: 9 },
    (_, index) => `<!ENTITY lol${index + 1} "${`&lol${index};`.repeat(10)}">`,
  ).join('')
  const bomb =
    `<?xml version="1.0"?><!DOCTYPE Document [<!ENTITY lol0 "lol">${lol}]><Document><Stmt>&lol9;</Stmt></Document>`
  expect(() => readStatement(bomb)).toThrow(
    "Line 1 is not well-formed XML: Named entity isn't defined: &lol9;.",
  )
  expect(() =>
    readStatement(
      `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><a>&f;</a>`,
    )
  ).toThrow('Named entity')
})

test('columns and elements can have the names of built-in object properties', () => {
  const before = Object.keys(Object.prototype)
  const file = '__proto__,constructor,Date,Name,Amount,toString\nx,y,2025-01-03,__proto__,-1.00,z'
  expect(readStatement(file).rows).toEqual([{
    name: '__proto__',
    amount: -1,
    transaction_date: '2025-01-03',
  }])
  expect(
    readStatement('Date,Name,Amount,Status,Direction\n2025-01-03,Shop,-1.00,constructor,toString')
      .problems,
  ).toMatchObject([
    { option: 'directions', unclear: ['toString'] },
    { option: 'statuses', unclear: ['constructor'] },
  ])
  const ofx =
    'OFXHEADER:100\n<OFX><STMTRS><constructor><prototype><polluted>1</prototype></constructor><STMTTRN><DTPOSTED>20250103<TRNAMT>1.00<FITID>__proto__<NAME>Ann</STMTTRN></STMTRS></OFX>'
  expect(readStatement(ofx).rows[0]?.external_id).toBe('__proto__')
  expect(Object.keys(Object.prototype)).toEqual(before)
  expect(({} as { polluted?: string }).polluted).toBeUndefined()
})

test.each([
  ['30,000 unfinished tags', `OFXHEADER:100\n<OFX><STMTRS>${'<a '.repeat(30_000)}`],
  ['30,000 unclosed tags', `OFXHEADER:100\n<OFX><STMTRS>${'<a>'.repeat(30_000)}`],
  ['30,000 nested XML elements', `<?xml version="1.0"?>${'<a>'.repeat(30_000)}`],
  ['100,000 delimiters in one line', ','.repeat(100_000)],
  ['100,000 blanks in one cell', `"${' '.repeat(100_000)}(",Date,Name,Amount\n,2025-01-03,Shop,1`],
  ['100,001 quotation marks', `Date,Name,Amount\n${'"'.repeat(100_001)}`],
  ['30,000 groups of digits', `Date,Name,Amount\n2025-01-03,Shop,${'1,'.repeat(30_000)}`],
  ['30,000 parts of a date', `Date,Name,Amount\n${'1/'.repeat(30_000)},Shop,1`],
  ['100,000 empty lines', '\n'.repeat(100_000)],
])('%s are read or refused in linear time', (_, file) => {
  try {
    expect(readStatement(file).rows.length).toBeLessThanOrEqual(1)
  } catch (error) {
    expect(error).toBeInstanceOf(StatementError)
  }
})

test('each row names an account, and all have an id', () => {
  const lines = Array.from({ length: 2_000 }, (_, index) => `2025-01-03;Shop;-1,00;A${index}`)
  const columns = { date: 'Date', name: 'Name', amount: 'Amount', account: 'Account' }
  expect(readStatement(`Date;Name;Amount;Account\n${lines.join('\n')}`, { columns }).accounts)
    .toHaveLength(2_000)
  const same = Array.from({ length: 2_000 }, (_, index) => `2025-01-03;Shop ${index};-1,00;7`)
  expect(readStatement(`Date;Name;Amount;Transaction ID\n${same.join('\n')}`).problems)
    .toHaveLength(2_000)
})

test('a file with damage at any position is refused with a message, or has rows that the table accepts', () => {
  const names = readdirSync(join(import.meta.dirname, 'files'))
  const damage = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    gone: fc.nat(40),
    put: fc.uint8Array({ maxLength: 8 }),
  })
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.array(damage, { minLength: 1, maxLength: 4 }),
      (name, damages) => {
        let file = bytesOf(name)
        for (const { at, gone, put } of damages) {
          const place = Math.floor(at * file.length)
          file = Uint8Array.from([
            ...file.subarray(0, place),
            ...put,
            ...file.subarray(place + gone),
          ])
        }
        try {
          const { rows, problems } = readStatement(file, { dateOrder: 'dmy' })
          for (const row of rows) {
            const length = Array.from(row.name).length
            expect([
              length > 0 && length <= 255,
              /^\d{4}-\d\d-\d\d$/.test(row.transaction_date),
              Number.isInteger(Number(`${row.amount}e2`)),
            ]).toEqual([
              true,
              true,
              true,
            ])
            expect(JSON.stringify(row)).not.toMatch(/\\u0000|\\ud[89a-f]/)
          }
          for (const { line, row } of problems)
            expect([
              line > 0,
              row === undefined || row <= rows.length,
            ]).toEqual([true, true])
        } catch (error) {
          expect(error).toBeInstanceOf(StatementError)
        }
      },
    ),
    { numRuns: 40 },
  )
})

/** OFX, QIF and CAMT.053 files in the form that banks and programs write. */
import { expect, test } from 'vitest'
import { readStatement } from '../../bank-files/index.ts'
import { briefly, bytesOf } from './files.ts'

test('OFX 1 with unclosed values and an encoding in its header is read, and a time zone does not change the day', () => {
  const { format, encoding, rows, accounts } = readStatement(bytesOf('checking.qfx'))
  expect({ format, encoding }).toEqual({ format: 'ofx', encoding: 'windows-1252' })
  expect(rows[0]).toEqual({
    name: 'BARNES & NOBLE',
    amount: -12.5,
    transaction_date: '2025-03-03',
    currency: 'usd',
    external_id: '202503030001',
    description: 'Café £5 off',
    status: 'paid',
    metadata: { type: 'DEBIT' },
  })
  // An empty MEMO does not contain the following elements, and a check without a name gets its type
  // as name.
  expect(rows[1]).toMatchObject({ name: 'CHECK 1042', amount: -1200, reference_no: '1042' })
  // An & without an entity stays an &.
  expect(rows[2]).toMatchObject({ name: 'AT&T REFUND', amount: 2500 })
  expect(accounts).toEqual([
    {
      id: '000123456789',
      bank: '111000025',
      type: 'CHECKING',
      currency: 'usd',
      balance: { amount: 1282.5, on: '2025-03-10' },
      rows,
    },
  ])
})

test('OFX with the same bank id for two transactions reports it, and gives each row a unique id', () => {
  const { rows, problems } = readStatement(bytesOf('checking.qfx'))
  expect(problems).toEqual([
    {
      line: 28,
      row: 4,
      field: 'external_id',
      message:
        'The bank gave the ID "6000" to several transactions, so this one is identified by its date, amount and name.',
    },
    {
      line: 29,
      row: 5,
      field: 'external_id',
      message:
        'The bank gave the ID "6000" to several transactions, so this one is identified by its date, amount and name.',
    },
    {
      line: 30,
      field: 'external_id',
      message: 'This repeats line 27, with the same ID, so it was skipped.',
    },
  ])
  expect(
    rows.slice(3).map((
      { name, external_id, metadata },
    ) => [name, external_id, metadata?.['shared_id']]),
  ).toEqual([['Fee A', undefined, '6000'], [
    'Fee B',
    undefined,
    '6000',
  ]])
})

test('OFX 2 is read: XML, a comma as decimal separator, and an account and a card that both number their ids from 1', () => {
  const { rows, accounts, problems } = readStatement(bytesOf('two-accounts.ofx'))
  expect(briefly(rows)).toEqual([
    ['2025-03-03', -19.9, 'eur', 'Müller & Söhne'],
    // -35.00 USD at 1.1, in the currency of the account.
    ['2025-03-04', -38.5, 'eur', 'Shop'],
    ['2025-03-05', -7, 'eur', 'Kiosk'],
  ])
  expect(rows.map(({ external_id }) => external_id)).toEqual(['1', '2', '1'])
  expect(accounts.map(({ id, rows: own }) => [id, own.length])).toEqual([['202051', 2], [
    '4999********1111',
    1,
  ]])
  expect(problems).toEqual([])
})

test('OFX 2 that is not well-formed is read as OFX 1', () => {
  const broken = new TextDecoder().decode(bytesOf('two-accounts.ofx')).replace(
    'Müller &amp; S&#246;hne</NAME>',
    'M & S',
  )
  expect(briefly(readStatement(broken).rows)[0]).toEqual(['2025-03-03', -19.9, 'eur', 'M & S'])
})

test('OFX with corrections, trades or an early end reports them', () => {
  const start =
    'OFXHEADER:100\n\n<OFX><INVSTMTMSGSRSV1><INVSTMTTRNRS><INVSTMTRS><CURDEF>USD<INVACCTFROM><ACCTID>9</INVACCTFROM><INVTRANLIST>'
  const cash =
    '<INVBANKTRAN><STMTTRN><TRNTYPE>INT<DTPOSTED>20250301<TRNAMT>1.10<FITID>i1<CORRECTFITID>i0<CORRECTACTION>REPLACE<NAME>Interest</STMTTRN></INVBANKTRAN>'
  const { rows, problems } = readStatement(
    `${start}\n${cash}\n<BUYSTOCK><UNITS>3</BUYSTOCK>\n</INVTRANLIST>`,
  )
  expect(briefly(rows)).toEqual([['2025-03-01', 1.1, 'usd', 'Interest']])
  expect(problems.map(({ line, message }) => [line, message.split(/[.:]/)[0]])).toEqual([
    [4, 'The bank replaced the earlier transaction "i0" with this one'],
    [5, 'Investment trades were skipped'],
    [6, 'The file ends too early'],
  ])
})

test("QIF is read: Quicken's years, amounts with commas, splits, transfers, a list for each account", () => {
  const { format, rows, accounts, problems } = readStatement(bytesOf('quicken.qif'))
  expect(format).toBe('qif')
  expect(rows).toEqual([
    {
      name: 'City Market',
      amount: -1234.56,
      transaction_date: '2026-01-05',
      reference_no: '1042',
      description: 'Weekly',
      metadata: {
        category: 'Food',
        splits: [{ category: 'Food', memo: 'Vegetables', amount: -1200 }, {
          category: 'Household',
          amount: -34.56,
        }],
      },
    },
    { name: 'Ann', amount: 500, transaction_date: '2026-01-13', metadata: { transfer: 'Savings' } },
    { name: 'Music', amount: -9.99, transaction_date: '2026-01-14' },
  ])
  expect(accounts.map(({ id, rows: own }) => [id, own.length])).toEqual([['Checking', 2], [
    'Visa',
    1,
  ]])
  expect(problems).toEqual([])
})

test('QIF with ambiguous days is a question, and a split with a wrong sum is reported', () => {
  const file = '!Type:Bank\nD3/4/25\nT-10.00\nPShop\nSFood\n$-4.00\nSHome\n$-5.00\n^\n'
  expect(readStatement(file)).toMatchObject({
    rows: [],
    problems: [{ line: 2, field: 'transaction_date', option: 'dateOrder' }],
  })
  const { rows, problems } = readStatement(file, { dateOrder: 'dmy' })
  expect(rows[0]?.transaction_date).toBe('2025-04-03')
  expect(problems).toEqual([{
    line: 2,
    row: 1,
    field: 'metadata',
    message: 'The parts of this split do not add up to its amount.',
  }])
})

test('QIF with more data than the metadata of a row can store reports it and omits the rest', () => {
  const parts = Array.from(
    { length: 200 },
    (_, index) => `SCategory ${index}\nE${'long memo '.repeat(10)}\n$-1.00`,
  ).join('\n')
  const { rows, problems } = readStatement(`!Type:Cash\nD13/1/2025\nT-200.00\nPShop\n${parts}\n^`)
  expect(rows).toEqual([{ name: 'Shop', amount: -200, transaction_date: '2025-01-13' }])
  expect(problems).toEqual([{
    line: 2,
    row: 1,
    field: 'metadata',
    message: 'The additional data of this row is too large, so it was skipped.',
  }])
})

test('CAMT.053 is read: counterparty, purpose, reference, and closing balance', () => {
  const { format, rows, accounts } = readStatement(bytesOf('camt053.xml'))
  expect(format).toBe('camt')
  expect(rows[0]).toEqual({
    name: 'Stadtwerke Köln',
    amount: -42.1,
    transaction_date: '2025-03-04',
    currency: 'eur',
    external_id: '2025030412345000',
    reference_no: 'RE-2025-17',
    description: 'Strom März Kunde 4711',
    status: 'paid',
    metadata: { iban: 'DE89370400440532013000', kind: 'PMNT/RDDT/ESDD', value_date: '2025-03-05' },
  })
  expect(accounts).toEqual([
    {
      id: 'DE02120300000000202051',
      name: 'Ann Muster',
      currency: 'eur',
      balance: { amount: -20.5, on: '2025-03-04' },
      rows,
    },
  ])
})

test('CAMT.053 with a batch becomes a row for each transaction if they add up to it, and otherwise one row', () => {
  const { rows, problems } = readStatement(bytesOf('camt053.xml'))
  expect(rows.slice(1, 4).map(({ name, amount, external_id }) => [name, amount, external_id]))
    .toEqual([
      ['Ben', -10.1, 'BATCH-9/1'],
      ['Cleo', -19.9, 'BATCH-9/2'],
      ['Sammelgutschrift', 50, 'BATCH-10'],
    ])
  expect(problems).toEqual([{
    line: 29,
    field: 'amount',
    message:
      'The 2 transactions of this entry do not add up to its amount, so it was read as one row.',
  }])
})

test('CAMT.053 with a reversal gets the opposite amount of the payment, and is recognized by its fields', () => {
  expect(readStatement(bytesOf('camt053.xml')).rows[4]).toEqual({
    name: 'Stadtwerke Köln',
    amount: 42.1,
    transaction_date: '2025-03-04',
    currency: 'eur',
    status: 'paid',
    metadata: { reversal: true },
  })
})

test('CAMT.053 version 8 with a prefix is read: pending entries are marked, and informational ones are left out', () => {
  const { rows, problems } = readStatement(bytesOf('camt053-v8.xml'))
  expect(rows).toEqual([{
    name: 'Kino',
    amount: -8,
    transaction_date: '2025-03-05',
    currency: 'eur',
    status: 'pending',
  }])
  expect(problems).toEqual([{
    line: 16,
    message: 'This entry is for information only and moves no money, so it was skipped.',
  }])
})

/** MT940, CAMT.052, CAMT.054 and ZIP archives of them, in the form that banks write. */
import { expect, test } from 'vitest'
import { readStatement, type StatementError, unpack } from '../../bank-files/index.ts'
import { briefly, bytesOf, textOf, zipOf } from './files.ts'

const refused = (work: Promise<unknown>): Promise<string> =>
  work.then(() => {
    throw new Error('It was not refused.')
  }, ({ message }: StatementError) => message)

test('MT940 of a German bank is read: subfields, SEPA code words, reversals, days around New Year, and the last balance', () => {
  const { format, rows, accounts, problems } = readStatement(bytesOf('mt940-german.sta'))
  expect({ format, problems }).toEqual({ format: 'mt940', problems: [] })
  expect(rows[0]).toEqual({
    name: 'Stadtwerke Musterstadt GmbH',
    amount: -42.1,
    transaction_date: '2024-12-31',
    currency: 'eur',
    reference_no: 'RE-2025-17',
    description: 'Strom Dezember Kunde 4711 Danke',
    status: 'paid',
    metadata: {
      iban: 'DE89370400440532013000',
      kind: 'SEPA-BASISLASTSCHRIFT',
      mandate: 'M-001',
      bank_reference: '2501020001',
      value_date: '2025-01-02',
    },
  })
  expect(briefly(rows.slice(1))).toEqual([
    ['2025-01-02', 1500, 'eur', 'Ann Muster'],
    ['2025-01-02', 7.5, 'eur', 'Kiosk'],
    ['2025-01-03', -2465.4, 'eur', 'Unser Entgelt laut Preisverzeichnis'],
  ])
  expect(rows[2]).toMatchObject({
    description: 'Nicht eingeloest',
    reference_no: 'RUECK1',
    metadata: { reversal: true },
  })
  expect(accounts).toEqual([{
    id: '10020030/1234567890',
    currency: 'eur',
    balance: { amount: 0, on: '2025-01-03' },
    rows,
  }])
})

test('MT940 of Dutch banks is read: lines before it, code words between slashes, and an account each', () => {
  const { rows, accounts, problems } = readStatement(bytesOf('mt940-dutch.940'))
  expect(problems).toEqual([])
  expect(
    rows.map((
      { name, amount, description, reference_no },
    ) => [name, amount, description, reference_no]),
  ).toEqual([
    ['Bakkerij Muster', -12.5, 'Factuur 5 en 6', 'F-5-6'],
    ['Werk BV', 1250, 'Salaris maart', undefined],
    ['Kosten', -4, undefined, undefined],
  ])
  expect(rows[0]!.metadata).toMatchObject({ iban: 'NL44RABO0123456789', kind: 'SEPA OVERBOEKING' })
  expect(rows[1]!.metadata).toMatchObject({ iban: 'NL20INGB0001234567' })
  expect(
    accounts.map((
      { id, currency, balance, rows: own },
    ) => [id, currency, balance?.amount, own.length]),
  ).toEqual([
    ['NL91ABNA0417164300', 'eur', 1227.5, 2],
    ['NL39ABNA0500000001', 'usd', 1, 1],
  ])
})

test('MT942 is read, and an expected credit is pending', () => {
  const { rows, accounts } = readStatement(bytesOf('mt942.txt'))
  expect(rows.map(({ name, amount, currency, status }) => [name, amount, currency, status]))
    .toEqual([
      ['Caffè Muster, Lugano', -20.05, 'chf', 'paid'],
      ['Ann Muster', 100, 'chf', 'pending'],
    ])
  expect(accounts).toEqual([{ id: 'CH9300762011623852957', currency: 'chf', rows }])
})

test('MT940 reports a missing transaction, a line that is none, and more than two decimals', () => {
  const file = textOf('mt940-german.sta')
  const cut = file.replace(/:61:2501020102CR[^]*?(?=:61:)/, '')
  expect(readStatement(cut).problems).toEqual([{
    line: 14,
    message: 'The transactions do not add up to this closing balance. The file may be incomplete.',
  }])
  expect(readStatement(file.replace('CR1500,', 'X1500,')).problems).toMatchObject([
    {
      line: 12,
      message: '"2501020102X1500,NTRFNONREF" is not an MT940 transaction. It was skipped.',
    },
    { line: 16 },
  ])
  const dinars = ':20:A\n:25:1\n:60F:C250305BHD0,\n:61:250306C1,234NTRFX\n:62F:C250306BHD1,234\n'
  expect(readStatement(dinars)).toMatchObject({
    rows: [],
    problems: [{ line: 4, option: 'roundAmounts' }, {
      line: 5,
      message: 'The closing balance "1.234" has too many decimals, so it was rounded to 1.23.',
    }],
    accounts: [{ balance: { amount: 1.23 } }],
  })
  expect(readStatement(dinars, { roundAmounts: true }).rows).toMatchObject([{
    amount: 1.23,
    currency: 'bhd',
  }])
  expect(() => readStatement(':20:A\n:28C:1\n')).toThrow(
    'This MT940 file has neither an account nor a transaction.',
  )
})

test('CAMT.052, .054 and .053 give a transaction the same id, so that an import recognizes it', () => {
  const idsOf = (file: string) =>
    readStatement(bytesOf(file)).rows.map(({ external_id }) => external_id).slice(0, 3)
  const ids = ['2025030412345000', 'BATCH-9/1', 'BATCH-9/2']
  expect(['camt052.xml', 'camt054.xml', 'camt053.xml'].map(idsOf)).toEqual([ids, ids, ids])
  expect(readStatement(bytesOf('camt052.xml'))).toMatchObject({
    rows: [{ status: 'pending' }, { status: 'paid' }, { status: 'paid' }],
    problems: [],
    accounts: [{ id: 'DE02120300000000202051', currency: 'eur' }],
  })
  expect(readStatement(bytesOf('camt052.xml')).accounts[0]).not.toHaveProperty('balance')
  expect(readStatement(bytesOf('camt054.xml')).problems).toMatchObject([{
    line: 14,
    message: expect.stringContaining('This batch was read as individual transactions.'),
  }])
})

test('an archive of CAMT files is one statement, in which a transaction of several files is one row', async () => {
  const files = {
    'day/2.xml': bytesOf('camt053.xml'),
    'day/1.xml': bytesOf('camt052.xml'),
    '__MACOSX/._1.xml': bytesOf('n26.csv'),
  }
  const unpacked = await unpack(await zipOf(files))
  expect(unpacked.map(({ name }) => name)).toEqual(['day/1.xml', 'day/2.xml'])
  const { format, rows, problems, accounts } = readStatement(unpacked)
  expect(format).toBe('camt')
  expect(rows.map(({ amount, status }) => [amount, status])).toEqual([
    [-10.1, 'paid'],
    [-19.9, 'paid'],
    [-42.1, 'paid'],
    [50, 'paid'],
    [42.1, 'paid'],
  ])
  expect(problems.map(({ file, line, message }) => [file, line, message.slice(0, 40)])).toEqual([
    ['day/1.xml', 9, 'The file also contains this pending tran'],
    ['day/2.xml', 25, 'This repeats line 20 of day/1.xml, with '],
    ['day/2.xml', 26, 'This repeats line 21 of day/1.xml, with '],
    ['day/2.xml', 29, 'The 2 transactions of this entry do not '],
  ])
  expect(accounts).toMatchObject([{
    id: 'DE02120300000000202051',
    balance: { amount: -20.5, on: '2025-03-04' },
    rows: { length: 5 },
  }])
})

test('an archive of one file of any format is read like the file', async () => {
  for (const file of ['n26.csv', 'quicken.qif', 'mt940-dutch.940']) {
    expect(readStatement(await unpack(await zipOf({ [file]: bytesOf(file) })))).toEqual(
      readStatement(bytesOf(file)),
    )
  }
  expect(await unpack(bytesOf('n26.csv'), 'n26.csv')).toEqual([{
    name: 'n26.csv',
    bytes: bytesOf('n26.csv'),
  }])
})

test('an archive that cannot be read says why', async () => {
  const of = async (files: Record<string, Uint8Array>) =>
    refused(zipOf(files).then((zip) => unpack(zip)).then((all) => readStatement(all)))
  const file = bytesOf('n26.csv')
  expect(await of({ 'a.csv': file, 'b.csv': file })).toContain(
    'This archive has several files: "a.csv", "b.csv".',
  )
  expect(await of({ 'a.xml': bytesOf('camt053.xml'), 'b.sta': bytesOf('mt940-german.sta') }))
    .toContain('several formats, such as "b.sta"')
  expect(await of({ 'a.xml': bytesOf('camt053.xml'), 'b.xml': new TextEncoder().encode('<a>') }))
    .toMatch(/^b\.xml: Line 1 is not well-formed XML/)
  expect(await of({ '[Content_Types].xml': file, 'xl/workbook.xml': file })).toBe(
    'This is an Excel workbook. Save the sheet as CSV.',
  )
  expect(await of({ 'mimetype': file, 'content.xml': file })).toBe(
    'This is an OpenDocument sheet. Save it as CSV.',
  )
  expect(await of({ 'db.sqlite': file, 'metadata.json': file })).toBe(
    'This is a backup of Actual. Export its transactions as CSV.',
  )
  expect(await of({ 'manifest.json': file })).toContain('Restore it')
  expect(await of({ 'b.zip': await zipOf({ 'a.csv': file }) })).toContain(
    '"b.zip" is an archive inside this archive.',
  )
  expect(await of({ '__MACOSX/a.csv': file })).toBe('This archive is empty.')
  const whole = await zipOf({ 'a.csv': file })
  expect(await refused(unpack(whole.slice(0, -30)))).toBe(
    'This ZIP archive is damaged or incomplete.',
  )
})

test('an archive that unpacks to more than 16 MB is refused', async () => {
  const zeros = new Uint8Array(9 * 1024 * 1024)
  const bomb = await zipOf({ 'a.xml': zeros, 'b.xml': zeros })
  expect(bomb.length).toBeLessThan(100_000)
  expect(await refused(unpack(bomb))).toBe(
    'This archive is larger than 16 MB when unzipped. Import its files one at a time.',
  )
})

/** Ann downloads a CSV file from each bank that has a preset, and reads it without saying anything about it. */
import { expect, test } from 'vitest'
import { type PresetName, PRESETS, readStatement } from '../../client/import/index.ts'
import { briefly, bytesOf } from './files.ts'

const read: Record<PresetName, { encoding: string, rows: unknown[] }> = {
  'bank-of-america': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -4.75, 'usd', 'COFFEE BAR 03/02 PURCHASE SEATTLE WA'],
      ['2025-03-05', -1000, 'usd', 'RENT LLC DES:WEB PMT ID:XXXXX'],
      ['2025-03-12', 2500, 'usd', 'ACME CORP DES:PAYROLL'],
    ],
  },
  'chase': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-04', -4.75, 'usd', 'COFFEE BAR #12 SEATTLE WA 03/03'],
      ['2025-03-04', -4.75, 'usd', 'COFFEE BAR #12 SEATTLE WA 03/03'],
      ['2025-03-02', -1250, 'usd', 'CHECK 1042'],
      ['2025-02-28', 2500, 'usd', 'ACME CORP PAYROLL PPD ID: 12345'],
    ],
  },
  'chase-card': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-04', -61.08, 'usd', 'WHOLEFDS MKT, #10'],
      ['2025-03-01', 410, 'usd', 'Payment Thank You-Mobile'],
    ],
  },
  'dkb': {
    encoding: 'utf-8',
    rows: [
      ['2025-02-07', -12.8, 'eur', 'Café Läuft'],
      ['2025-02-03', 86.5, 'eur', 'Stadtwerke Musterstadt'],
      ['2025-02-03', -1039.9, 'eur', 'Fitness & Mehr'],
    ],
  },
  'ing-de': {
    encoding: 'windows-1252',
    rows: [
      ['2025-01-31', 2450, 'eur', 'Kunstgießerei Größe GmbH'],
      ['2025-01-03', -4.2, 'eur', 'Bäckerei Schön'],
      ['2025-01-03', -4.2, 'eur', 'Bäckerei Schön'],
      ['2025-01-02', -1131.16, 'eur', 'Hausverwaltung Müller'],
    ],
  },
  'ing-nl': {
    encoding: 'utf-8',
    rows: [
      ['2025-04-03', -17.36, 'eur', 'Albert Heijn 1411'],
      ['2025-04-02', 1200, 'eur', 'Hr A Muster'],
    ],
  },
  'monzo': {
    encoding: 'utf-8',
    rows: [
      ['2025-04-03', -5.25, 'gbp', 'Pret A Manger'],
      ['2025-04-04', 1200, 'gbp', 'ACME LTD'],
    ],
  },
  'n26': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -31.5, 'eur', 'Trattoria "Da Enzo"'],
      ['2025-03-04', 22, 'eur', 'Ben Beispiel'],
    ],
  },
  'revolut': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-04', -6.4, 'chf', 'Zürich Café'],
      // with its fee
      ['2025-03-05', -100.5, 'chf', 'Exchanged to EUR'],
      ['2025-03-06', -18, 'chf', 'Taxi'],
      ['2025-03-06', -250, 'chf', 'Hotel'],
    ],
  },
  'sparkasse': {
    encoding: 'windows-1252',
    rows: [
      ['2025-03-04', -23.71, 'eur', 'REWE SAGT DANKE. 4711//BERLIN/DE'],
      ['2025-03-03', 50, 'eur', 'Jürgen Groß'],
      ['2025-03-05', -55.08, 'eur', 'Rundfunk ARD'],
    ],
  },
  'wells-fargo': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-04', -4.75, 'usd', 'PURCHASE AUTHORIZED ON 03/03 COFFEE BAR'],
      ['2025-03-03', -1250, 'usd', 'CHECK # 1042'],
    ],
  },
  'wise': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-04', -12.99, 'gbp', 'Book Shop'],
      ['2025-03-03', 300, 'gbp', 'Bob Example'],
    ],
  },
}

test.each(Object.keys(PRESETS) as PresetName[])('%s', (preset) => {
  // a file without a header line cannot say whose it is
  const options = PRESETS[preset].header.length === 0 ? { preset } : {}
  const statement = readStatement(bytesOf(`${preset}.csv`), options)
  expect(briefly(statement.rows)).toEqual(read[preset].rows)
  expect(statement).toMatchObject({ format: 'csv', preset, encoding: read[preset].encoding, problems: [] })
})

test('what a bank says besides is in the fields of a transaction', () => {
  const [ing] = readStatement(bytesOf('ing-de.csv')).rows.slice(-1)
  expect(ing).toEqual({
    name: 'Hausverwaltung Müller',
    amount: -1131.16,
    transaction_date: '2025-01-02',
    currency: 'eur',
    description: 'Miete "Januar" Wohnung 7',
    metadata: { type: 'Dauerauftrag/Terminueberweisung' },
  })
  const [monzo] = readStatement(bytesOf('monzo.csv')).rows
  expect(monzo).toMatchObject({ external_id: 'tx_0000AqPz1', description: 'lunch with Ben #work', metadata: { category: 'Eating out' } })
  const [, dkb] = readStatement(bytesOf('dkb.csv')).rows
  expect(dkb).toMatchObject({ reference_no: 'KD-4711', metadata: { iban: 'DE89370400440532013000' } })
})

test('what is pending or came to nothing says so', () => {
  expect(readStatement(bytesOf('revolut.csv')).rows.map(({ status }) => status)).toEqual([undefined, undefined, 'pending', 'failed'])
  expect(readStatement(bytesOf('dkb.csv')).rows[0]?.status).toBe('pending')
  expect(readStatement(bytesOf('sparkasse.csv')).rows[2]?.status).toBe('pending')
})

test('a file of several accounts gives each its rows', () => {
  const { accounts } = readStatement(bytesOf('sparkasse.csv'))
  expect(accounts.map(({ id, rows }) => [id, rows.length])).toEqual([['DE02100500000054540402', 2], ['DE88100500000012345678', 1]])
})

test("a bank's file that is read as another bank's says what it has", () => {
  expect(() => readStatement(bytesOf('n26.csv'), { preset: 'monzo' })).toThrow(
    'This is not the layout of "monzo". Its widest line has: Booking Date, Value Date',
  )
  expect(() => readStatement(bytesOf('n26.csv'), { preset: 'constructor' as PresetName })).toThrow(
    'There is no preset "constructor". There are: bank-of-america,',
  )
})

/** A CSV file of each bank that has a preset is read without options. */
import { expect, test } from 'vitest'
import { type PresetName, readStatement } from '../../bank-files/index.ts'
import { briefly, bytesOf } from './files.ts'

const read: Partial<
  Record<PresetName, { encoding: string, rows: unknown[], problems?: unknown[] }>
> = {
  'bank-of-america': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -4.75, 'usd', 'COFFEE BAR 03/02 PURCHASE SEATTLE WA'],
      ['2025-03-05', -1000, 'usd', 'RENT LLC DES:WEB PMT ID:XXXXX'],
      ['2025-03-12', 2500, 'usd', 'ACME CORP DES:PAYROLL'],
    ],
    problems: [{
      line: 8,
      message: 'This line is a balance, not a transaction. It was skipped.',
    }],
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
      // With its fee.
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
  'abn-amro': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -12.5, 'eur', 'BEA NR:X1 03.03.25/18.02 Bakkerij Muster'],
      ['2025-03-04', 1200, 'eur', 'SEPA Overboeking Werk BV'],
    ],
  },
  'asn': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -12.5, 'eur', 'Bakkerij Muster'],
      ['2025-03-04', 0.85, 'eur', "'Rente maart'"],
    ],
  },
  'boursorama': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -4.1, 'eur', 'Boulangerie'],
      ['2025-03-04', 1350, 'eur', 'VIR SEPA ANN MUSTER'],
    ],
  },
  'comdirect': {
    encoding: 'windows-1252',
    rows: [
      ['2025-03-04', -42.1, 'eur', 'Auftraggeber: Stadtwerke Köln Buchungstext: Strom März'],
      ['2025-03-03', 1050, 'eur', 'Auftraggeber: Ann Muster Buchungstext: Miete'],
    ],
  },
  'hdfc': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -250, 'inr', 'UPI-MUSTER STORES-MUSTER@OKBANK'],
      ['2025-03-04', 120000, 'inr', 'NEFT CR-ACME LTD-SALARY'],
    ],
  },
  'intesa': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -2.4, 'eur', 'Caffè Muster'],
      ['2025-03-04', 1350, 'eur', 'Bonifico da Ann'],
      ['2025-03-05', -18, 'eur', 'Libreria Muster'],
    ],
  },
  'knab': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -12.5, 'eur', 'Bakkerij Muster'],
      ['2025-03-04', 1200, 'eur', 'Werk BV'],
    ],
  },
  'nordea-se': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -89, 'sek', 'Kortköp 250302 Bageri Muster'],
      ['2025-03-04', 21500, 'sek', 'Arbete AB'],
    ],
  },
  'nubank': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -24.9, 'brl', 'Compra no débito - PADARIA MUSTER'],
      ['2025-03-04', 1350, 'brl', 'Transferência recebida - Ann Muster'],
    ],
  },
  'rabobank': {
    encoding: 'windows-1252',
    rows: [
      ['2025-03-03', -12.5, 'eur', 'Bakkerij Muster'],
      ['2025-03-04', 1200, 'eur', 'Café Werk BV'],
    ],
  },
  'starling': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -3.2, 'gbp', 'Bakery Muster'],
      ['2025-03-04', 1500, 'gbp', 'Acme Ltd'],
    ],
  },
  'ubs-fr': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -12.5, 'chf', 'Boulangerie Muster'],
      ['2025-03-04', 1200, 'chf', 'Ann Muster'],
    ],
  },
  'american-express': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-14', -12.5, undefined, 'BAKERY MUSTER SEATTLE'],
      ['2025-03-15', 410, undefined, 'AUTOPAY PAYMENT - THANK YOU'],
    ],
  },
  'apple-card': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -12.5, 'usd', 'Bakery Muster'],
      ['2025-03-05', 410, 'usd', 'Ach Deposit'],
    ],
  },
  'citi': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -12.5, 'usd', 'BAKERY MUSTER SEATTLE WA'],
      ['2025-03-05', 410, 'usd', 'ONLINE PAYMENT'],
      ['2025-03-06', -8, 'usd', 'CINEMA MUSTER'],
    ],
  },
  'discover': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -12.5, 'usd', 'BAKERY MUSTER SEATTLE WA'],
      ['2025-03-05', 410, 'usd', 'INTERNET PAYMENT - THANK YOU'],
    ],
  },
  'pc-mastercard': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -12.5, 'cad', 'Bakery Muster'],
      ['2025-03-05', 20, 'cad', 'Shop Muster Refund'],
    ],
  },
  'viseca': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -12.5, 'chf', 'Bäckerei Muster'],
      ['2025-03-05', 410, 'chf', 'Ihre Zahlung - Danke'],
    ],
  },
  'actual': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -12.5, undefined, 'Bakery Muster'],
      ['2025-03-04', 1350, undefined, 'Ann'],
    ],
  },
  'fidelity': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -12.5, 'usd', 'DEBIT CARD PURCHASE BAKERY MUSTER'],
      ['2025-03-04', 1200, 'usd', 'DIRECT DEPOSIT ACME PAYROLL'],
    ],
  },
  'mint': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -12.5, 'usd', 'Bakery Muster'],
      ['2025-03-04', 2500, 'usd', 'Acme'],
      ['2025-03-05', -8, 'usd', 'Cinema'],
    ],
  },
  'monarch': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -12.5, undefined, 'Bakery Muster'],
      ['2025-03-04', 2500, undefined, 'Acme'],
      ['2025-03-05', -8, undefined, 'Cinema'],
    ],
  },
  'firefly': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-01', -12.5, 'eur', 'Bäckerei Muster'],
      ['2025-03-02', 1350, 'eur', 'Acme'],
      ['2025-03-03', -200, 'eur', 'Savings'],
      ['2025-03-03', 216.4, 'usd', 'Giro'],
    ],
    problems: [{
      line: 5,
      message:
        '"Initial balance" is the name of a balance or a total, not of a transaction. This line was skipped.',
    }],
  },
  'outbank': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-13', -12.5, 'eur', 'Bäckerei Muster'],
      ['2025-03-14', 1350, 'eur', 'Ann Muster'],
    ],
  },
  'paypal': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-13', -25, 'eur', 'Shop Muster'],
      ['2025-03-14', 97.02, 'eur', 'Ben Beispiel'],
      ['2025-03-15', -80, 'eur', 'Hotel Muster'],
    ],
  },
  'sure': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -12.5, 'eur', 'Bakery Muster'],
      ['2025-03-04', 1350, 'eur', 'Ann'],
    ],
  },
  'venmo': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-03', -12.5, 'usd', 'Ben Beispiel'],
      ['2025-03-04', 1350, 'usd', 'Cleo Muster'],
    ],
  },
  'ynab': {
    encoding: 'utf-8',
    rows: [
      ['2025-03-13', -12.5, undefined, 'Bäckerei Muster'],
      ['2025-03-14', 1350, undefined, 'Ann'],
      ['2025-03-15', -8, undefined, 'Kino'],
    ],
  },
}

test.each(Object.keys(read) as PresetName[])('a file of %s is read with its preset', (preset) => {
  const statement = readStatement(bytesOf(`${preset}.csv`))
  const { encoding, rows, problems = [] } = read[preset]!
  expect(briefly(statement.rows)).toEqual(rows)
  expect(statement).toMatchObject({ format: 'csv', preset, encoding, problems })
})

test('further data of the bank is in the fields of a transaction', () => {
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
  expect(monzo).toMatchObject({
    external_id: 'tx_0000AqPz1',
    description: 'lunch with Ben #work',
    metadata: { category: 'Eating out' },
  })
  const [, dkb] = readStatement(bytesOf('dkb.csv')).rows
  expect(dkb).toMatchObject({
    reference_no: 'KD-4711',
    metadata: { iban: 'DE89370400440532013000' },
  })
})

test('pending and failed transactions have their status', () => {
  expect(readStatement(bytesOf('revolut.csv')).rows.map(({ status }) => status)).toEqual([
    'paid',
    'paid',
    'pending',
    'failed',
  ])
  expect(readStatement(bytesOf('dkb.csv')).rows.map(({ status }) => status)).toEqual([
    'pending',
    'paid',
    'paid',
  ])
  expect(readStatement(bytesOf('sparkasse.csv')).rows[2]?.status).toBe('pending')
  expect(readStatement(bytesOf('citi.csv')).rows.map(({ status }) => status)).toEqual([
    'paid',
    'paid',
    'pending',
  ])
  expect(readStatement(bytesOf('intesa.csv')).rows.map(({ status }) => status)).toEqual([
    'paid',
    'paid',
    'pending',
  ])
})

test('a file of several accounts has rows for each', () => {
  const { accounts } = readStatement(bytesOf('sparkasse.csv'))
  expect(accounts.map(({ id, rows }) => [id, rows.length])).toEqual([
    ['DE02100500000054540402', 2],
    ['DE88100500000012345678', 1],
  ])
  const parted = ['mint', 'ynab', 'rabobank', 'actual', 'monarch', 'sure', 'intesa'].map((bank) =>
    readStatement(bytesOf(`${bank}.csv`)).accounts
  )
  expect(parted.map((own) => own.map(({ rows }) => rows.length))).toEqual([
    [2, 1],
    [2, 1],
    [1, 1],
    [1, 1],
    [2, 1],
    [1, 1],
    [2, 1],
  ])
})

test('a journal creates a row in each of its own accounts', () => {
  const { accounts } = readStatement(bytesOf('firefly.csv'))
  expect(accounts.map(({ id, rows }) => [id, rows.map(({ amount }) => amount)])).toEqual([['Giro', [
    -12.5,
    1350,
    -200,
  ]], ['Savings', [216.4]]])
  expect(accounts.flatMap(({ rows }) => rows.map(({ external_id: id }) => id))).toEqual([
    '11',
    '12',
    '13',
    '13 in',
  ])
  const cash = new TextDecoder().decode(bytesOf('firefly.csv')).replace(
    ',Giro,DE89370400440532013000,"Asset account","Bäckerei',
    ',Till,,"Cash account","Bäckerei',
  )
  const { rows, problems } = readStatement(cash)
  expect(rows).toHaveLength(3)
  expect(problems[0]).toMatchObject({
    line: 2,
    message:
      'Neither "Till" nor "Bäckerei Muster" is one of your accounts, so this line was skipped.',
  })
})

test("a bank's file that is read with another bank's preset reports its columns", () => {
  expect(() => readStatement(bytesOf('n26.csv'), { preset: 'monzo' })).toThrow(
    'The file doesn\'t have the layout of "monzo". Its widest line has: Booking Date, Value Date',
  )
  expect(() => readStatement(bytesOf('n26.csv'), { preset: 'constructor' as PresetName })).toThrow(
    'Unknown preset "constructor". Available: abn-amro, asn, bank-of-america,',
  )
})

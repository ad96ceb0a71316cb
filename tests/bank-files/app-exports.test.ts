/**
 * Exports of other apps: accounts, categories, tags, splits and transfers, of invented files in the
 * form that each app writes.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type AppExport, readAppExport, unpack } from '../../bank-files/index.ts'
import { bytesOf, zipOf } from './files.ts'

const exportOf = (app: string): Uint8Array =>
  readFileSync(join(import.meta.dirname, 'apps', `${app}.csv`))

const rowsOf = ({ transactions }: AppExport) =>
  transactions.map(({ account, row, category, tags, items }) => [
    account,
    row.transaction_date,
    row.name,
    row.amount,
    category ?? null,
    tags.join(),
    items.map(({ name, amount, category: part }) => `${name} ${amount} ${part}`).join('; '),
  ])

test('Firefly III: journals of one group are a split, a transfer has two amounts, and the initial balance is that of the account', () => {
  const read = readAppExport(exportOf('firefly'))
  expect(read).toMatchObject({
    app: 'firefly',
    accounts: [{ name: 'Giro', currency: 'eur', opening: 500 }, {
      name: 'Savings',
      currency: 'usd',
    }],
    categories: [{ key: 'Food', kind: 'expense' }, { key: 'Travel', kind: 'expense' }, {
      key: 'Pay',
      kind: 'income',
    }],
    tags: ['weekly', 'shop', 'trip'],
    transfers: [[3, 4]],
    problems: [],
  })
  expect(rowsOf(read)).toEqual([
    ['Giro', '2025-03-02', 'Bäckerei Muster', -12.5, 'Food', 'weekly,shop', ''],
    ['Giro', '2025-03-03', 'Bahn', -34.2, null, 'trip', 'Ticket -30 Travel; Coffee -4.2 Food'],
    ['Giro', '2025-03-04', 'Acme', 1350, 'Pay', '', ''],
    ['Giro', '2025-03-05', 'Savings', -200, null, '', ''],
    ['Savings', '2025-03-05', 'Giro', 216.4, null, '', ''],
  ])
  expect(read.transactions.map(({ row }) => row.external_id)).toEqual([
    '11',
    '12',
    '14',
    '15',
    '15 in',
  ])
  expect(read.transactions[1]!.row).toMatchObject({ description: 'Trip to Bonn', currency: 'eur' })
  expect(read.transactions[1]!.row).not.toHaveProperty('metadata')
})

test('Actual: splits, tags in notes, and transfers by their payee', () => {
  const read = readAppExport(exportOf('actual'))
  expect(read).toMatchObject({
    app: 'actual',
    accounts: [{ name: 'Savings' }, { name: 'Checking', opening: 500 }],
    categories: [{ key: 'Pay', kind: 'income' }, { key: 'Travel' }, { key: 'Food' }],
    tags: ['trip', 'weekly'],
    transfers: [[1, 0]],
    problems: [],
  })
  expect(rowsOf(read)).toEqual([
    ['Savings', '2025-03-05', 'Checking', 200, null, '', ''],
    ['Checking', '2025-03-05', 'Savings', -200, null, '', ''],
    ['Checking', '2025-03-04', 'Acme', 1350, 'Pay', '', ''],
    [
      'Checking',
      '2025-03-03',
      'Bahn',
      -34.2,
      null,
      'trip',
      'Ticket #trip -30 Travel; Coffee -4.2 Food',
    ],
    ['Checking', '2025-03-02', 'Bakery Muster', -12.5, 'Food', 'weekly', ''],
  ])
})

test('YNAB: groups of categories, flags, splits and transfers', async () => {
  const read = readAppExport(exportOf('ynab'))
  expect(read).toMatchObject({
    app: 'ynab',
    accounts: [{ name: 'Savings' }, { name: 'Checking', opening: 500 }],
    categories: [
      { key: 'Inflow', kind: 'income' },
      { key: 'Fun', kind: 'expense' },
      { key: 'Needs', kind: 'expense' },
      { key: 'Inflow: Ready to Assign', name: 'Ready to Assign', parent: 'Inflow', kind: 'income' },
      { key: 'Fun: Travel', name: 'Travel', parent: 'Fun', kind: 'expense' },
      { key: 'Needs: Food', name: 'Food', parent: 'Needs', kind: 'expense' },
    ],
    tags: ['Red'],
    transfers: [[1, 0]],
  })
  expect(rowsOf(read)).toEqual([
    ['Savings', '2025-03-15', 'Transfer : Checking', 200, null, '', ''],
    ['Checking', '2025-03-15', 'Transfer : Savings', -200, null, '', ''],
    ['Checking', '2025-03-14', 'Acme', 1350, 'Inflow: Ready to Assign', '', ''],
    [
      'Checking',
      '2025-03-13',
      'Bahn',
      -34.2,
      null,
      'Red',
      'Ticket -30 Fun: Travel; Coffee -4.2 Needs: Food',
    ],
    ['Checking', '2025-03-02', 'Bakery Muster', -12.5, 'Needs: Food', '', ''],
  ])
  const archive = await zipOf({
    'My Budget as of 2025-03-31 - Plan.csv': bytesOf('n26.csv'),
    'My Budget as of 2025-03-31 - Register.csv': exportOf('ynab'),
  })
  expect(readAppExport(await unpack(archive))).toEqual(read)
  const incomplete = new TextDecoder().decode(exportOf('ynab')).replace(/.*Split \(2\/2\).*\n/, '')
  expect(rowsOf(readAppExport(incomplete))).toContainEqual([
    'Checking',
    '2025-03-13',
    'Bahn',
    -30,
    'Fun: Travel',
    'Red',
    '',
  ])
})

test("Actual's groups and YNAB 4's master categories are the parents", () => {
  const actual = readAppExport(
    'Account,Date,Payee,Notes,Category_Group,Category,Amount,Split_Amount,Cleared\nGiro,2026-03-13,Shop,,Living,Food,-12.5,0,Cleared',
  )
  const ynab = readAppExport(
    'Account,Flag,Check Number,Date,Payee,Category,Master Category,Sub Category,Memo,Outflow,Inflow,Cleared,Running Balance\n'
      + 'Giro,,,13/03/2026,Shop,Living:Food,Living,Food,,12.50,0.00,C,10.00',
  )
  for (const { categories, transactions } of [actual, ynab]) {
    expect(categories).toEqual([{ key: 'Living', name: 'Living', kind: 'expense' }, {
      key: 'Living: Food',
      name: 'Food',
      parent: 'Living',
      kind: 'expense',
    }])
    expect(transactions).toMatchObject([{ category: 'Living: Food', row: { amount: -12.5 } }])
  }
})

test('Mint, Monarch and Lunch Money: transfers by their category and amount, at most five days apart', () => {
  const mint = readAppExport(exportOf('mint'))
  expect(mint).toMatchObject({
    app: 'mint',
    transfers: [[0, 1]],
    tags: ['Work trip'],
    categories: [{ key: 'Paycheck', kind: 'income' }, { key: 'Restaurants' }],
  })
  expect(rowsOf(mint)).toContainEqual([
    'Checking',
    '2025-03-02',
    'Bakery Muster',
    -12.5,
    'Restaurants',
    'Work trip',
    '',
  ])
  const monarch = readAppExport(exportOf('monarch'))
  expect(monarch).toMatchObject({ app: 'monarch', transfers: [[1, 0]], tags: ['weekly', 'shop'] })
  expect(rowsOf(monarch)).toContainEqual([
    'Checking (...0001)',
    '2025-03-15',
    'Transfer',
    -75,
    null,
    '',
    '',
  ])
  const lunch = readAppExport(exportOf('lunch-money'))
  expect(lunch).toMatchObject({
    app: 'lunch-money',
    accounts: [{ name: 'Giro', currency: 'eur' }, { name: 'Savings', currency: 'eur' }],
    categories: [
      { key: 'Income', kind: 'income' },
      { key: 'Fun' },
      { key: 'Needs' },
      { key: 'Income: Salary' },
      { key: 'Fun: Travel' },
      {
        key: 'Needs: Food',
      },
    ],
    transfers: [[0, 1]],
  })
  expect(rowsOf(lunch)).toContainEqual([
    'Giro',
    '2025-03-13',
    'Bahn',
    -34.2,
    null,
    'trip',
    'Ticket -30 Fun: Travel; Coffee -4.2 Needs: Food',
  ])
  expect(rowsOf(lunch)).toContainEqual([
    'Giro',
    '2025-03-14',
    'Acme',
    1350,
    'Income: Salary',
    '',
    '',
  ])
})

test('Lunch Money without proof of its signs is a question, and so are ambiguous days of YNAB', () => {
  const file = new TextDecoder().decode(exportOf('lunch-money')).replace(
    /,(?:income|expense),/g,
    ',,',
  )
  expect(readAppExport(file)).toMatchObject({ transactions: [], problems: [{ option: 'negate' }] })
  expect(rowsOf(readAppExport(file, { negate: true }))).toEqual(
    rowsOf(readAppExport(exportOf('lunch-money'))),
  )
  const early = new TextDecoder().decode(exportOf('ynab')).replace(/03\/1\d/g, '03/04')
  expect(readAppExport(early)).toMatchObject({
    transactions: [],
    problems: [{ option: 'dateOrder' }],
  })
})

test('a file of a bank is no export of an app', () => {
  expect(() => readAppExport(bytesOf('n26.csv'))).toThrow(
    'This is not an export of Actual, Firefly III, Lunch Money, Mint, Monarch, YNAB.',
  )
})

/** Appends lines to the file of an app. */
const withLines = (app: string, ...lines: string[]): string =>
  `${new TextDecoder().decode(exportOf(app)).trimEnd()}\n${lines.join('\n')}\n`

test('a split with parts of both signs is one transaction, and one that adds up to 0 too', () => {
  const splits = [
    ['Checking', '2025-03-13', 'Store', -100, null, '', 'food -120 Groceries; coupon 20 Discounts'],
    [
      'Checking',
      '2025-03-14',
      'Dinner',
      0,
      null,
      '',
      'all of us -60 Groceries; Ben paid back 60 Refunds',
    ],
  ]
  const actual = withLines(
    'actual',
    'Checking,2025-03-13,Store,(SPLIT INTO 2) ,,0,-100,Cleared',
    'Checking,2025-03-13,Store,(SPLIT 1 OF 2) food,Groceries,-120,0,Cleared',
    'Checking,2025-03-13,Store,(SPLIT 2 OF 2) coupon,Discounts,20,0,Cleared',
    'Checking,2025-03-14,Dinner,(SPLIT INTO 2) ,,0,0,Cleared',
    'Checking,2025-03-14,Dinner,(SPLIT 1 OF 2) all of us,Groceries,-60,0,Cleared',
    'Checking,2025-03-14,Dinner,(SPLIT 2 OF 2) Ben paid back,Refunds,60,0,Cleared',
  )
  expect(readAppExport(actual).problems).toEqual([])
  expect(rowsOf(readAppExport(actual)).slice(-2)).toEqual(splits)
  const ynab = withLines(
    'ynab',
    '"Checking","","03/13/2025","Store","Groceries","","Groceries","Split (1/2) food",$120.00,$0.00,"Cleared"',
    '"Checking","","03/13/2025","Store","Discounts","","Discounts","Split (2/2) coupon",$0.00,$20.00,"Cleared"',
    '"Checking","","03/14/2025","Dinner","Groceries","","Groceries","Split (1/2) all of us",$60.00,$0.00,"Cleared"',
    '"Checking","","03/14/2025","Dinner","Refunds","","Refunds","Split (2/2) Ben paid back",$0.00,$60.00,"Cleared"',
  )
  expect(rowsOf(readAppExport(ynab)).slice(-2)).toEqual(splits)
  const lunch = withLines(
    'lunch-money',
    '2025-03-13,Store,food,120.00,eur,Groceries,,Checking,expense,,78,,cleared',
    '2025-03-13,Store,coupon,-20.00,eur,Discounts,,Checking,income,,78,,cleared',
    '2025-03-14,Dinner,all of us,60.00,eur,Groceries,,Checking,expense,,79,,cleared',
    '2025-03-14,Dinner,Ben paid back,-60.00,eur,Refunds,,Checking,income,,79,,cleared',
  )
  expect(rowsOf(readAppExport(lunch)).slice(-2)).toEqual(splits)
})

test('a part that is half of a transfer becomes a transfer, and the other parts keep their categories', () => {
  const read = readAppExport(withLines(
    'actual',
    'Savings,2025-03-20,Checking,,,40,0,Cleared',
    'Checking,2025-03-20,Acme,(SPLIT INTO 3) ,,0,2260,Cleared',
    'Checking,2025-03-20,Acme,(SPLIT 1 OF 3) gross,Pay,3000,0,Cleared',
    'Checking,2025-03-20,Acme,(SPLIT 2 OF 3) tax,Taxes,-700,0,Cleared',
    'Checking,2025-03-20,Savings,(SPLIT 3 OF 3) ,,-40,0,Cleared',
  ))
  expect(rowsOf(read).slice(-4)).toEqual([
    ['Savings', '2025-03-20', 'Checking', 40, null, '', ''],
    ['Checking', '2025-03-20', 'Acme', 3000, 'Pay', '', ''],
    ['Checking', '2025-03-20', 'Acme', -700, 'Taxes', '', ''],
    ['Checking', '2025-03-20', 'Savings', -40, null, '', ''],
  ])
  expect(read.transfers).toContainEqual([8, 5])
})

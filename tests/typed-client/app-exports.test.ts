/** The export of another app becomes accounts, categories, tags, splits and transfers, once. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { matchAppExport, storeAppExport } from '../../client/export/index.ts'
import { type AppExport, readAppExport } from '../../bank-files/index.ts'
import { unwrap } from '../../client/index.ts'
import { signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { clientOf, type PersonClient } from './person-client.ts'

let stack: Stack

beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

const someone = async (name: string): Promise<PersonClient> =>
  clientOf(stack, await signedIn(stack, name))

const fileOf = (app: string) =>
  readFileSync(join(import.meta.dirname, '../bank-files/apps', `${app}.csv`))

/** Everything of the context that an export makes, with names instead of ids. */
async function booksOf({ data }: PersonClient) {
  const [accounts, categories, transactions] = await Promise.all([
    unwrap(
      data.from('accounts').select('name,type,currency,balance,current_balance').order('name'),
    ),
    unwrap(data.from('categories').select('id,name,kind,parent_id').order('name')),
    unwrap(
      data.from('transactions').select(
        'name,amount,currency,booked_on,source,account:accounts(name),category:categories(name),transfer_id,line_items(name,amount,category:categories(name)),tags(name)',
      )
        .order('booked_on').order('amount'),
    ),
  ])
  return {
    accounts,
    categories: categories.map((
      { name, kind, parent_id },
    ) => [categories.find(({ id }) => id === parent_id)?.name ?? null, name, kind]),
    transactions,
  }
}

test.each(['actual', 'firefly', 'lunch-money', 'mint', 'monarch', 'ynab'])(
  'Ann stores her export of %s, and storing it again changes nothing',
  async (app) => {
    const ann = await someone('Ann')
    const exported = readAppExport(fileOf(app))
    const first = await storeAppExport(ann, exported, { currency: 'eur' })
    expect(first.problems).toEqual([])
    expect(first.tables.transactions).toEqual({ stored: exported.transactions.length, present: 0 })
    const books = await booksOf(ann)
    expect(books.transactions).toHaveLength(exported.transactions.length)
    expect(books.accounts.map(({ name }) => name)).toEqual(
      exported.accounts.map(({ name }) => name).toSorted(),
    )
    expect(books.transactions.filter(({ transfer_id }) => transfer_id !== null)).toHaveLength(
      exported.transfers.length * 2,
    )

    const second = await storeAppExport(ann, exported, { currency: 'eur' })
    expect(second.problems).toEqual([])
    expect(Object.values(second.tables).map(({ stored }) => stored)).toEqual([0, 0, 0, 0, 0, 0])
    expect(await booksOf(ann)).toEqual(books)
  },
)

test('splits, tags, transfers, groups and starting balances are those of the app', async () => {
  const ann = await someone('Ann')
  await storeAppExport(ann, readAppExport(fileOf('ynab')), {
    currency: 'usd',
    types: { Savings: 'savings' },
  })
  const { accounts, categories, transactions } = await booksOf(ann)
  expect(accounts).toEqual([
    { name: 'Checking', type: 'checking', currency: 'usd', balance: 500, current_balance: 1603.3 },
    { name: 'Savings', type: 'savings', currency: 'usd', balance: 0, current_balance: 200 },
  ])
  expect(categories).toEqual([
    ['Needs', 'Food', 'expense'],
    [null, 'Fun', 'expense'],
    [null, 'Inflow', 'income'],
    [null, 'Needs', 'expense'],
    ['Inflow', 'Ready to Assign', 'income'],
    ['Fun', 'Travel', 'expense'],
  ])
  expect(transactions.find(({ name }) => name === 'Bahn')).toMatchObject({
    amount: -34.2,
    booked_on: '2025-03-13',
    source: 'ynab',
    account: { name: 'Checking' },
    category: null,
    line_items: [{ name: 'Ticket', amount: -30, category: { name: 'Travel' } }, {
      name: 'Coffee',
      amount: -4.2,
      category: { name: 'Food' },
    }],
    tags: [{ name: 'Red' }],
  })
  const halves = transactions.filter(({ transfer_id }) => transfer_id !== null)
  expect(halves.map(({ name, amount, category }) => [name, amount, category])).toEqual([[
    'Checking to Savings',
    -200,
    null,
  ], [
    'Checking to Savings',
    200,
    null,
  ]])
  expect(new Set(halves.map(({ transfer_id }) => transfer_id)).size).toBe(1)
})

test('Ann keeps the total of each category, also of splits with parts of both signs', async () => {
  const ann = await someone('Ann')
  const lines = [
    'Checking,2025-03-13,Store,(SPLIT 1 OF 2) food,Groceries,-120,0,Cleared',
    'Checking,2025-03-13,Store,(SPLIT 2 OF 2) coupon,Discounts,20,0,Cleared',
    'Checking,2025-03-14,Dinner,(SPLIT 1 OF 2) all of us,Groceries,-60,0,Cleared',
    'Checking,2025-03-14,Dinner,(SPLIT 2 OF 2) Ben paid back,Refunds,60,0,Cleared',
    'Checking,2025-03-15,Acme,(SPLIT 1 OF 2) gross,Wages,3000,0,Cleared',
    'Checking,2025-03-15,Acme,(SPLIT 2 OF 2) tax,Taxes,-700,0,Cleared',
  ]
  const exported = readAppExport(`${fileOf('actual').toString().trimEnd()}\n${lines.join('\n')}\n`)
  for (let run = 0; run < 2; run++)
    expect((await storeAppExport(ann, exported, { currency: 'eur' })).problems).toEqual([])
  const groups = await unwrap(ann.data.rpc('get_transaction_aggregate', { p_group_by: 'category' }))
  expect(Object.fromEntries(groups.map(({ name, value }) => [name, value]))).toEqual({
    Discounts: 20,
    Food: -16.7,
    Groceries: -180,
    Pay: 1350,
    Refunds: 60,
    Taxes: -700,
    Travel: -30,
    Wages: 3000,
  })
})

test('rows of the same name are used, and a starting balance that cannot be stored is a problem', async () => {
  const ann = await someone('Ann')
  const { data } = ann
  const giro = await unwrap(
    data.from('accounts').insert({ name: 'giro', type: 'checking', currency: 'eur', balance: 7 })
      .select('id').single(),
  )
  const food = await unwrap(data.from('categories').insert({ name: 'Food' }).select('id').single())
  const exported = readAppExport(fileOf('firefly'))
  const matches = await matchAppExport(ann, exported)
  expect([[...matches.accounts], [...matches.categories], [...matches.tags]]).toEqual([
    [['Giro', { id: giro.id, name: 'giro' }]],
    [['Food', { id: food.id, name: 'Food' }]],
    [],
  ])
  const { problems, tables } = await storeAppExport(ann, exported)
  expect(problems).toEqual([{
    table: 'accounts',
    id: giro.id,
    message: 'The account "Giro" already exists, so its starting balance of 500.00 was not saved.',
  }])
  expect([tables.accounts, tables.categories]).toEqual([{ stored: 1, present: 0 }, {
    stored: 2,
    present: 0,
  }])
  expect(
    await unwrap(
      data.from('transactions').select('name').eq('account_id', giro.id).eq('category_id', food.id),
    ),
  ).toEqual([{ name: 'Bäckerei Muster' }])
})

test('rows of an existing account get its currency', async () => {
  const ann = await someone('Ann')
  await unwrap(
    ann.data.from('accounts').insert({ name: 'Savings', type: 'savings', currency: 'chf' }),
  )
  const { problems } = await storeAppExport(ann, readAppExport(fileOf('ynab')), { currency: 'chf' })
  expect(problems).toEqual([])
  expect(await unwrap(ann.data.from('transactions').select('currency').neq('currency', 'chf')))
    .toEqual([])
  expect((await booksOf(ann)).transactions).toHaveLength(5)
})

test('an interrupted run is completed by the next one, and a later export adds its new transactions', async () => {
  const ann = await someone('Ann')
  const exported = readAppExport(fileOf('actual'))
  const part: AppExport = {
    ...exported,
    transactions: exported.transactions.slice(2),
    transfers: [],
  }
  await storeAppExport(ann, part, { currency: 'eur' })
  await unwrap(ann.data.from('line_items').delete().neq('amount', 0))
  const { tables } = await storeAppExport(ann, exported, { currency: 'eur' })
  expect([tables.transactions, tables.line_items]).toEqual([{ stored: 2, present: 3 }, {
    stored: 2,
    present: 0,
  }])
})

test('an account without a currency is refused before anything is stored, and one in another currency is a problem for each row', async () => {
  const ben = await someone('Ben')
  await expect(storeAppExport(ben, readAppExport(fileOf('actual')))).rejects.toThrow(
    'The export doesn\'t specify a currency for the account "Savings". Choose one.',
  )
  expect(await unwrap(ben.data.from('accounts').select('id'))).toEqual([])
  await unwrap(
    ben.data.from('accounts').insert({ name: 'Checking', type: 'checking', currency: 'eur' }),
  )
  const { problems, tables } = await storeAppExport(ben, readAppExport(fileOf('mint')))
  expect(tables.transactions).toEqual({ stored: 1, present: 0 })
  expect(problems.map(({ table }) => table)).toEqual([
    'transactions',
    'transactions',
    'transactions',
  ])
})

test('an export with an open question stores nothing and hands on the question', async () => {
  const ann = await someone('Ann')
  const exported = readAppExport(
    new TextDecoder().decode(fileOf('lunch-money')).replace(/,(?:income|expense),/g, ',,'),
  )
  const { problems, tables } = await storeAppExport(ann, exported, { currency: 'eur' })
  expect(problems).toMatchObject([{
    table: 'transactions',
    option: 'negate',
    message: exported.problems[0]?.message,
  }])
  expect(tables.transactions).toEqual({ stored: 0, present: 0 })
})

test('an account in a currency that has ended is a problem with a sentence, and the rest is stored', async () => {
  const ben = await someone('Ben')
  const { problems, tables } = await storeAppExport(
    ben,
    readAppExport(fileOf('firefly').toString().replaceAll('USD', 'DEM')),
  )
  expect(tables.accounts).toEqual({ stored: 1, present: 0 })
  expect(problems.map(({ table, message }) => [table, message])).toEqual([
    [
      'accounts',
      '"DEM" is no longer in use as a currency, so this was not saved. Convert the amounts, for example to EUR, and import the file again.',
    ],
    [
      'transactions',
      expect.stringMatching(
        /^(This belongs to something that was not saved|"DEM" is no longer in use)/,
      ),
    ],
  ])
  expect((await booksOf(ben)).transactions.map(({ amount }) => amount)).toEqual([
    -12.5,
    -34.2,
    1350,
    -200,
  ])
})

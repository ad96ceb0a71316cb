/** A user who writes an amount in a form that only newer versions of PostgreSQL read gets 400 on every version. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
let mine: Caller
let account: string
let transaction: string
let category: string
beforeAll(async () => {
  stack = await dataStack()
  mine = stack.as(await stack.person())
  account = (await mine.create('accounts', { name: 'Checking', type: 'checking' })).id
  category = (await mine.create('categories', { name: 'Home' })).id
  transaction = (await mine.create('transactions', { name: 'Rent', amount: -900, account_id: account })).id
})
afterAll(() => stack.stop())

/** Forms that PostgreSQL 16 and later read as numbers, and forms that no version reads. */
const malformed = ['0x10', '0X1F', '0o17', '0b1', '1_000', '1_000.5', '-0x1', '1,000.00', '12,50', '1 000', '', ' ', '.', 'e5', '12€', '１２', true, {}, [1]]

const refusal = { status: 400, body: { code: '22P02', hint: 'A number has a decimal point and no thousands separator, such as 1234.50.' } }

const columns = (): [table: string, row: Record<string, unknown>, column: string][] => [
  ['transactions', { name: 'x' }, 'amount'],
  ['subscriptions', { title: 'x', period: 'monthly' }, 'amount'],
  ['accounts', { name: 'x', type: 'cash' }, 'balance'],
  ['balances', { account_id: account, on_date: '2025-01-31' }, 'balance'],
  ['budgets', { category_id: category, month: null }, 'amount'],
  ['categories', { name: 'x' }, 'monthly_budget'],
  ['line_items', { transaction_id: transaction, name: 'x' }, 'amount'],
  ['line_items', { transaction_id: transaction, name: 'x', amount: -1 }, 'quantity'],
  ['exchange_rates', { on_date: '2025-01-31', base: 'eur', quote: 'usd' }, 'rate'],
]

test('a row with an amount in another form is refused in every table, also in a batch and in a change', async () => {
  for (const [table, row, column] of columns()) {
    for (const amount of malformed) expect([table, amount, await mine.post(`/${table}`, { ...row, [column]: amount })]).toMatchObject([table, amount, refusal])
    expect(await mine.post(`/${table}`, [{ ...row, [column]: 1 }, { ...row, [column]: '1_0' }])).toMatchObject(refusal)
  }
  expect(await mine.patch(`/transactions?id=eq.${transaction}`, { amount: '0x10' })).toMatchObject(refusal)
})

test('a row of a CSV file with an amount in another form is refused, and one with blanks around it is read', async () => {
  const send = (amount: string) =>
    mine.post('/transactions?select=amount', `name,amount\nx,${amount}\n`, { 'content-type': 'text/csv', prefer: 'return=representation' })
  for (const amount of ['0x10', '1_000', '']) expect(await send(amount)).toMatchObject(refusal)
  expect((await send(' -12.50 ')).body).toEqual([{ amount: -12.5 }])
})

test.each([[12.5, 12.5], ['12.50', 12.5], [' 7 ', 7], ['+3.', 3], ['.5', 0.5], ['1e3', 1000], ['-1.5E-1', -0.15], ['007', 7]])(
  'the amount %j is stored as %d',
  async (sent, stored) => {
    expect(await mine.create('transactions', { name: 'x', amount: sent })).toMatchObject({ amount: stored })
  },
)

test('the arguments of functions are read in the same way', async () => {
  const other = (await mine.create('accounts', { name: 'Savings', type: 'savings' })).id
  const moved = { from_account_id: account, to_account_id: other }
  for (const amount of malformed) {
    expect(await mine.post('/rpc/create_transfer', { ...moved, amount })).toMatchObject(refusal)
    expect(await mine.post('/rpc/create_transfer', { ...moved, amount: 1, to_amount: amount })).toMatchObject(refusal)
    expect(await mine.post('/rpc/set_balance', { p_account_id: account, p_balance: amount })).toMatchObject(refusal)
    const file = { p_rows: [], p_account_id: account, p_balance: amount, p_balance_on: '2025-01-31' }
    expect(await mine.post('/rpc/import_transactions', file)).toMatchObject(refusal)
  }
  expect(await mine.post('/rpc/import_transactions', { p_rows: [{ name: 'x', amount: '0x10' }] }))
    .toMatchObject({ status: 200, body: [{ verdict: 'invalid', reason: 'amount "0x10" is not a number: write 12.50' }] })
  expect((await mine.post('/rpc/set_balance', { p_account_id: account, p_balance: '12.50' })).status).toBe(200)
})

test('filters find their rows, also with a list of values', async () => {
  for (
    const filter of [
      'amount=eq.-900',
      'amount=in.(-900,5)',
      'amount=eq(any).{-900,5}',
      'or=(amount.eq.-9e2,name.eq.none)',
      'amount=lt.-899.99',
      'amount=not.gt.-900',
    ]
  )
    expect([filter, (await mine.get(`/transactions?select=name&${filter}`)).body]).toEqual([filter, [{ name: 'Rent' }]])
})

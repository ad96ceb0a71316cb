/**
 * Ada's books, which have every status, a refund, split transactions, two currencies and transfers
 * between her accounts; and the reports that tests request.
 */
import type { Caller } from '../support/data.ts'

export type Group = {
  key?: string | null
  name: string | null
  currency: string
  value?: number
  total?: number
  count: number
}
const cents = (amount: number) => Math.round(amount * 100)
export const sum = (amounts: number[]) =>
  amounts.reduce((total, amount) => total + cents(amount), 0) / 100

/** The end of this year, which is the last period of a cash flow by years. */
export const lastYear = new Date().getUTCFullYear()
export const everything = { start_date: '2025-01-01', end_date: `${lastYear}-12-31` }
export const within = ({ start_date, end_date }: typeof everything) => ({
  field: 'transaction_date',
  operation: 'between',
  value: [start_date, end_date],
})
export const where = (field: string, value: unknown) => ({ field, operation: 'eq', value })

/** Stores the books. Returns the ids of the categories and accounts by name. */
export async function storeBooks(ada: Caller): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const name of ['Food', 'Home', 'Fun'])
    ids[name] = (await ada.create('categories', { name })).id
  for (const [name, currency] of [['Main', 'eur'], ['Savings', 'eur'], ['Dollars', 'usd']])
    ids[name ?? ''] = (await ada.create('accounts', { name, currency, type: 'checking' })).id
  const book: [string, number, string, string | null, string, string, [number, string | null][]][] =
    [
      ['Salary', 3000, '2025-01-01', null, 'Main', 'paid', []],
      // 64.99 stay with Food: items without a category, and the rest without an item.
      ['Supermarket', -100, '2025-01-15', 'Food', 'Main', 'paid', [[-50, null], [-25, 'Home'], [
        -10.01,
        'Fun',
      ]]],
      ['Refund', 20, '2025-01-20', 'Food', 'Main', 'paid', [[12, 'Home'], [8, 'Home']]],
      ['Rent', -900, '2025-02-01', 'Home', 'Main', 'pending', []],
      ['Wine', -7.77, '2025-02-05', 'Food', 'Main', 'failed', [[-7.77, 'Fun']]],
      ['Hotel', -80.5, '2025-02-10', 'Food', 'Dollars', 'paid', [[-80.5, 'Fun']]],
      ['Tip', -0.05, '2025-02-28T23:30:00Z', null, 'Dollars', 'paid', []],
    ]
  for (const [name, amount, transaction_date, category, account, status, items] of book) {
    const { id: transaction_id } = await ada.create('transactions', {
      name,
      amount,
      transaction_date: transaction_date.includes('T')
        ? transaction_date
        : `${transaction_date}T12:00:00Z`,
      category_id: category === null ? null : ids[category],
      account_id: ids[account],
      currency: account === 'Dollars' ? 'usd' : 'eur',
      status,
    })
    if (items.length === 0) continue
    await ada.create(
      'line_items',
      items.map(([part, of]) => ({
        transaction_id,
        name: 'part',
        amount: part,
        category_id: of === null ? null : ids[of],
      })),
    )
  }
  for (const [to_account_id, to_amount] of [[ids['Savings'], 500], [ids['Dollars'], 550]])
    await ada.post('/rpc/create_transfer', {
      from_account_id: ids['Main'],
      to_account_id,
      amount: 500,
      to_amount,
      transfer_date: '2025-02-15',
    })
  await ada.create('exchange_rates', [
    { on_date: '2025-01-01', base: 'eur', quote: 'usd', rate: 1.1 },
    { on_date: '2025-01-20', base: 'usd', quote: 'eur', rate: 0.9 },
    { on_date: '2025-02-28', base: 'eur', quote: 'usd', rate: 1.05 },
  ])
  return ids
}

export const statOf = async (
  caller: Caller,
  body: Record<string, unknown>,
  prefer = 'timezone=UTC',
) => (await caller.post('/rpc/get_transaction_stat', body, { prefer })).body
export const aggregateOf = async (
  caller: Caller,
  body: Record<string, unknown>,
  prefer = 'timezone=UTC',
): Promise<Group[]> => (await caller.post('/rpc/get_transaction_aggregate', body, { prefer })).body
export const distributionOf = async (
  caller: Caller,
  params: Record<string, unknown>,
  prefer = 'timezone=UTC',
): Promise<Group[]> =>
  (await caller.post('/rpc/get_transaction_distribution_by_category', { params }, { prefer })).body
export const table = (groups: Group[]) =>
  groups.map(({ name, currency, value, total, count }) => [name, currency, value ?? total, count])

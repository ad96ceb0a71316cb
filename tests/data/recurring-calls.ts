/** Calls of tests of recurring income and transfers, and the accounts and rows that they use. */
import type { Caller } from '../support/data.ts'

/** Creates two euro accounts, one dollar account and a category. */
export async function bank(caller: Caller) {
  const [giro, savings, dollars] = await caller.create('accounts', [
    { name: 'Giro', type: 'checking', currency: 'eur', balance: 1000 },
    { name: 'Savings', type: 'savings', currency: 'eur', balance: 0 },
    { name: 'Dollars', type: 'checking', currency: 'usd', balance: 0 },
  ])
  const category = await caller.create('categories', { name: 'Work' })
  return {
    giro: giro.id,
    savings: savings.id,
    dollars: dollars.id,
    category: category.id,
  } as Record<'giro' | 'savings' | 'dollars' | 'category', string>
}
export const salary = {
  title: 'Salary',
  amount: 3000,
  kind: 'income',
  period: 'monthly',
  starts_on: '2025-01-25',
  currency: 'eur',
}
export const saving = {
  title: 'Saving',
  amount: 200,
  kind: 'transfer',
  period: 'monthly',
  starts_on: '2025-01-31',
  currency: 'eur',
}
export const record = (
  caller: Caller,
  id: string,
  due_on: string,
  headers?: Record<string, string>,
) => caller.post('/rpc/record_subscription', { p_subscription_id: id, due_on }, headers)
export const upcoming = async (caller: Caller, start: string, end: string) =>
  (await caller.get(
    `/rpc/get_upcoming?start_date=${start}&end_date=${end}&select=title,due_on,amount,kind,to_account_id,is_recorded`,
  )).body
export const balances = async (caller: Caller): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await caller.get('/accounts?select=name,current_balance')).body.map((
      row: any,
    ) => [row.name, row.current_balance]),
  )

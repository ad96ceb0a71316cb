/** Calls of tests that store budgets and spending, and compare them. */
import type { Caller } from '../support/data.ts'

export type Row = {
  name: string
  currency: string
  budget: number
  actual: number
  difference: number
}
export const category = async (
  caller: Caller,
  row: Record<string, unknown> = {},
): Promise<string> => (await caller.create('categories', { name: 'Food', ...row })).id
export const compare = (caller: Caller, start: string, end: string, more = '') =>
  caller.get(`/rpc/get_budget_comparison?start_date=${start}&end_date=${end}${more}`)
/** Returns currency, budget, actual and difference of each row. */
export const figures = ({ body }: { body: Row[] }) =>
  body.map(({ currency, budget, actual, difference }) => [currency, budget, actual, difference])
export const budget = (
  caller: Caller,
  category_id: string,
  month: string | null,
  amount: number,
  more: Record<string, unknown> = {},
) =>
  caller.create('budgets', {
    category_id,
    month: month === null ? null : `${month}-01`,
    amount,
    ...more,
  })
export const spend = (
  caller: Caller,
  category_id: string,
  transaction_date: string,
  amount: number,
  currency = 'usd',
) =>
  caller.create('transactions', {
    name: 'x',
    category_id,
    transaction_date,
    amount: -amount,
    currency,
  })

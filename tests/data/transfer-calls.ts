/** Calls of tests that link transactions as transfers, and the rows of two own accounts. */
import { expect } from 'vitest'
import type { Caller } from '../support/data.ts'

export type Row = Record<string, any>
export const account = async (caller: Caller, row: Row = {}): Promise<string> =>
  (await caller.create('accounts', { name: 'Giro', type: 'checking', currency: 'eur', ...row })).id
export async function accounts(caller: Caller) {
  return {
    giro: await account(caller),
    savings: await account(caller, { name: 'Savings', type: 'savings' }),
    card: await account(caller, { name: 'Card' }),
  }
}
export const enter = (
  caller: Caller,
  account_id: string | null,
  amount: number,
  day: string,
  row: Row = {},
): Promise<Row> =>
  caller.create('transactions', { name: 'Row', amount, transaction_date: day, account_id, ...row })
export const judge = async (
  caller: Caller,
  p_account_id: string,
  rows: Row[],
  more: Row = {},
): Promise<Row[]> => {
  const { status, body, text } = await caller.post('/rpc/import_transactions', {
    p_rows: rows,
    p_source: `bank ${p_account_id}`,
    p_account_id,
    ...more,
  })
  expect(status, text).toBe(200)
  // without rules and suggestions
  return body.map(({ row_number, verdict, reason, transaction_id }: Row) => ({
    row_number,
    verdict,
    reason,
    transaction_id,
  }))
}
export const store = async (
  caller: Caller,
  of: string,
  rows: Row[],
  more: Row = {},
): Promise<Row[]> => {
  const dry = await judge(caller, of, rows, more)
  const done = await judge(caller, of, rows, { p_dry_run: false, ...more })
  expect(done.map(({ verdict, reason }) => [verdict, reason])).toEqual(
    dry.map(({ verdict, reason }) => [verdict, reason]),
  )
  return done
}
export const verdicts = (rows: Row[]) => rows.map(({ verdict }) => verdict).join(' ')
export const stored = async (caller: Caller): Promise<Row[]> =>
  (await caller.get('/transactions?order=transaction_date,amount,id')).body
export const link = (caller: Caller, from: string, to: string) =>
  caller.post('/rpc/link_transfer', { p_from_transaction_id: from, p_to_transaction_id: to })
export const undoLast = async (caller: Caller) => {
  const [last] = (await caller.get('/activity?order=id.desc&limit=1')).body
  return caller.post('/rpc/undo', { p_activity_id: last.id })
}
export const withoutTimes = (row: Row): Row => ({ ...row, updated_at: '' })
export const expenses = async (caller: Caller) =>
  (await caller.post('/rpc/get_transaction_stat', {
    p_aggregate_fn: 'sum',
    p_transaction_type: 'expense',
    p_filters: [],
  })).body
export const outgoing = {
  name: 'To savings',
  amount: -500,
  transaction_date: '2025-03-31',
  external_id: 'g-1',
}
export const incoming = {
  name: 'From giro',
  amount: 500,
  transaction_date: '2025-04-02',
  external_id: 's-1',
}

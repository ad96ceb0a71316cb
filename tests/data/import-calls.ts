/** Calls of api.import_transactions() in tests, and the user who makes them. */
import { expect } from 'vitest'
import type { Caller, DataStack } from '../support/data.ts'

export type Row = Record<string, any>
export const send = (caller: Caller, rows: Row[], more: Row = {}) =>
  caller.post('/rpc/import_transactions', { p_rows: rows, p_source: 'bank', ...more })
export const judge = async (caller: Caller, rows: Row[], more: Row = {}): Promise<Row[]> => {
  const { status, body, text } = await send(caller, rows, more)
  expect(status, text).toBe(200)
  // without rules and suggestions
  return body.map(({ row_number, verdict, reason, transaction_id }: Row) => ({
    row_number,
    verdict,
    reason,
    transaction_id,
  }))
}
/** Stores a file, after a dry run that says the same. */
export const store = async (caller: Caller, rows: Row[], more: Row = {}): Promise<Row[]> => {
  const dry = await judge(caller, rows, more)
  const done = await judge(caller, rows, { p_dry_run: false, ...more })
  expect(done.map((row) => (row['verdict'] === 'new' ? { ...row, transaction_id: null } : row)))
    .toEqual(dry)
  return done
}
export const verdicts = (rows: Row[]) => rows.map(({ verdict }) => verdict).join(' ')
export const stored = async (caller: Caller, query = ''): Promise<Row[]> =>
  (await caller.get(`/transactions?order=transaction_date,name,id${query}`)).body
export const undoLast = async (caller: Caller) => {
  const [last] = (await caller.get('/activity?order=id.desc&limit=1')).body
  return caller.post('/rpc/undo', { p_activity_id: last.id })
}

/** The row of a bank. */
export const lunch = {
  name: 'RESTAURANT 4711',
  amount: '-12.50',
  transaction_date: '2025-03-03',
  external_id: 'b-1',
  description: 'Card 12',
  reference_no: 'R-9',
}

/** A user with two accounts, and the parameters of an import into the first. */
export async function userOf(stack: DataStack) {
  const caller = stack.as(await stack.person())
  const giro =
    (await caller.create('accounts', { name: 'Giro', type: 'checking', currency: 'eur' })).id
  const savings =
    (await caller.create('accounts', { name: 'Savings', type: 'savings', currency: 'eur' })).id
  const entered = (row: Row = {}): Promise<Row> =>
    caller.create('transactions', {
      name: 'Lunch with Bo',
      amount: -12.5,
      transaction_date: '2025-03-01',
      account_id: giro,
      ...row,
    })
  return { caller, giro, savings, more: { p_account_id: giro }, entered }
}

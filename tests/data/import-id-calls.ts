/** Imports of files whose bank uses its ids again, and the user who makes them. */
import { expect } from 'vitest'
import type { Caller, DataStack } from '../support/data.ts'

export type Row = Record<string, any>
export const judge = async (caller: Caller, rows: Row[], more: Row = {}): Promise<Row[]> => {
  const { status, body, text } = await caller.post('/rpc/import_transactions', {
    p_rows: rows,
    p_source: 'bank',
    ...more,
  })
  expect(status, text).toBe(200)
  return body
}
/** Stores a file, after a dry run that says the same. */
export const store = async (caller: Caller, rows: Row[], more: Row = {}): Promise<Row[]> => {
  const dry = await judge(caller, rows, more)
  const done = await judge(caller, rows, { p_dry_run: false, ...more })
  expect(done.map(({ verdict, reason }) => [verdict, reason])).toEqual(
    dry.map(({ verdict, reason }) => [verdict, reason]),
  )
  return done
}
export const verdicts = (rows: Row[]) => rows.map(({ verdict }) => verdict).join(' ')
export const stored = async (caller: Caller): Promise<Row[]> =>
  (await caller.get(
    '/transactions?order=booked_on,name,amount&select=id,name,amount,booked_on,category_id,account_id,external_id',
  )).body
export const books = async (caller: Caller) =>
  (await stored(caller)).map(({ name, amount }) => `${name} ${amount}`)
export const undoLast = async (caller: Caller) => {
  const [last] = (await caller.get('/activity?order=id.desc&limit=1')).body
  return caller.post('/rpc/undo', { p_activity_id: last.id })
}

/** A user with two accounts, each as the parameters of an import into it. */
export async function userOf(stack: DataStack) {
  const caller = stack.as(await stack.person())
  const [giro, savings] = await caller.create(
    'accounts',
    ['Giro', 'Savings'].map((name) => ({ name, type: 'checking', currency: 'eur' })),
  )
  return { caller, giro: { p_account_id: giro.id }, savings: { p_account_id: savings.id } }
}

export const january = [
  { external_id: '1', name: 'GROCER', amount: -52.1, transaction_date: '2026-01-10' },
  { external_id: '2', name: 'RENT', amount: -900, transaction_date: '2026-01-15' },
]
export const february = [
  { external_id: '1', name: 'FUEL', amount: -40, transaction_date: '2026-02-08' },
  { external_id: '2', name: 'SALARY', amount: 3000, transaction_date: '2026-02-20' },
]
export const march = [{
  external_id: '1',
  name: 'BOOKS',
  amount: -18,
  transaction_date: '2026-03-02',
}]
export const all = ['GROCER -52.1', 'RENT -900', 'FUEL -40', 'SALARY 3000', 'BOOKS -18']

/** The purchase of an id, and what another transaction with that id has. */
export const hotel = {
  external_id: 'a-1',
  name: 'HOTEL',
  amount: -200,
  transaction_date: '2026-05-04',
}
export const otherTransactions: [string, Row][] = [
  ['another name and amount on the same day, as a fee for a purchase abroad', {
    name: 'FOREIGN TRANSACTION FEE',
    amount: -6,
  }],
  ['the name of the purchase in its own', { name: 'FEE HOTEL', amount: -6 }],
  ['the opposite sign, as the money that comes back', {
    amount: 200,
    transaction_date: '2026-05-06',
  }],
  ['the same name on a far day', { amount: -180, transaction_date: '2026-06-04' }],
  ['the same name and amount on a far day', { transaction_date: '2026-06-04' }],
  ['the same amount on a far day', { name: 'RENT', transaction_date: '2026-06-04' }],
  ['the same amount under another name on the next day', {
    name: 'RITZ',
    transaction_date: '2026-05-05',
  }],
  ['a name with one word more on another day', {
    name: 'HOTEL BAR',
    transaction_date: '2026-05-05',
  }],
]

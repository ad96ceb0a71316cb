/** Imports of a bank's later version of a row, and the users who make them. */
import { expect } from 'vitest'
import type { Answer, Caller, DataStack } from '../support/data.ts'

export type Row = Record<string, any>
const send = (caller: Caller, rows: Row[], more: Row = {}, zone = 'UTC'): Promise<Answer> =>
  caller.post('/rpc/import_transactions', { p_rows: rows, p_source: 'bank', ...more }, {
    prefer: `timezone=${zone}`,
  })
export const judge = async (
  caller: Caller,
  rows: Row[],
  more: Row = {},
  zone = 'UTC',
): Promise<Row[]> => {
  const { status, body, text } = await send(caller, rows, more, zone)
  expect(status, text).toBe(200)
  return body
}
export const store = (caller: Caller, rows: Row[], more: Row = {}, zone = 'UTC') =>
  judge(caller, rows, { p_dry_run: false, ...more }, zone)
export const verdicts = (rows: Row[]) => rows.map(({ verdict }) => verdict).join(' ')
export const stored = async (caller: Caller): Promise<Row[]> =>
  (await caller.get('/transactions?order=transaction_date,name,id')).body
export const imports = async (caller: Caller): Promise<Row[]> =>
  (await caller.get('/imports?order=created_at')).body
export const undoLast = async (caller: Caller) => {
  const [last] = (await caller.get('/activity?order=id.desc&limit=1')).body
  return caller.post('/rpc/undo', { p_activity_id: last.id })
}

/** Creates a user with an account and a card payment that the bank has announced. */
export async function announcedRow(
  stack: DataStack,
  row: Row = {},
  status: string | null = 'pending',
) {
  const caller = stack.as(await stack.person())
  const account = await caller.create('accounts', {
    name: 'Giro',
    type: 'checking',
    currency: 'eur',
    balance: 100,
  })
  const more = { p_account_id: account.id }
  const pending = {
    name: 'Shop',
    amount: '-20.00',
    transaction_date: '2025-03-01',
    external_id: 'b-1',
    status,
    ...row,
  }
  const [first] = await store(caller, [pending], { ...more, p_file_name: 'first' })
  const balance = async () =>
    (await caller.get('/accounts?select=current_balance')).body[0].current_balance
  const path = `/transactions?id=eq.${first?.['transaction_id']}`
  const current = async (): Promise<Row> => (await caller.get(path)).body[0]
  return { caller, more, pending, balance, path, current, id: first?.['transaction_id'] as string }
}

/**
 * A stranger imports a row, a second import updates it, and the stranger deletes it. A team then
 * stores a row with its id.
 */
export async function takenId(stack: DataStack, row: Row) {
  const outsider = stack.as(await stack.person())
  const person = await stack.person()
  const member = stack.as(person, await stack.organization({ owner: person }))
  const sent = { name: 'Shop', transaction_date: '2025-03-01', external_id: 'b-1' }
  const [first] = await store(outsider, [{ ...sent, amount: '-99999.00' }])
  const id = first?.['transaction_id'] as string
  expect(verdicts(await store(outsider, [{ ...sent, amount: '-2.00' }]))).toBe('updated')
  const [before] = await stored(outsider)
  await outsider.delete(`/transactions?id=eq.${id}`)
  await member.create('transactions', {
    id,
    name: 'Shop',
    amount: -2,
    transaction_date: before?.['transaction_date'],
    booked_on: before?.['booked_on'],
    ...row,
  })
  return {
    outsider,
    member,
    ofTeam: async () => (await member.get(`/transactions?id=eq.${id}`)).body,
    id,
  }
}

/**
 * Imports of 5,000 rows, as many as a request may have: in the memory of a server process, without
 * a comparison of each with each.
 */
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'
import { execute } from '../support/database.ts'

/**
 * Sets the time of a statement. A busy machine may need more than its 8 seconds; before, such
 * imports took minutes.
 */
const allow = (time: string) =>
  execute(inject('serverUrl'), `alter role authenticated set statement_timeout = '${time}'`)

let stack: DataStack
beforeAll(async () => {
  await allow('60s')
  stack = await dataStack()
})
afterAll(async () => {
  await stack.stop()
  await allow('8s')
})

type Row = Record<string, any>
const letters = (number: number) =>
  String.fromCodePoint(
    97 + number % 26,
    97 + Math.floor(number / 26) % 26,
    97 + Math.floor(number / 676),
  )
const rowsOf = (idOf: (number: number) => string) =>
  Array.from({ length: 5000 }, (_, number) => ({
    external_id: idOf(number),
    name: `Payee ${letters(number)} in a town`,
    amount: -1 - number,
    transaction_date: new Date(Date.UTC(2026, 0, 1 + number % 300)).toISOString().slice(0, 10),
    description: `Text of the bank for row ${number}, with references such as ${
      number * 7919
    } and more words`,
    metadata: { type: 'XFER', shared_id: `id ${number}` },
  }))
/** Returns the different verdicts. */
const judge = async (
  caller: Caller,
  p_account_id: string,
  p_rows: Row[],
  more: Row = {},
): Promise<string[]> => {
  const { status, body, text } = await caller.post('/rpc/import_transactions', {
    p_rows,
    p_account_id,
    p_source: 'bank',
    ...more,
  })
  expect(status, text).toBe(200)
  return [...new Set<string>(body.map(({ verdict }: Row) => verdict))]
}
const account = async (caller: Caller): Promise<string> =>
  (await caller.create('accounts', { name: 'Giro', type: 'checking', currency: 'eur' })).id

test.each([['of their own', String], ['that all of them share', () => '1']])(
  'rows are imported, corrected and deleted by ids %s',
  async (_, idOf) => {
    const caller = stack.as(await stack.person())
    const giro = await account(caller)
    const rows = rowsOf(idOf)
    for (const verdict of ['new', 'duplicate'])
      expect(
        await judge(caller, giro, rows, { p_dry_run: false }),
      ).toEqual([verdict])
    expect(
      await judge(
        caller,
        giro,
        rows.map((row) => ({ ...row, name: row.name.toUpperCase(), description: 'Corrected' })),
      ),
    ).toEqual(['updated'])
    await caller.delete('/transactions')
    expect(await judge(caller, giro, rows)).toEqual(['deleted'])
  },
)

test('rows are compared with those of 50 accounts for transfers', async () => {
  const caller = stack.as(await stack.person())
  const giro = await account(caller)
  const other = { type: 'checking', currency: 'eur', institution: 'Bank' }
  const others: Row[] = await caller.create(
    'accounts',
    Array.from(
      { length: 49 },
      (_, number) => ({
        ...other,
        name: `Account ${letters(number)}`,
        account_number: String(4000 + number),
      }),
    ),
  )
  const rows = rowsOf(String)
  await judge(caller, giro, rows, { p_dry_run: false })
  const arrived = rows.map((row) => ({ ...row, name: `${row.name} again`, amount: -row.amount }))
  expect(await judge(caller, others[0]?.['id'], arrived, { p_source: 'other' })).toContain(
    'transfer',
  )
  expect(
    await judge(caller, others[0]?.['id'], arrived.map((row) => ({ ...row, amount: 7 })), {
      p_source: 'other',
    }),
  ).toContain('new')
})

test('rows of a file are recognized as the transactions that a user has entered', async () => {
  const caller = stack.as(await stack.person())
  const giro = await account(caller)
  const rows = rowsOf(String)
  await caller.create(
    'transactions',
    rows.map(({ name, amount, transaction_date }) => ({
      name,
      amount,
      transaction_date,
      currency: 'eur',
      account_id: giro,
    })),
  )
  expect(await judge(caller, giro, rows, { p_dry_run: false })).toEqual(['matched'])
  expect(await judge(caller, giro, rows, { p_dry_run: false })).toEqual(['duplicate'])
})

test('rows of another format are recognized among ten thousand, after a correction of all and after their deletion', async () => {
  const caller = stack.as(await stack.person())
  const giro = await account(caller)
  const fileOf = (letter: string) =>
    rowsOf((number) => `${letter} ${number}`).map((row) => ({ ...row, amount: row.amount % 500 }))
  const [first, second] = [
    fileOf('a'),
    fileOf('b').map((row) => ({ ...row, amount: row.amount - 0.1 })),
  ]
  for (const file of [first, second])
    expect(await judge(caller, giro, file, { p_dry_run: false })).toEqual(['new'])
  const byCsv = first.map((row) => ({
    ...row,
    external_id: undefined,
    name: `${row.name} and more`,
  }))
  expect(await judge(caller, giro, byCsv, { p_source: 'csv' })).toEqual(['duplicate'])
  expect(
    await judge(caller, giro, first.map((row) => ({ ...row, amount: row.amount - 1000 })), {
      p_dry_run: false,
    }),
  ).toEqual(['updated'])
  expect(await judge(caller, giro, byCsv, { p_source: 'csv' })).toEqual(['duplicate'])
  await caller.delete('/transactions?amount=lte.-1000')
  expect(await judge(caller, giro, byCsv, { p_source: 'csv' })).toEqual(['deleted'])
})

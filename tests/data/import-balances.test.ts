/** The closing balance of a bank's file, which an import stores. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack

beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const someone = async () => stack.as(await stack.person())
const account = async (caller: Caller, row: object = {}): Promise<string> => (await caller.create('accounts', { name: 'Bank', type: 'checking', ...row })).id
const row = (name: string, more: object = {}) => ({ name, amount: -5, transaction_date: '2025-03-01', ...more })
const send = (caller: Caller, p_account_id: string | null, more: object = {}) =>
  caller.post('/rpc/import_transactions', { p_rows: [row('Tram')], p_account_id, p_dry_run: false, p_balance: 95, p_balance_on: '2025-03-31', ...more })
const balances = async (caller: Caller) => (await caller.get('/balances?select=account_id,on_date,balance,source&order=on_date')).body
const undoLast = async (caller: Caller) => {
  const [{ id: p_activity_id }] = (await caller.get('/activity?order=id.desc&limit=1')).body
  return caller.post('/rpc/undo', { p_activity_id })
}

describe('an import with p_balance and p_balance_on', () => {
  test('an import with p_balance and p_balance_on stores the balance of the statement, which get_reconciliation compares with the rows', async () => {
    const caller = await someone()
    const bank = await account(caller, { balance: 100 })
    expect(await send(caller, bank, { p_dry_run: true })).toMatchObject({ status: 200, body: [{ verdict: 'new' }] })
    expect(await balances(caller)).toEqual([])
    expect((await send(caller, bank)).status).toBe(200)
    expect(await balances(caller)).toEqual([{ account_id: bank, on_date: '2025-03-31', balance: 95, source: 'statement' }])
    expect((await caller.get(`/rpc/get_reconciliation?p_account_id=${bank}`)).body).toEqual([
      { on_date: '2025-03-31', stated: 95, computed: 95, difference: 0, transactions: 1 },
    ])
  })

  test('an import with p_balance and p_balance_on stores it once, also when all rows are known, and records nothing the second time', async () => {
    const caller = await someone()
    const bank = await account(caller)
    await send(caller, bank, { p_balance: null, p_balance_on: null })
    await caller.patch('/transactions?name=eq.Tram', { description: 'mine' })
    expect((await send(caller, bank)).body).toMatchObject([{ verdict: 'duplicate' }])
    expect(await balances(caller)).toHaveLength(1)
    const [{ id }] = (await caller.get('/activity?order=id.desc&limit=1')).body
    expect((await send(caller, bank)).status).toBe(200)
    expect((await caller.get('/activity?order=id.desc&limit=1')).body).toMatchObject([{ id, table_name: 'balances' }])
  })

  test.each(['undo', 'deletion'])(
    'an import with p_balance and p_balance_on takes the balance back by its %s, and the undo of that stores it again',
    async (way) => {
      const caller = await someone()
      const bank = await account(caller)
      await send(caller, bank)
      const stored = await balances(caller)
      expect((await (way === 'undo' ? undoLast(caller) : caller.delete('/imports?id=not.is.null'))).status).toBe(way === 'undo' ? 200 : 204)
      expect(await balances(caller)).toEqual([])
      expect((await undoLast(caller)).status).toBe(200)
      expect(await balances(caller)).toEqual(stored)
      expect((await caller.delete('/imports?id=not.is.null')).status).toBe(204)
      expect(await balances(caller)).toEqual([])
    },
  )

  test.each([['undo', 'manual'], ['deletion', 'manual'], ['undo', 'statement'], ['deletion', 'statement']])(
    'replaces another balance of that day, and its %s restores the %s one',
    async (way, source) => {
      const caller = await someone()
      const bank = await account(caller)
      await caller.create('balances', { account_id: bank, on_date: '2025-03-31', balance: 80, source })
      const former = await balances(caller)
      await send(caller, bank)
      expect(await balances(caller)).toMatchObject([{ balance: 95, source: 'statement' }])
      expect((await (way === 'undo' ? undoLast(caller) : caller.delete('/imports?id=not.is.null'))).status).toBe(way === 'undo' ? 200 : 204)
      expect(await balances(caller)).toEqual(former)
    },
  )

  test('an import with p_balance and p_balance_on of an idle month stores the balance without a row, and a dry run stores none', async () => {
    const caller = await someone()
    const bank = await account(caller, { balance: 95 })
    expect(await send(caller, bank, { p_rows: [], p_dry_run: true })).toMatchObject({ status: 200, body: [] })
    expect(await balances(caller)).toEqual([])
    for (let time = 0; time < 2; time++) expect(await send(caller, bank, { p_rows: [] })).toMatchObject({ status: 200, body: [] })
    expect(await balances(caller)).toEqual([{ account_id: bank, on_date: '2025-03-31', balance: 95, source: 'statement' }])
    expect((await caller.get('/imports')).body).toEqual([])
    expect((await undoLast(caller)).status).toBe(200)
    expect(await balances(caller)).toEqual([])
    const refused = [
      [{ p_balance: null, p_balance_on: null }, 'p_rows is not an array of 1 to 5000 rows'],
      [{ p_balance_on: null }, 'p_balance and p_balance_on belong together'],
      [{ p_account_id: null }, 'p_balance needs p_account_id'],
    ] as const
    for (const [more, message] of refused) expect(await send(caller, bank, { p_rows: [], ...more })).toMatchObject({ status: 400, body: { message } })
  })

  test('an import with p_balance and p_balance_on keeps a balance that a user has changed since, when the import is deleted', async () => {
    const caller = await someone()
    const bank = await account(caller)
    await send(caller, bank)
    await caller.patch('/balances?on_date=eq.2025-03-31', { balance: 96 })
    expect((await caller.delete('/imports?id=not.is.null')).status).toBe(204)
    expect(await balances(caller)).toMatchObject([{ balance: 96 }])
  })

  test.each<[{ currency?: string } & Record<string, unknown>, string, unknown]>([
    [{ p_balance: null }, '22023', 'p_balance and p_balance_on belong together'],
    [{ p_balance_on: null }, '22023', 'p_balance and p_balance_on belong together'],
    [{ p_account_id: null }, '22023', 'p_balance needs p_account_id'],
    [{ p_balance_on: '2025-02-30' }, '22023', "p_balance_on is not a date: '2025-02-30'"],
    [{ p_balance: 'NaN' }, '22023', 'p_balance is no balance: NaN'],
    [{ p_balance: 1e12 }, '22023', 'p_balance is no balance: 1000000000000'],
    [{ p_balance: 1.5, currency: 'jpy' }, '23514', expect.stringContaining('balances_balance_fits_currency')],
    [{ p_balance: 1.234, currency: 'kwd' }, '23514', expect.stringContaining('balances_balance_fits_currency')],
  ])(
    'an import with p_balance and p_balance_on with %j is 400, also as a dry run, and stores nothing',
    async ({ currency = 'eur', ...more }, code, message) => {
      const caller = await someone()
      const bank = await account(caller, { currency })
      for (const p_dry_run of [true, false]) {
        expect(await send(caller, bank, { ...more, p_dry_run })).toMatchObject({ status: 400, body: { code, message, hint: expect.stringMatching(/./) } })
      }
      expect([await balances(caller), (await caller.get('/transactions')).body]).toEqual([[], []])
    },
  )

  test('an import with p_balance and p_balance_on stores no balance if one row is invalid', async () => {
    const caller = await someone()
    const bank = await account(caller)
    expect((await send(caller, bank, { p_rows: [row('')] })).status).toBe(400)
    expect(await balances(caller)).toEqual([])
  })

  test('an import with p_balance and p_balance_on of a team is stored by an editor for the team, and refused for a viewer', async () => {
    const [owner, editor, viewer] = [await stack.person(), await stack.person(), await stack.person()]
    const team = await stack.organization({ owner, editor, viewer })
    const bank = await account(stack.as(owner, team))
    expect((await send(stack.as(viewer, team), bank)).status).toBe(403)
    expect((await send(stack.as(editor, team), bank)).status).toBe(200)
    expect((await stack.as(viewer, team).get('/balances?select=balance,organization_id')).body).toEqual([{ balance: 95, organization_id: team.id }])
    expect((await stack.as(owner, team).delete('/imports?id=not.is.null')).status).toBe(204)
    expect(await balances(stack.as(owner, team))).toEqual([])
  })
})

/**
 * Closed days: nothing of a day until closed_until, of an account or of a context, can be added,
 * changed or deleted.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, returning, type Answer, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack

beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const newCaller = async (): Promise<Caller> => stack.as(await stack.person())
const account = async (caller: Caller, row: object = {}): Promise<string> =>
  (await caller.create('accounts', { name: 'Bank', type: 'checking', ...row })).id
const booked = async (
  caller: Caller,
  transaction_date: string,
  row: object = {},
): Promise<string> =>
  (await caller.create('transactions', { name: 'x', amount: -20, transaction_date, ...row })).id
const close = (caller: Caller, id: string, closed_until = '2025-01-31') =>
  caller.patch(`/accounts?id=eq.${id}`, { closed_until })
const closed = (until = '2025-01-31') => ({
  status: 409,
  body: {
    code: 'PT409',
    message: `the period through ${until} is closed`,
    hint: expect.stringMatching(/Nothing was saved/),
  },
})
const lastActivity = async (caller: Caller): Promise<string> =>
  (await caller.get('/activity?order=id.desc&limit=1')).body[0].id
/** All rows of the books, to prove that a refused request stored nothing. */
const books = async (caller: Caller) =>
  Promise.all(
    ['transactions', 'line_items', 'accounts', 'categories', 'balances'].map(async (table) =>
      (await caller.get(`/${table}?order=id`)).body
    ),
  )

/**
 * An account that is closed until the end of January 2025, with a transaction of that day and one
 * of the day after.
 */
async function closedAccount(caller: Caller, row: object = {}) {
  const bank = await account(caller, row)
  const other = await account(caller)
  const category = (await caller.create('categories', { name: 'Food' })).id as string
  const old = await booked(caller, '2025-01-31', { account_id: bank, category_id: category })
  const item = (await caller.create('line_items', {
    transaction_id: old,
    name: 'Bread',
    amount: -2,
    category_id: category,
  })).id as string
  const open = await booked(caller, '2025-02-01', { account_id: bank })
  expect((await close(caller, bank)).status).toBe(204)
  return { bank, other, category, old, item, open }
}
type Books = Awaited<ReturnType<typeof closedAccount>>

const refused: [string, (caller: Caller, rows: Books) => Promise<Answer>][] = [
  [
    'another kind of a category that they have',
    (caller, { category }) => caller.patch(`/categories?id=eq.${category}`, { kind: 'income' }),
  ],
  [
    'a new transaction',
    (caller, { bank }) =>
      caller.post('/transactions', {
        name: 'x',
        amount: 1,
        account_id: bank,
        transaction_date: '2025-01-31',
      }),
  ],
  [
    'one new transaction of several',
    (caller, { bank }) =>
      caller.post(
        '/transactions',
        ['2025-02-02', '2025-01-01'].map((day) => ({
          name: 'x',
          amount: 1,
          account_id: bank,
          transaction_date: day,
        })),
      ),
  ],
  [
    'a changed amount',
    (caller, { old }) => caller.patch(`/transactions?id=eq.${old}`, { amount: -21 }),
  ],
  [
    'a changed name',
    (caller, { old }) => caller.patch(`/transactions?id=eq.${old}`, { name: 'y' }),
  ],
  [
    'a changed status',
    (caller, { old }) => caller.patch(`/transactions?id=eq.${old}`, { status: 'pending' }),
  ],
  [
    'a day that moves out',
    (caller, { old }) =>
      caller.patch(`/transactions?id=eq.${old}`, { transaction_date: '2025-03-01' }),
  ],
  [
    'a day that moves in',
    (caller, { open }) =>
      caller.patch(`/transactions?id=eq.${open}`, { transaction_date: '2025-01-31' }),
  ],
  [
    'an account that moves out',
    (caller, { old, other }) => caller.patch(`/transactions?id=eq.${old}`, { account_id: other }),
  ],
  ['an account that moves in', async (caller, { bank, other }) => {
    const id = await booked(caller, '2025-01-02', { account_id: other })
    return caller.patch(`/transactions?id=eq.${id}`, { account_id: bank })
  }],
  [
    'an account that is taken off',
    (caller, { old }) => caller.patch(`/transactions?id=eq.${old}`, { account_id: null }),
  ],
  ['a bulk update', (caller) => caller.patch('/transactions?name=eq.x', { description: 'all' })],
  [
    'an upsert',
    (caller, { old, bank }) =>
      caller.post('/transactions', {
        id: old,
        name: 'z',
        amount: -20,
        account_id: bank,
        transaction_date: '2025-01-31',
      }, {
        prefer: 'resolution=merge-duplicates',
      }),
  ],
  ['a deletion', (caller, { old }) => caller.delete(`/transactions?id=eq.${old}`)],
  ['a bulk deletion', (caller, { bank }) => caller.delete(`/transactions?account_id=eq.${bank}`)],
  [
    'a new line item',
    (caller, { old }) =>
      caller.post('/line_items', { transaction_id: old, name: 'Cake', amount: -1 }),
  ],
  [
    'a changed line item',
    (caller, { item }) => caller.patch(`/line_items?id=eq.${item}`, { amount: -3 }),
  ],
  [
    'a line item that moves out',
    (caller, { item, open }) => caller.patch(`/line_items?id=eq.${item}`, { transaction_id: open }),
  ],
  ['a deleted line item', (caller, { item }) => caller.delete(`/line_items?id=eq.${item}`)],
  [
    'the deletion of a category',
    (caller, { category }) => caller.delete(`/categories?id=eq.${category}`),
  ],
  ['delete_category', async (caller, { category }) => {
    const { id } = await caller.create('categories', { name: 'Other' })
    return caller.post('/rpc/delete_category', { p_category_id: category, p_replacement_id: id })
  }],
  ['the deletion of the account', (caller, { bank }) => caller.delete(`/accounts?id=eq.${bank}`)],
  [
    'set_balance',
    (caller, { bank }) =>
      caller.post('/rpc/set_balance', {
        p_account_id: bank,
        p_balance: 5,
        p_on_date: '2025-01-31',
      }),
  ],
  [
    'create_transfer',
    (caller, { bank, other }) =>
      caller.post('/rpc/create_transfer', {
        from_account_id: other,
        to_account_id: bank,
        amount: 5,
        transfer_date: '2025-01-31',
      }),
  ],
  ['an import', (caller, { bank }) =>
    caller.post('/rpc/import_transactions', {
      p_rows: [{
        name: 'Card',
        amount: '-2.00',
        transaction_date: '2025-01-30',
        external_id: 'b-1',
      }],
      p_account_id: bank,
      p_dry_run: false,
    })],
]

describe('of an account with closed_until', () => {
  test.each(refused)('%s is refused with 409, and nothing is stored', async (_name, request) => {
    const caller = await newCaller()
    const rows = await closedAccount(caller)
    const spare = await books(caller)
    const answer = await request(caller, rows)
    expect(answer).toMatchObject(closed())
    const after = await books(caller)
    // Some requests first store rows of open days.
    for (const [at, table] of spare.entries())
      for (const row of table) expect(after[at]).toContainEqual(row)
  })

  test.each(['Pacific/Kiritimati', 'Etc/GMT+12'])(
    'a moment of a closed day in UTC is closed in the time zone %s too',
    async (zone) => {
      const caller = await newCaller()
      const { bank } = await closedAccount(caller)
      const headers = { prefer: `timezone=${zone}` }
      const noon = {
        name: 'x',
        amount: -1,
        account_id: bank,
        transaction_date: '2025-01-31T12:00:00Z',
      }
      expect(await caller.post('/transactions', noon, headers)).toMatchObject(closed())
      const { id } = await caller.create('transactions', {
        ...noon,
        transaction_date: '2025-02-01T12:00:00Z',
      })
      expect(
        await caller.patch(
          `/transactions?id=eq.${id}`,
          { transaction_date: noon.transaction_date },
          headers,
        ),
      ).toMatchObject(closed())
      const { body } = await caller.post('/rpc/import_transactions', {
        p_rows: [{ ...noon, account_id: undefined }],
        p_account_id: bank,
      }, headers)
      expect(body).toMatchObject([{
        verdict: 'invalid',
        reason: 'the period through 2025-01-31 is closed',
      }])
    },
  )

  test('a moment after the closed days in UTC is closed in a time zone in which it is a closed day', async () => {
    const caller = await newCaller()
    const { bank } = await closedAccount(caller)
    const night = {
      name: 'x',
      amount: -1,
      account_id: bank,
      transaction_date: '2025-02-01T02:00:00Z',
    }
    expect(await caller.post('/transactions', night, { prefer: 'timezone=America/New_York' }))
      .toMatchObject(closed())
    expect((await caller.post('/transactions', night)).status).toBe(201)
  })

  test('the next day, other accounts, tags, and a request that changes nothing stay possible', async () => {
    const caller = await newCaller()
    const { bank, other, old, open } = await closedAccount(caller)
    expect(
      (await caller.patch(`/transactions?id=eq.${open}`, {
        amount: -99,
        transaction_date: '2025-02-02',
      })).status,
    ).toBe(204)
    expect(
      (await caller.post('/transactions', {
        name: 'x',
        amount: 1,
        account_id: other,
        transaction_date: '2025-01-01',
      })).status,
    ).toBe(201)
    expect(
      (await caller.post('/transactions', { name: 'x', amount: 1, transaction_date: '2025-01-01' }))
        .status,
    ).toBe(201)
    expect((await caller.patch(`/transactions?id=eq.${old}`, { amount: -20 })).status).toBe(204)
    const { id: tag_id } = await caller.create('tags', { name: 'trip' })
    expect((await caller.post('/transaction_tags', { transaction_id: old, tag_id })).status).toBe(
      201,
    )
    expect((await caller.delete(`/tags?id=eq.${tag_id}`)).status).toBe(204)
    expect(
      (await caller.patch(`/accounts?id=eq.${bank}`, { name: 'Renamed', closed_on: '2025-03-01' }))
        .status,
    ).toBe(204)
    expect((await caller.delete(`/transactions?id=eq.${open}`)).status).toBe(204)
  })

  test('of an account with closed_until days that are opened again take changes', async () => {
    const caller = await newCaller()
    const { bank, old } = await closedAccount(caller)
    expect((await close(caller, bank, '2025-01-30')).status).toBe(204)
    expect((await caller.patch(`/transactions?id=eq.${old}`, { amount: -21 })).status).toBe(204)
    expect((await caller.patch(`/accounts?id=eq.${bank}`, { closed_until: null }, returning)).body)
      .toMatchObject([{ closed_until: null }])
    expect((await caller.delete(`/accounts?id=eq.${bank}`)).status).toBe(204)
  })

  test('an undo is refused, and works after the days are opened', async () => {
    const caller = await newCaller()
    const bank = await account(caller)
    const id = await booked(caller, '2025-01-31', { account_id: bank })
    const creation = await lastActivity(caller)
    await caller.patch(`/transactions?id=eq.${id}`, { amount: -30 })
    const change = await lastActivity(caller)
    await close(caller, bank)
    expect(await caller.post('/rpc/undo', { p_activity_id: change })).toMatchObject(closed())
    await caller.patch(`/accounts?id=eq.${bank}`, { closed_until: null })
    expect((await caller.post('/rpc/undo', { p_activity_id: change })).status).toBe(200)
    await close(caller, bank)
    expect(await caller.post('/rpc/undo', { p_activity_id: creation })).toMatchObject(closed())
    // the undo of the closing opens the days
    expect((await caller.post('/rpc/undo', { p_activity_id: await lastActivity(caller) })).status)
      .toBe(200)
    expect((await caller.post('/rpc/undo', { p_activity_id: creation })).status).toBe(200)
  })

  test('the other half of a transfer is protected too', async () => {
    const caller = await newCaller()
    const [bank, savings] = [await account(caller), await account(caller)]
    const transfer = {
      from_account_id: bank,
      to_account_id: savings,
      amount: 30,
      transfer_date: '2025-01-31',
    }
    const { body: [half] } = await caller.post('/rpc/create_transfer', transfer)
    await close(caller, savings)
    expect(await caller.patch(`/transactions?id=eq.${half.id}`, { amount: -31 })).toMatchObject(
      closed(),
    )
    expect(await caller.patch(`/transactions?id=eq.${half.id}`, { transaction_date: '2025-02-01' }))
      .toMatchObject(closed())
    expect(await caller.delete(`/transactions?id=eq.${half.id}`)).toMatchObject(closed())
    expect((await caller.get('/accounts?select=current_balance&order=current_balance')).body)
      .toEqual([{ current_balance: -30 }, { current_balance: 30 }])
  })

  test('of an account with closed_until rules leave the transactions of closed days out, in the dry run and when they are applied', async () => {
    const caller = await newCaller()
    const { bank, old, open } = await closedAccount(caller)
    const without = await booked(caller, '2025-01-31')
    await caller.create('rules', {
      name: 'all',
      conditions: [{ field: 'amount', operation: 'lt', value: 0 }],
      set_name: 'Named',
    })
    const apply = async (p_dry_run: boolean) =>
      (await caller.post('/rpc/apply_rules', { p_dry_run })).body
        .map(({ transaction_id }: { transaction_id: string }) => transaction_id).toSorted()
    expect(await apply(true)).toEqual([open, without].toSorted())
    expect(await apply(false)).toEqual([open, without].toSorted())
    expect((await caller.get(`/transactions?id=eq.${old}`)).body).toMatchObject([{ name: 'x' }])
    await caller.create('closings', { closed_until: '2025-02-01' })
    await caller.patch('/rules?name=eq.all', { set_name: 'Renamed' })
    expect(await apply(true)).toEqual([])
    await caller.patch(`/accounts?id=eq.${bank}`, { closed_until: null })
    expect(await apply(true)).toEqual([])
    await caller.delete('/closings?closed_until=eq.2025-02-01')
    expect(await apply(true)).toHaveLength(3)
  })

  test('an import cannot be deleted if it has transactions of closed days', async () => {
    const caller = await newCaller()
    const bank = await account(caller)
    const p_rows = [{
      name: 'Card',
      amount: '-2.00',
      transaction_date: '2025-01-30',
      external_id: 'b-1',
    }]
    await caller.post('/rpc/import_transactions', { p_rows, p_account_id: bank, p_dry_run: false })
    await close(caller, bank)
    expect(await caller.delete('/imports?account_id=not.is.null')).toMatchObject(closed())
    const again = await caller.post('/rpc/import_transactions', {
      p_rows,
      p_account_id: bank,
      p_dry_run: false,
    })
    expect(again).toMatchObject({ status: 200, body: [{ verdict: 'duplicate' }] })
  })

  test.each([
    [{ balance: 100 }, { balance: 101 }, 409],
    [{ balance: 100 }, { opened_on: '2025-02-01' }, 409],
    [{ balance: 100, opened_on: '2025-02-01' }, { opened_on: '2025-01-31' }, 409],
    [{ balance: 0 }, { balance: 5 }, 409],
    [{ balance: 100, opened_on: '2025-02-01' }, { balance: 101 }, 204],
    [{ balance: 0 }, { balance: 5, opened_on: '2025-02-01' }, 204],
    [{ balance: 0 }, { opened_on: '2024-01-01' }, 204],
  ])('an opening balance of %j that becomes %j answers %i', async (row, change, status) => {
    const caller = await newCaller()
    const bank = await account(caller, row)
    await close(caller, bank)
    const answer = await caller.patch(`/accounts?id=eq.${bank}`, change)
    expect(answer).toMatchObject(status === 409 ? closed() : { status })
  })

  test.each(['Pacific/Kiritimati', 'Etc/GMT+12'])(
    'a booking day is the same day in the time zone %s',
    async (zone) => {
      const caller = await newCaller()
      const bank = await account(caller)
      await close(caller, bank)
      const headers = { prefer: `timezone=${zone}` }
      const row = { name: 'x', amount: 1, account_id: bank }
      expect(
        await caller.post('/transactions', { ...row, transaction_date: '2025-01-31' }, headers),
      ).toMatchObject(closed())
      expect(
        (await caller.post('/transactions', { ...row, transaction_date: '2025-02-01' }, headers))
          .status,
      ).toBe(201)
    },
  )

  test.each(['1899-12-31', '2200-01-01', 'x'])('the day %s is 400', async (day) => {
    const caller = await newCaller()
    expect((await close(caller, await account(caller), day)).status).toBe(400)
  })
})

describe('closings', () => {
  const closing = (caller: Caller, closed_until = '2025-01-31') =>
    caller.create('closings', { closed_until })

  test('closings close the days of every account of the context, and of rows without an account; the latest counts', async () => {
    const caller = await newCaller()
    const bank = await account(caller)
    const old = await booked(caller, '2025-01-31')
    await closing(caller)
    const { id } = await closing(caller, '2025-03-31')
    await closing(caller, '2024-12-31')
    expect(
      await caller.post('/transactions', { name: 'x', amount: 1, transaction_date: '2025-03-31' }),
    ).toMatchObject(closed('2025-03-31'))
    expect(
      await caller.post('/transactions', {
        name: 'x',
        amount: 1,
        account_id: bank,
        transaction_date: '2025-02-01',
      }),
    ).toMatchObject(closed('2025-03-31'))
    expect(await caller.delete(`/transactions?id=eq.${old}`)).toMatchObject(closed('2025-03-31'))
    expect((await caller.delete(`/closings?id=eq.${id}`)).status).toBe(204)
    expect(
      (await caller.post('/transactions', { name: 'x', amount: 1, transaction_date: '2025-03-31' }))
        .status,
    ).toBe(201)
    expect(await caller.delete(`/transactions?id=eq.${old}`)).toMatchObject(closed())
  })

  test('closings refuse a new account with an opening balance of closed days, and take one that was opened later', async () => {
    const caller = await newCaller()
    await closing(caller)
    const row = { name: 'x', type: 'cash', balance: 5 }
    expect(await caller.post('/accounts', row)).toMatchObject(closed())
    expect((await caller.post('/accounts', { ...row, opened_on: '2025-02-01' })).status).toBe(201)
    expect((await caller.post('/accounts', { ...row, balance: 0 })).status).toBe(201)
  })

  test('closings are of one context: those of a team close no personal days, and apply to all members', async () => {
    const [owner, editor, viewer] = [
      await stack.person(),
      await stack.person(),
      await stack.person(),
    ]
    const team = await stack.organization({ owner, editor, viewer })
    const row = { name: 'x', amount: 1, transaction_date: '2025-01-31' }
    await closing(stack.as(owner, team))
    expect(await stack.as(editor, team).post('/transactions', row)).toMatchObject(closed())
    expect(await stack.as(owner, team).post('/transactions', row)).toMatchObject(closed())
    expect(
      (await stack.as(owner, team).post('/transactions', { ...row, organization_id: null })).status,
    ).toBe(201)
    expect((await stack.as(owner).post('/transactions', row)).status).toBe(201)
    expect((await stack.as(viewer, team).get('/closings?select=closed_until')).body).toEqual([{
      closed_until: '2025-01-31',
    }])
    expect(await stack.as(viewer, team).post('/closings', { closed_until: '2025-02-28' }))
      .toMatchObject({ status: 403, body: { code: '42501' } })
    expect((await stack.as(await stack.person()).get('/closings')).body).toEqual([])
  })

  test('closings refuse no row that the deletion of a user or an organization takes along', async () => {
    const caller = await stack.person()
    const mine = stack.as(caller)
    await booked(mine, '2025-01-31')
    await closing(mine)
    await stack.owner.query('delete from auth.users where id = $1', [caller.id])
    expect(
      (await stack.owner.query('select from api.transactions where user_id = $1', [caller.id]))
        .rowCount,
    ).toBe(0)
  })
})

/** The days of recurring costs, income and transfers that are marked as recorded. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'
import { balances, bank, record, salary, saving, upcoming } from './recurring-calls.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const someone = async () => stack.as(await stack.person())

describe('a recorded day', () => {
  test.each(['Pacific/Kiritimati', 'Etc/GMT+12', 'UTC'])(
    'a recorded day after today in the time zone %s is pending, and today is paid',
    async (zone) => {
      const caller = await someone()
      const { giro, savings } = await bank(caller)
      const headers = { prefer: `timezone=${zone}` }
      const { rows } = await stack.owner.query<{ day: string }>(
        `select to_char((now() at time zone $1)::date + n, 'YYYY-MM-DD') as day from generate_series(-1, 2) n`,
        [zone],
      )
      const { id } = await caller.create('subscriptions', {
        ...saving,
        account_id: giro,
        to_account_id: savings,
        interval_in_days: 1,
        starts_on: rows[0]?.day,
      })
      const statuses = []
      // Midnight may pass in between, which makes one more day the present.
      for (const { day } of [rows[0], rows[3]] as { day: string }[])
        statuses.push(
          (await record(caller, id, day, headers)).body.status,
        )
      expect(statuses).toEqual(['paid', 'pending'])
      expect((await caller.get('/transactions?status=eq.pending&select=amount&order=amount')).body)
        .toEqual([{ amount: -200 }, { amount: 200 }])
      expect(await balances(caller)).toMatchObject({ Giro: 800, Savings: 200 })
    },
  )

  test("a recorded day stays recorded when the bank's id, day and amount replace its own, also after an undo of that", async () => {
    const caller = await someone()
    const { giro } = await bank(caller)
    const { id } = await caller.create('subscriptions', {
      ...saving,
      kind: 'expense',
      title: 'Rent',
      account_id: giro,
    })
    const { body: rent } = await record(caller, id, '2025-01-31')
    const bankRow = {
      source: 'bank',
      external_id: 'b1',
      amount: -201.5,
      transaction_date: '2025-02-02',
    }
    expect((await caller.patch(`/transactions?id=eq.${rent.id}`, bankRow)).status).toBe(204)
    expect(await upcoming(caller, '2025-01-01', '2025-01-31')).toMatchObject([{
      is_recorded: true,
    }])
    expect((await record(caller, id, '2025-01-31')).body).toMatchObject({
      id: rent.id,
      amount: -201.5,
    })
    const [{ id: activity }] =
      (await caller.get(`/activity?row_id=eq.${rent.id}&action=eq.update&select=id`)).body
    expect((await caller.post('/rpc/undo', { p_activity_id: activity })).status).toBe(200)
    expect((await record(caller, id, '2025-01-31')).body).toMatchObject({
      id: rent.id,
      amount: -200,
    })
  })

  test('a recorded day can be a transaction that was there before, which a person marks, and is open again without the mark', async () => {
    const caller = await someone()
    const { id } = await caller.create('subscriptions', {
      ...saving,
      kind: 'expense',
      title: 'Rent',
    })
    const { id: paid } = await caller.create('transactions', {
      name: 'RENT JAN',
      amount: -200,
      currency: 'eur',
    })
    expect(await caller.patch(`/transactions?id=eq.${paid}`, { subscription_id: id }))
      .toMatchObject({
        status: 400,
        body: {
          code: '23514',
          message: expect.stringContaining('transactions_recorded_day_is_complete'),
        },
      })
    await caller.patch(`/transactions?id=eq.${paid}`, { subscription_id: id, due_on: '2025-01-31' })
    expect((await record(caller, id, '2025-01-31')).body.id).toBe(paid)
    await caller.patch(`/transactions?id=eq.${paid}`, { subscription_id: null })
    expect(await upcoming(caller, '2025-01-01', '2025-01-31')).toMatchObject([{
      is_recorded: false,
    }])
  })

  const rentRow = {
    name: 'LANDLORD 4711',
    amount: -200,
    transaction_date: '2025-02-03',
    external_id: 'b1',
  }
  /** Imports rows into the first of the bank's accounts, without links between transfers. */
  const imported = async (caller: Caller, account: string, ...rows: object[]) =>
    (await caller.post('/rpc/import_transactions', {
      p_source: 'bank',
      p_account_id: account,
      p_rows: rows,
      p_link_transfers: false,
      p_dry_run: false,
    })).body
  const count = async (caller: Caller) => (await caller.get('/transactions?select=id')).body.length

  test('a recorded day is the row that the bank sent first: it keeps its name, gets the category, and an undo opens the day again', async () => {
    const caller = await someone()
    const { giro } = await bank(caller)
    const { id: category } = await caller.create('categories', { name: 'Home' })
    const { id } = await caller.create('subscriptions', {
      ...saving,
      kind: 'expense',
      title: 'Rent',
      account_id: giro,
      category_id: category,
    })
    const [{ transaction_id: paid }] = await imported(caller, giro, rentRow)
    expect((await record(caller, id, '2025-01-31')).body).toMatchObject({
      id: paid,
      name: 'LANDLORD 4711',
      category_id: category,
      due_on: '2025-01-31',
      source: 'bank',
    })
    expect(await count(caller)).toBe(1)
    expect(await upcoming(caller, '2025-01-01', '2025-01-31')).toMatchObject([{
      is_recorded: true,
    }])
    const [{ id: activity }] =
      (await caller.get(`/activity?row_id=eq.${paid}&action=eq.update&select=id`)).body
    expect((await caller.post('/rpc/undo', { p_activity_id: activity })).status).toBe(200)
    expect(await upcoming(caller, '2025-01-01', '2025-01-31')).toMatchObject([{
      is_recorded: false,
    }])
    expect((await caller.get(`/transactions?id=eq.${paid}`)).body).toMatchObject([{
      category_id: null,
      subscription_id: null,
    }])
  })

  test('a recorded day is the most similar of several rows of the bank on one day, and an arrived income', async () => {
    const caller = await someone()
    const { giro } = await bank(caller)
    const { id } = await caller.create('subscriptions', { ...salary, account_id: giro })
    const pay = { amount: 3000, transaction_date: '2025-02-25' }
    const rows = await imported(caller, giro, { ...pay, name: 'Sale of a car', external_id: 'a' }, {
      ...pay,
      name: 'ACME salary',
      external_id: 'b',
    })
    expect((await record(caller, id, '2025-02-25')).body.id).toBe(rows[1].transaction_id)
  })

  test.each(
    [
      ['another amount', { amount: -200.01 }],
      ['money that arrived', { amount: 200 }],
      ['six days later', { transaction_date: '2025-02-06' }],
      ['another account', 'savings'],
      ['a row that the user typed', 'typed'],
    ] as const,
  )('is a new transaction beside %s', async (_, difference) => {
    const caller = await someone()
    const { giro, savings } = await bank(caller)
    const { id } = await caller.create('subscriptions', {
      ...saving,
      kind: 'expense',
      title: 'Rent',
      account_id: giro,
    })
    if (difference === 'typed')
      await caller.create('transactions', {
        name: 'LANDLORD',
        amount: -200,
        booked_on: '2025-02-03',
        account_id: giro,
        currency: 'eur',
      })
    else if (difference === 'savings') await imported(caller, savings, rentRow)
    else await imported(caller, giro, { ...rentRow, ...difference })
    expect((await record(caller, id, '2025-01-31')).body).toMatchObject({
      name: 'Rent',
      source: 'subscription',
    })
    expect(await count(caller)).toBe(2)
  })

  test('a recorded day leaves a row of the bank to the due day that is nearer to it, and each row to one day', async () => {
    const caller = await someone()
    const { giro } = await bank(caller)
    const { id } = await caller.create('subscriptions', {
      ...saving,
      kind: 'expense',
      period: 'weekly',
      starts_on: '2025-01-01',
      account_id: giro,
    })
    const [{ transaction_id: paid }] = await imported(caller, giro, {
      ...rentRow,
      transaction_date: '2025-01-06',
    })
    // the 6th is five days after the 1st, and two before the 8th
    expect((await record(caller, id, '2025-01-01')).body.id).not.toBe(paid)
    expect((await record(caller, id, '2025-01-08')).body.id).toBe(paid)
    expect((await record(caller, id, '2025-01-15')).body.id).not.toBe(paid)
  })

  test('a recorded day is the transfer of which the bank sent both halves', async () => {
    const caller = await someone()
    const { giro, savings } = await bank(caller)
    const { id } = await caller.create('subscriptions', {
      ...saving,
      account_id: giro,
      to_account_id: savings,
    })
    const [{ transaction_id: out }] = await imported(caller, giro, rentRow)
    const [{ transaction_id: arrived }] = await imported(caller, savings, {
      ...rentRow,
      amount: 200,
      external_id: 'b2',
    })
    expect(
      (await caller.post('/rpc/link_transfer', {
        p_from_transaction_id: out,
        p_to_transaction_id: arrived,
      })).status,
    ).toBe(200)
    expect((await record(caller, id, '2025-01-31')).body.id).toBe(out)
    expect((await caller.get('/transactions?due_on=eq.2025-01-31&select=amount&order=amount')).body)
      .toEqual([{ amount: -200 }, { amount: 200 }])
    expect(await count(caller)).toBe(2)
  })

  test('a recorded day in a team marks no row of a personal context', async () => {
    const ann = await stack.person()
    const [mine, ours] = [stack.as(ann), stack.as(ann, await stack.organization({ owner: ann }))]
    const { id } = await ours.create('subscriptions', {
      ...saving,
      kind: 'expense',
      account_id: null,
    })
    await mine.post('/rpc/import_transactions', {
      p_source: 'bank',
      p_rows: [{ ...rentRow, currency: 'eur' }],
      p_dry_run: false,
    })
    expect((await record(ours, id, '2025-01-31')).body).toMatchObject({
      source: 'subscription',
      account_id: null,
    })
  })

  test('a recorded day keeps its transaction when the subscription is deleted, and its mark when that is undone', async () => {
    const caller = await someone()
    const { id } = await caller.create('subscriptions', { ...saving, kind: 'expense' })
    const { body: recorded } = await record(caller, id, '2025-01-31')
    await caller.delete(`/subscriptions?id=eq.${id}`)
    expect((await caller.get(`/transactions?id=eq.${recorded.id}`)).body).toMatchObject([{
      subscription_id: null,
      due_on: '2025-01-31',
    }])
    const [{ id: activity }] =
      (await caller.get(`/activity?row_id=eq.${id}&action=eq.delete&select=id`)).body
    expect((await caller.post('/rpc/undo', { p_activity_id: activity })).status).toBe(200)
    expect(await upcoming(caller, '2025-01-01', '2025-01-31')).toMatchObject([{
      is_recorded: true,
    }])
  })
})

/** Recurring income and transfers, and the marks of recorded days. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const someone = async () => stack.as(await stack.person())
/** Creates two euro accounts, one dollar account and a category. */
async function bank(caller: Caller) {
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
const salary = {
  title: 'Salary',
  amount: 3000,
  kind: 'income',
  period: 'monthly',
  starts_on: '2025-01-25',
  currency: 'eur',
}
const saving = {
  title: 'Saving',
  amount: 200,
  kind: 'transfer',
  period: 'monthly',
  starts_on: '2025-01-31',
  currency: 'eur',
}
const record = (caller: Caller, id: string, due_on: string, headers?: Record<string, string>) =>
  caller.post('/rpc/record_subscription', { p_subscription_id: id, due_on }, headers)
const upcoming = async (caller: Caller, start: string, end: string) =>
  (await caller.get(
    `/rpc/get_upcoming?start_date=${start}&end_date=${end}&select=title,due_on,amount,kind,to_account_id,is_recorded`,
  )).body
const balances = async (caller: Caller): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await caller.get('/accounts?select=name,current_balance')).body.map((
      row: any,
    ) => [row.name, row.current_balance]),
  )

test('a recurring income is listed with its kind and a positive amount, recorded as a positive transaction in its account, and only once', async () => {
  const caller = await someone()
  const { giro, category } = await bank(caller)
  const { id } = await caller.create('subscriptions', {
    ...salary,
    account_id: giro,
    category_id: category,
  })
  expect(await upcoming(caller, '2025-02-01', '2025-02-28')).toEqual([
    {
      title: 'Salary',
      due_on: '2025-02-25',
      amount: 3000,
      kind: 'income',
      to_account_id: null,
      is_recorded: false,
    },
  ])
  const recorded = await record(caller, id, '2025-02-25')
  expect(recorded).toMatchObject({
    status: 200,
    body: {
      name: 'Salary',
      amount: 3000,
      currency: 'eur',
      account_id: giro,
      category_id: category,
      status: 'paid',
      source: 'subscription',
      transfer_id: null,
    },
  })
  expect((await record(caller, id, '2025-02-25')).body.id).toBe(recorded.body.id)
  expect(await balances(caller)).toMatchObject({ Giro: 4000 })
})

test('a recurring income has no monthly cost, and is planned as income in the cash flow', async () => {
  const caller = await someone()
  const { giro, savings } = await bank(caller)
  await caller.create('subscriptions', [
    {
      ...salary,
      account_id: giro,
      to_account_id: null,
      starts_on: '2025-01-01',
      interval_in_days: 1,
    },
    {
      ...saving,
      account_id: giro,
      to_account_id: savings,
      starts_on: '2025-01-01',
      interval_in_days: 1,
    },
    {
      ...salary,
      title: 'Rent',
      kind: 'expense',
      amount: 10,
      account_id: giro,
      to_account_id: null,
      starts_on: '2025-01-01',
      interval_in_days: 1,
    },
  ])
  expect((await caller.get('/subscriptions?select=title,monthly_cost&order=title')).body).toEqual([
    { title: 'Rent', monthly_cost: 304.17 },
    { title: 'Salary', monthly_cost: null },
    { title: 'Saving', monthly_cost: null },
  ])
  const flow = await caller.get(
    '/rpc/get_cash_flow?grouping=daily&periods=1&upcoming=2&select=income,expenses,net,is_planned&is_planned=is.true',
  )
  expect(flow.body).toEqual(
    [0, 1, 2].map(() => ({ income: 3000, expenses: 10, net: 2990, is_planned: true })),
  )
  // a report by account counts the transfers of that account
  const of = async (account: string) =>
    (await caller.get(
      `/rpc/get_cash_flow?grouping=daily&periods=1&upcoming=1&p_account_id=${account}&select=income,expenses,is_planned&is_planned=is.true`,
    ))
      .body
  expect(await of(giro)).toEqual(
    [0, 1].map(() => ({ income: 3000, expenses: 210, is_planned: true })),
  )
  expect(await of(savings)).toEqual(
    [0, 1].map(() => ({ income: 200, expenses: 0, is_planned: true })),
  )
})

test.each([['left out', {}], ['null', { kind: null }], ['expense', { kind: 'expense' }]])(
  'a subscription with a negative amount is 400 if its kind is %s, and the hint names kind as the direction',
  async (_, kind) => {
    const caller = await someone()
    const rent = { title: 'Rent', period: 'monthly', ...kind }
    const refused = {
      status: 400,
      body: {
        code: '23514',
        hint: expect.stringContaining('not negative: kind says the direction'),
      },
    }
    expect(await caller.post('/subscriptions', { ...rent, amount: -900 })).toMatchObject(refused)
    const { id } = await caller.create('subscriptions', {
      title: 'Rent',
      period: 'monthly',
      amount: 900,
    })
    expect(await caller.patch(`/subscriptions?id=eq.${id}`, { amount: -950 })).toMatchObject(
      refused,
    )
    expect((await caller.get('/subscriptions?select=kind,amount')).body).toEqual([{
      kind: 'expense',
      amount: 900,
    }])
  },
)

test('an undo returns a deleted income from before the column kind, which was a negative cost', async () => {
  const caller = await someone()
  const { id } = await caller.create('subscriptions', {
    title: 'Salary',
    amount: 3000,
    kind: 'income',
    period: 'monthly',
  })
  await caller.delete(`/subscriptions?id=eq.${id}`)
  await stack.owner.query(
    `update api.activity set before = before - 'kind' || '{"amount": -3000}' where row_id = $1 and action = 'delete'`,
    [id],
  )
  const [{ id: activity }] =
    (await caller.get(`/activity?row_id=eq.${id}&action=eq.delete&select=id`)).body
  expect((await caller.post('/rpc/undo', { p_activity_id: activity })).status).toBe(200)
  expect((await caller.get('/subscriptions?select=kind,amount')).body).toEqual([{
    kind: 'income',
    amount: 3000,
  }])
})

describe('a recurring transfer', () => {
  test('a recurring transfer is recorded as the two halves of one transfer, and only once, also if many requests record it at once', async () => {
    const caller = await someone()
    const { giro, savings } = await bank(caller)
    const { id } = await caller.create('subscriptions', {
      ...saving,
      account_id: giro,
      to_account_id: savings,
    })
    expect(await upcoming(caller, '2025-02-01', '2025-02-28')).toEqual([
      {
        title: 'Saving',
        due_on: '2025-02-28',
        amount: 200,
        kind: 'transfer',
        to_account_id: savings,
        is_recorded: false,
      },
    ])
    const answers = await Promise.all([1, 2, 3, 4].map(() => record(caller, id, '2025-02-28')))
    const out = answers[0]?.body
    expect(answers.map(({ status, body }) => [status, body.id, body.amount])).toEqual(
      answers.map(() => [200, out.id, -200]),
    )
    const halves =
      (await caller.get(`/transactions?transfer_id=eq.${out.transfer_id}&order=amount`)).body
    const alike = {
      name: 'Saving',
      status: 'paid',
      source: 'subscription',
      booked_on: '2025-02-28',
      subscription_id: id,
      due_on: '2025-02-28',
      category_id: null,
    }
    expect(halves).toMatchObject([{ ...alike, amount: -200, account_id: giro }, {
      ...alike,
      amount: 200,
      account_id: savings,
    }])
    expect(await balances(caller)).toMatchObject({ Giro: 800, Savings: 200 })
    // A transfer is neither income nor expense.
    expect((await caller.get('/rpc/get_transaction_stat?p_aggregate_fn=count')).body).toBe(0)
    await caller.delete(`/transactions?id=eq.${halves[1].id}`)
    expect(await upcoming(caller, '2025-02-01', '2025-02-28')).toMatchObject([{
      is_recorded: false,
    }])
    const again = await record(caller, id, '2025-02-28')
    expect(again).toMatchObject({ status: 200, body: { amount: -200 } })
    expect(again.body.id).not.toBe(out.id)
  })

  test('a recurring transfer is undone in one step', async () => {
    const caller = await someone()
    const { giro, savings } = await bank(caller)
    const { id } = await caller.create('subscriptions', {
      ...saving,
      account_id: giro,
      to_account_id: savings,
    })
    const { body } = await record(caller, id, '2025-01-31')
    const [{ id: activity }] = (await caller.get(`/activity?row_id=eq.${body.id}&select=id`)).body
    expect((await caller.post('/rpc/undo', { p_activity_id: activity })).body).toMatchObject({
      delete: 2,
    })
    expect(await upcoming(caller, '2025-01-31', '2025-01-31')).toMatchObject([{
      is_recorded: false,
    }])
  })

  const form = 'subscriptions_accounts_fit_kind'
  test.each<[string, (of: Awaited<ReturnType<typeof bank>>) => object, object]>([
    ['without its second account', ({ giro }) => ({ account_id: giro }), {
      code: '23514',
      message: expect.stringContaining(form),
    }],
    ['without its first account', ({ giro }) => ({ to_account_id: giro }), {
      code: '23514',
      message: expect.stringContaining(form),
    }],
    ['between one account', ({ giro }) => ({ account_id: giro, to_account_id: giro }), {
      code: '23514',
      message: expect.stringContaining(form),
    }],
    [
      'of nothing',
      ({ giro, savings }) => ({ account_id: giro, to_account_id: savings, amount: 0 }),
      { code: '23514' },
    ],
    [
      'between two currencies',
      ({ giro, dollars }) => ({ account_id: giro, to_account_id: dollars }),
      {
        code: '22023',
        message: 'the account is of usd, the subscription of eur',
        hint:
          'A recurring transfer is between two accounts of one currency: what arrives in another is not known beforehand.',
      },
    ],
    [
      'of an expense',
      ({ giro, savings }) => ({ kind: 'expense', account_id: giro, to_account_id: savings }),
      { code: '23514' },
    ],
    ['of a negative amount', ({ giro }) => ({ kind: 'income', amount: -1, account_id: giro }), {
      code: '23514',
      message: expect.stringContaining('subscriptions_amount_fits_kind'),
    }],
    ['of an unknown kind', () => ({ kind: 'gift' }), {
      code: '23514',
      message: expect.stringContaining('subscriptions_kind_known'),
    }],
  ])('%s is 400', async (_, terms, body) => {
    const caller = await someone()
    expect(await caller.post('/subscriptions', { ...saving, ...terms(await bank(caller)) }))
      .toMatchObject({ status: 400, body })
    expect((await caller.get('/subscriptions')).body).toEqual([])
  })

  test('a recurring transfer to an account of another context, or to a missing one, is 409', async () => {
    const ann = await stack.person()
    const team = await stack.organization({ owner: ann })
    const [mine, ours] = [stack.as(ann), stack.as(ann, team)]
    const { giro } = await bank(mine)
    const others = await bank(ours)
    for (
      const to_account_id of [
        others.savings,
        (await bank(await someone())).savings,
        crypto.randomUUID(),
      ]
    ) {
      expect(await mine.post('/subscriptions', { ...saving, account_id: giro, to_account_id }))
        .toMatchObject({ status: 409, body: { code: '23503' } })
    }
    const { id } = await mine.create('subscriptions', { ...saving, is_active: false })
    expect(
      (await mine.patch(`/subscriptions?id=eq.${id}`, { to_account_id: others.savings })).status,
    ).toBe(409)
  })

  test('a recurring transfer pauses when one of its accounts is deleted, and goes on when the deletion is undone', async () => {
    for (const which of ['giro', 'savings'] as const) {
      const caller = await someone()
      const accounts = await bank(caller)
      const { id } = await caller.create('subscriptions', {
        ...saving,
        account_id: accounts.giro,
        to_account_id: accounts.savings,
      })
      expect((await caller.delete(`/accounts?id=eq.${accounts[which]}`)).status).toBe(204)
      const [paused] = (await caller.get(`/subscriptions?id=eq.${id}`)).body
      expect(paused).toMatchObject({
        is_active: false,
        [which === 'giro' ? 'account_id' : 'to_account_id']: null,
      })
      expect(await upcoming(caller, '2025-01-01', '2025-03-31')).toEqual([])
      expect(await caller.patch(`/subscriptions?id=eq.${id}`, { is_active: true })).toMatchObject({
        status: 400,
        body: { code: '23514' },
      })
      const [{ id: activity }] =
        (await caller.get(`/activity?row_id=eq.${accounts[which]}&action=eq.delete&select=id`)).body
      expect((await caller.post('/rpc/undo', { p_activity_id: activity })).status).toBe(200)
      expect((await caller.get(`/subscriptions?id=eq.${id}`)).body).toMatchObject([{
        is_active: true,
        account_id: accounts.giro,
        to_account_id: accounts.savings,
      }])
    }
  })

  test('a recurring transfer keeps the currency of both accounts', async () => {
    const caller = await someone()
    const { giro, savings } = await bank(caller)
    await caller.create('subscriptions', { ...saving, account_id: giro, to_account_id: savings })
    expect(await caller.patch(`/accounts?id=eq.${savings}`, { currency: 'usd' })).toMatchObject({
      status: 400,
      body: { code: '22023' },
    })
  })
})

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

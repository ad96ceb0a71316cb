/** Recurring income and transfers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type DataStack } from '../support/data.ts'
import { balances, bank, record, salary, saving, upcoming } from './recurring-calls.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const someone = async () => stack.as(await stack.person())

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
        message: 'the account is in USD, but the recurring item is in EUR',
        hint:
          "Recurring transfers need two accounts in the same currency, because exchange rates aren't known in advance.",
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

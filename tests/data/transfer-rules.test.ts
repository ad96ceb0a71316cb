/** Rules that mark transactions as transfers, and transfers whose other half is in no account. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack

beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const someone = async () => stack.as(await stack.person())
const account = async (caller: Caller, name = 'Giro'): Promise<string> =>
  (await caller.create('accounts', { name, type: 'checking' })).id
const category = async (caller: Caller): Promise<string> =>
  (await caller.create('categories', { name: 'Food' })).id
const pay = async (caller: Caller, row: object = {}): Promise<string> =>
  (await caller.create('transactions', {
    name: 'To savings',
    amount: -100,
    transaction_date: '2025-03-01',
    ...row,
  })).id
const conditions = [{ field: 'name', operation: 'ilike', value: '*savings*' }]
const rule = async (caller: Caller, row: object = {}): Promise<string> =>
  (await caller.create('rules', { name: 'Savings', conditions, mark_as_transfer: true, ...row })).id
const apply = async (caller: Caller, p_dry_run = false) =>
  (await caller.post('/rpc/apply_rules', { p_dry_run })).body
const transferOf = async (caller: Caller, id: string | null) =>
  (await caller.get(`/transactions?id=eq.${id}&select=transfer_id`)).body[0]?.transfer_id
const expenses = async (caller: Caller) =>
  (await caller.post('/rpc/get_transaction_stat', { p_transaction_type: 'expense' })).body
const send = async (caller: Caller, row: object, more: object = {}) => {
  const { body, text, status } = await caller.post('/rpc/import_transactions', {
    p_rows: [{ name: 'To savings', amount: -100, transaction_date: '2025-03-01', ...row }],
    p_dry_run: false,
    ...more,
  })
  if (status !== 200) throw new Error(text)
  return body[0] as {
    verdict: string
    transaction_id: string
    rule_id: string | null
    because: string | null
    suggested_category_id: string | null
  }
}
const undoLast = async (caller: Caller) => {
  const [{ id: p_activity_id }] = (await caller.get('/activity?order=id.desc&limit=1')).body
  return (await caller.post('/rpc/undo', { p_activity_id })).status
}

test('a rule with mark_as_transfer needs no other action, and sets no category', async () => {
  const caller = await someone()
  const food = await category(caller)
  const id = await rule(caller)
  expect((await caller.get('/rules?select=mark_as_transfer,is_active')).body).toEqual([{
    mark_as_transfer: true,
    is_active: true,
  }])
  expect(await caller.patch(`/rules?id=eq.${id}`, { set_category_id: food })).toMatchObject({
    status: 400,
    body: {
      code: '23514',
      message: expect.stringContaining('rules_of_transfers_set_no_category') as string,
      hint: expect.stringMatching(/mark_as_transfer/) as string,
    },
  })
  expect((await caller.patch(`/rules?id=eq.${id}`, { mark_as_transfer: false })).status).toBe(400)
  expect((await caller.patch(`/rules?id=eq.${id}`, { mark_as_transfer: null })).body).toMatchObject(
    { code: '23502' },
  )
})

test('a rule with mark_as_transfer makes a stored transaction a transfer that no report counts, as the dry run says, and the undo reverts it', async () => {
  const caller = await someone()
  const id = await pay(caller)
  const rule_id = await rule(caller, { add_tags: ['own'] })
  const changes = [{
    transaction_id: id,
    rule_id,
    before: { tags: [], transfer: false },
    after: { tags: ['own'], transfer: true },
  }]
  expect(await apply(caller, true)).toEqual(changes)
  expect([await transferOf(caller, id), await expenses(caller)]).toEqual([null, -100])
  expect(await apply(caller)).toEqual(changes)
  expect([await transferOf(caller, id), await expenses(caller)]).toEqual([id, 0])
  expect(await apply(caller)).toEqual([])
  expect(await undoLast(caller)).toBe(200)
  expect([await transferOf(caller, id), await expenses(caller)]).toEqual([null, -100])
})

test('a rule with mark_as_transfer counts in the reports of its account', async () => {
  const caller = await someone()
  const giro = await account(caller)
  await pay(caller, { account_id: giro })
  await rule(caller)
  await apply(caller)
  const ofAccount = {
    p_transaction_type: 'expense',
    p_filters: [{ field: 'account_id', operation: 'eq', value: giro }],
  }
  expect((await caller.post('/rpc/get_transaction_stat', ofAccount)).body).toBe(-100)
  expect((await caller.get('/accounts?select=current_balance')).body).toEqual([{
    current_balance: -100,
  }])
})

test('a rule with mark_as_transfer leaves a transaction whose line items have a category, and says so before', async () => {
  const caller = await someone()
  const id = await pay(caller)
  await caller.create('line_items', {
    transaction_id: id,
    name: 'Bread',
    amount: -5,
    category_id: await category(caller),
  })
  await rule(caller, { set_name: 'Savings' })
  expect(await apply(caller)).toMatchObject([{ after: { name: 'Savings' } }])
  expect(await transferOf(caller, id)).toBeNull()
})

test('a rule with mark_as_transfer marks new rows of an import, unless the row has a category or its other half is there', async () => {
  const caller = await someone()
  const [giro, savings] = [await account(caller), await account(caller, 'Savings')]
  const food = await category(caller)
  const rule_id = await rule(caller, { set_name: 'Moved', add_tags: ['own'] })
  const because = 'the rule "Savings" marks it as a transfer'
  expect(await send(caller, {}, { p_account_id: giro, p_dry_run: true })).toMatchObject({
    verdict: 'new',
    rule_id,
    because,
    suggested_category_id: null,
  })
  const marked = await send(caller, {}, { p_account_id: giro })
  expect([await transferOf(caller, marked.transaction_id), await expenses(caller)]).toEqual([
    marked.transaction_id,
    0,
  ])
  const filed = await send(caller, { category_id: food, amount: -7 }, { p_account_id: giro })
  expect(filed).toMatchObject({ rule_id, because: 'the rule "Savings" applies' })
  expect(await transferOf(caller, filed.transaction_id)).toBeNull()

  const other = await pay(caller, { name: 'In', amount: 55, account_id: savings })
  expect(await send(caller, { amount: -55 }, { p_account_id: giro })).toMatchObject({
    verdict: 'transfer',
    rule_id,
    transaction_id: other,
    because: 'the rule "Savings" applies',
  })
  const halves = (await caller.get(
    `/transactions?transfer_id=eq.${await transferOf(
      caller,
      other,
    )}&select=name,category_id,tags(name)&order=amount`,
  )).body
  expect(halves).toEqual([{ name: 'Moved', category_id: null, tags: [{ name: 'own' }] }, {
    name: 'In',
    category_id: null,
    tags: [],
  }])
  expect((await caller.delete('/imports?id=not.is.null')).status).toBe(204)
  expect((await caller.get('/transactions?select=name,transfer_id')).body).toEqual([{
    name: 'In',
    transfer_id: null,
  }])
})

test('a transfer without another half is linked by the import of the other account, and is without one again when that import is deleted', async () => {
  const caller = await someone()
  const [giro, savings] = [await account(caller), await account(caller, 'Savings')]
  await rule(caller)
  const { transaction_id: id } = await send(caller, {}, { p_account_id: giro })
  expect(await send(caller, { name: 'From Giro', amount: 100 }, { p_account_id: savings }))
    .toMatchObject({ verdict: 'transfer', transaction_id: id })
  expect([
    ...new Set(
      (await caller.get('/transactions?select=transfer_id')).body
        .map((row: { transfer_id: string }) => row.transfer_id),
    ),
  ]).toEqual([
    expect.not.stringMatching(id),
  ])
  const [{ id: second }] = (await caller.get('/imports?order=created_at.desc&limit=1')).body
  expect((await caller.delete(`/imports?id=eq.${second}`)).status).toBe(204)
  expect((await caller.get('/transactions?select=id,transfer_id')).body).toEqual([{
    id,
    transfer_id: id,
  }])
  expect(await undoLast(caller)).toBe(200)
  expect(await transferOf(caller, id)).not.toBe(id)
})

test('a transfer without another half is linked by link_transfer, and unlink_transfer makes it an ordinary transaction', async () => {
  const caller = await someone()
  const [giro, savings] = [await account(caller), await account(caller, 'Savings')]
  const [out, other] = [
    await pay(caller, { account_id: giro }),
    await pay(caller, { amount: 100, account_id: savings }),
  ]
  await rule(caller)
  await apply(caller)
  expect([await transferOf(caller, out), await transferOf(caller, other)]).toEqual([out, other])
  const { status, body } = await caller.post('/rpc/link_transfer', {
    p_from_transaction_id: out,
    p_to_transaction_id: other,
  })
  expect([
    status,
    body.length,
    body[0].transfer_id === body[1].transfer_id,
    [out, other].includes(body[0].transfer_id),
  ]).toEqual([200, 2, true, false])
  expect(
    (await caller.post('/rpc/link_transfer', {
      p_from_transaction_id: out,
      p_to_transaction_id: other,
    })).status,
  ).toBe(409)
  expect(await undoLast(caller)).toBe(200)
  expect([await transferOf(caller, out), await transferOf(caller, other)]).toEqual([out, other])
  expect((await caller.post('/rpc/unlink_transfer', { p_transfer_id: out })).body).toMatchObject([{
    id: out,
    transfer_id: null,
  }])
})

test('a transfer without another half is set and cleared by a person, changes freely, and is deleted alone', async () => {
  const caller = await someone()
  const [id, other] = [await pay(caller), await pay(caller)]
  expect((await caller.patch(`/transactions?id=eq.${id}`, { transfer_id: id })).status).toBe(204)
  expect((await caller.patch(`/transactions?id=eq.${id}`, { amount: 5, currency: 'eur' })).status)
    .toBe(204)
  expect(
    await caller.post('/line_items', {
      transaction_id: id,
      name: 'x',
      amount: 1,
      category_id: await category(caller),
    }),
  ).toMatchObject({
    status: 400,
    body: { code: '22023' },
  })
  expect((await caller.patch(`/transactions?id=eq.${id}`, { transfer_id: null })).status).toBe(204)
  expect((await caller.patch(`/transactions?id=eq.${id}`, { transfer_id: id })).status).toBe(204)
  await caller.delete(`/transactions?id=eq.${id}`)
  expect((await caller.get('/transactions?select=id')).body).toEqual([{ id: other }])
})

test('a transfer without another half is no way to join transactions: another id, a third half and the id of another transaction are 400', async () => {
  const caller = await someone()
  const [id, other] = [await pay(caller), await pay(caller, { amount: 100 })]
  const refused = {
    status: 400,
    body: { code: '22023', message: "transfer_id can't be set or changed" },
  }
  await caller.patch(`/transactions?id=eq.${id}`, { transfer_id: id })
  for (const transfer_id of [id, randomUUID()]) {
    expect(await caller.patch(`/transactions?id=eq.${other}`, { transfer_id })).toMatchObject(
      refused,
    )
    expect(await caller.post('/transactions', { name: 'x', amount: 100, transfer_id }))
      .toMatchObject(refused)
  }
  expect(await caller.patch(`/transactions?id=eq.${id}`, { transfer_id: randomUUID() }))
    .toMatchObject(refused)
  const [giro, savings] = [await account(caller), await account(caller, 'Savings')]
  const first = randomUUID()
  const pair = [{ id: first, amount: -1, account_id: giro }, {
    id: randomUUID(),
    amount: 1,
    account_id: savings,
  }].map((row) => ({
    name: 'x',
    transfer_id: first,
    ...row,
  }))
  expect(await caller.post('/transactions', pair)).toMatchObject(refused)
  const [{ transfer_id }] = (await caller.post('/rpc/create_transfer', {
    from_account_id: giro,
    to_account_id: savings,
    amount: 1,
    transfer_date: '2025-03-01',
    name: 'x',
  })).body
  expect(await caller.post('/transactions', { id: transfer_id, name: 'x', amount: 1, transfer_id }))
    .toMatchObject(refused)
})

test('a transfer without another half keeps the word of its bank: the later amount of an announced row', async () => {
  const caller = await someone()
  const giro = await account(caller)
  await rule(caller)
  const { transaction_id: id } = await send(caller, { external_id: 'a', status: 'pending' }, {
    p_account_id: giro,
  })
  expect(await send(caller, { external_id: 'a', amount: -101 }, { p_account_id: giro }))
    .toMatchObject({ verdict: 'updated', transaction_id: id })
  expect((await caller.get(`/transactions?id=eq.${id}&select=amount,status,transfer_id`)).body)
    .toEqual([{ amount: -101, status: 'paid', transfer_id: id }])
})

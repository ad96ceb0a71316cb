/** Transfers of two stored transactions: linked by a user, unlinked, and changed since. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type DataStack } from '../support/data.ts'
import {
  account,
  accounts,
  enter,
  expenses,
  link,
  stored,
  undoLast,
  withoutTimes,
  type Row,
} from './transfer-calls.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

async function user() {
  const person = await stack.person()
  const caller = stack.as(person)
  return { person, caller, ...(await accounts(caller)) }
}

test('link_transfer makes a transfer of two rows, which keep their days and names, and unlink_transfer makes two rows of it again', async () => {
  const { caller, giro, savings } = await user()
  const from = await enter(caller, giro, -500, '2025-01-31', { name: 'Out' })
  const to = await enter(caller, savings, 500, '2025-02-05', { name: 'In', status: 'pending' })
  const before = (await stored(caller)).map(withoutTimes)
  const { status, body } = await link(caller, from['id'], to['id'])
  expect([status, body]).toMatchObject([200, [{
    id: from['id'],
    name: 'Out',
    booked_on: '2025-01-31',
  }, { id: to['id'], name: 'In', status: 'pending' }]])
  expect(body[0].transfer_id).toBe(body[1].transfer_id)
  expect(await expenses(caller)).toBe(0)
  const unlinked = await caller.post('/rpc/unlink_transfer', { p_transfer_id: body[0].transfer_id })
  expect(unlinked.body.map(withoutTimes)).toEqual(before)
  expect((await undoLast(caller)).body).toMatchObject({ update: 2 })
  expect((await stored(caller)).map(({ transfer_id }) => transfer_id)).toEqual([
    body[0].transfer_id,
    body[0].transfer_id,
  ])
  expect((await undoLast(caller)).status).toBe(200)
  expect((await stored(caller)).map(withoutTimes)).toEqual(before)
})

test('link_transfer links different currencies with their own amounts', async () => {
  const { caller, giro } = await user()
  const dollars = await account(caller, { currency: 'usd' })
  const [from, to] = [
    await enter(caller, giro, -500, '2025-01-31'),
    await enter(caller, dollars, 540, '2025-02-01'),
  ]
  expect((await link(caller, from['id'], to['id'])).body).toMatchObject([{
    amount: -500,
    currency: 'eur',
  }, { amount: 540, currency: 'usd' }])
})

test('link_transfer refuses rows that are no transfer, and stores nothing', async () => {
  const { caller, giro, savings, card, person } = await user()
  const from = await enter(caller, giro, -500, '2025-01-31')
  const to = await enter(caller, savings, 500, '2025-01-31')
  const wrong = (message: string | RegExp) => ({
    status: 400,
    body: { code: '22023', message: expect.stringMatching(message), hint: expect.any(String) },
  })
  const id = async (row: Promise<Row>): Promise<string> => (await row)['id']
  expect(await link(caller, to['id'], from['id'])).toMatchObject(
    wrong(/outgoing to an incoming transaction/),
  )
  expect(await link(caller, from['id'], from['id'])).toMatchObject(
    wrong(/outgoing to an incoming transaction/),
  )
  expect(await link(caller, from['id'], await id(enter(caller, savings, 499, '2025-01-31'))))
    .toMatchObject(wrong(/so their amounts must match/))
  expect(await link(caller, from['id'], await id(enter(caller, giro, 500, '2025-01-31'))))
    .toMatchObject(wrong(/must be in different accounts/))
  expect(
    await link(
      caller,
      from['id'],
      await id(enter(caller, null, 500, '2025-01-31', { currency: 'eur' })),
    ),
  ).toMatchObject(wrong(/must be in different accounts/))
  for (const day of ['2025-01-25', '2025-02-06'])
    expect(await link(caller, from['id'], await id(enter(caller, savings, 500, day))))
      .toMatchObject(wrong(/more than five days apart/))
  expect(
    await link(
      caller,
      from['id'],
      await id(enter(caller, savings, 500, '2025-01-31', { status: 'failed' })),
    ),
  ).toMatchObject(wrong(/be part of a transfer/))
  const split = await enter(caller, card, 500, '2025-01-31')
  const { id: category_id } = await caller.create('categories', { name: 'Food' })
  await caller.create('line_items', {
    transaction_id: split['id'],
    name: 'x',
    amount: 1,
    category_id,
  })
  expect(await link(caller, from['id'], split['id'])).toMatchObject(
    wrong(/a line item of a transfer can't have a category/),
  )
  const team = await stack.organization({ owner: person })
  const ours = stack.as(person, team)
  expect(
    await link(ours, from['id'], await id(enter(ours, await account(ours), 500, '2025-01-31'))),
  ).toMatchObject(wrong(/must be in the same workspace/))
  const stranger = await user()
  const theirs = await id(enter(stranger.caller, stranger.savings, 500, '2025-01-31'))
  for (const other of [theirs, crypto.randomUUID()]) {
    expect(await link(caller, from['id'], other)).toMatchObject({
      status: 404,
      body: { code: 'PT404' },
    })
    expect(await link(caller, other, to['id'])).toMatchObject({
      status: 404,
      body: { code: 'PT404' },
    })
  }
  expect((await stored(caller)).every(({ transfer_id }) => transfer_id === null)).toBe(true)
  const { body: [{ transfer_id }] } = await link(caller, from['id'], to['id'])
  expect(await link(caller, from['id'], to['id'])).toMatchObject({
    status: 409,
    body: { code: 'PT409', hint: expect.any(String) },
  })
  for (const unlink of [transfer_id, crypto.randomUUID()])
    expect(await stranger.caller.post('/rpc/unlink_transfer', { p_transfer_id: unlink }))
      .toMatchObject({ status: 404, body: { code: 'PT404' } })
})

test('link_transfer is for members who may change the rows', async () => {
  const [ann, bob, vic] = [await stack.person(), await stack.person(), await stack.person()]
  const team = await stack.organization({ owner: ann, editor: bob, viewer: vic })
  const [ours, viewer] = [stack.as(bob, team), stack.as(vic, team)]
  const { giro, savings } = await accounts(ours)
  const [from, to] = [
    await enter(ours, giro, -5, '2025-01-31'),
    await enter(ours, savings, 5, '2025-01-31'),
  ]
  expect(await link(viewer, from['id'], to['id'])).toMatchObject({
    status: 403,
    body: { code: '42501' },
  })
  const { body: [{ transfer_id }] } = await link(ours, from['id'], to['id'])
  expect(await viewer.post('/rpc/unlink_transfer', { p_transfer_id: transfer_id })).toMatchObject({
    status: 403,
  })
  expect(
    (await stack.as(ann, team).post('/rpc/unlink_transfer', { p_transfer_id: transfer_id })).body,
  ).toHaveLength(2)
})

test('link_transfer links a row once if two requests come at the same time', async () => {
  const { caller, giro, savings, card } = await user()
  const [from, one, other] = [
    await enter(caller, giro, -5, '2025-01-31'),
    await enter(caller, savings, 5, '2025-01-31'),
    await enter(caller, card, 5, '2025-01-31'),
  ]
  const answers = await Promise.all([one, other].map((to) => link(caller, from['id'], to['id'])))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
})

test('a change of a half of a linked transfer changes the other half in what was equal, and leaves what differed', async () => {
  const { caller, giro, savings } = await user()
  const from = await enter(caller, giro, -500, '2025-01-31', { name: 'Out', description: 'both' })
  const to = await enter(caller, savings, 500, '2025-02-01', { name: 'In', description: 'both' })
  await link(caller, from['id'], to['id'])
  const path = `/transactions?id=eq.${from['id']}`
  await caller.patch(path, {
    name: 'Moved',
    description: 'one',
    transaction_date: '2025-01-30',
    amount: -400,
    status: 'pending',
  })
  const other = {
    name: 'In',
    booked_on: '2025-02-01',
    description: 'one',
    amount: 400,
    status: 'pending',
  }
  expect(await stored(caller)).toMatchObject([{
    name: 'Moved',
    booked_on: '2025-01-30',
    amount: -400,
  }, other])
  const [half, second] = await stored(caller)
  const merge = { prefer: 'resolution=merge-duplicates' }
  expect(
    (await caller.post('/transactions', [{ ...half, name: 'Again' }, {
      ...second,
      transaction_date: '2025-02-03',
      booked_on: null,
    }], merge)).status,
  )
    .toBe(200)
  expect(await stored(caller)).toMatchObject([{ name: 'Again', booked_on: '2025-01-30' }, {
    name: 'In',
    booked_on: '2025-02-03',
  }])
  expect(
    (await caller.post('/transactions', [{ ...half, description: 'a' }, {
      ...second,
      description: 'b',
    }], merge)).status,
  ).toBe(400)
  await caller.delete(path)
  expect(await stored(caller)).toEqual([])
})

test('a change of a half of a linked transfer is possible after its halves were sent again, as the restore of an export does', async () => {
  const { caller, giro, savings } = await user()
  const [from, to] = [
    await enter(caller, giro, -500, '2025-01-31', { name: 'Out' }),
    await enter(caller, savings, 500, '2025-02-01', { name: 'In' }),
  ]
  await link(caller, from['id'], to['id'])
  const rows = await stored(caller)
  await caller.delete('/transactions')
  expect(
    (await caller.post('/transactions', rows, { prefer: 'resolution=ignore-duplicates' })).status,
  ).toBe(201)
  expect((await stored(caller)).map(({ name, transfer_id }) => [name, transfer_id])).toEqual(
    rows.map(({ name, transfer_id }) => [name, transfer_id]),
  )
})

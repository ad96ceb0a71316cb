/** Transfers between accounts: two transactions that are created, changed and deleted as one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  dataStack,
  returning,
  type Account,
  type Caller,
  type DataStack,
  type Organization,
} from '../support/data.ts'
import {
  account,
  between,
  halvesOf,
  refused,
  sharedTransfer,
  transfer,
  type Half,
} from './transfer-halves.ts'

let stack: DataStack
let ada: Account
let team: Organization
let mine: Caller
let ours: Caller
let viewers: Caller
let bobs: Caller
let bank: string
let savings: string
let wallet: string
let euros: string

beforeAll(async () => {
  stack = await dataStack()
  ada = await stack.person('ada')
  const vera = await stack.person('vera')
  team = await stack.organization({ owner: ada, viewer: vera })
  mine = stack.as(ada)
  ours = stack.as(ada, team)
  viewers = stack.as(vera, team)
  bobs = stack.as(await stack.person('bob'))
  bank = await account(mine)
  savings = await account(mine, { name: 'Savings', type: 'savings' })
  wallet = await account(mine, { name: 'Wallet', type: 'cash' })
  euros = await account(mine, { name: 'Konto', currency: 'eur' })
})
afterAll(() => stack.stop())

const halves = (transferId: string, columns: string, caller = mine) =>
  halvesOf(caller, transferId, columns)
const balanceOf = async (id: string, caller = mine) =>
  (await caller.get(`/accounts?id=eq.${id}&select=current_balance`)).body[0].current_balance

test('create_transfer creates an outgoing and an incoming half, and both balances change', async () => {
  const [from, to] = [await account(mine, { balance: 500 }), await account(mine)]
  const [outgoing, incoming] = await transfer(mine, from, to, {
    amount: 120.5,
    name: 'Put by',
    transfer_date: '2025-01-31',
  })
  const both = {
    name: 'Put by',
    status: 'paid',
    source: 'transfer',
    currency: 'usd',
    organization_id: null,
    user_id: ada.id,
  }
  expect(outgoing).toMatchObject({
    ...both,
    amount: -120.5,
    account_id: from,
    transaction_date: '2025-01-31T00:00:00+00:00',
  })
  expect(incoming).toMatchObject({
    ...both,
    amount: 120.5,
    account_id: to,
    transfer_id: outgoing.transfer_id,
  })
  expect([await balanceOf(from), await balanceOf(to)]).toEqual([379.5, 120.5])
})

test('create_transfer sets a default name and date', async () => {
  const before = Date.now()
  const [outgoing] = await transfer(mine, bank, savings, { name: null, transfer_date: null })
  expect(outgoing.name).toBe('Transfer')
  const [{ transaction_date: date }] = await halves(outgoing.transfer_id, 'transaction_date')
  expect(Math.abs(new Date(date).getTime() - before)).toBeLessThan(10_000)
})

test('create_transfer between currencies takes both amounts', async () => {
  const [outgoing, incoming] = await transfer(mine, bank, euros, { to_amount: 183.456 })
  expect([outgoing, incoming]).toMatchObject([{ amount: -200, currency: 'usd' }, {
    amount: 183.46,
    currency: 'eur',
  }])
  expect(await mine.post('/rpc/create_transfer', between(bank, euros))).toMatchObject(
    refused('a transfer from USD to EUR needs to_amount'),
  )
  expect(await mine.post('/rpc/create_transfer', between(bank, savings, { to_amount: 199 })))
    .toMatchObject(refused(/^both accounts are in USD/))
  expect(
    (await mine.post('/rpc/create_transfer', between(bank, savings, { to_amount: 200 }))).status,
  ).toBe(200)
})

test.each([0, -1, 0.004, 'NaN', 'Infinity', 1e12, 999_999_999_999.996, null])(
  'create_transfer refuses the amount %s',
  async (amount) => {
    expect(await mine.post('/rpc/create_transfer', between(bank, savings, { amount })))
      .toMatchObject(refused(/^amount is not a valid transfer amount/))
    if (amount === null) return
    expect(await mine.post('/rpc/create_transfer', between(bank, euros, { to_amount: amount })))
      .toMatchObject(refused(/^to_amount is not a valid transfer amount/))
  },
)

test('create_transfer refuses the same account twice, accounts of two contexts, and accounts that the caller cannot see, and stores nothing', async () => {
  const count = async () => (await mine.get('/transactions?select=id')).body.length
  const before = await count()
  expect(await mine.post('/rpc/create_transfer', between(bank, bank))).toMatchObject(
    refused('a transfer needs two different accounts'),
  )
  expect(await ours.post('/rpc/create_transfer', between(bank, await account(ours)))).toMatchObject(
    refused('the accounts must be in the same workspace'),
  )
  const missing = { status: 404, body: { code: 'PT404', message: 'account not found' } }
  for (const other of [await account(bobs), await account(ours), crypto.randomUUID(), null]) {
    expect(
      await mine.post('/rpc/create_transfer', { ...between(bank, bank), to_account_id: other }),
    ).toMatchObject(missing)
    expect(
      await mine.post('/rpc/create_transfer', { ...between(bank, bank), from_account_id: other }),
    ).toMatchObject(missing)
  }
  expect(await mine.post('/rpc/create_transfer', between(bank, savings, { name: '' })))
    .toMatchObject({ status: 400, body: { code: '23514' } })
  for (const transfer_date of ['soon', '2025-02-30', '1815-01-01']) {
    expect(await mine.post('/rpc/create_transfer', between(bank, savings, { transfer_date })))
      .toMatchObject({
        status: 400,
        body: {
          code: '22023',
          message: `transfer_date is not a date: '${transfer_date}'`,
          hint: 'Use YYYY-MM-DD or an ISO 8601 date-time, from 1900 to 2199.',
        },
      })
  }
  expect(await count()).toBe(before)
})

test('create_transfer in a team works for its members and not for a viewer', async () => {
  const [from, to] = [await account(ours), await account(ours)]
  const [outgoing] = await transfer(ours, from, to)
  expect(await halves(outgoing.transfer_id, 'amount,organization_id', viewers))
    .toEqual([{ amount: -200, organization_id: team.id }, {
      amount: 200,
      organization_id: team.id,
    }])
  expect(await viewers.post('/rpc/create_transfer', between(from, to))).toMatchObject({
    status: 403,
    body: { code: '42501' },
  })
  expect(await stack.anonymous.post('/rpc/create_transfer', between(from, to))).toMatchObject({
    status: 401,
  })
})

test.each<[string, object]>([
  ['name', { name: 'Holiday' }],
  ['status', { status: 'pending' }],
  ['description', { description: 'for June' }],
  ['date', { transaction_date: '2025-02-03T00:00:00+00:00' }],
])('a change of one half of its %s also changes the other half', async (_, change) => {
  const [outgoing, incoming] = await transfer(mine, bank, savings)
  const columns = Object.keys(change).join()
  expect((await mine.patch(`/transactions?id=eq.${incoming.id}`, change)).status).toBe(204)
  expect(await halves(outgoing.transfer_id, columns)).toEqual([change, change])
})

test('a change of one half of its amount also changes the other half if the currencies are the same, and otherwise only its own', async () => {
  const [outgoing] = await transfer(mine, bank, savings)
  await mine.patch(`/transactions?id=eq.${outgoing.id}`, { amount: -250 })
  expect(await halves(outgoing.transfer_id, 'amount')).toEqual([{ amount: -250 }, { amount: 250 }])
  const [, arrived] = await transfer(mine, bank, euros, { to_amount: 180 })
  await mine.patch(`/transactions?id=eq.${arrived.id}`, { amount: 181 })
  expect(await halves(arrived.transfer_id, 'amount')).toEqual([{ amount: -200 }, { amount: 181 }])
})

test('a change of one half cannot reverse it, end it, give it another currency, or put both halves into one account', async () => {
  const [outgoing, incoming] = await transfer(mine, bank, savings)
  const before = await halves(outgoing.transfer_id, '*')
  const change = (what: object) => mine.patch(`/transactions?id=eq.${outgoing.id}`, what)
  expect(await change({ amount: 200 })).toMatchObject(
    refused("you can't reverse one side of a transfer"),
  )
  expect(await change({ amount: 0 })).toMatchObject(
    refused("you can't reverse one side of a transfer"),
  )
  expect(await change({ transfer_id: null })).toMatchObject(
    refused("transfer_id can't be set or changed"),
  )
  expect(await change({ transfer_id: crypto.randomUUID() })).toMatchObject(
    refused("transfer_id can't be set or changed"),
  )
  expect(await change({ account_id: null })).toMatchObject(
    refused('each side of a transfer needs an account'),
  )
  expect(await change({ account_id: savings })).toMatchObject(
    refused('the two sides of a transfer must be in different accounts'),
  )
  expect(await change({ account_id: euros })).toMatchObject(
    refused('the account is in EUR, but the transaction is in USD'),
  )
  expect(await change({ account_id: euros, currency: 'eur' })).toMatchObject(
    refused("you can't change the currency of one side of a transfer"),
  )
  expect(await change({ account_id: await account(bobs) })).toMatchObject({
    status: 409,
    body: { code: '23503' },
  })
  expect(await halves(outgoing.transfer_id, '*')).toEqual(before)
  expect((await change({ account_id: wallet })).status).toBe(204)
  expect(await halves(incoming.transfer_id, 'account_id')).toEqual([{ account_id: wallet }, {
    account_id: savings,
  }])
})

test('a change of one half can set category, tags and line items, as in any transaction', async () => {
  const [outgoing, incoming] = await transfer(mine, bank, savings)
  const { id: category_id } = await mine.create('categories', { name: 'Savings' })
  expect((await mine.patch(`/transactions?id=eq.${outgoing.id}`, { category_id })).status).toBe(204)
  expect(await halves(incoming.transfer_id, 'category_id')).toEqual([{ category_id }, {
    category_id: null,
  }])
  await mine.create('line_items', { transaction_id: incoming.id, name: 'Half', amount: 100 })
  expect(await mine.patch(`/transactions?id=eq.${outgoing.id}`, { amount: -99 })).toMatchObject({
    status: 400,
    body: { code: '23514' },
  })
})

test('a change of one half is refused to a viewer, as any change', async () => {
  const [outgoing] = await transfer(ours, await account(ours), await account(ours))
  const change = (what: object) => viewers.patch(`/transactions?id=eq.${outgoing.id}`, what)
  for (const what of [{ name: 'x' }, { amount: 1 }, { transfer_id: null }])
    expect(await change(what)).toMatchObject({ status: 403, body: { code: '42501' } })
  expect(await viewers.delete(`/transactions?id=eq.${outgoing.id}`)).toMatchObject({
    status: 403,
    body: { code: '42501' },
  })
})

test('a request that writes both halves changes hundreds of transfers at once, and each stays consistent', async () => {
  const name = 'Standing order'
  for (let i = 0; i < 20; i++) await transfer(mine, bank, savings, { name, amount: i + 1 })
  const changed = await mine.patch(`/transactions?name=eq.${name}`, {
    name: 'Order',
    status: 'pending',
    transaction_date: '2025-03-01',
  }, returning)
  expect(changed.body).toHaveLength(40)
  const rows = (await mine.get(
    '/transactions?name=eq.Order&status=eq.pending&transaction_date=eq.2025-03-01&select=transfer_id,amount',
  )).body
  expect(rows).toHaveLength(40)
  const sums = Map.groupBy<string, Half>(rows, (half) => half.transfer_id)
  expect([...sums.values()].map((of) => of.reduce((sum, { amount }) => sum + amount, 0))).toEqual(
    Array.from({ length: 20 }, () => 0),
  )
})

test('a request that writes both halves can send halves back as they were read, one of them changed', async () => {
  const [outgoing, incoming] = await transfer(mine, bank, savings)
  const merge = { prefer: 'return=representation,resolution=merge-duplicates' }
  expect((await mine.post('/transactions', [outgoing, incoming], merge)).status).toBe(200)
  expect(
    (await mine.post('/transactions', [{ ...outgoing, name: 'First' }, incoming], merge)).status,
  ).toBe(200)
  expect(await halves(outgoing.transfer_id, 'name')).toEqual([{ name: 'First' }, { name: 'First' }])
  const [first, second] = await halves(outgoing.transfer_id, '*')
  expect(
    (await mine.post(
      '/transactions',
      [{ ...first, description: 'one' }, { ...second, amount: 7 }],
      merge,
    )).status,
  ).toBe(200)
  expect(await halves(outgoing.transfer_id, 'amount,description')).toEqual([{
    amount: -7,
    description: 'one',
  }, { amount: 7, description: 'one' }])
  const ignore = { prefer: 'resolution=ignore-duplicates' }
  expect((await mine.post('/transactions', [outgoing, incoming], ignore)).status).toBe(201)
  expect(
    (await mine.put(`/transactions?id=eq.${incoming.id}`, { ...incoming, name: 'Put' })).status,
  ).toBe(204)
  expect(await halves(outgoing.transfer_id, 'name,amount')).toEqual([
    { name: 'Put', amount: -200 },
    { name: 'Put', amount: 200 },
  ])
})

test('a request that writes both halves can exchange their accounts, and cannot change them differently', async () => {
  const [outgoing, incoming] = await transfer(mine, bank, savings)
  const merge = { prefer: 'resolution=merge-duplicates' }
  expect(
    (await mine.post('/transactions', [{ ...outgoing, account_id: savings }, {
      ...incoming,
      account_id: bank,
    }], merge)).status,
  ).toBe(200)
  expect(await halves(outgoing.transfer_id, 'account_id')).toEqual([{ account_id: savings }, {
    account_id: bank,
  }])
  const [first, second] = await halves(outgoing.transfer_id, '*')
  const different = refused("the two sides of the transfer don't match")
  expect(
    await mine.post(
      '/transactions',
      [{ ...first, name: 'one' }, { ...second, name: 'other' }],
      merge,
    ),
  ).toMatchObject(different)
  expect(
    await mine.post('/transactions', [{ ...first, amount: -1 }, { ...second, amount: 2 }], merge),
  ).toMatchObject(different)
  expect(await mine.patch(`/transactions?transfer_id=eq.${outgoing.transfer_id}`, { amount: -5 }))
    .toMatchObject(different)
  expect(await halves(outgoing.transfer_id, '*')).toEqual([first, second])
})

test('a deletion of one half deletes both, and so does one of both halves', async () => {
  const [outgoing, incoming] = await transfer(mine, bank, savings)
  expect((await mine.delete(`/transactions?id=eq.${incoming.id}`)).status).toBe(204)
  expect(await halves(outgoing.transfer_id, 'id')).toEqual([])
  const [other] = await transfer(mine, bank, savings)
  expect((await mine.delete(`/transactions?transfer_id=eq.${other.transfer_id}`, returning)).body)
    .toHaveLength(2)
  expect(await halves(other.transfer_id, 'id')).toEqual([])
})

test('a deletion of an account keeps both halves, which stay one transfer', async () => {
  const closed = await account(mine)
  const [outgoing] = await transfer(mine, closed, savings)
  expect((await mine.delete(`/accounts?id=eq.${closed}`)).status).toBe(204)
  expect(await halves(outgoing.transfer_id, 'account_id,amount')).toEqual([{
    account_id: null,
    amount: -200,
  }, { account_id: savings, amount: 200 }])
  expect(
    (await mine.patch(`/transactions?id=eq.${outgoing.id}`, { amount: -100, name: 'Last' })).status,
  ).toBe(204)
  expect(await halves(outgoing.transfer_id, 'name,amount')).toEqual([
    { name: 'Last', amount: -100 },
    { name: 'Last', amount: 100 },
  ])
  expect((await mine.patch(`/transactions?id=eq.${outgoing.id}`, { account_id: bank })).status)
    .toBe(204)
})

test("transfer_id cannot be invented, or copied from the user's own or another user's transfer", async () => {
  const [outgoing] = await transfer(mine, bank, savings)
  const [bobsHalf] = await transfer(bobs, await account(bobs), await account(bobs))
  for (const transfer_id of [crypto.randomUUID(), outgoing.transfer_id, bobsHalf.transfer_id]) {
    expect(await mine.post('/transactions', { name: 'x', amount: 1, transfer_id })).toMatchObject(
      refused("transfer_id can't be set or changed"),
    )
    expect(
      await mine.post('/transactions', [{ name: 'x', amount: 1, transfer_id }], {
        prefer: 'resolution=merge-duplicates',
      }),
    ).toMatchObject({
      status: 400,
    })
  }
  const plain = await mine.create('transactions', { name: 'x', amount: 1 })
  expect(await mine.patch(`/transactions?id=eq.${plain.id}`, { transfer_id: outgoing.transfer_id }))
    .toMatchObject({ status: 400 })
})

test('transfer_id is accepted with both halves at once, as in an export, under their own ids', async () => {
  const [outgoing, incoming] = await transfer(mine, bank, savings)
  const copied = ({ amount, name }: Half, account_id: string) => ({
    amount,
    name,
    account_id,
    transaction_date: '2025-01-01',
  })
  const [out, into] = [copied(outgoing, bank), copied(incoming, savings)]
  const anew = () => {
    const [id, other, transfer_id] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    return [{ ...out, id, transfer_id }, { ...into, id: other, transfer_id }] as const
  }
  const [one, two] = anew()
  const again = { prefer: 'resolution=ignore-duplicates' }
  for (let times = 0; times < 2; times += 1)
    expect((await mine.post('/transactions', [one, two], again)).status).toBe(201)
  expect(await halves(one.transfer_id, 'amount')).toEqual([{ amount: -200 }, { amount: 200 }])
  await mine.patch(`/transactions?id=eq.${one.id}`, { name: 'Moved' })
  expect(await halves(one.transfer_id, 'name')).toEqual([{ name: 'Moved' }, { name: 'Moved' }])

  const wrongs = [
    ([half]: ReturnType<typeof anew>) => [half],
    (
      [half, other]: ReturnType<typeof anew>,
    ) => [half, other, { ...other, id: crypto.randomUUID() }],
    ([half, other]: ReturnType<typeof anew>) => [half, { ...other, amount: 199 }],
    ([half, other]: ReturnType<typeof anew>) => [half, { ...other, amount: -200 }],
    ([half, other]: ReturnType<typeof anew>) => [half, { ...other, account_id: bank }],
    ([half, other]: ReturnType<typeof anew>) => [half, { ...other, transfer_id: one.transfer_id }],
    ([half, other]: ReturnType<typeof anew>) =>
      [half, other].map((row) => ({ ...row, transfer_id: one.transfer_id })),
  ]
  for (const wrong of wrongs)
    expect(await mine.post('/transactions', wrong(anew()))).toMatchObject(
      refused("transfer_id can't be set or changed"),
    )
})

test('transfer_id is accepted with halves that the database owner restores', async () => {
  const [outgoing] = await transfer(mine, bank, savings)
  const { rows } = await stack.owner.query(
    'select * from api.transactions where transfer_id = $1',
    [outgoing.transfer_id],
  )
  await mine.delete(`/transactions?id=eq.${outgoing.id}`)
  await stack.owner.query(
    'insert into api.transactions select * from jsonb_populate_recordset(null::api.transactions, $1)',
    [JSON.stringify(rows)],
  )
  expect(await halves(outgoing.transfer_id, 'amount')).toEqual([{ amount: -200 }, { amount: 200 }])
})

describe('undo', () => {
  const undo = async (row: string) => {
    const { body: [{ id }] } = await mine.get(
      `/activity?row_id=eq.${row}&order=id.desc&limit=1&select=id`,
    )
    expect((await mine.post('/rpc/undo', { p_activity_id: id })).status).toBe(200)
  }

  test('undo reverts a change, a deletion and a creation of both halves', async () => {
    const [outgoing] = await transfer(mine, bank, savings)
    const before = await halves(outgoing.transfer_id, 'id,amount,name,account_id')
    await mine.patch(`/transactions?id=eq.${outgoing.id}`, { amount: -1, name: 'Wrong' })
    await undo(outgoing.id)
    expect(await halves(outgoing.transfer_id, 'id,amount,name,account_id')).toEqual(before)
    await mine.delete(`/transactions?id=eq.${outgoing.id}`)
    await undo(outgoing.id)
    expect(await halves(outgoing.transfer_id, 'id,amount,name,account_id')).toEqual(before)
    const [other] = await transfer(mine, bank, savings)
    await undo(other.id)
    expect(await halves(other.transfer_id, 'id')).toEqual([])
  })

  test('undo of a deletion restores line items with their transaction', async () => {
    const { id } = await mine.create('transactions', { name: 'Shopping', amount: -20 })
    await mine.create('line_items', { transaction_id: id, name: 'Bread', amount: -12 })
    await mine.delete(`/transactions?id=eq.${id}`)
    await undo(id)
    expect((await mine.get(`/transactions?id=eq.${id}&select=amount,line_items(amount)`)).body)
      .toEqual([{ amount: -20, line_items: [{ amount: -12 }] }])
  })
})

test('a replayed import still finds its rows, also in an account', async () => {
  const rows = [{
    name: 'Bakery',
    amount: -3,
    source: 'bank',
    external_id: 'b1',
    account_id: euros,
  }]
  const merge = { prefer: 'return=representation,resolution=merge-duplicates' }
  expect(await mine.post('/transactions', rows, merge)).toMatchObject({
    status: 201,
    body: [{ currency: 'eur' }],
  })
  expect(await mine.post('/transactions', rows.map((row) => ({ ...row, amount: -4 })), merge))
    .toMatchObject({ status: 200, body: [{ amount: -4 }] })
})

describe('a transfer_id of a team that a former reader has in personal rows too', () => {
  const shared = () => sharedTransfer(stack, ada)

  test('a transfer_id of a team that a former reader has in personal rows too makes two transfers: a change or deletion by one tenant does not affect the other', async () => {
    const { outsider, members, outgoing, ofTeam, before, posted, ofOutsider } = await shared()
    for (const change of [{ name: 'Taken', description: 'by Eve' }, { amount: -66 }]) {
      expect((await outsider.patch(`/transactions?id=eq.${posted[0].id}`, change)).status).toBe(204)
      expect(await ofTeam()).toEqual(before)
    }
    expect(await ofOutsider()).toMatchObject([
      { name: 'Taken', description: 'by Eve', amount: -66 },
      { name: 'Taken', description: 'by Eve', amount: 66 },
    ])
    const seen = await ofOutsider()
    expect(
      (await members.patch(`/transactions?transfer_id=eq.${posted[0].transfer_id}`, {
        name: 'Secret',
        description: 'of the team',
      })).status,
    ).toBe(204)
    expect(await ofTeam()).toMatchObject([{ name: 'Secret' }, { name: 'Secret' }])
    expect(await ofOutsider()).toEqual(seen)
    const secret = await ofTeam()
    expect((await outsider.delete(`/transactions?id=eq.${posted[0].id}`)).status).toBe(204)
    expect([await ofOutsider(), await ofTeam()]).toEqual([[], secret])
    expect((await members.delete(`/transactions?id=eq.${outgoing.id}`)).status).toBe(204)
    expect(await ofTeam()).toEqual([])
  })

  test('a transfer_id of a team that a former reader has in personal rows too stays with the team when the account of the former reader is deleted', async () => {
    const { eve, ofTeam, before } = await shared()
    await stack.owner.query('delete from auth.users where id = $1', [eve.id])
    expect(await ofTeam()).toEqual(before)
  })

  test('a transfer_id of a team that a former reader has in personal rows too does not reveal the transfer of the team: another user can store halves with it while the team has the transfer', async () => {
    const { members, outsider, outgoing, transfer_id } = await shared()
    await outsider.delete(`/transactions?transfer_id=eq.${transfer_id}`)
    const half = {
      organization_id: null,
      transfer_id,
      name: 'Mine',
      transaction_date: '2025-01-01',
    }
    expect(
      (await outsider.post('/transactions', [{ ...half, amount: -1 }, { ...half, amount: 1 }]))
        .status,
    ).toBe(201)
    expect((await members.get(`/transactions?id=eq.${outgoing.id}`)).body).toMatchObject([{
      name: 'Wages',
      amount: -200,
    }])
  })
})

test('an undo is refused if the same tenant has used the transfer_id again, because the transfer would have four halves', async () => {
  const [outgoing, incoming] = await transfer(mine, bank, savings)
  await mine.delete(`/transactions?id=eq.${outgoing.id}`)
  const { body: [{ id }] } = await mine.get(
    `/activity?row_id=eq.${outgoing.id}&order=id.desc&limit=1&select=id`,
  )
  const anew = ({ name, amount, transfer_id }: Half) => ({
    name,
    amount,
    transfer_id,
    transaction_date: '2025-01-01',
  })
  await mine.create('transactions', [outgoing, incoming].map(anew))
  const answer = await mine.post('/rpc/undo', { p_activity_id: id })
  expect(answer).toMatchObject({
    status: 409,
    body: { code: 'PT409', details: 'a transfer would have more than two sides' },
  })
  expect(await halves(outgoing.transfer_id, 'amount')).toEqual([{ amount: -200 }, { amount: 200 }])
})

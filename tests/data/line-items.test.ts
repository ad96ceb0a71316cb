/** Line items add up with their signs to at most their transaction, in its direction. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, returning, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
let mine: Caller

beforeAll(async () => {
  stack = await dataStack()
  mine = stack.as(await stack.person('ada'))
})
afterAll(() => stack.stop())

const transaction = async (amount: number): Promise<string> =>
  (await mine.create('transactions', { name: 'Shopping', amount })).id
const itemsOf = async (id: string) =>
  (await mine.get(`/line_items?transaction_id=eq.${id}&select=name,amount&order=name`)).body
const tooMuch = (items: string, whole: string) => ({
  status: 400,
  body: {
    code: '23514',
    message:
      `line items violate constraint "line_items_fit": they total ${items}, but the transaction amount is ${whole}`,
  },
})

test('items that add up to more than their transaction are refused with both sums, and nothing is stored', async () => {
  const id = await transaction(-20)
  await mine.create('line_items', { transaction_id: id, name: 'Bread', amount: -12.5 })
  expect(
    await mine.post('/line_items', { transaction_id: id, name: 'Cake', amount: -7.51 }, returning),
  ).toMatchObject(tooMuch('-20.01', '-20.00'))
  expect(await itemsOf(id)).toEqual([{ name: 'Bread', amount: -12.5 }])
  expect(
    (await mine.post('/line_items', { transaction_id: id, name: 'Cake', amount: -7.5 })).status,
  ).toBe(201)
})

test('items that add up to more than their transaction are refused if one is raised or moved there, or if the transaction becomes smaller or changes its sign', async () => {
  const id = await transaction(100)
  const { id: item } = await mine.create('line_items', {
    transaction_id: id,
    name: 'Bread',
    amount: 60,
  })
  expect(await mine.patch(`/line_items?id=eq.${item}`, { amount: 100.01 })).toMatchObject(
    tooMuch('100.01', '100.00'),
  )
  expect(await mine.patch(`/transactions?id=eq.${id}`, { amount: 59.99 })).toMatchObject(
    tooMuch('60.00', '59.99'),
  )
  expect(await mine.patch(`/transactions?id=eq.${id}`, { amount: -100 })).toMatchObject(
    tooMuch('60.00', '-100.00'),
  )
  expect(await mine.patch(`/line_items?id=eq.${item}`, { transaction_id: await transaction(59) }))
    .toMatchObject(tooMuch('60.00', '59.00'))
  expect((await mine.patch(`/transactions?id=eq.${id}`, { amount: 60 })).status).toBe(204)
  expect(
    (await mine.patch(`/line_items?id=eq.${item}`, {
      amount: 2,
      transaction_id: await transaction(59),
    })).status,
  ).toBe(204)
  expect((await mine.patch(`/transactions?id=eq.${id}`, { amount: 0 })).status).toBe(204)
  expect((await mine.patch(`/transactions?id=eq.${id}`, { amount: -7 })).status).toBe(204)
})

test('items that add up to more than their transaction are refused in a dry run too', async () => {
  const id = await transaction(1)
  expect(
    await mine.post('/line_items', { transaction_id: id, name: 'Bread', amount: 2 }, {
      prefer: 'tx=rollback',
    }),
  ).toMatchObject(tooMuch('2.00', '1.00'))
})

describe('items with different signs', () => {
  /** A receipt of 85 with a coupon of 15. */
  const receipt = async () => {
    const id = await transaction(-85)
    const items = await mine.create('line_items', [
      { transaction_id: id, name: 'Bread', amount: -60 },
      { transaction_id: id, name: 'Cable', amount: -40 },
      { transaction_id: id, name: 'Coupon', amount: 15 },
    ])
    return { id, items, coupon: `/line_items?id=eq.${items[2].id}` }
  }

  test('items with different signs add up with them to at most the amount', async () => {
    const { id } = await receipt()
    expect(await itemsOf(id)).toEqual([{ name: 'Bread', amount: -60 }, {
      name: 'Cable',
      amount: -40,
    }, { name: 'Coupon', amount: 15 }])
    expect(await mine.post('/line_items', { transaction_id: id, name: 'Bag', amount: -0.01 }))
      .toMatchObject(tooMuch('-85.01', '-85.00'))
    const pay = await transaction(2300)
    expect(
      (await mine.post(
        '/line_items',
        [['Gross', 3000], ['Tax', -700]].map(([name, amount]) => ({
          transaction_id: pay,
          name,
          amount,
        })),
      )).status,
    ).toBe(201)
  })

  test('items with different signs cannot lose the item that lowers their sum', async () => {
    const { items, coupon } = await receipt()
    expect(await mine.delete(coupon)).toMatchObject(tooMuch('-100.00', '-85.00'))
    expect(await mine.patch(coupon, { amount: 14.99 })).toMatchObject(tooMuch('-85.01', '-85.00'))
    expect(await mine.patch(coupon, { transaction_id: await transaction(15) })).toMatchObject(
      tooMuch('-100.00', '-85.00'),
    )
    expect((await mine.delete(`/line_items?id=in.(${items[1].id},${items[2].id})`)).status).toBe(
      204,
    )
  })

  test('items with different signs cannot add up to an amount in the other direction', async () => {
    const id = await transaction(-20)
    expect(await mine.post('/line_items', { transaction_id: id, name: 'Bread', amount: 12.5 }))
      .toMatchObject({
        status: 400,
        body: {
          message:
            'line items violate constraint "line_items_fit": they total 12.50, but the transaction amount is -20.00',
          hint: expect.stringContaining('those of an expense are negative'),
        },
      })
    expect(await itemsOf(id)).toEqual([])
  })

  test('items with different signs add up to 0 in a transaction of 0', async () => {
    const id = await transaction(0)
    const item = (name: string, amount: number) => ({ transaction_id: id, name, amount })
    expect(
      (await mine.post('/line_items', [item('Dinner', -60), item('Ben paid back', 60)])).status,
    ).toBe(201)
    expect(await mine.post('/line_items', item('Tip', -5))).toMatchObject({
      status: 400,
      body: { hint: 'The line items of a transaction of 0 must total 0.' },
    })
  })

  test('items with different signs are deleted with their transaction, and return with it by an undo', async () => {
    const { id } = await receipt()
    expect((await mine.delete(`/transactions?id=eq.${id}`)).status).toBe(204)
    const { body: [{ id: p_activity_id }] } = await mine.get(
      `/activity?row_id=eq.${id}&action=eq.delete&select=id`,
    )
    expect((await mine.post('/rpc/undo', { p_activity_id })).status).toBe(200)
    expect(await itemsOf(id)).toHaveLength(3)
  })

  test('items with different signs keep fitting if an undo takes one of them away', async () => {
    const id = await transaction(-85)
    const item = (name: string, amount: number) =>
      mine.create('line_items', { transaction_id: id, name, amount })
    await item('Bread', -60)
    const { id: coupon } = await item('Coupon', 15)
    await item('Cable', -40)
    const { body: [{ id: p_activity_id }] } = await mine.get(
      `/activity?row_id=eq.${coupon}&select=id`,
    )
    expect(await mine.post('/rpc/undo', { p_activity_id })).toMatchObject({
      status: 409,
      body: { details: expect.stringContaining('-100.00') },
    })
    expect(await itemsOf(id)).toHaveLength(3)
  })
})

test('one upsert can rewrite all items', async () => {
  const id = await transaction(-20)
  const rows = await mine.create('line_items', [
    { transaction_id: id, name: 'Bread', amount: -15 },
    { transaction_id: id, name: 'Cake', amount: -5 },
  ])
  const [bread, cake] = rows
  const swapped = [{ ...bread, amount: -5 }, { ...cake, amount: -15 }]
  expect(
    (await mine.post('/line_items', swapped, { prefer: 'resolution=merge-duplicates' })).status,
  ).toBe(200)
  expect(await itemsOf(id)).toEqual([{ name: 'Bread', amount: -5 }, { name: 'Cake', amount: -15 }])
})

test('a database transaction can rewrite items one after another, because the check runs at its end', async () => {
  const id = await transaction(20)
  await mine.create('line_items', { transaction_id: id, name: 'Bread', amount: 20 })
  await stack.owner.query('begin')
  await stack.owner.query(
    `insert into api.line_items (transaction_id, name, amount) values ($1, 'Cake', 30)`,
    [id],
  )
  await stack.owner.query(`update api.transactions set amount = 50 where id = $1`, [id])
  await stack.owner.query('commit')
  await stack.owner.query('begin')
  await stack.owner.query(`update api.transactions set amount = 10 where id = $1`, [id])
  await stack.owner.query(
    `delete from api.line_items where transaction_id = $1 and name = 'Cake'`,
    [id],
  )
  await expect(stack.owner.query('commit')).rejects.toMatchObject({
    code: '23514',
    constraint: 'line_items_fit',
  })
  expect(await itemsOf(id)).toEqual([{ name: 'Bread', amount: 20 }, { name: 'Cake', amount: 30 }])
  expect((await stack.owner.query('select from private.line_item_checks')).rowCount).toBe(0)
})

test('one request can create 5,000 items of one transaction, and change the items of many', async () => {
  const one = await transaction(-50)
  const items = Array.from(
    { length: 5000 },
    (_, i) => ({ transaction_id: one, name: `item ${i}`, amount: -0.01 }),
  )
  expect((await mine.post('/line_items', items)).status).toBe(201)
  expect(await mine.post('/line_items', items.slice(0, 1))).toMatchObject(
    tooMuch('-50.01', '-50.00'),
  )
  const many: { id: string }[] = await mine.create(
    'transactions',
    Array.from({ length: 200 }, (_, i) => ({ name: `row ${i}`, amount: -1 })),
  )
  const halves = many.flatMap(({ id }) => [{ transaction_id: id, name: 'half', amount: -0.5 }, {
    transaction_id: id,
    name: 'half',
    amount: -0.4,
  }])
  expect((await mine.post('/line_items', halves)).status).toBe(201)
  expect((await mine.patch('/line_items?name=eq.half', { amount: -0.5 })).status).toBe(204)
  expect(await mine.patch('/line_items?name=eq.half', { amount: -0.51 })).toMatchObject(
    tooMuch('-1.02', '-1.00'),
  )
})

describe('items of a transaction in another currency', () => {
  const shopping = async (currency: string): Promise<string> =>
    (await mine.create('transactions', { name: 'Shopping', amount: 2000, currency })).id
  const refused = (item: string, currency: string) => ({
    status: 400,
    body: {
      code: '23514',
      message:
        `line items violate constraint "line_items_amount_fits_currency": ${item} is not a whole number, but their transaction is in ${currency.toUpperCase()}`,
      hint: expect.stringContaining(
        `whole numbers, because ${currency.toUpperCase()} has no decimals`,
      ) as string,
    },
  })

  test('items of a transaction in another currency must be whole if the currency has no decimals', async () => {
    const transaction_id = await shopping('jpy')
    expect(await mine.post('/line_items', { transaction_id, name: 'Tea', amount: 120.5 }))
      .toMatchObject(refused('120.50', 'jpy'))
    const { id } = await mine.create('line_items', { transaction_id, name: 'Tea', amount: 120 })
    expect(await mine.patch(`/line_items?id=eq.${id}`, { amount: 120.5 })).toMatchObject(
      refused('120.50', 'jpy'),
    )
    expect(await itemsOf(transaction_id)).toEqual([{ name: 'Tea', amount: 120 }])
    const { id: moved } = await mine.create('line_items', {
      transaction_id: await shopping('eur'),
      name: 'Cake',
      amount: 1.5,
    })
    expect(await mine.patch(`/line_items?id=eq.${moved}`, { transaction_id })).toMatchObject(
      refused('1.50', 'jpy'),
    )
  })

  test('items of a transaction in another currency are checked if the transaction changes its currency', async () => {
    const transaction_id = await shopping('eur')
    const { id } = await mine.create('line_items', { transaction_id, name: 'Tea', amount: 1.5 })
    expect(await mine.patch(`/transactions?id=eq.${transaction_id}`, { currency: 'krw' }))
      .toMatchObject(refused('1.50', 'krw'))
    expect((await mine.patch(`/transactions?id=eq.${transaction_id}`, { currency: 'usd' })).status)
      .toBe(204)
    await mine.patch(`/line_items?id=eq.${id}`, { amount: 2 })
    expect((await mine.patch(`/transactions?id=eq.${transaction_id}`, { currency: 'krw' })).status)
      .toBe(204)
  })

  test('items of a transaction in another currency are refused with a third decimal if the currency has three, and rounded if it has two', async () => {
    const transaction_id = await shopping('kwd')
    const message =
      'new row for relation "line_items" violates check constraint "line_items_amount_fits_currency"'
    const loses = {
      status: 400,
      body: {
        code: '23514',
        message,
        hint: expect.stringContaining('a third is rejected') as string,
      },
    }
    expect(await mine.post('/line_items', { transaction_id, name: 'Tea', amount: 1.005 }))
      .toMatchObject(loses)
    expect(
      await mine.post('/line_items', `transaction_id,name,amount\n${transaction_id},Tea,1.005`, {
        'content-type': 'text/csv',
      }),
    ).toMatchObject(loses)
    const { id } = await mine.create('line_items', { transaction_id, name: 'Tea', amount: 1 })
    expect(await mine.patch(`/line_items?id=eq.${id}`, { amount: 1.005 })).toMatchObject(loses)
    const euros = await mine.post('/line_items?select=amount', {
      transaction_id: await shopping('eur'),
      name: 'Tea',
      amount: 1.005,
    }, returning)
    expect(euros.text).toBe('[{"amount":1.01}]')
    expect(await mine.post('/line_items', { transaction_id, name: 'Tea', amount: 1e12 }))
      .toMatchObject({ status: 400, body: { code: '22003' } })
  })
})

describe('a line item of a transfer', () => {
  const refused = {
    status: 400,
    body: {
      code: '22023',
      message: "a line item of a transfer can't have a category",
      hint: expect.stringContaining('neither income nor expense'),
    },
  }
  const halves = async (): Promise<string[]> => {
    const [from, to] = await mine.create('accounts', [{ name: 'Main', type: 'checking' }, {
      name: 'Loan',
      type: 'savings',
    }])
    const { body } = await mine.post('/rpc/create_transfer', {
      from_account_id: from.id,
      to_account_id: to.id,
      amount: 500,
    })
    return body.map(({ id }: { id: string }) => id)
  }

  test("a line item of a transfer can't have a category, because a transfer is not counted by category", async () => {
    const [out = '', into = ''] = await halves()
    const interest: string = (await mine.create('categories', { name: 'Interest' })).id
    const item = (transaction_id: string, more = {}) => ({
      transaction_id,
      name: 'Interest',
      amount: transaction_id === into ? 20 : -20,
      ...more,
    })
    for (const half of [out, into])
      expect(await mine.post('/line_items', item(half, { category_id: interest }))).toMatchObject(
        refused,
      )
    expect(
      await mine.post('/line_items', [
        item(out, { category_id: null }),
        item(out, { category_id: interest }),
      ]),
    ).toMatchObject(refused)
    expect(await itemsOf(out)).toEqual([])
    const { id } = await mine.create('line_items', item(out))
    const at = `/line_items?id=eq.${id}`
    expect(await mine.patch(at, { category_id: interest })).toMatchObject(refused)
    expect(
      await mine.post('/line_items', item(out, { id, category_id: interest }), {
        prefer: 'resolution=merge-duplicates',
      }),
    ).toMatchObject(refused)
    expect(await mine.put(at, { ...item(out), id, category_id: interest })).toMatchObject(refused)
    const other = await mine.create(
      'line_items',
      item(await transaction(-100), { category_id: interest }),
    )
    expect(await mine.patch(`/line_items?id=eq.${other.id}`, { transaction_id: out }))
      .toMatchObject(refused)
    expect((await mine.patch(at, { name: 'What the bank calls interest' })).status).toBe(204)
  })

  test('a line item of a transfer with a category from an older version can be read, and is refused when it is written again', async () => {
    const [out = ''] = await halves()
    const interest: string = (await mine.create('categories', { name: 'Interest' })).id
    const { id } = await mine.create('line_items', {
      transaction_id: out,
      name: 'Interest',
      amount: -20,
    })
    await stack.owner.query('update api.line_items set category_id = $2 where id = $1', [
      id,
      interest,
    ])
    expect((await mine.get(`/line_items?id=eq.${id}&select=category_id`)).body).toEqual([{
      category_id: interest,
    }])
    expect(await mine.patch(`/line_items?id=eq.${id}`, { name: 'x' })).toMatchObject(refused)
    expect((await mine.patch(`/transactions?id=eq.${out}`, { name: 'Mortgage' })).status).toBe(204)
    expect((await mine.patch(`/line_items?id=eq.${id}`, { category_id: null })).status).toBe(204)
  })

  test('a line item of a transfer prevents its transaction from becoming part of a transfer', async () => {
    const { id: category_id } = await mine.create('categories', { name: 'Interest' })
    const id = await transaction(-100)
    await mine.create('line_items', {
      transaction_id: id,
      name: 'Interest',
      amount: -20,
      category_id,
    })
    await expect(
      stack.owner.query(
        'update api.transactions set transfer_id = gen_random_uuid() where id = $1',
        [id],
      ),
    ).rejects.toThrow(refused.body.message)
  })
})

/** Suggested categories, learned from the transactions of a context. */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack

beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

type Suggestion = {
  row_number: number
  transaction_id: string | null
  category_id: string | null
  share: number | null
  seen: number
  because: string
}
const someone = async () => stack.as(await stack.person())
const category = async (caller: Caller, name = 'Food'): Promise<string> =>
  (await caller.create('categories', { name })).id
/** Stores transactions with this category and returns their ids. */
const file = async (
  caller: Caller,
  category_id: string | null,
  names: string[],
  amount = -5,
): Promise<string[]> =>
  (await caller.create(
    'transactions',
    names.map((name, i) => ({
      name,
      amount,
      category_id,
      transaction_date: `2025-01-${String(i + 1).padStart(2, '0')}`,
    })),
  ))
    .map(({ id }: { id: string }) => id)
const suggest = async (
  caller: Caller,
  ...rows: [name: string, amount?: number | string][]
): Promise<Suggestion[]> => {
  const { status, body, text } = await caller.post('/rpc/suggest_categories', {
    p_rows: rows.map(([name, amount = -1]) => ({ name, amount })),
  })
  if (status !== 200) throw new Error(text)
  return body
}

test('suggest_categories suggests the category that at least three transactions of the payee have, with the reason in words and ids', async () => {
  const caller = await someone()
  const food = await category(caller, 'Groceries')
  const ids = await file(caller, food, ['REWE Markt 4711 Berlin', 'rewe markt  berlin 02.01.2025'])
  expect(await suggest(caller, ['REWE MARKT//Berlin 9'])).toEqual([
    {
      row_number: 1,
      transaction_id: null,
      category_id: null,
      share: 1,
      seen: 2,
      because: 'fewer than three transactions with "rewe markt berlin" have the same category',
    },
  ])
  ids.push(...await file(caller, food, ['Rewe-Markt Berlin 2K4TT3']))
  const [one] = await suggest(caller, ['REWE MARKT//Berlin 9'])
  expect(one).toMatchObject({
    category_id: food,
    share: 1,
    seen: 3,
    because: expect.stringContaining(
      '3 of 3 transactions with "rewe markt berlin" are in Groceries',
    ) as string,
  })
  for (const id of ids) expect(one?.because).toContain(id)
  expect(await suggest(caller, ['Tram'])).toEqual([
    {
      row_number: 1,
      transaction_id: null,
      category_id: null,
      share: null,
      seen: 0,
      because: 'no transaction with "tram" has a category yet',
    },
  ])
})

test('suggest_categories suggests nothing where less than four fifths agree, and names up to five of the newest transactions', async () => {
  const caller = await someone()
  const [food, fun] = [await category(caller), await category(caller, 'Fun')]
  await file(caller, fun, ['Kiosk'])
  await file(caller, food, ['Kiosk', 'Kiosk', 'Kiosk'])
  expect(await suggest(caller, ['kiosk'])).toMatchObject([{
    category_id: null,
    share: 0.75,
    seen: 4,
    because: 'only 3 of 4 transactions with "kiosk" have the same category',
  }])
  const newest = await file(caller, food, Array.from({ length: 20 }, () => 'Kiosk'))
  const [one] = await suggest(caller, ['kiosk'])
  expect(one).toMatchObject({ category_id: food, share: 0.9583, seen: 24 })
  expect(one?.because.match(/[0-9a-f-]{36}/g)).toEqual(newest.slice(-5).toReversed())
  await file(caller, fun, ['Kiosk', 'Kiosk', 'Kiosk', 'Kiosk', 'Kiosk'])
  expect(await suggest(caller, ['kiosk'])).toMatchObject([{
    category_id: null,
    share: 0.7931,
    seen: 29,
  }])
})

test('suggest_categories keeps expenses and refunds of a payee apart', async () => {
  const caller = await someone()
  const [food, back] = [await category(caller), await category(caller, 'Refunds')]
  await file(caller, food, ['Shop', 'Shop', 'Shop'], -5)
  expect(await suggest(caller, ['Shop', -5], ['Shop', 5], ['Shop', '0'])).toMatchObject([
    { category_id: food },
    { category_id: null, seen: 0 },
    {
      category_id: null,
      seen: 0,
    },
  ])
  await file(caller, back, ['Shop', 'Shop', 'Shop'], 5)
  expect(await suggest(caller, ['Shop', '-5'], ['Shop', '5.00'])).toMatchObject([{
    category_id: food,
    seen: 3,
  }, { category_id: back, seen: 3 }])
})

test.each([
  ['REWE SAGT DANKE 44123456//Berlin/DE', 'rewe sagt danke berlin de'],
  ['PAYPAL *SPOTIFY P1A2B3C4', 'paypal spotify'],
  ['Shop24 2025-03-01 T10:22', 'shop t'],
  ['Café Müller', 'café müller'],
  ['ИП Иванов 12', 'ип иванов'],
  ['4711', '4711'],
  ['***', '***'],
])('suggest_categories takes %j for the payee "%s"', async (name, payee) => {
  const [one] = await suggest(await someone(), [name])
  expect(one?.because).toBe(`no transaction with "${payee}" has a category yet`)
})

test('suggest_categories answers stored transactions by id, in the order of the request, and a transaction does not learn from itself', async () => {
  const caller = await someone()
  const [food, fun] = [await category(caller), await category(caller, 'Fun')]
  const filed = await file(caller, food, ['Bakery', 'Bakery', 'Bakery'])
  const [open = ''] = await file(caller, null, ['Bakery'])
  const [wrong = ''] = await file(caller, fun, ['Bakery'])
  const { body } = await caller.post('/rpc/suggest_categories', {
    p_transaction_ids: [wrong, open, filed[0], open],
  })
  expect(body).toMatchObject([
    { row_number: 1, transaction_id: wrong, category_id: food, share: 1, seen: 3 },
    { row_number: 2, transaction_id: open, category_id: null, share: 0.75, seen: 4 },
    { row_number: 3, transaction_id: filed[0], category_id: null, seen: 3 },
    { row_number: 4, transaction_id: open },
  ])
  expect(body[0].because).not.toContain(wrong)
})

test('suggest_categories unlearns with an undo, and with any other change', async () => {
  const caller = await someone()
  const food = await category(caller)
  const ids = await file(caller, null, ['Gym', 'Gym', 'Gym'])
  await caller.patch('/transactions?name=eq.Gym', { category_id: food })
  expect(await suggest(caller, ['gym'])).toMatchObject([{ category_id: food }])
  const [{ id }] = (await caller.get('/activity?order=id.desc&limit=1')).body
  await caller.post('/rpc/undo', { p_activity_id: id })
  expect(await suggest(caller, ['gym'])).toMatchObject([{ category_id: null, seen: 0 }])
  await caller.patch('/transactions?name=eq.Gym', { category_id: food })
  await caller.delete(`/transactions?id=eq.${ids[0]}`)
  expect(await suggest(caller, ['gym'])).toMatchObject([{ category_id: null, seen: 2 }])
})

test('suggest_categories learns from the active context and from nobody else, and a viewer may ask', async () => {
  const [ada, bob, stranger] = [await stack.person(), await stack.person(), await someone()]
  const team = await stack.organization({ owner: ada, viewer: bob })
  const [personal, ours, viewer] = [stack.as(ada), stack.as(ada, team), stack.as(bob, team)]
  const [own, shared] = [await category(personal, 'Own'), await category(ours, 'Shared')]
  const [mine = ''] = await file(personal, own, ['Shop', 'Shop', 'Shop', 'Shop'])
  await file(ours, shared, ['Shop', 'Shop', 'Shop'])
  const theirs = await category(stranger)
  const [hidden] = await file(stranger, theirs, Array.from({ length: 9 }, () => 'Shop'))
  expect(await suggest(personal, ['Shop'])).toMatchObject([{ category_id: own, seen: 4 }])
  for (const caller of [ours, viewer])
    expect(await suggest(caller, ['Shop'])).toMatchObject([{ category_id: shared, seen: 3 }])
  expect(await suggest(stack.as(bob), ['Shop'])).toMatchObject([{ category_id: null, seen: 0 }])
  // a personal transaction learns from the personal ones, in each context
  expect((await ours.post('/rpc/suggest_categories', { p_transaction_ids: [mine] })).body)
    .toMatchObject([{ category_id: own, seen: 3 }])
  for (const id of [hidden, randomUUID()]) {
    expect(await ours.post('/rpc/suggest_categories', { p_transaction_ids: [mine, id] }))
      .toMatchObject({ status: 404, body: { code: 'PT404' } })
  }
})

test('suggest_categories does not learn from halves of transfers', async () => {
  const caller = await someone()
  const food = await category(caller)
  const [from, to] = await caller.create(
    'accounts',
    ['a', 'b'].map((name) => ({ name, type: 'checking' })),
  )
  for (let i = 0; i < 3; i += 1)
    await caller.post('/rpc/create_transfer', {
      from_account_id: from.id,
      to_account_id: to.id,
      amount: 5,
      name: 'Savings',
    })
  await caller.patch('/transactions?name=eq.Savings', { category_id: food })
  expect(await suggest(caller, ['Savings'])).toMatchObject([{ category_id: null, seen: 0 }])
})

test.each([
  [{}],
  [{ p_rows: null }],
  [{ p_rows: [] }],
  [{ p_rows: {} }],
  [{ p_rows: ['x'] }],
  [{ p_rows: [{ name: 'x' }] }],
  [{ p_rows: [{ amount: 1 }] }],
  [{ p_rows: [{ name: '', amount: 1 }] }],
  [{ p_rows: [{ name: 'x'.repeat(256), amount: 1 }] }],
  [{ p_rows: [{ name: 5, amount: 1 }] }],
  [{ p_rows: [{ name: 'x', amount: 'NaN' }] }],
  [{ p_rows: [{ name: 'x', amount: 1e300 }] }],
  [{ p_rows: Array.from({ length: 5001 }, () => ({ name: 'x', amount: 1 })) }],
  [{ p_transaction_ids: [] }],
  [{ p_transaction_ids: [null] }],
  [{ p_transaction_ids: ['x'] }],
  [{ p_transaction_ids: [[randomUUID()], [randomUUID()]] }],
  [{ p_transaction_ids: [randomUUID()], p_rows: [{ name: 'x', amount: 1 }] }],
  [{ p_transaction_ids: Array.from({ length: 5001 }, () => randomUUID()) }],
])('suggest_categories is refused with 400 for %j', async (wrong) => {
  expect((await (await someone()).post('/rpc/suggest_categories', wrong)).status).toBe(400)
})

test('suggest_categories agrees with an independent count over random books, each time', async () => {
  const names = fc.constantFrom('Shop A', 'shop-a 12', 'SHOP B', 'Shop b 7', 'Tram')
  const row = fc.record({
    name: names,
    amount: fc.constantFrom(-3, -2, 4),
    filed: fc.constantFrom(null, 0, 1, 1, 1, 1),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
      const caller = await someone()
      const categories = [await category(caller, 'a'), await category(caller, 'b')]
      await caller.create(
        'transactions',
        rows.map(({ name, amount, filed }) => ({
          name,
          amount,
          category_id: filed === null ? null : categories[filed],
        })),
      )
      const payee = (name: string) => name.toLowerCase().replaceAll(/[^a-z]+/g, ' ').trim()
      const expected = rows.map(({ name, amount }) => {
        const alike = rows.filter((one) =>
          one.filed !== null && payee(one.name) === payee(name) &&
          Math.sign(one.amount) === Math.sign(amount)
        )
        const counts = categories.map((_, i) => alike.filter(({ filed }) => filed === i).length)
        const most = Math.max(...counts)
        return {
          seen: alike.length,
          category_id: most >= 3 && most * 5 >= alike.length * 4
            ? categories[counts.indexOf(most)]
            : null,
        }
      })
      const answers = await suggest(
        caller,
        ...rows.map(({ name, amount }): [string, number] => [name, amount]),
      )
      expect(answers.map(({ seen, category_id }) => ({ seen, category_id }))).toEqual(expected)
      expect(
        await suggest(caller, ...rows.map(({ name, amount }): [string, number] => [name, amount])),
      ).toEqual(answers)
    }),
    { numRuns: 25 },
  )
})

test('suggest_categories learns a payee in each normal form of its name', async () => {
  const caller = await someone()
  const food = await category(caller)
  await file(caller, food, [
    'Caf\u00e9 M\u00fcller',
    'Cafe\u0301 Mu\u0308ller',
    'CAFE\u0301 MU\u0308LLER 12',
  ])
  expect(
    (await suggest(caller, ['Cafe\u0301 Mu\u0308ller'], ['caf\u00e9 m\u00fcller']))
      .map(({ category_id }) => category_id),
  ).toEqual([food, food])
})

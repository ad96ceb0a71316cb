/** Rules and suggestions at the import of a file. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack

beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

type Verdict = {
  row_number: number
  verdict: string
  transaction_id: string | null
  rule_id: string | null
  suggested_category_id: string | null
  because: string | null
}
const someone = async () => stack.as(await stack.person())
const category = async (caller: Caller, name = 'Food'): Promise<string> => (await caller.create('categories', { name })).id
const rule = async (caller: Caller, value: string, row: object): Promise<string> =>
  (await caller.create('rules', { name: value, conditions: [{ field: 'name', operation: 'ilike', value: `*${value}*` }], ...row })).id
const send = async (caller: Caller, p_rows: object[], more: object = {}): Promise<Verdict[]> => {
  const { status, body, text } = await caller.post('/rpc/import_transactions', { p_rows, p_source: 'bank', ...more })
  if (status !== 200) throw new Error(text)
  return body
}
const row = (name: string, more: object = {}) => ({ name, amount: -5, transaction_date: '2025-03-01', ...more })
const store = { p_dry_run: false }
const stored = async (caller: Caller, id: string | null) => (await caller.get(`/transactions?id=eq.${id}&select=name,status,category_id,tags(name)`)).body[0]

test('an import applies rules to new rows, as its dry run says, and the verdict names the rule', async () => {
  const caller = await someone()
  const food = await category(caller)
  const [first, second] = [
    await rule(caller, 'rewe', { set_category_id: food, set_name: 'REWE', add_tags: ['shop'] }),
    await rule(caller, 'tram', { set_name: 'TRAM' }),
  ]
  await rule(caller, 'bank', { set_category_id: food, is_active: false })
  const rows = [row('Rewe Markt 12'), row('Bank fee'), row('Tram 5')]
  const dry = await send(caller, rows)
  expect(dry).toMatchObject([
    { verdict: 'new', rule_id: first, suggested_category_id: null, because: 'the rule "rewe" applies' },
    { verdict: 'new', rule_id: null, suggested_category_id: null, because: null },
    { verdict: 'new', rule_id: second, because: 'the rule "tram" applies' },
  ])
  expect((await caller.get('/tags')).body).toEqual([])
  const done = await send(caller, rows, store)
  expect(done.map((one) => ({ ...one, transaction_id: null }))).toEqual(dry)
  expect(await stored(caller, done[0]?.transaction_id ?? null)).toEqual({ name: 'REWE', status: 'paid', category_id: food, tags: [{ name: 'shop' }] })
  expect(await stored(caller, done[1]?.transaction_id ?? null)).toMatchObject({ name: 'Bank fee', category_id: null })
  expect(await stored(caller, done[2]?.transaction_id ?? null)).toMatchObject({ name: 'TRAM', category_id: null })
})

test('an import recognizes a row that a rule has renamed, and takes the later word of the bank on it', async () => {
  const caller = await someone()
  await rule(caller, 'rewe', { set_name: 'REWE', add_tags: ['shop'] })
  const pending = row('Rewe Markt 12', { external_id: 'a', status: 'pending' })
  const [{ transaction_id: id } = {} as Verdict] = await send(caller, [pending], store)
  expect(await send(caller, [pending])).toMatchObject([{ verdict: 'duplicate', transaction_id: id, rule_id: null }])
  expect(await send(caller, [{ ...pending, status: 'paid' }], store)).toMatchObject([{ verdict: 'updated', transaction_id: id }])
  expect(await stored(caller, id)).toEqual({ name: 'REWE', status: 'paid', category_id: null, tags: [{ name: 'shop' }] })
  expect(await send(caller, [{ ...pending, status: 'paid' }])).toMatchObject([{ verdict: 'duplicate' }])
})

test('an import is taken back with what its rules did, by its deletion or an undo', async () => {
  const caller = await someone()
  await rule(caller, 'rewe', { set_name: 'REWE', add_tags: ['shop'] })
  for (const way of ['delete', 'undo', 'tagged']) {
    const [{ transaction_id: id } = {} as Verdict] = await send(caller, [row(`Rewe ${way}`)], { ...store, p_again: true })
    if (way === 'undo') {
      const [{ id: p_activity_id }] = (await caller.get('/activity?order=id.desc&limit=1')).body
      expect((await caller.post('/rpc/undo', { p_activity_id })).status).toBe(200)
    } else {
      const tag = way === 'tagged' ? await caller.create('tags', { name: 'own' }) : undefined
      if (tag !== undefined) await caller.create('transaction_tags', { transaction_id: id, tag_id: tag.id })
      // a tag of the user is a change, the tag of the rule is none
      expect((await caller.delete('/imports?id=not.is.null')).status).toBe(way === 'tagged' ? 409 : 204)
    }
    expect((await caller.get('/transactions')).body).toHaveLength(way === 'tagged' ? 1 : 0)
  }
})

test('an import keeps a category that the request sends, and leaves rows that are no new ones', async () => {
  const caller = await someone()
  const [food, fun] = [await category(caller), await category(caller, 'Fun')]
  await send(caller, [row('Rewe 1')], store)
  const id = await rule(caller, 'rewe', { set_category_id: food })
  const answers = await send(caller, [row('Rewe 1'), row('Rewe 2', { category_id: fun }), row('Rewe 3')], store)
  expect(answers).toMatchObject([{ verdict: 'duplicate', rule_id: null }, { verdict: 'new', rule_id: null }, { verdict: 'new', rule_id: id }])
  expect((await caller.get('/transactions?select=name,category_id&order=name')).body).toEqual([
    { name: 'Rewe 1', category_id: null },
    { name: 'Rewe 2', category_id: fun },
    { name: 'Rewe 3', category_id: food },
  ])
})

test('an import matches by the values that the row will have: its account, day, source and amount', async () => {
  const caller = await someone()
  const account = (await caller.create('accounts', { name: 'Giro', type: 'checking' })).id
  const conditions = [
    ['account_id', 'eq', account],
    ['transaction_date', 'between', ['2025-03-01', '2025-03-01']],
    ['source', 'eq', 'bank'],
    ['amount', 'between', [-5, -4]],
    ['currency', 'eq', 'usd'],
    ['tag', 'is_null', true],
    ['search', 'contains', 'ewe'],
  ].map(([field, operation, value]) => ({ field, operation, value }))
  const { id } = await caller.create('rules', { name: 'all', conditions, set_name: 'x' })
  expect(await send(caller, [row('Rewe'), row('Rewe', { transaction_date: '2025-03-02' })], { p_account_id: account })).toMatchObject([{ rule_id: id }, {
    rule_id: null,
  }])
  expect(await send(caller, [row('Rewe')])).toMatchObject([{ rule_id: null }])
})

test('an import suggests a category where no rule sets one, with the reason, and does not store it', async () => {
  const caller = await someone()
  const food = await category(caller)
  await caller.create('transactions', Array.from({ length: 3 }, () => ({ name: 'Bakery', amount: -3, category_id: food, transaction_date: '2024-01-01' })))
  const named = await rule(caller, 'bakery 7', { set_name: 'Bakery' })
  const rows = [row('BAKERY 12'), row('Bakery 7'), row('Kiosk'), row('Bakery', { category_id: food }), row('Bakery', { amount: 5 })]
  const answers = await send(caller, rows)
  expect(answers).toMatchObject([
    { rule_id: null, suggested_category_id: food, because: expect.stringContaining('3 of 3 transactions of "bakery" are in Food') as string },
    { rule_id: named, suggested_category_id: food, because: expect.stringContaining('the rule "bakery 7" applies; 3 of 3') as string },
    { suggested_category_id: null, because: null },
    { suggested_category_id: null },
    { suggested_category_id: null },
  ])
  const [first] = await send(caller, rows, store)
  expect(first).toMatchObject({ suggested_category_id: food })
  expect(await stored(caller, first?.transaction_id ?? null)).toMatchObject({ category_id: null })
})

test('an import takes the rules of the active context', async () => {
  const ada = await stack.person()
  const [personal, ours] = [stack.as(ada), stack.as(ada, await stack.organization({ owner: ada }))]
  await rule(personal, 'rewe', { set_name: 'mine' })
  const shared = await rule(ours, 'rewe', { set_name: 'ours' })
  expect(await send(ours, [row('Rewe')])).toMatchObject([{ rule_id: shared }])
})

/**
 * What an import of a file does beside its rows: it applies rules, suggests categories, and stores
 * the closing balance of the statement.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const someone = async () => stack.as(await stack.person())
const row = (name: string, more: object = {}) => ({
  name,
  amount: -5,
  transaction_date: '2025-03-01',
  ...more,
})

describe('rules and suggestions', () => {
  type Verdict = {
    row_number: number
    verdict: string
    transaction_id: string | null
    rule_id: string | null
    suggested_category_id: string | null
    because: string | null
  }
  const category = async (caller: Caller, name = 'Food'): Promise<string> =>
    (await caller.create('categories', { name })).id
  const rule = async (caller: Caller, value: string, change: object): Promise<string> =>
    (await caller.create('rules', {
      name: value,
      conditions: [{ field: 'name', operation: 'ilike', value: `*${value}*` }],
      ...change,
    })).id
  const send = async (caller: Caller, p_rows: object[], more: object = {}): Promise<Verdict[]> => {
    const { status, body, text } = await caller.post('/rpc/import_transactions', {
      p_rows,
      p_source: 'bank',
      ...more,
    })
    if (status !== 200) throw new Error(text)
    return body
  }
  const store = { p_dry_run: false }
  const stored = async (caller: Caller, id: string | null) =>
    (await caller.get(`/transactions?id=eq.${id}&select=name,status,category_id,tags(name)`))
      .body[0]

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
      {
        verdict: 'new',
        rule_id: first,
        suggested_category_id: null,
        because: 'the rule "rewe" applies',
      },
      { verdict: 'new', rule_id: null, suggested_category_id: null, because: null },
      { verdict: 'new', rule_id: second, because: 'the rule "tram" applies' },
    ])
    expect((await caller.get('/tags')).body).toEqual([])
    const done = await send(caller, rows, store)
    expect(done.map((one) => ({ ...one, transaction_id: null }))).toEqual(dry)
    expect(await stored(caller, done[0]?.transaction_id ?? null)).toEqual({
      name: 'REWE',
      status: 'paid',
      category_id: food,
      tags: [{ name: 'shop' }],
    })
    expect(await stored(caller, done[1]?.transaction_id ?? null)).toMatchObject({
      name: 'Bank fee',
      category_id: null,
    })
    expect(await stored(caller, done[2]?.transaction_id ?? null)).toMatchObject({
      name: 'TRAM',
      category_id: null,
    })
  })

  test('an import recognizes a row that a rule has renamed, and takes the later word of the bank on it', async () => {
    const caller = await someone()
    await rule(caller, 'rewe', { set_name: 'REWE', add_tags: ['shop'] })
    const pending = row('Rewe Markt 12', { external_id: 'a', status: 'pending' })
    const [{ transaction_id: id } = {} as Verdict] = await send(caller, [pending], store)
    expect(await send(caller, [pending])).toMatchObject([{
      verdict: 'duplicate',
      transaction_id: id,
      rule_id: null,
    }])
    expect(await send(caller, [{ ...pending, status: 'paid' }], store)).toMatchObject([{
      verdict: 'updated',
      transaction_id: id,
    }])
    expect(await stored(caller, id)).toEqual({
      name: 'REWE',
      status: 'paid',
      category_id: null,
      tags: [{ name: 'shop' }],
    })
    expect(await send(caller, [{ ...pending, status: 'paid' }])).toMatchObject([{
      verdict: 'duplicate',
    }])
  })

  test('an import is taken back with what its rules did, by its deletion or an undo', async () => {
    const caller = await someone()
    await rule(caller, 'rewe', { set_name: 'REWE', add_tags: ['shop'] })
    for (const way of ['delete', 'undo', 'tagged']) {
      const [{ transaction_id: id } = {} as Verdict] = await send(caller, [row(`Rewe ${way}`)], {
        ...store,
        p_again: true,
      })
      if (way === 'undo') {
        const [{ id: p_activity_id }] = (await caller.get('/activity?order=id.desc&limit=1')).body
        expect((await caller.post('/rpc/undo', { p_activity_id })).status).toBe(200)
      } else {
        const tag = way === 'tagged' ? await caller.create('tags', { name: 'own' }) : undefined
        if (tag !== undefined)
          await caller.create('transaction_tags', { transaction_id: id, tag_id: tag.id })
        // a tag of the user is a change, the tag of the rule is none
        expect((await caller.delete('/imports?id=not.is.null')).status).toBe(
          way === 'tagged' ? 409 : 204,
        )
      }
      expect((await caller.get('/transactions')).body).toHaveLength(way === 'tagged' ? 1 : 0)
    }
  })

  test('an import keeps a category that the request sends, and leaves rows that are no new ones', async () => {
    const caller = await someone()
    const [food, fun] = [await category(caller), await category(caller, 'Fun')]
    await send(caller, [row('Rewe 1')], store)
    const id = await rule(caller, 'rewe', { set_category_id: food })
    const answers = await send(caller, [
      row('Rewe 1'),
      row('Rewe 2', { category_id: fun }),
      row('Rewe 3'),
    ], store)
    expect(answers).toMatchObject([{ verdict: 'duplicate', rule_id: null }, {
      verdict: 'new',
      rule_id: null,
    }, { verdict: 'new', rule_id: id }])
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
    expect(
      await send(caller, [row('Rewe'), row('Rewe', { transaction_date: '2025-03-02' })], {
        p_account_id: account,
      }),
    ).toMatchObject([{ rule_id: id }, {
      rule_id: null,
    }])
    expect(await send(caller, [row('Rewe')])).toMatchObject([{ rule_id: null }])
  })

  test('an import suggests a category where no rule sets one, with the reason, and does not store it', async () => {
    const caller = await someone()
    const food = await category(caller)
    await caller.create(
      'transactions',
      Array.from(
        { length: 3 },
        () => ({ name: 'Bakery', amount: -3, category_id: food, transaction_date: '2024-01-01' }),
      ),
    )
    const named = await rule(caller, 'bakery 7', { set_name: 'Bakery' })
    const rows = [
      row('BAKERY 12'),
      row('Bakery 7'),
      row('Kiosk'),
      row('Bakery', { category_id: food }),
      row('Bakery', { amount: 5 }),
    ]
    const answers = await send(caller, rows)
    expect(answers).toMatchObject([
      {
        rule_id: null,
        suggested_category_id: food,
        because: expect.stringContaining('3 of 3 transactions with "bakery" are in Food') as string,
      },
      {
        rule_id: named,
        suggested_category_id: food,
        because: expect.stringContaining('the rule "bakery 7" applies; 3 of 3') as string,
      },
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
    const [personal, ours] = [
      stack.as(ada),
      stack.as(ada, await stack.organization({ owner: ada })),
    ]
    await rule(personal, 'rewe', { set_name: 'mine' })
    const shared = await rule(ours, 'rewe', { set_name: 'ours' })
    expect(await send(ours, [row('Rewe')])).toMatchObject([{ rule_id: shared }])
  })
})

describe('an import with p_balance and p_balance_on', () => {
  const account = async (caller: Caller, more: object = {}): Promise<string> =>
    (await caller.create('accounts', { name: 'Bank', type: 'checking', ...more })).id
  const send = (caller: Caller, p_account_id: string | null, more: object = {}) =>
    caller.post('/rpc/import_transactions', {
      p_rows: [row('Tram')],
      p_account_id,
      p_dry_run: false,
      p_balance: 95,
      p_balance_on: '2025-03-31',
      ...more,
    })
  const balances = async (caller: Caller) =>
    (await caller.get('/balances?select=account_id,on_date,balance,source&order=on_date')).body
  const undoLast = async (caller: Caller) => {
    const [{ id: p_activity_id }] = (await caller.get('/activity?order=id.desc&limit=1')).body
    return caller.post('/rpc/undo', { p_activity_id })
  }

  test('an import with p_balance and p_balance_on stores the balance of the statement, which get_reconciliation compares with the rows', async () => {
    const caller = await someone()
    const bank = await account(caller, { balance: 100 })
    expect(await send(caller, bank, { p_dry_run: true })).toMatchObject({
      status: 200,
      body: [{ verdict: 'new' }],
    })
    expect(await balances(caller)).toEqual([])
    expect((await send(caller, bank)).status).toBe(200)
    expect(await balances(caller)).toEqual([{
      account_id: bank,
      on_date: '2025-03-31',
      balance: 95,
      source: 'statement',
    }])
    expect((await caller.get(`/rpc/get_reconciliation?p_account_id=${bank}`)).body).toEqual([
      { on_date: '2025-03-31', stated: 95, computed: 95, difference: 0, transactions: 1 },
    ])
  })

  test('an import with p_balance and p_balance_on stores it once, also when all rows are known, and records nothing the second time', async () => {
    const caller = await someone()
    const bank = await account(caller)
    await send(caller, bank, { p_balance: null, p_balance_on: null })
    await caller.patch('/transactions?name=eq.Tram', { description: 'mine' })
    expect((await send(caller, bank)).body).toMatchObject([{ verdict: 'duplicate' }])
    expect(await balances(caller)).toHaveLength(1)
    const [{ id }] = (await caller.get('/activity?order=id.desc&limit=1')).body
    expect((await send(caller, bank)).status).toBe(200)
    expect((await caller.get('/activity?order=id.desc&limit=1')).body).toMatchObject([{
      id,
      table_name: 'balances',
    }])
  })

  test.each(['undo', 'deletion'])(
    'an import with p_balance and p_balance_on takes the balance back by its %s, and the undo of that stores it again',
    async (way) => {
      const caller = await someone()
      const bank = await account(caller)
      await send(caller, bank)
      const stored = await balances(caller)
      expect(
        (await (way === 'undo' ? undoLast(caller) : caller.delete('/imports?id=not.is.null')))
          .status,
      ).toBe(way === 'undo' ? 200 : 204)
      expect(await balances(caller)).toEqual([])
      expect((await undoLast(caller)).status).toBe(200)
      expect(await balances(caller)).toEqual(stored)
      expect((await caller.delete('/imports?id=not.is.null')).status).toBe(204)
      expect(await balances(caller)).toEqual([])
    },
  )

  test.each([['undo', 'manual'], ['deletion', 'manual'], ['undo', 'statement'], [
    'deletion',
    'statement',
  ]])(
    'replaces another balance of that day, and its %s restores the %s one',
    async (way, source) => {
      const caller = await someone()
      const bank = await account(caller)
      await caller.create('balances', {
        account_id: bank,
        on_date: '2025-03-31',
        balance: 80,
        source,
      })
      const former = await balances(caller)
      await send(caller, bank)
      expect(await balances(caller)).toMatchObject([{ balance: 95, source: 'statement' }])
      expect(
        (await (way === 'undo' ? undoLast(caller) : caller.delete('/imports?id=not.is.null')))
          .status,
      ).toBe(way === 'undo' ? 200 : 204)
      expect(await balances(caller)).toEqual(former)
    },
  )

  test('an import with p_balance and p_balance_on of an idle month stores the balance without a row, and a dry run stores none', async () => {
    const caller = await someone()
    const bank = await account(caller, { balance: 95 })
    expect(await send(caller, bank, { p_rows: [], p_dry_run: true })).toMatchObject({
      status: 200,
      body: [],
    })
    expect(await balances(caller)).toEqual([])
    for (let time = 0; time < 2; time++)
      expect(await send(caller, bank, { p_rows: [] })).toMatchObject({ status: 200, body: [] })
    expect(await balances(caller)).toEqual([{
      account_id: bank,
      on_date: '2025-03-31',
      balance: 95,
      source: 'statement',
    }])
    expect((await caller.get('/imports')).body).toEqual([])
    expect((await undoLast(caller)).status).toBe(200)
    expect(await balances(caller)).toEqual([])
    const refused = [
      [{ p_balance: null, p_balance_on: null }, 'p_rows must be an array of 1 to 5000 rows'],
      [{ p_balance_on: null }, 'p_balance and p_balance_on must be sent together'],
      [{ p_account_id: null }, 'p_balance needs p_account_id'],
    ] as const
    for (const [more, message] of refused)
      expect(await send(caller, bank, { p_rows: [], ...more })).toMatchObject({
        status: 400,
        body: { message },
      })
  })

  test('an import with p_balance and p_balance_on keeps a balance that a user has changed since, when the import is deleted', async () => {
    const caller = await someone()
    const bank = await account(caller)
    await send(caller, bank)
    await caller.patch('/balances?on_date=eq.2025-03-31', { balance: 96 })
    expect((await caller.delete('/imports?id=not.is.null')).status).toBe(204)
    expect(await balances(caller)).toMatchObject([{ balance: 96 }])
  })

  test.each<[{ currency?: string } & Record<string, unknown>, string, unknown]>([
    [{ p_balance: null }, '22023', 'p_balance and p_balance_on must be sent together'],
    [{ p_balance_on: null }, '22023', 'p_balance and p_balance_on must be sent together'],
    [{ p_account_id: null }, '22023', 'p_balance needs p_account_id'],
    [{ p_balance_on: '2025-02-30' }, '22023', "p_balance_on is not a date: '2025-02-30'"],
    [{ p_balance: 'NaN' }, '22023', 'p_balance is not a valid balance: NaN'],
    [{ p_balance: 1e12 }, '22023', 'p_balance is not a valid balance: 1000000000000'],
    [
      { p_balance: 1.5, currency: 'jpy' },
      '23514',
      expect.stringContaining('balances_balance_fits_currency'),
    ],
    [
      { p_balance: 1.234, currency: 'kwd' },
      '23514',
      expect.stringContaining('balances_balance_fits_currency'),
    ],
  ])(
    'an import with p_balance and p_balance_on with %j is 400, also as a dry run, and stores nothing',
    async ({ currency = 'eur', ...more }, code, message) => {
      const caller = await someone()
      const bank = await account(caller, { currency })
      for (const p_dry_run of [true, false]) {
        expect(await send(caller, bank, { ...more, p_dry_run })).toMatchObject({
          status: 400,
          body: { code, message, hint: expect.stringMatching(/./) },
        })
      }
      expect([await balances(caller), (await caller.get('/transactions')).body]).toEqual([[], []])
    },
  )

  test('an import with p_balance and p_balance_on stores no balance if one row is invalid', async () => {
    const caller = await someone()
    const bank = await account(caller)
    expect((await send(caller, bank, { p_rows: [row('')] })).status).toBe(400)
    expect(await balances(caller)).toEqual([])
  })

  test('an import with p_balance and p_balance_on of a team is stored by an editor for the team, and refused for a viewer', async () => {
    const [owner, editor, viewer] = [
      await stack.person(),
      await stack.person(),
      await stack.person(),
    ]
    const team = await stack.organization({ owner, editor, viewer })
    const bank = await account(stack.as(owner, team))
    expect((await send(stack.as(viewer, team), bank)).status).toBe(403)
    expect((await send(stack.as(editor, team), bank)).status).toBe(200)
    expect((await stack.as(viewer, team).get('/balances?select=balance,organization_id')).body)
      .toEqual([{ balance: 95, organization_id: team.id }])
    expect((await stack.as(owner, team).delete('/imports?id=not.is.null')).status).toBe(204)
    expect(await balances(stack.as(owner, team))).toEqual([])
  })
})

/** Stated balances, their comparison with the transactions, and set_balance. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { plusDays } from '../money/days.ts'
import { dataStack, returning, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack

beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const newCaller = async (): Promise<Caller> => stack.as(await stack.person())
const account = async (caller: Caller, row: object = {}): Promise<string> =>
  (await caller.create('accounts', { name: 'Bank', type: 'checking', ...row })).id
const booked = (
  caller: Caller,
  account_id: string,
  amount: number,
  transaction_date: string,
  row: object = {},
) => caller.create('transactions', { name: 'x', amount, account_id, transaction_date, ...row })
const stated = (
  caller: Caller,
  account_id: string,
  on_date: string,
  balance: number,
  row: object = {},
) => caller.create('balances', { account_id, on_date, balance, ...row })
const reconciliation = async (caller: Caller, id: string) => {
  const { status, body } = await caller.get(`/rpc/get_reconciliation?p_account_id=${id}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const setBalance = (caller: Caller, p_account_id: string, p_balance: unknown, p_on_date?: string) =>
  caller.post('/rpc/set_balance', {
    p_account_id,
    p_balance,
    ...(p_on_date === undefined ? {} : { p_on_date }),
  })
/** The editor and the viewer of a new team, and its account. */
const newTeam = async () => {
  const [owner, editor, viewer] = [await stack.person(), await stack.person(), await stack.person()]
  const team = await stack.organization({ owner, editor, viewer })
  return {
    team,
    editor: stack.as(editor, team),
    viewer: stack.as(viewer, team),
    owner: stack.as(owner, team),
  }
}

test('a stated balance is one per account and day, of a statement or entered by hand, and moves no money', async () => {
  const carla = await newCaller()
  const bank = await account(carla, { balance: 100 })
  expect(await stated(carla, bank, '2025-01-31', 250.5)).toMatchObject({
    source: 'manual',
    balance: 250.5,
    organization_id: null,
  })
  expect(await carla.post('/balances', { account_id: bank, on_date: '2025-01-31', balance: 1 }))
    .toMatchObject({ status: 409, body: { code: '23505' } })
  const merged = await carla.post('/balances?on_conflict=account_id,on_date', {
    account_id: bank,
    on_date: '2025-01-31',
    balance: 7,
    source: 'statement',
  }, {
    prefer: 'resolution=merge-duplicates,return=representation',
  })
  expect(merged.body).toMatchObject([{ balance: 7, source: 'statement' }])
  expect((await carla.get('/accounts?select=current_balance')).body).toEqual([{
    current_balance: 100,
  }])
})

test('a stated balance is deleted with its account, and comes back with the undo', async () => {
  const carla = await newCaller()
  const bank = await account(carla)
  await stated(carla, bank, '2025-01-31', 5)
  await carla.delete(`/accounts?id=eq.${bank}`)
  expect((await carla.get('/balances')).body).toEqual([])
  const { body: [{ id }] } = await carla.get('/activity?order=id.desc&limit=1')
  expect((await carla.post('/rpc/undo', { p_activity_id: id })).status).toBe(200)
  expect((await carla.get('/balances?select=balance')).body).toEqual([{ balance: 5 }])
})

test("a stated balance belongs to its account's context and currency", async () => {
  const { team, owner } = await newTeam()
  const carla = await newCaller()
  const bank = await account(owner)
  expect(await carla.post('/balances', { account_id: bank, on_date: '2025-01-31', balance: 1 }))
    .toMatchObject({ status: 409, body: { code: '23503' } })
  expect(await stated(owner, bank, '2025-01-31', 1)).toMatchObject({ organization_id: team.id })
  const personal = await account(owner, { organization_id: null })
  expect(
    (await owner.post('/balances', { account_id: personal, on_date: '2025-01-31', balance: 1 }))
      .status,
  ).toBe(409)
  expect(
    (await owner.post('/balances', {
      account_id: personal,
      on_date: '2025-01-31',
      balance: 1,
      organization_id: null,
    })).status,
  ).toBe(201)
  const yen = await account(carla, { currency: 'jpy' })
  expect(await carla.post('/balances', { account_id: yen, on_date: '2025-01-31', balance: 1.5 }))
    .toMatchObject({ status: 400, body: { code: '23514' } })
  await stated(carla, yen, '2025-01-31', 2)
  expect(await carla.patch(`/accounts?id=eq.${yen}`, { currency: 'usd' })).toMatchObject({
    status: 400,
    body: { code: '22023', message: 'the account has statement balances in JPY' },
  })
})

test('a stated balance is readable and not writable for a viewer', async () => {
  const { editor, viewer } = await newTeam()
  const bank = await account(editor)
  const { id } = await stated(editor, bank, '2025-01-31', 3)
  expect((await viewer.get('/balances?select=balance')).body).toEqual([{ balance: 3 }])
  expect(await viewer.patch(`/balances?id=eq.${id}`, { balance: 4 }, returning)).toMatchObject({
    status: 403,
    body: { code: '42501' },
  })
  expect(await viewer.delete(`/balances?id=eq.${id}`, returning)).toMatchObject({ status: 403 })
  expect(await setBalance(viewer, bank, 10)).toMatchObject({ status: 403, body: { code: '42501' } })
  expect(await reconciliation(viewer, bank)).toHaveLength(1)
})

test.each([
  [{ balance: 1e12 }, '22003'],
  [{ balance: 'NaN' }, '23514'],
  [{ on_date: '1899-12-31' }, '23514'],
  [{ source: 'bank' }, '23514'],
  [{ balance: null }, '23502'],
])('a stated balance with %j is 400', async (row, code) => {
  const carla = await newCaller()
  const body = { account_id: await account(carla), on_date: '2025-01-31', balance: 1, ...row }
  expect(await carla.post('/balances', body)).toMatchObject({
    status: 400,
    body: { code, hint: expect.stringMatching(/./) },
  })
})

test('get_reconciliation shows stated and computed balance, the difference, and the number of transactions since the row before', async () => {
  const carla = await newCaller()
  const bank = await account(carla, { balance: 100 })
  await booked(carla, bank, -10, '2024-12-31')
  await booked(carla, bank, 50, '2025-01-31')
  await booked(carla, bank, 1, '2025-02-01')
  await booked(carla, bank, 2, '2025-02-28', { status: 'pending' })
  await booked(carla, bank, 3, '2025-03-15')
  await stated(carla, bank, '2025-03-31', 150, { source: 'statement' })
  await stated(carla, bank, '2025-01-31', 140)
  await stated(carla, bank, '2025-02-28', 141)
  expect(await reconciliation(carla, bank)).toEqual([
    { on_date: '2025-01-31', stated: 140, computed: 140, difference: 0, transactions: 2 },
    { on_date: '2025-02-28', stated: 141, computed: 141, difference: 0, transactions: 1 },
    { on_date: '2025-03-31', stated: 150, computed: 144, difference: 6, transactions: 1 },
  ])
})

test('get_reconciliation counts the opening balance from opened_on on, and days in the time zone of the request', async () => {
  const carla = await newCaller()
  const bank = await account(carla, { balance: 100, opened_on: '2025-02-01' })
  await booked(carla, bank, 5, '2025-01-31T23:30:00Z')
  await stated(carla, bank, '2025-01-31', 5)
  await stated(carla, bank, '2025-02-01', 105)
  expect(await reconciliation(carla, bank)).toMatchObject([{ computed: 5, transactions: 1 }, {
    computed: 105,
    transactions: 0,
  }])
  const { body } = await carla.get(`/rpc/get_reconciliation?p_account_id=${bank}`, {
    prefer: 'timezone=Europe/Berlin',
  })
  expect(body).toMatchObject([{ computed: 0, transactions: 0 }, { computed: 105, transactions: 1 }])
})

test('get_reconciliation is empty without stated balances, and 404 for an account of another user', async () => {
  const carla = await newCaller()
  const bank = await account(carla)
  expect(await reconciliation(carla, bank)).toEqual([])
  expect(await (await newCaller()).post('/rpc/get_reconciliation', { p_account_id: bank }))
    .toMatchObject({ status: 404, body: { code: 'PT404' } })
})

test('set_balance books one transaction of the difference, states the balance, and returns the transaction', async () => {
  const carla = await newCaller()
  const bank = await account(carla, { balance: 100, currency: 'eur' })
  await booked(carla, bank, -30, '2025-01-15')
  expect(await setBalance(carla, bank, 65.5, '2025-01-31')).toMatchObject({
    status: 200,
    body: {
      account_id: bank,
      amount: -4.5,
      currency: 'eur',
      status: 'paid',
      booked_on: '2025-01-31',
      source: 'balance',
    },
  })
  expect(await reconciliation(carla, bank)).toEqual([{
    on_date: '2025-01-31',
    stated: 65.5,
    computed: 65.5,
    difference: 0,
    transactions: 2,
  }])
})

test('set_balance gives the transaction the name that the app has for it in the language of its user', async () => {
  const carla = await newCaller()
  const p_account_id = await account(carla)
  const named = (p_balance: number, p_name: string | null) =>
    carla.post('/rpc/set_balance', { p_account_id, p_balance, p_name })
  expect((await named(5, 'Saldokorrektur')).body).toMatchObject({
    name: 'Saldokorrektur',
    amount: 5,
  })
  expect((await named(6, null)).body).toMatchObject({ name: 'Balance adjustment', amount: 1 })
  expect(await named(7, '')).toMatchObject({ status: 400, body: { code: '23514' } })
})

test('set_balance returns null without a difference, so that a repetition books nothing', async () => {
  const carla = await newCaller()
  const bank = await account(carla)
  expect((await setBalance(carla, bank, 1000)).body).toMatchObject({ amount: 1000 })
  const again = await setBalance(carla, bank, 1000)
  expect([again.status, again.body]).toEqual([200, null])
  expect((await carla.get('/transactions?select=amount')).body).toEqual([{ amount: 1000 }])
  expect((await carla.get('/accounts?select=current_balance')).body).toEqual([{
    current_balance: 1000,
  }])
})

test('set_balance of several devices at once ends at the balance, with one transaction', async () => {
  const { editor, owner } = await newTeam()
  const bank = await account(editor, { balance: 400 })
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) => setBalance(at % 2 === 0 ? editor : owner, bank, 1000)),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(answers.filter(({ body }) => body !== null)).toHaveLength(1)
  expect((await owner.get('/transactions?select=amount')).body).toEqual([{ amount: 600 }])
  expect((await owner.get('/balances?select=balance,source')).body).toEqual([{
    balance: 1000,
    source: 'manual',
  }])
})

test("set_balance keeps a statement's row with the same balance, and replaces another one", async () => {
  const carla = await newCaller()
  const bank = await account(carla)
  await stated(carla, bank, '2025-01-31', 9, { source: 'statement' })
  await setBalance(carla, bank, 9, '2025-01-31')
  expect((await carla.get('/balances?select=balance,source')).body).toEqual([{
    balance: 9,
    source: 'statement',
  }])
  await setBalance(carla, bank, 10, '2025-01-31')
  expect((await carla.get('/balances?select=balance,source')).body).toEqual([{
    balance: 10,
    source: 'manual',
  }])
})

test('set_balance is taken back as a whole by one undo', async () => {
  const { editor } = await newTeam()
  const bank = await account(editor, { balance: 4 })
  await setBalance(editor, bank, 10)
  const { body: [{ id }] } = await editor.get('/activity?order=id.desc&limit=1')
  expect(await editor.post('/rpc/undo', { p_activity_id: id })).toMatchObject({ status: 200 })
  expect((await editor.get('/transactions')).body).toEqual([])
  expect((await editor.get('/balances')).body).toEqual([])
})

test.each([
  [null, undefined, /p_balance is not a valid balance/],
  ['NaN', undefined, /p_balance is not a valid balance/],
  [1e12, undefined, /p_balance is not a valid balance/],
  [5, '2025-02-30', /p_on_date is not a date/],
  [5, '2199-01-01', /p_on_date is in the future/],
])(
  'set_balance refuses the balance %j on %s with 400, and stores nothing',
  async (balance, day, message) => {
    const carla = await newCaller()
    const { status, body } = await setBalance(carla, await account(carla), balance, day)
    expect([status, body.code]).toEqual([400, '22023'])
    expect(body.message).toMatch(message)
    expect((await carla.get('/balances')).body).toEqual([])
  },
)

test('set_balance refuses decimals that the currency does not have, and an account of another user', async () => {
  const carla = await newCaller()
  expect(await setBalance(carla, await account(carla, { currency: 'jpy' }), 1.5)).toMatchObject({
    status: 400,
    body: { code: '23514' },
  })
  expect(await setBalance(await newCaller(), await account(carla), 5)).toMatchObject({
    status: 404,
    body: { code: 'PT404' },
  })
  expect((await carla.get('/transactions')).body).toEqual([])
})

test('set_balance of a past day leaves later transactions as they are', async () => {
  const carla = await newCaller()
  const bank = await account(carla)
  await booked(carla, bank, 50, '2025-03-01')
  await setBalance(carla, bank, 20, plusDays('2025-03-01', -1))
  expect((await carla.get('/accounts?select=current_balance')).body).toEqual([{
    current_balance: 70,
  }])
})

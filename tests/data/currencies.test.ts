/**
 * A row has an existing currency, and its amount has at most the decimals of that currency (two are
 * stored at most).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { financeError } from '../../client/errors.ts'
import {
  dataStack,
  returning,
  type Account,
  type Answer,
  type Caller,
  type DataStack,
} from '../support/data.ts'
import { samples } from '../support/tables.ts'

let data: DataStack
let account: Account
let ann: Caller
beforeAll(async () => {
  data = await dataStack()
  account = await data.person('ann')
  ann = data.as(account)
})
afterAll(() => data.stop())

const error = ({ status, body }: Answer) => financeError(body, status)
const row = async (table: string) => await samples[table]?.row(ann, {}) ?? {}
/** Each column with a currency, and the column of its amount. */
const columns: [table: string, currency: string, amount?: string][] = [
  ['transactions', 'currency', 'amount'],
  ['accounts', 'currency', 'balance'],
  ['subscriptions', 'currency', 'amount'],
  ['budgets', 'currency', 'amount'],
  ['categories', 'budget_currency', 'monthly_budget'],
  ['exchange_rates', 'base'],
  ['exchange_rates', 'quote'],
]

test('a code of ISO 4217 is accepted in either case, including codes with 0, 2, 3 and 4 decimals', async () => {
  const { rows } = await data.owner.query<{ code: string, decimals: number }>(
    'select code, private.currency_decimals(code) as decimals from unnest(private.currency_codes()) as code order by code',
  )
  expect(
    Object.fromEntries(
      rows.filter(({ code }) => ['jpy', 'eur', 'kwd', 'clf'].includes(code))
        .map(({ code, decimals }) => [code, decimals]),
    ),
  )
    .toEqual({ jpy: 0, eur: 2, kwd: 3, clf: 4 })
  const stored = await ann.create(
    'transactions',
    rows.map(({ code }, i) => ({
      name: code,
      amount: 1,
      currency: i % 2 === 0 ? code.toUpperCase() : code,
    })),
  )
  expect((stored as { currency: string }[]).map(({ currency }) => currency)).toEqual(
    rows.map(({ code }) => code),
  )
})

test.each(columns)(
  'a code that does not exist is refused in %s.%s, and the hint says what is accepted',
  async (table, currency) => {
    for (const none of ['xyz', 'XXX', 'xau', 'euo']) {
      expect(error(await ann.post(`/${table}`, { ...await row(table), [currency]: none })))
        .toMatchObject({
          status: 400,
          code: '23514',
          message:
            `new row for relation "${table}" violates check constraint "${table}_${currency}_known"`,
          fields: [currency],
          hint: expect.stringContaining('ISO 4217 code, such as usd, eur or jpy') as string,
        })
    }
    const caller = data.as(await data.person())
    const stored = await caller.create(table, await samples[table]?.row(caller, {}))
    expect(error(await caller.patch(`/${table}?id=eq.${stored.id}`, { [currency]: 'xyz' })))
      .toMatchObject({ code: '23514', fields: [currency] })
  },
)

test('a code of two letters violates the format constraint, as before', async () => {
  expect(error(await ann.post('/transactions', { name: 'Coffee', amount: 1, currency: 'us' })))
    .toMatchObject({
      code: '23514',
      message:
        'new row for relation "transactions" violates check constraint "transactions_currency_form"',
      hint: expect.stringContaining('ISO 4217 code') as string,
    })
})

describe('an amount', () => {
  test.each(columns.filter(([, , amount]) => amount !== undefined))(
    'of a currency without decimals must be whole: %s',
    async (table, currency, amount = '') => {
      const fits = await ann.create(table, {
        ...await row(table),
        [currency]: 'JPY',
        [amount]: 1500,
      })
      expect(fits).toMatchObject({ [currency]: 'jpy', [amount]: 1500 })
      const refused = {
        status: 400,
        code: '23514',
        message:
          `new row for relation "${table}" violates check constraint "${table}_${amount}_fits_currency"`,
        fields: [amount, currency],
        hint: expect.stringContaining('it must be a whole number') as string,
      }
      expect(
        error(
          await ann.post(`/${table}`, { ...await row(table), [currency]: 'jpy', [amount]: 1500.5 }),
        ),
      ).toMatchObject(refused)
      expect(error(await ann.patch(`/${table}?id=eq.${fits.id}`, { [amount]: 0.01 })))
        .toMatchObject(refused)
      // The amount stays, and the new currency has no decimals.
      const euros = await ann.create(table, {
        ...await row(table),
        [currency]: 'eur',
        [amount]: 12.5,
      })
      expect(error(await ann.patch(`/${table}?id=eq.${euros.id}`, { [currency]: 'krw' })))
        .toMatchObject(refused)
      const both = await ann.patch(`/${table}?id=eq.${euros.id}`, {
        [currency]: 'krw',
        [amount]: 18_000,
      }, returning)
      expect(both.body).toMatchObject([{ [currency]: 'krw', [amount]: 18_000 }])
    },
  )

  const ofThree = columns.filter(([, , amount]) => amount !== undefined)
  test.each(ofThree)(
    'an amount with a third decimal, of a currency with three, is refused instead of rounded: %s',
    async (table, currency, amount = '') => {
      const refused = {
        status: 400,
        code: '23514',
        message:
          `new row for relation "${table}" violates check constraint "${table}_${amount}_fits_currency"`,
        fields: [amount, currency],
        hint: expect.stringContaining(
          'In a currency with 3 decimals, such as kwd, a third is rejected',
        ) as string,
      }
      const fits = { ...await row(table), [currency]: 'KWD', [amount]: 1.23 }
      const loses = { ...fits, [amount]: 1.234 }
      expect(error(await ann.post(`/${table}`, loses))).toMatchObject(refused)
      expect(error(await ann.post(`/${table}`, [fits, loses]))).toMatchObject(refused)
      const csv = [Object.keys(loses), Object.values(loses)].map((cells) => cells.join(',')).join(
        '\n',
      )
      expect(error(await ann.post(`/${table}`, csv, { 'content-type': 'text/csv' }))).toMatchObject(
        refused,
      )

      const stored = await ann.create(table, fits)
      expect(error(await ann.patch(`/${table}?id=eq.${stored.id}`, { [amount]: 1.005 })))
        .toMatchObject(refused)
      const upsert = { prefer: 'resolution=merge-duplicates' }
      expect(error(await ann.post(`/${table}`, { ...stored, [amount]: 1.005 }, upsert)))
        .toMatchObject(refused)
      expect((await ann.get(`/${table}?id=eq.${stored.id}&select=${currency},${amount}`)).body)
        .toEqual([{ [currency]: 'kwd', [amount]: 1.23 }])
      // If both change, the new currency applies to the new amount.
      expect(
        (await ann.patch(
          `/${table}?id=eq.${stored.id}`,
          { [amount]: 1.005, [currency]: 'usd' },
          returning,
        )).body,
      ).toMatchObject([{ [amount]: 1.01 }])
    },
  )

  test('an amount of a currency with three or four decimals may have the rounding error of floating-point numbers', async () => {
    const stored = await ann.create('transactions', [
      { name: 'a', amount: 0.1 + 0.2, currency: 'bhd' },
      { name: 'b', amount: '1.230', currency: 'kwd' },
      { name: 'c', amount: 2.1, currency: 'clf' },
    ])
    expect((stored as { amount: number }[]).map(({ amount }) => amount)).toEqual([0.3, 1.23, 2.1])
    expect(
      error(await ann.post('/transactions', { name: 'd', amount: 2.1234, currency: 'clf' })).code,
    ).toBe('23514')
  })

  test("an amount is checked against the account's currency if the row names none", async () => {
    const { id: account_id } = await ann.create('accounts', {
      name: 'Gulf',
      type: 'cash',
      currency: 'kwd',
    })
    expect(error(await ann.post('/transactions', { name: 'Tea', amount: 0.125, account_id })))
      .toMatchObject({ code: '23514', fields: ['amount', 'currency'] })
  })

  test('an amount of a transfer must not have a third decimal either', async () => {
    const [dinars, more, dollars] = (await ann.create(
      'accounts',
      ['kwd', 'kwd', 'usd'].map((currency) => ({ name: currency, type: 'cash', currency })),
    )) as {
      id: string
    }[]
    const refused = { code: '23514', fields: ['amount', 'currency'] }
    const between = (from?: { id: string }, to?: { id: string }) => ({
      from_account_id: from?.id,
      to_account_id: to?.id,
    })
    expect(
      error(await ann.post('/rpc/create_transfer', { ...between(dinars, more), amount: 1.005 })),
    ).toMatchObject(refused)
    expect(
      error(
        await ann.post('/rpc/create_transfer', {
          ...between(dinars, dollars),
          amount: 1.005,
          to_amount: 3,
        }),
      ),
    ).toMatchObject(refused)
    expect(
      error(
        await ann.post('/rpc/create_transfer', {
          ...between(dollars, dinars),
          amount: 3,
          to_amount: 1.005,
        }),
      ),
    ).toMatchObject(refused)
    const { body } = await ann.post('/rpc/create_transfer', {
      ...between(dollars, dinars),
      amount: 3.005,
      to_amount: 1,
    })
    expect((body as { amount: number }[]).map(({ amount }) => amount)).toEqual([-3.01, 1])
  })
})

describe('an amount of two decimals', () => {
  const written = async (table: string, amount: string, sent: unknown) =>
    (await ann.post(
      `/${table}?select=${amount}`,
      { ...await row(table), [amount]: sent },
      returning,
    )).text

  test.each(columns.flatMap(([table, , amount]) => amount === undefined ? [] : [[table, amount]]))(
    'is printed with both, and rounded half away from zero: %s.%s',
    async (table, amount) => {
      for (
        const [sent, printed] of [
          [5, '5.00'],
          [12.5, '12.50'],
          ['1e3', '1000.00'],
          [2.005, '2.01'],
          ['0.004999', '0.00'],
          [
            999_999_999_999.99,
            '999999999999.99',
          ],
        ]
      )
        expect(await written(table, amount, sent)).toBe(`[{"${amount}":${printed}}]`)
    },
  )

  test('an amount of two decimals rounds a third decimal away from zero, also for negative amounts, in each way to write', async () => {
    const amounts = [0.1 + 0.2, 10.005, -10.005, -0.01, -2.005]
    const [{ id }, ...rest] = await ann.create(
      'transactions',
      amounts.map((amount) => ({ name: 'Tea', amount })),
    )
    expect(rest.map(({ amount }: { amount: number }) => amount)).toEqual([
      10.01,
      -10.01,
      -0.01,
      -2.01,
    ])
    expect(
      (await ann.patch(`/transactions?id=eq.${id}&select=amount`, { amount: -7 }, returning)).text,
    ).toBe('[{"amount":-7.00}]')
  })

  test('an amount of two decimals is printed with both decimals if none is sent', async () => {
    expect(
      (await ann.post('/accounts?select=balance', { name: 'Giro', type: 'checking' }, returning))
        .text,
    ).toBe('[{"balance":0.00}]')
    expect((await ann.post('/categories?select=monthly_budget', { name: 'Rent' }, returning)).text)
      .toBe('[{"monthly_budget":null}]')
  })

  test.each(columns.flatMap(([table, , amount]) => amount === undefined ? [] : [[table, amount]]))(
    'stays below a million million, and is a number: %s.%s',
    async (table, amount) => {
      for (const sent of [1e12, -1e12, 999_999_999_999.995, '1e131000', 'Infinity', '-Infinity']) {
        expect(error(await ann.post(`/${table}`, { ...await row(table), [amount]: sent })))
          .toMatchObject({
            status: 400,
            code: '22003',
            message: 'numeric field overflow',
            hint: expect.stringContaining(`${amount}: `) as string,
          })
      }
      expect(error(await ann.post(`/${table}`, { ...await row(table), [amount]: 'NaN' })))
        .toMatchObject({ status: 400, code: '23514', fields: [amount] })
    },
  )
})

test('a row from before these checks keeps its currency while other columns change, and cannot change to another invalid one', async () => {
  const { rows: [old] } = await data.owner.query<{ id: string }>(
    `insert into api.transactions (name, amount, currency, user_id) values ('Old', 1.5, 'xyz', $1), ('Yen', 1.5, 'jpy', $1) returning id`,
    [account.id],
  )
  expect(
    (await ann.patch('/transactions?name=in.(Old,Yen)', { description: 'kept' }, returning)).body,
  ).toMatchObject([
    { currency: 'xyz', description: 'kept' },
    { currency: 'jpy', description: 'kept' },
  ])
  expect(error(await ann.patch(`/transactions?id=eq.${old?.id}`, { currency: 'abc' })).code).toBe(
    '23514',
  )
  expect((await ann.patch(`/transactions?id=eq.${old?.id}`, { currency: 'eur' })).status).toBe(204)
})

test('a report with a target currency accepts the code in either case, as rows do', async () => {
  const caller = data.as(await data.person())
  await caller.create('transactions', { name: 'Croissant', amount: -2.4, currency: 'EUR' })
  const p_filters = [{ field: 'currency', operation: 'eq', value: 'EUR' }]
  expect((await caller.post('/rpc/get_transaction_stat', { p_filters })).body).toBe(-2.4)
  expect((await caller.post('/rpc/get_filtered_transactions', { filters: p_filters })).body)
    .toHaveLength(1)
  expect((await caller.get('/rpc/get_cash_flow?periods=1&p_currency=EUR')).body).toMatchObject([{
    currency: 'eur',
    expenses: 2.4,
  }])
})

test('a report with a target currency refuses a code that does not exist', async () => {
  const refused = {
    status: 400,
    body: { code: '22023', hint: expect.stringContaining('ISO 4217') },
  }
  expect(await ann.get('/rpc/get_cash_flow?p_currency=zzz')).toMatchObject(refused)
  expect(await ann.get('/rpc/get_budget_comparison?p_currency=zzz')).toMatchObject(refused)
  expect(
    await ann.post('/rpc/get_transaction_distribution_by_category', {
      params: { filters: { currency: 'zzz' } },
    }),
  ).toMatchObject(refused)
})

test('a subscription has the currency of the account that pays it', async () => {
  const { id } = await ann.create('accounts', { name: 'Giro', type: 'checking', currency: 'eur' })
  const insurance = { title: 'Insurance', amount: 120, period: 'yearly', account_id: id }
  expect(await ann.post('/subscriptions', insurance)).toMatchObject({
    status: 400,
    body: { message: 'the account is in EUR, but the recurring item is in USD' },
  })
  await ann.create('subscriptions', { ...insurance, currency: 'eur' })
  expect((await ann.patch(`/subscriptions?account_id=eq.${id}`, { currency: 'usd' })).status).toBe(
    400,
  )
})

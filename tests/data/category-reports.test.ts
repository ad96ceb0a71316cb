/**
 * Reports by category: the parts of split transactions, refunds and conversions. The expected numbers
 * are computed by hand.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'
import { aggregateOf, distributionOf, statOf, storeBooks, table, where } from './report-books.ts'

let stack: DataStack
let ada: Caller
let ids: Record<string, string>
beforeAll(async () => {
  stack = await dataStack()
  ada = stack.as(await stack.person('ada'))
  ids = await storeBooks(ada)
})
afterAll(() => stack.stop())

const stat = (body: Record<string, unknown>, prefer?: string) => statOf(ada, body, prefer)
const aggregate = (body: Record<string, unknown>, prefer?: string) => aggregateOf(ada, body, prefer)
const distribution = (params: Record<string, unknown>, prefer?: string) =>
  distributionOf(ada, params, prefer)

const byName = ([one]: unknown[], [other]: unknown[]) => String(one).localeCompare(String(other))

describe('by category', () => {
  test("a split transaction counts once: its items in their own categories, the rest in the transaction's category", async () => {
    expect(table(await distribution({}))).toEqual([
      [null, 'eur', 3000, 1],
      // 25, and 900 less 20.
      ['Home', 'eur', -905, 3],
      // The refund has no remainder.
      ['Food', 'eur', -64.99, 1],
      ['Fun', 'eur', -10.01, 1],
      // The hotel has no remainder either, so Food has no dollars.
      ['Fun', 'usd', -80.5, 1],
      [null, 'usd', -0.05, 1],
    ])
  })

  test('a refund lowers the expenses of its category, and without a category the sign decides', async () => {
    expect(table(await distribution({ filters: { transaction_type: 'income' } }))).toEqual([[
      null,
      'eur',
      3000,
      1,
    ]])
    expect(table(await distribution({ filters: { transaction_type: 'expense', currency: 'EUR' } })))
      .toEqual([['Home', 'eur', -905, 3], ['Food', 'eur', -64.99, 1], ['Fun', 'eur', -10.01, 1]])
  })

  test('an average is over the transactions that have a part in the category', async () => {
    const groups = await aggregate({ p_group_by: 'category', p_aggregate_fn: 'avg' })
    expect(groups.find(({ name }) => name === 'Home')).toMatchObject({ value: -301.67, count: 3 })
  })

  test('a filter on a category returns only its parts, and only currencies that have one', async () => {
    const of = (name: string) => [where('category_id', ids[name])]
    expect(await stat({ p_filters: of('Food') })).toBe(-64.99)
    expect(await stat({ p_filters: of('Home') })).toBe(-905)
    expect(await stat({ p_filters: of('Home'), p_aggregate_fn: 'count' })).toBe(3)
    expect(await stat({ p_filters: of('Home'), p_aggregate_fn: 'avg' })).toBe(-301.67)
    expect(await stat({ p_filters: [...of('Fun'), where('currency', 'usd')] })).toBe(-80.5)
    expect(table(await aggregate({ p_filters: of('Home'), p_group_by: 'month' }))).toEqual([[
      '2025-01-01',
      'eur',
      -5,
      2,
    ], ['2025-02-01', 'eur', -900, 1]])
  })

  test('a purchase that is split over two categories counts once if both are selected, and once in each group', async () => {
    const caller = stack.as(await stack.person())
    const [home, food, fun] = await caller.create('categories', [
      { name: 'Home' },
      { name: 'Food' },
      { name: 'Fun' },
    ])
    const [split, whole] = await caller.create('transactions', [
      { name: 'Market', amount: -10, category_id: home.id, transaction_date: '2025-03-05' },
      { name: 'Bread', amount: -3.32, category_id: food.id, transaction_date: '2025-03-06' },
    ])
    await caller.create(
      'line_items',
      [[-3.33, food.id], [-3.33, fun.id]].map(([amount, category_id]) => ({
        transaction_id: split.id,
        name: 'x',
        amount,
        category_id,
      })),
    )
    const of = (
      ...categories: { id: string }[]
    ) => [{ field: 'category_id', operation: 'in', value: categories.map(({ id }) => id) }]
    const numbers = async (p_filters: unknown) => {
      const statistic = (p_aggregate_fn: string) =>
        caller.post('/rpc/get_transaction_stat', { p_filters, p_aggregate_fn })
      return [
        (await statistic('sum')).body,
        (await statistic('count')).body,
        (await statistic('avg')).body,
      ]
    }
    expect(await numbers([...of(food, fun), where('id', split.id)])).toEqual([-6.66, 1, -6.66])
    expect(await numbers(of(food, fun))).toEqual([-9.98, 2, -4.99])
    expect(await numbers(of(fun))).toEqual([-3.33, 1, -3.33])
    expect(await numbers(of(home, food, fun))).toEqual([-13.32, 2, -6.66])
    const groups = async (p_group_by: string) =>
      table(
        (await caller.post('/rpc/get_transaction_aggregate', {
          p_filters: of(food, fun),
          p_group_by,
          p_aggregate_fn: 'avg',
        })).body,
      )
    expect(await groups('month')).toEqual([['2025-03-01', 'usd', -4.99, 2]])
    expect((await groups('category')).toSorted(byName)).toEqual([['Food', 'usd', -3.33, 2], [
      'Fun',
      'usd',
      -3.33,
      1,
    ]])
    // All of it is in the two categories, and nothing in home.
    await caller.create('line_items', {
      transaction_id: split.id,
      name: 'x',
      amount: -3.34,
      category_id: fun.id,
    })
    expect(await numbers(of(home))).toEqual([0, 0, 0])
    expect(await numbers(of(home, fun))).toEqual([-6.67, 1, -6.67])
    expect(await numbers(of(home, food, fun))).toEqual([-13.32, 2, -6.66])
    expect(whole.category_id).toBe(food.id)
  })

  test('a converted split without a remainder leaves none: the largest part absorbs the rounding', async () => {
    const caller = stack.as(await stack.person())
    const [none, one, other, large] = await caller.create(
      'categories',
      ['None', 'One', 'Other', 'Large'].map((name) => ({ name })),
    )
    const { id: transaction_id } = await caller.create('transactions', {
      name: 'Market',
      amount: -10,
      currency: 'eur',
      category_id: none.id,
      transaction_date: '2025-03-05',
    })
    await caller.create(
      'line_items',
      [[-3.33, one.id], [-3.33, other.id], [-3.34, large.id]].map(([amount, category_id]) => ({
        transaction_id,
        name: 'x',
        amount,
        category_id,
      })),
    )
    await caller.create('exchange_rates', {
      on_date: '2025-01-01',
      base: 'eur',
      quote: 'usd',
      rate: 1.05,
    })
    // 3.4965 is 3.50 twice, and 3.507 would be 3.51: a cent too much.
    const parts = [['Large', 'usd', -3.5, 1], ['One', 'usd', -3.5, 1], ['Other', 'usd', -3.5, 1]]
    expect(
      table(
        (await caller.post('/rpc/get_transaction_distribution_by_category', {
          params: { p_convert_to: 'usd' },
        })).body,
      ),
    ).toEqual(parts)
    for (const p_aggregate_fn of ['sum', 'avg']) {
      const groups = await caller.post('/rpc/get_transaction_aggregate', {
        p_group_by: 'category',
        p_aggregate_fn,
        p_convert_to: 'usd',
      })
      expect(table(groups.body).toSorted(byName)).toEqual(parts)
    }
    const p_filters = [where('category_id', none.id)]
    expect(
      (await caller.post('/rpc/get_transaction_aggregate', { p_filters, p_convert_to: 'usd' }))
        .body,
    ).toEqual([])
    expect(
      (await caller.post('/rpc/get_transaction_stat', { p_filters, p_convert_to: 'usd' })).body,
    ).toBe(0)
  })

  describe('a transaction whose parts have different signs', () => {
    const books = async (
      amount: number,
      items: [number, string | null][],
      values: Record<string, unknown> = {},
    ) => {
      const caller = stack.as(await stack.person())
      const created = await caller.create('categories', [
        { name: 'Electronics', kind: 'expense' },
        { name: 'Groceries', kind: 'expense' },
        { name: 'Refunds', kind: 'income' },
      ])
      const idOf = (name: string | null) =>
        created.find((one: { name: string }) => one.name === name)?.id ?? null
      const { id: transaction_id } = await caller.create('transactions', {
        name: 'Store',
        amount,
        transaction_date: '2025-03-05',
        ...values,
      })
      await caller.create(
        'line_items',
        items.map(([part, category]) => ({
          transaction_id,
          name: 'x',
          amount: part,
          category_id: idOf(category),
        })),
      )
      const parts = async (filters = {}, more = {}) =>
        table(
          (await caller.post('/rpc/get_transaction_distribution_by_category', {
            params: { filters, ...more },
          })).body,
        ).toSorted(byName)
      const count = async (p_transaction_type: string) =>
        (await caller.post('/rpc/get_transaction_stat', {
          p_aggregate_fn: 'count',
          p_transaction_type,
        })).body
      const flow = async () => {
        const { body } = await caller.get(
          '/rpc/get_cash_flow?grouping=yearly&p_from=2025-01-01&p_to=2025-12-31',
        )
        return body.map((
          { income, expenses, net }: Record<string, number>,
        ) => [income, expenses, net])
      }
      return { caller, parts, count, flow }
    }

    test('by category a transaction whose parts have different signs has each part in its category with its own sign', async () => {
      const { parts, flow } = await books(-85, [[-60, 'Groceries'], [-40, 'Electronics'], [
        15,
        'Electronics',
      ]])
      expect(await parts()).toEqual([['Electronics', 'usd', -25, 1], ['Groceries', 'usd', -60, 1]])
      expect(await flow()).toEqual([[0, 85, -85]])
    })

    test('by category a transaction whose parts have different signs is income less deductions on a pay slip', async () => {
      const { parts, count, flow } = await books(2300, [[3000, 'Refunds'], [-700, 'Groceries']])
      expect(await parts()).toEqual([['Groceries', 'usd', -700, 1], ['Refunds', 'usd', 3000, 1]])
      expect([await count('income'), await count('expense'), await count('balance')]).toEqual([
        1,
        1,
        1,
      ])
      expect(await flow()).toEqual([[3000, 700, 2300]])
    })

    test('by category a transaction whose parts have different signs keeps what remains in its own category, also with the other sign', async () => {
      const { parts, flow } = await books(-85, [[-100, 'Groceries'], [15, null]])
      expect(await parts()).toEqual(
        [['Groceries', 'usd', -100, 1], ['null', 'usd', 15, 1]].map((
          [name, ...rest],
        ) => [name === 'null' ? null : name, ...rest]),
      )
      // the coupon lowers the expenses
      expect(await flow()).toEqual([[0, 85, -85]])
    })

    test('by category a transaction whose parts have different signs has no part in a category whose items add up to 0', async () => {
      const { parts } = await books(-10, [[-10, 'Groceries'], [-60, 'Electronics'], [
        60,
        'Electronics',
      ]])
      expect(await parts()).toEqual([['Groceries', 'usd', -10, 1]])
    })

    test('by category a transaction whose parts have different signs can be 0', async () => {
      const { caller, parts, count, flow } = await books(0, [[-60, 'Groceries'], [60, 'Refunds']])
      expect(await parts()).toEqual([['Groceries', 'usd', -60, 1], ['Refunds', 'usd', 60, 1]])
      expect(await flow()).toEqual([[60, 60, 0]])
      expect([await count('income'), await count('expense')]).toEqual([1, 1])
      await caller.create('budgets', {
        category_id: (await caller.get('/categories?name=eq.Groceries')).body[0].id,
        month: '2025-03-01',
        amount: 100,
      })
      const budget = await caller.get(
        '/rpc/get_budget_comparison?start_date=2025-03-01&end_date=2025-03-31',
      )
      expect(budget.body).toMatchObject([{ budget: 100, actual: 60, difference: 40 }])
    })

    test('by category a transaction whose parts have different signs of 0 has what remains without a category on the side of its sign', async () => {
      const { parts, count, flow } = await books(0, [[-60, 'Groceries'], [40, 'Refunds'], [
        20,
        null,
      ]])
      expect(await parts({ transaction_type: 'income' })).toEqual(
        [['Refunds', 'usd', 40, 1], [null, 'usd', 20, 1]].toSorted(byName),
      )
      expect(await parts({ transaction_type: 'expense' })).toEqual([['Groceries', 'usd', -60, 1]])
      expect([await count('income'), await count('expense')]).toEqual([1, 1])
      expect(await flow()).toEqual([[60, 60, 0]])
    })

    test('by category a transaction whose parts have different signs is converted part by part to its converted total', async () => {
      const { caller, parts } = await books(-10, [[-13.33, 'Groceries'], [3.33, 'Electronics']], {
        currency: 'eur',
      })
      await caller.create('exchange_rates', {
        on_date: '2025-01-01',
        base: 'eur',
        quote: 'usd',
        rate: 1.05,
      })
      // 3.4965 is 3.50, and 13.9965 would be 14.00, which is also the rest of 10.50.
      expect(await parts({}, { p_convert_to: 'usd' })).toEqual([['Electronics', 'usd', 3.5, 1], [
        'Groceries',
        'usd',
        -14,
        1,
      ]])
    })
  })

  test('an average in yen has no decimals', async () => {
    const caller = stack.as(await stack.person())
    await caller.create(
      'transactions',
      [-1000, -1001, -1001].map((amount) => ({ name: 'Sushi', amount, currency: 'jpy' })),
    )
    expect((await caller.post('/rpc/get_transaction_stat', { p_aggregate_fn: 'avg' })).body).toBe(
      -1001,
    )
    expect(
      (await caller.post('/rpc/get_transaction_aggregate', {
        p_aggregate_fn: 'avg',
        p_group_by: 'currency',
      })).body,
    ).toMatchObject([{ value: -1001 }])
  })

  test("an item without a category, or with the transaction's own, changes nothing", async () => {
    const caller = stack.as(await stack.person())
    const [one, other] = await caller.create('categories', [{ name: 'One' }, { name: 'Other' }])
    const { id: transaction_id } = await caller.create('transactions', {
      name: 'x',
      amount: -5,
      category_id: one.id,
    })
    await caller.create(
      'line_items',
      [[-5, one.id], [0, other.id]].map(([amount, category_id]) => ({
        transaction_id,
        name: 'x',
        amount,
        category_id,
      })),
    )
    const { body } = await caller.post('/rpc/get_transaction_distribution_by_category', {
      params: {},
    })
    expect(table(body)).toEqual([['One', 'usd', -5, 1]])
  })

  test('the result is the same for few items and for many', async () => {
    const owner = await stack.person('owner')
    const caller = stack.as(owner, await stack.organization({ owner }))
    const [food, home] = await caller.create('categories', [{ name: 'Food' }, { name: 'Home' }])
    const { id: transaction_id } = await caller.create('transactions', {
      name: 'Wholesale',
      amount: -1200,
      category_id: food.id,
    })
    const add = (count: number) =>
      caller.create(
        'line_items',
        Array.from(
          { length: count },
          () => ({ transaction_id, name: 'Box', amount: -1, category_id: home.id }),
        ),
      )
    const parts = async () =>
      table(
        (await caller.post('/rpc/get_transaction_distribution_by_category', { params: {} })).body,
      )
    await add(1000)
    expect(await parts()).toEqual([['Home', 'usd', -1000, 1], ['Food', 'usd', -200, 1]])
    await add(200)
    expect(await parts()).toEqual([['Home', 'usd', -1200, 1]])
  })
})

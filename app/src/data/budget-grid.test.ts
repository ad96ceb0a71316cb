import { describe, expect, test } from 'vitest'
import { addMonths } from '../locale/months.ts'
import {
  type BudgetSources,
  cellOf,
  gridRows,
  monthsAround,
  limitOf,
  totalOf,
} from './budget-grid.ts'

const food = { category_id: 'food', currency: 'eur' }
const none: BudgetSources = { budgets: [], past: [], categories: [] }
const category = { id: 'food', monthly_budget: 300, budget_currency: 'eur' }
const every = { ...food, month: null, amount: 250, rollover: true }
const november = { ...food, month: '2026-11-01', amount: 200, rollover: false }

describe('the budget of a month', () => {
  test.each<[string, BudgetSources, number | null]>([
    ['is its limit row', { budgets: [every, november], past: [], categories: [category] }, 200],
    [
      'is otherwise the row for every month',
      { budgets: [every], past: [], categories: [category] },
      250,
    ],
    ['is otherwise the amount of the category', { ...none, categories: [category] }, 300],
    ['is not the amount of another currency', {
      ...none,
      categories: [{ ...category, budget_currency: 'usd' }],
    }, null],
    ['is the former one before a change', {
      ...none,
      budgets: [every],
      past: [{ ...food, amount: 90, rollover: false, until: '2026-12-01' }],
    }, 90],
    ['is the one after a change that was earlier', {
      ...none,
      budgets: [every],
      past: [{ ...food, amount: 90, rollover: false, until: '2026-11-01' }],
    }, 250],
    ['is none if there was none before a change', {
      ...none,
      budgets: [every],
      past: [{ ...food, amount: null, rollover: false, until: '2026-12-01' }],
    }, null],
  ])('%s', (_, sources, amount) => {
    expect(limitOf(food, '2026-11-01', sources)?.amount ?? null).toBe(amount)
  })

  test('the budget of a month is the oldest of several former ones that holds for the month', () => {
    const past = [['2026-12-01', 3], ['2026-09-01', 1], ['2026-10-01', 2]]
      .map(([until, amount]) => ({
        ...food,
        until: String(until),
        amount: Number(amount),
        rollover: false,
      }))
    expect(
      ['2026-08-01', '2026-09-01', '2026-10-01'].map((month) =>
        limitOf(food, month, { ...none, past })?.amount
      ),
    ).toEqual([1, 2, 3])
  })
})

test('a cell tells the carried amount from the budget of the month', () => {
  const compared = [{ ...food, budget: 270.1, actual: 120.05, difference: 150.05, pending: 0 }]
  expect(cellOf(food, '2026-12-01', compared, { ...none, budgets: [every] })).toMatchObject({
    carried: 20.1,
    budget: 270.1,
    spent: 120.05,
    left: 150.05,
  })
})

test('a month in which nothing was budgeted and nothing was spent has no cell', () => {
  expect(cellOf(food, '2026-12-01', [], none)).toBeNull()
})

test('the rows are in the order of the categories, one for each currency', () => {
  const rows = gridRows([{ id: 'rent' }, { id: 'food' }, { id: 'fun' }], [[food], [{
    ...food,
    currency: 'chf',
  }, { category_id: 'rent', currency: 'eur' }]])
  expect(rows.map((row) => [row.category.id, row.currency])).toEqual([['rent', 'eur'], [
    'food',
    'chf',
  ], ['food', 'eur']])
})

test('the sums of a month are exact to the cent', () => {
  const cell = { limit: null, carried: 0.1, budget: 0.1, spent: 0.2, left: -0.1 }
  expect(totalOf([cell, cell, cell])).toEqual({ budget: 0.3, spent: 0.6, left: -0.3, carried: 0.3 })
})

test('a wide grid ends with the coming month, and a narrow one with the chosen month', () => {
  expect([1, 2, 4].map((count) => monthsAround('2026-11-01', count, addMonths))).toEqual([
    ['2026-11-01'],
    ['2026-10-01', '2026-11-01'],
    ['2026-09-01', '2026-10-01', '2026-11-01', '2026-12-01'],
  ])
})

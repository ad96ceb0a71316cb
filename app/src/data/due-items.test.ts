import { expect, test } from 'vitest'
import { type DueTransaction, dueItems, monthOfItems, sumOfItems } from './due-items.ts'

const due = (
  title: string,
  due_on: string,
  amount: number,
  kind = 'expense',
  is_recorded = false,
) => ({
  subscription_id: title,
  title,
  due_on,
  amount,
  currency: 'eur',
  kind,
  is_recorded,
})
const stored = (
  name: string,
  due_on: string,
  amount: number,
  values: Partial<DueTransaction> = {},
): DueTransaction => ({
  id: name,
  name,
  due_on,
  amount,
  currency: 'eur',
  status: 'paid',
  transfer_id: null,
  booked_on: due_on,
  transaction_date: `${due_on}T00:00:00Z`,
  ...values,
})

test('a recorded day has the amount and the day of its transaction, and is there once', () => {
  const items = dueItems([due('Rent', '2026-11-01', 900, 'expense', true)], [
    stored('Rent', '2026-11-01', -910, { booked_on: '2026-11-02' }),
  ], '2026-11-20')
  expect(items).toMatchObject([{
    title: 'Rent',
    day: '2026-11-01',
    amount: -910,
    state: 'paid',
    bookedOn: '2026-11-02',
  }])
})

test('a day without a transaction is due from today on, and late before', () => {
  const items = dueItems(
    [
      due('Gym', '2026-11-19', 30),
      due('Pay', '2026-11-20', 2000, 'income'),
      due('Saving', '2026-11-21', 100, 'transfer'),
    ],
    [],
    '2026-11-20',
  )
  expect(items.map(({ title, amount, state }) => [title, amount, state])).toEqual([
    ['Gym', -30, 'late'],
    ['Pay', 2000, 'due'],
    ['Saving', 100, 'due'],
  ])
})

test('the items of a day are in the order of their names', () => {
  expect(
    dueItems([due('B', '2026-11-02', 1), due('C', '2026-11-01', 1)], [
      stored('A', '2026-11-02', -1),
    ], '2026-11-01').map(({ title }) => title),
  ).toEqual([
    'C',
    'A',
    'B',
  ])
})

test('transfers and failed payments are in no sum, and each currency has its own', () => {
  const items = dueItems(
    [due('Rent', '2026-11-20', 900.1), due('Saving', '2026-11-20', 100, 'transfer'), {
      ...due('Host', '2026-11-20', 5),
      currency: 'usd',
    }],
    [
      stored('Pay', '2026-11-20', 2000.2),
      stored('Gym', '2026-11-20', -30, { status: 'failed' }),
      stored('To savings', '2026-11-20', -50, { transfer_id: 't' }),
    ],
    '2026-11-20',
  )
  expect(sumOfItems(items)).toMatchObject([{ currency: 'usd', sum: -5 }, {
    currency: 'eur',
    sum: 1100.1,
  }])
  expect(monthOfItems(items)).toEqual([
    { currency: 'usd', income: 0, expenses: -5, open: -5 },
    { currency: 'eur', income: 2000.2, expenses: -900.1, open: -900.1 },
  ])
})

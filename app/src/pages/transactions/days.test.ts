/** Days of the list, with their sums. */
import { expect, test } from 'vitest'
import { daysOfRows } from './days.ts'

const row = (id: string, day: string, amount: number, more: object = {}) => ({
  id,
  booked_on: null,
  transaction_date: `${day}T00:00:00Z`,
  amount,
  currency: 'eur',
  status: 'paid' as const,
  transfer_id: null,
  ...more,
})

const rows = [
  row('a', '2025-11-21', -10),
  row('b', '2025-11-21', -0.1, { currency: 'usd' }),
  row('c', '2025-11-21', -400, { transfer_id: 't' }),
  row('d', '2025-11-21', -7, { status: 'failed' }),
  row('e', '2025-11-20', 3_000, { booked_on: '2025-11-20' }),
]

test('the first row of a day has the sums of the day, without transfers and failed rows', () => {
  expect([...daysOfRows(rows, false)]).toEqual([
    ['a', {
      day: '2025-11-21',
      sums: [{ currency: 'eur', count: 1, sum: -10 }, { currency: 'usd', count: 1, sum: -0.1 }],
    }],
    ['e', { day: '2025-11-20', sums: [{ currency: 'eur', count: 1, sum: 3_000 }] }],
  ])
})

test('the last day has no sum while more rows may follow', () => {
  expect(daysOfRows(rows, true).get('e')?.sums).toBe(null)
  expect(daysOfRows(rows, true).get('a')?.sums).not.toBe(null)
})

test('the bank’s booking day is the day of a row', () => {
  expect(daysOfRows([row('a', '2025-11-21', -1, { booked_on: '2025-11-19' })], false).get('a')?.day)
    .toBe('2025-11-19')
})

test('without sums the days are still there', () => {
  expect([...daysOfRows(rows, false, false).values()]).toEqual([{ day: '2025-11-21', sums: null }, {
    day: '2025-11-20',
    sums: null,
  }])
})

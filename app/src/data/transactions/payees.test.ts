import { expect, test } from 'vitest'
import { payeesOf, usualOf } from './payees.ts'

const row = (
  name: string,
  amount: number,
  category: string | null,
  account: string | null = null,
) => ({
  name,
  amount,
  category_id: category,
  account_id: account,
})

const latest = [
  row('Bakery', -3, 'gift', 'cash'),
  row('Rent', -900, 'home'),
  row('Bakery', -5, 'food', 'giro'),
  row('bakery', -4, 'food', 'cash'),
]

test('the most frequent payees are first, then the latest', () => {
  expect(payeesOf([row('Bus', -1, null), ...latest])).toEqual(['Bakery', 'Bus', 'Rent', 'bakery'])
})

test('a payee has its most frequent category and account, and its latest amount', () => {
  expect(usualOf(latest, 'BAKERY ')).toEqual({
    amount: -3,
    category_id: 'food',
    account_id: 'cash',
  })
  expect(usualOf(latest, 'Bak')).toBeUndefined()
})

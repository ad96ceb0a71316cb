import { expect, test } from 'vitest'
import { type Due, itemsOf, type Judged, ruleTextOf } from './inbox-items.ts'
import type { Transaction } from './transactions/api.ts'

let number = 0
const judged = (
  name: string,
  amount: number,
  day: string,
  account: string | null = 'giro',
  categoryId: string | null = null,
): Judged => ({
  row: {
    id: `${++number}`,
    name,
    amount,
    currency: 'eur',
    booked_on: day,
    account_id: account,
    line_items: [],
    tags: [],
  } as unknown as Transaction,
  payee: name.toLowerCase(),
  categoryId,
  reason: categoryId === null
    ? { kind: 'new', payee: name }
    : { kind: 'seen', agreeing: 3, seen: 3, payee: name, category: categoryId },
})
const due = (title: string, amount: number, day: string, kind = 'expense'): Due => ({
  subscription_id: title,
  title,
  due_on: day,
  amount,
  currency: 'eur',
  kind,
  category_id: null,
})
const found = (rows: readonly Judged[], days: readonly Due[] = []) =>
  itemsOf(rows, days).map(({ kind, rows: of }) =>
    `${kind}: ${of.map(({ name }) => name).join(', ')}`
  )

test('a transfer is two opposite amounts in two accounts within five days, and the nearest day wins', () => {
  const out = judged('To savings', -50, '2025-03-05')
  expect(
    found([
      out,
      judged('In late', 50, '2025-03-09', 'savings'),
      judged('In', 50, '2025-03-06', 'savings'),
    ]),
  ).toEqual([
    'transfer: To savings, In',
    'payee: In late',
  ])
  expect(found([out, judged('Same account', 50, '2025-03-05')])).toEqual([
    'payee: To savings',
    'payee: Same account',
  ])
  expect(found([out, judged('Six days', 50, '2025-03-11', 'savings')])).toHaveLength(2)
  expect(found([out, judged('Without account', 50, '2025-03-05', null)])).toHaveLength(2)
})

test('a match has the name, a near day and a similar amount of a due day', () => {
  const days = [due('Rent flat', 900, '2025-03-01')]
  expect(found([judged('RENT MARCH', -900, '2025-03-03')], days)).toEqual(['match: RENT MARCH'])
  expect(found([judged('Rent', -950, '2025-03-03')], days)).toEqual(['match: Rent'])
  expect(found([judged('Rent', -1200, '2025-03-03')], days)).toEqual(['payee: Rent'])
  expect(found([judged('Rent', -900, '2025-03-12')], days)).toEqual(['payee: Rent'])
  expect(found([judged('Rent', 900, '2025-03-01')], days)).toEqual(['payee: Rent'])
  expect(
    found([judged('Salary', 3000, '2025-03-01')], [due('Salary', 3000, '2025-03-01', 'income')]),
  ).toEqual(['match: Salary'])
})

test('rows of a payee are together, suggestions are first, and refunds are apart', () => {
  const rows = [
    judged('Rewe', -1, '2025-03-01'),
    judged('Tram', -2, '2025-03-01', 'giro', 'fares'),
    judged('Rewe', -3, '2025-03-02'),
    judged('Rewe', 9, '2025-03-03'),
  ]
  expect(found(rows)).toEqual(['payee: Tram', 'payee: Rewe, Rewe', 'payee: Rewe'])
})

test('a rule looks for the words before a number', () => {
  expect(
    [
      'REWE Markt 0815 Köln',
      'Amazon.de*2K3',
      '1und1 Telecom',
      'A very long name of a shop',
      'CARD 4417 BLUE CUP COFFEE',
      'PAYPAL *SPOTIFY',
      'Card 12',
    ].map(
      ruleTextOf,
    ),
  ).toEqual([
    'REWE Markt',
    'Amazon.de',
    '1und1 Telecom',
    'A very long',
    'BLUE CUP COFFEE',
    'SPOTIFY',
    'Card',
  ])
})

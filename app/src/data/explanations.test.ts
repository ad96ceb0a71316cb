import { expect, test } from 'vitest'
import type { Reconciliation } from './balances.ts'
import { explanationsOf, startOf } from './explanations.ts'
import type { Transaction } from './transactions/api.ts'

const row = (id: string, amount: number, day = '2025-03-05', more: Partial<Transaction> = {}) =>
  ({
    id,
    name: id,
    amount,
    booked_on: day,
    status: 'paid',
    transfer_id: null,
    ...more,
  }) as Transaction
const pending = (id: string, amount: number) => row(id, amount, '2025-03-06', { status: 'pending' })
const found = (difference: number, rows: Transaction[]) =>
  explanationsOf(difference, rows).map((one) =>
    `${one.kind} ${'rows' in one ? one.rows.map(({ id }) => id).join(' ') : one.row.id}${
      'amount' in one ? ` ${one.amount}` : ''
    }`
  )

test('rows that the bank has booked meanwhile, one or all of them', () => {
  expect(found(-20, [pending('Bread', -20), pending('Milk', -5)])).toEqual(['pending Bread'])
  expect(found(-25, [pending('Bread', -20), pending('Milk', -5)])).toEqual(['pending Bread Milk'])
  expect(found(-7, [pending('Bread', -20), pending('Milk', -5)])).toEqual([])
})

test('a payment that is there twice within five days, where the later one is the copy', () => {
  expect(found(12.5, [row('Book', -12.5, '2025-03-01'), row('Copy', -12.5, '2025-03-06')])).toEqual(
    ['twice Copy'],
  )
  expect(found(12.5, [row('Book', -12.5, '2025-03-01'), row('Another', -12.5, '2025-03-07')]))
    .toEqual(['extra Book', 'extra Another'])
})

test('a sign or two digits that are wrong', () => {
  expect(found(40, [row('Refund', -20)])).toEqual(['sign Refund 20'])
  expect(found(-9, [row('Shoes', -45), row('Hat', -30)])).toEqual(['digits Shoes -54'])
  expect(found(0.27, [row('Tea', -1.4), row('Cake', -3.52)])).toEqual(['digits Cake -3.25'])
  expect(found(-18, [row('Shoes', -45)])).toEqual([])
})

test('a change of a transfer also moves money of another account, so only its pending half explains', () => {
  expect(found(20, [row('Saving', -20, '2025-03-01', { transfer_id: 'pair' })])).toEqual([])
  expect(found(-20, [pending('Saving', -20)])).toEqual(['pending Saving'])
})

test('accounts that agree need no explanation, and more than five explain nothing', () => {
  expect(found(0, [pending('Bread', -20), row('Milk', 0)])).toEqual([])
  expect(
    found(
      5,
      Array.from(
        { length: 8 },
        (_, number) => row(`Coffee ${number}`, -5, `2025-0${number + 1}-01`),
      ),
    ),
  ).toHaveLength(5)
})

test('a statement begins after the last one that agrees, with the opening balance if the account opens since then', () => {
  const stated = (on_date: string, computed: number, difference: number) =>
    ({ on_date, computed, difference }) as Reconciliation
  const compared = [
    stated('2025-03-31', 70, -5),
    stated('2025-02-28', 60, -5),
    stated('2025-01-31', 40, 0),
  ]
  const startAt = (opened_on: string | null, day: string) => {
    const start = startOf({ opened_on, balance: 30 }, compared, day)
    return start && [start.agreedOn, start.balance]
  }
  expect(startAt(null, '2025-03-31')).toEqual(['2025-01-31', 40])
  expect(startAt('2025-02-10', '2025-03-31')).toEqual(['2025-01-31', 70])
  expect(startAt(null, '2025-01-31')).toEqual([null, 30])
  expect(startAt('2025-02-10', '2025-01-31')).toEqual([null, 0])
  expect(startAt(null, '2025-03-30')).toBeUndefined()
})

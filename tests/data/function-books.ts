/** The books whose transactions the tests of functions under /rpc count. */
import { expect } from 'vitest'
import type { Caller } from '../support/data.ts'

/** Amounts in cents, so that sums here are exact. All entries are at noon UTC. */
export const book = [
  { name: 'Salary', cents: 300_000, on: '2025-01-01', category: null, status: 'paid' },
  { name: 'Rent', cents: -90_010, on: '2025-01-03', category: 'Home', status: 'paid' },
  { name: 'Bread', cents: -1_01, on: '2025-01-31', category: 'Food', status: 'paid' },
  { name: 'Cheese', cents: -2_02, on: '2025-01-31', category: 'Food', status: 'pending' },
  { name: 'Refund', cents: 50, on: '2025-02-01', category: 'Food', status: 'paid' },
  { name: 'Wine', cents: -7_77, on: '2025-02-15', category: 'Food', status: 'failed' },
  { name: 'Rent', cents: -90_010, on: '2025-02-28', category: 'Home', status: 'paid' },
] as const
export type Entry = (typeof book)[number]
export const money = (entries: readonly { cents: number }[]) =>
  entries.reduce((total, { cents }) => total + cents, 0) / 100
export const counted = book.filter(({ status }) => status !== 'failed')
/** The pending part of some entries. */
export const pendingOf = (entries: readonly Entry[]) =>
  money(entries.filter(({ status }) => status === 'pending'))
export const names = (rows: { name: string }[]) => rows.map(({ name }) => name).toSorted().join(' ')

/** Stores the book, with amounts times a factor. Adds the ids of the categories as "Food 1". */
export async function fill(ids: Record<string, string>, caller: Caller, factor: number) {
  for (const [name, monthly_budget] of [['Food', 310], ['Home', 900], ['Unused', 62.5]] as const) {
    ids[`${name} ${factor}`] = (await caller.create('categories', { name, monthly_budget })).id
  }
  await caller.create(
    'transactions',
    book.map(({ name, cents, on, category, status }) => ({
      name,
      amount: cents * factor / 100,
      transaction_date: `${on}T12:00:00Z`,
      status,
      category_id: category === null ? null : ids[`${category} ${factor}`],
    })),
  )
}

export const refusal = (body: Record<string, unknown>) => ({
  status: 400,
  body: { code: '22023', details: null, hint: expect.any(String), ...body },
})

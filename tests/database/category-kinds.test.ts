/** Migration 0026: a category in which every amount that counts is above zero becomes one of income. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseBefore, type FormerDatabase } from '../support/former-database.ts'

let former: FormerDatabase

beforeAll(async () => {
  former = await databaseBefore('0026')
})
afterAll(() => former.close())

type Payment = { amount: number, status?: string, transfer?: boolean, items?: [category: string | null, amount: number][] }

const categories: Record<string, { kind: 'income' | 'expense', payments: Payment[] }> = {
  Salary: { kind: 'income', payments: [{ amount: 3000 }, { amount: 0.01 }] },
  'Pending salary': { kind: 'income', payments: [{ amount: 3000, status: 'pending' }] },
  'Salary and a failed correction': { kind: 'income', payments: [{ amount: 10 }, { amount: -10, status: 'failed' }] },
  'Only failed': { kind: 'expense', payments: [{ amount: 10, status: 'failed' }] },
  'Only moved': { kind: 'expense', payments: [{ amount: 10, transfer: true }] },
  'Salary and a half of a transfer': { kind: 'income', payments: [{ amount: 10 }, { amount: -10, transfer: true }] },
  Refunded: { kind: 'expense', payments: [{ amount: -10 }, { amount: 10 }] },
  Food: { kind: 'expense', payments: [{ amount: -10 }] },
  Nothing: { kind: 'expense', payments: [{ amount: 0 }] },
  Unused: { kind: 'expense', payments: [] },
  // its line items take all of the amount
  'Wholly split': { kind: 'expense', payments: [{ amount: 10, items: [['Interest', 4], ['Dividends', 6]] }] },
  'Partly split': { kind: 'income', payments: [{ amount: 10, items: [['Fees', 0], [null, 5], ['Partly split', 3]] }] },
  Interest: { kind: 'income', payments: [] },
  Dividends: { kind: 'expense', payments: [{ amount: -2, items: [['Interest of others', 1]] }] },
  'Interest of others': { kind: 'expense', payments: [] },
  Fees: { kind: 'expense', payments: [] },
}

/** Stores the categories and their payments, of a user or of a team. */
async function store({ owner }: FormerDatabase, user: string, organization: string | null) {
  await owner.query('insert into auth.users (id, name, email) values ($1, $1, $1)', [user])
  if (organization !== null) await owner.query('insert into auth.organizations (id, name, slug) values ($1, $1, $1)', [organization])
  const ids = new Map(Object.keys(categories).map((name) => [name, randomUUID()]))
  for (const [name, id] of ids) {
    await owner.query(
      'insert into api.categories (id, name, user_id, organization_id, updated_at) values ($1, $2, $3, $4, $5)',
      [id, name, user, organization, '2025-09-01Z'],
    )
  }
  for (const [name, { payments }] of Object.entries(categories)) {
    for (const { amount, status = 'paid', transfer = false, items = [] } of payments) {
      const id = randomUUID()
      await owner.query(
        'insert into api.transactions (id, name, amount, status, transfer_id, category_id, user_id, organization_id) values ($1, $2, $3, $4, $5, $6, $7, $8)',
        [id, name, amount, status, transfer ? randomUUID() : null, ids.get(name), user, organization],
      )
      for (const [category, part] of items) {
        await owner.query(
          'insert into api.line_items (transaction_id, name, amount, category_id, user_id, organization_id) values ($1, $2, $3, $4, $5, $6)',
          [id, 'part', part, category === null ? null : ids.get(category), organization === null ? user : null, organization],
        )
      }
    }
  }
}

test('the amounts and line items of a category decide its kind, and no category counts as edited', async () => {
  await store(former, 'ada', null)
  await store(former, 'bob', 'team')
  await former.upgrade()
  const kinds = Object.entries(categories).map(([name, { kind }]) => ({ name, kind })).toSorted((one, other) => one.name < other.name ? -1 : 1)
  for (const user of ['ada', 'bob']) {
    expect((await former.owner.query('select name, kind from api.categories where user_id = $1 order by name collate "C"', [user])).rows).toEqual(kinds)
  }
  expect((await former.owner.query(`select count(*)::int from api.categories where updated_at <> '2025-09-01Z'`)).rows).toEqual([{ count: 0 }])
})

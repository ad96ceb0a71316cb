/** Migration 0025: a negative cost becomes an income, and the transactions of recorded days get their marks. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseBefore, type FormerDatabase } from '../support/former-database.ts'

let former: FormerDatabase

beforeAll(async () => {
  former = await databaseBefore('0025')
})
afterAll(() => former.close())

test('a negative cost is an income, and only a valid day of a subscription of the same owner is marked', async () => {
  await former.owner.query(`insert into auth.users (id, name, email) values ('ada', '', 'ada@example.org'), ('bob', '', 'bob@example.org')`)
  const [rent, salary] = [randomUUID(), randomUUID()]
  await former.owner.query(
    `insert into api.subscriptions (id, title, amount, period, user_id) values ($1, 'Rent', 900, 'monthly', 'ada'), ($2, 'Salary', -3000, 'monthly', 'ada')`,
    [rent, salary],
  )
  const rows: [name: string, user: string, source: string, external: string][] = [
    ['recorded', 'ada', 'subscription', `${rent}:2025-02-28`],
    ['no such day', 'ada', 'subscription', `${rent}:2025-02-31`],
    ['no subscription', 'ada', 'subscription', `${randomUUID()}:2025-02-28`],
    ['of another owner', 'bob', 'subscription', `${salary}:2025-02-28`],
    ['of a bank', 'ada', 'bank', `${rent}:2025-03-31`],
    ['another form', 'ada', 'subscription', 'x'],
  ]
  for (const [name, user, source, external] of rows) {
    await former.owner.query('insert into api.transactions (name, amount, user_id, source, external_id, updated_at) values ($1, -1, $2, $3, $4, $5)', [
      name,
      user,
      source,
      external,
      '2025-09-01Z',
    ])
  }

  await former.upgrade()

  expect((await former.owner.query('select title, kind, amount::text from api.subscriptions order by title')).rows).toEqual([
    { title: 'Rent', kind: 'expense', amount: '900' },
    { title: 'Salary', kind: 'income', amount: '3000' },
  ])
  expect(
    (await former.owner.query('select name, subscription_id, due_on::text from api.transactions where subscription_id is not null or due_on is not null')).rows,
  )
    .toEqual([{ name: 'recorded', subscription_id: rent, due_on: '2025-02-28' }])
  expect((await former.owner.query(`select count(*)::int from api.transactions where updated_at <> '2025-09-01Z'`)).rows).toEqual([{ count: 0 }])
})

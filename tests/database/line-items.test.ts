/** Migration 0039: stored line items get the sign of their transaction, and so does their activity. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseBefore, type FormerDatabase } from '../support/former-database.ts'

let former: FormerDatabase

beforeAll(async () => {
  former = await databaseBefore('0039')
  await former.owner.query(`insert into auth.users (id, name, email) values ('ada', 'Ada', 'ada@example.org')`)
})
afterAll(() => former.close())

/** Records a change of a line item as version 0.2.0 did. */
async function record(action: string, transaction: string, before: number | null, after: number | null): Promise<string> {
  const state = (amount: number | null) => amount === null ? null : { transaction_id: transaction, name: 'part', amount }
  const id = randomUUID()
  await former.owner.query(
    `insert into api.activity (id, happened_at, change_id, actor_id, user_id, action, table_name, row_id, before, after)
      values ($1, now(), $2, 'ada', 'ada', $3, 'line_items', $4, $5, $6)`,
    [id, randomUUID(), action, randomUUID(), state(before), state(after)],
  )
  return id
}

test('every line item gets the direction of its transaction', async () => {
  const stored: [whole: number, parts: number[], expected: number[]][] = [
    [-100, [50, -25, 10.01], [-50, -25, -10.01]],
    [100, [-50, 25], [25, 50]],
    [0, [0], [0]],
  ]
  const ids = stored.map(() => randomUUID())
  for (const [at, [whole, parts]] of stored.entries()) {
    await former.owner.query(`insert into api.transactions (id, name, amount, user_id) values ($1, 'x', $2, 'ada')`, [ids[at], whole])
    for (const part of parts)
      await former.owner.query(`insert into api.line_items (transaction_id, name, amount, user_id) values ($1, 'part', $2, 'ada')`, [ids[at], part])
  }
  const deleted = randomUUID()
  await former.owner.query(
    `insert into api.activity (id, happened_at, change_id, actor_id, user_id, action, table_name, row_id, before)
      values ($1, now(), $2, 'ada', 'ada', 'delete', 'transactions', $3, '{"amount": -20}')`,
    [randomUUID(), randomUUID(), deleted],
  )
  const activity = [
    await record('create', ids[0]!, null, 50),
    await record('update', ids[0]!, -40, 50),
    await record('delete', ids[1]!, -30, null),
    await record('delete', deleted, 12.5, null),
    await record('create', ids[0]!, null, null),
  ]
  await former.upgrade()
  for (const [at, [, , expected]] of stored.entries()) {
    const { rows } = await former.owner.query('select amount::float from api.line_items where transaction_id = $1 order by amount', [ids[at]])
    expect(rows.map(({ amount }) => amount)).toEqual(expected)
  }
  const { rows } = await former.owner.query(
    `select (before ->> 'amount')::float as before, (after ->> 'amount')::float as after from unnest($1::uuid[]) with ordinality as o (id, place)
      join api.activity using (id) order by place`,
    [activity],
  )
  expect(rows).toEqual([
    { before: null, after: -50 },
    { before: -40, after: -50 },
    { before: 30, after: null },
    { before: -12.5, after: null },
    { before: null, after: null },
  ])
})

/** What one request changes can be taken back within the time and the memory of another, or is refused before anything is stored. */
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { dataStack, type Account, type Caller, type DataStack } from '../support/data.ts'
import { execute } from '../support/database.ts'

let stack: DataStack
/** How long a request may take. PostgREST reads it of the role when it starts. */
const allow = (time: string) => execute(inject('serverUrl'), `alter role authenticated set statement_timeout = '${time}'`)
beforeAll(async () => {
  // A machine that does other work too may need more than the 8 seconds. The memory of a connection stays bounded. No other file
  // runs meanwhile (vitest.proof.config.ts).
  await allow('120s')
  stack = await dataStack()
})
afterAll(async () => {
  await stack.stop()
  await allow('8s')
})

const limit = 50_100

/** Somebody with an account, a category, a tag, and so many transactions in both, every tenth with a line item and the tag. */
async function someoneWith(rows: number): Promise<{ person: Account, ann: Caller, contents: () => Promise<string> }> {
  const person = await stack.person()
  const ann = stack.as(person)
  const { id: account } = await ann.create('accounts', { name: 'Everyday', type: 'checking' })
  const { id: category } = await ann.create('categories', { name: 'Food' })
  const { id: tag } = await ann.create('tags', { name: 'weekly' })
  await stack.owner.query(
    `insert into api.transactions (name, amount, transaction_date, category_id, account_id, user_id, organization_id, metadata)
     select 'row ' || n, -n, timestamp '2020-01-01' + n * interval '1 hour', $2, $3, $1, null, '{"shop": "corner"}' from generate_series(1, $4::integer) n`,
    [person.id, category, account, rows],
  )
  const tenth = 'from api.transactions where user_id = $1 and amount % 10 = 0'
  await stack.owner.query(`insert into api.line_items (transaction_id, name, amount) select id, 'part', -1 ${tenth}`, [person.id])
  await stack.owner.query(`insert into api.transaction_tags (transaction_id, tag_id) select id, $2 ${tenth}`, [person.id, tag])
  await stack.owner.query('analyze api.transactions')
  /** All that the person has, but for the times of changes, as one hash. */
  const contents = async () => {
    const tables = ['accounts', 'categories', 'tags', 'transactions', 'line_items', 'transaction_tags']
    const { rows: hashes } = await stack.owner.query(
      tables.map((table) =>
        `select '${table}' as of, count(*) as rows, sum(hashtextextended((to_jsonb(t) - 'updated_at')::text, 0)) as hash from api.${table} t where user_id = $1`
      ).join(' union all '),
      [person.id],
    )
    return JSON.stringify(hashes)
  }
  return { person, ann, contents }
}

async function undoLast(caller: Caller, person: Account) {
  const { body: [last] } = await caller.get(`/activity?select=id&organization_id=is.null&user_id=eq.${person.id}&order=happened_at.desc,id.desc&limit=1`)
  return caller.post('/rpc/undo', { p_activity_id: last.id })
}

test.each([
  ['a wrong edit of 50,000 transactions', 50_000, '/transactions', { status: 'failed', name: 'oops' }, { create: 0, update: 50_000, delete: 0 }],
  ['an account deleted with 50,000 transactions', 50_000, '/accounts', undefined, { create: 1, update: 50_000, delete: 0 }],
  ['41,000 transactions deleted with line items and tags', 41_000, '/transactions', undefined, { create: 49_200, update: 0, delete: 0 }],
])('%s are taken back, and done again', { timeout: 600_000 }, async (_, rows, path, change, counted) => {
  const { person, ann, contents } = await someoneWith(rows)
  const before = await contents()
  const all = `${path}?created_at=not.is.null`
  expect(change === undefined ? await ann.delete(all) : await ann.patch(all, change)).toMatchObject({ status: 204 })
  const after = await contents()
  expect(after).not.toBe(before)
  expect(await undoLast(ann, person)).toMatchObject({ status: 200, body: counted })
  expect(await contents()).toBe(before)
  expect(await undoLast(ann, person)).toMatchObject({ status: 200, body: { create: counted.delete, update: counted.update, delete: counted.create } })
  expect(await contents()).toBe(after)
})

test('what is larger is 413 before anything is stored, and says what to do', { timeout: 600_000 }, async () => {
  const { ann, contents } = await someoneWith(limit + 1)
  const before = await contents()
  const refused = {
    status: 413,
    body: { code: 'PT413', message: 'this request would change more than 50100 rows', hint: expect.stringContaining('Send it in parts') },
  }
  const all = 'created_at=not.is.null'
  expect(await ann.patch(`/transactions?${all}`, { status: 'failed' })).toMatchObject(refused)
  expect(await ann.delete('/transactions')).toMatchObject(refused)
  expect(await ann.delete(`/accounts?${all}`)).toMatchObject(refused)
  expect(await ann.delete(`/categories?${all}`)).toMatchObject(refused)
  expect(await contents()).toBe(before)
  expect(await ann.delete('/transactions?transaction_date=lt.2021-01-01')).toMatchObject({ status: 204 })
})

test('rows that go along count', { timeout: 600_000 }, async () => {
  // with a line item and a tag for every tenth
  const { ann, contents } = await someoneWith(42_000)
  const before = await contents()
  expect(await ann.delete('/transactions')).toMatchObject({ status: 413 })
  expect(await contents()).toBe(before)
})

test('as many rows as one body holds can be too many', { timeout: 600_000 }, async () => {
  const ann = stack.as(await stack.person())
  const tags = Array.from({ length: limit + 1 }, (_, n) => ({ name: `${n}` }))
  expect(await ann.post('/tags', tags)).toMatchObject({ status: 413, body: { code: 'PT413' } })
  expect((await ann.get('/tags')).body).toEqual([])
})

test('the operator is not held to it, nor a person who deletes the account', { timeout: 600_000 }, async () => {
  const { person } = await someoneWith(limit + 1)
  await stack.owner.query('delete from auth.users where id = $1', [person.id])
  expect((await stack.owner.query('select from api.transactions where user_id = $1', [person.id])).rowCount).toBe(0)
})

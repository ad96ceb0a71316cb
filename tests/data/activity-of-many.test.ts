/**
 * A large request can be undone within the time and memory limits of a request, or is refused
 * before it stores anything.
 */
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { dataStack, type Account, type Caller, type DataStack } from '../support/data.ts'
import { execute } from '../support/database.ts'

let stack: DataStack
/** The statement timeout of a request. PostgREST reads it from the role when it starts. */
const allow = (time: string) =>
  execute(inject('serverUrl'), `alter role authenticated set statement_timeout = '${time}'`)
beforeAll(async () => {
  // A busy machine may need more than the 8 seconds. The memory of a connection stays limited. No
  // other test file runs at the same time (vitest.config.ts).
  await allow('120s')
  stack = await dataStack(
    {},
    (sql) => sql.query(`alter function api.undo(uuid) set statement_timeout = '120s'`),
  )
})
afterAll(async () => {
  await stack.stop()
  await allow('8s')
})

const limit = 50_100

type Someone = { person: Account, ann: Caller, contents: () => Promise<string> }

/**
 * Creates a user with an account, a category, a tag, and that many transactions in both. Every
 * tenth has a line item and the tag.
 */
async function someoneWith(rows: number): Promise<Someone> {
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
  // A plan from the time of no rows may read a whole index for each part.
  await stack.owner.query('analyze api.transactions')
  const tenth = 'from api.transactions where user_id = $1 and amount % 10 = 0'
  await stack.owner.query(
    `insert into api.line_items (transaction_id, name, amount) select id, 'part', -1 ${tenth}`,
    [person.id],
  )
  await stack.owner.query(
    `insert into api.transaction_tags (transaction_id, tag_id) select id, $2 ${tenth}`,
    [person.id, tag],
  )
  /** A hash of all rows of the user, without the times of changes. */
  const contents = async () => {
    const tables = [
      'accounts',
      'categories',
      'tags',
      'transactions',
      'line_items',
      'transaction_tags',
    ]
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
  const { body: [last] } = await caller.get(
    `/activity?select=id&organization_id=is.null&user_id=eq.${person.id}&order=happened_at.desc,id.desc&limit=1`,
  )
  return caller.post('/rpc/undo', { p_activity_id: last.id })
}

// Making so many rows takes as long as undoing them, so tests share a user. Each starts where the
// one before ended.
describe('a user', () => {
  let person: Account
  let ann: Caller
  let contents: Someone['contents']
  beforeAll(async () => {
    ;({ person, ann, contents } = await someoneWith(50_000))
  })

  test.each([
    ['a wrong edit of 50,000 transactions', 50_000, '/transactions', {
      status: 'failed',
      name: 'oops',
    }, { create: 0, update: 50_000, delete: 0 }],
    ['the deletion of an account with 50,000 transactions', 50_000, '/accounts', undefined, {
      create: 1,
      update: 50_000,
      delete: 0,
    }],
    ['the deletion of a category with 50,000 transactions', 50_000, '/categories', undefined, {
      create: 1,
      update: 50_000,
      delete: 0,
    }],
    [
      'the deletion of 41,000 transactions with line items and tags',
      41_000,
      '/transactions',
      undefined,
      { create: 49_200, update: 0, delete: 0 },
    ],
  ])(
    'a user undoes %s, and undoes the undo',
    { timeout: 600_000 },
    async (_, rows, path, change, counted) => {
      await stack.owner.query('delete from api.transactions where user_id = $1 and amount < $2', [
        person.id,
        -rows,
      ])
      const before = await contents()
      const all = `${path}?created_at=not.is.null`
      expect(change === undefined ? await ann.delete(all) : await ann.patch(all, change))
        .toMatchObject({ status: 204 })
      const after = await contents()
      expect(after).not.toBe(before)
      expect(await undoLast(ann, person)).toMatchObject({ status: 200, body: counted })
      expect(await contents()).toBe(before)
      expect(await undoLast(ann, person)).toMatchObject({
        status: 200,
        body: { create: counted.delete, update: counted.update, delete: counted.create },
      })
      expect(await contents()).toBe(after)
    },
  )
})

test('an undo has more time than the change', { timeout: 600_000 }, async () => {
  await allow('2s')
  onTestFinished(() => allow('120s'))
  await using impatient = await dataStack()
  const person = await impatient.person()
  const ann = impatient.as(person)
  const { id } = await ann.create('transactions', { name: 'Rent', amount: -900 })
  expect(await ann.patch(`/transactions?id=eq.${id}`, { amount: -9000 })).toMatchObject({
    status: 204,
  })
  // another transaction holds the row for longer than the two seconds
  await impatient.owner.query('begin')
  await impatient.owner.query('select from api.transactions where id = $1 for update', [id])
  expect(await ann.patch(`/transactions?id=eq.${id}`, { amount: 1 })).toMatchObject({
    status: 500,
    body: { code: '57014' },
  })
  const undone = undoLast(ann, person)
  await expect.poll(async () => {
    const { rows } = await impatient.owner.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and clock_timestamp() - query_start > interval '2.5 seconds'`,
    )
    return rows.length
  }, { timeout: 30_000 }).toBe(1)
  await impatient.owner.query('commit')
  expect(await undone).toMatchObject({ status: 200, body: { create: 0, update: 1, delete: 0 } })
})

describe('the limit', () => {
  let person: Account
  let ann: Caller
  let contents: Someone['contents']
  beforeAll(async () => {
    ;({ person, ann, contents } = await someoneWith(limit + 1))
  })

  test(
    'the limit of rows makes a larger request 413 before anything is stored, and the hint says what to do',
    { timeout: 600_000 },
    async () => {
      const before = await contents()
      const refused = {
        status: 413,
        body: {
          code: 'PT413',
          message: 'this request would change more than 50100 rows',
          hint: expect.stringContaining('Split the request'),
        },
      }
      const all = 'created_at=not.is.null'
      expect(await ann.patch(`/transactions?${all}`, { status: 'failed' })).toMatchObject(refused)
      expect(await ann.delete('/transactions')).toMatchObject(refused)
      expect(await ann.delete(`/accounts?${all}`)).toMatchObject(refused)
      expect(await ann.delete(`/categories?${all}`)).toMatchObject(refused)
      expect(await contents()).toBe(before)
      expect(await ann.delete('/transactions?transaction_date=lt.2020-10-01')).toMatchObject({
        status: 204,
      })
    },
  )

  test('the limit counts the rows that a deletion cascades to', { timeout: 600_000 }, async () => {
    // fewer than the limit, and more with the line item and the tag of every tenth
    expect(
      (await stack.owner.query('select from api.transactions where user_id = $1', [person.id]))
        .rowCount,
    ).toBe(43_526)
    const before = await contents()
    expect(await ann.delete('/transactions')).toMatchObject({ status: 413 })
    expect(await contents()).toBe(before)
  })

  test('the limit can be exceeded by one full request body', { timeout: 600_000 }, async () => {
    const other = stack.as(await stack.person())
    const tags = Array.from({ length: limit + 1 }, (_, n) => ({ name: `${n}` }))
    expect(await other.post('/tags', tags)).toMatchObject({ status: 413, body: { code: 'PT413' } })
    expect((await other.get('/tags')).body).toEqual([])
  })

  test('the limit does not apply to the operator, nor to a user who deletes the account', {
    timeout: 600_000,
  }, async () => {
    await stack.owner.query('delete from auth.users where id = $1', [person.id])
    expect(
      (await stack.owner.query('select from api.transactions where user_id = $1', [person.id]))
        .rowCount,
    ).toBe(0)
  })
})

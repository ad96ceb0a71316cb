/**
 * Write locks: members of a team who change the same rows at the same moment wait for each other,
 * and none gets a 500.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  dataStack,
  type Answer,
  type Caller,
  type DataStack,
  type Organization,
} from '../support/data.ts'
import { holdLock } from '../support/hold-lock.ts'

let stack: DataStack
let team: Organization
let ann: Caller
let bob: Caller
let vic: Caller

beforeAll(async () => {
  stack = await dataStack()
  const [owner, editor] = [await stack.person('ann'), await stack.person('bob')]
  const viewer = await stack.person('vic')
  team = await stack.organization({ owner, editor, viewer })
  vic = stack.as(viewer, team)
  ann = stack.as(owner, team)
  bob = stack.as(editor, team)
})
afterAll(() => stack.stop())

const merge = { prefer: 'resolution=merge-duplicates' }
const rows = Array.from(
  { length: 150 },
  (_, at) => ({ id: randomUUID(), name: `row ${at}`, amount: at }),
)

/** Sends both requests at once, several times. @returns the responses with an unexpected status */
async function atOnce(
  one: () => Promise<Answer>,
  other: () => Promise<Answer>,
  expected: number[],
): Promise<unknown[]> {
  const answers: Answer[] = []
  for (let round = 0; round < 3; round += 1) answers.push(...await Promise.all([one(), other()]))
  return answers.filter(({ status }) => !expected.includes(status)).map((
    { status, body },
  ) => [status, body])
}

test('two members upsert the same rows in opposite order', async () => {
  expect(
    await atOnce(
      () => ann.post('/transactions', rows, merge),
      () => bob.post('/transactions', rows.toReversed(), merge),
      [200, 201],
    ),
  ).toEqual([])
})

test('two members import the same rows in opposite order', async () => {
  const imported = rows.map(({ name, amount }) => ({
    name,
    amount,
    source: 'bank',
    external_id: name,
  }))
  expect(
    await atOnce(
      () => ann.post('/transactions', imported, merge),
      () => bob.post('/transactions', imported.toReversed(), merge),
      [200, 201],
    ),
  ).toEqual([])
  expect(
    (await ann.head('/transactions?source=eq.bank', { prefer: 'count=exact' })).headers.get(
      'content-range',
    ),
  ).toMatch(/\/150$/)
})

test('one member bulk-updates rows while another upserts them', async () => {
  expect(
    await atOnce(
      () => ann.patch('/transactions?name=like.row*', { status: 'paid' }),
      () => bob.post('/transactions', rows.toReversed(), merge),
      [200, 204],
    ),
  ).toEqual([])
})

test('one member deletes a category while another creates transactions in it', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { id } = await ann.create('categories', { name: 'Food' })
    expect(
      (await ann.post('/transactions', rows.map((row) => ({ ...row, category_id: id })), merge))
        .status,
    ).toBeLessThan(300)
    const [deleted, filed] = await Promise.all([
      ann.delete(`/categories?id=eq.${id}`),
      bob.patch(`/transactions?name=like.row*`, { category_id: id }),
    ])
    expect([deleted.status, [204, 409].includes(filed.status)], filed.text).toEqual([204, true])
  }
})

test('one request that contains a row twice is 400 and stores nothing', async () => {
  const id = randomUUID()
  const twice = [{ id, name: 'one', amount: 1 }, { id, name: 'other', amount: 2 }]
  expect(await ann.post('/transactions', twice, merge)).toMatchObject({
    status: 400,
    body: { code: '21000', details: null },
  })
  expect((await ann.get(`/transactions?id=eq.${id}`)).body).toEqual([])
})

test('a request that waits too long for others gets an error with the advice to send it again', async () => {
  const release = await holdLock(
    stack.ownerUrl,
    `select from private.tenants where tenant = 'o:' || $1 for no key update`,
    [team.id],
  )
  expect(await ann.post('/tags', { name: 'late' })).toMatchObject({
    status: 409,
    body: { code: 'PT409', message: 'another change to this data is still in progress' },
  })
  expect((await ann.get('/tags')).body).toEqual([])
  await release()
  expect((await ann.post('/tags', { name: 'late' })).status).toBe(201)
})

test('a viewer, who may not write to the team, does not block others', async () => {
  // The filter takes long on the team's rows.
  const { id } = await ann.create('transactions', {
    name: 'a pattern that goes back',
    amount: 1,
    description: `${'ab'.repeat(2_000)}x`,
  })
  const slow = vic.delete(
    `/transactions?id=eq.${id}&description=match.${encodeURIComponent('^((a|b)*)*\\1\\2\\1x$')}`,
  )
  const isOver = vi.fn()
  const over = slow.then(isOver)
  expect((await ann.post('/tags', { name: 'at once' })).status).toBe(201)
  expect(isOver).not.toHaveBeenCalled()
  await over
})

describe('a request that its client repeats', () => {
  const skip = { prefer: 'resolution=ignore-duplicates' }
  const count = async (caller: Caller, query: string) =>
    (await caller.get(`${query}&select=id`)).body.length

  test('a request that its client repeats stores each row with an own id once, also at the same moment, and of a transfer both halves', async () => {
    const once = [{ id: randomUUID(), name: 'once', amount: 1 }, {
      id: randomUUID(),
      name: 'once',
      amount: 2,
    }]
    expect(
      await atOnce(
        () => ann.post('/transactions', once, skip),
        () => ann.post('/transactions', once, skip),
        [200, 201],
      ),
    ).toEqual([])
    expect(await count(ann, '/transactions?name=eq.once')).toBe(2)
    const [{ id: from }, { id: to }] = [
      await ann.create('accounts', { name: 'From', type: 'cash' }),
      await ann.create('accounts', { name: 'To', type: 'cash' }),
    ]
    const transfer = { transfer_id: randomUUID(), name: 'moved', transaction_date: '2025-01-01' }
    const halves = [{ ...transfer, id: randomUUID(), account_id: from, amount: -5 }, {
      ...transfer,
      id: randomUUID(),
      account_id: to,
      amount: 5,
    }]
    expect(
      await atOnce(
        () => ann.post('/transactions', halves, skip),
        () => ann.post('/transactions', halves, skip),
        [200, 201],
      ),
    ).toEqual([])
    expect(await count(ann, '/transactions?name=eq.moved')).toBe(2)
  })

  test('a request that its client repeats is 404 or 409 for a function that has nothing left to do', async () => {
    const [{ id: from }, { id: to }, { id: category }] = [
      await ann.create('accounts', { name: 'One', type: 'cash' }),
      await ann.create('accounts', { name: 'Other', type: 'cash' }),
      await ann.create('categories', { name: 'Twice' }),
    ]
    const twice = async (
      path: string,
      body: unknown,
    ) => [(await ann.post(path, body)).status, (await ann.post(path, body)).status]
    const { body: [half, other] } = await ann.post('/rpc/create_transfer', {
      from_account_id: from,
      to_account_id: to,
      amount: 1,
    })
    expect(await twice('/rpc/unlink_transfer', { p_transfer_id: half.transfer_id })).toEqual([
      200,
      404,
    ])
    expect(
      await twice('/rpc/link_transfer', {
        p_from_transaction_id: half.id,
        p_to_transaction_id: other.id,
      }),
    ).toEqual([200, 409])
    const { body: [{ id: activity }] } = await ann.get(`/activity?row_id=eq.${category}&select=id`)
    expect(await twice('/rpc/undo', { p_activity_id: activity })).toEqual([200, 409])
    const { id } = await ann.create('categories', { name: 'Deleted' })
    expect(await twice('/rpc/delete_category', { p_category_id: id })).toEqual([200, 404])
  })

  test('a request that its client repeats is 400 with an Idempotency-Key if it can write, whoever sends it, and stores nothing', async () => {
    const key = { 'idempotency-key': '8e03978e-40d5-43dd-bc93-6894a57f9324' }
    const refused = {
      status: 400,
      body: {
        code: 'IDEMPOTENCY_KEY_NOT_SUPPORTED',
        details: null,
        hint: expect.stringContaining(
          'your own id in each row with Prefer: resolution=ignore-duplicates',
        ),
      },
    }
    const { id } = await ann.create('tags', { name: 'keyed' })
    const before = await count(ann, '/activity?limit=10000')
    const answers = [
      await ann.post('/tags', { name: 'keyed' }, key),
      await ann.post('/tags', { name: 'keyed' }, { 'idempotency-key': '' }),
      await ann.patch(`/tags?id=eq.${id}`, { name: 'other' }, key),
      await ann.put(`/tags?id=eq.${id}`, { id, name: 'other' }, key),
      await ann.delete(`/tags?id=eq.${id}`, key),
      await ann.post('/rpc/set_balance', { p_account_id: id, p_balance: 1 }, key),
      await stack.anonymous.post('/tags', { name: 'keyed' }, key),
    ]
    for (const answer of answers) expect(answer).toMatchObject(refused)
    expect(await count(ann, '/activity?limit=10000')).toBe(before)
    expect((await vic.post('/tags', { name: 'keyed' }, key)).status).toBe(400)
  })

  test('a request that its client repeats may have an Idempotency-Key if it only reads', async () => {
    const key = { 'idempotency-key': 'k' }
    expect((await ann.get('/tags', key)).status).toBe(200)
    expect((await ann.head('/tags', key)).status).toBe(200)
    expect((await ann.post('/rpc/get_transaction_stat', {}, key)).status).toBe(200)
    expect(
      (await ann.post('/tags', { name: 'named "idempotency-key":' }, {
        'x-note': '"idempotency-key":',
      })).status,
    ).toBe(201)
  })
})

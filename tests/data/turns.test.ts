/** Write locks: members of a team who change the same rows at the same moment wait for each other, and none gets a 500. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { dataStack, type Answer, type Caller, type DataStack, type Organization } from '../support/data.ts'

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
const rows = Array.from({ length: 150 }, (_, at) => ({ id: randomUUID(), name: `row ${at}`, amount: at }))

/** Sends both requests at once, several times. @returns the responses with an unexpected status */
async function atOnce(one: () => Promise<Answer>, other: () => Promise<Answer>, expected: number[]): Promise<unknown[]> {
  const answers: Answer[] = []
  for (let round = 0; round < 3; round += 1) answers.push(...await Promise.all([one(), other()]))
  return answers.filter(({ status }) => !expected.includes(status)).map(({ status, body }) => [status, body])
}

test('two members upsert the same rows in opposite order', async () => {
  expect(await atOnce(() => ann.post('/transactions', rows, merge), () => bob.post('/transactions', rows.toReversed(), merge), [200, 201])).toEqual([])
})

test('two members import the same rows in opposite order', async () => {
  const imported = rows.map(({ name, amount }) => ({ name, amount, source: 'bank', external_id: name }))
  expect(await atOnce(() => ann.post('/transactions', imported, merge), () => bob.post('/transactions', imported.toReversed(), merge), [200, 201])).toEqual([])
  expect((await ann.head('/transactions?source=eq.bank', { prefer: 'count=exact' })).headers.get('content-range')).toMatch(/\/150$/)
})

test('one member bulk-updates rows while another upserts them', async () => {
  expect(
    await atOnce(() => ann.patch('/transactions?name=like.row*', { status: 'paid' }), () => bob.post('/transactions', rows.toReversed(), merge), [200, 204]),
  ).toEqual([])
})

test('one member deletes a category while another creates transactions in it', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { id } = await ann.create('categories', { name: 'Food' })
    expect((await ann.post('/transactions', rows.map((row) => ({ ...row, category_id: id })), merge)).status).toBeLessThan(300)
    const [deleted, filed] = await Promise.all([ann.delete(`/categories?id=eq.${id}`), bob.patch(`/transactions?name=like.row*`, { category_id: id })])
    expect([deleted.status, [204, 409].includes(filed.status)], filed.text).toEqual([204, true])
  }
})

test('one request that contains a row twice is 400 and stores nothing', async () => {
  const id = randomUUID()
  const twice = [{ id, name: 'one', amount: 1 }, { id, name: 'other', amount: 2 }]
  expect(await ann.post('/transactions', twice, merge)).toMatchObject({ status: 400, body: { code: '21000', details: null } })
  expect((await ann.get(`/transactions?id=eq.${id}`)).body).toEqual([])
})

test('a request that waits too long for others gets an error with the advice to send it again', async () => {
  await stack.owner.query(`select pg_advisory_lock(hashtextextended('turn of organization ' || $1, 0))`, [team.id])
  try {
    expect(await ann.post('/tags', { name: 'late' })).toMatchObject({
      status: 409,
      body: { code: 'PT409', message: 'another change of the same data is still under way' },
    })
    expect((await ann.get('/tags')).body).toEqual([])
  } finally {
    await stack.owner.query('select pg_advisory_unlock_all()')
  }
  expect((await ann.post('/tags', { name: 'late' })).status).toBe(201)
})

test('a viewer, who may not write to the team, does not block others', async () => {
  // The filter takes long on the team's rows.
  const { id } = await ann.create('transactions', { name: 'a pattern that goes back', amount: 1, description: `${'ab'.repeat(2_000)}x` })
  const slow = vic.delete(`/transactions?id=eq.${id}&description=match.${encodeURIComponent('^((a|b)*)*\\1\\2\\1x$')}`)
  const isOver = vi.fn()
  const over = slow.then(isOver)
  expect((await ann.post('/tags', { name: 'at once' })).status).toBe(201)
  expect(isOver).not.toHaveBeenCalled()
  await over
})

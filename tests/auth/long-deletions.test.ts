/** The deletion of an organization with many rows takes minutes. A test holds the lock of the row, as such a deletion does. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signedIn, subscribed, team } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

/** Locks an organization, as its deletion does. @returns a function that ends the lock */
async function lock(organizationId: string): Promise<() => Promise<void>> {
  const client = await stack.sql.connect()
  await client.query('begin')
  await client.query('select from auth.organizations where id = $1 for update', [organizationId])
  return async () => {
    await client.query('rollback')
    client.release()
  }
}
/** Waits until the service waits for that many locks. */
const waitForLocks = (count: number) =>
  expect.poll(async () => (await stack.sql.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)).rowCount)
    .toBe(count)

const busy = { status: 503, body: { error: 'SERVICE_BUSY' } }

describe('while an organization is being deleted', () => {
  test('while an organization is being deleted its owner’s other requests are refused after a second, and take the connections from nobody', async () => {
    const [{ id, owner }, ann] = [await team(stack, []), await signedIn(stack, 'Ann')]
    const unlock = await lock(id)
    const updates = Array.from({ length: 10 }, () => owner.patch('/organization/update', { organizationId: id, name: 'New name' }))
    await waitForLocks(10)
    const began = Date.now()
    expect((await ann.post('/update-user', { name: 'Anne' })).status).toBe(200)
    expect(Date.now() - began).toBeLessThan(8_000)
    for (const refused of await Promise.all(updates)) {
      expect(refused).toMatchObject(busy)
      expect(refused.headers.get('retry-after')).toBe('5')
    }
    await unlock()
    expect((await owner.patch('/organization/update', { organizationId: id, name: 'New name' })).status).toBe(200)
  })

  test('a repeated request for the deletion is refused after a second, and an organization of another owner can be deleted', async () => {
    const [{ id, owner }, other] = [await team(stack, []), await team(stack, [])]
    const unlock = await lock(id)
    const deletion = owner.delete('/organization/delete', { organizationId: id })
    await waitForLocks(1)
    const repeated = await owner.delete('/organization/delete', { organizationId: id })
    expect(repeated).toMatchObject(busy)
    expect(repeated.headers.get('retry-after')).toBe('5')
    expect((await other.owner.delete('/organization/delete', { organizationId: other.id })).status).toBe(200)
    await unlock()
    expect((await deletion).status).toBe(200)
    expect((await owner.delete('/organization/delete', { organizationId: id })).status).toBe(404)
  })

  test('a member can store nothing in it, and learns when to try again', async () => {
    const { id, editor } = await team(stack, ['editor'])
    const headers = { authorization: `Bearer ${await editor.token()}`, 'content-type': 'application/json' }
    const unlock = await lock(id)
    const refused = await fetch(`${stack.url}/data/transactions`, { method: 'POST', headers, body: JSON.stringify({ name: 'Rent', amount: -900 }) })
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'SERVICE_BUSY' }])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    await unlock()
  })

  test('a request of a member for the deletion does not hold that of the owner up', async () => {
    const { id, owner, admin } = await team(stack, ['admin'])
    const unlock = await lock(id)
    const deletion = owner.delete('/organization/delete', { organizationId: id })
    await waitForLocks(1)
    expect((await admin.delete('/organization/delete', { organizationId: id })).status).toBe(403)
    await unlock()
    expect((await deletion).status).toBe(200)
  })
})

test('a deletion waits longer than other requests for the rows that a member is changing', async () => {
  const owner = await subscribed(stack, 'Olga')
  const { body: { id } } = await owner.post('/organization/create', { name: 'The Team' })
  const unlock = await lock(id)
  const deletion = owner.delete('/organization/delete', { organizationId: id })
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  await unlock()
  expect((await deletion).status).toBe(200)
})

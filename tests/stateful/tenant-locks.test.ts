/**
 * The locks of tenants: requests, deletions and jobs of the owner write to the same tenants, and
 * none of them deadlocks.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { password, signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

/** The number of deadlocks of the database so far. */
const deadlocks = async () =>
  (await stack.sql.query(
    `select pg_stat_force_next_flush(), deadlocks from pg_stat_database where datname = current_database()`,
  )).rows[0].deadlocks

/** Sends requests of a user, one after another, until the signal. @returns the statuses */
async function write(user: Person, signal: AbortSignal): Promise<Set<number>> {
  const headers = {
    authorization: `Bearer ${await user.token()}`,
    'content-type': 'application/json',
  }
  const statuses = new Set<number>()
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${stack.url}/data${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    await response.arrayBuffer()
    statuses.add(response.status)
  }
  while (!signal.aborted) {
    const id = randomUUID()
    await send(
      'POST',
      '/transactions',
      Array.from(
        { length: 20 },
        (_, n) => ({ id: n === 0 ? id : randomUUID(), name: `row ${n}`, amount: 1 }),
      ),
    )
    await send('PATCH', '/transactions?limit=1000', { description: id })
    await send('POST', '/tags', { name: id })
    await send('DELETE', `/transactions?id=eq.${id}`)
  }
  return statuses
}

test('a team and its members are deleted while all of them write to it, and an operator changes their rows', async () => {
  const before = await deadlocks()
  for (let round = 0; round < 3; round += 1) {
    const { id, owner, admin, editor } = await team(stack, ['admin', 'editor'])
    const stop = new AbortController()
    const writing = Promise.all([owner, admin, editor].map((user) => write(user, stop.signal)))
    const rows = async () =>
      (await stack.sql.query('select from api.transactions where organization_id = $1', [id]))
        .rowCount
    await expect.poll(rows).toBeGreaterThan(200)
    for (let count = 0; count < 5; count += 1)
      await stack.sql.query(
        `insert into api.tags (name, organization_id) values ('by an operator', $1)`,
        [id],
      )
    expect((await editor.post('/delete-account', { password })).status).toBe(200)
    const mail = await stack.mail.waitFor(
      editor.email,
      ({ subject }) => subject === 'Delete your account',
    )
    expect(
      await editor.post('/confirm-delete-account', {
        token: new URL(linkIn(mail)).searchParams.get('token'),
      }),
    ).toMatchObject({ status: 200 })
    expect(await rows()).toBeGreaterThan(0)
    expect(await owner.delete('/organization/delete', { organizationId: id })).toMatchObject({
      status: 200,
    })
    expect(await rows()).toBe(0)
    stop.abort()
    for (const statuses of await writing)
      expect([...statuses].filter((status) => status >= 500)).toEqual([])
    await stack.sql.query('select private.forget_tenants()')
    expect(
      (await stack.sql.query(`select from private.tenants where tenant = 'o:' || $1`, [id]))
        .rowCount,
    ).toBe(0)
  }
  await expect.poll(deadlocks).toBe(before)
})

test('teams with the same members are deleted at the same moment', async () => {
  const before = await deadlocks()
  const members = await Promise.all(Array.from({ length: 8 }, () => signedIn(stack)))
  const ids = await Promise.all(members.map((member) => member.id()))
  for (let round = 0; round < 5; round += 1) {
    const teams = [randomUUID(), randomUUID()]
    for (const [at, id] of teams.entries()) {
      await stack.sql.query(
        `insert into auth.organizations (id, name, slug) values ($1, 'Team', $1)`,
        [id],
      )
      const inOrder = at === 0 ? ids : ids.toReversed()
      for (const user of inOrder) {
        await stack.sql.query(
          'insert into auth.members (id, organization_id, user_id, role) values ($1, $2, $3, $4)',
          [
            randomUUID(),
            id,
            user,
            user === inOrder[0] ? 'owner' : 'editor',
          ],
        )
      }
    }
    await Promise.all(
      teams.map((id) => stack.sql.query('delete from auth.organizations where id = $1', [id])),
    )
  }
  await expect.poll(deadlocks).toBe(before)
})

test('housekeeping deletes uploads whose file never came while their transactions are deleted', async () => {
  const before = await deadlocks()
  const ann = await signedIn(stack)
  const [id, token] = [await ann.id(), await ann.token()]
  for (let round = 0; round < 10; round += 1) {
    await stack.sql.query(
      `with stored as (insert into api.transactions (name, amount, user_id) select 'row', 1, $1 from generate_series(1, 30) returning id)
        insert into api.attachments (transaction_id, user_id, name, size, sha256, created_at)
          select id, $1, 'receipt', 1, encode(sha256(id::text::bytea), 'hex'), now() - interval '2 hours' from stored`,
      [id],
    )
    await Promise.all([
      fetch(`${stack.url}/data/transactions`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${token}` },
      }).then(({ status }) => expect(status).toBe(204)),
      sleep(round).then(() => stack.sql.query('select private.forget_files(30, 20)')),
    ])
  }
  await expect.poll(deadlocks).toBe(before)
})

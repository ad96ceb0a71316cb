/**
 * Deletions with many rows. That of an organization can take minutes: a test holds the lock of the
 * row, as such a deletion does.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { password, signedIn, subscribed, team } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true, env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
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
  expect.poll(async () =>
    (await stack.sql.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )).rowCount
  )
    .toBe(count)

const busy = { status: 503, body: { error: 'SERVICE_BUSY' } }

describe('while an organization is being deleted', () => {
  test('while an organization is being deleted its owner’s other requests are refused after a second, and take the connections from nobody', async () => {
    const [{ id, owner }, ann] = [await team(stack, []), await signedIn(stack, 'Ann')]
    const unlock = await lock(id)
    const updates = Array.from(
      { length: 10 },
      () => owner.patch('/organization/update', { organizationId: id, name: 'New name' }),
    )
    await waitForLocks(10)
    const began = Date.now()
    expect((await ann.post('/update-user', { name: 'Anne' })).status).toBe(200)
    expect(Date.now() - began).toBeLessThan(8_000)
    for (const refused of await Promise.all(updates)) {
      expect(refused).toMatchObject(busy)
      expect(refused.headers.get('retry-after')).toBe('5')
    }
    await unlock()
    expect(
      (await owner.patch('/organization/update', { organizationId: id, name: 'New name' })).status,
    ).toBe(200)
  })

  test('a repeated request for the deletion is refused after a second, and an organization of another owner can be deleted', async () => {
    const [{ id, owner }, other] = [await team(stack, []), await team(stack, [])]
    const unlock = await lock(id)
    const deletion = owner.delete('/organization/delete', { organizationId: id })
    await waitForLocks(1)
    const repeated = await owner.delete('/organization/delete', { organizationId: id })
    expect(repeated).toMatchObject(busy)
    expect(repeated.headers.get('retry-after')).toBe('5')
    expect((await other.owner.delete('/organization/delete', { organizationId: other.id })).status)
      .toBe(200)
    await unlock()
    expect((await deletion).status).toBe(200)
    expect((await owner.delete('/organization/delete', { organizationId: id })).status).toBe(404)
  })

  test('two long deletions of one network, and more that wait, do not hold up the deletion of a user elsewhere', async () => {
    const teams = [await team(stack, []), await team(stack, []), await team(stack, [])]
    const ann = await signedIn(stack, 'Ann')
    const unlocks = await Promise.all(teams.map(({ id }) => lock(id)))
    const deletions = teams.map(({ id, owner }) =>
      owner.call('DELETE', '/organization/delete', { organizationId: id }, {
        'x-forwarded-for': '203.0.113.7',
      })
    )
    await waitForLocks(2)
    expect((await ann.post('/delete-account', { password })).status).toBe(200)
    const mail = await stack.mail.waitFor(
      ann.email,
      ({ text }) => text.includes('/confirm-delete-account'),
    )
    const token = new URL(linkIn(mail)).searchParams.get('token')
    expect(
      (await ann.post('/confirm-delete-account', { token }, { 'x-forwarded-for': '198.51.100.9' }))
        .status,
    ).toBe(200)
    await Promise.all(unlocks.map((unlock) => unlock()))
    expect((await Promise.all(deletions)).map(({ status }) => status)).toEqual([200, 200, 200])
  })

  test('a member can store nothing in it, and learns when to try again', async () => {
    const { id, editor } = await team(stack, ['editor'])
    const headers = {
      authorization: `Bearer ${await editor.token()}`,
      'content-type': 'application/json',
    }
    const unlock = await lock(id)
    const refused = await fetch(`${stack.url}/data/transactions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'Rent', amount: -900 }),
    })
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
  await waitForLocks(1)
  for (const name of ['First', 'Second'])
    expect(await owner.patch('/organization/update', { organizationId: id, name })).toMatchObject(
      busy,
    )
  await unlock()
  expect((await deletion).status).toBe(200)
})

const rows = 20_000
/**
 * Stores transactions of accounts and categories, some with lines and a tag, and their activity.
 */
const storeMany = (user: string, organization: string | null) =>
  stack.sql.query(
    `with account as (
        insert into api.accounts (user_id, organization_id, name, type, currency) select $1, $2, 'Account ' || n, 'checking', 'usd' from generate_series(1, 5) n returning id
      ), category as (
        insert into api.categories (user_id, organization_id, name) select $1, $2, 'Category ' || n from generate_series(1, 20) n returning id
      ), stored as (
        insert into api.transactions (user_id, organization_id, name, amount, currency, account_id, category_id)
          select $1, $2, 'Row', -1, 'usd', accounts.ids[1 + n % 5], categories.ids[1 + n % 20]
          from generate_series(1, ${rows}) n, (select array_agg(id) as ids from account) accounts, (select array_agg(id) as ids from category) categories
          returning *
      )
    insert into api.activity (id, happened_at, change_id, actor_id, user_id, organization_id, tenant, action, table_name, row_id, after)
      select gen_random_uuid(), now(), gen_random_uuid(), $1, case when $2::text is null then $1 end, $2, tenant, 'create', 'transactions', id, to_jsonb(stored) from stored`,
    [user, organization],
  )
const left = async (condition: string, id: string) => {
  const { rows: tables } = await stack.sql.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.columns c
      where table_schema in ('api', 'private') and column_name in ('user_id', 'organization_id') group by table_schema, table_name having count(*) = 2`,
  )
  const counts = await Promise.all(
    tables.map(async ({ name }) =>
      [
        name,
        (await stack.sql.query(`select from ${name} where ${condition}`, [id])).rowCount,
      ] as const
    ),
  )
  await stack.sql.query('select private.forget_tenants()')
  const { rows: noted } = await stack.sql.query(
    'select tenant from private.tenants where tenant ~ $1 union all select tenant from private.changes where tenant ~ $1',
    [`^.:${id}$`],
  )
  return [...counts.filter(([, count]) => count !== 0), ...noted]
}

test('a user with 20,000 transactions deletes the account, and nothing is left', async () => {
  const ann = await signedIn(stack, 'Ann')
  const id = await ann.id()
  await storeMany(id, null)
  expect((await ann.post('/delete-account', { password })).status).toBe(200)
  const { searchParams } = new URL(
    linkIn(await stack.mail.waitFor(ann.email, ({ subject }) => subject === 'Delete your account')),
  )
  expect(await ann.post('/confirm-delete-account', { token: searchParams.get('token') }))
    .toMatchObject({ status: 200 })
  expect(await left('user_id = $1', id)).toEqual([])
  expect((await stack.sql.query('select from auth.users where id = $1', [id])).rowCount).toBe(0)
})

test('a user with 20,000 transactions deletes an organization with as many', async () => {
  const { id, owner } = await team(stack, [])
  await storeMany(await owner.id(), id)
  expect(await owner.delete('/organization/delete', { organizationId: id })).toMatchObject({
    status: 200,
  })
  expect(await left('organization_id = $1', id)).toEqual([])
})

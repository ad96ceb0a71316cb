/** Account deletion: by password and mail. It deletes all personal data. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

const refused = { status: 400, body: { error: 'INVALID_TOKEN', message: expect.any(String) } }
const mailed = (user: Person) => stack.mail.waitFor(user.email, ({ subject }) => subject === 'Delete your account')
/** Requests the deletion. @returns the link in the mail */
async function requestDeletion(user: Person): Promise<URL> {
  expect((await user.post('/delete-account', { password })).status).toBe(200)
  return new URL(linkIn(await mailed(user)))
}
const tokenOf = (link: URL) => link.searchParams.get('token') ?? ''
const store = async (user: Person, name: string) => {
  const headers = { authorization: `Bearer ${await user.token()}`, 'content-type': 'application/json' }
  expect((await fetch(`${stack.dataUrl}/transactions`, { method: 'POST', headers, body: JSON.stringify({ name, amount: -1 }) })).status).toBe(201)
}
const stored = async (name: string) => (await stack.sql.query('select user_id from api.transactions where name = $1', [name])).rows

test('account deletion with the password and the mailed link ends all sessions and tokens, and deletes all personal data', async () => {
  const ann = await signedIn(stack, 'Ann')
  const phone = person(stack, 'Ann', ann.email)
  await phone.signIn()
  const authorization = `Bearer ${await phone.token()}`
  await store(ann, 'Her own')
  const link = await requestDeletion(ann)
  expect(link.pathname).toBe('/api/auth/confirm-delete-account')
  const confirmed = await ann.post('/confirm-delete-account', { token: tokenOf(link) })
  expect(confirmed).toMatchObject({ status: 200, body: { success: true, message: expect.any(String) } })
  expect(ann.cookies.size).toBe(0)
  expect((await phone.get('/get-session')).status).toBe(401)
  expect((await fetch(`${stack.dataUrl}/transactions`, { headers: { authorization } })).status).toBe(401)
  expect(await stored('Her own')).toEqual([])
  expect((await phone.signIn()).status).toBe(401)
  expect((await person(stack, 'Ann', ann.email).signUp()).status).toBe(200)
})

test('account deletion needs a confirmation: opening the link deletes nothing', async () => {
  const ann = await signedIn(stack, 'Ann')
  const link = await requestDeletion(ann)
  for (const method of ['GET', 'HEAD']) {
    const answer = await ann.call(method, `/confirm-delete-account${link.search}`, undefined, { accept: 'text/html' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('text/html')
  }
  expect((await ann.get('/get-session')).status).toBe(200)
})

test('account deletion with a wrong password is refused, and sends no mail', async () => {
  const ann = await signedIn(stack, 'Ann')
  expect(await ann.post('/delete-account', { password: 'wrong' })).toMatchObject({ status: 400, body: { error: 'INVALID_PASSWORD' } })
  expect((await stack.sql.query('select from auth.verifications where value = $1', [await ann.id()])).rowCount).toBe(0)
})

test('account deletion without a password is refused more than ten minutes after the sign-in, and sends no mail', async () => {
  const ann = await signedIn(stack, 'Ann')
  await stack.sql.query(`update auth.sessions set created_at = now() - interval '11 minutes' where user_id = $1`, [await ann.id()])
  expect(await ann.post('/delete-account', {})).toMatchObject({ status: 403, body: { error: 'FRESH_SIGN_IN_REQUIRED' } })
  expect((await stack.sql.query('select from auth.verifications where value = $1', [await ann.id()])).rowCount).toBe(0)
})

test('account deletion is refused for a visitor without a session and for another user with the link', async () => {
  const ann = await signedIn(stack, 'Ann')
  const eve = await signedIn(stack, 'Eve')
  const token = tokenOf(await requestDeletion(ann))
  expect((await person(stack).post('/confirm-delete-account', { token })).status).toBe(401)
  expect(await eve.post('/confirm-delete-account', { token })).toMatchObject(refused)
  for (const user of [ann, eve]) expect((await user.get('/get-session')).status).toBe(200)
  // The owner can still use the token.
  expect((await ann.post('/confirm-delete-account', { token })).status).toBe(200)
  expect((await eve.get('/get-session')).status).toBe(200)
})

test('account deletion with a made-up or expired token is refused', async () => {
  const ann = await signedIn(stack, 'Ann')
  const token = tokenOf(await requestDeletion(ann))
  await stack.sql.query(`update auth.verifications set expires_at = now() - interval '1 second'`)
  for (const wrong of [token, 'a'.repeat(32)]) expect(await ann.post('/confirm-delete-account', { token: wrong })).toMatchObject(refused)
  expect((await ann.get('/get-session')).status).toBe(200)
})

test('the owner of organizations reads in the mail what happens to them; then the member with the highest role owns each, and its rows stay', async () => {
  const { id, owner, viewer, admin } = await team(stack, ['viewer', 'admin'])
  await store(owner, 'Of the team')
  const alone = (await owner.post('/organization/create', { name: 'Alone' })).body.id
  const answer = await owner.post('/delete-account', { password })
  expect(answer.body.organizations).toEqual([
    { id, name: 'The Team', successor: { id: await admin.id(), name: admin.name } },
    { id: alone, name: 'Alone', successor: null },
  ])
  const mail = await mailed(owner)
  expect(mail.text).toContain(`“The Team”, which you own, is then owned by ${admin.name}.`)
  expect(mail.text).toContain('“Alone”, which you own, stays without members.')
  await owner.post('/confirm-delete-account', { token: tokenOf(new URL(linkIn(mail))) })
  expect((await admin.get('/organization/list')).body[0].role).toBe('owner')
  expect((await viewer.get('/organization/list')).body[0].role).toBe('viewer')
  expect(await stored('Of the team')).toEqual([{ user_id: null }])
})

describe('a member who owns five organizations', () => {
  /** Lets the user own five organizations. */
  const ownFive = async (user: Person) => {
    await stack.sql.query(
      `with made as (insert into auth.organizations (id, name, slug) select gen_random_uuid(), 'Other', gen_random_uuid() from generate_series(1, 5) returning id)
        insert into auth.members (id, organization_id, user_id, role) select gen_random_uuid(), id, $1, 'owner' from made`,
      [await user.id()],
    )
  }

  test('a member who owns five organizations is left out: the next member owns the organization, as response and mail say', async () => {
    const { id, owner, viewer, admin } = await team(stack, ['viewer', 'admin'])
    await ownFive(admin)
    const { body } = await owner.post('/delete-account', { password })
    expect(body.organizations).toEqual([{ id, name: 'The Team', successor: { id: await viewer.id(), name: viewer.name } }])
    const mail = await mailed(owner)
    expect(mail.text).toContain(`“The Team”, which you own, is then owned by ${viewer.name}.`)
    expect((await owner.post('/confirm-delete-account', { token: tokenOf(new URL(linkIn(mail))) })).status).toBe(200)
    expect((await viewer.get('/organization/list')).body).toMatchObject([{ id, role: 'owner' }])
  })

  test('a member who owns five organizations does not block the deletion: the organization stays without members, with its rows', async () => {
    const { id, owner, viewer } = await team(stack, ['viewer'])
    await store(owner, 'Of the full member’s team')
    await ownFive(viewer)
    await owner.post('/organization/invite-member', { organizationId: id, email: 'guest@example.org', role: 'viewer' })
    expect((await owner.post('/delete-account', { password })).body.organizations).toEqual([{ id, name: 'The Team', successor: null }])
    const mail = await mailed(owner)
    expect(mail.text).toContain('“The Team”, which you own, stays without members.')
    expect((await owner.post('/confirm-delete-account', { token: tokenOf(new URL(linkIn(mail))) })).status).toBe(200)
    expect(await stored('Of the full member’s team')).toEqual([{ user_id: null }])
    expect((await viewer.get('/organization/list')).body).toHaveLength(5)
    expect((await stack.sql.query(`select from auth.members where organization_id = $1`, [id])).rowCount).toBe(0)
    expect((await stack.sql.query(`select from auth.invitations where organization_id = $1 and status = 'pending'`, [id])).rowCount).toBe(0)
  })
})

describe('a user with 20,000 transactions', () => {
  const rows = 20_000
  /** Stores transactions of accounts and categories, some with lines and a tag, and their activity. */
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
      insert into api.activity (id, happened_at, change_id, actor_id, user_id, organization_id, action, table_name, row_id, after)
        select gen_random_uuid(), now(), gen_random_uuid(), $1, case when $2::text is null then $1 end, $2, 'create', 'transactions', id, to_jsonb(stored) from stored`,
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
          (await stack.sql.query(`select from ${name} where ${condition} and ${name === 'private.changes' ? `table_name <> 'auth'` : 'true'}`, [id])).rowCount,
        ] as const
      ),
    )
    return counts.filter(([, count]) => count !== 0)
  }

  test('a user with 20,000 transactions deletes the account, and nothing is left', async () => {
    const ann = await signedIn(stack, 'Ann')
    const id = await ann.id()
    await storeMany(id, null)
    const token = tokenOf(await requestDeletion(ann))
    expect(await ann.post('/confirm-delete-account', { token })).toMatchObject({ status: 200 })
    expect(await left('user_id = $1', id)).toEqual([])
    expect((await stack.sql.query('select from auth.users where id = $1', [id])).rowCount).toBe(0)
  })

  test('a user with 20,000 transactions deletes an organization with as many', async () => {
    const { id, owner } = await team(stack, [])
    await storeMany(await owner.id(), id)
    expect(await owner.delete('/organization/delete', { organizationId: id })).toMatchObject({ status: 200 })
    expect(await left('organization_id = $1', id)).toEqual([])
  })
})

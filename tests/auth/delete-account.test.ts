/** Account deletion: by password and mail. It deletes all personal data. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, subscribed, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

type Answer = Awaited<ReturnType<Person['post']>>

const refused = { status: 400, body: { error: 'INVALID_TOKEN', message: expect.any(String) } }
const mailed = (user: Person) =>
  stack.mail.waitFor(user.email, ({ subject }) => subject === 'Delete your account')
/** Requests the deletion. @returns the link in the mail */
async function requestDeletion(user: Person): Promise<URL> {
  expect((await user.post('/delete-account', { password })).status).toBe(200)
  return new URL(linkIn(await mailed(user)))
}
const tokenOf = (link: URL) => link.searchParams.get('token') ?? ''
const store = async (user: Person, name: string) => {
  const headers = {
    authorization: `Bearer ${await user.token()}`,
    'content-type': 'application/json',
  }
  expect(
    (await fetch(`${stack.dataUrl}/transactions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name, amount: -1 }),
    })).status,
  ).toBe(201)
}
const stored = async (name: string) =>
  (await stack.sql.query('select user_id from api.transactions where name = $1', [name])).rows

test('account deletion with the password and the mailed link ends all sessions and tokens, and deletes all personal data', async () => {
  const ann = await signedIn(stack, 'Ann')
  const phone = person(stack, 'Ann', ann.email)
  await phone.signIn()
  const authorization = `Bearer ${await phone.token()}`
  await store(ann, 'Her own')
  const link = await requestDeletion(ann)
  expect(link.pathname).toBe('/api/auth/confirm-delete-account')
  const confirmed = await ann.post('/confirm-delete-account', { token: tokenOf(link) })
  expect(confirmed).toMatchObject({
    status: 200,
    body: { success: true, message: expect.any(String) },
  })
  expect(ann.cookies.size).toBe(0)
  expect((await phone.get('/get-session')).status).toBe(401)
  expect((await fetch(`${stack.dataUrl}/transactions`, { headers: { authorization } })).status)
    .toBe(401)
  expect(await stored('Her own')).toEqual([])
  expect((await phone.signIn()).status).toBe(401)
  expect((await person(stack, 'Ann', ann.email).signUp()).status).toBe(200)
})

test('account deletion needs a confirmation: opening the link deletes nothing', async () => {
  const ann = await signedIn(stack, 'Ann')
  const link = await requestDeletion(ann)
  for (const method of ['GET', 'HEAD']) {
    const answer = await ann.call(method, `/confirm-delete-account${link.search}`, undefined, {
      accept: 'text/html',
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('text/html')
  }
  expect((await ann.get('/get-session')).status).toBe(200)
})

test('account deletion with a wrong password is refused, and sends no mail', async () => {
  const ann = await signedIn(stack, 'Ann')
  expect(await ann.post('/delete-account', { password: 'wrong' })).toMatchObject({
    status: 400,
    body: { error: 'INVALID_PASSWORD' },
  })
  expect(
    (await stack.sql.query('select from auth.verifications where value = $1', [await ann.id()]))
      .rowCount,
  ).toBe(0)
})

test('account deletion without a password is refused more than ten minutes after the sign-in, and sends no mail', async () => {
  const ann = await signedIn(stack, 'Ann')
  await stack.sql.query(
    `update auth.sessions set created_at = now() - interval '11 minutes' where user_id = $1`,
    [await ann.id()],
  )
  expect(await ann.post('/delete-account', {})).toMatchObject({
    status: 403,
    body: { error: 'FRESH_SIGN_IN_REQUIRED' },
  })
  expect(
    (await stack.sql.query('select from auth.verifications where value = $1', [await ann.id()]))
      .rowCount,
  ).toBe(0)
})

/** Sends a request while a transaction deletes the account of its user. */
async function duringDeletion(user: Person, request: () => Promise<Answer>): Promise<Answer> {
  const deletion = await stack.sql.connect()
  try {
    await deletion.query('begin')
    await deletion.query('delete from auth.users where email = $1', [user.email])
    const answer = request()
    await expect.poll(async () =>
      (await stack.sql.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )).rowCount
    )
      .toBe(1)
    await deletion.query('commit')
    return await answer
  } finally {
    deletion.release()
  }
}

test.each<[string, (user: Person) => Promise<Answer>]>([
  ['creates an organization', (user) => user.post('/organization/create', { name: 'Acme' })],
  ['changes the name', (user) => user.post('/update-user', { name: 'Anna' })],
  [
    'creates an API key',
    (user) => user.post('/api-key/create', { name: 'Report', expiresInDays: 9, password }),
  ],
])('a user who %s at the moment of the account’s deletion gets 401', async (_, request) => {
  const ann = await subscribed(stack, 'Ann')
  expect(await duringDeletion(ann, () => request(ann))).toMatchObject({
    status: 401,
    body: { error: 'UNAUTHORIZED' },
  })
})

test('a user who signs in at the moment of the account’s deletion is asked to try again, and then has no account', async () => {
  const ann = await signedIn(stack, 'Ann')
  const phone = person(stack, 'Ann', ann.email)
  const answer = await duringDeletion(ann, () => phone.signIn())
  expect(answer).toMatchObject({ status: 503, body: { error: 'SERVICE_BUSY' } })
  expect(answer.headers.get('retry-after')).toBe('1')
  expect((await phone.signIn()).status).toBe(401)
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
  for (const wrong of [token, 'a'.repeat(32)])
    expect(await ann.post('/confirm-delete-account', { token: wrong })).toMatchObject(refused)
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
  expect(mail.text).toContain(`${admin.name} will become the owner of “The Team”.`)
  expect(mail.text).toContain('“Alone” will have no members.')
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
    expect(body.organizations).toEqual([{
      id,
      name: 'The Team',
      successor: { id: await viewer.id(), name: viewer.name },
    }])
    const mail = await mailed(owner)
    expect(mail.text).toContain(`${viewer.name} will become the owner of “The Team”.`)
    expect(
      (await owner.post('/confirm-delete-account', { token: tokenOf(new URL(linkIn(mail))) }))
        .status,
    ).toBe(200)
    expect((await viewer.get('/organization/list')).body).toMatchObject([{ id, role: 'owner' }])
  })

  test('a member who owns five organizations does not block the deletion: the organization stays without members, with its rows', async () => {
    const { id, owner, viewer } = await team(stack, ['viewer'])
    await store(owner, 'Of the full member’s team')
    await ownFive(viewer)
    await owner.post('/organization/invite-member', {
      organizationId: id,
      email: 'guest@example.org',
      role: 'viewer',
    })
    expect((await owner.post('/delete-account', { password })).body.organizations).toEqual([{
      id,
      name: 'The Team',
      successor: null,
    }])
    const mail = await mailed(owner)
    expect(mail.text).toContain('“The Team” will have no members.')
    expect(
      (await owner.post('/confirm-delete-account', { token: tokenOf(new URL(linkIn(mail))) }))
        .status,
    ).toBe(200)
    expect(await stored('Of the full member’s team')).toEqual([{ user_id: null }])
    expect((await viewer.get('/organization/list')).body).toHaveLength(5)
    expect(
      (await stack.sql.query(`select from auth.members where organization_id = $1`, [id])).rowCount,
    ).toBe(0)
    expect(
      (await stack.sql.query(
        `select from auth.invitations where organization_id = $1 and status = 'pending'`,
        [id],
      )).rowCount,
    ).toBe(0)
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { person, signedIn, subscribed, team, type Answer, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())

const invite = (owner: Person, organizationId: string, email: string, role = 'editor') =>
  owner.post('/organization/invite-member', { organizationId, email, role })

test('an invitation is returned exactly, expires after 7 days, and is mailed', async () => {
  const { id, owner } = await team(stack, [])
  const bob = person(stack, 'Bob')
  const { status, body } = await invite(owner, id, bob.email.toUpperCase())
  expect(status).toBe(200)
  expect(body).toEqual({
    id: expect.any(String),
    organization_id: id,
    email: bob.email,
    role: 'editor',
    inviter_id: await owner.id(),
    status: 'pending',
    expires_at: expect.any(String),
    created_at: expect.any(String),
  })
  expect(Math.round((Date.parse(body.expires_at) - Date.parse(body.created_at)) / 1000 / 60)).toBe(
    7 * 24 * 60,
  )
  const mail = await stack.mail.waitFor(bob.email)
  expect(mail.text).toContain('The Team')
  expect(linkIn(mail)).toContain(body.id)
})

test('an invitation is accepted once, by a verified account of the invited address', async () => {
  const { id, owner } = await team(stack, [])
  const bob = await signedIn(stack, 'Bob')
  const { body: { id: invitationId } } = await invite(owner, id, bob.email)
  expect((await bob.get('/organization/list-user-invitations')).body).toMatchObject([{
    id: invitationId,
    organization_id: id,
    organization_name: 'The Team',
  }])
  expect(await bob.post('/organization/accept-invitation', { invitationId })).toMatchObject({
    status: 200,
    body: {
      success: true,
      invitation: { id: invitationId, status: 'accepted' },
      member: { organization_id: id, role: 'editor' },
    },
  })
  expect((await bob.get('/organization/list')).body).toMatchObject([{ id, role: 'editor' }])
  expect(await bob.post('/organization/accept-invitation', { invitationId })).toMatchObject({
    status: 404,
    body: { error: 'NOT_FOUND' },
  })
  expect((await bob.get('/organization/list-user-invitations')).body).toEqual([])
})

test('an invitation that is accepted twenty times at once creates one membership', async () => {
  const { id, owner } = await team(stack, [])
  const bob = await signedIn(stack, 'Bob')
  const { body: { id: invitationId } } = await invite(owner, id, bob.email)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => bob.post('/organization/accept-invitation', { invitationId })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await owner.get(`/organization/get?organizationId=${id}`)).body.members_count).toBe(2)
})

test('an invitation cannot be accepted, rejected or read by an unverified account', async () => {
  const { id, owner } = await team(stack, [])
  const bob = person(stack, 'Bob')
  await bob.signUp()
  const { body: { id: invitationId } } = await invite(owner, id, bob.email)
  for (const path of ['accept-invitation', 'reject-invitation']) {
    expect(await bob.post(`/organization/${path}`, { invitationId })).toMatchObject({
      status: 403,
      body: { error: 'EMAIL_NOT_VERIFIED' },
    })
  }
  expect(await bob.get('/organization/list-user-invitations')).toMatchObject({
    status: 200,
    body: [],
  })
  expect((await owner.get(`/organization/list-invitations?organizationId=${id}`)).body)
    .toMatchObject([{ status: 'pending' }])
})

test('an invitation cannot be accepted or rejected by another user', async () => {
  const { id, owner } = await team(stack, [])
  const [bob, eve] = [await signedIn(stack, 'Bob'), await signedIn(stack, 'Eve')]
  const { body: { id: invitationId } } = await invite(owner, id, bob.email)
  for (const path of ['accept-invitation', 'reject-invitation', 'cancel-invitation']) {
    expect((await eve.post(`/organization/${path}`, { invitationId })).status)
      .toBeGreaterThanOrEqual(403)
  }
  expect((await bob.post('/organization/accept-invitation', { invitationId })).status).toBe(200)
})

test('an invitation shows its details to the holder of the link before sign-in, with shortened addresses', async () => {
  const { id, owner } = await team(stack, [])
  const bob = await signedIn(stack, 'Bob')
  const { body: { id: invitationId, expires_at } } = await invite(owner, id, bob.email)
  const details = {
    id: invitationId,
    organization_name: 'The Team',
    inviter_name: 'Owner',
    role: 'editor',
    status: 'pending',
    expires_at,
    email_hint: 'b…@example.org',
  }
  const path = `/organization/get-invitation?invitationId=${invitationId}`
  expect(await person(stack).get(path)).toMatchObject({
    status: 200,
    body: { ...details, is_for_caller: false },
  })
  expect((await bob.get(path)).body).toEqual({ ...details, is_for_caller: true })
  expect((await owner.get(path)).body).toEqual({ ...details, is_for_caller: false })
  expect(await bob.get('/organization/get-invitation?invitationId=nothing')).toMatchObject({
    status: 404,
    body: { error: 'NOT_FOUND' },
  })
  await bob.post('/organization/reject-invitation', { invitationId })
  expect((await person(stack).get(path)).body).toEqual({
    ...details,
    organization_name: null,
    inviter_name: null,
    status: 'rejected',
    is_for_caller: false,
  })
  const { body: next } = await invite(owner, id, bob.email)
  await stack.sql.query(
    `update auth.invitations set expires_at = now() - interval '1 second' where id = $1`,
    [next.id],
  )
  expect((await bob.get(`/organization/get-invitation?invitationId=${next.id}`)).body)
    .toMatchObject({ status: 'expired', organization_name: 'The Team' })
})

test('an invitation shows no later names after it was canceled, and shows them after it was accepted', async () => {
  const { id, owner } = await team(stack, [])
  const bob = await signedIn(stack, 'Bob')
  const details = async (invitationId: string) =>
    (await person(stack).get(`/organization/get-invitation?invitationId=${invitationId}`)).body
  const { body: { id: takenBack } } = await invite(owner, id, bob.email)
  await owner.post('/organization/cancel-invitation', { invitationId: takenBack })
  const { body: { id: accepted } } = await invite(owner, id, bob.email)
  await bob.post('/organization/accept-invitation', { invitationId: accepted })
  await owner.patch('/organization/update', { organizationId: id, name: 'Renamed' })
  expect(await details(takenBack)).toMatchObject({
    status: 'canceled',
    organization_name: null,
    inviter_name: null,
  })
  expect(await details(accepted)).toMatchObject({
    status: 'accepted',
    organization_name: 'Renamed',
    inviter_name: 'Owner',
  })
})

test('an invitation shows hostile names like the mail does: in one short line, without links', async () => {
  const { id, owner } = await team(stack, [])
  const hostile = `Win at https://evil.example/ ${'now '.repeat(40)}`
  expect((await owner.patch('/organization/update', { organizationId: id, name: hostile })).status)
    .toBe(200)
  expect((await owner.post('/update-user', { name: hostile })).status).toBe(200)
  const { body: { id: invitationId } } = await invite(owner, id, 'bob-of-names@example.org')
  const { subject } = await stack.mail.waitFor('bob-of-names@example.org')
  const { body: { organization_name: organization, inviter_name: inviter } } = await person(stack)
    .get(
      `/organization/get-invitation?invitationId=${invitationId}`,
    )
  expect(`${inviter} invited you to ${organization}`).toBe(subject)
  expect(organization).toMatch(/^Win at https \/\/evil example\/ now now .*…$/)
  expect(organization.length).toBeLessThanOrEqual(60)
})

test('an invitation does not change the active organization when it is accepted', async () => {
  const { id, owner } = await team(stack, [])
  const { viewer: bob, id: ownTeam } = await team(stack, ['viewer'])
  const { body: { id: invitationId } } = await invite(owner, id, bob.email)
  expect((await bob.post('/organization/accept-invitation', { invitationId })).status).toBe(200)
  expect((await bob.get('/get-session')).body.session.active_organization_id).toBe(ownTeam)
})

test('an invitation cannot be accepted after it was rejected', async () => {
  const { id, owner } = await team(stack, [])
  const bob = await signedIn(stack, 'Bob')
  const { body: { id: invitationId } } = await invite(owner, id, bob.email)
  expect(await bob.post('/organization/reject-invitation', { invitationId })).toMatchObject({
    status: 200,
    body: { success: true, invitation: { status: 'rejected' } },
  })
  expect((await bob.post('/organization/accept-invitation', { invitationId })).status).toBe(404)
})

test('an invitation cannot be accepted after it was canceled', async () => {
  const { id, owner, admin } = await team(stack, ['admin'])
  const bob = await signedIn(stack, 'Bob')
  const { body: { id: invitationId } } = await invite(owner, id, bob.email)
  expect(await admin.post('/organization/cancel-invitation', { invitationId })).toMatchObject({
    status: 200,
    body: { success: true, invitation: { status: 'canceled' } },
  })
  expect((await bob.post('/organization/accept-invitation', { invitationId })).status).toBe(404)
})

test.each<
  [string, (to: { id: string, owner: Person, admin: Person, userId: string }) => Promise<Answer>]
>([
  [
    'is removed',
    ({ id, owner, userId }) =>
      owner.post('/organization/remove-member', { organizationId: id, userId }),
  ],
  ['leaves', ({ id, admin }) => admin.post('/organization/leave', { organizationId: id })],
  [
    'becomes an editor',
    ({ id, owner, userId }) =>
      owner.patch('/organization/update-member-role', {
        organizationId: id,
        userId,
        role: 'editor',
      }),
  ],
])(
  'an invitation ends when the admin who sent it %s, and those of other managers stay',
  async (_, change) => {
    const { id, owner, admin } = await team(stack, ['admin'])
    const [bob, cem] = [await signedIn(stack, 'Bob'), await signedIn(stack, 'Cem')]
    const [{ body: { id: ofAdmin } }, { body: { id: ofOwner } }] = [
      await invite(admin, id, bob.email),
      await invite(owner, id, cem.email),
    ]
    expect((await change({ id, owner, admin, userId: await admin.id() })).status).toBe(200)
    expect((await bob.post('/organization/accept-invitation', { invitationId: ofAdmin })).status)
      .toBe(404)
    expect((await cem.post('/organization/accept-invitation', { invitationId: ofOwner })).status)
      .toBe(200)
    expect((await invite(owner, id, bob.email)).status).toBe(200)
  },
)

test('an invitation of an owner stays valid after a transfer of the ownership', async () => {
  const { id, owner, admin } = await team(stack, ['admin'])
  const bob = await signedIn(stack, 'Bob')
  const { body: { id: invitationId } } = await invite(owner, id, bob.email)
  expect(
    (await owner.post('/organization/transfer-ownership', {
      organizationId: id,
      userId: await admin.id(),
    })).status,
  ).toBe(200)
  expect((await bob.post('/organization/accept-invitation', { invitationId })).status).toBe(200)
})

test('an invitation of an admin who is removed at the same moment is never left', async () => {
  const { id, owner, admin } = await team(stack, ['admin'])
  const userId = await admin.id()
  const invitations = Array.from(
    { length: 8 },
    (__, at) => invite(admin, id, `accomplice-${at}@example.org`),
  )
  expect((await owner.post('/organization/remove-member', { organizationId: id, userId })).status)
    .toBe(200)
  await Promise.all(invitations)
  expect(
    (await owner.get(`/organization/list-invitations?organizationId=${id}`)).body
      .filter(({ status }: { status: string }) => status === 'pending'),
  )
    .toEqual([])
})

test('an invitation cannot be canceled after it was accepted', async () => {
  const { id, owner } = await team(stack, [])
  const bob = await signedIn(stack, 'Bob')
  const { body: { id: invitationId } } = await invite(owner, id, bob.email)
  await bob.post('/organization/accept-invitation', { invitationId })
  expect(await owner.post('/organization/cancel-invitation', { invitationId })).toMatchObject({
    status: 404,
    body: { error: 'NOT_FOUND' },
  })
  expect((await owner.get(`/organization/list-invitations?organizationId=${id}`)).body)
    .toMatchObject([{ status: 'accepted' }])
})

test('an invitation is invalid after 7 days, and the same user can be invited again', async () => {
  const { id, owner } = await team(stack, [])
  const bob = await signedIn(stack, 'Bob')
  const { body: { id: invitationId } } = await invite(owner, id, bob.email)
  await stack.sql.query(
    `update auth.invitations set expires_at = now() - interval '1 second' where id = $1`,
    [invitationId],
  )
  expect((await bob.post('/organization/accept-invitation', { invitationId })).status).toBe(404)
  expect((await invite(owner, id, bob.email)).status).toBe(200)
})

test('an invitation for an invited address returns 409, also at the same moment', async () => {
  const { id, owner } = await team(stack, [])
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => invite(owner, id, 'twice@example.org')),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(
    new Set(
      answers.filter(({ status }) => status !== 200).map(({ status, body }) =>
        `${status} ${body.error}`
      ),
    ),
  ).toEqual(
    new Set(['409 ALREADY_INVITED']),
  )
})

test('an invitation for a member returns 409', async () => {
  const { id, owner, viewer } = await team(stack, ['viewer'])
  expect(await invite(owner, id, viewer.email)).toMatchObject({
    status: 409,
    body: { error: 'ALREADY_MEMBER' },
  })
})

test('an invitation cannot create a fifty-first member, even if many users accept at once', async () => {
  const owner = await subscribed(stack, 'Olga')
  const { body: { id } } = await owner.post('/organization/create', { name: 'Crowd' })
  await stack.sql.query(
    `
      with people as (insert into auth.users (id, name, email) select 'user-' || i, '', 'user-' || i || '@example.org' from generate_series(1, 45) i returning id)
      insert into auth.members (id, organization_id, user_id, role) select 'member-' || id, $1, id, 'viewer' from people`,
    [id],
  )
  const invited = await Promise.all(Array.from({ length: 8 }, async () => {
    const invitee = await signedIn(stack, 'Late')
    return { invitee, invitationId: (await invite(owner, id, invitee.email)).body.id }
  }))
  const answers = await Promise.all(
    invited.map(({ invitee, invitationId }) =>
      invitee.post('/organization/accept-invitation', { invitationId })
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
  expect(
    new Set(
      answers.filter(({ status }) => status !== 200).map(({ status, body }) =>
        `${status} ${body.error}`
      ),
    ),
  ).toEqual(
    new Set(['403 MEMBERSHIP_LIMIT_REACHED']),
  )
  expect((await owner.get(`/organization/get?organizationId=${id}`)).body.members_count).toBe(50)
  expect(await invite(owner, id, 'one-more@example.org')).toMatchObject({
    status: 403,
    body: { error: 'MEMBERSHIP_LIMIT_REACHED', message: expect.stringContaining('limit of 50') },
  })
  // The refused user can still accept after a member leaves.
  expect(
    (await owner.get(`/organization/list-invitations?organizationId=${id}`)).body
      .filter((row: { status: string }) => row.status === 'pending'),
  )
    .toHaveLength(4)
})

test('an organization has at most 100 pending invitations, even if several are sent at once', async () => {
  const { id, owner } = await team(stack, [])
  await stack.sql.query(
    `insert into auth.invitations (id, organization_id, email, role, inviter_id, expires_at)
     select 'pending-' || i, $1, 'pending-' || i || '@example.org', 'viewer', $2, now() + interval '1 day'
     from generate_series(1, 98) i`,
    [id, await owner.id()],
  )
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, at) => invite(owner, id, `late-${at}@example.org`)),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
  expect(answers.find(({ status }) => status !== 200)).toMatchObject({
    status: 403,
    body: { error: 'INVITATION_LIMIT_REACHED', message: expect.stringContaining('limit of 100') },
  })
})

test('an invitation to an invalid address is refused', async () => {
  const { id, owner } = await team(stack, [])
  expect(await invite(owner, id, 'bob')).toMatchObject({
    status: 400,
    body: { error: 'INVALID_EMAIL' },
  })
})

describe('the link of an invitation verifies the address that its mail came to', () => {
  /** Invites an address. Returns the parameters of the mailed link. */
  async function inviteByMail(owner: Person, organizationId: string, email: string) {
    const { body } = await owner.post('/organization/invite-member', {
      organizationId,
      email,
      role: 'editor',
    })
    const mail = await stack.mail.waitFor(email.toLowerCase(), ({ text }) => text.includes(body.id))
    return Object.fromEntries(new URL(linkIn(mail)).searchParams) as {
      invitationId: string
      token: string
    }
  }

  const isVerified = async (user: Person) =>
    (await user.get('/get-session')).body.user.email_verified
  const accept = (user: Person, body: object) => user.post('/organization/accept-invitation', body)
  const refusal = { status: 403, body: { error: 'EMAIL_NOT_VERIFIED' } }

  /** A user who has signed up and not opened the verification mail. */
  async function unverified(name: string) {
    const user = person(stack, name)
    await user.signUp()
    return user
  }

  test('the link of an invitation lets a user who has just signed up accept, and verifies the address', async () => {
    const { id, owner } = await team(stack, [])
    const bob = person(stack, 'Bob')
    const link = await inviteByMail(owner, id, bob.email.toUpperCase())
    await bob.signUp()
    expect(await isVerified(bob)).toBe(false)
    expect(await accept(bob, link)).toMatchObject({
      status: 200,
      body: { success: true, member: { role: 'editor' } },
    })
    expect(await isVerified(bob)).toBe(true)
  })

  test('the link of an invitation lets such a user decline, too', async () => {
    const { id, owner } = await team(stack, [])
    const bob = await unverified('Bob')
    const link = await inviteByMail(owner, id, bob.email)
    expect(await bob.post('/organization/reject-invitation', link)).toMatchObject({
      status: 200,
      body: { invitation: { status: 'rejected' } },
    })
    expect(await isVerified(bob)).toBe(true)
  })

  test('the link of an invitation without its token works as before: the address is verified by its own mail first', async () => {
    const { id, owner } = await team(stack, [])
    const bob = await unverified('Bob')
    const { invitationId } = await inviteByMail(owner, id, bob.email)
    expect(await accept(bob, { invitationId })).toMatchObject(refusal)
    await bob.verify()
    expect(await accept(bob, { invitationId })).toMatchObject({ status: 200 })
  })

  test('no address is verified for an inviter who signs up with the invited address: neither a response nor the list of invitations has the token', async () => {
    const { id, owner, admin } = await team(stack, ['admin'])
    const bob = person(stack, 'Bob')
    const sent = await owner.post('/organization/invite-member', {
      organizationId: id,
      email: bob.email,
      role: 'editor',
    })
    const lists = await Promise.all(
      [owner, admin].map((one) => one.get(`/organization/list-invitations?organizationId=${id}`)),
    )
    const ofLink = await owner.get(`/organization/get-invitation?invitationId=${sent.body.id}`)
    const mail = await stack.mail.waitFor(bob.email)
    const token = new URL(linkIn(mail)).searchParams.get('token') ?? ''
    expect(token.length).toBeGreaterThan(40)
    expect(JSON.stringify([sent.body, lists.map(({ body }) => body), ofLink.body])).not.toContain(
      token,
    )
    await bob.signUp()
    for (const guess of [sent.body.id, 'x', `${token.slice(0, -4)}AAAA`]) {
      expect(await accept(bob, { invitationId: sent.body.id, token: guess })).toMatchObject(refusal)
    }
    expect(await isVerified(bob)).toBe(false)
  })

  test('no address is verified for another address, with the token of a mail to the attacker', async () => {
    const { id, owner } = await team(stack, [])
    const [eve, bob] = [await unverified('Eve'), await unverified('Bob')]
    const [ofEve, ofBob] = [
      await inviteByMail(owner, id, eve.email),
      await inviteByMail(owner, id, bob.email),
    ]
    expect(await accept(bob, ofEve)).toMatchObject({ status: 403 })
    expect(await accept(bob, { invitationId: ofBob.invitationId, token: ofEve.token }))
      .toMatchObject(refusal)
    expect(await accept(bob, { invitationId: ofEve.invitationId, token: ofBob.token }))
      .toMatchObject({ status: 403 })
    expect([await isVerified(bob), await isVerified(eve)]).toEqual([false, false])
  })

  test.each(['canceled', 'expired', 'rejected'])(
    'no address is verified by an invitation that is %s',
    async (state) => {
      const { id, owner } = await team(stack, [])
      const bob = await unverified('Bob')
      const link = await inviteByMail(owner, id, bob.email)
      if (state === 'canceled')
        await owner.post('/organization/cancel-invitation', {
          invitationId: link.invitationId,
        })
      else if (state === 'expired')
        await stack.sql.query(
          `update auth.invitations set expires_at = now() - interval '1 second' where id = $1`,
          [link.invitationId],
        )
      else await stack.sql.query(`update auth.invitations set status = 'rejected' where id = $1`, [
          link.invitationId,
        ])
      expect((await accept(bob, link)).status).not.toBe(200)
      expect(await isVerified(bob)).toBe(false)
    },
  )

  test('no address is verified by a link that was used: a later account of the address starts unverified', async () => {
    const { id, owner } = await team(stack, [])
    const bob = await unverified('Bob')
    const link = await inviteByMail(owner, id, bob.email)
    expect((await accept(bob, link)).status).toBe(200)
    await stack.sql.query('delete from auth.users where email = $1', [bob.email])
    const again = person(stack, 'Bob', bob.email)
    await again.signUp()
    expect((await accept(again, link)).status).not.toBe(200)
    expect(await isVerified(again)).toBe(false)
  })

  test('no address is verified by the token of another mail: a verification token proves nothing here, and this token opens no other route', async () => {
    const { id, owner } = await team(stack, [])
    const bob = await unverified('Bob')
    const mail = await stack.mail.waitFor(bob.email, ({ text }) => text.includes('/disown-account'))
    const others = [...mail.text.matchAll(/token=([\w.-]+)/g)].map(([, token]) => token)
    const link = await inviteByMail(owner, id, bob.email)
    expect(others.length).toBeGreaterThan(1)
    for (const token of others)
      expect(await accept(bob, { invitationId: link.invitationId, token })).toMatchObject(refusal)
    expect((await bob.get(`/verify-email?token=${link.token}`)).status).toBe(400)
    expect((await bob.post('/disown-account', { token: link.token })).status).toBe(400)
    expect(
      (await bob.post('/reset-password', { token: link.token, password: 'another long password' }))
        .status,
    ).toBe(400)
    expect(await isVerified(bob)).toBe(false)
  })

  test('no address is verified for a client without a session', async () => {
    const { id, owner } = await team(stack, [])
    const bob = await signedIn(stack, 'Bob')
    const link = await inviteByMail(owner, id, bob.email)
    expect((await accept(person(stack, 'Nobody'), link)).status).toBe(401)
  })
})

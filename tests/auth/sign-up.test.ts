/** Restrictions of sign-up by SIGN_UP and SIGN_UP_DOMAINS. Source: docs/settings.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, subscribed, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

/** The service by invitation, and services with other settings on the same database. */
let stack: Stack
let closed: Stack
let domains: Stack
let both: Stack
beforeAll(async () => {
  stack = await startStack({ env: { SIGN_UP: 'invitation' } })
  const another = async (env: Record<string, string>) => ({
    ...stack,
    url: await stack.startAnotherAuth(env),
  })
  closed = await another({ SIGN_UP: 'closed' })
  domains = await another({ SIGN_UP: 'open', SIGN_UP_DOMAINS: 'example.org, Example.COM' })
  both = await another({ SIGN_UP_DOMAINS: 'example.org' })
})
afterAll(() => stack.close())

const signUp = async (at: Stack, email: string) => person(at, 'Ann', email).signUp()
const accounts = async () =>
  Number((await stack.sql.query('select count(*) from auth.users')).rows[0].count)
const refusedWith = (error: string) => ({
  status: 403,
  body: { error, message: expect.any(String) },
})

/** Creates a team that has invited an address. */
async function invited(email: string) {
  const ann = await subscribed(stack, 'Ann')
  const { body: team } = await ann.post('/organization/create', { name: 'Household' })
  const invite = async (address: string) =>
    (await ann.post('/organization/invite-member', {
      organizationId: team.id,
      email: address,
      role: 'viewer',
    })).body.id as string
  return { ann, invite, invitation: await invite(email) }
}

test('sign-up by invitation is allowed for an invited address in any letter case, and refused for other addresses', async () => {
  const { invitation } = await invited('bob@example.org')
  expect(await signUp(stack, 'eve@example.org')).toMatchObject(refusedWith('INVITATION_REQUIRED'))
  expect((await signUp(stack, 'Bob@Example.org')).status).toBe(200)
  const bob = person(stack, 'Bob', 'bob@example.org')
  await bob.verify()
  await bob.signIn()
  expect((await bob.post('/organization/accept-invitation', { invitationId: invitation })).status)
    .toBe(200)
})

test('sign-up by invitation is refused for an invitation that was canceled, answered or expired, and stores nothing', async () => {
  const { ann, invitation } = await invited('cem@example.org')
  const before = await accounts()
  const expire = (interval: string) =>
    stack.sql.query('update auth.invitations set expires_at = now() + $2::interval where id = $1', [
      invitation,
      interval,
    ])
  await expire('-1 second')
  expect(await signUp(stack, 'cem@example.org')).toMatchObject(refusedWith('INVITATION_REQUIRED'))
  await expire('1 day')
  await ann.post('/organization/cancel-invitation', { invitationId: invitation })
  expect(await signUp(stack, 'cem@example.org')).toMatchObject(refusedWith('INVITATION_REQUIRED'))
  expect(await accounts()).toBe(before)
})

describe('sign-up by invitation, and address changes', () => {
  const ask = async (who: Person, newEmail: string) => {
    const { status, body } = await who.post('/request-email-change', { newEmail, password })
    return { status, body }
  }
  const confirm = async (newEmail: string) => {
    const link = new URL(
      linkIn(
        await stack.mail.waitFor(newEmail, ({ text }) => text.includes('confirm-email-change')),
      ),
    )
    return person(stack).post('/confirm-email-change', { token: link.searchParams.get('token') })
  }

  test('one invitation allows one account, with the invited address', async () => {
    const dee = person(stack, 'Dee')
    await invited(dee.email)
    await dee.signUp()
    const before = await accounts()
    expect(await ask(dee, 'eve@example.net')).toMatchObject(refusedWith('EMAIL_NOT_VERIFIED'))
    await dee.verify()
    expect((await ask(dee, 'eve@example.net')).status).toBe(200)
    expect(await confirm('eve@example.net')).toMatchObject(refusedWith('INVITATION_REQUIRED'))
    expect((await dee.get('/get-session')).body.user.email).toBe(dee.email)
    expect(await signUp(stack, dee.email)).toMatchObject({ status: 409 })
    expect(await accounts()).toBe(before)
  })

  test('a new address needs its own invitation, also a late one; the response to the request does not reveal invitations', async () => {
    const { ann, invite } = await invited('ann@example.net')
    expect(await ask(ann, 'ann@example.net')).toEqual(await ask(ann, 'later@example.net'))
    expect(await confirm('later@example.net')).toMatchObject(refusedWith('INVITATION_REQUIRED'))
    await invite('later@example.net')
    expect((await confirm('later@example.net')).status).toBe(200)
    expect((await ann.get('/get-session')).body.user.email).toBe('later@example.net')
  })
})

test('closed sign-up is refused, also for invited addresses, and does not reveal which addresses have accounts', async () => {
  const { ann } = await invited('fay@example.org')
  const before = await accounts()
  for (const email of ['fay@example.org', 'gus@example.org', ann.email])
    expect(await signUp(closed, email)).toMatchObject(refusedWith('SIGN_UP_CLOSED'))
  expect(await accounts()).toBe(before)
})

test('closed sign-up does not affect existing accounts', async () => {
  const ann = await signedIn(closed, 'Ann')
  const elsewhere = person(closed, 'Ann', ann.email)
  expect((await elsewhere.signIn()).status).toBe(200)
  expect(
    (await elsewhere.post('/change-password', {
      currentPassword: password,
      newPassword: 'something else',
    })).status,
  ).toBe(200)
  expect(
    (await ann.post('/request-email-change', {
      newEmail: 'hal@example.net',
      password: 'something else',
    })).status,
  ).toBe(401)
  expect(
    (await elsewhere.post('/request-email-change', {
      newEmail: 'hal@example.net',
      password: 'something else',
    })).status,
  ).toBe(200)
})

test('closed sign-up reports invalid input first', async () => {
  expect(await signUp(closed, 'nobody')).toMatchObject({
    status: 400,
    body: { error: 'INVALID_EMAIL' },
  })
})

test('sign-up with domains is allowed for addresses of these domains, and refused for subdomains and similar names', async () => {
  const before = await accounts()
  expect((await signUp(domains, 'ida@example.org')).status).toBe(200)
  expect((await signUp(domains, 'ida@EXAMPLE.com')).status).toBe(200)
  for (
    const email of [
      'eve@sub.example.org',
      'eve@notexample.org',
      'eve@example.org.evil.example',
      '"ida@example.org"@evil.example',
    ]
  ) {
    expect((await signUp(domains, email)).status, email).toBeGreaterThanOrEqual(400)
  }
  expect(await signUp(domains, 'eve@notexample.org')).toMatchObject(
    refusedWith('EMAIL_DOMAIN_NOT_ALLOWED'),
  )
  expect(await accounts()).toBe(before + 2)
})

test('sign-up with domains is restricted to these domains for invited addresses too', async () => {
  await invited('bob@elsewhere.example')
  expect(await signUp(both, 'bob@elsewhere.example')).toMatchObject(
    refusedWith('EMAIL_DOMAIN_NOT_ALLOWED'),
  )
})

/** Restrictions of sign-up by SIGN_UP and SIGN_UP_DOMAINS. Source: README "Configure it". */
import { describe, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, subscribed, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

const signUp = async (stack: Stack, email: string) => person(stack, 'Ann', email).signUp()
const accounts = async (stack: Stack) => Number((await stack.sql.query('select count(*) from auth.users')).rows[0].count)
const refusedWith = (error: string) => ({ status: 403, body: { error, message: expect.any(String) } })

/** Creates a team that has invited an address. */
async function invited(stack: Stack, email: string) {
  const ann = await subscribed(stack, 'Ann')
  const { body: team } = await ann.post('/organization/create', { name: 'Household' })
  const { body: invitation } = await ann.post('/organization/invite-member', { organizationId: team.id, email, role: 'viewer' })
  return { ann, invitation: invitation.id as string }
}

test('sign-up by invitation is allowed for an invited address in any letter case, and refused for other addresses', async () => {
  await using stack = await startStack({ env: { SIGN_UP: 'invitation' } })
  const { invitation } = await invited(stack, 'bob@example.org')
  expect(await signUp(stack, 'eve@example.org')).toMatchObject(refusedWith('INVITATION_REQUIRED'))
  expect((await signUp(stack, 'Bob@Example.org')).status).toBe(200)
  const bob = person(stack, 'Bob', 'bob@example.org')
  await bob.verify()
  await bob.signIn()
  expect((await bob.post('/organization/accept-invitation', { invitationId: invitation })).status).toBe(200)
})

test('sign-up by invitation is refused for an invitation that was canceled, answered or expired, and stores nothing', async () => {
  await using stack = await startStack({ env: { SIGN_UP: 'invitation' } })
  const { ann, invitation } = await invited(stack, 'bob@example.org')
  await stack.sql.query(`update auth.invitations set expires_at = now() - interval '1 second'`)
  expect(await signUp(stack, 'bob@example.org')).toMatchObject(refusedWith('INVITATION_REQUIRED'))
  await stack.sql.query(`update auth.invitations set expires_at = now() + interval '1 day'`)
  await ann.post('/organization/cancel-invitation', { invitationId: invitation })
  expect(await signUp(stack, 'bob@example.org')).toMatchObject(refusedWith('INVITATION_REQUIRED'))
  expect(await accounts(stack)).toBe(1)
})

describe('sign-up by invitation, and address changes', () => {
  const ask = async (who: Person, newEmail: string) => {
    const { status, body } = await who.post('/request-email-change', { newEmail, password })
    return { status, body }
  }
  const confirm = async (stack: Stack, newEmail: string) => {
    const link = new URL(linkIn(await stack.mail.waitFor(newEmail, ({ text }) => text.includes('confirm-email-change'))))
    return person(stack).post('/confirm-email-change', { token: link.searchParams.get('token') })
  }

  test('one invitation allows one account, with the invited address', async () => {
    await using stack = await startStack({ env: { SIGN_UP: 'invitation' } })
    await invited(stack, 'bob@example.org')
    const bob = person(stack, 'Bob', 'bob@example.org')
    await bob.signUp()
    expect(await ask(bob, 'eve@example.net')).toMatchObject(refusedWith('EMAIL_NOT_VERIFIED'))
    await bob.verify()
    expect((await ask(bob, 'eve@example.net')).status).toBe(200)
    expect(await confirm(stack, 'eve@example.net')).toMatchObject(refusedWith('INVITATION_REQUIRED'))
    expect((await bob.get('/get-session')).body.user.email).toBe('bob@example.org')
    expect(await signUp(stack, 'bob@example.org')).toMatchObject({ status: 409 })
    expect(await accounts(stack)).toBe(2)
  })

  test('a new address needs its own invitation, also a late one; the response to the request does not reveal invitations', async () => {
    await using stack = await startStack({ env: { SIGN_UP: 'invitation' } })
    const ann = await subscribed(stack, 'Ann')
    const { id: organizationId } = (await ann.post('/organization/create', { name: 'Household' })).body
    const invite = (email: string) => ann.post('/organization/invite-member', { organizationId, email, role: 'viewer' })
    await invite('ann@example.net')
    expect(await ask(ann, 'ann@example.net')).toEqual(await ask(ann, 'later@example.net'))
    expect(await confirm(stack, 'later@example.net')).toMatchObject(refusedWith('INVITATION_REQUIRED'))
    await invite('later@example.net')
    expect((await confirm(stack, 'later@example.net')).status).toBe(200)
    expect((await ann.get('/get-session')).body.user.email).toBe('later@example.net')
  })
})

test('closed sign-up is refused, also for invited addresses, and does not reveal which addresses have accounts', async () => {
  await using stack = await startStack({ env: { SIGN_UP: 'closed' } })
  const { ann } = await invited(stack, 'bob@example.org')
  for (const email of ['bob@example.org', 'eve@example.org', ann.email]) expect(await signUp(stack, email)).toMatchObject(refusedWith('SIGN_UP_CLOSED'))
  expect(await accounts(stack)).toBe(1)
})

test('closed sign-up does not affect existing accounts', async () => {
  await using stack = await startStack({ env: { SIGN_UP: 'closed' } })
  const ann = await signedIn(stack, 'Ann')
  const elsewhere = person(stack, 'Ann', ann.email)
  expect((await elsewhere.signIn()).status).toBe(200)
  expect((await elsewhere.post('/change-password', { currentPassword: password, newPassword: 'something else' })).status).toBe(200)
  expect((await ann.post('/request-email-change', { newEmail: 'ann@example.net', password: 'something else' })).status).toBe(401)
  expect((await elsewhere.post('/request-email-change', { newEmail: 'ann@example.net', password: 'something else' })).status).toBe(200)
})

test('closed sign-up reports invalid input first', async () => {
  await using stack = await startStack({ env: { SIGN_UP: 'closed' } })
  expect(await signUp(stack, 'nobody')).toMatchObject({ status: 400, body: { error: 'INVALID_EMAIL' } })
})

test('sign-up with domains is allowed for addresses of these domains, and refused for subdomains and similar names', async () => {
  await using stack = await startStack({ env: { SIGN_UP_DOMAINS: 'example.org, Example.COM' } })
  expect((await signUp(stack, 'ann@example.org')).status).toBe(200)
  expect((await signUp(stack, 'ann@EXAMPLE.com')).status).toBe(200)
  for (const email of ['eve@sub.example.org', 'eve@notexample.org', 'eve@example.org.evil.example', '"ann@example.org"@evil.example']) {
    expect((await signUp(stack, email)).status, email).toBeGreaterThanOrEqual(400)
  }
  expect(await signUp(stack, 'eve@notexample.org')).toMatchObject(refusedWith('EMAIL_DOMAIN_NOT_ALLOWED'))
  expect(await accounts(stack)).toBe(2)
})

test('sign-up with domains is restricted to these domains for invited addresses too', async () => {
  await using stack = await startStack({ env: { SIGN_UP: 'invitation', SIGN_UP_DOMAINS: 'example.org' } })
  await invited(stack, 'bob@elsewhere.example')
  expect(await signUp(stack, 'bob@elsewhere.example')).toMatchObject(refusedWith('EMAIL_DOMAIN_NOT_ALLOWED'))
})

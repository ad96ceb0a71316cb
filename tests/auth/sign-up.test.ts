/** Who may make an account, as the operator says it with SIGN_UP and SIGN_UP_DOMAINS. Source: README "Configure it". */
import { describe, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, subscribed, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

const signUp = async (stack: Stack, email: string) => person(stack, 'Ann', email).signUp()
const accounts = async (stack: Stack) => Number((await stack.sql.query('select count(*) from auth.users')).rows[0].count)
const refusedWith = (error: string) => ({ status: 403, body: { error, message: expect.any(String) } })

/** Ann's team, to which she has invited an address. */
async function invited(stack: Stack, email: string) {
  const ann = await subscribed(stack, 'Ann')
  const { body: team } = await ann.post('/organization/create', { name: 'Household' })
  const { body: invitation } = await ann.post('/organization/invite-member', { organizationId: team.id, email, role: 'viewer' })
  return { ann, invitation: invitation.id as string }
}

describe('by invitation', () => {
  test('whom an invitation waits for makes an account, in whatever case the address is written; nobody else does', async () => {
    await using stack = await startStack({ env: { SIGN_UP: 'invitation' } })
    const { invitation } = await invited(stack, 'bob@example.org')
    expect(await signUp(stack, 'eve@example.org')).toMatchObject(refusedWith('INVITATION_REQUIRED'))
    expect((await signUp(stack, 'Bob@Example.org')).status).toBe(200)
    const bob = person(stack, 'Bob', 'bob@example.org')
    await bob.verify()
    await bob.signIn()
    expect((await bob.post('/organization/accept-invitation', { invitationId: invitation })).status).toBe(200)
  })

  test('one that was taken back, answered or has ended lets nobody in, and stores nothing', async () => {
    await using stack = await startStack({ env: { SIGN_UP: 'invitation' } })
    const { ann, invitation } = await invited(stack, 'bob@example.org')
    await stack.sql.query(`update auth.invitations set expires_at = now() - interval '1 second'`)
    expect(await signUp(stack, 'bob@example.org')).toMatchObject(refusedWith('INVITATION_REQUIRED'))
    await stack.sql.query(`update auth.invitations set expires_at = now() + interval '1 day'`)
    await ann.post('/organization/cancel-invitation', { invitationId: invitation })
    expect(await signUp(stack, 'bob@example.org')).toMatchObject(refusedWith('INVITATION_REQUIRED'))
    expect(await accounts(stack)).toBe(1)
  })
})

describe('by invitation, to an address that an account moves to', () => {
  const ask = async (who: Person, newEmail: string) => {
    const { status, body } = await who.post('/request-email-change', { newEmail, password })
    return { status, body }
  }
  const confirm = async (stack: Stack, newEmail: string) => {
    const link = new URL(linkIn(await stack.mail.waitFor(newEmail, ({ text }) => text.includes('confirm-email-change'))))
    return person(stack).post('/confirm-email-change', { token: link.searchParams.get('token') })
  }

  test('one invitation makes one account, of the invited address', async () => {
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

  test('an invitation of its own lets it move there, also one that comes after the link; asking does not tell whether one waits', async () => {
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

describe('closed', () => {
  test('makes no account, not for an invited address either, and does not say who has one', async () => {
    await using stack = await startStack({ env: { SIGN_UP: 'closed' } })
    const { ann } = await invited(stack, 'bob@example.org')
    for (const email of ['bob@example.org', 'eve@example.org', ann.email]) expect(await signUp(stack, email)).toMatchObject(refusedWith('SIGN_UP_CLOSED'))
    expect(await accounts(stack)).toBe(1)
  })

  test('leaves the accounts that are there as they were', async () => {
    await using stack = await startStack({ env: { SIGN_UP: 'closed' } })
    const ann = await signedIn(stack, 'Ann')
    const elsewhere = person(stack, 'Ann', ann.email)
    expect((await elsewhere.signIn()).status).toBe(200)
    expect((await elsewhere.post('/change-password', { currentPassword: password, newPassword: 'something else' })).status).toBe(200)
    expect((await ann.post('/request-email-change', { newEmail: 'ann@example.net', password: 'something else' })).status).toBe(401)
    expect((await elsewhere.post('/request-email-change', { newEmail: 'ann@example.net', password: 'something else' })).status).toBe(200)
  })

  test('says first what is wrong with the request', async () => {
    await using stack = await startStack({ env: { SIGN_UP: 'closed' } })
    expect(await signUp(stack, 'nobody')).toMatchObject({ status: 400, body: { error: 'INVALID_EMAIL' } })
  })
})

describe('with domains', () => {
  test('addresses of these have accounts, and neither those of their subdomains nor those that only look so', async () => {
    await using stack = await startStack({ env: { SIGN_UP_DOMAINS: 'example.org, Example.COM' } })
    expect((await signUp(stack, 'ann@example.org')).status).toBe(200)
    expect((await signUp(stack, 'ann@EXAMPLE.com')).status).toBe(200)
    for (const email of ['eve@sub.example.org', 'eve@notexample.org', 'eve@example.org.evil.example', '"ann@example.org"@evil.example']) {
      expect((await signUp(stack, email)).status, email).toBeGreaterThanOrEqual(400)
    }
    expect(await signUp(stack, 'eve@notexample.org')).toMatchObject(refusedWith('EMAIL_DOMAIN_NOT_ALLOWED'))
    expect(await accounts(stack)).toBe(2)
  })

  test('an invitation is not a way around them', async () => {
    await using stack = await startStack({ env: { SIGN_UP: 'invitation', SIGN_UP_DOMAINS: 'example.org' } })
    await invited(stack, 'bob@elsewhere.example')
    expect(await signUp(stack, 'bob@elsewhere.example')).toMatchObject(refusedWith('EMAIL_DOMAIN_NOT_ALLOWED'))
  })
})

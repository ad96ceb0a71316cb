/** The link of an invitation's mail verifies the address that the mail came to, and nothing else does. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { person, signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())

/** Invites an address. Returns the parameters of the mailed link. */
async function invite(owner: Person, organizationId: string, email: string) {
  const { body } = await owner.post('/organization/invite-member', { organizationId, email, role: 'editor' })
  const mail = await stack.mail.waitFor(email.toLowerCase(), ({ text }) => text.includes(body.id))
  return Object.fromEntries(new URL(linkIn(mail)).searchParams) as { invitationId: string, token: string }
}

const isVerified = async (user: Person) => (await user.get('/get-session')).body.user.email_verified
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
  const link = await invite(owner, id, bob.email.toUpperCase())
  await bob.signUp()
  expect(await isVerified(bob)).toBe(false)
  expect(await accept(bob, link)).toMatchObject({ status: 200, body: { success: true, member: { role: 'editor' } } })
  expect(await isVerified(bob)).toBe(true)
})

test('the link of an invitation lets such a user decline, too', async () => {
  const { id, owner } = await team(stack, [])
  const bob = await unverified('Bob')
  const link = await invite(owner, id, bob.email)
  expect(await bob.post('/organization/reject-invitation', link)).toMatchObject({ status: 200, body: { invitation: { status: 'rejected' } } })
  expect(await isVerified(bob)).toBe(true)
})

test('the link of an invitation without its token works as before: the address is verified by its own mail first', async () => {
  const { id, owner } = await team(stack, [])
  const bob = await unverified('Bob')
  const { invitationId } = await invite(owner, id, bob.email)
  expect(await accept(bob, { invitationId })).toMatchObject(refusal)
  await bob.verify()
  expect(await accept(bob, { invitationId })).toMatchObject({ status: 200 })
})

test('no address is verified for an inviter who signs up with the invited address: neither a response nor the list of invitations has the token', async () => {
  const { id, owner, admin } = await team(stack, ['admin'])
  const bob = person(stack, 'Bob')
  const sent = await owner.post('/organization/invite-member', { organizationId: id, email: bob.email, role: 'editor' })
  const lists = await Promise.all([owner, admin].map((one) => one.get(`/organization/list-invitations?organizationId=${id}`)))
  const ofLink = await owner.get(`/organization/get-invitation?invitationId=${sent.body.id}`)
  const mail = await stack.mail.waitFor(bob.email)
  const token = new URL(linkIn(mail)).searchParams.get('token') ?? ''
  expect(token.length).toBeGreaterThan(40)
  expect(JSON.stringify([sent.body, lists.map(({ body }) => body), ofLink.body])).not.toContain(token)
  await bob.signUp()
  for (const guess of [sent.body.id, 'x', `${token.slice(0, -4)}AAAA`]) {
    expect(await accept(bob, { invitationId: sent.body.id, token: guess })).toMatchObject(refusal)
  }
  expect(await isVerified(bob)).toBe(false)
})

test('no address is verified for another address, with the token of a mail to the attacker', async () => {
  const { id, owner } = await team(stack, [])
  const [eve, bob] = [await unverified('Eve'), await unverified('Bob')]
  const [ofEve, ofBob] = [await invite(owner, id, eve.email), await invite(owner, id, bob.email)]
  expect(await accept(bob, ofEve)).toMatchObject({ status: 403 })
  expect(await accept(bob, { invitationId: ofBob.invitationId, token: ofEve.token })).toMatchObject(refusal)
  expect(await accept(bob, { invitationId: ofEve.invitationId, token: ofBob.token })).toMatchObject({ status: 403 })
  expect([await isVerified(bob), await isVerified(eve)]).toEqual([false, false])
})

test.each(['canceled', 'expired', 'rejected'])('no address is verified by an invitation that is %s', async (state) => {
  const { id, owner } = await team(stack, [])
  const bob = await unverified('Bob')
  const link = await invite(owner, id, bob.email)
  if (state === 'canceled') await owner.post('/organization/cancel-invitation', { invitationId: link.invitationId })
  else if (state === 'expired')
    await stack.sql.query(`update auth.invitations set expires_at = now() - interval '1 second' where id = $1`, [link.invitationId])
  else await stack.sql.query(`update auth.invitations set status = 'rejected' where id = $1`, [link.invitationId])
  expect((await accept(bob, link)).status).not.toBe(200)
  expect(await isVerified(bob)).toBe(false)
})

test('no address is verified by a link that was used: a later account of the address starts unverified', async () => {
  const { id, owner } = await team(stack, [])
  const bob = await unverified('Bob')
  const link = await invite(owner, id, bob.email)
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
  const link = await invite(owner, id, bob.email)
  expect(others.length).toBeGreaterThan(1)
  for (const token of others) expect(await accept(bob, { invitationId: link.invitationId, token })).toMatchObject(refusal)
  expect((await bob.get(`/verify-email?token=${link.token}`)).status).toBe(400)
  expect((await bob.post('/disown-account', { token: link.token })).status).toBe(400)
  expect((await bob.post('/reset-password', { token: link.token, password: 'another long password' })).status).toBe(400)
  expect(await isVerified(bob)).toBe(false)
})

test('no address is verified for a client without a session', async () => {
  const { id, owner } = await team(stack, [])
  const bob = await signedIn(stack, 'Bob')
  const link = await invite(owner, id, bob.email)
  expect((await accept(person(stack, 'Nobody'), link)).status).toBe(401)
})

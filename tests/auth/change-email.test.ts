/** A person's address changes: confirmed at the new one, told to the old one, which can stop it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())

const invalid = { status: 400, body: { error: 'INVALID_TOKEN', message: expect.any(String) } }
const done = { status: 200, body: { success: true, message: expect.any(String) } }
let addresses = 0
const newAddress = () => `new-${++addresses}@example.net`
const tokenIn = async (to: string, path: string) => {
  const link = new URL(linkIn(await stack.mail.waitFor(to, ({ text }) => text.includes(path))))
  expect(link.pathname).toBe(`/api/auth/${path}`)
  return link.searchParams.get('token') ?? ''
}
const confirming = (to: string) => tokenIn(to, 'confirm-email-change')
const stopping = (from: string) => tokenIn(from, 'stop-email-change')
/** Asks for another address. @returns that address */
async function asked(someone: Person, newEmail = newAddress()): Promise<string> {
  expect(await someone.post('/request-email-change', { newEmail, password })).toMatchObject(done)
  return newEmail
}
const emailOf = async (someone: Person) => (await someone.get('/get-session')).body.user.email
const anyone = () => person(stack)

describe('Ann changes her address', () => {
  test('by a link to the new one, opened anywhere; she signs in with it from then on, and her sessions stay', async () => {
    const ann = await signedIn(stack, 'Ann')
    const to = await asked(ann, newAddress().toUpperCase())
    expect(await emailOf(ann)).toBe(ann.email)
    expect(await anyone().post('/confirm-email-change', { token: await confirming(to.toLowerCase()) })).toMatchObject(done)
    expect((await ann.get('/get-session')).body.user).toMatchObject({ email: to.toLowerCase(), email_verified: true })
    expect((await person(stack, 'Ann', to).signIn()).status).toBe(200)
    expect((await person(stack, 'Ann', ann.email).signIn()).status).toBe(401)
  })

  test('and a link works once, opens nothing by being opened, and is no other link', async () => {
    const ann = await signedIn(stack, 'Ann')
    const to = await asked(ann)
    const [confirm, stop] = [await confirming(to), await stopping(ann.email)]
    for (const [path, token] of [['confirm-email-change', confirm], ['stop-email-change', stop]]) {
      const page = await ann.call('GET', `/${path}?token=${token}`, undefined, { accept: 'text/html' })
      expect(page.headers.get('content-type')).toContain('text/html')
    }
    expect(await emailOf(ann)).toBe(ann.email)
    expect(await anyone().post('/confirm-email-change', { token: stop })).toMatchObject(invalid)
    expect(await anyone().post('/stop-email-change', { token: confirm })).toMatchObject(invalid)
    expect(await anyone().post('/confirm-email-change', { token: confirm })).toMatchObject(done)
    expect(await anyone().post('/confirm-email-change', { token: confirm })).toMatchObject(invalid)
  })

  test('not with a wrong password, to her own address or to what is none', async () => {
    const ann = await signedIn(stack, 'Ann')
    expect(await ann.post('/request-email-change', { newEmail: newAddress(), password: 'wrong' })).toMatchObject({
      status: 400,
      body: { error: 'INVALID_PASSWORD' },
    })
    expect(await ann.post('/request-email-change', { newEmail: ann.email, password })).toMatchObject({ status: 400, body: { error: 'VALIDATION_ERROR' } })
    expect(await ann.post('/request-email-change', { newEmail: 'ann', password })).toMatchObject({ status: 400, body: { error: 'INVALID_EMAIL' } })
    expect((await anyone().post('/request-email-change', { newEmail: newAddress(), password })).status).toBe(401)
  })

  test('not to somebody else’s, which is answered alike and refused only to who reads its mails', async () => {
    const [ann, bob] = [await signedIn(stack, 'Ann'), await signedIn(stack, 'Bob')]
    await asked(ann, bob.email)
    expect(await anyone().post('/confirm-email-change', { token: await confirming(bob.email) })).toMatchObject({ status: 409, body: { error: 'USER_EXISTS' } })
    expect(await emailOf(ann)).toBe(ann.email)
  })

  test('not by a link from before her password or her address changed', async () => {
    const ann = await signedIn(stack, 'Ann')
    const [first, second] = [await asked(ann), await asked(ann)]
    const token = await confirming(first)
    expect(await anyone().post('/confirm-email-change', { token: await confirming(second) })).toMatchObject(done)
    expect(await anyone().post('/confirm-email-change', { token })).toMatchObject(invalid)
    const third = await asked(ann)
    await ann.post('/change-password', { currentPassword: password, newPassword: 'something else' })
    expect(await anyone().post('/confirm-email-change', { token: await confirming(third) })).toMatchObject(invalid)
  })

  test('not before she has verified the first one, and no mail is sent', async () => {
    const ann = person(stack, 'Ann')
    await ann.signUp()
    const newEmail = newAddress()
    expect(await ann.post('/request-email-change', { newEmail, password })).toMatchObject({ status: 403, body: { error: 'EMAIL_NOT_VERIFIED' } })
    expect(stack.mail.mails().filter(({ to }) => to === newEmail)).toEqual([])
  })
})

describe('Eve, who knows Ann’s password, changes the address, and Ann reads it', () => {
  test.each(['before', 'after'])('%s Eve has confirmed it: Ann’s address stays, Eve is out, and only a mail opens the account again', async (when) => {
    const ann = await signedIn(stack, 'Ann')
    const eve = person(stack, 'Eve', ann.email)
    await eve.signIn()
    const to = await asked(eve)
    if (when === 'after') expect(await eve.post('/confirm-email-change', { token: await confirming(to) })).toMatchObject(done)
    expect(await anyone().post('/stop-email-change', { token: await stopping(ann.email) })).toMatchObject(done)
    expect((await eve.get('/get-session')).status).toBe(401)
    for (const email of [ann.email, to]) expect((await person(stack, 'Eve', email).signIn()).status).toBe(401)
    if (when === 'before') expect(await eve.post('/confirm-email-change', { token: await confirming(to) })).toMatchObject(invalid)
    const reset = new URL(linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))))
    await ann.post('/reset-password', { token: reset.searchParams.get('token'), password: 'known to Ann alone' })
    expect((await person(stack, 'Ann', ann.email).signIn('known to Ann alone')).status).toBe(200)
  })

  test('and Eve cannot keep it by signing up with the old address, nor by changing the password', async () => {
    const ann = await signedIn(stack, 'Ann')
    const eve = person(stack, 'Eve', ann.email)
    await eve.signIn()
    const to = await asked(eve)
    await eve.post('/confirm-email-change', { token: await confirming(to) })
    await eve.post('/change-password', { currentPassword: password, newPassword: 'known to Eve alone' })
    expect((await person(stack, 'Eve', ann.email).signUp()).status).toBe(200)
    expect(await anyone().post('/stop-email-change', { token: await stopping(ann.email) })).toMatchObject(done)
    const { rows } = await stack.sql.query('select name from auth.users where email in ($1, $2)', [ann.email, to])
    expect(rows).toEqual([{ name: 'Ann' }])
  })
})

test('domains that the operator lists bind the new address too', async () => {
  await using limited = await startStack({ env: { SIGN_UP_DOMAINS: 'example.org' } })
  const ann = await signedIn(limited, 'Ann')
  expect(await ann.post('/request-email-change', { newEmail: 'ann@elsewhere.example', password })).toMatchObject({
    status: 403,
    body: { error: 'EMAIL_DOMAIN_NOT_ALLOWED' },
  })
})

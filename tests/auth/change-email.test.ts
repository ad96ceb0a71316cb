/**
 * Changes of a user's address: confirmed at the new address, reported to the old one, which can
 * stop them.
 */
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
/** Requests another address. @returns that address */
async function requestChange(user: Person, newEmail = newAddress()): Promise<string> {
  expect(await user.post('/request-email-change', { newEmail, password })).toMatchObject(done)
  return newEmail
}
const emailOf = async (user: Person) => (await user.get('/get-session')).body.user.email
const visitor = () => person(stack)

test('an address change takes effect when the link to the new address is opened in any browser, and sessions stay', async () => {
  const ann = await signedIn(stack, 'Ann')
  const to = await requestChange(ann, newAddress().toUpperCase())
  expect(await emailOf(ann)).toBe(ann.email)
  expect(
    await visitor().post('/confirm-email-change', { token: await confirming(to.toLowerCase()) }),
  ).toMatchObject(done)
  expect((await ann.get('/get-session')).body.user).toMatchObject({
    email: to.toLowerCase(),
    email_verified: true,
  })
  expect((await person(stack, 'Ann', to).signIn()).status).toBe(200)
  expect((await person(stack, 'Ann', ann.email).signIn()).status).toBe(401)
})

test('an address change needs a confirmation on the linked page, and the link works once for this purpose only', async () => {
  const ann = await signedIn(stack, 'Ann')
  const to = await requestChange(ann)
  const [confirm, stop] = [await confirming(to), await stopping(ann.email)]
  for (const [path, token] of [['confirm-email-change', confirm], ['stop-email-change', stop]]) {
    const page = await ann.call('GET', `/${path}?token=${token}`, undefined, {
      accept: 'text/html',
    })
    expect(page.headers.get('content-type')).toContain('text/html')
  }
  expect(await emailOf(ann)).toBe(ann.email)
  expect(await visitor().post('/confirm-email-change', { token: stop })).toMatchObject(invalid)
  expect(await visitor().post('/stop-email-change', { token: confirm })).toMatchObject(invalid)
  expect(await visitor().post('/confirm-email-change', { token: confirm })).toMatchObject(done)
  expect(await visitor().post('/confirm-email-change', { token: confirm })).toMatchObject(invalid)
})

test('an address change with a wrong password, to the same address or to an invalid address is refused', async () => {
  const ann = await signedIn(stack, 'Ann')
  expect(await ann.post('/request-email-change', { newEmail: newAddress(), password: 'wrong' }))
    .toMatchObject({
      status: 400,
      body: { error: 'INVALID_PASSWORD' },
    })
  expect(await ann.post('/request-email-change', { newEmail: ann.email, password })).toMatchObject({
    status: 400,
    body: { error: 'VALIDATION_ERROR' },
  })
  expect(await ann.post('/request-email-change', { newEmail: 'ann', password })).toMatchObject({
    status: 400,
    body: { error: 'INVALID_EMAIL' },
  })
  expect(
    (await visitor().post('/request-email-change', { newEmail: newAddress(), password })).status,
  ).toBe(401)
})

test('an address change to the address of another account responds the same, and only the link in the mail reports the conflict', async () => {
  const [ann, bob] = [await signedIn(stack, 'Ann'), await signedIn(stack, 'Bob')]
  await requestChange(ann, bob.email)
  expect(await visitor().post('/confirm-email-change', { token: await confirming(bob.email) }))
    .toMatchObject({ status: 409, body: { error: 'USER_EXISTS' } })
  expect(await emailOf(ann)).toBe(ann.email)
})

test('an address change by a link that is older than the last change of password or address is refused', async () => {
  const ann = await signedIn(stack, 'Ann')
  const [first, second] = [await requestChange(ann), await requestChange(ann)]
  const token = await confirming(first)
  expect(await visitor().post('/confirm-email-change', { token: await confirming(second) }))
    .toMatchObject(done)
  expect(await visitor().post('/confirm-email-change', { token })).toMatchObject(invalid)
  const third = await requestChange(ann)
  await ann.post('/change-password', { currentPassword: password, newPassword: 'something else' })
  expect(await visitor().post('/confirm-email-change', { token: await confirming(third) }))
    .toMatchObject(invalid)
})

test('a user who corrects a mistyped new address makes the link at the mistyped one invalid, and only the corrected one takes the account', async () => {
  const [ann, bob] = [await signedIn(stack, 'Ann'), await signedIn(stack, 'Bob')]
  const [typo, bobs] = [await requestChange(ann), await requestChange(bob)]
  const right = await requestChange(ann)
  expect(await visitor().post('/confirm-email-change', { token: await confirming(typo) }))
    .toMatchObject(invalid)
  expect(await emailOf(ann)).toBe(ann.email)
  expect(await visitor().post('/confirm-email-change', { token: await confirming(right) }))
    .toMatchObject(done)
  expect(await emailOf(ann)).toBe(right)
  expect(await visitor().post('/confirm-email-change', { token: await confirming(bobs) }))
    .toMatchObject(done)
})

test('of two concurrent requests for an address change only one link is valid', async () => {
  const ann = await signedIn(stack, 'Ann')
  const links = await Promise.all([requestChange(ann), requestChange(ann)])
  const { rows } = await stack.sql.query(
    `select value::json->>'to' as to from auth.verifications where value like '{"kind":"confirm"%' and value like $1`,
    [
      `%"from":"${ann.email}"%`,
    ],
  )
  expect(rows).toHaveLength(1)
  expect(links).toContain(rows[0]?.to)
})

test('an address change needs a verified address, and otherwise sends no mail', async () => {
  const ann = person(stack, 'Ann')
  await ann.signUp()
  const newEmail = newAddress()
  expect(await ann.post('/request-email-change', { newEmail, password })).toMatchObject({
    status: 403,
    body: { error: 'EMAIL_NOT_VERIFIED' },
  })
  expect(stack.mail.mails().filter(({ to }) => to === newEmail)).toEqual([])
})

describe('an attacker who knows the password changes the address, and the owner stops the change', () => {
  test.each(['before', 'after'])(
    '%s the attacker confirmed it: the address stays, the attacker’s sessions end, and the password must be reset by mail',
    async (when) => {
      const ann = await signedIn(stack, 'Ann')
      const eve = person(stack, 'Eve', ann.email)
      await eve.signIn()
      const to = await requestChange(eve)
      if (when === 'after')
        expect(await eve.post('/confirm-email-change', { token: await confirming(to) }))
          .toMatchObject(done)
      expect(await visitor().post('/stop-email-change', { token: await stopping(ann.email) }))
        .toMatchObject(done)
      expect((await eve.get('/get-session')).status).toBe(401)
      for (const email of [ann.email, to])
        expect((await person(stack, 'Eve', email).signIn()).status).toBe(401)
      if (when === 'before')
        expect(await eve.post('/confirm-email-change', { token: await confirming(to) }))
          .toMatchObject(invalid)
      const reset = new URL(
        linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))),
      )
      await ann.post('/reset-password', {
        token: reset.searchParams.get('token'),
        password: 'known to Ann alone',
      })
      expect((await person(stack, 'Ann', ann.email).signIn('known to Ann alone')).status).toBe(200)
    },
  )

  test('an attacker who knows the password changes the address, and the owner stops the change and the attacker cannot keep the account by signing up with the old address or by changing the password', async () => {
    const ann = await signedIn(stack, 'Ann')
    const eve = person(stack, 'Eve', ann.email)
    await eve.signIn()
    const to = await requestChange(eve)
    await eve.post('/confirm-email-change', { token: await confirming(to) })
    await eve.post('/change-password', {
      currentPassword: password,
      newPassword: 'known to Eve alone',
    })
    expect((await person(stack, 'Eve', ann.email).signUp()).status).toBe(200)
    expect(await visitor().post('/stop-email-change', { token: await stopping(ann.email) }))
      .toMatchObject(done)
    const { rows } = await stack.sql.query('select name from auth.users where email in ($1, $2)', [
      ann.email,
      to,
    ])
    expect(rows).toEqual([{ name: 'Ann' }])
  })
})

test('the domains in SIGN_UP_DOMAINS also restrict new addresses', async () => {
  const limited = {
    ...stack,
    url: await stack.startAnotherAuth({ SIGN_UP_DOMAINS: 'example.org' }),
  }
  const ann = await signedIn(limited, 'Ann')
  expect(await ann.post('/request-email-change', { newEmail: 'ann@elsewhere.example', password }))
    .toMatchObject({
      status: 403,
      body: { error: 'EMAIL_DOMAIN_NOT_ALLOWED' },
    })
})

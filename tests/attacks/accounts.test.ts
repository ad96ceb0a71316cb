/** Attacks on the auth surface beyond those in tests/auth. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, team } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ hashesOnce: false })
})
afterAll(() => stack.close())

const cookieName = 'better-auth.session_token'

describe('a mailed token that is replayed', () => {
  test('fifty uses of a reset token at once change the password once', async () => {
    const ann = await signedIn(stack, 'Ann')
    await ann.post('/forget-password', { email: ann.email })
    const token = new URL(
      linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))),
    ).searchParams.get('token')
    const answers = await Promise.all(
      Array.from(
        { length: 50 },
        (_, i) => person(stack).post('/reset-password', { token, password: `new password ${i}` }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const winner = answers.findIndex(({ status }) => status === 200)
    expect((await ann.signIn(`new password ${winner}`)).status).toBe(200)
    expect((await ann.signIn(`new password ${(winner + 1) % 50}`)).status).toBe(401)
  })

  test('a verification token of one account verifies no other account', async () => {
    const ann = person(stack, 'Ann')
    await ann.signUp()
    const token = new URL(linkIn(await stack.mail.waitFor(ann.email))).searchParams.get('token')
    await stack.sql.query('delete from auth.users where email = $1', [ann.email])
    const successor = person(stack, 'Ann', ann.email)
    await successor.signUp()
    expect((await successor.get(`/verify-email?token=${token}`)).status).toBe(400)
    expect((await successor.get('/get-session')).body.user.email_verified).toBe(false)
  })

  test('a link that changes the address of one account changes no other account', async () => {
    const ann = await signedIn(stack, 'Ann')
    const newEmail = `new-${ann.email}`
    await ann.post('/request-email-change', { newEmail, password })
    const token = new URL(
      linkIn(
        await stack.mail.waitFor(newEmail, ({ text }) => text.includes('confirm-email-change')),
      ),
    ).searchParams.get('token')
    await stack.sql.query('delete from auth.users where email = $1', [ann.email])
    const successor = person(stack, 'Ann', ann.email)
    await successor.signUp()
    expect((await successor.post('/confirm-email-change', { token })).status).toBe(400)
    expect((await successor.get('/get-session')).body.user).toMatchObject({
      email: ann.email,
      email_verified: false,
    })
  })

  test('a verification link does not sign anyone in', async () => {
    const ann = person(stack, 'Ann')
    await ann.signUp()
    const { search } = new URL(linkIn(await stack.mail.waitFor(ann.email)))
    const stranger = person(stack)
    expect((await stranger.get(`/verify-email${search}`)).status).toBe(200)
    expect(stranger.cookies.size).toBe(0)
  })
})

describe('a manipulated link', () => {
  test('a manipulated link verify-email follows no redirect in callbackURL', async () => {
    const ann = person(stack, 'Ann')
    await ann.signUp()
    const { search } = new URL(linkIn(await stack.mail.waitFor(ann.email)))
    const response = await fetch(
      `${stack.url}/api/auth/verify-email${search}&callbackURL=https://evil.example`,
      { redirect: 'manual' },
    )
    expect(response.status).toBe(200)
    expect(response.headers.get('location')).toBeNull()
  })

  test('a mail uses PUBLIC_URL, whatever host, scheme or port the request claims', async () => {
    const ann = person(stack, 'Ann')
    const claims = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '1',
      forwarded: 'host=evil.example',
      'x-original-host': 'evil.example',
    }
    await ann.post('/sign-up/email', {
      email: ann.email,
      password,
      callbackURL: 'https://evil.example',
    }, claims)
    await ann.post('/forget-password', { email: ann.email }, claims)
    const mails = [
      await stack.mail.waitFor(ann.email),
      await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password')),
    ]
    for (const mail of mails) {
      expect(mail.text + mail.html).not.toContain('evil.example')
      expect(linkIn(mail)).toMatch(/^http:\/\/localhost:/)
    }
  })
})

describe('a hostile name', () => {
  test.each(['Eve\r\nBcc: victims@example.org', 'Eve\u2028Bcc: x', '\u202eexe.nigol', 'Eve\u0000'])(
    '%j is refused',
    async (name) => {
      expect(
        (await person(stack).post('/sign-up/email', { email: 'eve@example.org', password, name }))
          .status,
      ).toBe(400)
    },
  )

  test('a hostile name markup and links in the names of users and organizations remain text in the mail', async () => {
    const { id, owner } = await team(stack, [])
    await owner.post('/update-user', {
      name: '<img src=x onerror=alert(1)> http://evil.example/login',
    })
    await owner.patch('/organization/update', {
      organizationId: id,
      name: '</p><a href="https://evil.example">Click</a>',
    })
    await owner.post('/organization/invite-member', {
      organizationId: id,
      email: 'victim@example.org',
      role: 'viewer',
    })
    const { subject, text, html } = await stack.mail.waitFor('victim@example.org')
    expect(html).not.toMatch(/<img|<a href="https:\/\/evil/)
    expect(subject + text).not.toMatch(/https?:\/\/evil|[\r\n]Bcc/)
    expect(linkIn({ text })).toMatch(/^http:\/\/localhost:/)
  })
})

describe('a planted cookie', () => {
  test('a session that an attacker planted is replaced at sign-in', async () => {
    const eve = await signedIn(stack, 'Eve')
    const ann = person(stack, 'Ann')
    await ann.signUp()
    ann.cookies.clear()
    ann.cookies.set(cookieName, eve.cookies.get(cookieName) ?? '')
    const fixed = ann.cookies.get(cookieName)
    await ann.signIn()
    expect(ann.cookies.get(cookieName)).not.toBe(fixed)
    expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
    expect((await eve.get('/get-session')).body.user.email).toBe(eve.email)
  })

  test('a session id is not accepted as a session token', async () => {
    const ann = await signedIn(stack, 'Ann')
    const { body } = await ann.get('/get-session')
    const eve = person(stack, 'Eve')
    eve.cookies.set(cookieName, body.session.id)
    expect((await eve.get('/get-session')).status).toBe(401)
  })
})

test('the password hash is salted, and no response contains it or another session’s token', async () => {
  const [ann, bob] = [person(stack, 'Ann'), person(stack, 'Bob')]
  for (const user of [ann, bob]) await user.signUp()
  const { rows } = await stack.sql.query(
    'select a.password, s.token from auth.accounts a join auth.sessions s using (user_id) join auth.users u on u.id = a.user_id where u.email in ($1, $2)',
    [ann.email, bob.email],
  )
  expect(new Set(rows.map(({ password: hash }) => hash)).size).toBe(2)
  const responses = JSON.stringify(
    [await ann.get('/get-session'), await ann.get('/list-sessions'), await ann.signIn()]
      .map(({ body }) => body),
  )
  for (const row of rows) {
    expect(responses).not.toContain(row.password)
    expect(responses).not.toContain(row.token)
  }
})

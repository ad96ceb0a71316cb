/**
 * Two factors: a user signs in with the password and a code of an authenticator app, or a backup
 * code.
 */
import { symmetricEncrypt } from 'better-auth/crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authenticator, acceptLastCodeAgain, withTwoFactors } from '../support/authenticator-app.ts'
import { linkIn } from '../support/mail-sink.ts'
import { operator } from '../support/operator.ts'
import { password, person, signedIn, type Answer, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import {
  backup,
  codeRequired,
  cookieNames,
  expectOneIn,
  isSignedIn,
  refused,
  resetPasswordOf,
  signedInResponse,
  status,
  totp,
  unauthorized,
  wrongCode,
} from './two-factor-calls.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())

/** The same user in another browser. */
const otherBrowser = (user: Person) => person(stack, user.name, user.email)
/** The same user in another browser, after the password and before the code. */
async function beginSignIn(user: Person): Promise<Person> {
  const browser = otherBrowser(user)
  expect(await browser.signIn()).toMatchObject(codeRequired)
  return browser
}
const sessionsOf = async ({ email }: Person) =>
  (await stack.sql.query(
    'select s.id from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1',
    [email],
  )).rowCount
/** Longer ago than the minutes in which a sign-in replaces the password. */
const signedInLongAgo = ({ email }: Person) =>
  stack.sql.query(
    `update auth.sessions set created_at = now() - interval '11 minutes' where user_id = (select id from auth.users where email = $1)`,
    [email],
  )
const resetPassword = (user: Person, to: string) => resetPasswordOf(stack, user, to)

test('turning two factors on needs the password and a first code; other sessions end, and this one stays', async () => {
  const ann = await signedIn(stack, 'Ann')
  const phone = otherBrowser(ann)
  await phone.signIn()
  expect(await status(ann)).toEqual({ enabled: false, backup_codes_left: 0 })
  const { body } = await ann.post('/two-factor/enable', { password })
  expect(new URL(body.totp_uri).searchParams.get('secret')).toMatch(/^[A-Z2-7]{32}$/)
  expect(new Set(body.backup_codes).size).toBe(10)
  // Sign-in needs no code yet.
  expect(await status(ann)).toEqual({ enabled: false, backup_codes_left: 0 })
  expect(await otherBrowser(ann).signIn()).toMatchObject(signedInResponse)

  const before = (await ann.get('/get-session')).body.session.id
  const answer = await totp(ann, authenticator(body.totp_uri).code())
  expect(answer).toMatchObject({ ...signedInResponse, body: { session: { id: before } } })
  expect(await status(ann)).toEqual({ enabled: true, backup_codes_left: 10 })
  expect(await isSignedIn(ann)).toBe(true)
  expect(await isSignedIn(phone)).toBe(false)
})

test('turning two factors on needs the right password, or none right after a sign-in or for an account without one', async () => {
  const ann = await signedIn(stack, 'Ann')
  expect(await ann.post('/two-factor/enable', { password: 'wrong' })).toMatchObject(
    refused(400, 'INVALID_PASSWORD'),
  )
  expect((await ann.post('/two-factor/enable', {})).status).toBe(200)
  await signedInLongAgo(ann)
  for (const path of ['enable', 'disable', 'generate-backup-codes']) {
    expect(await ann.post(`/two-factor/${path}`, {})).toMatchObject(
      refused(403, 'FRESH_SIGN_IN_REQUIRED'),
    )
    expect(await person(stack).post(`/two-factor/${path}`, {})).toMatchObject(unauthorized)
  }
  expect(await person(stack).get('/two-factor/status')).toMatchObject(unauthorized)
})

test('turning two factors on fails with a wrong code, or with a code of an earlier setup', async () => {
  const ann = await signedIn(stack, 'Ann')
  const uri = async () =>
    (await ann.post('/two-factor/enable', { password })).body.totp_uri as string
  const [first, second] = [authenticator(await uri()), authenticator(await uri())]
  expect(await totp(ann, first.code())).toMatchObject(wrongCode)
  expect(await totp(ann, second.code(-3))).toMatchObject(wrongCode)
  expect(await totp(ann, '12345')).toMatchObject(refused(400, 'VALIDATION_ERROR'))
  expect((await status(ann)).enabled).toBe(false)
  expect(await totp(ann, second.code())).toMatchObject(signedInResponse)
  expect(await ann.post('/two-factor/enable', { password })).toMatchObject(
    refused(409, 'TWO_FACTOR_ENABLED'),
  )
  expect(await totp(ann, second.code(1))).toMatchObject(refused(409, 'TWO_FACTOR_ENABLED'))
})

test('turning two factors on fails without a setup', async () => {
  const ann = await signedIn(stack, 'Ann')
  expect(await totp(ann, '123456')).toMatchObject(refused(409, 'TWO_FACTOR_NOT_ENABLED'))
  for (const path of ['disable', 'generate-backup-codes'])
    expect(await ann.post(`/two-factor/${path}`, { password })).toMatchObject(
      refused(409, 'TWO_FACTOR_NOT_ENABLED'),
    )
})

test('turning two factors on works while another user’s unfinished sign-in is in the same browser', async () => {
  const { user: bob } = await withTwoFactors(stack, 'Bob')
  const ann = await signedIn(stack, 'Ann')
  expect(await ann.post('/sign-in/email', { email: bob.email, password })).toMatchObject(
    codeRequired,
  )
  const { body } = await ann.post('/two-factor/enable', { password })
  expect(await totp(ann, authenticator(body.totp_uri).code())).toMatchObject({
    ...signedInResponse,
    body: { user: { email: ann.email } },
  })
})

test('turning two factors on stores and logs neither the secret nor a code in plain text', async () => {
  const { user: ann, app, backupCodes } = await withTwoFactors(stack, 'Ann')
  const code = app.code()
  await totp(await beginSignIn(ann), code)
  await backup(await beginSignIn(ann), backupCodes[0])
  const { rows } = await stack.sql.query('select secret, backup_codes from auth.two_factors')
  const kept = `${JSON.stringify(rows)} ${stack.logged.join(' ')}`
  // Six digits may occur in any other value.
  for (
    const secret of [
      app.secret,
      `"${code}"`,
      ...backupCodes,
      ...backupCodes.map((one) => one.replaceAll('-', '')),
    ]
  ) expect(kept).not.toContain(secret)
})

test('sign-in with two factors needs the password and then the code; before the code there is no session, no session cookie and no data', async () => {
  const { user: ann, app } = await withTwoFactors(stack, 'Ann')
  const before = await sessionsOf(ann)
  const phone = otherBrowser(ann)
  const first = await phone.signIn()
  expect(first.body).toEqual({ error: 'SECOND_FACTOR_REQUIRED', message: expect.any(String) })
  expect(cookieNames(first)).toEqual(['better-auth.two_factor'])
  expect(first.headers.getSetCookie()[0]).toMatch(
    /Max-Age=600; Path=\/api\/auth\/two-factor; HttpOnly; SameSite=Lax/,
  )
  expect(await sessionsOf(ann)).toBe(before)
  expect(await isSignedIn(phone)).toBe(false)
  expect((await phone.post('/token')).status).toBe(401)

  const second = await totp(phone, app.code())
  expect(second.body).toEqual({
    user: (await ann.get('/get-session')).body.user,
    session: {
      id: expect.any(String),
      user_id: await ann.id(),
      active_organization_id: null,
      expires_at: expect.any(String),
    },
    subscription: { isSubscribed: false, productId: null },
  })
  expect([...phone.cookies.keys()]).toEqual(['better-auth.session_token'])
  expect((await phone.get('/get-session')).body.session.id).toBe(second.body.session.id)
  expect(await sessionsOf(ann)).toBe((before ?? 0) + 1)
})

test('sign-in with two factors with a wrong password gets the usual response', async () => {
  const { user: ann } = await withTwoFactors(stack, 'Ann')
  const browser = otherBrowser(ann)
  expect(await browser.signIn('wrong password')).toMatchObject(refused(401, 'INVALID_CREDENTIALS'))
  expect(browser.cookies.size).toBe(0)
})

test('sign-in with two factors accepts each code once, even for ten requests at the same time', async () => {
  const { user: ann, app } = await withTwoFactors(stack, 'Ann')
  const browsers = await Promise.all(Array.from({ length: 10 }, () => beginSignIn(ann)))
  const code = app.code()
  const answers = await Promise.all(browsers.map((browser) => totp(browser, code)))
  expectOneIn(answers)
  // Neither the same code nor the previous one.
  for (const used of [code, app.code(-1)])
    expect(await totp(await beginSignIn(ann), used)).toMatchObject(wrongCode)
  expect(await totp(await beginSignIn(ann), app.code(1))).toMatchObject(signedInResponse)
})

test('sign-in with two factors refuses an old code and a code of another user’s app', async () => {
  const { user: ann, app } = await withTwoFactors(stack, 'Ann')
  const { app: eves } = await withTwoFactors(stack, 'Eve')
  const browser = await beginSignIn(ann)
  for (const code of [app.code(-3), app.code(3), eves.code()])
    expect(await totp(browser, code)).toMatchObject(wrongCode)
  expect(await totp(browser, app.code())).toMatchObject(signedInResponse)
})

test('sign-in with two factors needs the code within ten minutes of the password, once, with the cookie of the first step', async () => {
  const { user: ann, app } = await withTwoFactors(stack, 'Ann')
  expect(await totp(otherBrowser(ann), app.code())).toMatchObject(unauthorized)
  const late = await beginSignIn(ann)
  await stack.sql.query(
    `update auth.two_factor_tokens set expires_at = now() - interval '1 second'`,
  )
  expect(await totp(late, app.code())).toMatchObject(unauthorized)
  const browser = await beginSignIn(ann)
  const twin = otherBrowser(ann)
  twin.cookies.set('better-auth.two_factor', browser.cookies.get('better-auth.two_factor') ?? '')
  expect(await totp(browser, app.code())).toMatchObject(signedInResponse)
  expect(await totp(twin, app.code(1))).toMatchObject(unauthorized)
  const guessing = otherBrowser(ann)
  guessing.cookies.set('better-auth.two_factor', await ann.id())
  expect(await totp(guessing, app.code(1))).toMatchObject(unauthorized)
})

test('sign-in with two factors sends a verification mail only after the code', async () => {
  const { user: ann, app } = await withTwoFactors(stack, 'Ann')
  await stack.sql.query('update auth.users set email_verified = false where email = $1', [
    ann.email,
  ])
  const browser = await beginSignIn(ann)
  // The queue is in order: a mail of the first step would arrive before this one.
  await ann.post('/forget-password', { email: ann.email })
  await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))
  expect(
    stack.mail.mails().filter(({ to, text }) => to === ann.email && text.includes('verify-email')),
  ).toEqual([])
  await totp(browser, app.code())
  await stack.mail.waitFor(ann.email, ({ text }) => text.includes('verify-email'))
})

test('sign-in with two factors is required after a password reset, an open mail link, and a sign-up with the same address', async () => {
  const { user: ann, app } = await withTwoFactors(stack, 'Ann')
  await resetPassword(ann, 'chosen by a reset')
  const browser = otherBrowser(ann)
  expect(await browser.signIn('chosen by a reset')).toMatchObject(codeRequired)
  expect((await browser.signUp()).status).not.toBe(200)
  expect(await isSignedIn(browser)).toBe(false)
  expect(await totp(browser, app.code())).toMatchObject(signedInResponse)
  // Replacing the user's own session needs no code.
  const changed = await browser.post('/change-password', {
    currentPassword: 'chosen by a reset',
    newPassword: password,
  })
  expect(changed).toMatchObject({ status: 200, body: { success: true } })
  expect(await isSignedIn(browser)).toBe(true)
  await stack.sql.query('update auth.users set email_verified = false where email = $1', [
    ann.email,
  ])
  await ann.post('/send-verification-email', { email: ann.email })
  const reader = otherBrowser(ann)
  await reader.verify()
  expect(await isSignedIn(reader)).toBe(false)
  expect(reader.cookies.size).toBe(0)
})

test('sign-in with two factors refuses a code after the password was changed', async () => {
  const { user: ann, app } = await withTwoFactors(stack, 'Ann')
  const eve = await beginSignIn(ann)
  await ann.post('/change-password', {
    currentPassword: password,
    newPassword: 'known to Ann alone',
  })
  expect(await totp(eve, app.code())).toMatchObject(unauthorized)
})

test('sign-in with two factors after a loss of BETTER_AUTH_SECRET needs a backup code, because the app’s codes no longer match', async () => {
  const { user: ann, app, backupCodes } = await withTwoFactors(stack, 'Ann')
  const secret = await symmetricEncrypt({
    key: 'another secret, also long enough',
    data: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  })
  await stack.sql.query('update auth.two_factors set secret = $2 where user_id = $1', [
    await ann.id(),
    secret,
  ])
  const browser = await beginSignIn(ann)
  expect(await totp(browser, app.code())).toMatchObject(wrongCode)
  expect(stack.logged.join()).toContain('backup codes still work')
  expect(await backup(browser, backupCodes[0])).toMatchObject(signedInResponse)
  expect((await browser.post('/two-factor/disable', { password })).status).toBe(200)
})

test('a backup code replaces the app’s code once, in any spelling', async () => {
  const { user: ann, backupCodes } = await withTwoFactors(stack, 'Ann')
  const [first, second, third = ''] = backupCodes
  // 80 bits.
  expect(backupCodes).toEqual(
    Array.from({ length: 10 }, () => expect.stringMatching(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)),
  )
  const browser = await beginSignIn(ann)
  expect(await backup(browser, first)).toMatchObject(signedInResponse)
  expect(await status(browser)).toEqual({ enabled: true, backup_codes_left: 9 })
  expect(await backup(await beginSignIn(ann), first)).toMatchObject(wrongCode)
  expect(await backup(await beginSignIn(ann), second?.toUpperCase().replaceAll('-', ' ')))
    .toMatchObject(signedInResponse)
  const answers = await Promise.all(
    (await Promise.all(Array.from({ length: 10 }, () => beginSignIn(ann)))).map((one) =>
      backup(one, third)
    ),
  )
  expectOneIn(answers)
})

test('a backup code opens no other account, and is not accepted in a session', async () => {
  const { user: ann, backupCodes: [first] } = await withTwoFactors(stack, 'Ann')
  const { user: eve } = await withTwoFactors(stack, 'Eve')
  expect(await backup(await beginSignIn(eve), first)).toMatchObject(wrongCode)
  expect(await backup(person(stack), first)).toMatchObject(unauthorized)
  expect(await backup(ann, first)).toMatchObject(refused(403, 'FORBIDDEN'))
  expect((await status(ann)).backup_codes_left).toBe(10)
})

test('a backup code is invalid after new ones are created', async () => {
  const { user: ann, backupCodes: [old] } = await withTwoFactors(stack, 'Ann')
  expect(await ann.post('/two-factor/generate-backup-codes', { password: 'wrong' })).toMatchObject(
    refused(400, 'INVALID_PASSWORD'),
  )
  const { body: { backup_codes: codes } } = await ann.post('/two-factor/generate-backup-codes', {
    password,
  })
  expect(codes).toHaveLength(10)
  const browser = await beginSignIn(ann)
  expect(await backup(browser, old)).toMatchObject(wrongCode)
  expect(await backup(browser, codes[9])).toMatchObject(signedInResponse)
})

describe('a remembered device', () => {
  /** @returns a signed-out browser that needs no code */
  async function remembered() {
    const factors = await withTwoFactors(stack, 'Ann')
    const phone = await beginSignIn(factors.user)
    await totp(phone, factors.app.code(), true)
    await acceptLastCodeAgain(stack, factors.user)
    await phone.post('/sign-out')
    return { ...factors, ann: factors.user, phone }
  }

  test('a remembered device needs no code for 30 days; other devices do', async () => {
    const { ann, app } = await remembered()
    const phone = await beginSignIn(ann)
    const answer = await totp(phone, app.code(), true)
    expect(answer.headers.getSetCookie().find((cookie) => cookie.includes('trusted_device')))
      .toMatch(
        /Max-Age=2592000; Path=\/api\/auth\/sign-in; HttpOnly; SameSite=Lax/,
      )
    await phone.post('/sign-out')
    expect(await phone.signIn()).toMatchObject(signedInResponse)
    await beginSignIn(ann)
    await stack.sql.query(
      `update auth.two_factor_tokens set expires_at = now() - interval '1 second'`,
    )
    expect(await phone.signIn()).toMatchObject(codeRequired)
  })

  test('a remembered device needs a code for other users, and can be remembered for two users', async () => {
    const { ann, phone } = await remembered()
    const { user: bob, app } = await withTwoFactors(stack, 'Bob')
    const signInAsBob = () => phone.post('/sign-in/email', { email: bob.email, password })
    expect(await signInAsBob()).toMatchObject(codeRequired)
    await totp(phone, app.code(), true)
    expect(await signInAsBob()).toMatchObject(signedInResponse)
    expect(await phone.signIn()).toMatchObject({
      ...signedInResponse,
      body: { user: { email: ann.email } },
    })
  })

  test.each<[string, (person: { ann: Person, phone: Person }) => Promise<string | undefined>]>([
    ['a change of the password', async ({ ann }) => {
      await ann.post('/change-password', {
        currentPassword: password,
        newPassword: 'changed by Ann',
      })
      return 'changed by Ann'
    }],
    ['a reset of the password', async ({ ann }) => {
      await resetPassword(ann, 'chosen by a reset')
      return 'chosen by a reset'
    }],
    ['turning two factors off and on again', async ({ ann }) => {
      await ann.post('/two-factor/disable', { password })
      const { body } = await ann.post('/two-factor/enable', { password })
      await totp(ann, authenticator(body.totp_uri).code())
      return undefined
    }],
  ])('a remembered device is forgotten after %s', async (_, happens) => {
    const { ann, phone } = await remembered()
    const newPassword = await happens({ ann, phone })
    expect(await phone.signIn(newPassword)).toMatchObject(codeRequired)
  })

  test('a remembered device is not an unfinished sign-in: neither cookie works for the other purpose', async () => {
    const { ann, app, phone } = await remembered()
    const [device = ''] = [...phone.cookies.keys()].filter((name) =>
      name.includes('trusted_device')
    )
    const browser = await beginSignIn(ann)
    browser.cookies.set(device, browser.cookies.get('better-auth.two_factor') ?? '')
    expect(await browser.signIn()).toMatchObject(codeRequired)
    browser.cookies.set('better-auth.two_factor', phone.cookies.get(device) ?? '')
    expect(await totp(browser, app.code())).toMatchObject(unauthorized)
  })
})

test('two factors end when the user turns them off with the password', async () => {
  const { user: ann } = await withTwoFactors(stack, 'Ann')
  expect(await ann.post('/two-factor/disable', { password: 'wrong' })).toMatchObject(
    refused(400, 'INVALID_PASSWORD'),
  )
  expect(await ann.post('/two-factor/disable', { password })).toMatchObject({
    status: 200,
    body: { success: true },
  })
  expect(await status(ann)).toEqual({ enabled: false, backup_codes_left: 0 })
  expect(await otherBrowser(ann).signIn()).toMatchObject(signedInResponse)
})

test('two factors end when the operator resets them for a user who lost app and codes; all sessions and unfinished sign-ins end', async () => {
  const { user: ann, app } = await withTwoFactors(stack, 'Ann')
  const half = await beginSignIn(ann)
  const reset = (...args: string[]) => operator(stack.ownerUrl, 'two-factor', ...args)
  expect(await reset('reset', ann.email)).toEqual({
    code: 0,
    text: `${ann.email} signs in with only the password. All sessions are signed out.\n`,
  })
  expect(await isSignedIn(ann)).toBe(false)
  expect(await totp(half, app.code())).toMatchObject(unauthorized)
  expect(await otherBrowser(ann).signIn()).toMatchObject(signedInResponse)
  expect(await reset('reset', ann.email)).toEqual({
    code: 1,
    text: `${ann.email} has no second factor.\n`,
  })
  expect(await reset('off', ann.email)).toMatchObject({
    code: 1,
    text: expect.stringContaining('Unknown command two-factor off.'),
  })
})

test('two factors end with the account', async () => {
  const { user: ann } = await withTwoFactors(stack, 'Ann')
  await beginSignIn(ann)
  const id = await ann.id()
  await stack.sql.query('delete from auth.users where id = $1', [id])
  expect(
    (await stack.sql.query('select user_id from auth.two_factors where user_id = $1', [id])).rows,
  ).toEqual([])
})

describe('an attacker who knows the password changes the address, and the owner stops the change', () => {
  async function stopped(ann: Person, eve: Person): Promise<void> {
    expect(
      (await eve.post('/request-email-change', { newEmail: `eve-of-${ann.email}`, password }))
        .status,
    ).toBe(200)
    const link = new URL(
      linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('stop-email-change'))),
    )
    expect(
      (await person(stack).post('/stop-email-change', { token: link.searchParams.get('token') }))
        .status,
    ).toBe(200)
    const reset = new URL(
      linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))),
    )
    await ann.post('/reset-password', {
      token: reset.searchParams.get('token'),
      password: 'known to Ann alone',
    })
  }
  const enabledAgo = (user: Person, ago: string) =>
    stack.sql.query(
      'update auth.two_factors set enabled_at = now() - $2::interval where user_id = (select id from auth.users where email = $1)',
      [
        user.email,
        ago,
      ],
    )

  test('a second factor of the attacker is removed', async () => {
    const { user: eve } = await withTwoFactors(stack, 'Ann')
    const ann = otherBrowser(eve)
    await stopped(ann, eve)
    expect(await ann.signIn('known to Ann alone')).toMatchObject(signedInResponse)
  })

  test('the owner’s earlier second factor stays', async () => {
    const { user: ann, app } = await withTwoFactors(stack, 'Ann')
    const eve = otherBrowser(ann)
    for (const [name, value] of ann.cookies) eve.cookies.set(name, value)
    await enabledAgo(ann, '8 days')
    await stopped(ann, eve)
    expect(await ann.signIn('known to Ann alone')).toMatchObject(codeRequired)
    expect(await totp(ann, app.code())).toMatchObject(signedInResponse)
  })
})

describe('guesses of codes', () => {
  let limited: Stack
  beforeAll(async () => {
    limited = {
      ...stack,
      url: await stack.startAnotherAuth({
        RATE_LIMIT_ENABLED: 'true',
        TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8',
      }),
    }
  })
  let addresses = 0
  /** Sends each request from a new client address. */
  const from = () => ({ 'x-forwarded-for': `203.0.113.${++addresses}` })
  const guess = (browser: Person, code: string, path = 'verify-totp') =>
    browser.post(`/two-factor/${path}`, { code }, from())
  async function beginLimitedSignIn(user: Person): Promise<Person> {
    const browser = person(limited, user.name, user.email)
    expect(await browser.post('/sign-in/email', { email: user.email, password }, from()))
      .toMatchObject(codeRequired)
    return browser
  }
  const expectLimited = (answer: Answer) => {
    expect(answer).toMatchObject(refused(429, 'RATE_LIMIT_EXCEEDED'))
    const seconds = Number(answer.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(900)
  }

  test('guesses of codes are limited to five in 15 minutes over all client addresses and sign-ins; then right codes and backup codes are refused too', async () => {
    const { user: ann, app, backupCodes } = await withTwoFactors(limited, 'Ann')
    for (let i = 0; i < 5; i++)
      expect(await guess(await beginLimitedSignIn(ann), app.code(5 + i))).toMatchObject(wrongCode)
    const browser = await beginLimitedSignIn(ann)
    expectLimited(await guess(browser, app.code()))
    expectLimited(await guess(browser, backupCodes[0] ?? '', 'verify-backup-code'))
    const { user: bob, app: bobs } = await withTwoFactors(limited, 'Bob')
    expect(await guess(await beginLimitedSignIn(bob), bobs.code())).toMatchObject(signedInResponse)
  })

  test('guesses of codes do not exceed the limit when thirty arrive at once', async () => {
    const { user: ann, app } = await withTwoFactors(limited, 'Ann')
    const browser = await beginLimitedSignIn(ann)
    const answers = await Promise.all(Array.from({ length: 30 }, () => guess(browser, app.code(9))))
    expect(answers.filter(({ status: it }) => it === 400)).toHaveLength(5)
    expect(answers.filter(({ status: it }) => it === 429)).toHaveLength(25)
  })

  test('guesses of codes do not lock out a user who mistypes occasionally', async () => {
    const { user: ann, app } = await withTwoFactors(limited, 'Ann')
    for (let i = 0; i < 3; i++) {
      const browser = await beginLimitedSignIn(ann)
      for (let wrong = 0; wrong < 3; wrong++)
        expect(await guess(browser, app.code(7))).toMatchObject(wrongCode)
      expect(await guess(browser, app.code())).toMatchObject(signedInResponse)
      await acceptLastCodeAgain(limited, ann)
    }
  })

  test('guesses of codes count together with backup codes: three of one kind leave two of the other', async () => {
    const { user: ann, app } = await withTwoFactors(limited, 'Ann')
    const browser = await beginLimitedSignIn(ann)
    for (let i = 0; i < 3; i++)
      expect(await guess(browser, app.code(5 + i))).toMatchObject(wrongCode)
    for (let i = 0; i < 2; i++)
      expect(await guess(browser, `aaaa-aaaa-aaaa-aaa${i + 2}`, 'verify-backup-code'))
        .toMatchObject(wrongCode)
    for (const path of ['verify-totp', 'verify-backup-code'] as const)
      expectLimited(await guess(browser, path === 'verify-totp' ? app.code() : 'aaaa', path))
  })

  test('guesses of codes also include backup codes, and the password that turns two factors off', async () => {
    const { user: ann } = await withTwoFactors(limited, 'Ann')
    const browser = await beginLimitedSignIn(ann)
    for (let i = 0; i < 5; i++)
      expect(await guess(browser, `aaaa-aaaa-aaaa-aaa${i + 2}`, 'verify-backup-code'))
        .toMatchObject(wrongCode)
    expectLimited(await guess(browser, 'aaaa-aaaa-aaaa-aaaa', 'verify-backup-code'))
    for (let i = 0; i < 10; i++)
      expect(await ann.post('/two-factor/disable', { password: 'wrong' }, from())).toMatchObject(
        refused(400, 'INVALID_PASSWORD'),
      )
    expectLimited(await ann.post('/two-factor/disable', { password }, from()))
  })
})

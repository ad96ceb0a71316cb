/** Two factors: a person signs in with the password and a code of their authenticator app, or a backup code. */
import { symmetricEncrypt } from 'better-auth/crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authenticator, halfAMinutePasses, withTwoFactors } from '../support/authenticator-app.ts'
import { linkIn } from '../support/mail-sink.ts'
import { operator } from '../support/operator.ts'
import { password, person, signedIn, type Answer, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())

const refused = (status: number, error: string) => ({ status, body: { error, message: expect.any(String) } })
const askedForACode = refused(403, 'SECOND_FACTOR_REQUIRED')
const wrongCode = refused(400, 'INVALID_CODE')
const nobody = refused(401, 'UNAUTHORIZED')
const isIn = { status: 200, body: { user: expect.anything(), session: expect.anything(), subscription: expect.anything() } }

/** The same person in another browser. */
const elsewhere = (someone: Person) => person(stack, someone.name, someone.email)
/** In another browser, where the password is given and the code is still owed. */
async function halfIn(someone: Person): Promise<Person> {
  const browser = elsewhere(someone)
  expect(await browser.signIn()).toMatchObject(askedForACode)
  return browser
}
const totp = (browser: Person, code: string, trustDevice = false) => browser.post('/two-factor/verify-totp', { code, trustDevice })
const backup = (browser: Person, code: string | undefined) => browser.post('/two-factor/verify-backup-code', { code })
const status = async (someone: Person) => (await someone.get('/two-factor/status')).body
const sessionsOf = async ({ email }: Person) =>
  (await stack.sql.query('select s.id from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1', [email])).rowCount
const cookieNames = ({ headers }: Answer) => headers.getSetCookie().map((cookie) => cookie.split('=')[0])
const expectOneIn = (answers: Answer[]) => {
  expect(answers.filter(({ status: it }) => it === 200)).toHaveLength(1)
  for (const answer of answers.filter(({ status: it }) => it !== 200)) expect(answer).toMatchObject(wrongCode)
}
const isSignedIn = async (someone: Person) => (await someone.get('/get-session')).status === 200
/** Longer ago than the minutes in which a sign-in is as good as the password. */
const signedInLongAgo = ({ email }: Person) =>
  stack.sql.query(`update auth.sessions set created_at = now() - interval '11 minutes' where user_id = (select id from auth.users where email = $1)`, [email])
async function resetPassword(someone: Person, to: string): Promise<void> {
  await someone.post('/forget-password', { email: someone.email })
  const link = new URL(linkIn(await stack.mail.waitFor(someone.email, ({ text }) => text.includes('reset-password'))))
  expect((await someone.post('/reset-password', { token: link.searchParams.get('token'), password: to })).status).toBe(200)
}

describe('Ann turns two factors on', () => {
  test('with her password and a first code; her other sessions end, and this one stays', async () => {
    const ann = await signedIn(stack, 'Ann')
    const phone = elsewhere(ann)
    await phone.signIn()
    expect(await status(ann)).toEqual({ enabled: false, backup_codes_left: 0 })
    const { body } = await ann.post('/two-factor/enable', { password })
    expect(new URL(body.totp_uri).searchParams.get('secret')).toMatch(/^[A-Z2-7]{32}$/)
    expect(new Set(body.backup_codes).size).toBe(10)
    // nothing is asked yet
    expect(await status(ann)).toEqual({ enabled: false, backup_codes_left: 0 })
    expect(await elsewhere(ann).signIn()).toMatchObject(isIn)

    const before = (await ann.get('/get-session')).body.session.id
    const answer = await totp(ann, authenticator(body.totp_uri).code())
    expect(answer).toMatchObject({ ...isIn, body: { session: { id: before } } })
    expect(await status(ann)).toEqual({ enabled: true, backup_codes_left: 10 })
    expect(await isSignedIn(ann)).toBe(true)
    expect(await isSignedIn(phone)).toBe(false)
  })

  test('not with a wrong password; without one if she has just signed in, as who has none', async () => {
    const ann = await signedIn(stack, 'Ann')
    expect(await ann.post('/two-factor/enable', { password: 'wrong' })).toMatchObject(refused(400, 'INVALID_PASSWORD'))
    expect((await ann.post('/two-factor/enable', {})).status).toBe(200)
    await signedInLongAgo(ann)
    for (const path of ['enable', 'disable', 'generate-backup-codes']) {
      expect(await ann.post(`/two-factor/${path}`, {})).toMatchObject(refused(403, 'FRESH_SIGN_IN_REQUIRED'))
      expect(await person(stack).post(`/two-factor/${path}`, {})).toMatchObject(nobody)
    }
    expect(await person(stack).get('/two-factor/status')).toMatchObject(nobody)
  })

  test('not with a wrong code, nor with one of an earlier beginning', async () => {
    const ann = await signedIn(stack, 'Ann')
    const uri = async () => (await ann.post('/two-factor/enable', { password })).body.totp_uri as string
    const [first, second] = [authenticator(await uri()), authenticator(await uri())]
    expect(await totp(ann, first.code())).toMatchObject(wrongCode)
    expect(await totp(ann, second.code(-3))).toMatchObject(wrongCode)
    expect(await totp(ann, '12345')).toMatchObject(refused(400, 'VALIDATION_ERROR'))
    expect((await status(ann)).enabled).toBe(false)
    expect(await totp(ann, second.code())).toMatchObject(isIn)
    expect(await ann.post('/two-factor/enable', { password })).toMatchObject(refused(409, 'TWO_FACTOR_ENABLED'))
    expect(await totp(ann, second.code(1))).toMatchObject(refused(409, 'TWO_FACTOR_ENABLED'))
  })

  test('not without having begun', async () => {
    const ann = await signedIn(stack, 'Ann')
    expect(await totp(ann, '123456')).toMatchObject(refused(409, 'TWO_FACTOR_NOT_ENABLED'))
    for (const path of ['disable', 'generate-backup-codes'])
      expect(await ann.post(`/two-factor/${path}`, { password })).toMatchObject(refused(409, 'TWO_FACTOR_NOT_ENABLED'))
  })

  test('also while a sign-in of somebody else’s is left half done in her browser', async () => {
    const { someone: bob } = await withTwoFactors(stack, 'Bob')
    const ann = await signedIn(stack, 'Ann')
    expect(await ann.post('/sign-in/email', { email: bob.email, password })).toMatchObject(askedForACode)
    const { body } = await ann.post('/two-factor/enable', { password })
    expect(await totp(ann, authenticator(body.totp_uri).code())).toMatchObject({ ...isIn, body: { user: { email: ann.email } } })
  })

  test('and neither the secret nor a code is stored or logged as it is', async () => {
    const { someone: ann, app, backupCodes } = await withTwoFactors(stack, 'Ann')
    const code = app.code()
    await totp(await halfIn(ann), code)
    await backup(await halfIn(ann), backupCodes[0])
    const { rows } = await stack.sql.query('select secret, backup_codes from auth.two_factors')
    const kept = `${JSON.stringify(rows)} ${stack.logged.join(' ')}`
    // six digits may be part of anything
    for (const secret of [app.secret, `"${code}"`, ...backupCodes, ...backupCodes.map((one) => one.replaceAll('-', ''))]) expect(kept).not.toContain(secret)
  })
})

describe('Ann, who has two factors, signs in', () => {
  test('with the password and then the code; before it there is no session, no cookie of one and nothing of hers', async () => {
    const { someone: ann, app } = await withTwoFactors(stack, 'Ann')
    const before = await sessionsOf(ann)
    const phone = elsewhere(ann)
    const first = await phone.signIn()
    expect(first.body).toEqual({ error: 'SECOND_FACTOR_REQUIRED', message: expect.any(String) })
    expect(cookieNames(first)).toEqual(['better-auth.two_factor'])
    expect(first.headers.getSetCookie()[0]).toMatch(/Max-Age=600; Path=\/api\/auth\/two-factor; HttpOnly; SameSite=Lax/)
    expect(await sessionsOf(ann)).toBe(before)
    expect(await isSignedIn(phone)).toBe(false)
    expect((await phone.post('/token')).status).toBe(401)

    const second = await totp(phone, app.code())
    expect(second.body).toEqual({
      user: (await ann.get('/get-session')).body.user,
      session: { id: expect.any(String), user_id: await ann.id(), active_organization_id: null, expires_at: expect.any(String) },
      subscription: { isSubscribed: false, productId: null },
    })
    expect([...phone.cookies.keys()]).toEqual(['better-auth.session_token'])
    expect((await phone.get('/get-session')).body.session.id).toBe(second.body.session.id)
    expect(await sessionsOf(ann)).toBe((before ?? 0) + 1)
  })

  test('and a wrong password is answered as ever', async () => {
    const { someone: ann } = await withTwoFactors(stack, 'Ann')
    const browser = elsewhere(ann)
    expect(await browser.signIn('wrong password')).toMatchObject(refused(401, 'INVALID_CREDENTIALS'))
    expect(browser.cookies.size).toBe(0)
  })

  test('with a code that is used once, also of ten requests at the same time', async () => {
    const { someone: ann, app } = await withTwoFactors(stack, 'Ann')
    const browsers = await Promise.all(Array.from({ length: 10 }, () => halfIn(ann)))
    const code = app.code()
    const answers = await Promise.all(browsers.map((browser) => totp(browser, code)))
    expectOneIn(answers)
    // neither again nor the one before it
    for (const used of [code, app.code(-1)]) expect(await totp(await halfIn(ann), used)).toMatchObject(wrongCode)
    expect(await totp(await halfIn(ann), app.code(1))).toMatchObject(isIn)
  })

  test('not with a code that is too old, or of somebody else’s app', async () => {
    const { someone: ann, app } = await withTwoFactors(stack, 'Ann')
    const { app: eves } = await withTwoFactors(stack, 'Eve')
    const browser = await halfIn(ann)
    for (const code of [app.code(-3), app.code(3), eves.code()]) expect(await totp(browser, code)).toMatchObject(wrongCode)
    expect(await totp(browser, app.code())).toMatchObject(isIn)
  })

  test('within ten minutes of the password, once, and not with what is no such cookie', async () => {
    const { someone: ann, app } = await withTwoFactors(stack, 'Ann')
    expect(await totp(elsewhere(ann), app.code())).toMatchObject(nobody)
    const late = await halfIn(ann)
    await stack.sql.query(`update auth.two_factor_tokens set expires_at = now() - interval '1 second'`)
    expect(await totp(late, app.code())).toMatchObject(nobody)
    const browser = await halfIn(ann)
    const twin = elsewhere(ann)
    twin.cookies.set('better-auth.two_factor', browser.cookies.get('better-auth.two_factor') ?? '')
    expect(await totp(browser, app.code())).toMatchObject(isIn)
    expect(await totp(twin, app.code(1))).toMatchObject(nobody)
    const guessing = elsewhere(ann)
    guessing.cookies.set('better-auth.two_factor', await ann.id())
    expect(await totp(guessing, app.code(1))).toMatchObject(nobody)
  })

  test('and a mail to verify her address, if she has not, comes with the code and not with the password', async () => {
    const { someone: ann, app } = await withTwoFactors(stack, 'Ann')
    await stack.sql.query('update auth.users set email_verified = false where email = $1', [ann.email])
    const browser = await halfIn(ann)
    // the queue is in order: a mail of the first step would be there before this one
    await ann.post('/forget-password', { email: ann.email })
    await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))
    expect(stack.mail.mails().filter(({ to, text }) => to === ann.email && text.includes('verify-email'))).toEqual([])
    await totp(browser, app.code())
    await stack.mail.waitFor(ann.email, ({ text }) => text.includes('verify-email'))
  })

  test('and no other way is around the code: not a new password, an open mail link, or signing up', async () => {
    const { someone: ann, app } = await withTwoFactors(stack, 'Ann')
    await resetPassword(ann, 'chosen by a reset')
    const browser = elsewhere(ann)
    expect(await browser.signIn('chosen by a reset')).toMatchObject(askedForACode)
    expect((await browser.signUp()).status).not.toBe(200)
    expect(await isSignedIn(browser)).toBe(false)
    expect(await totp(browser, app.code())).toMatchObject(isIn)
    // her own session is replaced by one that needs none
    const changed = await browser.post('/change-password', { currentPassword: 'chosen by a reset', newPassword: password })
    expect(changed).toMatchObject({ status: 200, body: { success: true } })
    expect(await isSignedIn(browser)).toBe(true)
    await stack.sql.query('update auth.users set email_verified = false where email = $1', [ann.email])
    await ann.post('/send-verification-email', { email: ann.email })
    const reader = elsewhere(ann)
    await reader.verify()
    expect(await isSignedIn(reader)).toBe(false)
    expect(reader.cookies.size).toBe(0)
  })

  test('and what the password has opened half way ends with it', async () => {
    const { someone: ann, app } = await withTwoFactors(stack, 'Ann')
    const eve = await halfIn(ann)
    await ann.post('/change-password', { currentPassword: password, newPassword: 'known to Ann alone' })
    expect(await totp(eve, app.code())).toMatchObject(nobody)
  })

  test('after BETTER_AUTH_SECRET was lost with a backup code, because no code of the app fits any more', async () => {
    const { someone: ann, app, backupCodes } = await withTwoFactors(stack, 'Ann')
    const secret = await symmetricEncrypt({ key: 'another secret, also long enough', data: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' })
    await stack.sql.query('update auth.two_factors set secret = $2 where user_id = $1', [await ann.id(), secret])
    const browser = await halfIn(ann)
    expect(await totp(browser, app.code())).toMatchObject(wrongCode)
    expect(stack.logged.join()).toContain('backup codes still work')
    expect(await backup(browser, backupCodes[0])).toMatchObject(isIn)
    expect((await browser.post('/two-factor/disable', { password })).status).toBe(200)
  })
})

describe('a backup code', () => {
  test('stands in for the app, once, however it is typed', async () => {
    const { someone: ann, backupCodes: [first, second, third = ''] } = await withTwoFactors(stack, 'Ann')
    const browser = await halfIn(ann)
    expect(await backup(browser, first)).toMatchObject(isIn)
    expect(await status(browser)).toEqual({ enabled: true, backup_codes_left: 9 })
    expect(await backup(await halfIn(ann), first)).toMatchObject(wrongCode)
    expect(await backup(await halfIn(ann), second?.toUpperCase().replaceAll('-', ' '))).toMatchObject(isIn)
    const answers = await Promise.all((await Promise.all(Array.from({ length: 10 }, () => halfIn(ann)))).map((one) => backup(one, third)))
    expectOneIn(answers)
  })

  test('opens no other account, and is not asked of who is signed in', async () => {
    const { someone: ann, backupCodes: [first] } = await withTwoFactors(stack, 'Ann')
    const { someone: eve } = await withTwoFactors(stack, 'Eve')
    expect(await backup(await halfIn(eve), first)).toMatchObject(wrongCode)
    expect(await backup(person(stack), first)).toMatchObject(nobody)
    expect(await backup(ann, first)).toMatchObject(refused(403, 'FORBIDDEN'))
    expect((await status(ann)).backup_codes_left).toBe(10)
  })

  test('is none any more once there are new ones', async () => {
    const { someone: ann, backupCodes: [old] } = await withTwoFactors(stack, 'Ann')
    expect(await ann.post('/two-factor/generate-backup-codes', { password: 'wrong' })).toMatchObject(refused(400, 'INVALID_PASSWORD'))
    const { body: { backup_codes: codes } } = await ann.post('/two-factor/generate-backup-codes', { password })
    expect(codes).toHaveLength(10)
    const browser = await halfIn(ann)
    expect(await backup(browser, old)).toMatchObject(wrongCode)
    expect(await backup(browser, codes[9])).toMatchObject(isIn)
  })
})

describe('a device that Ann has had remembered', () => {
  /** @returns her phone, which is signed out and needs no code */
  async function remembered() {
    const factors = await withTwoFactors(stack, 'Ann')
    const phone = await halfIn(factors.someone)
    await totp(phone, factors.app.code(), true)
    await halfAMinutePasses(stack, factors.someone)
    await phone.post('/sign-out')
    return { ...factors, ann: factors.someone, phone }
  }

  test('asks for no code for 30 days, each other device does', async () => {
    const { ann, app } = await remembered()
    const phone = await halfIn(ann)
    const answer = await totp(phone, app.code(), true)
    expect(answer.headers.getSetCookie().find((cookie) => cookie.includes('trusted_device'))).toMatch(
      /Max-Age=2592000; Path=\/api\/auth\/sign-in; HttpOnly; SameSite=Lax/,
    )
    await phone.post('/sign-out')
    expect(await phone.signIn()).toMatchObject(isIn)
    await halfIn(ann)
    await stack.sql.query(`update auth.two_factor_tokens set expires_at = now() - interval '1 second'`)
    expect(await phone.signIn()).toMatchObject(askedForACode)
  })

  test('asks everybody else, and each of two people who share it can have it remember them', async () => {
    const { ann, phone } = await remembered()
    const { someone: bob, app } = await withTwoFactors(stack, 'Bob')
    const signInAsBob = () => phone.post('/sign-in/email', { email: bob.email, password })
    expect(await signInAsBob()).toMatchObject(askedForACode)
    await totp(phone, app.code(), true)
    expect(await signInAsBob()).toMatchObject(isIn)
    expect(await phone.signIn()).toMatchObject({ ...isIn, body: { user: { email: ann.email } } })
  })

  test.each<[string, (person: { ann: Person, phone: Person }) => Promise<string | undefined>]>([
    ['a change of the password', async ({ ann }) => {
      await ann.post('/change-password', { currentPassword: password, newPassword: 'changed by Ann' })
      return 'changed by Ann'
    }],
    ['a reset of the password', async ({ ann }) => {
      await resetPassword(ann, 'chosen by a reset')
      return 'chosen by a reset'
    }],
    ['turning two factors off, on the day that they are on again', async ({ ann }) => {
      await ann.post('/two-factor/disable', { password })
      const { body } = await ann.post('/two-factor/enable', { password })
      await totp(ann, authenticator(body.totp_uri).code())
      return undefined
    }],
  ])('is forgotten with %s', async (_, happens) => {
    const { ann, phone } = await remembered()
    const newPassword = await happens({ ann, phone })
    expect(await phone.signIn(newPassword)).toMatchObject(askedForACode)
  })

  test('is not what a half done sign-in has: neither cookie stands for the other', async () => {
    const { ann, app, phone } = await remembered()
    const [device = ''] = [...phone.cookies.keys()].filter((name) => name.includes('trusted_device'))
    const browser = await halfIn(ann)
    browser.cookies.set(device, browser.cookies.get('better-auth.two_factor') ?? '')
    expect(await browser.signIn()).toMatchObject(askedForACode)
    browser.cookies.set('better-auth.two_factor', phone.cookies.get(device) ?? '')
    expect(await totp(browser, app.code())).toMatchObject(nobody)
  })
})

describe('two factors end', () => {
  test('when Ann turns them off with her password', async () => {
    const { someone: ann } = await withTwoFactors(stack, 'Ann')
    expect(await ann.post('/two-factor/disable', { password: 'wrong' })).toMatchObject(refused(400, 'INVALID_PASSWORD'))
    expect(await ann.post('/two-factor/disable', { password })).toMatchObject({ status: 200, body: { success: true } })
    expect(await status(ann)).toEqual({ enabled: false, backup_codes_left: 0 })
    expect(await elsewhere(ann).signIn()).toMatchObject(isIn)
  })

  test('when the operator resets them for who has lost app and codes; every session and half done sign-in ends', async () => {
    const { someone: ann, app } = await withTwoFactors(stack, 'Ann')
    const half = await halfIn(ann)
    const reset = (...words: string[]) => operator(stack.ownerUrl, 'two-factor', ...words)
    expect(await reset('reset', ann.email)).toEqual({ code: 0, text: `${ann.email} signs in with only the password. Every session has ended.\n` })
    expect(await isSignedIn(ann)).toBe(false)
    expect(await totp(half, app.code())).toMatchObject(nobody)
    expect(await elsewhere(ann).signIn()).toMatchObject(isIn)
    expect(await reset('reset', ann.email)).toEqual({ code: 1, text: `${ann.email} has no second factor.\n` })
    expect(await reset('off', ann.email)).toMatchObject({ code: 1, text: expect.stringContaining('There is no command two-factor off.') })
  })

  test('with the account', async () => {
    const { someone: ann } = await withTwoFactors(stack, 'Ann')
    await halfIn(ann)
    const id = await ann.id()
    await stack.sql.query('delete from auth.users where id = $1', [id])
    expect((await stack.sql.query('select user_id from auth.two_factors where user_id = $1', [id])).rows).toEqual([])
  })
})

describe('Eve, who knows Ann’s password, changes the address, and Ann stops it', () => {
  async function stopped(ann: Person, eve: Person): Promise<void> {
    expect((await eve.post('/request-email-change', { newEmail: `eve-of-${ann.email}`, password })).status).toBe(200)
    const link = new URL(linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('stop-email-change'))))
    expect((await person(stack).post('/stop-email-change', { token: link.searchParams.get('token') })).status).toBe(200)
    const reset = new URL(linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))))
    await ann.post('/reset-password', { token: reset.searchParams.get('token'), password: 'known to Ann alone' })
  }
  const enabledAgo = (someone: Person, ago: string) =>
    stack.sql.query('update auth.two_factors set enabled_at = now() - $2::interval where user_id = (select id from auth.users where email = $1)', [
      someone.email,
      ago,
    ])

  test('a second factor with which Eve has locked the account goes', async () => {
    const { someone: eve } = await withTwoFactors(stack, 'Ann')
    const ann = elsewhere(eve)
    await stopped(ann, eve)
    expect(await ann.signIn('known to Ann alone')).toMatchObject(isIn)
  })

  test('Ann’s own, which she has had for long, stays', async () => {
    const { someone: ann, app } = await withTwoFactors(stack, 'Ann')
    const eve = elsewhere(ann)
    for (const [name, value] of ann.cookies) eve.cookies.set(name, value)
    await enabledAgo(ann, '8 days')
    await stopped(ann, eve)
    expect(await ann.signIn('known to Ann alone')).toMatchObject(askedForACode)
    expect(await totp(ann, app.code())).toMatchObject(isIn)
  })
})

describe('codes are guessed', () => {
  let limited: Stack
  beforeAll(async () => {
    limited = await startStack({ env: { RATE_LIMIT_ENABLED: 'true', TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8' } })
  })
  afterAll(() => limited.close())
  let addresses = 0
  /** Each request comes from an address of its own. */
  const from = () => ({ 'x-forwarded-for': `203.0.113.${++addresses}` })
  const guess = (browser: Person, code: string, path = 'verify-totp') => browser.post(`/two-factor/${path}`, { code }, from())
  async function halfThere(someone: Person): Promise<Person> {
    const browser = person(limited, someone.name, someone.email)
    expect(await browser.post('/sign-in/email', { email: someone.email, password }, from())).toMatchObject(askedForACode)
    return browser
  }
  const expectLimited = (answer: Answer) => {
    expect(answer).toMatchObject(refused(429, 'RATE_LIMIT_EXCEEDED'))
    const seconds = Number(answer.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(900)
  }

  test('five times in a quarter of an hour, from however many addresses and sign-ins; then the right one is refused too, and so is a backup code', async () => {
    const { someone: ann, app, backupCodes } = await withTwoFactors(limited, 'Ann')
    for (let i = 0; i < 5; i++) expect(await guess(await halfThere(ann), app.code(5 + i))).toMatchObject(wrongCode)
    const browser = await halfThere(ann)
    expectLimited(await guess(browser, app.code()))
    expectLimited(await guess(browser, backupCodes[0] ?? '', 'verify-backup-code'))
    const { someone: bob, app: bobs } = await withTwoFactors(limited, 'Bob')
    expect(await guess(await halfThere(bob), bobs.code())).toMatchObject(isIn)
  })

  test('and not once more when thirty arrive at once', async () => {
    const { someone: ann, app } = await withTwoFactors(limited, 'Ann')
    const browser = await halfThere(ann)
    const answers = await Promise.all(Array.from({ length: 30 }, () => guess(browser, app.code(9))))
    expect(answers.filter(({ status: it }) => it === 400)).toHaveLength(5)
    expect(answers.filter(({ status: it }) => it === 429)).toHaveLength(25)
  })

  test('and a person who mistypes now and then is not kept out', async () => {
    const { someone: ann, app } = await withTwoFactors(limited, 'Ann')
    for (let i = 0; i < 3; i++) {
      const browser = await halfThere(ann)
      for (let wrong = 0; wrong < 3; wrong++) expect(await guess(browser, app.code(7))).toMatchObject(wrongCode)
      expect(await guess(browser, app.code())).toMatchObject(isIn)
      await halfAMinutePasses(limited, ann)
    }
  })

  test('together with backup codes: three of one kind leave two of the other', async () => {
    const { someone: ann, app } = await withTwoFactors(limited, 'Ann')
    const browser = await halfThere(ann)
    for (let i = 0; i < 3; i++) expect(await guess(browser, app.code(5 + i))).toMatchObject(wrongCode)
    for (let i = 0; i < 2; i++) expect(await guess(browser, `aaaa-aaaa-aaaa-aaa${i + 2}`, 'verify-backup-code')).toMatchObject(wrongCode)
    for (const path of ['verify-totp', 'verify-backup-code'] as const) expectLimited(await guess(browser, path === 'verify-totp' ? app.code() : 'aaaa', path))
  })

  test('backup codes too, and the password that turns them off', async () => {
    const { someone: ann } = await withTwoFactors(limited, 'Ann')
    const browser = await halfThere(ann)
    for (let i = 0; i < 5; i++) expect(await guess(browser, `aaaa-aaaa-aaaa-aaa${i + 2}`, 'verify-backup-code')).toMatchObject(wrongCode)
    expectLimited(await guess(browser, 'aaaa-aaaa-aaaa-aaaa', 'verify-backup-code'))
    for (let i = 0; i < 10; i++)
      expect(await ann.post('/two-factor/disable', { password: 'wrong' }, from())).toMatchObject(refused(400, 'INVALID_PASSWORD'))
    expectLimited(await ann.post('/two-factor/disable', { password }, from()))
  })
})

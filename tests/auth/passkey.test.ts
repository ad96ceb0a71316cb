/** Passkeys: sign-in, accounts that require one, and forged answers of devices and pages. */
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { operator } from '../support/operator.ts'
import { passkeyDevice, type DeviceOverrides } from '../support/passkey-device.ts'
import { password, person, signedIn, type Answer, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())

const refused = (status: number, error: string) => ({
  status,
  body: { error, message: expect.any(String) },
})
const invalid = refused(400, 'INVALID_PASSKEY')
const done = { status: 200, body: { success: true } }
const visitor = () => person(stack)
const device = () => passkeyDevice(stack.publicUrl)
type Device = ReturnType<typeof device>

/** Starts to add a passkey right after a sign-in, which needs no password. */
const beginRegistration = async (user: Person) => {
  const { status, body } = await user.post('/passkey/generate-register-options', {})
  expect(status).toBe(200)
  return body
}
const addPasskey = async (
  user: Person,
  phone: Device,
  forgedAnswers?: DeviceOverrides,
  name = 'Phone',
): Promise<Answer> =>
  user.post('/passkey/verify-registration', {
    response: phone.create(await beginRegistration(user), forgedAnswers),
    name,
  })
const beginSignIn = async (user: Person) =>
  (await user.post('/passkey/generate-authenticate-options')).body
const signIn = async (
  user: Person,
  phone: Device,
  forgedAnswers?: DeviceOverrides,
): Promise<Answer> =>
  user.post('/passkey/verify-authentication', {
    response: phone.get(await beginSignIn(user), forgedAnswers),
  })
const passkeysOf = async (user: Person) => (await user.get('/passkey/list')).body

/** Creates Ann with a passkey on her phone. */
async function annWithPhone(): Promise<{ ann: Person, phone: Device, passkeyId: string }> {
  const [ann, phone] = [await signedIn(stack, 'Ann'), device()]
  const { status, body } = await addPasskey(ann, phone)
  expect(status).toBe(200)
  return { ann, phone, passkeyId: body.id }
}
const ageSession = (user: Person) =>
  stack.sql.query(
    `update auth.sessions set created_at = now() - interval '11 minutes' where user_id = (select id from auth.users where email = $1)`,
    [
      user.email,
    ],
  )
const sessionsOf = async ({ email }: Person) =>
  (await stack.sql.query(
    'select 1 from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1',
    [email],
  )).rowCount

test('a passkey signs its user in from any browser, with the same response as a password', async () => {
  const { ann, phone } = await annWithPhone()
  const elsewhere = visitor()
  const byPasskey = await signIn(elsewhere, phone)
  const byPassword = await person(stack, 'Ann', ann.email).signIn()
  expect(byPasskey.status).toBe(200)
  expect(byPasskey.body).toEqual({
    ...byPassword.body,
    session: { ...byPassword.body.session, id: expect.any(String), expires_at: expect.any(String) },
  })
  expect((await elsewhere.get('/get-session')).body.user.email).toBe(ann.email)
  expect(await elsewhere.token()).toMatch(/^ey/)
  expect([...elsewhere.cookies.keys()]).toEqual(['better-auth.session_token'])
})

test('a passkey is requested for the app’s host, without a user name, and with user verification', async () => {
  const { ann, phone } = await annWithPhone()
  expect(await beginRegistration(ann)).toMatchObject({
    rp: { id: 'localhost' },
    user: { name: ann.email },
    excludeCredentials: [{ type: 'public-key', id: phone.id() }],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  expect(await beginSignIn(visitor())).toEqual({
    challenge: expect.any(String),
    rpId: 'localhost',
    timeout: 300_000,
    userVerification: 'required',
  })
})

test('a passkey can be listed, renamed and deleted; a deleted one does not sign in', async () => {
  const { ann, phone, passkeyId } = await annWithPhone()
  expect(await passkeysOf(ann)).toEqual({
    passkeys: [{
      id: passkeyId,
      name: 'Phone',
      backed_up: true,
      created_at: expect.any(String),
      last_used_at: null,
    }],
    required: false,
    has_password: true,
  })
  await signIn(visitor(), phone)
  expect(await ann.post('/passkey/update', { passkeyId, name: 'My phone' })).toMatchObject({
    status: 200,
    body: { name: 'My phone' },
  })
  expect((await passkeysOf(ann)).passkeys).toMatchObject([{
    name: 'My phone',
    last_used_at: expect.any(String),
  }])
  expect(await ann.post('/passkey/delete', { passkeyId, password })).toMatchObject(done)
  expect((await passkeysOf(ann)).passkeys).toEqual([])
  expect(await signIn(visitor(), phone)).toMatchObject(invalid)
})

test('a passkey is added, deleted or required only with the password or right after a sign-in', async () => {
  const { ann, phone, passkeyId } = await annWithPhone()
  const asks: [string, object][] = [
    ['/passkey/generate-register-options', {}],
    ['/passkey/require', { required: true }],
    ['/remove-password', {}],
    ['/passkey/delete', { passkeyId }],
  ]
  await ageSession(ann)
  for (const [path, body] of asks) {
    expect(await ann.post(path, body)).toMatchObject(refused(403, 'FRESH_SIGN_IN_REQUIRED'))
    expect(await ann.post(path, { ...body, password: 'wrong' })).toMatchObject(
      refused(400, 'INVALID_PASSWORD'),
    )
    expect(await visitor().post(path, { ...body, password })).toMatchObject(
      refused(401, 'UNAUTHORIZED'),
    )
  }
  for (const [path, body] of asks.slice(0, 2))
    expect((await ann.post(path, { ...body, password })).status).toBe(200)
  await signIn(ann, phone)
  for (const [path, body] of asks) expect((await ann.post(path, body)).status).toBe(200)
})

test('a passkey needs a verified address', async () => {
  const eve = person(stack, 'Eve')
  await eve.signUp()
  expect(await eve.post('/passkey/generate-register-options', { password })).toMatchObject(
    refused(403, 'EMAIL_NOT_VERIFIED'),
  )
})

test('a passkey is deleted with the account', async () => {
  const { ann, phone } = await annWithPhone()
  await stack.sql.query('delete from auth.users where email = $1', [ann.email])
  expect(await signIn(visitor(), phone)).toMatchObject(invalid)
})

test('a passkey is limited to twenty per user, even at the same moment', async () => {
  const { ann } = await annWithPhone()
  await stack.sql.query(
    `insert into auth.passkeys (id, user_id, name, credential_id, public_key, counter, backed_up)
      select $1 || n, $1, 'One of many', $1 || n, '', 0, false from generate_series(1, 18) n`,
    [await ann.id()],
  )
  const browsers = [ann, ...Array.from({ length: 3 }, () => person(stack, 'Ann', ann.email))]
  for (const browser of browsers.slice(1)) await browser.signIn()
  const ready = await Promise.all(
    browsers.map(async (browser) =>
      [browser, device().create(await beginRegistration(browser))] as const
    ),
  )
  const answers = await Promise.all(
    ready.map(([browser, response]) => browser.post('/passkey/verify-registration', { response })),
  )
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    200,
    403,
    403,
    403,
  ])
  expect(answers.find(({ status }) => status === 403)).toMatchObject({
    status: 403,
    body: { error: 'PASSKEY_LIMIT_REACHED', message: expect.stringContaining('up to 20') },
  })
  expect((await passkeysOf(ann)).passkeys).toHaveLength(20)
  expect(await ann.post('/passkey/generate-register-options', { password })).toMatchObject(
    refused(403, 'PASSKEY_LIMIT_REACHED'),
  )
})

/** Forged values in the answers of pages and devices, for both ceremonies. */
const forgedAnswers: [string, DeviceOverrides][] = [
  ['from another page', { origin: 'https://evil.example' }],
  ['from no page', { origin: 'null' }],
  ['from a page in a frame of another site', { crossOrigin: true }],
  ['for another host', { rpId: 'evil.example' }],
  ['for another challenge', { challenge: 'AAAA' }],
  ['of another type', { type: 'webauthn.other' }],
  ['without user presence', { present: false }],
  ['without user verification', { verified: false }],
]

test.each<[string, DeviceOverrides]>([
  ...forgedAnswers,
  ['signed by another key', { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }],
  ['of another account', { userHandle: Buffer.from('somebody else').toString('base64url') }],
  ['of an unknown credential', { credentialId: 'AAAA' }],
])(
  'a passkey’s answer is refused if it is %s; the valid answer to the same challenge is then too late',
  async (_, overrides) => {
    const { phone } = await annWithPhone()
    const eve = visitor()
    const options = await beginSignIn(eve)
    const cookies = new Map(eve.cookies)
    expect(
      await eve.post('/passkey/verify-authentication', { response: phone.get(options, overrides) }),
    ).toMatchObject(invalid)
    for (const [name, value] of cookies) eve.cookies.set(name, value)
    expect(await eve.post('/passkey/verify-authentication', { response: phone.get(options) }))
      .toMatchObject(invalid)
    expect((await eve.get('/get-session')).status).toBe(401)
    expect((await signIn(eve, phone)).status).toBe(200)
  },
)

test('a passkey’s answer is refused if it was used before', async () => {
  const { ann, phone } = await annWithPhone()
  const options = await beginSignIn(ann)
  const cookies = new Map(ann.cookies)
  const response = phone.get(options)
  expect((await ann.post('/passkey/verify-authentication', { response })).status).toBe(200)
  const eve = visitor()
  for (const [name, value] of cookies) if (!name.includes('session')) eve.cookies.set(name, value)
  expect(eve.cookies.size).toBe(1)
  expect(await eve.post('/passkey/verify-authentication', { response })).toMatchObject(invalid)
  expect(await eve.post('/passkey/verify-authentication', { response })).toMatchObject(invalid)
})

test('a passkey’s answer is refused if its challenge was issued to another browser, made up, or issued for adding a passkey', async () => {
  const { ann, phone } = await annWithPhone()
  const eve = visitor()
  await beginSignIn(eve)
  expect(
    await eve.post('/passkey/verify-authentication', {
      response: phone.get(await beginSignIn(ann)),
    }),
  ).toMatchObject(invalid)
  expect(
    await visitor().post('/passkey/verify-authentication', {
      response: phone.get({ challenge: 'AAAA', rpId: 'localhost' }),
    }),
  ).toMatchObject(invalid)
  const { challenge, rp } = await beginRegistration(ann)
  expect(
    await ann.post('/passkey/verify-authentication', {
      response: phone.get({ challenge, rpId: rp.id }),
    }),
  ).toMatchObject(invalid)
})

test('a passkey’s answer is refused after five minutes', async () => {
  const { phone } = await annWithPhone()
  const eve = visitor()
  const options = await beginSignIn(eve)
  await stack.sql.query(`update auth.verifications set expires_at = now() - interval '1 second'`)
  expect(await eve.post('/passkey/verify-authentication', { response: phone.get(options) }))
    .toMatchObject(invalid)
})

test('a passkey’s answer is refused if its counter does not increase, as with a copied device; also if two are sent at once', async () => {
  const phone = passkeyDevice(stack.publicUrl, false)
  expect((await addPasskey(await signedIn(stack, 'Ann'), phone)).body.backed_up).toBe(false)
  expect((await signIn(visitor(), phone, { counter: 7 })).status).toBe(200)
  expect(await signIn(visitor(), phone, { counter: 7 })).toMatchObject(invalid)
  expect(await signIn(visitor(), phone, { counter: 3 })).toMatchObject(invalid)
  expect(await signIn(visitor(), phone, { counter: 0 })).toMatchObject(invalid)
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => signIn(visitor(), phone, { counter: 8 })),
  )
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    200,
    400,
    400,
    400,
  ])
})

test('a passkey that devices share signs in with an older counter, which is listed and not mailed; a replay is refused', async () => {
  const { ann, phone } = await annWithPhone()
  const events = async () =>
    ((await ann.get('/list-events')).body as { kind: string, name?: string }[]).filter(({ kind }) =>
      kind === 'passkey_counter_older'
    ).map(({ name }) => name)
  expect((await signIn(visitor(), phone, { counter: 51 })).status).toBe(200)
  expect(await events()).toEqual([])
  expect((await signIn(visitor(), phone, { counter: 11 })).status).toBe(200)
  expect(await events()).toEqual(['Phone'])
  for (const counter of [12, 12, 0, 0, 1])
    expect((await signIn(visitor(), phone, { counter })).status).toBe(200)
  expect(await events()).toEqual(['Phone', 'Phone', 'Phone'])
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => signIn(visitor(), phone, { counter: 8 })),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const browser = visitor()
  const options = await beginSignIn(browser)
  const [cookies, response] = [new Map(browser.cookies), phone.get(options, { counter: 9 })]
  const replays = Array.from({ length: 4 }, () => {
    const tab = visitor()
    for (const [name, value] of cookies) tab.cookies.set(name, value)
    return tab.post('/passkey/verify-authentication', { response })
  })
  expect(
    (await Promise.all(replays)).map(({ status }) => status).toSorted((one, other) => one - other),
  ).toEqual([200, 400, 400, 400])
  expect(
    stack.mail.mails().filter(({ to, subject }) =>
      to === ann.email && subject.includes('another device')
    ),
  ).toEqual([])
})

test.each(forgedAnswers)(
  'adding a passkey is refused if the answer is %s',
  async (_, overrides) => {
    const eve = await signedIn(stack, 'Eve')
    expect(await addPasskey(eve, device(), overrides)).toMatchObject(invalid)
    expect((await passkeysOf(eve)).passkeys).toEqual([])
  },
)

test('adding a passkey is refused if the passkey belongs to another user', async () => {
  const { ann, phone } = await annWithPhone()
  const eve = await signedIn(stack, 'Eve')
  expect(await addPasskey(eve, device(), { credentialId: phone.id() })).toMatchObject(
    refused(409, 'PASSKEY_EXISTS'),
  )
  expect((await signIn(visitor(), phone)).body.user.email).toBe(ann.email)
})

test('adding a passkey is refused for another user’s account, and with a challenge of another user', async () => {
  const [ann, eve] = [await signedIn(stack, 'Ann'), await signedIn(stack, 'Eve')]
  const response = device().create(await beginRegistration(ann))
  await beginRegistration(eve)
  expect(await eve.post('/passkey/verify-registration', { response })).toMatchObject(invalid)
  for (const [name, value] of ann.cookies)
    if (!name.includes('session')) eve.cookies.set(name, value)
  expect(await eve.post('/passkey/verify-registration', { response })).toMatchObject(invalid)
  expect((await passkeysOf(ann)).passkeys).toEqual([])
})

test('adding a passkey is refused if no password was required for the challenge', async () => {
  const eve = await signedIn(stack, 'Eve')
  await ageSession(eve)
  const { challenge } = await beginSignIn(eve)
  const options = {
    challenge,
    rp: { id: 'localhost' },
    user: { id: Buffer.from(await eve.id()).toString('base64url') },
  }
  expect(await eve.post('/passkey/verify-registration', { response: device().create(options) }))
    .toMatchObject(invalid)
})

test('adding a passkey is refused and an attestation is neither trusted nor looked up', async () => {
  const eve = await signedIn(stack, 'Eve')
  for (const fmt of ['apple', 'packed', 'tpm', 'of Eve']) {
    const attStmt = new Map([['x5c', Buffer.from('no certificate')]])
    expect((await addPasskey(eve, device(), { attestation: { fmt, attStmt } })).status).toBe(200)
  }
})

test('an account that requires a passkey refuses the password alone, without creating a session, and ends earlier sessions; a wrong password gets the usual response', async () => {
  const { ann, phone } = await annWithPhone()
  const earlier = person(stack, 'Eve', ann.email)
  await earlier.signIn()
  expect(await ann.post('/passkey/require', { required: true, password })).toMatchObject(done)
  expect(await passkeysOf(ann)).toMatchObject({ required: true })
  expect((await earlier.get('/get-session')).status).toBe(401)
  const eve = person(stack, 'Eve', ann.email)
  const answer = await eve.signIn()
  expect(answer).toMatchObject(refused(403, 'SECOND_FACTOR_REQUIRED'))
  expect(answer.headers.getSetCookie()).toEqual([])
  expect(await sessionsOf(ann)).toBe(1)
  expect(await eve.signIn('wrong')).toMatchObject(refused(401, 'INVALID_CREDENTIALS'))
  expect((await signIn(eve, phone)).status).toBe(200)
  expect(await ann.post('/passkey/require', { required: false, password })).toMatchObject(done)
  expect((await person(stack, 'Ann', ann.email).signIn()).status).toBe(200)
})

test('an account that requires a passkey must have a passkey, and stops requiring one when the last passkey is deleted, even at the same moment', async () => {
  const none = await signedIn(stack, 'Ann')
  expect(await none.post('/passkey/require', { required: true })).toMatchObject(
    refused(409, 'PASSKEY_MISSING'),
  )
  const { ann, passkeyId } = await annWithPhone()
  await ann.post('/passkey/require', { required: true })
  await ann.post('/passkey/delete', { passkeyId })
  expect((await person(stack, 'Ann', ann.email).signIn()).status).toBe(200)
  for (let round = 0; round < 4; round += 1) {
    const { body: { id } } = await addPasskey(ann, device())
    await Promise.all([
      ann.post('/passkey/require', { required: true }),
      ann.post('/passkey/delete', { passkeyId: id }),
    ])
    expect(await passkeysOf(ann)).toEqual({ passkeys: [], required: false, has_password: true })
  }
})

test('an account that requires a passkey still requires it after a password reset by mail', async () => {
  const { ann, phone } = await annWithPhone()
  await ann.post('/passkey/require', { required: true, password })
  await visitor().post('/forget-password', { email: ann.email })
  const link = new URL(
    linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))),
  )
  expect(
    (await visitor().post('/reset-password', {
      token: link.searchParams.get('token'),
      password: 'known to Eve',
    })).status,
  ).toBe(200)
  expect(await person(stack, 'Eve', ann.email).signIn('known to Eve')).toMatchObject(
    refused(403, 'SECOND_FACTOR_REQUIRED'),
  )
  expect((await signIn(visitor(), phone)).status).toBe(200)
})

test('an account that requires a passkey is opened by the operator for a user who lost the device; this deletes the passkeys, and without one changes nothing', async () => {
  const { ann, phone } = await annWithPhone()
  await ann.post('/passkey/require', { required: true, password })
  const admin = (...argv: string[]) => operator(stack.ownerUrl, ...argv)
  expect(await admin('passkeys', 'reset', ann.email)).toEqual({
    code: 0,
    text:
      `Deleted 1 passkey of ${ann.email}, who signs in without one. All sessions are signed out.\n`,
  })
  expect((await ann.get('/get-session')).status).toBe(401)
  expect(await signIn(visitor(), phone)).toMatchObject(invalid)
  expect((await ann.signIn()).status).toBe(200)
  expect(await admin('passkeys', 'reset', ann.email)).toEqual({
    code: 1,
    text: `${ann.email} has no passkey.\n`,
  })
  expect((await ann.get('/get-session')).status).toBe(200)
  expect(await admin('passkeys', 'list')).toMatchObject({ code: 1 })
  expect(await admin('passkeys', 'reset', 'nobody@example.org')).toMatchObject({ code: 1 })
})

test('an account whose password was removed is opened by the passkey until a mail sets another password', async () => {
  const { ann, phone } = await annWithPhone()
  expect(await ann.post('/remove-password', { password })).toMatchObject(done)
  expect(await passkeysOf(ann)).toMatchObject({ has_password: false })
  expect(await person(stack, 'Ann', ann.email).signIn()).toMatchObject(
    refused(401, 'INVALID_CREDENTIALS'),
  )
  await ageSession(ann)
  expect(await ann.post('/passkey/generate-register-options', { password })).toMatchObject(
    refused(400, 'INVALID_PASSWORD'),
  )
  expect(await ann.post('/passkey/generate-register-options', {})).toMatchObject(
    refused(403, 'FRESH_SIGN_IN_REQUIRED'),
  )
  await signIn(ann, phone)
  expect((await ann.post('/passkey/generate-register-options', {})).status).toBe(200)
  await visitor().post('/forget-password', { email: ann.email })
  const link = new URL(
    linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))),
  )
  expect(
    (await visitor().post('/reset-password', {
      token: link.searchParams.get('token'),
      password: 'a new password',
    })).status,
  ).toBe(200)
  expect((await person(stack, 'Ann', ann.email).signIn('a new password')).status).toBe(200)
})

test('an account whose password was removed must have a passkey', async () => {
  const ann = await signedIn(stack, 'Ann')
  expect(await ann.post('/remove-password', { password })).toMatchObject(
    refused(409, 'PASSKEY_MISSING'),
  )
})

test('after the owner stops an address change, the attacker who requested it has no passkey on the account', async () => {
  const ann = await signedIn(stack, 'Ann')
  const [eve, phone] = [person(stack, 'Eve', ann.email), device()]
  await eve.signIn()
  await addPasskey(eve, phone)
  await eve.post('/passkey/require', { required: true, password })
  await eve.post('/request-email-change', { newEmail: 'eve-passkey@example.net', password })
  const link = new URL(
    linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('stop-email-change'))),
  )
  expect(
    (await visitor().post('/stop-email-change', { token: link.searchParams.get('token') })).status,
  ).toBe(200)
  expect(await signIn(visitor(), phone)).toMatchObject(invalid)
  const reset = new URL(
    linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))),
  )
  await visitor().post('/reset-password', {
    token: reset.searchParams.get('token'),
    password: 'known to Ann alone',
  })
  expect((await person(stack, 'Ann', ann.email).signIn('known to Ann alone')).status).toBe(200)
})

test('an app on another site has passkeys for its own host, and its pages are trusted', async () => {
  await using elsewhere = await startStack({
    env: {
      PUBLIC_URL: 'https://api.example.org',
      APP_URL: 'https://money.example.net/app',
      COOKIE_SAME_SITE: 'none',
    },
  })
  const [ann, phone] = [
    await signedIn(elsewhere, 'Ann'),
    passkeyDevice('https://money.example.net'),
  ]
  const options = await beginRegistration(ann)
  expect(options.rp).toEqual({ id: 'money.example.net', name: 'money.example.net' })
  expect(
    (await ann.post('/passkey/verify-registration', { response: phone.create(options) })).status,
  ).toBe(200)
  expect((await signIn(person(elsewhere), phone)).body.user.email).toBe(ann.email)
  expect(await signIn(person(elsewhere), phone, { origin: 'https://other.example.net' }))
    .toMatchObject(invalid)
})

test('with sign-up closed, a passkey creates no account', async () => {
  const closed = { ...stack, url: await stack.startAnotherAuth({ SIGN_UP: 'closed' }) }
  const accounts = async () => (await stack.sql.query('select from auth.users')).rowCount
  const before = await accounts()
  const stranger = device()
  stranger.create({ challenge: 'AAAA', rp: { id: 'localhost' }, user: { id: 'AAAA' } })
  expect(await signIn(person(closed), stranger, { origin: closed.publicUrl })).toMatchObject(
    invalid,
  )
  expect(await accounts()).toBe(before)
})

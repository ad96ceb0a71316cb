import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, subscribed } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

test('sign-up returns exactly user and session, and sets a session cookie', async () => {
  const ann = person(stack, 'Ann')
  const { status, body, headers } = await ann.signUp()
  expect(status).toBe(200)
  expect(body).toEqual({
    user: {
      id: expect.any(String),
      email: ann.email,
      name: 'Ann',
      email_verified: false,
      created_at: expect.stringMatching(isoTime),
      updated_at: expect.stringMatching(isoTime),
    },
    session: {
      id: expect.any(String),
      user_id: body.user.id,
      expires_at: expect.stringMatching(isoTime),
    },
  })
  expect(headers.get('set-cookie')).toMatch(/HttpOnly/i)
  expect(headers.get('set-cookie')).toMatch(/SameSite=Lax/i)
  expect(headers.get('cache-control')).toBe('no-store')
})

test('sign-up succeeds without a name', async () => {
  const ann = person(stack)
  const { status, body } = await ann.post('/sign-up/email', { email: ann.email, password })
  expect(status).toBe(200)
  expect(body.user.name).toBe('')
})

test('sign-up sends a verification email, and its link verifies the address', async () => {
  const ann = person(stack, 'Ann')
  await ann.signUp()
  const mail = await stack.mail.waitFor(ann.email)
  expect(mail.from).toBe('Money <money@example.org>')
  expect(linkIn(mail)).toMatch(/^http:\/\/localhost:\d+\/api\/auth\/verify-email\?token=/)
  expect(await ann.verify()).toMatchObject({
    status: 200,
    body: { success: true, message: expect.any(String) },
  })
  expect((await ann.get('/get-session')).body.user.email_verified).toBe(true)
})

test.each([
  ['no address', { password }, 'VALIDATION_ERROR'],
  ['an address without a domain', { email: 'ann', password }, 'INVALID_EMAIL'],
  [
    'an address of two lines',
    { email: 'ann@example.org\nbcc@example.org', password },
    'INVALID_EMAIL',
  ],
  ['an address that is a number', { email: 1, password }, 'VALIDATION_ERROR'],
  [
    'an address of 5000 letters',
    { email: `${'a'.repeat(5000)}@example.org`, password },
    'INVALID_EMAIL',
  ],
  ['no password', { email: 'ann@example.org' }, 'VALIDATION_ERROR'],
  ['a short password', { email: 'ann@example.org', password: '1234567' }, 'INVALID_PASSWORD'],
  [
    'a password of 5000 characters',
    { email: 'ann@example.org', password: 'x'.repeat(5000) },
    'INVALID_PASSWORD',
  ],
  [
    'a name that is an object',
    { email: 'ann@example.org', password, name: {} },
    'VALIDATION_ERROR',
  ],
  [
    'a name with a NUL byte',
    { email: 'ann@example.org', password, name: 'A\u0000nn' },
    'VALIDATION_ERROR',
  ],
  ['a name of blanks', { email: 'ann@example.org', password, name: '   ' }, 'VALIDATION_ERROR'],
  [
    'a name of invisible characters',
    { email: 'ann@example.org', password, name: '\u200b\u3164' },
    'VALIDATION_ERROR',
  ],
  ['a name of two lines', {
    email: 'ann@example.org',
    password,
    name: 'Ann\r\nBcc: eve@example.org',
  }, 'VALIDATION_ERROR'],
])('sign-up with %s is refused', async (_, body, error) => {
  const answer = await person(stack).post('/sign-up/email', body)
  expect(answer).toMatchObject({ status: 400, body: { error, message: expect.any(String) } })
  expect(Object.keys(answer.body).toSorted()).toEqual(['error', 'message'])
})

test('sign-up with an address that has an account returns 409 USER_EXISTS, regardless of letter case', async () => {
  const ann = person(stack, 'Ann')
  await ann.signUp()
  expect(await ann.signUp()).toMatchObject({ status: 409, body: { error: 'USER_EXISTS' } })
  expect(await ann.post('/sign-up/email', { email: ann.email.toUpperCase(), password }))
    .toMatchObject({ status: 409, body: { error: 'USER_EXISTS' } })
})

test('sign-up of the same address ten times at once creates one account', async () => {
  const ann = person(stack, 'Ann')
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => person(stack, 'Ann', ann.email).signUp()),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array.from({ length: 9 }, () => 409),
  ])
  expect(
    answers.filter(({ status }) => status === 409).every(({ body }) =>
      body.error === 'USER_EXISTS'
    ),
  ).toBe(true)
})

test('sign-up ignores fields that a client may not set', async () => {
  const ann = person(stack, 'Ann')
  const { body } = await ann.post('/sign-up/email', {
    email: ann.email,
    password,
    emailVerified: true,
    id: 'mine',
    role: 'owner',
  })
  expect(body.user).toMatchObject({ email_verified: false })
  expect(body.user.id).not.toBe('mine')
})

test('sign-in returns user, session with active_organization_id, and subscription', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { status, body } = await person(stack, 'Ann', ann.email).signIn()
  expect(status).toBe(200)
  expect(body).toEqual({
    user: expect.objectContaining({ email: ann.email, email_verified: true }),
    session: {
      id: expect.any(String),
      user_id: body.user.id,
      active_organization_id: null,
      expires_at: expect.stringMatching(isoTime),
    },
    subscription: { isSubscribed: false, productId: null },
  })
})

test('sign-in returns the product of an active plan', async () => {
  const ann = await subscribed(stack, 'Ann')
  expect((await ann.signIn()).body.subscription).toEqual({ isSubscribed: true, productId: 'teams' })
  expect((await ann.get('/get-session')).body.subscription).toEqual({
    isSubscribed: true,
    productId: 'teams',
  })
})

test('sign-in returns no product after the plan’s period has ended', async () => {
  const ann = await subscribed(stack, 'Ann')
  await stack.sql.query(
    `update api.app_subscriptions set period_start = now() - interval '2 days', period_end = now() - interval '1 day' where user_id = $1`,
    [await ann.id()],
  )
  expect((await ann.signIn()).body.subscription).toEqual({ isSubscribed: false, productId: null })
})

test('sign-in of an unverified user sends the verification email again', async () => {
  const ann = person(stack, 'Ann')
  await ann.signUp()
  await stack.mail.waitFor(ann.email)
  expect((await ann.signIn()).status).toBe(200)
  await expect.poll(() => stack.mail.mails().filter(({ to }) => to === ann.email).length).toBe(2)
})

test('sign-in of a verified user sends no email', async () => {
  const ann = person(stack, 'Ann')
  await ann.signUp()
  await ann.verify()
  await ann.signIn()
  await ann.post('/forget-password', { email: ann.email })
  await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))
  expect(
    stack.mail.mails().filter(({ to, text }) => to === ann.email && text.includes('verify-email')),
  ).toHaveLength(1)
})

test('sign-in with a wrong password or an unknown address returns the same 401', async () => {
  const ann = await signedIn(stack, 'Ann')
  const wrong = await ann.signIn('not the password')
  const unknownAddress = await person(stack).signIn()
  expect(wrong).toMatchObject({ status: 401, body: { error: 'INVALID_CREDENTIALS' } })
  expect(unknownAddress.body).toEqual(wrong.body)
  expect(unknownAddress.status).toBe(401)
})

test.each([
  ['an invalid address', { email: 'ann', password }, 400, 'INVALID_EMAIL'],
  [
    'a password of 5000 characters',
    { email: 'ann@example.org', password: 'x'.repeat(5000) },
    400,
    'INVALID_PASSWORD',
  ],
  [
    'a password that is a list',
    { email: 'ann@example.org', password: [] },
    400,
    'VALIDATION_ERROR',
  ],
])('sign-in with %s is refused', async (_, body, status, error) => {
  expect(await person(stack).post('/sign-in/email', body)).toMatchObject({
    status,
    body: { error },
  })
})

test('address verification with a broken, foreign or missing token is refused', async () => {
  const ann = person(stack, 'Ann')
  await ann.signUp()
  expect(await ann.get('/verify-email?token=nonsense')).toMatchObject({
    status: 400,
    body: { error: 'INVALID_TOKEN' },
  })
  expect(await ann.get(`/verify-email?token=${await ann.token()}`)).toMatchObject({
    status: 400,
    body: { error: 'INVALID_TOKEN' },
  })
  expect(await ann.get('/verify-email')).toMatchObject({
    status: 400,
    body: { error: 'VALIDATION_ERROR' },
  })
  expect((await ann.get('/get-session')).body.user.email_verified).toBe(false)
})

test('address verification in a browser shows a page instead of JSON', async () => {
  const ann = person(stack, 'Ann')
  await ann.signUp()
  const { search } = new URL(linkIn(await stack.mail.waitFor(ann.email)))
  const { status, body, headers } = await ann.get(`/verify-email${search}`, {
    accept: 'text/html,application/xhtml+xml',
  })
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^text\/html; charset=utf-8$/i)
  expect(body).toContain('verified')
  expect(await ann.get('/verify-email?token=nonsense', { accept: 'text/html' })).toMatchObject({
    status: 400,
    body: expect.stringContaining('no longer works'),
  })
})

test('address verification sends the mail again on request, and responds the same for an unknown address', async () => {
  const ann = person(stack, 'Ann')
  await ann.signUp()
  await stack.mail.waitFor(ann.email)
  const knownAddress = await ann.post('/send-verification-email', { email: ann.email })
  const unknownAddress = await person(stack).post('/send-verification-email', {
    email: 'nobody@example.org',
  })
  expect(knownAddress).toMatchObject({ status: 200, body: { success: true } })
  expect(unknownAddress.body).toEqual(knownAddress.body)
  await expect.poll(() => stack.mail.mails().filter(({ to }) => to === ann.email).length).toBe(2)
  expect(stack.mail.mails().filter(({ to }) => to === 'nobody@example.org')).toEqual([])
})

test('password reset works once with the mailed token, and ends all sessions', async () => {
  const ann = await signedIn(stack, 'Ann')
  expect(await person(stack).post('/forget-password', { email: ann.email })).toMatchObject({
    status: 200,
    body: { success: true, message: expect.any(String) },
  })
  const mail = await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))
  const token = new URL(linkIn(mail)).searchParams.get('token')
  expect(await person(stack).post('/reset-password', { token, password: 'a new password' }))
    .toMatchObject({
      status: 200,
      body: { success: true, message: expect.any(String) },
    })
  expect((await ann.get('/get-session')).status).toBe(401)
  expect((await ann.signIn()).status).toBe(401)
  expect((await ann.signIn('a new password')).status).toBe(200)
  expect(await person(stack).post('/reset-password', { token, password: 'another password' }))
    .toMatchObject({
      status: 400,
      body: { error: 'INVALID_TOKEN' },
    })
})

test('password reset links end with each change of the password: by another link, or by the user', async () => {
  const ann = await signedIn(stack, 'Ann')
  const requested = new Set<string>()
  const link = async () => {
    await person(stack).post('/forget-password', { email: ann.email })
    const mail = await stack.mail.waitFor(
      ann.email,
      ({ text }) => text.includes('reset-password') && !requested.has(text),
    )
    requested.add(mail.text)
    return new URL(linkIn(mail)).searchParams.get('token')
  }
  const reset = (token: string | null) =>
    person(stack).post('/reset-password', { token, password: 'a new password' })
  const [first, second] = [await link(), await link()]
  expect((await reset(second)).status).toBe(200)
  expect(await reset(first)).toMatchObject({ status: 400, body: { error: 'INVALID_TOKEN' } })
  const third = await link()
  await ann.signIn('a new password')
  expect(
    (await ann.post('/change-password', {
      currentPassword: 'a new password',
      newPassword: 'another password',
    })).status,
  ).toBe(200)
  expect(await reset(third)).toMatchObject({ status: 400, body: { error: 'INVALID_TOKEN' } })
})

test('password reset of an unknown address responds the same, and sends no mail', async () => {
  const ann = await signedIn(stack, 'Ann')
  const knownAddress = await person(stack).post('/forget-password', { email: ann.email })
  const unknownAddress = await person(stack).post('/forget-password', {
    email: 'nobody-at-all@example.org',
  })
  expect(unknownAddress.body).toEqual(knownAddress.body)
  await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))
  expect(stack.mail.mails().filter(({ to }) => to === 'nobody-at-all@example.org')).toEqual([])
})

test('password reset links to the page in redirectTo if it is trusted, and is otherwise refused', async () => {
  const ann = await signedIn(stack, 'Ann')
  await person(stack).post('/forget-password', {
    email: ann.email,
    redirectTo: '/app/new-password?lang=en',
  })
  const mail = await stack.mail.waitFor(ann.email, ({ text }) => text.includes('new-password'))
  expect(linkIn(mail)).toMatch(/^http:\/\/localhost:\d+\/app\/new-password\?lang=en&token=\w+$/)
  for (
    const redirectTo of [
      'https://evil.example/x',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      'http://localhost@evil.example/',
    ]
  ) {
    expect(await person(stack).post('/forget-password', { email: ann.email, redirectTo }))
      .toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } })
  }
})

test.each([
  ['a short password', { token: 'x'.repeat(24), password: 'short' }, 'INVALID_PASSWORD'],
  ['no token', { password }, 'VALIDATION_ERROR'],
  ['a token that was not issued', { token: 'x'.repeat(24), password }, 'INVALID_TOKEN'],
])('password reset with %s is refused', async (_, body, error) => {
  expect(await person(stack).post('/reset-password', body)).toMatchObject({
    status: 400,
    body: { error },
  })
})

test('an account gets a new password only with the current one, and the change ends the other sessions', async () => {
  const ann = await signedIn(stack, 'Ann')
  const laptop = person(stack, 'Ann', ann.email)
  await laptop.signIn()
  expect(
    await ann.post('/change-password', {
      currentPassword: 'wrong password',
      newPassword: 'a new password',
    }),
  ).toMatchObject({
    status: 400,
    body: { error: 'INVALID_PASSWORD' },
  })
  expect(
    await ann.post('/change-password', {
      currentPassword: password,
      newPassword: 'a new password',
    }),
  ).toMatchObject({
    status: 200,
    body: { success: true },
  })
  expect((await ann.get('/get-session')).status).toBe(200)
  expect((await laptop.get('/get-session')).status).toBe(401)
  expect((await laptop.signIn('a new password')).status).toBe(200)
})

test('an account has a password of 8 to 128 characters of any kind, which counts exactly as it was written', async () => {
  const long = ` Grüße aus 東京 ${'x'.repeat(128)}`.slice(0, 127)
  const exact = `${long}Q`
  const ann = person(stack, 'Ann')
  const signUp = (given: string) =>
    ann.post('/sign-up/email', { email: ann.email, password: given })
  for (const wrong of ['1234567', `${exact}x`])
    expect(await signUp(wrong)).toMatchObject({ status: 400, body: { error: 'INVALID_PASSWORD' } })
  expect((await signUp(exact)).status).toBe(200)
  for (const other of [`${long}q`, long, exact.trimStart(), exact.replace('ü', 'u')])
    expect((await ann.signIn(other)).status).toBe(401)
  expect((await ann.signIn(exact)).status).toBe(200)
  for (const plain of ['aaaaaaaa', '12345678 '])
    expect(
      (await person(stack).post('/sign-up/email', {
        email: `p-${plain.length}-${ann.email}`,
        password: plain,
      })).status,
    ).toBe(200)
})

test('an account gets a new name and picture, and ignores other fields', async () => {
  const ann = await signedIn(stack, 'Ann')
  expect(
    await ann.post('/update-user', {
      name: 'Anna',
      image: 'https://example.org/ann.png',
      email: 'eve@example.org',
    }),
  ).toMatchObject({
    status: 200,
    body: { user: { name: 'Anna', image: 'https://example.org/ann.png', email: ann.email } },
  })
  expect(await ann.post('/update-user', { image: 'javascript:alert(1)' })).toMatchObject({
    status: 400,
    body: { error: 'VALIDATION_ERROR' },
  })
  expect(await ann.post('/update-user', {})).toMatchObject({
    status: 400,
    body: { error: 'VALIDATION_ERROR' },
  })
})

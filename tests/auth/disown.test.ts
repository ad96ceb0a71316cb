/** A stranger signs up with the address of a mailbox owner, who disowns the account. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { disownToken } from '../../auth/features/account/sign-up.ts'
import { linkIn, linksIn } from '../support/mail-sink.ts'
import { person, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

const secret = 'a secret of the tests, long enough'
let stack: Stack
beforeAll(async () => {
  stack = await startStack({ env: { BETTER_AUTH_SECRET: secret } })
})
afterAll(() => stack.close())

/** Creates an account for Eve with Ann's address. Ann has the mail. */
async function preRegistered(): Promise<
  { eve: Person, ann: Person, verify: URL, disown: URL, token: string }
> {
  const eve = person(stack, 'Eve')
  await eve.signUp()
  const [verify, disown] = linksIn(await stack.mail.waitFor(eve.email)).map((link) => new URL(link))
  if (verify === undefined || disown === undefined) throw new Error('expected two links')
  return {
    eve,
    ann: person(stack, 'Ann', eve.email),
    verify,
    disown,
    token: disown.searchParams.get('token') ?? '',
  }
}
const accounts = async ({ email }: Person) =>
  (await stack.sql.query('select from auth.users where email = $1', [email])).rowCount
const sessions = async ({ email }: Person) =>
  (await stack.sql.query(
    'select from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1',
    [email],
  )).rowCount
const refused = { status: 400, body: { error: 'INVALID_TOKEN', message: expect.any(String) } }

test('the verification mail of an account that a stranger created says when and under which name it was created, and contains no link of the stranger', async () => {
  const eve = person(stack, 'http://evil.example/login', 'victim@example.org')
  await eve.signUp()
  const mail = await stack.mail.waitFor(eve.email)
  const { rows: [{ at }] } = await stack.sql.query(
    `select to_char(created_at at time zone 'UTC', 'FMDD FMMonth YYYY "at" HH24:MI "UTC"') as at from auth.users where email = $1`,
    [eve.email],
  )
  expect(mail.text).toContain(
    `The account was created on ${at} with the name “http //evil example/login”.`,
  )
  expect(linksIn(mail).map((link) => new URL(link).pathname)).toEqual([
    '/api/auth/verify-email',
    '/api/auth/disown-account',
  ])
})

test('the verification mail of an account that a stranger created disowns nothing when a scanner or a prefetching browser opens its links', async () => {
  const { eve, disown } = await preRegistered()
  for (const method of ['GET', 'HEAD']) {
    for (const headers of [{}, { 'sec-purpose': 'prefetch;prerender' }, { accept: 'text/html' }]) {
      const answer = await eve.call(method, `/disown-account${disown.search}`, undefined, headers)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toContain('text/html')
    }
  }
  expect((await eve.get('/get-session')).status).toBe(200)
})

test('the verification mail of an account that a stranger created deletes the account and its sessions when the mailbox owner confirms; a second click reports that', async () => {
  const { eve, ann, token } = await preRegistered()
  const elsewhere = person(stack, 'Eve', eve.email)
  await elsewhere.signIn()
  expect(await ann.post('/disown-account', { token })).toMatchObject({
    status: 200,
    body: { success: true, message: expect.any(String) },
  })
  for (const browser of [eve, elsewhere])
    expect((await browser.get('/get-session')).status).toBe(401)
  expect(await accounts(eve)).toBe(0)
  expect(await ann.post('/disown-account', { token })).toMatchObject(refused)
})

test('the verification mail of an account that a stranger created deletes the account once when its page is confirmed fifty times at once', async () => {
  const { ann, token } = await preRegistered()
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => ann.post('/disown-account', { token })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status !== 200)).toMatchObject(
    Array.from({ length: 49 }, () => refused),
  )
})

test('the verification mail of an account that a stranger created does not disown the account that the mailbox owner creates afterwards', async () => {
  const { ann, token } = await preRegistered()
  await ann.post('/disown-account', { token })
  expect((await ann.signUp()).status).toBe(200)
  expect(await ann.post('/disown-account', { token })).toMatchObject(refused)
  expect((await ann.get('/get-session')).status).toBe(200)
})

test('the verification mail of an account that a stranger created says the same when it is sent again at sign-in, and its link works', async () => {
  const { eve, ann } = await preRegistered()
  await eve.signIn()
  const mails = () => stack.mail.mails().filter(({ to }) => to === eve.email)
  await expect.poll(() => mails().length).toBe(2)
  const again = mails()[1] ?? { text: '' }
  expect(again.text).toContain('with the name “Eve”')
  expect(
    (await ann.post('/disown-account', {
      token: new URL(linksIn(again)[1] ?? '').searchParams.get('token'),
    })).status,
  ).toBe(200)
})

test('a verified account is not deleted by a disown link; the response says why, and what to do', async () => {
  const { eve, ann, verify, token } = await preRegistered()
  await ann.get(`/verify-email${verify.search}`)
  expect(await ann.post('/disown-account', { token })).toMatchObject({
    status: 409,
    body: { error: 'ALREADY_VERIFIED', message: expect.stringContaining('reset your password') },
  })
  expect((await eve.get('/get-session')).status).toBe(200)
})

test('a verified account keeps its sessions at verification, because users often verify on another device', async () => {
  const { eve, ann, verify } = await preRegistered()
  await ann.get(`/verify-email${verify.search}`)
  expect((await eve.get('/get-session')).body.user.email_verified).toBe(true)
})

test('a verified account is never also disowned, even if both links are opened at the same moment', async () => {
  for (let round = 0; round < 6; round++) {
    const { ann, eve, verify, token } = await preRegistered()
    const [disowned] = await Promise.all([
      ann.post('/disown-account', { token }),
      ann.get(`/verify-email${verify.search}`),
    ])
    expect(await accounts(eve)).toBe(disowned.status === 200 ? 0 : 1)
    expect(await sessions(eve)).toBe(disowned.status === 200 ? 0 : 1)
  }
})

test('a disown token that is altered, truncated or expired is refused, and deletes nothing', async () => {
  const { eve, ann, token } = await preRegistered()
  const [head, claims, signature] = token.split('.')
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 8 * 86_400_000 })
  const expired = await disownToken(
    secret,
    await stack.sql.query('select id from auth.users where email = $1', [eve.email])
      .then(({ rows }) => rows[0].id),
  )
  vi.useRealTimers()
  const flipped = `${head}.${claims}.${signature?.startsWith('A') ? 'B' : 'A'}${
    signature?.slice(1)
  }`
  for (
    const bent of [flipped, `${head}.${claims}`, token.slice(0, -5), unsigned, expired, 'x', '..']
  )
    expect(await ann.post('/disown-account', { token: bent })).toMatchObject(refused)
  for (const body of [{}, { token: '' }, { token: null }, { token: ['x'] }])
    expect((await ann.post('/disown-account', body)).status).toBe(400)
  expect(await accounts(eve)).toBe(1)
  expect((await ann.post('/disown-account', { token })).status).toBe(200)
})

test('a disown token does nothing else, and no other token disowns an account', async () => {
  const { eve, ann, verify, token } = await preRegistered()
  await eve.post('/forget-password', { email: eve.email })
  const reset = new URL(
    linkIn(await stack.mail.waitFor(eve.email, ({ text }) => text.includes('reset-password'))),
  ).searchParams.get('token')
  const session = decodeURIComponent([...eve.cookies.values()][0] ?? '')
  for (const other of [verify.searchParams.get('token'), reset, await eve.token(), session]) {
    expect(await ann.post('/disown-account', { token: other })).toMatchObject(refused)
  }
  expect(await ann.get(`/verify-email?token=${token}`)).toMatchObject(refused)
  expect(await ann.post('/reset-password', { token, password: 'a new password' })).toMatchObject(
    refused,
  )
  const forged = person(stack)
  for (const name of eve.cookies.keys()) forged.cookies.set(name, token)
  expect((await forged.get('/get-session')).status).toBe(401)
  expect((await eve.get('/get-session')).body.user.email_verified).toBe(false)
})

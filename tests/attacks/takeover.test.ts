/** An attacker has access to a victim's account for a while, and prepares ways to regain it. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { withTwoFactors } from '../support/authenticator-app.ts'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, type Person } from '../support/person.ts'
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
const invalid = refused(400, 'INVALID_TOKEN')
const done = { status: 200, body: { success: true } }
const visitor = () => person(stack)
let addresses = 0
const attackerAddress = () => `eve-${++addresses}@example.net`
const tokenOf = async (to: string, path: string) =>
  new URL(linkIn(await stack.mail.waitFor(to, ({ text }) => text.includes(path)))).searchParams.get(
    'token',
  ) ?? ''
const confirm = async (to: string) =>
  visitor().post('/confirm-email-change', { token: await tokenOf(to, 'confirm-email-change') })
const stop = async (from: string) =>
  visitor().post('/stop-email-change', { token: await tokenOf(from, 'stop-email-change') })
const requestChange = async (user: Person, newEmail = attackerAddress()): Promise<string> => {
  expect(await user.post('/request-email-change', { newEmail, password })).toMatchObject(done)
  return newEmail
}
const requestChangeWithoutPassword = async (
  user: Person,
  newEmail = attackerAddress(),
): Promise<string> => {
  expect(await user.post('/request-email-change', { newEmail })).toMatchObject(done)
  return newEmail
}
const emailOf = async (id: string) =>
  (await stack.sql.query('select email from auth.users where id = $1', [id])).rows[0]?.email

/** Creates Ann's account, with a session of Eve in it. */
async function createSharedAccount(): Promise<{ ann: Person, eve: Person, id: string }> {
  const ann = await signedIn(stack, 'Ann')
  const eve = person(stack, 'Eve', ann.email)
  expect((await eve.signIn()).status).toBe(200)
  return { ann, eve, id: await ann.id() }
}

test('after Ann stops a change of her address, Eve cannot regain the account by having changed the address once more', async () => {
  const { ann, eve, id } = await createSharedAccount()
  const first = await requestChange(eve)
  expect(await confirm(first)).toMatchObject(done)
  const second = await requestChange(eve)
  expect(await confirm(second)).toMatchObject(done)
  expect(await stop(ann.email)).toMatchObject(done)
  expect(await emailOf(id)).toBe(ann.email)
  // The stop link in the mail to the intermediate address.
  expect(await stop(first)).toMatchObject(invalid)
  expect(await emailOf(id)).toBe(ann.email)
})

test('after Ann stops a change of her address, Eve cannot regain the account by stopping her own change first', async () => {
  const { ann, eve, id } = await createSharedAccount()
  const first = await requestChange(eve)
  await confirm(first)
  await confirm(await requestChange(eve))
  expect(await stop(first)).toMatchObject(done)
  expect(await stop(ann.email)).toMatchObject(done)
  expect(await emailOf(id)).toBe(ann.email)
})

test('after Ann stops a change of her address, Eve cannot regain the account by a password reset that was requested at the new address', async () => {
  const { ann, eve } = await createSharedAccount()
  const to = await requestChange(eve)
  await confirm(to)
  await eve.post('/forget-password', { email: to })
  const token = await tokenOf(to, 'reset-password')
  expect(await stop(ann.email)).toMatchObject(done)
  expect(await eve.post('/reset-password', { token, password: 'known to Eve alone' }))
    .toMatchObject(invalid)
  expect((await person(stack, 'Eve', ann.email).signIn('known to Eve alone')).status).toBe(401)
})

test('after Ann stops a change of her address, Eve cannot regain the account and cannot have deleted it, because a deletion waits as long as the change can be stopped', async () => {
  const { ann, eve, id } = await createSharedAccount()
  const to = await requestChange(eve)
  expect((await eve.post('/delete-account', { password })).status).toBe(200)
  await confirm(to)
  expect(await eve.post('/delete-account', { password })).toMatchObject(
    refused(409, 'EMAIL_CHANGED_RECENTLY'),
  )
  expect(await stop(ann.email)).toMatchObject(done)
  expect(await emailOf(id)).toBe(ann.email)
})

test('after Ann stops a change of her address, Eve cannot regain the account by the link to the new address of an account without a password', async () => {
  const { ann, eve, id } = await createSharedAccount()
  await stack.sql.query('update auth.accounts set password = null where user_id = $1', [id])
  const [first, second] = [
    await requestChangeWithoutPassword(eve),
    await requestChangeWithoutPassword(eve),
  ]
  expect(await stop(ann.email)).toMatchObject(done)
  for (const to of [first, second]) expect(await confirm(to)).toMatchObject(invalid)
  expect(await emailOf(id)).toBe(ann.email)
})

test('while Eve’s password is being verified, it is invalidated by the stop of an address change, and her sign-in leaves no session', async () => {
  const { ann, eve } = await createSharedAccount()
  await requestChange(eve)
  const token = await tokenOf(ann.email, 'stop-email-change')
  await Promise.all([eve.signIn(), visitor().post('/stop-email-change', { token })])
  expect((await eve.get('/get-session')).status).toBe(401)
})

test.each([
  ['/api-key/create', { name: 'Report', expiresInDays: 9, password }],
  ['/change-password', { currentPassword: password, newPassword: 'known to Eve alone' }],
])(
  'while Eve’s password is being verified, it is invalidated and %s has no lasting effect',
  async (path, body) => {
    const { ann, eve, id } = await createSharedAccount()
    await requestChange(eve)
    const token = await tokenOf(ann.email, 'stop-email-change')
    const request = eve.post(path, body)
    await new Promise((resolve) => setTimeout(resolve, 40))
    expect(await visitor().post('/stop-email-change', { token })).toMatchObject(done)
    await request
    const { rows } = await stack.sql.query(
      `select (select count(*)::integer from auth.api_keys where user_id = $1) as keys, (select count(*)::integer from auth.sessions where user_id = $1) as sessions,
        (select count(password)::integer from auth.accounts where user_id = $1) as passwords`,
      [id],
    )
    expect(rows).toEqual([{ keys: 0, sessions: 0, passwords: 0 }])
  },
)

test('while Eve’s password is being verified, it is invalidated by a password reset, and her sign-in leaves no session', async () => {
  const { ann } = await createSharedAccount()
  await ann.post('/forget-password', { email: ann.email })
  const token = await tokenOf(ann.email, 'reset-password')
  const reset = ann.post('/reset-password', { token, password: 'known to Ann alone' })
  const tries = Array.from({ length: 8 }, () => person(stack, 'Eve', ann.email))
  await Promise.all([
    reset,
    ...tries.map(async (one, i) => {
      await new Promise((resolve) => setTimeout(resolve, i * 40))
      await one.signIn()
    }),
  ])
  for (const one of tries) expect((await one.get('/get-session')).status).toBe(401)
})

test('Eve signs up with Ann’s address and waits but cannot turn on a second factor, which would lock Ann out', async () => {
  const eve = person(stack, 'Eve')
  await eve.signUp()
  expect(await eve.post('/two-factor/enable', { password })).toMatchObject(
    refused(403, 'EMAIL_NOT_VERIFIED'),
  )
})

test('Eve signs up with Ann’s address and waits but cannot request an address change, whose link would take the account after Ann verifies it', async () => {
  const eve = person(stack, 'Eve')
  await eve.signUp()
  expect(await eve.post('/request-email-change', { newEmail: attackerAddress(), password }))
    .toMatchObject(refused(403, 'EMAIL_NOT_VERIFIED'))
})

describe('Eve has a session of Ann that is eleven minutes old, but not her password: FRESH_SIGN_IN_REQUIRED for', () => {
  test.each([
    ['/request-email-change', { newEmail: 'eve@example.net' }],
    ['/delete-account', {}],
    ['/two-factor/enable', {}],
    ['/two-factor/disable', {}],
    ['/two-factor/generate-backup-codes', {}],
    ['/passkey/generate-register-options', {}],
    ['/passkey/delete', { passkeyId: 'any' }],
    ['/passkey/require', { required: true }],
    ['/passkey/require', { required: false }],
    ['/remove-password', {}],
    ['/api-key/create', { name: 'Report', expiresInDays: 1 }],
  ])('%s %j', async (path, body) => {
    const eve = await signedIn(stack, 'Ann')
    await stack.sql.query(
      `update auth.sessions set created_at = now() - interval '11 minutes' where user_id = $1`,
      [await eve.id()],
    )
    expect(await eve.post(path, body)).toMatchObject(refused(403, 'FRESH_SIGN_IN_REQUIRED'))
    expect(await eve.post(path, { ...body, password: 'a guess at it' })).toMatchObject(
      refused(400, 'INVALID_PASSWORD'),
    )
  })
})

test.each([['two-factor/disable', {}], ['passkey/delete', { passkeyId: 'any' }]])(
  'an attacker’s %s that waits while the owner ends all sessions changes nothing',
  async (path, more) => {
    const { user: ann } = await withTwoFactors(stack, 'Ann')
    const owner = await stack.sql.connect()
    onTestFinished(() => owner.release(true))
    await owner.query('begin')
    await owner.query('select from auth.users where email = $1 for no key update', [ann.email])
    await owner.query(
      'delete from auth.sessions where user_id = (select id from auth.users where email = $1)',
      [ann.email],
    )
    const answer = ann.post(`/${path}`, { password, ...more })
    await expect.poll(async () =>
      (await stack.sql.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )).rowCount
    ).toBe(1)
    await owner.query('commit')
    expect(await answer).toMatchObject(refused(401, 'UNAUTHORIZED'))
    expect((await person(stack, 'Ann', ann.email).signIn()).body).toMatchObject({
      error: 'SECOND_FACTOR_REQUIRED',
    })
  },
)

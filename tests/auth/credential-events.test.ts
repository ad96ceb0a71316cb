/**
 * Every other way into an account is listed and mailed when it is added and when it ends,
 * regardless of the cause.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { localReceivers } from '../../realtime/webhooks/sender.ts'
import { authenticator, withTwoFactors } from '../support/authenticator-app.ts'
import { operator } from '../support/operator.ts'
import { passkeyDevice } from '../support/passkey-device.ts'
import { password, person, signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ receivers: localReceivers })
})
afterAll(() => stack.close())

/** Returns the listed events without sign-ins, newest first. */
const listed = async (user: Person) => {
  const { status, body } = await user.get('/list-events')
  expect(status).toBe(200)
  return (body as { kind: string, name?: string }[]).filter(({ kind }) => kind !== 'signed_in').map(
    ({ kind, name }) => [kind, name],
  )
}
const mailed = (user: Person, subject: string) =>
  stack.mail.waitFor(user.email, (mail) => mail.subject === subject)
const addPasskey = async (user: Person, name: string): Promise<string> => {
  const { body: options } = await user.post('/passkey/generate-register-options', { password })
  return (await user.post('/passkey/verify-registration', {
    response: passkeyDevice(stack.publicUrl).create(options),
    name,
  })).body.id
}
const turnOn = async (user: Person) => {
  const { body } = await user.post('/two-factor/enable', { password })
  expect(
    (await user.post('/two-factor/verify-totp', { code: authenticator(body.totp_uri).code() }))
      .status,
  ).toBe(200)
}

test('a user adds a passkey and deletes it', async () => {
  const ann = await signedIn(stack, 'Ann')
  const passkeyId = await addPasskey(ann, 'Phone')
  expect((await mailed(ann, 'A passkey was added')).text).toContain('Phone')
  await ann.post('/passkey/delete', { passkeyId, password })
  await mailed(ann, 'A passkey was deleted')
  expect(await listed(ann)).toEqual([['passkey_deleted', 'Phone'], ['passkey_added', 'Phone']])
})

test('a user creates an API key and revokes it; no mail contains the key', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { id, key } =
    (await ann.post('/api-key/create', { name: 'Report', expiresInDays: 30, password })).body
  const mail = await mailed(ann, 'An API key was created')
  expect(mail.text).toContain('Report')
  expect(mail.text + mail.html).not.toContain(key)
  await ann.post('/api-key/revoke', { keyId: id })
  await mailed(ann, 'An API key was revoked')
  expect(await listed(ann)).toEqual([['api_key_revoked', 'Report'], ['api_key_created', 'Report']])
})

test('an editor is removed from a team, and is notified that the key for it has ended', async () => {
  const { id, owner, editor } = await team(stack, ['editor'])
  await editor.post('/api-key/create', {
    name: 'Report',
    expiresInDays: 30,
    organizationId: id,
    password,
  })
  await owner.post('/organization/remove-member', { organizationId: id, userId: await editor.id() })
  await mailed(editor, 'An API key was revoked')
})

test('a user turns two factors on and off; an unfinished setup is no event', async () => {
  const ann = await signedIn(stack, 'Ann')
  await ann.post('/two-factor/enable', { password })
  expect(await listed(ann)).toEqual([])
  await turnOn(ann)
  await mailed(ann, 'Two-factor authentication was turned on')
  await ann.post('/two-factor/disable', { password })
  await mailed(ann, 'Two-factor authentication was turned off')
  expect(await listed(ann)).toEqual([['two_factor_disabled', undefined], [
    'two_factor_enabled',
    undefined,
  ]])
})

test('the operator resets a user’s second factor, and the user is notified', async () => {
  const ann = await signedIn(stack, 'Ann')
  await addPasskey(ann, 'Phone')
  await turnOn(ann)
  for (const which of ['two-factor', 'passkeys'])
    expect((await operator(stack.ownerUrl, which, 'reset', ann.email)).code).toBe(0)
  await mailed(ann, 'Two-factor authentication was turned off')
  await mailed(ann, 'A passkey was deleted')
})

test('a user creates new backup codes, and no mail contains a code', async () => {
  const { user: ann } = await withTwoFactors(stack, 'Ann')
  const { backup_codes: codes } =
    (await ann.post('/two-factor/generate-backup-codes', { password })).body
  const mail = await mailed(ann, 'New backup codes were created')
  for (const code of codes) expect(mail.text + mail.html).not.toContain(code)
  expect((await listed(ann))[0]).toEqual(['backup_codes_created', undefined])
  // Each code is used once, in a sign-in.
  const browser = person(stack, 'Ann', ann.email)
  await browser.signIn()
  expect((await browser.post('/two-factor/verify-backup-code', { code: codes[0] })).status).toBe(
    200,
  )
  expect((await listed(ann))[0]).toEqual(['backup_codes_created', undefined])
})

test('a user has a device remembered, which then needs no code', async () => {
  const { user: ann, app } = await withTwoFactors(stack, 'Ann')
  const browser = person(stack, 'Ann', ann.email)
  await browser.signIn()
  expect(
    (await browser.post('/two-factor/verify-totp', { code: app.code(), trustDevice: true })).status,
  ).toBe(200)
  await mailed(ann, 'A device was marked as trusted')
  expect((await listed(ann))[0]).toEqual(['device_trusted', undefined])
})

test('a user requires a passkey at sign-in, and later does not', async () => {
  const ann = await signedIn(stack, 'Ann')
  await addPasskey(ann, 'Phone')
  for (const required of [true, false])
    expect((await ann.post('/passkey/require', { required, password })).status).toBe(200)
  await mailed(ann, 'A passkey is now required to sign in')
  await mailed(ann, 'A passkey is no longer required to sign in')
  expect((await listed(ann)).slice(0, 2)).toEqual([['passkey_not_required', undefined], [
    'passkey_required',
    undefined,
  ]])
})

test('a user removes the password', async () => {
  const ann = await signedIn(stack, 'Ann')
  await addPasskey(ann, 'Phone')
  expect((await ann.post('/remove-password', { password })).status).toBe(200)
  await mailed(ann, 'Your password was removed')
  expect((await listed(ann))[0]).toEqual(['password_removed', undefined])
})

test.each([
  [
    'one session',
    async (ann: Person, phone: Person) =>
      ann.post('/revoke-session', { sessionId: (await phone.get('/get-session')).body.session.id }),
  ],
  ['the other sessions', (ann: Person) => ann.post('/revoke-other-sessions')],
])(
  'a user ends %s from another browser; sign-out and a password change that replaces all sessions cause no event',
  async (_, end) => {
    const ann = await signedIn(stack, 'Ann')
    const [phone, tablet] = [person(stack, 'Ann', ann.email), person(stack, 'Ann', ann.email)]
    for (const device of [phone, tablet]) await device.signIn()
    await tablet.post('/sign-out')
    expect(await listed(ann)).toEqual([])
    expect((await end(ann, phone)).status).toBe(200)
    expect((await phone.get('/get-session')).status).toBe(401)
    await mailed(ann, 'You were signed out on your other devices')
    expect(await listed(ann)).toEqual([['sessions_revoked', undefined]])
    await phone.signIn()
    await ann.post('/change-password', { currentPassword: password, newPassword: 'something else' })
    expect(await listed(ann)).toEqual([['password_changed', undefined], [
      'sessions_revoked',
      undefined,
    ]])
  },
)

test('the operator ends a user’s sessions in SQL, and the user is notified', async () => {
  const ann = await signedIn(stack, 'Ann')
  await stack.sql.query('delete from auth.sessions where user_id = $1', [await ann.id()])
  await mailed(ann, 'You were signed out on your other devices')
})

test('a member whose keys, webhooks and calendars end by a removal does not learn the address of the owner', async () => {
  const { id: organizationId, owner, admin } = await team(stack, ['admin'])
  await admin.post('/api-key/create', { name: 'Key', expiresInDays: 9, organizationId })
  await admin.post('/webhook/create', { name: 'Hook', url: 'http://127.0.0.1:9/', organizationId })
  await admin.post('/calendar/create', { name: 'Due', organizationId })
  await owner.post('/organization/remove-member', { organizationId, userId: await admin.id() })
  const events = (await admin.get('/list-events')).body.slice(0, 3)
  expect(events.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual([
    'api_key_revoked',
    'calendar_revoked',
    'webhook_deleted',
  ])
  for (const event of events) expect(event).toMatchObject({ ip_address: null, user_agent: null })
  const mail = await stack.mail.waitFor(
    admin.email,
    ({ subject }) => subject === 'An API key was revoked',
  )
  expect(mail.text).not.toContain('IP address')
})

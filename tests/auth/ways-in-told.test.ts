/** Whatever else opens an account is listed and mailed when it is added and when it goes, whoever or whatever did it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authenticator, withTwoFactors } from '../support/authenticator-app.ts'
import { operator } from '../support/operator.ts'
import { passkeyDevice } from '../support/passkey-device.ts'
import { password, person, signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ noticePauseMs: 50 })
})
afterAll(() => stack.close())

/** What the list says, newest first, without the sign-ins. */
const listed = async (someone: Person) => {
  const { status, body } = await someone.get('/list-events')
  expect(status).toBe(200)
  return (body as { kind: string, name?: string }[]).filter(({ kind }) => kind !== 'signed_in').map(({ kind, name }) => [kind, name])
}
const mailed = (someone: Person, subject: string) => stack.mail.waitFor(someone.email, (mail) => mail.subject === subject)
const addPasskey = async (someone: Person, name: string): Promise<string> => {
  const { body: asked } = await someone.post('/passkey/generate-register-options', { password })
  return (await someone.post('/passkey/verify-registration', { response: passkeyDevice(stack.publicUrl).create(asked), name })).body.id
}
const turnOn = async (someone: Person) => {
  const { body } = await someone.post('/two-factor/enable', { password })
  expect((await someone.post('/two-factor/verify-totp', { code: authenticator(body.totp_uri).code() })).status).toBe(200)
}

test('Ann adds a passkey and deletes it', async () => {
  const ann = await signedIn(stack, 'Ann')
  const passkeyId = await addPasskey(ann, 'Phone')
  expect((await mailed(ann, 'A passkey was added')).text).toContain('Phone')
  await ann.post('/passkey/delete', { passkeyId, password })
  await mailed(ann, 'A passkey was removed')
  expect(await listed(ann)).toEqual([['passkey_deleted', 'Phone'], ['passkey_added', 'Phone']])
})

test('Ann makes a key for a script and revokes it; the key itself is in no mail', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { id, key } = (await ann.post('/api-key/create', { name: 'Report', expiresInDays: 30, password })).body
  const mail = await mailed(ann, 'A key for a program was made')
  expect(mail.text).toContain('Report')
  expect(mail.text + mail.html).not.toContain(key)
  await ann.post('/api-key/revoke', { keyId: id })
  await mailed(ann, 'A key for a program was revoked')
  expect(await listed(ann)).toEqual([['api_key_revoked', 'Report'], ['api_key_created', 'Report']])
})

test('an editor is removed from a team, and is told that the key to it has ended', async () => {
  const { id, owner, editor } = await team(stack, ['editor'])
  await editor.post('/api-key/create', { name: 'Report', expiresInDays: 30, organizationId: id, password })
  await owner.post('/organization/remove-member', { organizationId: id, userId: await editor.id() })
  await mailed(editor, 'A key for a program was revoked')
})

test('Ann asks for two factors and turns them off; a set-up that she leaves half done is nothing', async () => {
  const ann = await signedIn(stack, 'Ann')
  await ann.post('/two-factor/enable', { password })
  expect(await listed(ann)).toEqual([])
  await turnOn(ann)
  await mailed(ann, 'Two-factor sign-in was turned on')
  await ann.post('/two-factor/disable', { password })
  await mailed(ann, 'Two-factor sign-in was turned off')
  expect(await listed(ann)).toEqual([['two_factor_disabled', undefined], ['two_factor_enabled', undefined]])
})

test('the operator resets what Ann has lost, and she is told', async () => {
  const ann = await signedIn(stack, 'Ann')
  await addPasskey(ann, 'Phone')
  await turnOn(ann)
  for (const which of ['two-factor', 'passkeys']) expect((await operator(stack.ownerUrl, which, 'reset', ann.email)).code).toBe(0)
  await mailed(ann, 'Two-factor sign-in was turned off')
  await mailed(ann, 'A passkey was removed')
})

test('Ann makes new backup codes, and no code is in the mail', async () => {
  const { user: ann } = await withTwoFactors(stack, 'Ann')
  const { backup_codes: codes } = (await ann.post('/two-factor/generate-backup-codes', { password })).body
  const mail = await mailed(ann, 'New backup codes were made')
  for (const code of codes) expect(mail.text + mail.html).not.toContain(code)
  expect((await listed(ann))[0]).toEqual(['backup_codes_created', undefined])
  // the codes are used one by one, which is a sign-in each
  const browser = person(stack, 'Ann', ann.email)
  await browser.signIn()
  expect((await browser.post('/two-factor/verify-backup-code', { code: codes[0] })).status).toBe(200)
  expect((await listed(ann))[0]).toEqual(['backup_codes_created', undefined])
})

test('Ann has a device remembered, which then asks for no code', async () => {
  const { user: ann, app } = await withTwoFactors(stack, 'Ann')
  const browser = person(stack, 'Ann', ann.email)
  await browser.signIn()
  expect((await browser.post('/two-factor/verify-totp', { code: app.code(), trustDevice: true })).status).toBe(200)
  await mailed(ann, 'A device was remembered')
  expect((await listed(ann))[0]).toEqual(['device_trusted', undefined])
})

test('Ann asks for a passkey at each sign-in, and no longer', async () => {
  const ann = await signedIn(stack, 'Ann')
  await addPasskey(ann, 'Phone')
  for (const required of [true, false]) expect((await ann.post('/passkey/require', { required, password })).status).toBe(200)
  await mailed(ann, 'Signing in now needs a passkey')
  await mailed(ann, 'Signing in no longer needs a passkey')
  expect((await listed(ann)).slice(0, 2)).toEqual([['passkey_not_required', undefined], ['passkey_required', undefined]])
})

test('Ann removes her password', async () => {
  const ann = await signedIn(stack, 'Ann')
  await addPasskey(ann, 'Phone')
  expect((await ann.post('/remove-password', { password })).status).toBe(200)
  await mailed(ann, 'Your password was removed')
  expect((await listed(ann))[0]).toEqual(['password_removed', undefined])
})

test.each([
  ['one session', async (ann: Person, phone: Person) => ann.post('/revoke-session', { sessionId: (await phone.get('/get-session')).body.session.id })],
  ['the other sessions', (ann: Person) => ann.post('/revoke-other-sessions')],
])('Ann ends %s from elsewhere; signing out, and a new password that replaces all sessions, say nothing of it', async (_, end) => {
  const ann = await signedIn(stack, 'Ann')
  const [phone, tablet] = [person(stack, 'Ann', ann.email), person(stack, 'Ann', ann.email)]
  for (const device of [phone, tablet]) await device.signIn()
  await tablet.post('/sign-out')
  expect(await listed(ann)).toEqual([])
  expect((await end(ann, phone)).status).toBe(200)
  expect((await phone.get('/get-session')).status).toBe(401)
  await mailed(ann, 'You were signed out elsewhere')
  expect(await listed(ann)).toEqual([['sessions_revoked', undefined]])
  await phone.signIn()
  await ann.post('/change-password', { currentPassword: password, newPassword: 'something else' })
  expect(await listed(ann)).toEqual([['password_changed', undefined], ['sessions_revoked', undefined]])
})

test('the operator ends Ann’s sessions in SQL, and she is told', async () => {
  const ann = await signedIn(stack, 'Ann')
  await stack.sql.query('delete from auth.sessions where user_id = $1', [await ann.id()])
  await mailed(ann, 'You were signed out elsewhere')
})

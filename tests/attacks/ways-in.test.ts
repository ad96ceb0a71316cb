/**
 * Eve is in Ann's account, prepares every way back, and changes the address. Ann stops the change
 * and sets a new password.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authenticator, acceptLastCodeAgain, withTwoFactors } from '../support/authenticator-app.ts'
import { linkIn } from '../support/mail-sink.ts'
import { oidcProvider, signInWithProvider, type TestProvider } from '../support/oidc.ts'
import { passkeyDevice } from '../support/passkey-device.ts'
import { password, person, signedIn, type Answer, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let provider: TestProvider
let stack: Stack
beforeAll(async () => {
  provider = await oidcProvider()
  stack = await startStack({ env: provider.env, data: true })
  provider.serve(stack.publicUrl)
})
afterAll(async () => {
  await stack.close()
  await provider.close()
})

const newPassword = 'known to Ann alone'
let count = 0
const attackerAddress = () => `eve-${++count}@example.net`
const visitor = () => person(stack)
const tokenOf = async (to: string, path: string) =>
  new URL(linkIn(await stack.mail.waitFor(to, ({ text }) => text.includes(path)))).searchParams.get(
    'token',
  ) ?? ''
/** Changes the address as Eve. @returns the new address */
async function changeAddress(eve: Person): Promise<string> {
  const newEmail = attackerAddress()
  expect((await eve.post('/request-email-change', { newEmail })).status).toBe(200)
  expect(
    (await visitor().post('/confirm-email-change', {
      token: await tokenOf(newEmail, 'confirm-email-change'),
    })).status,
  ).toBe(200)
  return newEmail
}
/** Stops the change as Ann, and sets a new password. */
async function recoverAccount(email: string): Promise<void> {
  expect(
    (await visitor().post('/stop-email-change', {
      token: await tokenOf(email, 'stop-email-change'),
    })).status,
  ).toBe(200)
  expect(
    (await visitor().post('/reset-password', {
      token: await tokenOf(email, 'reset-password'),
      password: newPassword,
    })).status,
  ).toBe(200)
}
/** Returns a session of Ann's account that Eve also uses. */
const createSharedAccount = async () => {
  const ann = await signedIn(stack, 'Ann')
  const eve = person(stack, 'Eve', ann.email)
  for (const [name, value] of ann.cookies) eve.cookies.set(name, value)
  return { ann, eve }
}
/** Returns Ann, who has had two factors for a month, with Eve in her account. */
async function withOldFactor() {
  const { user: ann, app, backupCodes } = await withTwoFactors(stack, 'Ann')
  await stack.sql.query(
    `update auth.two_factors set enabled_at = now() - interval '30 days', backup_codes_made_at = now() - interval '30 days'
      where user_id = (select id from auth.users where email = $1)`,
    [ann.email],
  )
  const eve = person(stack, 'Eve', ann.email)
  for (const [name, value] of ann.cookies) eve.cookies.set(name, value)
  return { ann, eve, app, backupCodes }
}
const withPassword = (who: Person, email: string) =>
  who.post('/sign-in/email', { email, password: newPassword })
const dataStatus = async (token: string) =>
  (await fetch(`${stack.dataUrl}/tags`, { headers: { authorization: `Bearer ${token}` } })).status

describe('after Ann recovers her account, Eve cannot get in', () => {
  /** Prepares a way back. Returns a function that tries it and must not get 200. */
  const ways: Record<string, (eve: Person) => Promise<() => Promise<number>>> = {
    'by her session': async (eve) => async () => (await eve.get('/get-session')).status,
    'by a token': async (eve) => {
      const token = await eve.token()
      return () => dataStatus(token)
    },
    'by an API key': async (eve) => {
      const { key } = (await eve.post('/api-key/create', { name: 'Report', expiresInDays: 9 })).body
      return async () =>
        (await visitor().post('/token', undefined, { authorization: `Bearer ${key}` })).status
    },
    'by a token of an API key': async (eve) => {
      const { key } = (await eve.post('/api-key/create', { name: 'Report', expiresInDays: 9 })).body
      const { token } =
        (await visitor().post('/token', undefined, { authorization: `Bearer ${key}` })).body
      return () => dataStatus(token)
    },
    'by a calendar': async (eve) => {
      const { url } = (await eve.post('/calendar/create', { name: 'Due' })).body
      return async () => (await fetch(`${stack.url}${new URL(url).pathname}`)).status
    },
    'by a passkey': async (eve) => {
      const device = passkeyDevice(stack.publicUrl)
      const response = device.create(
        (await eve.post('/passkey/generate-register-options', {})).body,
      )
      expect((await eve.post('/passkey/verify-registration', { response, name: 'Phone' })).status)
        .toBe(200)
      return async () => {
        const browser = visitor()
        const options = (await browser.post('/passkey/generate-authenticate-options')).body
        return (await browser.post('/passkey/verify-authentication', {
          response: device.get(options),
        })).status
      }
    },
    'by a passkey that she began to add': async (eve) => {
      const device = passkeyDevice(stack.publicUrl)
      const response = device.create(
        (await eve.post('/passkey/generate-register-options', {})).body,
      )
      return async () =>
        (await eve.post('/passkey/verify-registration', { response, name: 'Phone' })).status
    },
    'by a link that resets the password': async (eve) => {
      const email = await changeAddress(eve)
      await visitor().post('/forget-password', { email })
      const token = await tokenOf(email, 'reset-password')
      return async () =>
        (await visitor().post('/reset-password', { token, password: 'known to Eve' })).status
    },
    'by a link that confirms another address': async (eve) => {
      const newEmail = attackerAddress()
      await eve.post('/request-email-change', { newEmail })
      const token = await tokenOf(newEmail, 'confirm-email-change')
      return async () => (await visitor().post('/confirm-email-change', { token })).status
    },
    'by a link that stops a later change': async (eve) => {
      const first = await changeAddress(eve)
      await changeAddress(eve)
      const token = await tokenOf(first, 'stop-email-change')
      return async () => (await visitor().post('/stop-email-change', { token })).status
    },
    'by an account at the provider': async (eve) => {
      const email = await changeAddress(eve)
      const sub = `eve-at-the-provider-${++count}`
      provider.people.set(sub, { email, email_verified: true, name: 'Eve' })
      expect((await signInWithProvider(eve, sub)).body.user.id).toBe(await eve.id())
      const id = await eve.id()
      return async () => {
        const { body } = await signInWithProvider(visitor(), sub)
        return body.user?.id === id ? 200 : 403
      }
    },
  }
  test.each(Object.entries(ways))('%s', async (_, leave) => {
    const { ann, eve } = await createSharedAccount()
    const enter = await leave(eve)
    await changeAddress(eve)
    await recoverAccount(ann.email)
    expect(await enter()).not.toBe(200)
    expect((await withPassword(visitor(), ann.email)).status).toBe(200)
  })

  test('after Ann recovers her account, Eve cannot get in by an invitation that she sent to herself in Ann’s name', async () => {
    const { ann, eve } = await createSharedAccount()
    await ann.subscribe()
    const { id } = (await ann.post('/organization/create', { name: 'Household' })).body
    const mallory = await signedIn(stack, 'Mallory')
    const invitation = (await eve.post('/organization/invite-member', {
      organizationId: id,
      email: mallory.email,
      role: 'admin',
    })).body.id
    await changeAddress(eve)
    await recoverAccount(ann.email)
    expect(
      (await mallory.post('/organization/accept-invitation', { invitationId: invitation })).status,
    ).toBe(404)
  })
})

describe('after Ann recovers her account, the second factor', () => {
  const isCodeRequired = (answer: Answer) =>
    expect(answer).toMatchObject({ status: 403, body: { error: 'SECOND_FACTOR_REQUIRED' } })

  test('after Ann recovers her account, the second factor that Eve turned on is off', async () => {
    const { ann, eve } = await createSharedAccount()
    const { body } = await eve.post('/two-factor/enable', {})
    expect(
      (await eve.post('/two-factor/verify-totp', {
        code: authenticator(body.totp_uri).code(),
        trustDevice: true,
      })).status,
    ).toBe(200)
    await changeAddress(eve)
    await recoverAccount(ann.email)
    expect((await withPassword(visitor(), ann.email)).status).toBe(200)
    expect(
      (await stack.sql.query('select from auth.two_factors where user_id = $1', [
        (await stack.sql.query('select id from auth.users where email = $1', [ann.email])).rows[0]
          .id,
      ])).rowCount,
    ).toBe(0)
  })

  test('after Ann recovers her account, the second factor of a month ago works, with its app and its backup codes', async () => {
    const { ann, eve, app, backupCodes } = await withOldFactor()
    await changeAddress(eve)
    await recoverAccount(ann.email)
    await acceptLastCodeAgain(stack, ann)
    for (
      const [path, code] of [['verify-totp', app.code()], ['verify-backup-code', backupCodes[0]]]
    ) {
      const browser = visitor()
      isCodeRequired(await withPassword(browser, ann.email))
      expect((await browser.post(`/two-factor/${path}`, { code })).status).toBe(200)
    }
  })

  test('after Ann recovers her account, the second factor of a month ago works with Ann’s app, backup codes that Eve created do not, and Ann is notified', async () => {
    const { ann, eve, app } = await withOldFactor()
    const codes = (await eve.post('/two-factor/generate-backup-codes', {})).body
      .backup_codes as string[]
    await changeAddress(eve)
    await recoverAccount(ann.email)
    const browser = visitor()
    isCodeRequired(await withPassword(browser, ann.email))
    for (const code of codes.slice(0, 3)) {
      expect(await browser.post('/two-factor/verify-backup-code', { code })).toMatchObject({
        status: 400,
        body: { error: 'INVALID_CODE' },
      })
    }
    await acceptLastCodeAgain(stack, ann)
    expect((await browser.post('/two-factor/verify-totp', { code: app.code() })).status).toBe(200)
    expect((await browser.get('/two-factor/status')).body).toEqual({
      enabled: true,
      backup_codes_left: 0,
    })
    await stack.mail.waitFor(
      ann.email,
      ({ subject }) => subject === 'Your backup codes no longer work',
    )
    expect((await browser.get('/list-events')).body.map(({ kind }: { kind: string }) => kind))
      .toContain('backup_codes_voided')
  })

  test('after Ann recovers her account, the second factor of a month ago has no backup codes that Eve created while her password was being verified', async () => {
    const { ann, eve } = await withOldFactor()
    await changeAddress(eve)
    const token = await tokenOf(ann.email, 'stop-email-change')
    const [made] = await Promise.all([
      eve.post('/two-factor/generate-backup-codes', { password }),
      visitor().post('/stop-email-change', { token }),
    ])
    expect(
      (await visitor().post('/reset-password', {
        token: await tokenOf(ann.email, 'reset-password'),
        password: newPassword,
      })).status,
    ).toBe(200)
    const browser = visitor()
    isCodeRequired(await withPassword(browser, ann.email))
    const code = made.body.backup_codes?.[0] ?? 'aaaa-aaaa-aaaa-aaaa'
    expect(await browser.post('/two-factor/verify-backup-code', { code })).toMatchObject({
      status: 400,
      body: { error: 'INVALID_CODE' },
    })
  })

  test('after Ann recovers her account, the second factor of a month ago is required on Eve’s remembered device, also for an account without a password', async () => {
    for (const hasPassword of [true, false]) {
      const { ann, eve, app } = await withOldFactor()
      const device = visitor()
      expect((await device.post('/sign-in/email', { email: ann.email, password })).status).toBe(403)
      expect(
        (await device.post('/two-factor/verify-totp', { code: app.code(), trustDevice: true }))
          .status,
      ).toBe(200)
      if (!hasPassword) {
        await stack.sql.query(
          `with gone as (delete from auth.accounts a using auth.users u where u.id = a.user_id and u.email = $1 returning a.user_id)
          insert into auth.accounts (id, account_id, provider_id, user_id) select 'of ' || user_id, user_id, 'https://provider.example', user_id from gone`,
          [ann.email],
        )
      }
      await changeAddress(eve)
      await recoverAccount(ann.email)
      isCodeRequired(await withPassword(device, ann.email))
    }
  })
})

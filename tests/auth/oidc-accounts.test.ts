/**
 * Single sign-on with a real OpenID provider: the account that a sign-in opens, refuses or links,
 * and accounts without a password.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { withTwoFactors } from '../support/authenticator-app.ts'
import { passkeyDevice } from '../support/passkey-device.ts'
import { password, person, signedIn, type Person } from '../support/person.ts'
import { oidcProvider, signInWithProvider, type TestProvider } from '../support/oidc.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { isSignedOut, refused, storedAccounts, userOfProvider } from './oidc-users.ts'

let provider: TestProvider
let stack: Stack
beforeAll(async () => {
  provider = await oidcProvider()
  // The provider is down while the service starts.
  stack = await startStack({ env: provider.env })
  provider.serve(stack.publicUrl)
})
afterEach(() => provider.resetTokens())
afterAll(async () => {
  await stack.close()
  await provider.close()
})

const providerUser = (name?: string, claims?: Record<string, unknown>) =>
  userOfProvider(stack, provider, name, claims)
const accountsOf = (email: string) => storedAccounts(stack, email)

describe('a sign-in with the provider', () => {
  test('a sign-in with the provider again opens the same account, even if the claims have changed', async () => {
    const ann = providerUser()
    const { body: { user } } = await signInWithProvider(ann, ann.sub)
    provider.people.set(ann.sub, {
      email: 'somebody-else@example.org',
      email_verified: false,
      name: 'Another',
    })
    const again = person(stack, 'Ann', ann.email)
    expect((await signInWithProvider(again, ann.sub)).body.user).toEqual(user)
    provider.people.set(ann.sub, {})
    expect((await signInWithProvider(person(stack), ann.sub)).body.user).toEqual(user)
  })

  test('a sign-in with the provider opens the account of a signed-in user with the same verified address, who keeps every other way in', async () => {
    const ann = await signedIn(stack, 'Ann')
    provider.people.set('ann-of-the-password', {
      email: ann.email.toUpperCase(),
      email_verified: 'true',
    })
    const { key } = (await ann.post('/api-key/create', { name: 'Report', expiresInDays: 9 })).body
    const [id, phone] = [await ann.id(), person(stack, 'Ann', ann.email)]
    await phone.signIn()
    expect((await signInWithProvider(ann, 'ann-of-the-password')).body.user.id).toBe(id)
    expect((await phone.get('/get-session')).status).toBe(200)
    expect((await person(stack, 'Ann', ann.email).signIn()).status).toBe(200)
    expect(
      (await person(stack).post('/token', undefined, { authorization: `Bearer ${key}` })).status,
    ).toBe(200)
    expect((await accountsOf(ann.email)).map(({ provider_id }) => provider_id)).toEqual([
      'credential',
      provider.issuer,
    ])
  })

  describe('ends every other way into an account that a stranger may have made and a mail scanner verified:', () => {
    /**
     * Prepares a way in for Eve. Returns a function that tries it, with 200 before Ann signs in and
     * another status after.
     */
    const ways: Record<string, (eve: Person) => Promise<() => Promise<number>>> = {
      'the password': async (eve) => async () =>
        (await person(stack, 'Eve', eve.email).signIn()).status,
      'a session': async (eve) => async () => (await eve.get('/get-session')).status,
      'an API key': async (eve) => {
        const { key } =
          (await eve.post('/api-key/create', { name: 'Report', expiresInDays: 9 })).body
        return async () =>
          (await person(stack).post('/token', undefined, { authorization: `Bearer ${key}` })).status
      },
      'a calendar': async (eve) => {
        const { url } = (await eve.post('/calendar/create', { name: 'Due' })).body
        return async () => (await fetch(`${stack.url}${new URL(url).pathname}`)).status
      },
      'a webhook': async (eve) => {
        const id = await eve.id()
        await stack.sql.query(
          `insert into auth.webhooks (id, name, user_id, url, secret) values ('of-eve', 'Mine', $1, 'https://example.com', 'x')`,
          [id],
        )
        return async () => ((await stack.sql.query(
            'select 1 from auth.webhooks where user_id = $1',
            [id],
          )).rowCount === 0
          ? 404
          : 200)
      },
      'a passkey': async (eve) => {
        const device = passkeyDevice(stack.publicUrl)
        const response = device.create(
          (await eve.post('/passkey/generate-register-options', {})).body,
        )
        expect((await eve.post('/passkey/verify-registration', { response, name: 'Phone' })).status)
          .toBe(200)
        return async () => {
          const browser = person(stack)
          const options = (await browser.post('/passkey/generate-authenticate-options')).body
          return (await browser.post('/passkey/verify-authentication', {
            response: device.get(options),
          })).status
        }
      },
    }
    test.each(Object.entries(ways))('%s', async (_, prepare) => {
      const ann = providerUser()
      const eve = person(stack, 'Eve', ann.email)
      await eve.signUp()
      await eve.verify()
      const enter = await prepare(eve)
      expect(await enter()).toBe(200)
      expect((await signInWithProvider(ann, ann.sub)).body.user.email).toBe(ann.email)
      expect(await enter()).not.toBe(200)
      expect((await ann.get('/get-session')).status).toBe(200)
      expect((await signInWithProvider(person(stack), ann.sub)).status).toBe(200)
    })

    test('a second factor, pending links and a requested change of the address; Ann then resets the password', async () => {
      const { user: eve } = await withTwoFactors(stack, 'Eve')
      await eve.post('/forget-password', { email: eve.email })
      const reset = /token=([\w-]+)/.exec(
        (await stack.mail.waitFor(eve.email, ({ text }) => text.includes('reset-password'))).text,
      )?.[1]
      await eve.post('/request-email-change', { newEmail: 'of-eve@example.org' })
      const change = /token=([\w-]+)/.exec(
        (await stack.mail.waitFor(
          'of-eve@example.org',
          ({ text }) => text.includes('confirm-email-change'),
        )).text,
      )?.[1]
      provider.people.set('ann-of-the-factor', { email: eve.email, email_verified: true })
      const ann = person(stack, 'Ann', eve.email)
      expect((await signInWithProvider(ann, 'ann-of-the-factor')).status).toBe(200)
      expect(await eve.post('/reset-password', { token: reset, password: 'known to Eve' }))
        .toMatchObject(refused(400, 'INVALID_TOKEN'))
      expect(await eve.post('/confirm-email-change', { token: change })).toMatchObject(
        refused(400, 'INVALID_TOKEN'),
      )
      expect((await ann.get('/two-factor/status')).body.enabled).toBe(false)
      await ann.post('/forget-password', { email: ann.email })
      const mail = await stack.mail.waitFor(
        ann.email,
        ({ text }) => text.includes('reset-password') && !text.includes(reset ?? ''),
      )
      const token = /token=([\w-]+)/.exec(mail.text)?.[1]
      expect((await ann.post('/reset-password', { token, password: 'known to Ann alone' })).status)
        .toBe(200)
      expect((await ann.signIn('known to Ann alone')).status).toBe(200)
      expect((await signInWithProvider(person(stack), 'ann-of-the-factor')).status).toBe(200)
    })

    test('a sign-in with the provider ends every other way into an account that a stranger may have made and a mail scanner verified: or refuses the account while the owner of its previous address can take it back', async () => {
      const eve = await signedIn(stack, 'Eve')
      const ann = providerUser()
      await eve.post('/request-email-change', { newEmail: ann.email })
      const mail = await stack.mail.waitFor(
        ann.email,
        ({ text }) => text.includes('confirm-email-change'),
      )
      await ann.post('/confirm-email-change', { token: /token=([\w-]+)/.exec(mail.text)?.[1] })
      expect(await signInWithProvider(ann, ann.sub)).toMatchObject(
        refused(409, 'EMAIL_CHANGED_RECENTLY'),
      )
      await isSignedOut(ann)
    })

    test('a sign-in with the provider ends every other way into an account that a stranger may have made and a mail scanner verified: also if the browser is signed in to another account', async () => {
      const [ann, eve] = [providerUser(), await signedIn(stack, 'Eve')]
      const victim = person(stack, 'Eve', ann.email)
      await victim.signUp()
      await victim.verify()
      for (const [name, value] of eve.cookies) ann.cookies.set(name, value)
      expect((await signInWithProvider(ann, ann.sub)).body.user.email).toBe(ann.email)
      expect((await victim.get('/get-session')).status).toBe(401)
      expect((await eve.get('/get-session')).status).toBe(200)
    })
  })

  test('a sign-in with the provider does not apply email_verified to another address in the ID token', async () => {
    const [ann, eve] = [await signedIn(stack, 'Ann'), providerUser('Eve')]
    provider.changeClaims((claims) => ({ ...claims, email: ann.email }))
    expect((await signInWithProvider(eve, eve.sub)).body.user.email).toBe(eve.email)
  })
})
test.each<[string, Record<string, unknown>]>([
  ['an address that the provider marks as unverified', { email_verified: false }],
  ['an address without email_verified', { email_verified: undefined }],
  ['an address with an invalid email_verified', { email_verified: 'yes' }],
  ['no address', { email: undefined }],
  ['an invalid address', { email: 'ann' }],
])(
  'a sign-in with the provider is refused for %s, and is linked to no account',
  async (_, claims) => {
    const eve = providerUser('Eve', claims)
    if (claims['email'] === undefined) await person(stack, 'Ann', eve.email).signUp()
    await stack.sql.query('update auth.users set email_verified = true where email = $1', [
      eve.email,
    ])
    const before = await accountsOf(eve.email)
    expect(await signInWithProvider(eve, eve.sub)).toMatchObject(
      refused(403, 'OIDC_EMAIL_NOT_VERIFIED'),
    )
    await isSignedOut(eve)
    expect(await accountsOf(eve.email)).toEqual(before)
  },
)

test('a sign-in with the provider is refused for an unverified account that a stranger created, until the owner resets its password', async () => {
  const ann = providerUser()
  const eve = person(stack, 'Eve', ann.email)
  await eve.signUp()
  expect(await signInWithProvider(ann, ann.sub)).toMatchObject(refused(409, 'ACCOUNT_NOT_VERIFIED'))
  await isSignedOut(ann)
  expect((await accountsOf(ann.email)).map(({ provider_id }) => provider_id)).toEqual([
    'credential',
  ])
  await ann.post('/forget-password', { email: ann.email })
  const mail = await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))
  const token = /token=([\w-]+)/.exec(mail.text)?.[1]
  await ann.post('/reset-password', { token, password: 'known to Ann alone' })
  await isSignedOut(eve)
  await ann.verify()
  expect((await signInWithProvider(ann, ann.sub)).status).toBe(200)
  expect((await person(stack, 'Eve', ann.email).signIn()).status).toBe(401)
})

test('a sign-in with the provider is refused for a user with the same `sub` at another provider', async () => {
  await using elsewhere = await startStack({ env: provider.env })
  provider.serve(elsewhere.publicUrl)
  const ann = person(elsewhere, 'Ann')
  await elsewhere.sql.query(
    `insert into auth.users (id, name, email, email_verified) values ('bob', 'Bob', 'bob@example.org', true)`,
  )
  await elsewhere.sql.query(
    `insert into auth.accounts (id, account_id, provider_id, user_id) values ('a', 'the-same', 'https://login.example.org', 'bob')`,
  )
  provider.people.set('the-same', { email: ann.email, email_verified: true })
  expect((await signInWithProvider(ann, 'the-same')).body.user.email).toBe(ann.email)
  provider.serve(stack.publicUrl)
})

describe('an account without a password', () => {
  const passwordless = async () => {
    const ann = providerUser()
    expect((await signInWithProvider(ann, ann.sub)).status).toBe(200)
    return ann
  }
  const tenMinutesLater = async (user: Person) =>
    stack.sql.query(
      `update auth.sessions set created_at = created_at - interval '10 minutes 1 second' where user_id = $1`,
      [await user.id()],
    )
  const tokenIn = async (to: string, path: string) => {
    const mail = await stack.mail.waitFor(to, ({ text }) => text.includes(path))
    return /token=([\w.-]+)/.exec(mail.text)?.[1]
  }

  test('an account without a password is deleted right after a sign-in', async () => {
    const ann = await passwordless()
    expect((await ann.post('/delete-account', {})).status).toBe(200)
    expect(
      (await ann.post('/confirm-delete-account', {
        token: await tokenIn(ann.email, 'confirm-delete-account'),
      })).status,
    ).toBe(200)
    expect(await accountsOf(ann.email)).toEqual([])
    // The provider then creates a new account, like for any user.
    expect((await signInWithProvider(person(stack), ann.sub)).status).toBe(200)
  })

  test.each(['/delete-account', '/request-email-change'])(
    'needs a new sign-in for %s after ten minutes, and a renewed session is not a sign-in',
    async (path) => {
      const ann = await passwordless()
      const input = path === '/delete-account' ? {} : { newEmail: `new-${ann.email}` }
      await tenMinutesLater(ann)
      expect(await ann.post(path, input)).toMatchObject(refused(403, 'FRESH_SIGN_IN_REQUIRED'))
      // Renews the session, which happens once a day.
      await stack.sql.query(
        `update auth.sessions set expires_at = expires_at - interval '2 days', updated_at = updated_at - interval '2 days' where user_id = $1`,
        [
          await ann.id(),
        ],
      )
      expect((await ann.get('/get-session')).status).toBe(200)
      expect(await ann.post(path, input)).toMatchObject(refused(403, 'FRESH_SIGN_IN_REQUIRED'))
      expect((await signInWithProvider(ann, ann.sub)).status).toBe(200)
      expect((await ann.post(path, input)).status).toBe(200)
    },
  )

  test('an account without a password refuses a password, even right after a sign-in', async () => {
    const ann = await passwordless()
    for (const wrongPassword of [password, '']) {
      expect(await ann.post('/delete-account', { password: wrongPassword })).toMatchObject(
        refused(400, 'INVALID_PASSWORD'),
      )
      expect(
        await ann.post('/request-email-change', {
          newEmail: `new-${ann.email}`,
          password: wrongPassword,
        }),
      ).toMatchObject(refused(400, 'INVALID_PASSWORD'))
    }
    expect(
      (await ann.post('/change-password', { currentPassword: '', newPassword: 'something else' }))
        .status,
    ).toBe(400)
    expect((await person(stack, 'Ann', ann.email).signIn('')).status).toBe(401)
  })

  test('an account without a password changes its address, and its user still signs in with the provider', async () => {
    const ann = await passwordless()
    const { body: { user } } = await ann.get('/get-session')
    expect((await ann.post('/request-email-change', { newEmail: `new-${ann.email}` })).status).toBe(
      200,
    )
    expect(
      (await ann.post('/confirm-email-change', {
        token: await tokenIn(`new-${ann.email}`, 'confirm-email-change'),
      })).status,
    ).toBe(200)
    expect((await signInWithProvider(person(stack), ann.sub)).body.user).toMatchObject({
      id: user.id,
      email: `new-${ann.email}`,
    })
  })

  test('an account without a password gets a first password by mail, and both ways to sign in work', async () => {
    const ann = await passwordless()
    await ann.post('/forget-password', { email: ann.email })
    expect(
      (await ann.post('/reset-password', {
        token: await tokenIn(ann.email, 'reset-password'),
        password,
      })).status,
    ).toBe(200)
    expect((await person(stack, 'Ann', ann.email).signIn()).status).toBe(200)
    expect((await signInWithProvider(person(stack), ann.sub)).status).toBe(200)
  })
})

test('an attacker who knew the password linked the provider and changed the address; stopping the change removes the attacker’s link', async () => {
  const ann = providerUser()
  await signInWithProvider(ann, ann.sub)
  const eve = providerUser('Eve')
  expect((await ann.post('/request-email-change', { newEmail: eve.email })).status).toBe(200)
  const tokenIn = async (to: string, path: string) =>
    /token=([\w-]+)/.exec((await stack.mail.waitFor(to, ({ text }) => text.includes(path))).text)
      ?.[1]
  await eve.post('/confirm-email-change', {
    token: await tokenIn(eve.email, 'confirm-email-change'),
  })
  const id = await ann.id()
  expect((await signInWithProvider(ann, eve.sub)).body.user.id).toBe(id)
  expect(
    (await person(stack).post('/stop-email-change', {
      token: await tokenIn(ann.email, 'stop-email-change'),
    })).status,
  ).toBe(200)
  await isSignedOut(eve)
  expect((await signInWithProvider(eve, eve.sub)).body.user.id).not.toBe(id)
  expect((await signInWithProvider(ann, ann.sub)).body.user.id).toBe(id)
})

test('an account with a password refuses a wrong one right after a sign-in, and needs none then', async () => {
  const ann = await signedIn(stack, 'Ann')
  expect(await ann.post('/delete-account', { password: 'wrong' })).toMatchObject(
    refused(400, 'INVALID_PASSWORD'),
  )
  expect(
    await ann.post('/request-email-change', { newEmail: 'new@example.net', password: 'wrong' }),
  ).toMatchObject(refused(400, 'INVALID_PASSWORD'))
  expect((await ann.post('/request-email-change', { newEmail: 'new@example.net' })).status).toBe(
    200,
  )
  await stack.sql.query(
    `update auth.sessions set created_at = created_at - interval '10 minutes 1 second' where user_id = $1`,
    [await ann.id()],
  )
  expect(await ann.post('/delete-account', {})).toMatchObject(
    refused(403, 'FRESH_SIGN_IN_REQUIRED'),
  )
  expect((await ann.post('/delete-account', { password })).status).toBe(200)
})

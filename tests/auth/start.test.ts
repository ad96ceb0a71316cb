/** The auth service starts with valid settings, or reports in one line the setting to change. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authConfig } from '../../auth/config.ts'
import { readSettings } from '../../common/settings.ts'
import { createLog } from '../../common/log.ts'
import { startAuth } from '../../auth/main.ts'
import { freePort } from '../../start/ports.ts'
import { connection, passwords } from '../support/database.ts'
import { subscribed, signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
let env: Record<string, string>
beforeAll(async () => {
  stack = await startStack()
  const { rows } = await stack.sql.query('select public_url from private.settings')
  env = {
    PUBLIC_URL: rows[0].public_url,
    PORT: String(await freePort()),
    BETTER_AUTH_SECRET: 'a secret of the tests, long enough',
    AUTH_DATABASE_URL: connection(stack.ownerUrl, {
      user: 'auth_service',
      password: passwords.authService,
    }),
  }
})
afterAll(() => stack.close())

const start = (change: Record<string, string>) =>
  startAuth(authConfig(readSettings({ ...env, ...change })), createLog('silent'))

describe('the start fails with a line that names', () => {
  test.each<[string, () => Record<string, string>, RegExp]>([
    ['PORT, if it is taken', () => ({ PORT: new URL(stack.url).port }), /^PORT \d+ is taken/],
    [
      'BETTER_AUTH_SECRET, if it does not decrypt the signing keys',
      () => ({
        BETTER_AUTH_SECRET: 'another secret, which is also long enough',
        ADMIN_COMMAND: 'infra/docker/admin',
      }),
      /^BETTER_AUTH_SECRET does not open the signing keys.*on purpose.*`infra\/docker\/admin keys revoke --all`/,
    ],
    [
      'PUBLIC_URL, if the database was migrated with another one',
      () => ({ PUBLIC_URL: 'https://money.example.org' }),
      /^PUBLIC_URL .*npm run migrate/,
    ],
    [
      'DEFAULT_PRODUCT, if the product does not exist',
      () => ({ DEFAULT_PRODUCT: 'gold' }),
      /^DEFAULT_PRODUCT must be one of personal, teams, business\.$/,
    ],
    [
      'AUTH_DATABASE_URL, if its password is wrong',
      () => ({
        AUTH_DATABASE_URL: connection(stack.ownerUrl, { user: 'auth_service', password: 'wrong' }),
      }),
      /^AUTH_DATABASE_URL has a wrong password/,
    ],
    [
      'AUTH_DATABASE_URL, if its database does not exist',
      () => ({
        AUTH_DATABASE_URL: connection(env['AUTH_DATABASE_URL'] ?? '', { database: 'nothing' }),
      }),
      /^AUTH_DATABASE_URL names a database that does not exist/,
    ],
    [
      'AUTH_DATABASE_URL, if no server responds there',
      () => ({ AUTH_DATABASE_URL: 'postgresql://auth_service:x@127.0.0.1:1/x' }),
      /^AUTH_DATABASE_URL: the database cannot be reached/,
    ],
    [
      'npm run migrate, if the database is not migrated',
      () => ({
        AUTH_DATABASE_URL: connection(env['AUTH_DATABASE_URL'] ?? '', { database: 'postgres' }),
      }),
      /npm run migrate/,
    ],
  ])('%s', async (_, change, line) => {
    await expect(start(change())).rejects.toThrow(line)
  })
})

test('all users have the DEFAULT_PRODUCT, and a higher product of their own still counts', async () => {
  const everybody = { ...stack, url: await stack.startAnotherAuth({ DEFAULT_PRODUCT: 'teams' }) }
  const ann = await signedIn(everybody, 'Ann')
  expect((await ann.signIn()).body.subscription).toEqual({ isSubscribed: true, productId: 'teams' })
  expect((await ann.post('/organization/create', { name: 'Acme' })).status).toBe(200)
  const bob = await subscribed(everybody, 'Bob')
  await bob.subscribe('business')
  expect((await bob.get('/get-session')).body.subscription.productId).toBe('business')
})

test('behind HTTPS the cookie is Secure, and COOKIE_DOMAIN shares it with a domain', async () => {
  await using secure = await startStack({
    env: { PUBLIC_URL: 'https://money.example.org', COOKIE_DOMAIN: 'example.org' },
  })
  const reply = await fetch(`${secure.url}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ann@example.org', password: 'correct horse' }),
  })
  expect(reply.headers.get('set-cookie')).toMatch(/^__Secure-.*; Domain=\.?example\.org;.*Secure/i)
})

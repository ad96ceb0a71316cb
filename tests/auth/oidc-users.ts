/** Users of the OpenID provider, and their accounts in the service. */
import { expect } from 'vitest'
import type { TestProvider } from '../support/oidc.ts'
import { person, type Person } from '../support/person.ts'
import type { Stack } from '../support/stack.ts'

export const refused = (status: number, error: string) => ({
  status,
  body: { error, message: expect.any(String) },
})
export const failed = refused(400, 'OIDC_FAILED')

let people = 0
/**
 * A user of the provider, in a new browser. @param claims override those of a user with a verified
 * address
 */
export function userOfProvider(
  stack: Stack,
  provider: TestProvider,
  name = 'Ann',
  claims: Record<string, unknown> = {},
): Person & { sub: string } {
  const sub = `${name.toLowerCase()}-at-the-house-${++people}`
  const user = person(stack, name, `${sub}@example.org`)
  provider.people.set(sub, { email: user.email, email_verified: true, name, ...claims })
  return { ...user, sub }
}
/** The accounts of an address as the database stores them: one for each way to sign in. */
export const storedAccounts = async (stack: Stack, email: string) =>
  (await stack.sql.query(
    `select provider_id, account_id, access_token, refresh_token, id_token, password is not null as has_password
      from auth.users u join auth.accounts a on a.user_id = u.id where email = $1 order by provider_id`,
    [email],
  )).rows
export const isSignedOut = async (user: Person) =>
  expect((await user.get('/get-session')).status).toBe(401)

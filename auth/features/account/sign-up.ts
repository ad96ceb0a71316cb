/**
 * Rules for new accounts: SIGN_UP and SIGN_UP_DOMAINS, and the link by which the owner of an
 * address deletes an account of another person.
 */
import { createHmac } from 'node:crypto'
import { signJWT, verifyJWT } from 'better-auth/crypto'
import { z } from 'zod'
import type { AuthDatabase } from '../../../http/database.ts'
import { reject } from '../../../http/errors.ts'
import type { ErrorCode } from '../../../common/error-codes.ts'
import type { RouteContext, ServiceConfig } from '../../../http/route.ts'
import { deleteWithRows } from '../delete-with-rows.ts'
import type { WithToken } from '../../../http/fields.ts'

/**
 * Returns why no account may have an address of this domain. @param email in lower case, as
 * addresses are stored
 */
export function domainProblem(
  { signUp: { domains } }: ServiceConfig,
  email: string,
): ErrorCode | undefined {
  return domains.length > 0 && !domains.includes(email.slice(email.lastIndexOf('@') + 1))
    ? 'EMAIL_DOMAIN_NOT_ALLOWED'
    : undefined
}

/**
 * Returns why an address may not sign up. Existing addresses get the same result, so the response
 * does not show who has an account.
 * @param email in lower case, as addresses are stored
 * @returns undefined if it may
 */
export async function signUpProblem(
  config: ServiceConfig,
  db: AuthDatabase,
  email: string,
): Promise<ErrorCode | undefined> {
  if (config.signUp.by === 'closed') return 'SIGN_UP_CLOSED'
  return addressProblem(config, db, email)
}

/**
 * Returns why no account may get an address, by sign-up or by a change. With SIGN_UP=invitation the
 * address needs an invitation of its own. Otherwise one invitation would make many accounts: each
 * change of the address frees the invited one.
 * @param email in lower case, as addresses are stored
 */
export async function addressProblem(
  config: ServiceConfig,
  db: AuthDatabase,
  email: string,
): Promise<ErrorCode | undefined> {
  // An invitation does not override the list of domains.
  const problem = domainProblem(config, email)
  if (problem !== undefined || config.signUp.by !== 'invitation') return problem
  const invitation = await db.selectFrom('auth.invitations').select('id')
    .where('email', '=', email).where('status', '=', 'pending').where('expiresAt', '>', new Date())
    .executeTakeFirst()
  return invitation === undefined ? 'INVITATION_REQUIRED' : undefined
}

/**
 * Lifetime of the second link of a verification mail. Anyone can sign up with a foreign address,
 * and this link deletes the account while it is unverified. It lives longer than the verification
 * link, because the owner of the address does not expect the email.
 */
const disownLifetimeSeconds = 7 * 86_400

// a separate key, so that no other token disowns an account and this token does nothing else
const disownKey = (secret: string): string =>
  createHmac('sha256', secret).update('disown-account').digest('base64url')

/** @param secret BETTER_AUTH_SECRET */
export const disownToken = (secret: string, userId: string): Promise<string> =>
  signJWT({ userId }, disownKey(secret), disownLifetimeSeconds)

/**
 * Deletes the account of a token with its sessions, unless its address is verified. The check and
 * the deletion are one statement, so a concurrent verification comes before or after it.
 * @throws Rejection INVALID_TOKEN, also if the account is deleted already; ALREADY_VERIFIED
 */
export async function disownAccount(c: RouteContext, { token }: WithToken): Promise<void> {
  const { db, config } = c.var.services
  const claims = z.object({ userId: z.string() }).safeParse(
    await verifyJWT(token, disownKey(config.secret)),
  )
  if (!claims.success) reject('INVALID_TOKEN')
  const { userId } = claims.data
  const deleted = await deleteWithRows(
    c,
    `account ${userId}`,
    () =>
      db.deleteFrom('auth.users').where('id', '=', userId).where('emailVerified', '=', false)
        .executeTakeFirst(),
  )
  if (deleted.numDeletedRows === 1n) return
  const verified = await db.selectFrom('auth.users').select('id').where('id', '=', userId)
    .executeTakeFirst()
  reject(verified === undefined ? 'INVALID_TOKEN' : 'ALREADY_VERIFIED')
}

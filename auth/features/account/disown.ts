/**
 * Disowning an account. Anyone can sign up with a foreign address, so the verification mail has a second link. Its token deletes the
 * account while it is unverified.
 */
import { createHmac } from 'node:crypto'
import { signJWT, verifyJWT } from 'better-auth/crypto'
import { z } from 'zod'
import { refuse } from '../../errors.ts'
import type { RouteContext } from '../../route.ts'
import type { WithToken } from '../fields.ts'

/** Longer than a verification, because a reader without an account is in no hurry. */
const lifetimeSeconds = 7 * 86_400

// a separate key, so that no other token disowns an account and this token does nothing else
const keyOf = (secret: string): string => createHmac('sha256', secret).update('disown-account').digest('base64url')

/** @param secret BETTER_AUTH_SECRET */
export const disownToken = (secret: string, userId: string): Promise<string> => signJWT({ userId }, keyOf(secret), lifetimeSeconds)

/**
 * Deletes the account of a token with its sessions, unless its address is verified. The check and the deletion are one statement, so
 * a concurrent verification comes before or after it.
 * @throws Refusal INVALID_TOKEN, also if the account is deleted already; ALREADY_VERIFIED
 */
export async function disownAccount(c: RouteContext, { token }: WithToken): Promise<void> {
  const { db, config } = c.var.services
  const claims = z.object({ userId: z.string() }).safeParse(await verifyJWT(token, keyOf(config.secret)))
  if (!claims.success) refuse('INVALID_TOKEN')
  const { userId } = claims.data
  const deleted = await db.deleteFrom('auth.users').where('id', '=', userId).where('emailVerified', '=', false).executeTakeFirst()
  if (deleted.numDeletedRows === 1n) return
  const verified = await db.selectFrom('auth.users').select('id').where('id', '=', userId).executeTakeFirst()
  refuse(verified === undefined ? 'INVALID_TOKEN' : 'ALREADY_VERIFIED')
}

/**
 * Disowning an account. Anybody can sign up with an address that is not theirs; the verification mail tells its reader so
 * and carries a token with which the reader, and nobody else, deletes that account while it is unverified.
 */
import { createHmac } from 'node:crypto'
import { signJWT, verifyJWT } from 'better-auth/crypto'
import { z } from 'zod'
import { refuse } from '../../errors.ts'
import type { RouteContext } from '../../route.ts'
import type { WithToken } from '../fields.ts'

/** Longer than a verification lasts, because a reader who knows nothing of an account is in no hurry. */
const lifetimeSeconds = 7 * 86_400

// a key of its own, so that no token of another kind disowns an account and this one does nothing else
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

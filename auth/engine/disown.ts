/**
 * Disowning an account. Anybody can sign up with an address that is not theirs; the verification mail tells its reader so
 * and carries a token with which the reader, and nobody else, deletes that account while it is unverified.
 */
import { createHmac } from 'node:crypto'
import { signJWT, verifyJWT } from 'better-auth/crypto'
import { z } from 'zod'
import type { AuthDatabase } from '../database.ts'

/** Longer than a verification lasts, because a reader who knows nothing of an account is in no hurry. */
const lifetimeSeconds = 7 * 86_400

// a key of its own, so that no token of another kind disowns an account and this one does nothing else
const keyOf = (secret: string): string => createHmac('sha256', secret).update('disown-account').digest('base64url')

/** @param secret BETTER_AUTH_SECRET */
export const disownToken = (secret: string, userId: string): Promise<string> => signJWT({ userId }, keyOf(secret), lifetimeSeconds)

/**
 * Deletes the account the token was made for, and with it its sessions, unless its address is verified. The question and
 * the deletion are one statement, so that a verification at the same moment comes before it or after it.
 * @returns `invalid` also when the account is gone: a token works once
 */
export async function disown(db: AuthDatabase, secret: string, token: string): Promise<'deleted' | 'verified' | 'invalid'> {
  const claims = z.object({ userId: z.string() }).safeParse(await verifyJWT(token, keyOf(secret)))
  if (!claims.success) return 'invalid'
  const { userId } = claims.data
  const deleted = await db.deleteFrom('auth.users').where('id', '=', userId).where('emailVerified', '=', false).executeTakeFirst()
  if (deleted.numDeletedRows === 1n) return 'deleted'
  const kept = await db.selectFrom('auth.users').select('id').where('id', '=', userId).executeTakeFirst()
  return kept === undefined ? 'invalid' : 'verified'
}

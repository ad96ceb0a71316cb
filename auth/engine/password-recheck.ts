/**
 * A password can change during the tenth of a second that its check takes. Then the request with the old password is refused.
 * Otherwise an attacker could keep what the change was to take away.
 */
import { currentRequest, type CurrentRequest } from '../current-request.ts'
import type { AuthDatabase } from '../database.ts'
import { refuse } from '../errors.ts'

type Verify = (given: { hash: string, password: string }) => Promise<boolean>

/** The hash that the password of a request was compared with. */
const verifiedHashes = new WeakMap<CurrentRequest, string>()

/** Wraps a verification: records the hash, and takes the counted guess back if the password is correct. */
export const recordVerifiedHash = (verify: Verify): Verify => async (given) => {
  const request = currentRequest.getStore()
  if (request !== undefined) verifiedHashes.set(request, given.hash)
  const isCorrect = await verify(given)
  if (isCorrect) await request?.onCorrectPassword()
  return isCorrect
}

/**
 * Checks that the password of this request still is the one of the account.
 * @param newUserId user of a new session; undefined checks the caller
 * @throws Refusal INVALID_CREDENTIALS at a sign-in, else INVALID_PASSWORD
 */
export async function checkVerifiedPassword(db: AuthDatabase, newUserId?: string): Promise<void> {
  const request = currentRequest.getStore()
  const verified = request && verifiedHashes.get(request)
  const userId = newUserId ?? request?.caller?.user.id
  if (verified === undefined || userId === undefined) return
  const account = await db.selectFrom('auth.accounts').select('password').where('userId', '=', userId).where('providerId', '=', 'credential')
    // waits for a transaction that changes the password; for a caller that could be better-auth's own transaction
    .$if(newUserId !== undefined, (of) => of.forShare()).executeTakeFirst()
  if (account?.password !== verified) refuse(newUserId === undefined ? 'INVALID_PASSWORD' : 'INVALID_CREDENTIALS')
}

/**
 * Deletes a new session if the password changed since its check. It runs after the session is stored: a later change of the password
 * deletes the session itself, and the check waits for a concurrent one.
 */
export async function revokeIfPasswordChanged(db: AuthDatabase, { id, userId }: { id: string, userId: string }): Promise<void> {
  // a session that replaces the caller's own, after a change of the password
  if (currentRequest.getStore()?.caller !== undefined) return
  try {
    await checkVerifiedPassword(db, userId)
  } catch (refusal) {
    await db.deleteFrom('auth.sessions').where('id', '=', id).execute()
    throw refusal
  }
}

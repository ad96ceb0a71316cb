/**
 * Checking a password takes a tenth of a second, in which it may end: by a new one, or by a change of the address that is stopped. Whoever
 * began with the old one is then refused, instead of getting what has just been taken from them.
 */
import type { AuthDatabase } from '../database.ts'
import { requestContexts } from '../request-context.ts'
import { refuse } from './refuse.ts'

type Verify = (given: { hash: string, password: string }) => Promise<boolean>

/** Remembers the hash that a request's password was compared with. A right password does not count as a guess. */
export const noting = (verify: Verify): Verify => async (given) => {
  const own = requestContexts.getStore()
  if (own !== undefined) own.shownHash = given.hash
  const isRight = await verify(given)
  if (isRight) await own?.takeBackGuess?.()
  return isRight
}

/**
 * Asks whether the password that this request has shown still is that of the account.
 * @param signsIn whose session is to begin; where absent, it is about who is signed in
 * @throws APIError INVALID_CREDENTIALS at a sign-in, else INVALID_PASSWORD
 */
export async function checkShownPassword(db: AuthDatabase, signsIn?: string): Promise<void> {
  const { shownHash: shown, caller } = requestContexts.getStore() ?? {}
  const userId = signsIn ?? caller?.userId
  if (shown === undefined || userId === undefined) return
  const account = await db.selectFrom('auth.accounts').select('password').where('userId', '=', userId).where('providerId', '=', 'credential')
    // waits for whoever is about to end it; of who is signed in the engine's transaction may be what they wait for
    .$if(signsIn !== undefined, (of) => of.forShare()).executeTakeFirst()
  if (account?.password !== shown) refuse(signsIn === undefined ? 'INVALID_PASSWORD' : 'INVALID_CREDENTIALS')
}

/**
 * Ends a session again that a sign-in has begun with a password that has ended meanwhile. Asked when the session is stored: whoever ends the
 * password later finds and ends it, and whoever is about to is waited for.
 */
export async function endUnlessShown(db: AuthDatabase, { id, userId }: { id: string, userId: string }): Promise<void> {
  // theirs is in place of their own, after they have changed what they showed
  if (requestContexts.getStore()?.caller !== undefined) return
  try {
    await checkShownPassword(db, userId)
  } catch (refusal) {
    await db.deleteFrom('auth.sessions').where('id', '=', id).execute()
    throw refusal
  }
}

/** What is asked of who is signed in before something that cannot be taken back, or that would let somebody else in for good. */
import type { AuthContext, Session, User } from 'better-auth'
import { refuse } from './refuse.ts'

/** How long a sign-in is as good as the password, in seconds. */
const freshSeconds = 600

type Caller = Pick<AuthContext, 'internalAdapter' | 'password'> & { session: { user: Pick<User, 'id'>, session: Pick<Session, 'createdAt'> } }

/**
 * Asks for the password, or for a sign-in that was just now: an account may have no password, and its person may not know it.
 * @param given the password as it was sent; undefined where none was
 * @returns the stored hash; null where the account has no password
 * @throws APIError INVALID_PASSWORD, FRESH_SIGN_IN_REQUIRED
 */
export async function confirmCaller({ internalAdapter, password, session: { user, session } }: Caller, given: string | undefined): Promise<string | null> {
  const stored = (await internalAdapter.findCredentialAccount(user.id))?.password ?? null
  if (given === undefined) {
    if (Date.now() - session.createdAt.getTime() > freshSeconds * 1_000) refuse('FRESH_SIGN_IN_REQUIRED')
  } else if (stored === null || !await password.verify({ hash: stored, password: given })) refuse('INVALID_PASSWORD')
  return stored
}

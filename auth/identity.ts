/**
 * The seam of identity: what http/ and the rooms beside it need of sessions, passwords, tokens and
 * API keys.
 */
import type { AuthContext } from 'better-auth'
import type { Connections } from '../http/database.ts'
import type { Identity } from '../http/route.ts'
import type { IdentityConfig } from './config.ts'
import { readCredentials, sendCookies } from './engine/credentials.ts'
import type { Guesses } from './engine/guesses.ts'
import type { HashingQueue } from './engine/passwords.ts'
import { sessionReader } from './engine/read-session.ts'
import { signUpProblem } from './features/account/sign-up.ts'
import { useApiKey } from './features/api-key/api-keys.ts'
import { confirmCaller, withAccountLock } from './features/caller.ts'
import { verifyToken } from './keys/signing-keys.ts'
import { pageOf } from './pages/pages.ts'

type IdentityParts = {
  config: IdentityConfig
  connections: Connections
  context: AuthContext
  guesses: Guesses
  hashingQueue: HashingQueue
}

export const createIdentity = (
  { config, connections: { db, prepared }, context, guesses, hashingQueue }: IdentityParts,
): Identity => ({
  readCredentials,
  readSession: sessionReader(context, prepared),
  sendCookies,
  pageOf,
  signUpProblem: (email) => signUpProblem(config, db, email),
  enterHashingQueue: hashingQueue.enter,
  countGuess: async (email) => {
    await guesses.count('password', email)
    return () => guesses.takeBack('password', email)
  },
  confirmCaller,
  withAccountLock,
  verifyToken: (token) => verifyToken(db, token),
  useApiKey: async (c, key) => {
    const { id, user_id: userId, organization_id: organizationId, role } = await useApiKey(c, key)
    return { id, userId, organizationId, role }
  },
})

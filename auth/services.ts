/** Builds the parts that handlers use, and connects better-auth's hooks to the features. */
import type { AuthContext } from 'better-auth'
import { basePath } from '../common/contract.ts'
import { fairQueue, type FairQueue } from '../common/fair-queue.ts'
import type { Log } from '../common/log.ts'
import type { Connections } from '../http/database.ts'
import { reject } from '../http/errors.ts'
import type { Limits } from '../http/rate-limits.ts'
import type { ProcessServices } from '../http/route.ts'
import type { IdentityConfig } from './config.ts'
import { createEngine } from './engine/engine.ts'
import { createGuesses, type Guesses } from './engine/guesses.ts'
import type { HashingQueue, Passwords } from './engine/passwords.ts'
import { disownToken, signUpProblem } from './features/account/sign-up.ts'
import { addressProof } from './features/invitation/address-proof.ts'
import { createProvider, type Provider } from './features/single-sign-on/provider.ts'
import { requireSecondFactor } from './features/two-factor/two-factor.ts'
import { createIdentity } from './identity.ts'
import type { Signer } from './keys/signing-keys.ts'
import type { Mailer } from './mail/mailer.ts'
import { plans, type Plans } from './plans.ts'

declare module '../http/route.ts' {
  interface Services {
    /** better-auth: its router, its context for code of our own, and the signer of tokens. */
    engine: { handler: (request: Request) => Promise<Response>, context: AuthContext, sign: Signer }
    plans: Plans
    guesses: Guesses
    /**
     * Limits the connections that deletions of users and organizations hold, because each can take
     * minutes.
     */
    deletionQueue: FairQueue
    mailer: Mailer
    /** The provider of single sign-on. Undefined without OIDC_ISSUER. */
    provider: Provider | undefined
  }
}

export type ServiceParts = {
  config: IdentityConfig
  connections: Connections
  limits: Limits
  hashingQueue: HashingQueue
  passwords: Pick<Passwords, 'hash' | 'verify'>
  mailer: Mailer
  log: Log
}

export async function createServices(
  { config, connections, limits, hashingQueue, passwords, mailer, log }: ServiceParts,
) {
  const { db, prepared, inTransaction, outsideTransaction } = connections
  const engine = await createEngine({
    config,
    connections,
    limits,
    passwords,
    mailer,
    log,
    disownToken: (userId) => disownToken(config.secret, userId),
    invitationToken: (invitation) => addressProof(config.secret, invitation),
    beforeUser: async (email) => {
      const problem = await signUpProblem(config, db, email)
      if (problem !== undefined) reject(problem)
    },
    beforeSession: (userId, endpoint) => requireSecondFactor(connections, userId, endpoint),
  })
  const guesses = createGuesses(limits)
  return {
    config,
    db,
    prepared,
    inTransaction,
    outsideTransaction,
    engine,
    identity: createIdentity({
      config,
      connections,
      context: engine.context,
      guesses,
      hashingQueue,
    }),
    plans: plans(prepared, config.defaultProduct),
    limits,
    guesses,
    // each holds one of ten connections for minutes, and one network leaves a slot to the others
    deletionQueue: fairQueue(3, 128, 60_000, 2),
    mailer,
    provider: config.oidc &&
      createProvider(config.oidc, `${config.publicUrl}${basePath}/callback/oidc`),
    log,
  } satisfies ProcessServices
}

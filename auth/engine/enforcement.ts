/** The engine's hooks: each request to one of its endpoints is held to the policy of the route's row. */
import type { GenericEndpointContext } from 'better-auth'
import { createAuthMiddleware, getSessionFromCtx, sendVerificationEmailFn } from 'better-auth/api'
import { clientNetwork } from '../../infra/shared/client-address.ts'
import type { AuthDatabase } from '../database.ts'
import type { Policy, RateLimit } from '../policy.ts'
import { clientAddressHeader, requestContexts } from '../request-context.ts'
import type { HashingQueue } from './hashing-queue.ts'
import type { Guesses } from './guesses.ts'
import type { Limits } from './rate-limits.ts'
import { refuse } from './refuse.ts'

const field = (from: unknown, name: string): string | undefined => {
  const value = typeof from === 'object' && from !== null ? (from as Record<string, unknown>)[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** What the hooks are told of a request; `request` is absent when our own code calls the engine. */
type Asked = { path: string, request?: Request | undefined, body?: unknown, query?: unknown }

export type EnforcementParts = {
  policies: Policy[]
  db: AuthDatabase
  limits: Limits
  guesses: Guesses
  hashingQueue: HashingQueue
  /** @throws APIError when this address may not make an account. */
  checkSignUp: (email: string) => Promise<void>
  /** Whose code is asked of a request. @throws APIError UNAUTHORIZED where it is nobody's */
  secondFactorOf: (context: GenericEndpointContext) => Promise<string>
}

/**
 * Counts a request against an account's limit.
 * @throws APIError RATE_LIMIT_EXCEEDED; VALIDATION_ERROR when the request names no account
 */
async function limitAccount(limits: Limits, path: string, account: string | undefined, limit: RateLimit): Promise<void> {
  if (account === undefined) refuse('VALIDATION_ERROR')
  const { allowed, retryAfterSeconds } = await limits.consumeForAccount(path, account, limit)
  if (!allowed) refuse('RATE_LIMIT_EXCEEDED', retryAfterSeconds)
}

/**
 * The hooks that stand before and after every endpoint of the engine.
 * @throws Error when two policies are for one endpoint
 */
export function enforcement({ policies, db, limits, guesses, hashingQueue, checkSignUp, secondFactorOf }: EnforcementParts) {
  const policyAt = new Map(policies.map((policy) => [`${policy.engine.method} ${policy.engine.path}`, policy]))
  if (policyAt.size !== policies.length) throw new Error('Two routes have the same endpoint of the engine, so one policy would be forgotten.')

  /** To an outsider an organization answers as if it did not exist. Some of the engine's endpoints would also end the active one. */
  const checkMembership = async (organizationId: string, userId: string) => {
    const member = await db.selectFrom('auth.members').select('id')
      .where('organizationId', '=', organizationId).where('userId', '=', userId).executeTakeFirst()
    if (member === undefined) refuse('NOT_FOUND')
  }

  const before = createAuthMiddleware(async (context) => {
    const { path, request, body, query }: Asked = context
    // the service's own tasks call the engine without a request; whoever caused the task was asked then
    if (request === undefined) return
    const policy = policyAt.get(`${request.method} ${path}`) ?? refuse('NOT_FOUND')
    const own = requestContexts.getStore() ?? refuse('FORBIDDEN')
    let userId: string | undefined
    let email = field(body, 'email')
    if (policy.session === 'required') {
      // read once and kept by the engine for the rest of the request
      const current = await getSessionFromCtx(context)
      if (current === null) refuse('UNAUTHORIZED')
      userId = current.user.id
      email = current.user.email
      own.caller = { userId, sessionId: current.session.id }
    }
    const organizationId = field(body, 'organizationId') ?? field(query, 'organizationId')
    if (organizationId !== undefined) {
      // a row that does not say that it names one, or asks for no session, is refused
      if (!policy.namesOrganization || userId === undefined) refuse('FORBIDDEN')
      await checkMembership(organizationId, userId)
    }
    const { account } = policy.limits
    if (account !== undefined) {
      await limitAccount(limits, path, account.by === 'caller' ? userId : field(body, 'email'), account)
    }
    if (policy.guesses === 'second-factor') await guesses.count('second-factor', await secondFactorOf(context))
    if (policy.guesses === 'password' && (field(body, 'password') ?? field(body, 'currentPassword')) !== undefined) {
      const owner = email ?? refuse('VALIDATION_ERROR')
      await guesses.count('password', owner)
      own.takeBackGuess = () => guesses.takeBack('password', owner)
    }
    // before a password is hashed for nothing, and before the engine says whether there is an account
    if (policy.signsIn === 'first') await checkSignUp(field(body, 'email')?.toLowerCase() ?? '')
    if (policy.hashesPassword) own.leaveQueue = await hashingQueue.enter(clientNetwork(request.headers.get(clientAddressHeader) ?? ''))
  })

  const after = createAuthMiddleware(async (context) => {
    const { path, request }: Asked = context
    const signedIn = context.context.newSession
    const signsIn = policyAt.get(`${request?.method} ${path}`)?.signsIn ?? 'no'
    if (signsIn === 'no' || !signedIn) return undefined
    if (signsIn === 'again' && !signedIn.user.emailVerified) await sendVerificationEmailFn(context, signedIn.user)
    return context.json({ user: signedIn.user, session: signedIn.session })
  })

  return { before, after }
}

/**
 * A function of the engine's that hashes a password, for requests that have their turn. A route whose row forgot to say that it
 * hashes fails at once, instead of letting a crowd take the processor.
 */
export const inTurn = <Given, Result>(hash: (given: Given) => Promise<Result>) => async (given: Given): Promise<Result> => {
  if (requestContexts.getStore()?.leaveQueue === undefined) throw new Error('A password is hashed out of turn: the row of the route must say that it hashes.')
  return hash(given)
}

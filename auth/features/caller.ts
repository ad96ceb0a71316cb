/**
 * Steps that several handlers share: reauthenticate the caller, lock its account, start a session,
 * and respond to a sign-in.
 */
import type { GenericEndpointContext, User } from 'better-auth'
import { sendVerificationEmailFn } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import type { Transaction } from 'kysely'
import type { z } from 'zod'
import type { Tables } from '../../db/types.ts'
import { currentRequest } from '../../http/policy.ts'
import { reject } from '../../http/errors.ts'
import { callerOf, type RouteContext } from '../../http/route.ts'
import { serialize } from '../../http/fields.ts'
import { sessionOf, userSchema, type signInOutput, type signInReply } from './session-fields.ts'

/** Time after a sign-in in which no password is required, in milliseconds. */
const freshMs = 600_000

/**
 * Requires the password or a recent sign-in, before an action that is final or lasting. An account
 * may have no password.
 * @returns the stored hash; null if the account has no password
 * @throws Rejection INVALID_PASSWORD, FRESH_SIGN_IN_REQUIRED
 */
export async function confirmCaller(
  c: RouteContext,
  given: string | undefined,
): Promise<string | null> {
  const { user, session } = callerOf(c)
  const { db, engine: { context: { password } } } = c.var.services
  const account = await db.selectFrom('auth.accounts').select('password').where(
    'userId',
    '=',
    user.id,
  ).where('providerId', '=', 'credential')
    .executeTakeFirst()
  const stored = account?.password ?? null
  if (given === undefined) {
    if (Date.now() - session.createdAt.getTime() > freshMs) reject('FRESH_SIGN_IN_REQUIRED')
  } else if (stored === null || !await password.verify({ hash: stored, password: given }))
    reject('INVALID_PASSWORD')
  return stored
}

/**
 * Runs work in a transaction that locks the caller's account.
 * @throws Rejection UNAUTHORIZED if the session was deleted since the request began
 */
export function withAccountLock<Result>(
  c: RouteContext,
  work: (trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  const { user, session } = callerOf(c)
  return c.var.services.db.transaction().execute(async (trx) => {
    await trx.selectFrom('auth.users').select('id').where('id', '=', user.id).forNoKeyUpdate()
      .executeTakeFirst()
    // a separate statement, because the one that waited for the lock sees the sessions from before
    // the wait
    const current = await trx.selectFrom('auth.sessions').select('id').where('id', '=', session.id)
      .executeTakeFirst()
    if (current === undefined) reject('UNAUTHORIZED')
    return work(trx)
  })
}

/**
 * Starts a session, sets its cookie, and mails a new link to an unverified user who signs in.
 * @throws APIError SECOND_FACTOR_REQUIRED unless the policy says that the second factor is verified
 */
export async function beginSession(endpoint: GenericEndpointContext, user: User) {
  const session = await endpoint.context.internalAdapter.createSession(user.id)
  await setSessionCookie(endpoint, { session, user })
  if (currentRequest.getStore()?.policy.startsSession === 'sign-in' && !user.emailVerified)
    await sendVerificationEmailFn(endpoint, user)
  return session
}

/** Returns the response of a sign-in, with the user's plan. */
export const signedIn = async (
  c: RouteContext,
  from: z.output<typeof signInReply>,
): Promise<z.output<typeof signInOutput>> => ({
  user: serialize(userSchema, from.user),
  session: sessionOf(from.session),
  subscription: await c.var.services.plans.status(from.user.id),
})

/** A session for somebody who has shown who they are otherwise than by the engine's own ways. */
import type { GenericEndpointContext, User } from 'better-auth'
import { setSessionCookie } from 'better-auth/cookies'

/**
 * Begins a session and gives the browser its cookie.
 * @throws APIError SECOND_FACTOR_REQUIRED where the row of the route does not say that both factors are shown
 */
export async function beginSession(context: GenericEndpointContext, user: User) {
  const session = await context.context.internalAdapter.createSession(user.id)
  await setSessionCookie(context, { session, user })
  return session
}

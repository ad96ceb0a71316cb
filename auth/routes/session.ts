/** Sessions and what is issued from them. Source: interface "Auth surface", design "Where the interface is silent". */
import { refusal } from '../errors.ts'
import { engineReplies } from './engine-replies.ts'
import { fullSession, listedSession, subscription, user } from './presenters.ts'
import { route } from './route.ts'
import { schemas } from './schemas.ts'

export const sessionRoutes = [
  route({
    method: 'GET',
    path: '/get-session',
    input: schemas.nothing,
    reply: engineReplies.signedIn.nullable(),
    engine: { method: 'GET', path: '/get-session' },
    // this endpoint is the question itself, and answers null; asking first would read the session twice
    session: 'none',
    load: async (reply, { plans }) => {
      if (reply === null) throw refusal('UNAUTHORIZED')
      return { ...reply, plan: await plans.status(reply.user.id) }
    },
    present: (_, { loaded }) => ({ user: user(loaded.user), session: fullSession(loaded.session), subscription: subscription(loaded.plan) }),
  }),
  route({
    method: 'POST',
    path: '/sign-out',
    input: schemas.nothing,
    reply: engineReplies.done,
    engine: { method: 'POST', path: '/sign-out' },
    present: () => ({ success: true }),
  }),
  route({
    method: 'POST',
    path: '/token',
    input: schemas.nothing,
    reply: engineReplies.token,
    engine: { method: 'GET', path: '/token' },
    present: ({ token }) => ({ token }),
  }),
  route({
    method: 'GET',
    path: '/jwks',
    input: schemas.nothing,
    reply: engineReplies.keys,
    engine: { method: 'GET', path: '/jwks' },
    session: 'none',
    // short, because a verifier that has cached the set must still learn of a new key before the key signs
    headers: { 'cache-control': 'public, max-age=60' },
    present: ({ keys }) => ({ keys: keys.map(({ kid, alg, kty, n, e }) => ({ kid, use: 'sig', alg, kty, n, e })) }),
  }),
  route({
    method: 'GET',
    path: '/list-sessions',
    input: schemas.nothing,
    reply: engineReplies.sessions,
    engine: { method: 'GET', path: '/list-sessions' },
    present: (reply, { caller }) => reply.map((row) => listedSession(row, caller?.sessionId)),
  }),
  route({
    method: 'POST',
    path: '/revoke-session',
    input: schemas.session,
    reply: engineReplies.done,
    engine: { method: 'POST', path: '/revoke-session-by-id' },
    present: () => ({ success: true }),
  }),
  route({
    method: 'POST',
    path: '/revoke-other-sessions',
    input: schemas.nothing,
    reply: engineReplies.done,
    engine: { method: 'POST', path: '/revoke-other-sessions' },
    present: () => ({ success: true }),
  }),
]

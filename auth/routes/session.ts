/** Sessions and what is issued from them. Source: interface "Auth surface", design "Where the interface is silent". */
import { refusal } from '../errors.ts'
import { fullSession, listedSession, native, schemas, subscription, user } from '../shapes.ts'
import { route } from '../translate.ts'

export const sessionRoutes = [
  route({
    method: 'GET', path: '/get-session', input: schemas.nothing, reply: native.signedIn.nullable(),
    native: { method: 'GET', path: '/get-session' },
    present: async (reply, { plans }) => {
      if (reply === null) throw refusal('UNAUTHORIZED')
      return { user: user(reply.user), session: fullSession(reply.session), subscription: subscription(await plans.status(reply.user.id)) }
    },
  }),
  route({
    method: 'POST', path: '/sign-out', input: schemas.nothing, reply: native.done,
    native: { method: 'POST', path: '/sign-out' },
    present: () => ({ success: true }),
  }),
  route({
    method: 'POST', path: '/token', input: schemas.nothing, reply: native.token,
    native: { method: 'GET', path: '/token' },
    present: ({ token }) => ({ token }),
  }),
  route({
    method: 'GET', path: '/jwks', input: schemas.nothing, reply: native.keys,
    native: { method: 'GET', path: '/jwks' },
    // short, because a verifier that has cached the set must still learn of a new key before the key signs
    headers: { 'cache-control': 'public, max-age=60' },
    present: ({ keys }) => ({ keys: keys.map(({ kid, alg, kty, n, e }) => ({ kid, use: 'sig', alg, kty, n, e })) }),
  }),
  route({
    method: 'GET', path: '/list-sessions', input: schemas.nothing, reply: native.sessions,
    native: { method: 'GET', path: '/list-sessions' },
    present: (reply, { caller }) => reply.map((row) => listedSession(row, caller?.sessionId)),
  }),
  route({
    method: 'POST', path: '/revoke-session', input: schemas.session, reply: native.done,
    native: { method: 'POST', path: '/revoke-session-by-id' },
    present: () => ({ success: true }),
  }),
  route({
    method: 'POST', path: '/revoke-other-sessions', input: schemas.nothing, reply: native.done,
    native: { method: 'POST', path: '/revoke-other-sessions' },
    present: () => ({ success: true }),
  }),
]

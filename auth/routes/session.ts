/** Sessions and what is issued from them. Source: interface "Auth surface", design "Where the interface is silent". */
import { refusal } from '../errors.ts'
import { engineReplies } from './engine-replies.ts'
import { fullSession, listedSession, subscription, user } from './presenters.ts'
import { route } from './route.ts'
import { exampleId, schemas } from './schemas.ts'
import { wire } from './wire.ts'

export const sessionRoutes = [
  route({
    method: 'GET',
    path: '/get-session',
    summary: 'Says who is signed in, in which session, and with which plan.',
    description: 'Without a session the answer is 401 `UNAUTHORIZED`.',
    input: schemas.nothing,
    refuses: ['UNAUTHORIZED'],
    reply: engineReplies.current.nullable(),
    engine: { method: 'GET', path: '/get-session' },
    ofSession: 'tells',
    // this endpoint is the question itself, and answers null; asking first would read the session twice
    session: 'none',
    shortcut: 'session',
    load: async (reply, { plans }) => {
      if (reply === null) throw refusal('UNAUTHORIZED')
      return { ...reply, plan: reply.plan ?? await plans.status(reply.user.id) }
    },
    answer: wire.current,
    present: (_, { loaded }) => ({ user: user(loaded.user), session: fullSession(loaded.session), subscription: subscription(loaded.plan) }),
  }),
  route({
    method: 'POST',
    path: '/sign-out',
    summary: 'Ends the session. Its tokens end with it.',
    input: schemas.nothing,
    reply: engineReplies.done,
    engine: { method: 'POST', path: '/sign-out' },
    ofSession: 'ends',
    answer: wire.done,
    present: () => ({ success: true }),
  }),
  route({
    method: 'POST',
    path: '/token',
    summary: 'Issues a token for the data surface, valid for an hour.',
    description: 'It holds for the context that is active: after `set-active` ask for a new one. ' +
      'A program sends an API key instead of the cookie, as `Authorization: Bearer fin_…`; the token is then of the key’s context and role.',
    input: schemas.nothing,
    refuses: ['SERVICE_BUSY'],
    reply: engineReplies.token,
    engine: { method: 'GET', path: '/token' },
    shortcut: 'token',
    answer: wire.token,
    present: ({ token }) => ({ token }),
  }),
  route({
    method: 'GET',
    path: '/jwks',
    summary: 'Publishes the keys that verify tokens.',
    input: schemas.nothing,
    reply: engineReplies.keys,
    engine: { method: 'GET', path: '/jwks' },
    session: 'none',
    // short, because a verifier that has cached the set must still learn of a new key before the key signs
    headers: { 'cache-control': 'public, max-age=60' },
    answer: wire.keys,
    present: ({ keys }) => ({ keys: keys.map(({ kid, alg, kty, n, e }) => ({ kid, use: 'sig', alg, kty, n, e })) }),
  }),
  route({
    method: 'GET',
    path: '/list-sessions',
    summary: 'Lists the sessions of who is signed in.',
    input: schemas.nothing,
    reply: engineReplies.sessions,
    engine: { method: 'GET', path: '/list-sessions' },
    answer: wire.sessions,
    present: (reply, { caller }) => reply.map((row) => listedSession(row, caller?.sessionId)),
  }),
  route({
    method: 'POST',
    path: '/revoke-session',
    summary: 'Ends one session of who is signed in.',
    input: schemas.session,
    example: { sessionId: exampleId },
    refuses: ['NOT_FOUND'],
    reply: engineReplies.done,
    engine: { method: 'POST', path: '/revoke-session-by-id' },
    answer: wire.done,
    present: () => ({ success: true }),
  }),
  route({
    method: 'POST',
    path: '/revoke-other-sessions',
    summary: 'Ends all sessions of who is signed in, except the one that asks.',
    input: schemas.nothing,
    reply: engineReplies.done,
    engine: { method: 'POST', path: '/revoke-other-sessions' },
    answer: wire.done,
    present: () => ({ success: true }),
  }),
]

/** Sessions and what is issued from them. Source: interface "Auth surface", design "Where the interface is silent". */
import { callBetterAuth, passToBetterAuth } from '../../engine/engine.ts'
import { refuse } from '../../errors.ts'
import { callerOf, respondWith, route } from '../../route.ts'
import { issueApiKeyToken } from '../api-key/api-keys.ts'
import { done, exampleId, nothing, serialize } from '../fields.ts'
import { fullSessionOf, input, listedSessionOf, output, reply, user as userSchema } from './schemas.ts'
import { issueSessionToken } from './tokens.ts'

export const sessionRoutes = [
  route('GET', '/get-session', {
    summary: 'Says who is signed in, in which session, and with which plan.',
    description: 'Without a session the answer is 401 `UNAUTHORIZED`.',
    input: nothing,
    refuses: ['UNAUTHORIZED'],
    sessionEffect: 'tells',
    output: output.current,
    handle: async (c) => {
      const { user, session } = callerOf(c)
      return { user: serialize(userSchema, user), session: fullSessionOf(session), subscription: await c.var.services.plans.status(user.id) }
    },
  }),
  route('POST', '/sign-out', {
    summary: 'Ends the session. Its tokens end with it.',
    input: nothing,
    betterAuth: 'POST /sign-out',
    sessionEffect: 'ends',
    output: done,
    handle: respondWith({ success: true }, passToBetterAuth),
  }),
  route('POST', '/token', {
    summary: 'Issues a token for the data surface, valid for an hour.',
    description: 'It holds for the context that is active: after `set-active` ask for a new one. ' +
      'A program sends an API key instead of the cookie, as `Authorization: Bearer fin_…`; the token is then of the key’s context and role.',
    input: nothing,
    refuses: ['SERVICE_BUSY'],
    credential: 'session or API key',
    output: output.token,
    handle: async (c) => ({ token: c.var.apiKey === undefined ? await issueSessionToken(c) : await issueApiKeyToken(c, c.var.apiKey) }),
  }),
  route('GET', '/jwks', {
    summary: 'Publishes the keys that verify tokens.',
    input: nothing,
    betterAuth: 'GET /jwks',
    credential: 'none',
    // short, because a verifier that has cached the set must still learn of a new key before the key signs
    headers: { 'cache-control': 'public, max-age=60' },
    output: output.keys,
    handle: async (c, query) => {
      const { keys } = await callBetterAuth(c, reply.keys, query)
      return { keys: keys.map(({ kid, alg, kty, n, e }) => ({ kid, use: 'sig', alg, kty, n, e })) }
    },
  }),
  route('GET', '/list-sessions', {
    summary: 'Lists the sessions of who is signed in.',
    input: nothing,
    betterAuth: 'GET /list-sessions',
    output: output.list,
    handle: async (c, query) => {
      const { session } = callerOf(c)
      return (await callBetterAuth(c, reply.list, query)).map((row) => listedSessionOf(row, session))
    },
  }),
  route('POST', '/revoke-session', {
    summary: 'Ends one session of who is signed in.',
    input: input.revoke,
    example: { sessionId: exampleId },
    refuses: ['NOT_FOUND'],
    output: done,
    handle: async (c, { sessionId }) => {
      const revoked = await c.var.services.db.deleteFrom('auth.sessions').where('id', '=', sessionId)
        .where('userId', '=', callerOf(c).user.id).executeTakeFirst()
      if (revoked.numDeletedRows !== 1n) refuse('NOT_FOUND')
      return { success: true }
    },
  }),
  route('POST', '/revoke-other-sessions', {
    summary: 'Ends all sessions of who is signed in, except the one that asks.',
    input: nothing,
    betterAuth: 'POST /revoke-other-sessions',
    output: done,
    handle: respondWith({ success: true }, passToBetterAuth),
  }),
]

/** The routes of sessions, tokens and the key set. */
import { deleteSessionCookie } from 'better-auth/cookies'
import { z } from 'zod'
import { sentSessionTokens } from '../../engine/cookies.ts'
import { callBetterAuth, passToBetterAuth, withBetterAuth } from '../../engine/engine.ts'
import { reject } from '../../../http/errors.ts'
import { callerOf, respondWith, route, type RouteContext } from '../../../http/route.ts'
import { issueApiKeyToken } from '../api-key/api-keys.ts'
import { done, exampleId, id, nothing, serialize, time } from '../../../http/fields.ts'
import {
  betterAuthSession,
  sessionOf,
  sessionSchema,
  subscriptionSchema,
  userSchema,
  type BetterAuthSession,
} from '../session-fields.ts'
import { issueSessionToken } from './issue-token.ts'

const input = { revoke: z.object({ sessionId: id }) }

const fullSession = sessionSchema.extend({
  ip_address: z.string().meta({ examples: ['203.0.113.7'] }),
  user_agent: z.string().meta({ examples: ['Mozilla/5.0'] }),
}).meta({ id: 'FullSession', description: 'A session, and the client that started it.' })

const listedSession = fullSession.extend({
  created_at: time,
  current: z.boolean().meta({ description: 'Whether it is the session of this request.' }),
}).meta({ id: 'ListedSession', description: 'One of the sessions of the account.' })

const key = z.object({
  kid: z.string(),
  use: z.string().meta({ examples: ['sig'] }),
  alg: z.string().meta({ examples: ['RS256'] }),
  kty: z.string().meta({ examples: ['RSA'] }),
  n: z.string(),
  e: z.string().meta({ examples: ['AQAB'] }),
}).meta({ id: 'Key', description: 'The public half of a key that signs tokens (RFC 7517).' })

const output = {
  current: z.object({ user: userSchema, session: fullSession, subscription: subscriptionSchema }),
  status: z.object({ user: userSchema.nullable(), session: sessionSchema.nullable() }),
  token: z.object({
    token: z.string().meta({ description: 'A JSON Web Token, valid for an hour.' }),
  }),
  keys: z.object({ keys: z.array(key) }),
  list: z.array(listedSession),
}

/** The responses of better-auth. */
const reply = {
  keys: z.object({ keys: z.array(key.omit({ use: true })) }),
  list: z.array(betterAuthSession),
}

const fullSessionOf = (from: BetterAuthSession): z.output<typeof fullSession> => ({
  ...sessionOf(from),
  ip_address: from.ipAddress ?? '',
  user_agent: from.userAgent ?? '',
})

const listedSessionOf = (
  from: BetterAuthSession,
  current: BetterAuthSession,
): z.output<typeof listedSession> => ({
  ...fullSessionOf(from),
  created_at: from.createdAt.toISOString(),
  current: from.id === current.id,
})

/** Ends the session, and each other one whose cookie this browser sends: docs/front-ends.md. */
async function signOut(c: RouteContext): Promise<void> {
  const { db, engine: { context } } = c.var.services
  const others = c.var.isApp ? [] : sentSessionTokens(context, c.req.header('cookie'))
  await db.deleteFrom('auth.sessions').where('token', 'in', [callerOf(c).session.token, ...others])
    .execute()
  await withBetterAuth(c, (endpoint) => Promise.resolve(deleteSessionCookie(endpoint)))
}

export const sessionRoutes = [
  route('GET', '/get-session', {
    summary: 'Returns the signed-in user, the session and the plan.',
    description: 'Without a session the response is 401 `UNAUTHORIZED`.',
    input: nothing,
    rejects: ['UNAUTHORIZED'],
    sessionEffect: 'reads',
    output: output.current,
    handle: async (c) => {
      const { user, session } = callerOf(c)
      return {
        user: serialize(userSchema, user),
        session: fullSessionOf(session),
        subscription: await c.var.services.plans.status(user.id),
      }
    },
  }),
  route('GET', '/session-status', {
    summary: 'Returns the signed-in user and the session. Both are null for a guest.',
    description:
      'For the first request of a page: unlike `get-session`, it does not fail without a session.',
    input: nothing,
    credentials: [],
    sessionEffect: 'reads',
    output: output.status,
    handle: async (c) => {
      const caller = await c.var.services.identity.readSession(c)
      return caller === null
        ? { user: null, session: null }
        : { user: serialize(userSchema, caller.user), session: sessionOf(caller.session) }
    },
  }),
  route('POST', '/sign-out', {
    summary: 'Ends the session. Its tokens end with it.',
    input: nothing,
    sessionEffect: 'ends',
    output: done,
    handle: respondWith({ success: true }, signOut),
  }),
  route('POST', '/token', {
    summary: 'Issues a token for the data surface, valid for an hour.',
    description: 'It is valid for the active context: after `set-active` request a new one. ' +
      'A program sends an API key instead of the cookie, as `Authorization: Bearer fin_…`; the token then has the context and the role of the key.',
    input: nothing,
    rejects: ['SERVICE_BUSY'],
    credentials: ['session', 'apiKey'],
    // one statement, of the route that clients call most often
    isAtomic: false,
    output: output.token,
    handle: async (c) => ({
      token: c.var.apiKey === undefined
        ? await issueSessionToken(c)
        : await issueApiKeyToken(c, c.var.apiKey),
    }),
  }),
  route('GET', '/jwks', {
    summary: 'Publishes the keys that verify tokens.',
    input: nothing,
    betterAuth: 'GET /jwks',
    credentials: [],
    // short, because a verifier with a cached set must load a new key before that key signs
    headers: { 'cache-control': 'public, max-age=60' },
    output: output.keys,
    handle: async (c, query) => {
      const { keys } = await callBetterAuth(c, reply.keys, query)
      return { keys: keys.map(({ kid, alg, kty, n, e }) => ({ kid, use: 'sig', alg, kty, n, e })) }
    },
  }),
  route('GET', '/list-sessions', {
    summary: 'Lists the sessions of the signed-in user.',
    input: nothing,
    betterAuth: 'GET /list-sessions',
    output: output.list,
    handle: async (c, query) => {
      const { session } = callerOf(c)
      return (await callBetterAuth(c, reply.list, query)).map((row) =>
        listedSessionOf(row, session)
      )
    },
  }),
  route('POST', '/revoke-session', {
    summary: 'Ends one session of the signed-in user.',
    input: input.revoke,
    example: { sessionId: exampleId },
    rejects: ['NOT_FOUND'],
    output: done,
    handle: async (c, { sessionId }) => {
      const revoked = await c.var.services.db.deleteFrom('auth.sessions').where(
        'id',
        '=',
        sessionId,
      )
        .where('userId', '=', callerOf(c).user.id).executeTakeFirst()
      if (revoked.numDeletedRows !== 1n) reject('NOT_FOUND')
      return { success: true }
    },
  }),
  route('POST', '/revoke-other-sessions', {
    summary: 'Ends all sessions of the signed-in user except the current one.',
    input: nothing,
    betterAuth: 'POST /revoke-other-sessions',
    output: done,
    handle: respondWith({ success: true }, passToBetterAuth),
  }),
]

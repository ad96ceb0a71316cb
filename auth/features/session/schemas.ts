/** Schemas of accounts and sessions. Fields of the database are camelCase, those of responses snake_case. */
import { z } from 'zod'
import type { RouteContext } from '../../route.ts'
import { address, id, rowId, serialize, time } from '../fields.ts'

export const input = { revoke: z.object({ sessionId: id }) }

export const user = z.object({
  id: rowId,
  email: address,
  name: z.string().meta({ examples: ['Ann'] }),
  email_verified: z.boolean().meta({ description: 'false until the link of the verification mail is opened.' }),
  created_at: time,
  updated_at: time,
}).meta({ id: 'User', description: 'An account.' })

export const newSession = z.object({ id: rowId, user_id: rowId, expires_at: time })
  .meta({ id: 'NewSession', description: 'The session that sign-up began.' })

export const session = newSession.extend({
  active_organization_id: z.string().nullable().meta({ description: 'null in the personal context.' }),
}).meta({ id: 'Session', description: 'A session and the context it works in.' })

const fullSession = session.extend({
  ip_address: z.string().meta({ examples: ['203.0.113.7'] }),
  user_agent: z.string().meta({ examples: ['Mozilla/5.0'] }),
}).meta({ id: 'FullSession', description: 'A session, and where it was begun.' })

const listedSession = fullSession.extend({
  created_at: time,
  current: z.boolean().meta({ description: 'Whether it is the session that asks.' }),
}).meta({ id: 'ListedSession', description: 'One of the sessions of the account.' })

const subscription = z.object({
  isSubscribed: z.boolean(),
  productId: z.string().nullable().meta({ description: 'The product of the active plan; null without one.', examples: ['teams'] }),
}).meta({ id: 'SubscriptionStatus', description: 'What the person has paid for.' })

const key = z.object({
  kid: z.string(),
  use: z.string().meta({ examples: ['sig'] }),
  alg: z.string().meta({ examples: ['RS256'] }),
  kty: z.string().meta({ examples: ['RSA'] }),
  n: z.string(),
  e: z.string().meta({ examples: ['AQAB'] }),
}).meta({ id: 'Key', description: 'The public half of a key that signs tokens (RFC 7517).' })

export const output = {
  signedIn: z.object({ user, session, subscription }),
  current: z.object({ user, session: fullSession, subscription }),
  token: z.object({ token: z.string().meta({ description: 'A JSON Web Token, valid for an hour.' }) }),
  keys: z.object({ keys: z.array(key) }),
  list: z.array(listedSession),
}

const betterAuthUser = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  emailVerified: z.boolean(),
  createdAt: z.coerce.date(),
  updatedAt: z.coerce.date(),
})
const betterAuthSession = z.object({
  id: z.string(),
  userId: z.string(),
  activeOrganizationId: z.string().nullish(),
  expiresAt: z.coerce.date(),
  createdAt: z.coerce.date(),
  ipAddress: z.string().nullish(),
  userAgent: z.string().nullish(),
})

/** The responses of better-auth. */
export const reply = {
  signedIn: z.object({ user: betterAuthUser, session: betterAuthSession }),
  keys: z.object({ keys: z.array(key.omit({ use: true })) }),
  list: z.array(betterAuthSession),
}

type User = z.output<typeof betterAuthUser>
type Session = z.output<typeof betterAuthSession>

// written out, because exports and clients know the fields in this order, which is not the schema's
const sessionOf = (from: Session): z.output<typeof session> => ({
  id: from.id,
  user_id: from.userId,
  active_organization_id: from.activeOrganizationId ?? null,
  expires_at: from.expiresAt.toISOString(),
})

export const fullSessionOf = (from: Session): z.output<typeof fullSession> => ({
  ...sessionOf(from),
  ip_address: from.ipAddress ?? '',
  user_agent: from.userAgent ?? '',
})

export const listedSessionOf = (from: Session, current: Session): z.output<typeof listedSession> => ({
  ...fullSessionOf(from),
  created_at: from.createdAt.toISOString(),
  current: from.id === current.id,
})

/** Returns the response of a sign-in, with the user's plan. */
export const signedIn = async (c: RouteContext, from: { user: User, session: Session }): Promise<z.output<typeof output.signedIn>> => ({
  user: serialize(user, from.user),
  session: sessionOf(from.session),
  subscription: await c.var.services.plans.status(from.user.id),
})

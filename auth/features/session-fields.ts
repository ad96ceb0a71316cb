/** The schemas of accounts and sessions that several features share. */
import { z } from 'zod'
import { address, rowId, time } from '../../http/fields.ts'

export const userSchema = z.object({
  id: rowId,
  email: address,
  name: z.string().meta({ examples: ['Ann'] }),
  email_verified: z.boolean().meta({
    description: 'false before the user opens the link of the verification mail.',
  }),
  created_at: time,
  updated_at: time,
}).meta({ id: 'User', description: 'An account.' })

export const newSession = z.object({ id: rowId, user_id: rowId, expires_at: time })
  .meta({ id: 'NewSession', description: 'The session that sign-up started.' })

export const sessionSchema = newSession.extend({
  active_organization_id: z.string().nullable().meta({
    description: 'null in the personal context.',
  }),
}).meta({ id: 'Session', description: 'A session and its active context.' })

export const subscriptionSchema = z.object({
  isSubscribed: z.boolean(),
  productId: z.string().nullable().meta({
    description: 'The product of the active plan; null without one.',
    examples: ['teams'],
  }),
}).meta({ id: 'SubscriptionStatus', description: 'The active plan of the user.' })

/** The response of every route that signs a user in. */
export const signInOutput = z.object({
  user: userSchema,
  session: sessionSchema,
  subscription: subscriptionSchema,
})

const betterAuthUser = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  emailVerified: z.boolean(),
  createdAt: z.coerce.date(),
  updatedAt: z.coerce.date(),
})
export const betterAuthSession = z.object({
  id: z.string(),
  userId: z.string(),
  activeOrganizationId: z.string().nullish(),
  expiresAt: z.coerce.date(),
  createdAt: z.coerce.date(),
  ipAddress: z.string().nullish(),
  userAgent: z.string().nullish(),
})

/** The response of better-auth's endpoints that sign a user in. */
export const signInReply = z.object({ user: betterAuthUser, session: betterAuthSession })

export type BetterAuthSession = z.output<typeof betterAuthSession>

// written out, because exports and clients know the fields in this order, which is not the schema's
export const sessionOf = (from: BetterAuthSession): z.output<typeof sessionSchema> => ({
  id: from.id,
  user_id: from.userId,
  active_organization_id: from.activeOrganizationId ?? null,
  expires_at: from.expiresAt.toISOString(),
})

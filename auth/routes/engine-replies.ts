/** What the engine answers, in its own words. */
import { z } from 'zod'
import { accountEventKinds, membershipEventKinds } from '../events.ts'
import { givenRoleNames, roleNames } from '../roles.ts'
import { wire } from './wire.ts'

const user = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  emailVerified: z.boolean(),
  image: z.string().nullish(),
  createdAt: z.coerce.date(),
  updatedAt: z.coerce.date(),
})
const session = z.object({
  id: z.string(),
  userId: z.string(),
  activeOrganizationId: z.string().nullish(),
  expiresAt: z.coerce.date(),
  createdAt: z.coerce.date(),
  ipAddress: z.string().nullish(),
  userAgent: z.string().nullish(),
})
const organization = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  logo: z.string().nullish(),
  metadata: z.unknown().optional(),
  createdAt: z.coerce.date(),
  updatedAt: z.coerce.date().nullish(),
})
const organizationWithRole = organization.extend({ role: z.enum(roleNames) })
const member = z.object({
  id: z.string(),
  userId: z.string(),
  organizationId: z.string(),
  role: z.enum(roleNames),
  createdAt: z.coerce.date(),
  user: z.object({ id: z.string(), name: z.string(), email: z.string(), image: z.string().nullish() }).optional(),
})
const invitation = z.object({
  id: z.string(),
  organizationId: z.string(),
  email: z.string(),
  role: z.enum(givenRoleNames),
  inviterId: z.string(),
  status: z.enum(['pending', 'accepted', 'rejected', 'canceled']),
  expiresAt: z.coerce.date(),
  createdAt: z.coerce.date(),
  organizationName: z.string().optional(),
})

const event = z.object({ id: z.string(), happenedAt: z.coerce.date() })
const accountEvent = event.extend({
  kind: z.enum(accountEventKinds),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  detail: z.object({ newDevice: z.boolean(), name: z.string(), email: z.string(), previousEmail: z.string() }).partial(),
})
const membershipEvent = event.extend({
  kind: z.enum(membershipEventKinds),
  userId: z.string().nullable(),
  userName: z.string().nullable(),
  actorId: z.string().nullable(),
  actorName: z.string().nullable(),
  detail: z.object({ role: z.enum(roleNames), previousRole: z.enum(roleNames) }).partial(),
})
const provider = z.object({ id: z.string(), providerId: z.string(), accountId: z.string(), createdAt: z.coerce.date() })
const passkey = z.object({
  id: z.string(),
  name: z.string(),
  backedUp: z.boolean(),
  createdAt: z.coerce.date(),
  lastUsedAt: z.coerce.date().nullable(),
})
const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string(),
  organizationId: z.string().nullable(),
  role: z.enum(givenRoleNames),
  createdAt: z.coerce.date(),
  expiresAt: z.coerce.date(),
  lastUsedAt: z.coerce.date().nullable(),
})

/** The engine's replies by name. A reply of another form is a defect and ends as INTERNAL_ERROR. */
export const engineReplies = {
  done: z.unknown(),
  user,
  session,
  signedIn: z.object({ user: user, session: session }),
  // the engine says nothing of the plan; its shortcut does
  current: z.object({ user: user, session: session, plan: z.object({ isSubscribed: z.boolean(), productId: z.string().nullable() }).optional() }),
  token: z.object({ token: z.string() }),
  keys: z.object({ keys: z.array(z.object({ kid: z.string(), alg: z.string(), kty: z.string(), n: z.string(), e: z.string() })) }),
  sessions: z.array(session),
  organization,
  organizationWithRole,
  organizations: z.array(organizationWithRole),
  members: z.object({ members: z.array(member) }),
  member,
  memberChanged: z.object({ member: member }),
  invitation,
  invitations: z.array(invitation),
  invitationOfLink: invitation.extend({ organizationName: z.string(), inviterName: z.string(), isForCaller: z.boolean() }),
  invitationAnswered: z.object({ invitation: invitation, member: member.nullish() }),
  accountEvent,
  accountEvents: z.array(accountEvent),
  membershipEvent,
  membershipEvents: z.array(membershipEvent),
  twoFactor: z.object({ enabled: z.boolean(), backupCodesLeft: z.number() }),
  twoFactorBegun: z.object({ totpUri: z.string(), backupCodes: z.array(z.string()) }),
  backupCodes: z.object({ backupCodes: z.array(z.string()) }),
  passkey,
  passkeys: z.object({ passkeys: z.array(passkey), required: z.boolean(), hasPassword: z.boolean() }),
  passkeyCreation: wire.passkeyCreation,
  passkeyRequest: wire.passkeyRequest,
  signInMethods: z.object({
    password: z.boolean(),
    signUp: z.enum(['open', 'invitation', 'closed']),
    oidc: z.object({ name: z.string(), signUp: z.boolean() }).nullable(),
  }),
  provider,
  providers: z.array(provider),
  providerAsked: z.object({ url: z.string() }),
  apiKeys: z.array(apiKey),
  newApiKey: apiKey.extend({ key: z.string() }),
}

/** A reply as it has been parsed. */
export type EngineReply<Name extends keyof typeof engineReplies> = z.output<typeof engineReplies[Name]>

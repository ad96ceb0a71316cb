/**
 * What a client receives. The engine's camelCase becomes the wire's snake_case here, and a field that is not presented does not
 * leave the service. No I/O.
 */
import type { SubscriptionStatus } from '../plans.ts'
import { plainName } from '../plain-text.ts'
import type { EngineReply } from './engine-replies.ts'
import type { Wire } from './wire.ts'

const time = (value: Date): string => value.toISOString()

/** Source: interface "User". `image` is seen in member listings only, and where it is set. */
export const user = (from: EngineReply<'user'>): Wire<'user'> => ({
  id: from.id,
  email: from.email,
  name: from.name,
  email_verified: from.emailVerified,
  created_at: time(from.createdAt),
  updated_at: time(from.updatedAt),
})

/** Source: interface "POST /sign-up/email". */
export const newSession = (from: EngineReply<'session'>): Wire<'newSession'> => ({ id: from.id, user_id: from.userId, expires_at: time(from.expiresAt) })

/** Source: interface "Session", as sign-in returns it. */
export const session = (from: EngineReply<'session'>): Wire<'session'> => ({
  id: from.id,
  user_id: from.userId,
  active_organization_id: from.activeOrganizationId ?? null,
  expires_at: time(from.expiresAt),
})

/** Source: interface "Session", as get-session returns it. */
export const fullSession = (from: EngineReply<'session'>): Wire<'fullSession'> => ({
  ...session(from),
  ip_address: from.ipAddress ?? '',
  user_agent: from.userAgent ?? '',
})

/** One row of list-sessions. @param currentId the session that asks */
export const listedSession = (from: EngineReply<'session'>, currentId: string | undefined): Wire<'listedSession'> => ({
  ...fullSession(from),
  created_at: time(from.createdAt),
  current: from.id === currentId,
})

/** Source: interface "Subscription status object", whose fields are camelCase on the wire. */
export const subscription = ({ isSubscribed, productId }: SubscriptionStatus): Wire<'subscription'> => ({ isSubscribed, productId })

/** Source: interface "POST /sign-in/email". */
export const signedIn = (from: EngineReply<'signedIn'>, { loaded: plan }: { loaded: SubscriptionStatus }): Wire<'signedIn'> => ({
  user: user(from.user),
  session: session(from.session),
  subscription: subscription(plan),
})

// the engine hands metadata out as the text it stored, or as the object it was given
const metadataObject = (value: unknown): Record<string, unknown> => (typeof value === 'string' && value !== '' ? JSON.parse(value) : value) ?? {}

/** Source: interface "Organization". */
export const organization = (from: EngineReply<'organization'>): Wire<'organization'> => ({
  id: from.id,
  name: from.name,
  slug: from.slug,
  logo: from.logo ?? null,
  metadata: metadataObject(from.metadata),
  created_at: time(from.createdAt),
})

/** Source: interface "PATCH /organization/update": with `updated_at`. */
export const updatedOrganization = (from: EngineReply<'organization'>): Wire<'updatedOrganization'> => ({
  ...organization(from),
  updated_at: time(from.updatedAt ?? from.createdAt),
})

/** Source: interface "GET /organization/list": with the caller's `role`. */
export const organizationWithRole = (from: EngineReply<'organizationWithRole'>): Wire<'organizationWithRole'> => ({ ...organization(from), role: from.role })

/** Source: interface "Member". */
export const member = (from: EngineReply<'member'>): Wire<'member'> => ({
  id: from.id,
  user_id: from.userId,
  organization_id: from.organizationId,
  role: from.role,
  ...(from.user === undefined ? {} : { user: { id: from.user.id, name: from.user.name, email: from.user.email, image: from.user.image ?? null } }),
  created_at: time(from.createdAt),
})

/** Source: interface "Invitation". */
export const invitation = (from: EngineReply<'invitation'>): Wire<'invitation'> => ({
  id: from.id,
  organization_id: from.organizationId,
  email: from.email,
  role: from.role,
  inviter_id: from.inviterId,
  status: from.status,
  expires_at: time(from.expiresAt),
  created_at: time(from.createdAt),
  ...(from.organizationName === undefined ? {} : { organization_name: from.organizationName }),
})

/** One row of list-providers. */
export const provider = (from: EngineReply<'provider'>): Wire<'provider'> => ({
  id: from.id,
  issuer: from.providerId,
  subject: from.accountId,
  created_at: time(from.createdAt),
})

/** One passkey. Its key and its name among credentials are nobody's to read. */
export const passkey = (from: EngineReply<'passkey'>): Wire<'passkey'> => ({
  id: from.id,
  name: from.name,
  backed_up: from.backedUp,
  created_at: time(from.createdAt),
  last_used_at: from.lastUsedAt === null ? null : time(from.lastUsedAt),
})

/** An address as somebody who has it recognizes it, and nobody else learns it: `a…@example.org`. */
const addressHint = (email: string): string => email.replace(/^(.)[^@]*(?=@)/u, '$1…')

/**
 * What the link of an invitation tells whoever has it. Names are as mails have them; and they are today's, which are no business
 * of somebody who declined or was uninvited.
 * @param now decides whether one that nobody has answered is `expired`
 */
export function invitationOfLink(from: EngineReply<'invitationOfLink'>, now: Date): Wire<'invitationOfLink'> {
  const isNamed = from.status === 'pending' || from.status === 'accepted'
  return {
    id: from.id,
    organization_name: isNamed ? plainName(from.organizationName) : null,
    inviter_name: isNamed ? plainName(from.inviterName) : null,
    role: from.role,
    status: from.status === 'pending' && from.expiresAt <= now ? 'expired' : from.status,
    expires_at: time(from.expiresAt),
    email_hint: addressHint(from.email),
    is_for_caller: from.isForCaller,
  }
}

/** One row of list-events. */
export const accountEvent = ({ detail, ...from }: EngineReply<'accountEvent'>): Wire<'accountEvent'> => ({
  id: from.id,
  kind: from.kind,
  happened_at: time(from.happenedAt),
  ip_address: from.ipAddress,
  user_agent: from.userAgent,
  new_device: detail.newDevice,
  name: detail.name,
  email: detail.email,
  previous_email: detail.previousEmail,
})

const somebody = (id: string | null, name: string | null) => (id === null ? null : { id, name: name ?? '' })

/** One row of an organization's list-events. */
export const membershipEvent = ({ detail, ...from }: EngineReply<'membershipEvent'>): Wire<'membershipEvent'> => ({
  id: from.id,
  kind: from.kind,
  happened_at: time(from.happenedAt),
  user: somebody(from.userId, from.userName),
  actor: somebody(from.actorId, from.actorName),
  role: detail.role,
  previous_role: detail.previousRole,
})

/** A key of a program, without the key itself. */
export const apiKey = (from: EngineReply<'apiKeys'>[number]): Wire<'apiKey'> => ({
  id: from.id,
  name: from.name,
  hint: from.hint,
  organization_id: from.organizationId,
  role: from.role,
  created_at: time(from.createdAt),
  expires_at: time(from.expiresAt),
  last_used_at: from.lastUsedAt === null ? null : time(from.lastUsedAt),
})

/** A key that has just been made: the one answer that shows it. */
export const newApiKey = (from: EngineReply<'newApiKey'>): Wire<'newApiKey'> => ({ ...apiKey(from), key: from.key })

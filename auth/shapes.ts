/**
 * The wire shapes: what a client may send (schemas) and what it receives (presenters). Names cross from the engine's
 * camelCase to the wire's snake_case here and nowhere else; a field that is not presented does not leave the service.
 */
import { z } from 'zod'
import { metadata } from './metadata.ts'
import type { SubscriptionStatus } from './plan.ts'
import { givenRoleNames } from './roles.ts'

// ---- what is sent -----------------------------------------------------------------------------------------------

// names reach mail headers and other people's screens: one line, no control or direction-changing characters
const line = (max: number) => z.string().max(max).regex(/^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u, 'must be one line without control characters')
  .refine((value) => value.isWellFormed(), 'must be valid Unicode')
const name = line(200)
const id = z.string().min(1).max(128).regex(/^[\x21-\x7e]+$/, 'is not an identifier')
const token = z.string().min(1).max(2_048).regex(/^[\x21-\x7e]+$/, 'is not a token')
const url = z.url({ protocol: /^https?$/ }).max(2_048)
const slug = z.string().max(64).regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters and digits, joined by single hyphens')
// refused with codes of their own: see `problemOf`
const email = z.string().pipe(z.email('INVALID_EMAIL').max(254, 'INVALID_EMAIL')).transform((value) => value.toLowerCase())
const password = z.string().min(8, 'INVALID_PASSWORD').max(128, 'INVALID_PASSWORD')
// a password to check against may be anything that was once allowed
const givenPassword = z.string().max(128, 'INVALID_PASSWORD')

const organizationId = { organizationId: id }

export const schemas = {
  nothing: z.object({}),
  signUp: z.object({ email, password, name: name.default('') }),
  signIn: z.object({ email, password: givenPassword }),
  verifyEmail: z.object({ token }),
  disownAccount: z.object({ token }),
  forgetPassword: z.object({ email, redirectTo: z.string().max(2_048).optional() }),
  resetPassword: z.object({ token, password }),
  changePassword: z.object({ currentPassword: givenPassword, newPassword: password, revokeOtherSessions: z.boolean().default(true) }),
  updateUser: z.object({ name: name.optional(), image: url.nullable().optional() })
    .refine((input) => Object.keys(input).length > 0, 'name or image must be given'),
  email: z.object({ email }),
  session: z.object({ sessionId: id }),
  createOrganization: z.object({ name: name.min(1), slug: slug.optional(), logo: url.nullable().optional(), metadata: metadata.optional() }),
  organization: z.object(organizationId),
  updateOrganization: z.object({
    ...organizationId, name: name.min(1).optional(), slug: slug.optional(), logo: url.nullable().optional(), metadata: metadata.optional(),
  }).refine((input) => Object.keys(input).length > 1, 'name, slug, logo or metadata must be given'),
  setActive: z.object({ organizationId: id.nullable() }),
  inviteMember: z.object({ ...organizationId, email, role: z.enum(givenRoleNames) }),
  updateMemberRole: z.object({ ...organizationId, userId: id, role: z.enum(givenRoleNames) }),
  member: z.object({ ...organizationId, userId: id }),
  invitation: z.object({ invitationId: id }),
}

/** The first thing wrong with an input: our code and a sentence that names the field. Never repeats the value. */
export function problemOf(error: z.ZodError): { code: 'INVALID_EMAIL' | 'INVALID_PASSWORD' | 'VALIDATION_ERROR', message: string | undefined } {
  const [issue] = error.issues
  if (issue?.message === 'INVALID_EMAIL' || issue?.message === 'INVALID_PASSWORD') return { code: issue.message, message: undefined }
  const field = issue?.path.join('.') ?? ''
  const message = issue === undefined ? undefined : `${field === '' ? 'The request' : `The field ${field}`}: ${issue.message}.`
  return { code: 'VALIDATION_ERROR', message }
}

// ---- what is received -------------------------------------------------------------------------------------------

// the engine's own replies, as JSON (dates are ISO strings) or straight from its hooks (dates are Dates)
type Time = string | Date
const time = (value: Time): string => new Date(value).toISOString()

const nativeUser = z.object({
  id: z.string(), email: z.string(), name: z.string(), emailVerified: z.boolean(), image: z.string().nullish(), createdAt: z.coerce.date(), updatedAt: z.coerce.date(),
})
const nativeSession = z.object({
  id: z.string(), userId: z.string(), activeOrganizationId: z.string().nullish(), expiresAt: z.coerce.date(), createdAt: z.coerce.date(),
  ipAddress: z.string().nullish(), userAgent: z.string().nullish(),
})
const nativeOrganization = z.object({
  id: z.string(), name: z.string(), slug: z.string(), logo: z.string().nullish(), metadata: z.unknown().optional(), createdAt: z.coerce.date(), updatedAt: z.coerce.date().nullish(), role: z.string().optional(),
})
const nativeMember = z.object({
  id: z.string(), userId: z.string(), organizationId: z.string(), role: z.string(), createdAt: z.coerce.date(),
  user: z.object({ id: z.string(), name: z.string(), email: z.string(), image: z.string().nullish() }).optional(),
})
const nativeInvitation = z.object({
  id: z.string(), organizationId: z.string(), email: z.string(), role: z.string(), inviterId: z.string(), status: z.string(), expiresAt: z.coerce.date(), createdAt: z.coerce.date(),
  organizationName: z.string().optional(),
})

/** The engine's reply, parsed at the third border; a reply of another form is a defect and ends as INTERNAL_ERROR. */
export const native = {
  done: z.unknown(),
  user: nativeUser,
  signedIn: z.object({ user: nativeUser, session: nativeSession }),
  token: z.object({ token: z.string() }),
  keys: z.object({ keys: z.array(z.object({ kid: z.string(), alg: z.string(), kty: z.string(), n: z.string(), e: z.string() })) }),
  sessions: z.array(nativeSession),
  organization: nativeOrganization,
  organizations: z.array(nativeOrganization),
  members: z.object({ members: z.array(nativeMember) }),
  member: nativeMember,
  memberChanged: z.object({ member: nativeMember }),
  invitation: nativeInvitation,
  invitations: z.array(nativeInvitation),
  invitationAnswered: z.object({ invitation: nativeInvitation, member: nativeMember.nullish() }),
}

/** Source: interface "User". `image` is seen in member listings only, and where it is set. */
export const user = (from: z.output<typeof nativeUser>) => ({
  id: from.id, email: from.email, name: from.name, email_verified: from.emailVerified, created_at: time(from.createdAt), updated_at: time(from.updatedAt),
})

/** Source: interface "POST /sign-up/email". */
export const newSession = (from: z.output<typeof nativeSession>) => ({ id: from.id, user_id: from.userId, expires_at: time(from.expiresAt) })

/** Source: interface "Session", as sign-in returns it. */
export const session = (from: z.output<typeof nativeSession>) => ({
  id: from.id, user_id: from.userId, active_organization_id: from.activeOrganizationId ?? null, expires_at: time(from.expiresAt),
})

/** Source: interface "Session", as get-session returns it. */
export const fullSession = (from: z.output<typeof nativeSession>) => ({ ...session(from), ip_address: from.ipAddress ?? '', user_agent: from.userAgent ?? '' })

/** One row of list-sessions. @param currentId the session that asks */
export const listedSession = (from: z.output<typeof nativeSession>, currentId: string | undefined) => ({
  ...fullSession(from), created_at: time(from.createdAt), current: from.id === currentId,
})

/** Source: interface "Subscription status object", whose fields are camelCase on the wire. */
export const subscription = ({ isSubscribed, productId }: SubscriptionStatus) => ({ isSubscribed, productId })

// the engine hands metadata out as the text it stored, or as the object it was given
const metadataObject = (value: unknown): unknown => (typeof value === 'string' && value !== '' ? JSON.parse(value) : value) ?? {}

/** Source: interface "Organization". */
export const organization = (from: z.output<typeof nativeOrganization>) => ({
  id: from.id, name: from.name, slug: from.slug, logo: from.logo ?? null, metadata: metadataObject(from.metadata), created_at: time(from.createdAt),
})

/** Source: interface "PATCH /organization/update": with `updated_at`. */
export const updatedOrganization = (from: z.output<typeof nativeOrganization>) => ({
  ...organization(from), updated_at: time(from.updatedAt ?? from.createdAt),
})

/** Source: interface "GET /organization/list": with the caller's `role`. */
export const organizationWithRole = (from: z.output<typeof nativeOrganization>) => ({ ...organization(from), role: from.role })

/** Source: interface "Member". */
export const member = (from: z.output<typeof nativeMember>) => ({
  id: from.id, user_id: from.userId, organization_id: from.organizationId, role: from.role,
  ...(from.user === undefined ? {} : { user: { id: from.user.id, name: from.user.name, email: from.user.email, image: from.user.image ?? null } }),
  created_at: time(from.createdAt),
})

/** Source: interface "Invitation". */
export const invitation = (from: z.output<typeof nativeInvitation>) => ({
  id: from.id, organization_id: from.organizationId, email: from.email, role: from.role, inviter_id: from.inviterId,
  status: from.status, expires_at: time(from.expiresAt), created_at: time(from.createdAt),
  ...(from.organizationName === undefined ? {} : { organization_name: from.organizationName }),
})

/**
 * What a client receives: the answers of the auth surface. The presenters' types, the description (auth/openapi.ts) and the
 * tests' check of every answer are made of these. A name in `id` is the schema's in the description.
 */
import { z } from 'zod'
import { givenRoleNames, roleNames } from '../roles.ts'
import { exampleId } from './schemas.ts'

const id = z.string().meta({ examples: [exampleId] })
const time = z.iso.datetime().meta({ examples: ['2026-11-21T09:30:00.000Z'] })
const address = z.string().meta({ examples: ['ann@example.com'] })
const success = z.boolean().meta({ description: 'true', examples: [true] })

const user = z.object({
  id,
  email: address,
  name: z.string().meta({ examples: ['Ann'] }),
  email_verified: z.boolean().meta({ description: 'false until the link of the verification mail is opened.' }),
  created_at: time,
  updated_at: time,
}).meta({ id: 'User', description: 'An account.' })

const userWithImage = user.extend({ image: z.string().nullable() }).meta({ id: 'UserWithImage', description: 'An account with its picture.' })

const newSession = z.object({ id, user_id: id, expires_at: time }).meta({ id: 'NewSession', description: 'The session that sign-up began.' })

const session = newSession.extend({
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

const organization = z.object({
  id,
  name: z.string().meta({ examples: ['The Household'] }),
  slug: z.string().meta({ examples: ['the-household-1f2e3d4c'] }),
  logo: z.string().nullable().meta({ description: 'The address of a picture.' }),
  metadata: z.record(z.string(), z.unknown()).meta({ description: 'As it was sent; {} where none was.', examples: [{}] }),
  created_at: time,
}).meta({ id: 'Organization', description: 'A team.' })

const organizationWithRole = organization.extend({ role: z.enum(roleNames) })
  .meta({ id: 'OrganizationWithRole', description: 'A team, and what the caller is in it.' })

const organizationWithCount = organization.extend({ members_count: z.int().nonnegative() })
  .meta({ id: 'OrganizationWithCount', description: 'A team, and how many belong to it.' })

const updatedOrganization = organization.extend({ updated_at: time }).meta({ id: 'UpdatedOrganization', description: 'A team after its change.' })

const member = z.object({
  id,
  user_id: id,
  organization_id: id,
  role: z.enum(roleNames),
  user: z.object({ id, name: z.string(), email: address, image: z.string().nullable() }).optional()
    .meta({ description: 'Who it is; in the list of members, and where the answer is about one.' }),
  created_at: time,
}).meta({ id: 'Member', description: 'Somebody in a team.' })

const invitation = z.object({
  id,
  organization_id: id,
  email: address,
  role: z.enum(givenRoleNames),
  inviter_id: id,
  status: z.enum(['pending', 'accepted', 'rejected', 'canceled']),
  expires_at: time.meta({ description: 'Seven days after it was sent.' }),
  created_at: time,
  organization_name: z.string().optional().meta({ description: 'In the list of the invitations that somebody was sent.' }),
}).meta({ id: 'Invitation', description: 'An invitation to a team.' })

const invitationOfLink = z.object({
  id,
  organization_name: z.string().nullable().meta({
    description: 'As mails have it: one short line in which nothing is a link. null once the invitation was declined or taken back.',
    examples: ['The Household'],
  }),
  inviter_name: z.string().nullable().meta({ description: 'The same of who invites; may be empty.', examples: ['Ann'] }),
  role: z.enum(givenRoleNames),
  status: z.enum(['pending', 'accepted', 'rejected', 'canceled', 'expired']).meta({ description: 'Only one that is pending can be answered.' }),
  expires_at: time,
  email_hint: z.string().meta({ description: 'Enough of the invited address for its owner to know it.', examples: ['b…@example.com'] }),
  is_for_caller: z.boolean().meta({ description: 'Whether the one who asks is signed in with the invited address.' }),
}).meta({ id: 'InvitationOfLink', description: 'An invitation, as its link tells it.' })

const key = z.object({
  kid: z.string(),
  use: z.string().meta({ examples: ['sig'] }),
  alg: z.string().meta({ examples: ['RS256'] }),
  kty: z.string().meta({ examples: ['RSA'] }),
  n: z.string(),
  e: z.string().meta({ examples: ['AQAB'] }),
}).meta({ id: 'Key', description: 'The public half of a key that signs tokens (RFC 7517).' })

const apiKey = z.object({
  id,
  name: z.string().meta({ examples: ['Monthly report'] }),
  hint: z.string().meta({ description: 'How the key begins.', examples: ['fin_5xQ2'] }),
  organization_id: z.string().nullable().meta({ description: 'The team whose rows it reaches; null for the personal ones.' }),
  role: z.enum(givenRoleNames),
  created_at: time,
  expires_at: time,
  last_used_at: time.nullable().meta({ description: 'When it last got a token, to the minute; null before the first.' }),
}).meta({ id: 'ApiKey', description: 'A key of a program.' })

/** The answers by name. */
export const wire = {
  user,
  newSession,
  session,
  fullSession,
  listedSession,
  subscription,
  organization,
  organizationWithRole,
  organizationWithCount,
  updatedOrganization,
  member,
  invitation,
  done: z.object({ success }).meta({ id: 'Done', description: 'It is done.' }),
  told: z.object({ success, message: z.string() }).meta({ id: 'Told', description: 'It is done, and a sentence for the person.' }),
  deletionAsked: z.object({
    success,
    message: z.string(),
    organizations: z.array(z.object({
      id,
      name: z.string().meta({ examples: ['The Household'] }),
      successor: z.object({ id, name: z.string().meta({ examples: ['Bob'] }) }).nullable().meta({
        description: 'Who owns it then; null where nobody is left in it.',
      }),
    })).meta({ description: 'Those that the person owns.' }),
  }),
  signedUp: z.object({ user, session: newSession }),
  signedIn: z.object({ user, session, subscription }),
  current: z.object({ user, session: fullSession, subscription }),
  updatedUser: z.object({ user: userWithImage }),
  token: z.object({ token: z.string().meta({ description: 'A JSON Web Token, valid for an hour.' }) }),
  keys: z.object({ keys: z.array(key) }),
  sessions: z.array(listedSession),
  organizations: z.array(organizationWithRole),
  organizationDeleted: z.object({ success, organization }),
  activeSession: z.object({ session: session.pick({ id: true, active_organization_id: true }) }),
  members: z.array(member),
  memberChanged: z.object({ success, member }),
  invitations: z.array(invitation),
  invitationOfLink,
  invitationAnswered: z.object({ success, invitation }),
  invitationAccepted: z.object({ success, invitation, member: member.optional() }),
  apiKey,
  apiKeys: z.array(apiKey),
  newApiKey: apiKey.extend({ key: z.string().meta({ description: 'The key itself, which nobody can show again.' }) })
    .meta({ id: 'NewApiKey', description: 'A key that has just been made.' }),
}

/** An answer as it is sent. */
export type Wire<Name extends keyof typeof wire> = z.output<typeof wire[Name]>

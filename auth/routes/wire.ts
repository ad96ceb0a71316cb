/**
 * What a client receives: the answers of the auth surface. The presenters' types, the description (auth/openapi.ts) and the
 * tests' check of every answer are made of these. A name in `id` is the schema's in the description.
 */
import { z } from 'zod'
import { accountEventKinds, membershipEventKinds } from '../events.ts'
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

const accountEvent = z.object({
  id,
  kind: z.enum(accountEventKinds),
  happened_at: time,
  ip_address: z.string().nullable().meta({ description: 'null where it was done without a request.', examples: ['203.0.113.7'] }),
  user_agent: z.string().nullable().meta({ examples: ['Mozilla/5.0'] }),
  new_device: z.boolean().optional().meta({ description: 'Of a sign-in: whether there was none before of this program in this network.' }),
  name: z.string().optional().meta({ description: 'What was added or removed, where it has a name.', examples: ['My phone'] }),
  email: address.optional(),
  previous_email: address.optional(),
}).meta({ id: 'AccountEvent', description: 'Something that happened in an account.' })

const somebody = z.object({ id, name: z.string().meta({ examples: ['Ann'] }) }).nullable()

const membershipEvent = z.object({
  id,
  kind: z.enum(membershipEventKinds),
  happened_at: time,
  user: somebody.meta({ description: 'Whom it is about; null once their account is deleted.' }),
  actor: somebody.meta({ description: 'Who did it; null where nobody is known, and once their account is deleted.' }),
  role: z.enum(roleNames).optional().meta({ description: 'Of who joined, and of who has another role: the new one.' }),
  previous_role: z.enum(roleNames).optional(),
}).meta({ id: 'MembershipEvent', description: 'Something that happened to who belongs to a team.' })

const provider = z.object({
  id,
  issuer: z.string().meta({ description: 'The address by which the provider says who it is.', examples: ['https://login.example.org'] }),
  subject: z.string().meta({ description: 'Who the person is there.', examples: ['9f1c2d'] }),
  created_at: time,
}).meta({ id: 'LinkedProvider', description: 'Somebody at a provider of single sign-on, who signs in to the account.' })

const backupCodes = z.array(z.string()).meta({ description: 'Each works once. They are not shown again.', examples: [['mz2k-q4tn-x7ab-c5dw']] })

const passkey = z.object({
  id,
  name: z.string().meta({ examples: ['Phone'] }),
  backed_up: z.boolean().meta({ description: 'Whether it is synchronized between devices, and so survives the loss of one.' }),
  created_at: time,
  last_used_at: time.nullable().meta({ description: 'null before the first sign-in with it.' }),
}).meta({ id: 'Passkey', description: 'A passkey.' })

const credential = z.object({ type: z.enum(['public-key']), id: z.string() })

const passkeyCreation = z.object({
  rp: z.object({ id: z.string().meta({ examples: ['app.example.com'] }), name: z.string() }),
  user: z.object({ id: z.string(), name: address, displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ type: z.enum(['public-key']), alg: z.int() })),
  timeout: z.int(),
  excludeCredentials: z.array(credential),
  authenticatorSelection: z.object({ residentKey: z.enum(['required']), requireResidentKey: z.boolean(), userVerification: z.enum(['required']) }),
  attestation: z.enum(['none']),
}).meta({ id: 'PasskeyCreation', description: 'PublicKeyCredentialCreationOptionsJSON of WebAuthn.' })

const passkeyRequest = z.object({ challenge: z.string(), rpId: z.string(), timeout: z.int(), userVerification: z.enum(['required']) })
  .meta({ id: 'PasskeyRequest', description: 'PublicKeyCredentialRequestOptionsJSON of WebAuthn.' })

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
  accountEvent,
  accountEvents: z.array(accountEvent),
  membershipEvent,
  membershipEvents: z.array(membershipEvent),
  twoFactor: z.object({ enabled: z.boolean(), backup_codes_left: z.int().nonnegative() }),
  twoFactorBegun: z.object({
    totp_uri: z.string().meta({ description: 'For a QR code; `secret` in its query is what a person types instead.' }),
    backup_codes: backupCodes,
  }),
  backupCodes: z.object({ backup_codes: backupCodes }),
  passkey,
  passkeys: z.object({
    passkeys: z.array(passkey),
    required: z.boolean().meta({ description: 'Whether the password alone no longer signs in.' }),
    has_password: z.boolean().meta({ description: 'false where no password signs in at all.' }),
  }),
  passkeyCreation,
  passkeyRequest,
  signInMethods: z.object({
    password: z.boolean().meta({ description: 'true' }),
    sign_up: z.enum(['open', 'invitation', 'closed']).meta({ description: 'Who may make an account, as `SIGN_UP` says.' }),
    oidc: z.object({
      name: z.string().meta({ description: 'What people call the provider.', examples: ['Authelia'] }),
      sign_up: z.boolean().meta({ description: 'Whether who has no account is given one by it.' }),
    }).nullable().meta({ description: 'The provider of single sign-on; null without one.' }),
  }).meta({ id: 'SignInMethods', description: 'How one signs in here.' }),
  provider,
  providers: z.array(provider),
  providerAsked: z.object({ url: z.string().meta({ description: 'At the provider.', examples: ['https://login.example.org/authorize'] }) }),
  apiKey,
  apiKeys: z.array(apiKey),
  newApiKey: apiKey.extend({ key: z.string().meta({ description: 'The key itself, which nobody can show again.' }) })
    .meta({ id: 'NewApiKey', description: 'A key that has just been made.' }),
}

/** An answer as it is sent. */
export type Wire<Name extends keyof typeof wire> = z.output<typeof wire[Name]>

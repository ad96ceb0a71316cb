/**
 * Endpoints of the contract that the engine lacks or cannot do in one step. They are the engine's own kind, so that its
 * rate limits, origin check and sessions stand in front of them as in front of every other.
 */
import type { BetterAuthPlugin } from 'better-auth'
import { createAuthEndpoint, getSessionFromCtx, sessionMiddleware } from 'better-auth/api'
import { z } from 'zod'
import type { Config } from '../config.ts'
import type { Plans } from '../plans.ts'
import type { AuthDatabase } from '../database.ts'
import type { RoleName } from '../roles.ts'
import { roles } from './access-control.ts'
import { apiKeyEndpoints } from './api-keys.ts'
import { changeEmailEndpoints, type ChangeEmailParts } from './change-email.ts'
import { deleteAccountEndpoints } from './delete-account.ts'
import { disown } from './disown.ts'
import { eventEndpoints } from './events.ts'
import { newId } from './new-id.ts'
import { oidcEndpoints, type OidcParts } from './oidc.ts'
import { passkeyEndpoints } from './passkeys.ts'
import { refuse } from './refuse.ts'

export type EndpointParts = ChangeEmailParts & OidcParts & {
  config: Config
  plans: Plans
  /** BETTER_AUTH_SECRET, with which the tokens that disown an account are signed. */
  secret: string
}

/**
 * Passes the ownership on: the owner becomes an admin, the member becomes the owner, in one transaction.
 * @throws APIError FORBIDDEN when the caller is not the owner, NOT_FOUND when the other is no member
 */
async function transferOwnership(db: AuthDatabase, organizationId: string, from: string, to: string) {
  return db.transaction().execute(async (trx) => {
    const update = (userId: string, role: string) =>
      trx.updateTable('auth.members').set({ role })
        .where('organizationId', '=', organizationId).where('userId', '=', userId)
    const demoted = await update(from, 'admin').where('role', '=', 'owner').executeTakeFirst()
    if (demoted.numUpdatedRows !== 1n) refuse('FORBIDDEN')
    const promoted = await update(to, 'owner').returningAll().executeTakeFirst()
    if (promoted === undefined) refuse('NOT_FOUND')
    return promoted
  })
}

type NewOrganization = { id: string, name: string, slug: string, logo?: string | null | undefined, metadata?: Record<string, unknown> | undefined }

/**
 * An organization and its owner, or neither. The limit of five is a trigger of auth.members, which holds however many
 * requests arrive at once.
 */
async function createOrganization(db: AuthDatabase, { metadata, logo, ...given }: NewOrganization, owner: { id: string, userId: string }) {
  return db.transaction().execute(async (trx) => {
    const now = new Date()
    const organization = await trx.insertInto('auth.organizations')
      .values({ ...given, logo: logo ?? null, metadata: metadata === undefined ? null : JSON.stringify(metadata), createdAt: now })
      .returningAll().executeTakeFirstOrThrow()
    await trx.insertInto('auth.members').values({ ...owner, organizationId: given.id, role: 'owner', createdAt: now }).execute()
    return organization
  })
}

type OrganizationChange = {
  name?: string | undefined
  slug?: string | undefined
  logo?: string | null | undefined
  metadata?: Record<string, unknown> | undefined
}

/**
 * Changes what is given and leaves the rest. The engine's own endpoint stores first and then reads the metadata back with
 * a parser that turns dates into other dates and throws at a field named `constructor`.
 * @throws APIError FORBIDDEN when the caller's role does not allow it, NOT_FOUND when there is no such organization
 */
async function updateOrganization(db: AuthDatabase, userId: string, organizationId: string, { metadata, ...change }: OrganizationChange) {
  const member = await db.selectFrom('auth.members').select('role').where('organizationId', '=', organizationId).where('userId', '=', userId).executeTakeFirst()
  if (member === undefined) refuse('NOT_FOUND')
  if (!roles[member.role as RoleName].authorize({ organization: ['update'] }).success) refuse('FORBIDDEN')
  const updated = await db.updateTable('auth.organizations')
    .set({ ...change, ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }) })
    .where('id', '=', organizationId).returningAll().executeTakeFirst()
  return updated ?? refuse('NOT_FOUND')
}

/** The endpoints, as an engine plugin. */
export function endpoints({ db, plans, mailer, limits, secret, isTrustedUrl, domainProblem, addressProblem, config, log }: EndpointParts) {
  /** Invitations with their organization's name. */
  const invitations = db.selectFrom('auth.invitations')
    .innerJoin('auth.organizations', 'auth.organizations.id', 'auth.invitations.organizationId')
    .selectAll('auth.invitations').select('auth.organizations.name as organizationName')
  // forget-password and request-verification-email answer before anything is looked up, so that known and unknown addresses
  // cannot be told apart by time
  return {
    id: 'finance-endpoints',
    endpoints: {
      ...changeEmailEndpoints({ db, mailer, limits, domainProblem, addressProblem }),
      ...eventEndpoints(db),
      ...passkeyEndpoints({ db, appUrl: config.appUrl, origins: config.origins }),
      ...deleteAccountEndpoints({ db, mailer }),
      ...oidcEndpoints({ db, config, isTrustedUrl, log }),
      ...apiKeyEndpoints(db),

      forgetPassword: createAuthEndpoint('/forget-password', {
        method: 'POST',
        body: z.object({ email: z.email(), redirectTo: z.string().optional() }),
      }, async (context) => {
        const { email, redirectTo } = context.body
        if (redirectTo !== undefined && !isTrustedUrl(redirectTo)) refuse('FORBIDDEN')
        await mailer.requestPasswordReset(email, redirectTo)
        return context.json({ status: true })
      }),

      requestVerificationEmail: createAuthEndpoint('/request-verification-email', {
        method: 'POST',
        body: z.object({ email: z.email() }),
      }, async (context) => {
        await mailer.requestVerification(context.body.email)
        return context.json({ status: true })
      }),

      disownAccount: createAuthEndpoint('/disown-account', {
        method: 'POST',
        body: z.object({ token: z.string() }),
      }, async (context) => {
        const outcome = await disown(db, secret, context.body.token)
        if (outcome === 'invalid') refuse('INVALID_TOKEN')
        if (outcome === 'verified') refuse('ALREADY_VERIFIED')
        return context.json({ status: true })
      }),

      createWithOwner: createAuthEndpoint('/organization/create-with-owner', {
        method: 'POST',
        body: z.object({ name: z.string(), slug: z.string(), logo: z.string().nullish(), metadata: z.record(z.string(), z.unknown()).optional() }),
        use: [sessionMiddleware],
      }, async (context) => {
        const { user } = context.context.session
        if (!user.emailVerified) refuse('EMAIL_NOT_VERIFIED')
        if (!await plans.mayCreateOrganizations(user.id)) refuse('SUBSCRIPTION_REQUIRED')
        return context.json(
          await createOrganization(db, { ...context.body, id: newId(context.context, 'organization') }, {
            id: newId(context.context, 'member'),
            userId: user.id,
          }),
        )
      }),

      // one query for what natively takes one an organization, and with the caller's role
      listOrganizationsWithRole: createAuthEndpoint('/organization/list-with-role', {
        method: 'GET',
        use: [sessionMiddleware],
      }, async (context) =>
        context.json(
          await db.selectFrom('auth.members')
            .innerJoin('auth.organizations', 'auth.organizations.id', 'auth.members.organizationId')
            .selectAll('auth.organizations').select('auth.members.role')
            .where('auth.members.userId', '=', context.context.session.user.id)
            .orderBy('auth.organizations.createdAt').orderBy('auth.organizations.id').execute(),
        )),

      updateAsGiven: createAuthEndpoint('/organization/update-as-given', {
        method: 'POST',
        body: z.object({
          organizationId: z.string(),
          name: z.string().optional(),
          slug: z.string().optional(),
          logo: z.string().nullish(),
          metadata: z.record(z.string(), z.unknown()).optional(),
        }),
        use: [sessionMiddleware],
      }, async (context) => {
        const { organizationId, ...change } = context.body
        return context.json(await updateOrganization(db, context.context.session.user.id, organizationId, change))
      }),

      // by the id alone, which is random and reaches the world in one mail: who has the link may know what it is before signing in
      invitationOfLink: createAuthEndpoint('/organization/invitation-of-link', {
        method: 'GET',
        query: z.object({ invitationId: z.string() }),
      }, async (context) => {
        const invitation = await invitations.innerJoin('auth.users', 'auth.users.id', 'auth.invitations.inviterId').select('auth.users.name as inviterName')
          .where('auth.invitations.id', '=', context.query.invitationId).executeTakeFirst()
        if (invitation === undefined) refuse('NOT_FOUND')
        const current = await getSessionFromCtx(context)
        return context.json({ ...invitation, isForCaller: current?.user.email === invitation.email })
      }),

      // the engine refuses who is not verified yet, and an app asks on every load; to them nothing is shown
      listInvitationsOfCaller: createAuthEndpoint('/organization/list-invitations-of-caller', {
        method: 'GET',
        use: [sessionMiddleware],
      }, async (context) => {
        const { email, emailVerified } = context.context.session.user
        if (!emailVerified) return context.json([])
        return context.json(
          await invitations.where('auth.invitations.email', '=', email).where('auth.invitations.status', '=', 'pending')
            .orderBy('auth.invitations.createdAt').orderBy('auth.invitations.id').execute(),
        )
      }),

      transferOwnership: createAuthEndpoint('/organization/transfer-ownership', {
        method: 'POST',
        body: z.object({ organizationId: z.string(), userId: z.string() }),
        use: [sessionMiddleware],
      }, async (context) => {
        const { organizationId, userId } = context.body
        const owner = context.context.session.user.id
        if (userId === owner) refuse('VALIDATION_ERROR')
        return context.json(await transferOwnership(db, organizationId, owner, userId))
      }),

      revokeSessionById: createAuthEndpoint('/revoke-session-by-id', {
        method: 'POST',
        body: z.object({ sessionId: z.string() }),
        use: [sessionMiddleware],
      }, async (context) => {
        const revoked = await db.deleteFrom('auth.sessions').where('id', '=', context.body.sessionId)
          .where('userId', '=', context.context.session.user.id).executeTakeFirst()
        if (revoked.numDeletedRows !== 1n) refuse('NOT_FOUND')
        return context.json({ status: true })
      }),
    },
  } satisfies BetterAuthPlugin
}

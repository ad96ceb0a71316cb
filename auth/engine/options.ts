/**
 * Every option of better-auth, and the hooks in which it calls our code. services.ts passes the
 * hooks of the features.
 */
import type { BetterAuthOptions, GenericEndpointContext } from 'better-auth'
import { APIError, createAuthMiddleware, sendVerificationEmailFn } from 'better-auth/api'
import { jwt, organization, type JwtOptions } from 'better-auth/plugins'
import type { IdentityConfig } from '../config.ts'
import { basePath } from '../../common/contract.ts'
import { errorCodes } from '../../common/error-codes.ts'
import type { AuthDatabase, Connections } from '../../http/database.ts'
import { isRejection } from '../../http/errors.ts'
import { keyAdapter } from '../keys/signing-keys.ts'
import type { Log } from '../../common/log.ts'
import type { Mailer } from '../mail/mailer.ts'
import { clientAddressHeader, currentRequest, type RateLimit } from '../../http/policy.ts'
import { accessControl, roles } from '../roles.ts'
import {
  checkPasswordOfSession,
  checkVerifiedPassword,
  recordVerifiedHash,
  type Passwords,
} from './passwords.ts'
import type { Limits } from '../../http/rate-limits.ts'

/** Seconds from the issue of a token to its expiry. */
export const tokenLifetimeSeconds = 3_600

/**
 * Limit of verification mails per user: at sign-up, and at each sign-in until the address is
 * verified.
 */
const verificationMailLimit: RateLimit = { window: 900, max: 5 }

export type EngineParts = {
  config: IdentityConfig
  connections: Connections
  limits: Limits
  passwords: Pick<Passwords, 'hash' | 'verify'>
  mailer: Mailer
  log: Log
  disownToken: (userId: string) => Promise<string>
  /** Proves that the holder of the link reads the mails of the invited address. */
  invitationToken: (invitation: { id: string, email: string, expiresAt: Date }) => Promise<string>
  /** Runs before better-auth stores a new user. @throws Rejection */
  beforeUser: (email: string) => Promise<void>
  /** Runs before better-auth stores a session. @throws Rejection */
  beforeSession: (userId: string, endpoint: GenericEndpointContext | null) => Promise<void>
}

/**
 * Runs a hook of ours. better-auth passes on an APIError only and turns other errors into its own,
 * so a Rejection becomes an APIError.
 */
async function asApiError<Result>(hook: () => Promise<Result>): Promise<Result> {
  try {
    return await hook()
  } catch (error) {
    if (!isRejection(error)) throw error
    const [status, message] = errorCodes[error.code]
    throw new APIError(status, { code: error.code, message })
  }
}

/**
 * Refuses a request to any endpoint but the one that the current row names. Calls of our own code
 * have no request, and pass.
 */
const before = createAuthMiddleware(async (context) => {
  const { request, path } = context as { request?: Request, path: string }
  if (request === undefined) return
  const current = currentRequest.getStore()
  if (current?.policy.betterAuth !== `${request.method} ${path}`)
    throw new APIError(404, { code: 'NOT_FOUND' })
  // The policy has read the session, so better-auth does not read it again.
  if (current.caller !== undefined) context.context.session = current.caller
})

/**
 * Mails a new link to an unverified user who signs in, and responds with user and session on all
 * routes that start one.
 */
const after = createAuthMiddleware(async (context) => {
  const started = context.context.newSession
  const kind = currentRequest.getStore()?.policy.startsSession ?? 'no'
  if (kind === 'no' || !started) return undefined
  if (kind === 'sign-in' && !started.user.emailVerified)
    await sendVerificationEmailFn(context, started.user)
  return context.json({ user: started.user, session: started.session })
})

/**
 * Wraps a function that hashes a password. It throws if the row does not set hashesPassword, so
 * that no route bypasses the queue.
 */
const requireHashSlot =
  <Given, Result>(hash: (given: Given) => Promise<Result>) =>
  async (given: Given): Promise<Result> => {
    if (currentRequest.getStore()?.policy.hashesPassword !== true) {
      throw new Error(
        'A password is hashed without a slot in the hashing queue: the row of the route must set hashesPassword.',
      )
    }
    return hash(given)
  }

/**
 * Wraps a verification of a password. It throws if the row does not set guessesPassword, so that no
 * route can guess without a budget.
 */
const requireGuessBudget = (verify: Passwords['verify']): Passwords['verify'] => async (given) => {
  if (currentRequest.getStore()?.policy.guessesPassword !== true) {
    throw new Error(
      'A password is verified and no guess is counted: the row of the route must set guessesPassword.',
    )
  }
  return verify(given)
}

/** Options of better-auth's JWT plugin, for the signer and for the rotation of its keys. */
export const jwtOptions = (config: IdentityConfig, db: AuthDatabase) => ({
  schema: { jwks: { modelName: 'jwks' } },
  adapter: keyAdapter(db),
  jwks: { keyPairConfig: { alg: 'RS256', modulusLength: 2048 } },
  jwt: {
    issuer: config.publicUrl,
    audience: config.publicUrl,
    expirationTime: `${tokenLifetimeSeconds}s`,
  },
  // Otherwise every get-session would sign a token.
  disableSettingJwtHeader: true,
} satisfies JwtOptions)

/** The hooks of our own, before and after better-auth stores a row. */
const databaseHooks = (
  { connections: { db }, beforeUser, beforeSession }: EngineParts,
) => ({
  // runs for every new account, including those of single sign-on
  user: { create: { before: ({ email }) => asApiError(() => beforeUser(email)) } },
  account: { update: { before: () => asApiError(() => checkVerifiedPassword(db)) } },
  session: {
    // runs before the session is stored, so that a refused sign-in leaves no session
    create: {
      before: ({ userId }, endpoint) => asApiError(() => beforeSession(userId, endpoint)),
      after: ({ userId }) => asApiError(() => checkPasswordOfSession(db, userId)),
    },
    // Only set-active changes the active organization. better-auth would also change it when an
    // invitation is accepted.
    update: {
      before: (change, context) =>
        Promise.resolve(
          context?.path !== '/organization/accept-invitation' ||
            !('activeOrganizationId' in change),
        ),
    },
  },
} satisfies BetterAuthOptions['databaseHooks'])

/** The checks of origins, and the cookies. */
const advanced = (config: IdentityConfig) => ({
  // set explicitly, because better-auth disables both checks in tests
  disableOriginCheck: false,
  disableCSRFCheck: false,
  ipAddress: { ipAddressHeaders: [clientAddressHeader], ipv6Subnet: 64 },
  useSecureCookies: config.publicUrl.startsWith('https://'),
  // Browsers of apps on another site accept only partitioned cookies.
  ...(config.cookieSameSite === 'none' &&
    { defaultCookieAttributes: { sameSite: 'none', secure: true, partitioned: true } }),
  ...(config.cookieDomain === undefined
    ? {}
    : { crossSubDomainCookies: { enabled: true, domain: config.cookieDomain } }),
} satisfies BetterAuthOptions['advanced'])

/** Passwords, and the mailed link to a new one. */
const emailAndPassword = ({ connections: { db }, passwords, mailer }: EngineParts) => ({
  enabled: true,
  password: {
    hash: requireHashSlot(passwords.hash),
    verify: requireHashSlot(requireGuessBudget(recordVerifiedHash(passwords.verify))),
  },
  minPasswordLength: 8,
  maxPasswordLength: 128,
  resetPasswordTokenExpiresIn: 3_600,
  revokeSessionsOnPasswordReset: true,
  // An attacker who knew the old password may have created them.
  onPasswordReset: async ({ user }) => {
    for (const table of ['auth.api_keys', 'auth.webhooks', 'auth.calendars'] as const)
      await db.deleteFrom(table).where('userId', '=', user.id).execute()
    // better-auth deletes the sessions before the password changes, so a concurrent sign-in
    // with the old one could remain.
    await db.deleteFrom('auth.sessions').where('userId', '=', user.id).execute()
    // the other links to a new password
    await db.deleteFrom('auth.verifications').where('value', '=', user.id).execute()
  },
  sendResetPassword: ({ user, token, url }) =>
    mailer.passwordReset(
      user,
      token,
      new URL(url).searchParams.get('callbackURL') || undefined,
    ),
} satisfies BetterAuthOptions['emailAndPassword'])

/** The verification of addresses. */
const emailVerification = ({ limits, mailer, disownToken }: EngineParts) => ({
  sendOnSignUp: true,
  expiresIn: 86_400,
  sendVerificationEmail: async ({ user, token }) => {
    // Over the limit the user still signs in, without another mail.
    const { allowed } = await limits.consumeForAccount(
      'verification-mail',
      user.email,
      verificationMailLimit,
    )
    if (allowed) await mailer.verification(user, token, await disownToken(user.id))
  },
} satisfies BetterAuthOptions['emailVerification'])

/** Organizations, with their members and invitations. */
const organizations = ({ mailer, invitationToken }: EngineParts) =>
  organization({
    ac: accessControl,
    roles,
    creatorRole: 'owner',
    schema: {
      organization: {
        modelName: 'organizations',
        additionalFields: { updatedAt: { type: 'date', required: false, input: false } },
      },
      member: { modelName: 'members' },
      invitation: { modelName: 'invitations' },
    },
    // better-auth would insert the organization and its owner without a transaction. Ours is in
    // features/organization/organizations.ts.
    allowUserToCreateOrganization: false,
    // Triggers of auth.members and auth.invitations enforce the limits. better-auth only checks
    // them before the insert, which concurrent requests can pass.
    membershipLimit: Number.MAX_SAFE_INTEGER,
    invitationLimit: Number.MAX_SAFE_INTEGER,
    invitationExpiresIn: 7 * 86_400,
    requireEmailVerificationOnInvitation: true,
    sendInvitationEmail: async (invitation) => {
      const { id, email, invitation: { expiresAt } } = invitation
      await mailer.invitation(invitation, await invitationToken({ id, email, expiresAt }))
    },
  })

/** Returns all options. @param tokens those of the JWT plugin */
export const engineOptions = (
  parts: EngineParts,
  tokens: ReturnType<typeof jwtOptions>,
) => {
  const { config, log } = parts
  return {
    baseURL: config.publicUrl,
    basePath,
    secret: config.secret,
    trustedOrigins: config.origins.patterns,
    database: {
      db: parts.connections.engine,
      type: 'postgres',
      transaction: true,
      schemaName: 'auth',
    },
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      // The first argument is a fixed sentence. The other arguments can hold addresses and tokens,
      // so they are left out.
      log: (level, message) =>
        log[level === 'error' ? 'error' : 'warn'](
          { engine: message.replace(/[:<].*/s, '') },
          'engine',
        ),
    },
    // Errors reach serve-route.ts unchanged. Otherwise better-auth would print them with the
    // query's parameters.
    onAPIError: { throw: true },
    user: { modelName: 'users' },
    account: { modelName: 'accounts' },
    verification: { modelName: 'verifications', storeIdentifier: 'hashed' },
    // `confirmCaller` requires a fresh sign-in where we need one. better-auth would also require it
    // for the list of sessions.
    session: { modelName: 'sessions', cookieCache: { enabled: false }, freshAge: 0 },
    databaseHooks: databaseHooks(parts),
    advanced: advanced(config),
    // http/serve-route.ts applies the limits of all routes
    rateLimit: { enabled: false },
    emailAndPassword: emailAndPassword(parts),
    emailVerification: emailVerification(parts),
    hooks: { before, after },
    plugins: [organizations(parts), jwt(tokens)],
  } satisfies BetterAuthOptions
}

/**
 * The one better-auth instance: every option of the engine is set here and nowhere else. What the engine does not decide
 * itself it asks of the parts it is given.
 */
import { betterAuth } from 'better-auth'
import { createAuthMiddleware, getSessionFromCtx, sendVerificationEmailFn } from 'better-auth/api'
import { jwt, organization, type JwtOptions } from 'better-auth/plugins'
import { additions, limitAccount, refuse } from './additions.ts'
import { claimsOf, tokenLifetimeSeconds } from './claims.ts'
import { clientNetwork } from './client-address.ts'
import type { Config } from './config.ts'
import type { Connections } from './database.ts'
import { disownToken } from './disown.ts'
import type { Gate } from './gate.ts'
import { keyAdapter } from './keys.ts'
import { addressRules, otherAddressRule, type Limits, type Rule } from './limits.ts'
import type { Log } from './log.ts'
import type { Mailer } from './mail/mailer.ts'
import type { Plans } from './plan.ts'
import { accessControl, roles } from './roles.ts'
import { scopes } from './scope.ts'

/** Set by our border on every request, whatever the client sent; the engine believes nothing else. */
export const clientAddressHeader = 'x-finance-client-address'

/** Where the auth surface lives below base_url. */
export const basePath = '/api/auth'

export type EngineParts = {
  config: Config
  connections: Connections
  plans: Plans
  limits: Limits
  gate: Gate
  mailer: Mailer
  log: Log
}

/** Paths that ask for no session, and get-session, which is the question itself. */
const publicPaths = new Set([
  '/get-session',
  '/sign-up/email', '/sign-in/email', '/verify-email', '/disown-account', '/forget-password', '/request-verification-email', '/reset-password', '/jwks',
])

/** Paths that hash a password, and so pass the gate. */
const hashingPaths = new Set(['/sign-up/email', '/sign-in/email', '/reset-password', '/change-password'])

const field = (from: unknown, name: string): string | undefined => {
  const value = typeof from === 'object' && from !== null ? (from as Record<string, unknown>)[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** Whether a mailed link may lead there: our own origin, a trusted one, or a path of ours. */
function isTrustedUrl(config: Config, url: string): boolean {
  if (!URL.canParse(url, config.publicUrl)) return false
  const { origin, username, protocol } = new URL(url, config.publicUrl)
  return /^https?:$/.test(protocol) && username === '' && [config.publicUrl, ...config.trustedOrigins].includes(origin)
}

/** How tokens are made, for the engine and for the rotation of its keys. */
export const jwtOptions = (config: Config, { db, pool }: Connections) => ({
  schema: { jwks: { modelName: 'jwks' } },
  adapter: keyAdapter(pool),
  jwks: { keyPairConfig: { alg: 'RS256', modulusLength: 2048 } },
  jwt: {
    issuer: config.publicUrl,
    audience: config.publicUrl,
    expirationTime: `${tokenLifetimeSeconds}s`,
    definePayload: (subject: Parameters<typeof claimsOf>[1]) => claimsOf(db, subject),
  },
  // else every get-session would sign a token
  disableSettingJwtHeader: true,
} satisfies JwtOptions)

/** Builds the engine. */
export function createEngine({ config, connections, plans, limits, gate, mailer, log }: EngineParts) {
  const { engine: database, db } = connections
  const checkCaller = async (context: { path: string, body?: unknown, query?: unknown }, userId: string) => {
    const organizationId = field(context.body, 'organizationId') ?? field(context.query, 'organizationId')
    if (organizationId !== undefined) {
      // to an outsider an organization answers as if it did not exist; natively some routes even drop the active one
      const member = await db.selectFrom('auth.members').select('id')
        .where('organizationId', '=', organizationId).where('userId', '=', userId).executeTakeFirst()
      if (member === undefined) refuse('NOT_FOUND')
    }
    if (context.path === '/change-password') await limitAccount(limits, 'change-password', userId)
    if (context.path === '/organization/invite-member') await limitAccount(limits, 'invitation-mail', field(context.body, 'email'))
  }

  return betterAuth({
    baseURL: config.publicUrl,
    basePath,
    secret: config.secret,
    trustedOrigins: config.trustedOrigins,
    database: { db: database, type: 'postgres', transaction: true, schemaName: 'auth' },
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      // the engine's messages can hold addresses and tokens: their first argument is a fixed sentence, the rest is left out
      log: (level, message, ...details: unknown[]) => {
        const scope = scopes.getStore()
        const failure = details.find((detail) => detail instanceof Error)
        if (scope !== undefined && failure !== undefined) scope.failure ??= failure
        log[level === 'error' ? 'error' : 'warn']({ engine: message.replace(/[:<].*/s, '') }, 'engine')
      },
    },
    // what is not an answer of the engine comes to translate.ts as it is; the engine would print it, parameters and all
    onAPIError: { throw: true },
    user: { modelName: 'users' },
    account: { modelName: 'accounts' },
    verification: { modelName: 'verifications', storeIdentifier: 'hashed' },
    session: { modelName: 'sessions', cookieCache: { enabled: false } },
    advanced: {
      // said aloud, because the engine leaves both out where it believes to be under test
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [clientAddressHeader], ipv6Subnet: 64 },
      useSecureCookies: config.publicUrl.startsWith('https://'),
      ...(config.cookieDomain === undefined ? {} : { crossSubDomainCookies: { enabled: true, domain: config.cookieDomain } }),
    },
    rateLimit: {
      enabled: config.rateLimitEnabled,
      ...otherAddressRule,
      customRules: addressRules,
      customStorage: {
        consume: async (key: string, rule: Rule) => {
          const { allowed, retryAfterSeconds } = await limits.consume(`address|${key}`, rule)
          return { allowed, retryAfter: allowed ? null : retryAfterSeconds }
        },
      },
    },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 8,
      maxPasswordLength: 128,
      resetPasswordTokenExpiresIn: 3_600,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: ({ user, token, url }) =>
        mailer.passwordReset(user, token, new URL(url).searchParams.get('callbackURL') || undefined),
    },
    emailVerification: {
      sendOnSignUp: true,
      expiresIn: 86_400,
      sendVerificationEmail: async ({ user, token }) => {
        // over the limit a person still signs in; only the mail is not sent again
        const { allowed } = await limits.consumeForAccount('verification-mail', user.email)
        if (allowed) await mailer.verification(user, token, await disownToken(config.secret, user.id))
      },
    },
    hooks: {
      before: createAuthMiddleware(async (context) => {
        // our own calls of the engine, without a request, have passed this when they were queued
        if (context.request === undefined) return
        if (context.path === '/sign-in/email') await limitAccount(limits, 'sign-in', context.body?.email)
        else if (!publicPaths.has(context.path)) {
          // read once and kept by the engine for the rest of the request
          const current = await getSessionFromCtx(context)
          if (current === null) refuse('UNAUTHORIZED')
          const scope = scopes.getStore()
          if (scope !== undefined) scope.caller = { userId: current.user.id, sessionId: current.session.id }
          await checkCaller(context, current.user.id)
        }
        if (hashingPaths.has(context.path)) {
          const scope = scopes.getStore()
          const leave = await gate.enter(clientNetwork(context.request.headers.get(clientAddressHeader) ?? ''))
          if (scope === undefined) leave()
          else scope.leaveGate = leave
        }
      }),
      after: createAuthMiddleware(async (context) => {
        if (context.path !== '/sign-in/email' && context.path !== '/sign-up/email') return undefined
        const signedIn = context.context.newSession
        if (!signedIn) return undefined
        if (context.path === '/sign-in/email' && !signedIn.user.emailVerified) await sendVerificationEmailFn(context, signedIn.user)
        return context.json({ user: signedIn.user, session: signedIn.session })
      }),
    },
    plugins: [
      additions({ db, plans, mailer, limits, secret: config.secret, isTrustedUrl: (url) => isTrustedUrl(config, url) }),
      organization({
        ac: accessControl,
        roles,
        creatorRole: 'owner',
        schema: {
          organization: { modelName: 'organizations', additionalFields: { updatedAt: { type: 'date', required: false, input: false } } },
          member: { modelName: 'members' },
          invitation: { modelName: 'invitations' },
        },
        // natively two inserts without a transaction, and a limit that is only asked before them: see additions.ts
        allowUserToCreateOrganization: false,
        // a trigger of auth.members has the limit, because this is only asked before the insert
        membershipLimit: Number.MAX_SAFE_INTEGER,
        invitationLimit: 100,
        invitationExpiresIn: 7 * 86_400,
        requireEmailVerificationOnInvitation: true,
        sendInvitationEmail: (invitation) => mailer.invitation(invitation),
      }),
      jwt(jwtOptions(config, connections)),
    ],
  })
}

export type Engine = ReturnType<typeof createEngine>

/**
 * The one better-auth instance: every option of the engine is set here and nowhere else. What the engine does not decide
 * itself it asks of the parts it is given.
 */
import { runWithAdapter } from '@better-auth/core/context'
import { betterAuth, type AuthContext, type BetterAuthOptions } from 'better-auth'
import { router } from 'better-auth/api'
import { jwt, organization, type JwtOptions } from 'better-auth/plugins'
import type { Plans } from '../plans.ts'
import { basePath, type Config } from '../config.ts'
import type { AuthDatabase, Connections } from '../database.ts'
import { keyAdapter } from '../keys/adapter.ts'
import { createSigner } from '../keys/signer.ts'
import type { Log } from '../log.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Policy, RateLimit } from '../policy.ts'
import { addressProblem, domainProblem, signUpProblem } from '../sign-up.ts'
import { clientAddressHeader, requestContexts } from '../request-context.ts'
import { accessControl, roles } from './access-control.ts'
import { disownToken } from './disown.ts'
import { endpoints } from './endpoints.ts'
import { enforcement, inTurn } from './enforcement.ts'
import { createGuesses } from './guesses.ts'
import type { HashingQueue } from './hashing-queue.ts'
import type { Passwords } from './passwords.ts'
import { addressLimit, otherAddressLimit, type Limits } from './rate-limits.ts'
import { refuse } from './refuse.ts'
import { checkShownPassword, endUnlessShown, noting } from './shown-password.ts'
import { createShortcuts } from './shortcuts.ts'
import { claimsOf, tokenLifetimeSeconds } from './token-claims.ts'
import { twoFactor } from './two-factor.ts'

/** Per address of a person, however it comes to be sent: by sign-up, or by each sign-in until the address is verified. */
const verificationMailLimit: RateLimit = { window: 900, max: 5 }

export type EngineParts = {
  /** What is asked of the requests to each endpoint; an endpoint without a policy answers nobody. */
  policies: Policy[]
  config: Config
  connections: Connections
  plans: Plans
  limits: Limits
  hashingQueue: HashingQueue
  passwords: Pick<Passwords, 'hash' | 'verify'>
  mailer: Mailer
  log: Log
}

/** Whether a mailed link or a sign-in may lead there: our own origin, a trusted one, or a path of the app's; the rest of its origin may be somebody else's. */
function isTrustedUrl(config: Config, url: string): boolean {
  const app = new URL(`${config.appUrl}/`)
  if (!URL.canParse(url, app.href)) return false
  const { origin, username, protocol, pathname } = new URL(url, app)
  const isBesideApp = origin === app.origin && !`${pathname}/`.startsWith(app.pathname)
  return /^https?:$/.test(protocol) && username === '' && config.origins.trusts(origin) && !isBesideApp
}

/** How tokens are made, for the engine and for the rotation of its keys. */
export const jwtOptions = (config: Config, db: AuthDatabase) => ({
  schema: { jwks: { modelName: 'jwks' } },
  adapter: keyAdapter(db),
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

/**
 * The engine's handler. better-auth's own builds the router of all endpoints anew for each request, because its base URL and
 * trusted origins may depend on the request; ours do not.
 */
function handlerOf(context: AuthContext, options: BetterAuthOptions): (request: Request) => Promise<Response> {
  const { handler } = router(context, options)
  return async (request) => await runWithAdapter(context.adapter, () => handler(request))
}

/** Builds the engine. */
export async function createEngine({ policies, config, connections, plans, limits, hashingQueue, passwords, mailer, log }: EngineParts) {
  const { engine: database, db, pool } = connections
  const tokens = jwtOptions(config, db)
  const checkSignUp = async (email: string) => {
    const problem = await signUpProblem(config, db, email)
    if (problem !== undefined) refuse(problem)
  }
  const guesses = createGuesses(limits)
  const secondFactor = twoFactor({ db, guesses, policies, issuer: new URL(config.publicUrl).hostname })
  const engine = betterAuth({
    baseURL: config.publicUrl,
    basePath,
    secret: config.secret,
    trustedOrigins: config.origins.patterns,
    database: { db: database, type: 'postgres', transaction: true, schemaName: 'auth' },
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      // the engine's messages can hold addresses and tokens: their first argument is a fixed sentence, the rest is left out
      log: (level, message) => log[level === 'error' ? 'error' : 'warn']({ engine: message.replace(/[:<].*/s, '') }, 'engine'),
    },
    // what is not an answer of the engine comes to serve-route.ts as it is; the engine would print it, parameters and all
    onAPIError: { throw: true },
    user: { modelName: 'users' },
    account: { modelName: 'accounts' },
    verification: { modelName: 'verifications', storeIdentifier: 'hashed' },
    // what needs a fresh sign-in asks confirm-caller.ts; the engine would ask it of the list of sessions too
    session: { modelName: 'sessions', cookieCache: { enabled: false }, freshAge: 0 },
    databaseHooks: {
      // whichever way of the engine's leads to a new account
      user: { create: { before: ({ email }) => checkSignUp(email) } },
      account: { update: { before: () => checkShownPassword(db) } },
      session: {
        // before there is one, so that a password that is not enough leaves nothing behind
        create: { before: secondFactor.checkSession, after: (session) => endUnlessShown(db, session) },
        // only set-active changes the active organization; the engine's own accepting of an invitation would too
        update: {
          before: (change, context) => Promise.resolve(context?.path !== '/organization/accept-invitation' || !('activeOrganizationId' in change)),
        },
      },
    },
    advanced: {
      // said aloud, because the engine leaves both out where it believes to be under test
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [clientAddressHeader], ipv6Subnet: 64 },
      useSecureCookies: config.publicUrl.startsWith('https://'),
      // the browser of an app on another site keeps and sends no other, and sends this one from that site alone
      ...(config.cookieSameSite === 'none' && { defaultCookieAttributes: { sameSite: 'none', secure: true, partitioned: true } }),
      ...(config.cookieDomain === undefined ? {} : { crossSubDomainCookies: { enabled: true, domain: config.cookieDomain } }),
    },
    rateLimit: {
      enabled: config.rateLimitEnabled,
      ...otherAddressLimit,
      // for each path, because the engine has limits of its own for those it thinks delicate
      customRules: Object.fromEntries(policies.map((policy) => [policy.engine.path, policy.limits.address ?? otherAddressLimit])),
      customStorage: {
        consume: async (key: string, rule: RateLimit) => {
          const own = requestContexts.getStore()
          const counted = own?.counted
          const { allowed, retryAfterSeconds } = counted?.key === key ? counted.verdict : await limits.consumeForAddress(key, addressLimit(rule, own))
          return { allowed, retryAfter: allowed ? null : retryAfterSeconds }
        },
      },
    },
    emailAndPassword: {
      enabled: true,
      password: { hash: inTurn(passwords.hash), verify: inTurn(noting(passwords.verify)) },
      minPasswordLength: 8,
      maxPasswordLength: 128,
      resetPasswordTokenExpiresIn: 3_600,
      revokeSessionsOnPasswordReset: true,
      // whoever had the password may have made one
      onPasswordReset: async ({ user }) => {
        await db.deleteFrom('auth.api_keys').where('userId', '=', user.id).execute()
        // the engine does it before the password changes, and a sign-in with the old one may have ended between
        await db.deleteFrom('auth.sessions').where('userId', '=', user.id).execute()
      },
      sendResetPassword: ({ user, token, url }) => mailer.passwordReset(user, token, new URL(url).searchParams.get('callbackURL') || undefined),
    },
    emailVerification: {
      sendOnSignUp: true,
      expiresIn: 86_400,
      sendVerificationEmail: async ({ user, token }) => {
        // over the limit a person still signs in; only the mail is not sent again
        const { allowed } = await limits.consumeForAccount('verification-mail', user.email, verificationMailLimit)
        if (allowed) await mailer.verification(user, token, await disownToken(config.secret, user.id))
      },
    },
    hooks: enforcement({ policies, db, limits, guesses, hashingQueue, checkSignUp, secondFactorOf: secondFactor.accountOf }),
    plugins: [
      endpoints({
        db,
        plans,
        mailer,
        limits,
        secret: config.secret,
        isTrustedUrl: (url) => isTrustedUrl(config, url),
        domainProblem: (email) => domainProblem(config, email),
        addressProblem: (email) => addressProblem(config, db, email),
        config,
        log,
      }),
      { id: 'finance-two-factor', endpoints: secondFactor.endpoints },
      organization({
        ac: accessControl,
        roles,
        creatorRole: 'owner',
        schema: {
          organization: { modelName: 'organizations', additionalFields: { updatedAt: { type: 'date', required: false, input: false } } },
          member: { modelName: 'members' },
          invitation: { modelName: 'invitations' },
        },
        // natively two inserts without a transaction, and a limit that is only asked before them: see endpoints.ts
        allowUserToCreateOrganization: false,
        // a trigger of auth.members has the limit, because this is only asked before the insert
        membershipLimit: Number.MAX_SAFE_INTEGER,
        invitationLimit: 100,
        invitationExpiresIn: 7 * 86_400,
        requireEmailVerificationOnInvitation: true,
        sendInvitationEmail: (invitation) => mailer.invitation(invitation),
      }),
      jwt(tokens),
    ],
  })
  // the types say that a context fits its own options alone
  const context = await engine.$context as unknown as AuthContext
  const shortcuts = createShortcuts({ context, policies, pool, db, limits, defaultProduct: config.defaultProduct, sign: createSigner(context, tokens) })
  return { api: engine.api, context, handler: handlerOf(context, engine.options), shortcuts }
}

export type Engine = Awaited<ReturnType<typeof createEngine>>

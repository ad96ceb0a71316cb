/**
 * The one better-auth instance, and the two ways from a handler into it: one of its endpoints, or
 * its context for code of our own. Every option of better-auth is set here; services.ts passes the
 * hooks of the features.
 */
import { runWithAdapter, runWithRequestState } from '@better-auth/core/context'
import {
  betterAuth,
  type AuthContext,
  type BetterAuthOptions,
  type GenericEndpointContext,
} from 'better-auth'
import {
  APIError,
  createAuthEndpoint,
  createAuthMiddleware,
  isAPIError,
  router,
  sendVerificationEmailFn,
} from 'better-auth/api'
import { jwt, organization, type JwtOptions } from 'better-auth/plugins'
import { z } from 'zod'
import { type IdentityConfig } from '../config.ts'
import { codeOfEngine } from '../errors.ts'
import { basePath } from '../../common/contract.ts'
import { errorCodes } from '../../common/error-codes.ts'
import type { AuthDatabase, Connections } from '../../http/database.ts'
import { isRejection, rejection } from '../../http/errors.ts'
import { createSigner, keyAdapter } from '../keys/signing-keys.ts'
import type { Log } from '../../common/log.ts'
import type { Mailer } from '../mail/mailer.ts'
import { clientAddressHeader, currentRequest, type RateLimit } from '../../http/policy.ts'
import { accessControl, roles } from '../roles.ts'
import type { RouteContext } from '../../http/route.ts'
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

/**
 * Builds better-auth's router once. Its own handler builds the router for each request, because
 * options may depend on the request; ours do not.
 */
function handlerOf(
  context: AuthContext,
  options: BetterAuthOptions,
): (request: Request) => Promise<Response> {
  const { handler } = router(context, options)
  return async (request) => await runWithAdapter(context.adapter, () => handler(request))
}

/**
 * Builds the instance. `api` has the endpoints that jobs and the rotation of keys call without a
 * request.
 */
export async function createEngine(
  {
    config,
    connections,
    limits,
    passwords,
    mailer,
    log,
    disownToken,
    invitationToken,
    beforeUser,
    beforeSession,
  }: EngineParts,
) {
  const { engine: database, db } = connections
  const tokens = jwtOptions(config, db)
  const engine = betterAuth({
    baseURL: config.publicUrl,
    basePath,
    secret: config.secret,
    trustedOrigins: config.origins.patterns,
    database: { db: database, type: 'postgres', transaction: true, schemaName: 'auth' },
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
    databaseHooks: {
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
    },
    advanced: {
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
    },
    // http/serve-route.ts applies the limits of all routes
    rateLimit: { enabled: false },
    emailAndPassword: {
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
    },
    emailVerification: {
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
    },
    hooks: { before, after },
    plugins: [
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
        // A trigger of auth.members enforces the limit. better-auth only checks it before the
        // insert, which concurrent requests can pass.
        membershipLimit: Number.MAX_SAFE_INTEGER,
        invitationLimit: 100,
        invitationExpiresIn: 7 * 86_400,
        requireEmailVerificationOnInvitation: true,
        sendInvitationEmail: async (invitation) => {
          const { id, email, invitation: { expiresAt } } = invitation
          await mailer.invitation(invitation, await invitationToken({ id, email, expiresAt }))
        },
      }),
      jwt(tokens),
    ],
  })
  // widens the type, which names these exact options
  const context = await engine.$context as unknown as AuthContext
  return {
    api: engine.api,
    context,
    handler: handlerOf(context, engine.options),
    sign: createSigner(context, tokens),
  }
}

/** The request headers that better-auth receives, in addition to the cookie. */
const forwarded = [
  'origin',
  'referer',
  'user-agent',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
]

function headersFor(c: RouteContext): Headers {
  const headers = new Headers({ [clientAddressHeader]: c.var.client.address })
  if (c.var.cookie !== undefined) headers.set('cookie', c.var.cookie)
  for (const name of forwarded) {
    const value = c.req.header(name)
    if (value !== undefined) headers.set(name, value)
  }
  // A client that sends none of these is no browser, so no foreign page sent the request.
  if (!['origin', 'referer', 'sec-fetch-site'].some((name) => headers.has(name)))
    headers.set('origin', c.var.services.config.publicUrl)
  return headers
}

function errorOf(status: number, betterAuthCode: unknown): Error {
  const code = codeOfEngine(status, betterAuthCode)
  return code === 'INTERNAL_ERROR'
    ? new Error(`better-auth responded with ${status}`)
    : rejection(code)
}

/**
 * Calls the better-auth endpoint of the row through better-auth's router.
 * @param input the query of a GET, or the body
 * @throws Rejection; Error if better-auth fails or its response does not match the schema
 */
export async function callBetterAuth<Response extends z.ZodType>(
  c: RouteContext,
  schema: Response,
  input: object,
): Promise<z.output<Response>> {
  const { engine, config } = c.var.services
  const [method = '', path = ''] = currentRequest.getStore()?.policy.betterAuth?.split(' ') ?? []
  const url = new URL(`${basePath}${path}`, config.publicUrl)
  const headers = headersFor(c)
  if (method === 'GET') {
    for (const [name, value] of Object.entries(input as Record<string, string>))
      url.searchParams.set(name, value)
  } else headers.set('content-type', 'application/json')
  const response = await engine.handler(
    new Request(url, { method, headers, ...(method !== 'GET' && { body: JSON.stringify(input) }) }),
  )
  c.var.cookies.push(...response.headers.getSetCookie())
  if (response.ok) return schema.parse(await response.json())
  const { code } = await response.json().catch(() => ({})) as { code?: unknown }
  throw errorOf(response.status, code)
}

/**
 * Runs work with the context of a better-auth endpoint, outside of its router and hooks. Cookies
 * that the work sets reach the client.
 * @throws what the work throws; an APIError of better-auth's becomes a Rejection
 */
export async function withBetterAuth<Result>(
  c: RouteContext,
  work: (endpoint: GenericEndpointContext) => Promise<Result>,
): Promise<Result> {
  const { context } = c.var.services.engine
  const endpoint = createAuthEndpoint({ method: 'POST' }, async (given) => {
    try {
      return await work(given as GenericEndpointContext)
    } catch (error) {
      throw isAPIError(error) ? errorOf(error.statusCode, error.body?.code) : error
    } finally {
      c.var.cookies.push(...given.responseHeaders.getSetCookie())
    }
  })
  const call = { headers: headersFor(c), body: {}, context: { ...context, session: null } }
  return await runWithRequestState(
    new WeakMap(),
    () => runWithAdapter(context.adapter, () => endpoint(call as never)),
  ) as Result
}

/** Calls the better-auth endpoint of the row and drops its response. */
export const passToBetterAuth = (c: RouteContext, input: object): Promise<unknown> =>
  callBetterAuth(c, z.unknown(), input)

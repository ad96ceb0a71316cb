/** Single sign-on: begins sign-ins at the provider, and decides which account its users get. */
import { generateId, type AuthContext, type User } from 'better-auth'
import { expireCookie } from 'better-auth/cookies'
import * as client from 'openid-client'
import { z } from 'zod'
import { signedTexts } from '../../engine/cookies.ts'
import type { AuthDatabase } from '../../../http/database.ts'
import { withBetterAuth } from '../../engine/engine.ts'
import { rejection, reject } from '../../../http/errors.ts'
import { isTrustedUrl } from '../../../http/origins.ts'
import { callerOf, type RouteContext } from '../../../http/route.ts'
import { isStoppable } from '../account/change-email.ts'
import { deleteWaysIn } from '../account/ways-in.ts'
import { beginSession, signedIn } from '../caller.ts'
import { rowId, time } from '../../../http/fields.ts'
import { timeoutSeconds, type Claims } from './provider.ts'

// a repeated parameter counts as missing, so the error is that of a failed sign-in
const ofProvider = z.string().optional().catch(undefined).meta({
  description: 'A parameter of the redirect of the provider.',
})

export const input = {
  start: z.object({
    redirectTo: z.string().max(2_048).optional().meta({
      description:
        'Target of the browser after the sign-in: a page of a trusted origin. On the origin of `APP_URL` it must be below its path.',
    }),
  }),
  callback: z.object({ state: ofProvider, code: ofProvider, iss: ofProvider, error: ofProvider }),
}

export const output = {
  methods: z.object({
    password: z.boolean().meta({ description: 'true' }),
    sign_up: z.enum(['open', 'invitation', 'closed']).meta({
      description: 'The sign-up mode: `SIGN_UP`.',
    }),
    oidc: z.object({
      name: z.string().meta({
        description: 'The name of the provider for users.',
        examples: ['Authelia'],
      }),
      sign_up: z.boolean().meta({ description: 'Whether a first sign-in creates an account.' }),
    }).nullable().meta({ description: 'The provider of single sign-on; null without one.' }),
  }).meta({ id: 'SignInMethods', description: 'The ways to sign in.' }),
  started: z.object({
    url: z.string().meta({
      description: 'The URL at the provider.',
      examples: ['https://login.example.org/authorize'],
    }),
  }),
  providers: z.array(
    z.object({
      id: rowId,
      issuer: z.string().meta({
        description: 'The issuer identifier of the provider.',
        examples: ['https://login.example.org'],
      }),
      subject: z.string().meta({
        description: 'The id of the user at the provider.',
        examples: ['9f1c2d'],
      }),
      created_at: time,
    }).meta({
      id: 'LinkedProvider',
      description: 'An identity at a provider of single sign-on that signs in to the account.',
    }),
  ),
}

/** Lifetime of a started sign-in, in seconds. */
const lifetimeSeconds = 600

const startedOf = z.object({
  nonce: z.string(),
  verifier: z.string(),
  redirectTo: z.string().optional(),
})

const identifierOf = (state: string): string => `oidc-${state}`
const stateCookie = (auth: AuthContext) =>
  auth.createAuthCookie('oidc_state', { maxAge: lifetimeSeconds })

/** Returns the error codes of a failure for the log. A sentence could hold personal data. */
function reasonOf(error: unknown): Record<string, string> {
  const { code, error: answered } = (error ?? {}) as { code?: unknown, error?: unknown }
  return Object.fromEntries(
    Object.entries({ code, answered }).filter((entry): entry is [string, string] =>
      typeof entry[1] === 'string' && /^\w{1,64}$/.test(entry[1])
    ),
  )
}

/**
 * Links a provider to an existing account by its address. A stranger may have made the account, and
 * an email scanner may have verified it. So every other way in ends, unless the user of this browser
 * is signed in to the account.
 * @param isOwner true if so
 * @throws Rejection EMAIL_CHANGED_RECENTLY
 */
async function linkExisting(
  db: AuthDatabase,
  user: User,
  key: { providerId: string, accountId: string },
  isOwner: boolean,
): Promise<void> {
  // The owner of the previous address could take the account back, with all that this user stores
  // in it.
  if (!isOwner && await isStoppable(db, user)) reject('EMAIL_CHANGED_RECENTLY')
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom('auth.users').select('id').where('id', '=', user.id).forNoKeyUpdate()
      .executeTakeFirst()
    if (!isOwner) {
      await deleteWaysIn(trx, user.id)
      await trx.deleteFrom('auth.two_factors').where('userId', '=', user.id).execute()
    }
    await trx.insertInto('auth.accounts').values({
      id: generateId(),
      userId: user.id,
      ...key,
      updatedAt: new Date(),
    }).execute()
  })
}

/**
 * Returns the account of a provider's user: the account that is linked already, whatever its
 * address is now. Otherwise the account with the same address, if we and the provider have verified
 * it. Otherwise a new account.
 * @throws Rejection if there is no account and none may be made
 */
async function accountOf(
  c: RouteContext,
  { internalAdapter }: AuthContext,
  issuer: string,
  claims: Claims,
): Promise<User> {
  const { db, config, identity: { readSession } } = c.var.services
  const key = { providerId: issuer, accountId: claims.sub }
  const linked = await internalAdapter.findAccountOwnerByKey(key)
  if (linked?.kind === 'owned') return linked.user
  const { email, name } = claims
  if (email === undefined || !claims.email_verified) reject('OIDC_EMAIL_NOT_VERIFIED')
  const existingUser = (await internalAdapter.findUserByEmail(email))?.user
  // An attacker may have made the account with a victim's address and wait for the victim to link
  // it.
  if (existingUser?.emailVerified === false) reject('ACCOUNT_NOT_VERIFIED')
  if (existingUser !== undefined) {
    const caller = await readSession(c)
    await linkExisting(db, existingUser, key, caller?.user.id === existingUser.id)
    return existingUser
  }
  if (config.oidc?.signUp !== true) reject('SIGN_UP_CLOSED')
  const user = await internalAdapter.createUser({ email, name, emailVerified: true }, {
    method: 'oauth',
    oauth: { providerId: issuer },
  })
  // The provider's tokens are not stored, because no later request needs them.
  await internalAdapter.createAccount({ ...key, userId: user.id })
  return user
}

export function signInMethods(c: RouteContext): z.output<typeof output.methods> {
  const { signUp, oidc } = c.var.services.config
  return {
    password: true,
    sign_up: signUp.by,
    oidc: oidc === undefined ? null : { name: oidc.name, sign_up: oidc.signUp },
  }
}

export async function listProviders(c: RouteContext): Promise<z.output<typeof output.providers>> {
  const rows = await c.var.services.db.selectFrom('auth.accounts').select([
    'id',
    'providerId',
    'accountId',
    'createdAt',
  ])
    .where('userId', '=', callerOf(c).user.id).where('providerId', '<>', 'credential').orderBy(
      'createdAt',
    ).orderBy('id').execute()
  return rows.map(({ id, providerId, accountId, createdAt }) => ({
    id,
    issuer: providerId,
    subject: accountId,
    created_at: createdAt.toISOString(),
  }))
}

/** The sign-in continues in a browser, which then gets the session. The app would get none. */
const rejectApps = (c: RouteContext): void => {
  if (c.var.isApp)
    throw rejection('VALIDATION_ERROR', 'Single sign-on needs the cookies of a browser.')
}

export function startSignIn(
  c: RouteContext,
  { redirectTo }: z.output<typeof input.start>,
): Promise<z.output<typeof output.started>> {
  const { provider, config, log } = c.var.services
  if (provider === undefined) reject('NOT_FOUND')
  rejectApps(c)
  if (redirectTo !== undefined && !isTrustedUrl(config, redirectTo)) reject('FORBIDDEN')
  return withBetterAuth(c, async (endpoint) => {
    const started = {
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      redirectTo,
    }
    const state = client.randomState()
    const url = await provider.begin({ state, ...started }).catch((error: unknown) => {
      log.warn(reasonOf(error), 'the provider of OIDC_ISSUER did not answer as one')
      return reject('OIDC_UNAVAILABLE', timeoutSeconds)
    })
    await endpoint.context.internalAdapter.createVerificationValue({
      identifier: identifierOf(state),
      value: JSON.stringify(started),
      expiresAt: new Date(Date.now() + lifetimeSeconds * 1_000),
    })
    const { name, attributes } = stateCookie(endpoint.context)
    await endpoint.setSignedCookie(name, state, endpoint.context.secret, attributes)
    return { url }
  })
}

export function finishSignIn(c: RouteContext, query: z.output<typeof input.callback>) {
  const { provider, config: { appUrl, hasApp }, log, inTransaction } = c.var.services
  if (provider === undefined) reject('NOT_FOUND')
  rejectApps(c)
  return withBetterAuth(c, async (endpoint) => {
    const { internalAdapter, secret } = endpoint.context
    const cookie = stateCookie(endpoint.context)
    // The cookie ties the state to this browser. Without the check an attacker could sign a victim
    // in to the attacker's account.
    const { state } = query
    if (state === undefined || !signedTexts(c.var.cookie, cookie.name, secret).includes(state))
      reject('OIDC_FAILED')
    const kept = await internalAdapter.consumeVerificationValue(identifierOf(state)) ??
      reject('OIDC_FAILED')
    expireCookie(endpoint, cookie)
    const { redirectTo, ...checks } = startedOf.parse(JSON.parse(kept.value))
    const response = new URLSearchParams(
      Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
    const { issuer, claims } = await provider.finish(response, { state, ...checks }).catch(
      (error: unknown) => {
        log.warn(reasonOf(error), 'a sign-in with the provider of OIDC_ISSUER failed')
        return reject('OIDC_FAILED')
      },
    )
    const reply = await inTransaction(async () => {
      const user = await accountOf(c, endpoint.context, issuer, claims)
      return signedIn(c, { user, session: await beginSession(endpoint, user) })
    })
    if (hasApp || redirectTo !== undefined)
      c.set('redirectTo', new URL(redirectTo ?? '', `${appUrl}/`).href)
    return reply
  })
}

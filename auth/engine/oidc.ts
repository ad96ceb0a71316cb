/**
 * Signing in with a provider that the operator names, by OpenID Connect: the authorization code flow with PKCE, a state that one
 * browser can use once, and a nonce. The protocol is openid-client's; what an answer means for our accounts is decided here.
 */
import type { AuthContext, User } from 'better-auth'
import { createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import { expireCookie } from 'better-auth/cookies'
import { runWithTransaction } from '@better-auth/core/context'
import * as client from 'openid-client'
import { z } from 'zod'
import { outboundFetch } from '../../infra/shared/outbound.ts'
import { basePath, type Config } from '../config.ts'
import type { AuthDatabase } from '../database.ts'
import type { Log } from '../log.ts'
import { email as address, name as nameOfPerson } from '../person.ts'
import { requestContexts } from '../request-context.ts'
import { beginSession } from './begin-session.ts'
import { refuse } from './refuse.ts'

/** How long somebody may take at the provider, in seconds. */
const lifetimeSeconds = 600
/** How long the provider may take to answer one request, in seconds. */
const patienceSeconds = 10
/** How long what the provider says of itself is kept, so that a flood of sign-ins asks it no more often; in milliseconds. */
const keptMs = 60_000

const begunOf = z.object({ nonce: z.string(), verifier: z.string(), redirectTo: z.string().optional() })

/** What a provider says of somebody. Of `email_verified` some send the word. */
const claimsOf = z.object({
  sub: z.string().min(1).max(255),
  email: address.optional().catch(undefined),
  email_verified: z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')]).catch(false).default(false),
  name: nameOfPerson.default('').catch(''),
})
type Claims = z.output<typeof claimsOf>

/** The provider's own words for what failed, where they are a code: never a sentence, which may hold anything. */
function reasonOf(error: unknown): Record<string, string> {
  const { code, error: answered } = (error ?? {}) as { code?: unknown, error?: unknown }
  return Object.fromEntries(
    Object.entries({ code, answered }).filter((entry): entry is [string, string] => typeof entry[1] === 'string' && /^\w{1,64}$/.test(entry[1])),
  )
}

/** What ties an answer of the provider's to the question, each in its own way. */
type Checks = Record<'state' | 'nonce' | 'verifier', string>

type Provider = {
  /** @returns where somebody is sent to sign in */
  begin: (checks: Checks) => Promise<string>
  /** @returns who it was */
  finish: (answer: URLSearchParams, checks: Checks) => Promise<{ issuer: string, claims: Claims }>
}

/** What is asked of the provider. Nothing is asked of it before somebody signs in, so it may be down when we start. */
function providerOf({ issuer, clientId, clientSecret }: NonNullable<Config['oidc']>, redirectUri: string): Provider {
  const extensions = [
    // a signature is checked though the token comes from the provider itself, so that nothing hangs on TLS alone
    client.enableNonRepudiationChecks,
    // config.ts lets that be on this machine alone
    ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
  ]
  let kept: { until: number, metadata: Promise<client.ServerMetadata> } | undefined

  const metadata = (): Promise<client.ServerMetadata> => {
    if (kept !== undefined && Date.now() < kept.until) return kept.metadata
    const options = { timeout: patienceSeconds, execute: extensions, [client.customFetch]: outboundFetch }
    const found = client.discovery(new URL(issuer), clientId, undefined, undefined, options)
      .then((configuration) => configuration.serverMetadata())
    const asked = kept = { until: Date.now() + keptMs, metadata: found }
    found.catch(() => {
      if (kept === asked) kept = undefined
    })
    return found
  }

  /** Made anew each time, and with it the keys are asked for anew: one that was changed counts from the next sign-in. */
  const configuration = async () => {
    const server = await metadata()
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const secret = methods.includes('client_secret_basic') ? client.ClientSecretBasic(clientSecret) : client.ClientSecretPost(clientSecret)
    const made = new client.Configuration(server, clientId, undefined, secret)
    made.timeout = patienceSeconds
    made[client.customFetch] = outboundFetch
    for (const extend of extensions) extend(made)
    return made
  }

  return {
    async begin({ state, nonce, verifier }) {
      return client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: 'openid profile email',
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).href
    },
    async finish(answer, { state, nonce, verifier }) {
      const provider = await configuration()
      const tokens = await client.authorizationCodeGrant(provider, new URL(`?${answer.toString()}`, redirectUri), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const token = tokens.claims()
      // some tell the address only when asked for it; what says that it is verified must say of which
      const isWhole = token?.['email'] !== undefined && token['email_verified'] !== undefined
      const claims = token === undefined || isWhole || provider.serverMetadata().userinfo_endpoint === undefined
        ? token
        : await client.fetchUserInfo(provider, tokens.access_token, token.sub)
      return { issuer: provider.serverMetadata().issuer, claims: claimsOf.parse(claims) }
    },
  }
}

/**
 * The account that somebody at a provider has here: the one that was joined to them before, whatever their address is by now; or the
 * one that has their address, if both we and the provider know that it is theirs; or a new one.
 * @throws APIError when there is none and none may be made
 */
async function accountOf({ internalAdapter, adapter }: AuthContext, issuer: string, claims: Claims, maySignUp: boolean): Promise<User> {
  const key = { providerId: issuer, accountId: claims.sub }
  const joined = await internalAdapter.findAccountOwnerByKey(key)
  if (joined?.kind === 'owned') return joined.user
  const { email, name } = claims
  if (email === undefined || !claims.email_verified) refuse('OIDC_EMAIL_NOT_VERIFIED')
  const known = (await internalAdapter.findUserByEmail(email))?.user
  // whoever made it may be a stranger who waits for somebody to join it
  if (known?.emailVerified === false) refuse('ACCOUNT_NOT_VERIFIED')
  if (known === undefined && !maySignUp) refuse('SIGN_UP_CLOSED')
  return runWithTransaction(adapter, async () => {
    const user = known ?? await internalAdapter.createUser({ email, name, emailVerified: true }, { method: 'oauth', oauth: { providerId: issuer } })
    // the provider's tokens are not kept: nothing is asked of it again
    await internalAdapter.createAccount({ ...key, userId: user.id })
    return user
  })
}

export type OidcParts = {
  db: AuthDatabase
  config: Pick<Config, 'oidc' | 'signUp' | 'publicUrl' | 'appUrl' | 'hasApp'>
  /** Whether a mailed link or a sign-in may lead there. */
  isTrustedUrl: (url: string) => boolean
  log: Log
}

/** The four endpoints. */
export function oidcEndpoints({ db, config: { oidc, signUp, publicUrl, appUrl, hasApp }, isTrustedUrl, log }: OidcParts) {
  const provider = oidc === undefined ? undefined : providerOf(oidc, `${publicUrl}${basePath}/callback/oidc`)
  const identifier = (state: string) => `oidc-${state}`
  const cookieOf = (context: AuthContext) => context.createAuthCookie('oidc_state', { maxAge: lifetimeSeconds })
  return {
    signInMethods: createAuthEndpoint(
      '/sign-in/methods',
      { method: 'GET' },
      async (context) => context.json({ password: true, signUp: signUp.by, oidc: oidc === undefined ? null : { name: oidc.name, signUp: oidc.signUp } }),
    ),

    listProviders: createAuthEndpoint('/list-providers', { method: 'GET', use: [sessionMiddleware] }, async (context) =>
      context.json(
        await db.selectFrom('auth.accounts').select(['id', 'providerId', 'accountId', 'createdAt'])
          .where('userId', '=', context.context.session.user.id).where('providerId', '<>', 'credential').orderBy('createdAt').orderBy('id').execute(),
      )),

    signInWithProvider: createAuthEndpoint('/sign-in/oidc', {
      method: 'POST',
      body: z.object({ redirectTo: z.string().optional() }),
    }, async (context) => {
      if (provider === undefined) refuse('NOT_FOUND')
      const { redirectTo } = context.body
      if (redirectTo !== undefined && !isTrustedUrl(redirectTo)) refuse('FORBIDDEN')
      const begun = { nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier(), redirectTo }
      const state = client.randomState()
      const url = await provider.begin({ state, ...begun }).catch((error: unknown) => {
        log.warn(reasonOf(error), 'the provider of OIDC_ISSUER did not answer as one')
        return refuse('OIDC_UNAVAILABLE', patienceSeconds)
      })
      await context.context.internalAdapter.createVerificationValue({
        identifier: identifier(state),
        value: JSON.stringify(begun),
        expiresAt: new Date(Date.now() + lifetimeSeconds * 1_000),
      })
      const { name, attributes } = cookieOf(context.context)
      await context.setSignedCookie(name, state, context.context.secret, attributes)
      return context.json({ url })
    }),

    returnFromProvider: createAuthEndpoint('/callback-of-provider', {
      method: 'GET',
      query: z.record(z.string(), z.string()),
    }, async (context) => {
      if (provider === undefined) refuse('NOT_FOUND')
      const { internalAdapter, secret } = context.context
      const cookie = cookieOf(context.context)
      // Asked first, so that nobody else's browser uses a state up. It is what keeps a stranger from signing somebody in as the stranger.
      const state = await context.getSignedCookie(cookie.name, secret)
      if (typeof state !== 'string' || state !== context.query['state']) refuse('OIDC_FAILED')
      const kept = await internalAdapter.consumeVerificationValue(identifier(state))
      if (kept === null) refuse('OIDC_FAILED')
      expireCookie(context, cookie)
      const { redirectTo, ...checks } = begunOf.parse(JSON.parse(kept.value))
      const { issuer, claims } = await provider.finish(new URLSearchParams(context.query), { state, ...checks }).catch((error: unknown) => {
        log.warn(reasonOf(error), 'a sign-in with the provider of OIDC_ISSUER failed')
        return refuse('OIDC_FAILED')
      })
      const user = await accountOf(context.context, issuer, claims, oidc?.signUp === true)
      const session = await beginSession(context, user)
      const own = requestContexts.getStore()
      if (own !== undefined && (hasApp || redirectTo !== undefined)) own.redirectTo = new URL(redirectTo ?? '', `${appUrl}/`).href
      return context.json({ user, session })
    }),
  }
}

/**
 * The provider of single sign-on, by OpenID Connect: the authorization code flow with PKCE.
 * openid-client implements the protocol.
 */
import * as client from 'openid-client'
import { z } from 'zod'
import { outboundFetch } from '../../../common/outbound.ts'
import type { Config } from '../../config.ts'
import { email, name } from '../../../http/fields.ts'

/** Timeout of one request to the provider, in seconds. */
export const timeoutSeconds = 10
/**
 * Cache lifetime of the provider's discovery document, in milliseconds. It bounds the requests that
 * many sign-ins cause.
 */
const cacheMs = 60_000

/** The provider's claims about a user. Some providers send `email_verified` as a string. */
const claimsOf = z.object({
  sub: z.string().min(1).max(255),
  email: email.optional().catch(undefined),
  email_verified: z.union([
    z.boolean(),
    z.enum(['true', 'false']).transform((word) => word === 'true'),
  ]).catch(false).default(false),
  name: name.default('').catch(''),
})
export type Claims = z.output<typeof claimsOf>

/** The values that tie a response of the provider to its request. */
type Checks = Record<'state' | 'nonce' | 'verifier', string>

export type Provider = {
  /** @returns the URL at which the user signs in */
  begin: (checks: Checks) => Promise<string>
  finish: (response: URLSearchParams, checks: Checks) => Promise<{ issuer: string, claims: Claims }>
}

type Extension = (configuration: client.Configuration) => void

/** Returns the function that reads the provider's discovery document. */
function metadataReader(
  issuer: string,
  clientId: string,
  extensions: Extension[],
): () => Promise<client.ServerMetadata> {
  let cached: { until: number, metadata: Promise<client.ServerMetadata> } | undefined

  return () => {
    if (cached !== undefined && Date.now() < cached.until) return cached.metadata
    const options = {
      timeout: timeoutSeconds,
      execute: extensions,
      [client.customFetch]: outboundFetch,
    }
    const found = client.discovery(new URL(issuer), clientId, undefined, undefined, options)
      .then((configuration) => configuration.serverMetadata())
    const entry = cached = { until: Date.now() + cacheMs, metadata: found }
    found.catch(() => {
      if (cached === entry) cached = undefined
    })
    return found
  }
}

/**
 * Returns the claims of a token; those of userinfo if the token does not have the address, or not
 * whether it is verified.
 */
async function wholeClaims(
  provider: client.Configuration,
  tokens: Awaited<ReturnType<typeof client.authorizationCodeGrant>>,
) {
  const token = tokens.claims()
  // Some providers send the address from userinfo only. The claim that it is verified must come
  // with the address.
  const isWhole = token?.['email'] !== undefined && token['email_verified'] !== undefined
  return token === undefined || isWhole ||
      provider.serverMetadata().userinfo_endpoint === undefined
    ? token
    : await client.fetchUserInfo(provider, tokens.access_token, token.sub)
}

/**
 * Builds the client. It sends no request before a user signs in, so the provider may be down when
 * the service starts.
 */
export function createProvider(
  { issuer, clientId, clientSecret }: NonNullable<Config['oidc']>,
  redirectUri: string,
): Provider {
  const extensions = [
    // checks the signature although the token comes directly from the provider, so that security
    // does not depend on TLS only
    client.enableNonRepudiationChecks,
    // config.ts allows it on this machine only
    ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
  ]
  const metadata = metadataReader(issuer, clientId, extensions)
  /**
   * Makes a new configuration each time, which loads the provider's keys again, so that a new key
   * works at the next sign-in.
   */
  const configuration = async () => {
    const server = await metadata()
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const secret = methods.includes('client_secret_basic')
      ? client.ClientSecretBasic(clientSecret)
      : client.ClientSecretPost(clientSecret)
    const made = new client.Configuration(server, clientId, undefined, secret)
    made.timeout = timeoutSeconds
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
    async finish(response, { state, nonce, verifier }) {
      const provider = await configuration()
      const tokens = await client.authorizationCodeGrant(
        provider,
        new URL(`?${response.toString()}`, redirectUri),
        {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        },
      )
      const claims = await wholeClaims(provider, tokens)
      return { issuer: provider.serverMetadata().issuer, claims: claimsOf.parse(claims) }
    },
  }
}

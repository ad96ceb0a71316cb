/** An OpenID provider (oidc-provider) with users, keys and tokens that a test controls. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  decodeJwt,
  exportJWK,
  generateKeyPair,
  importJWK,
  SignJWT,
  type JWK,
  type JWTPayload,
} from 'jose'
import { Provider, type Configuration } from 'oidc-provider'
import type { Person } from './person.ts'

/** The claims of a user besides `sub`. Users sign in at the provider with their `sub`. */
type Claims = { email?: string, email_verified?: unknown, name?: string }

const secret = 'a secret of the provider and the service'

const signingKey = async (): Promise<JWK> => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...await exportJWK(privateKey), alg: 'RS256', use: 'sig', kid: crypto.randomUUID() }
}

/** Starts a provider. It responds 503 until `serve` configures its client. */
export async function oidcProvider() {
  const people = new Map<string, Claims>()
  let provider: Provider | undefined
  let key = await signingKey()
  let change: ((claims: JWTPayload) => JWTPayload) | undefined
  let forgedWith: JWK | undefined
  const server = createServer((request, response) => {
    if (provider === undefined) response.writeHead(503).end()
    else void provider.callback()(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`

  let redirectUri = ''
  const begin = (options: Configuration = {}) => {
    provider = new Provider(issuer, {
      clients: [{ client_id: 'finance', client_secret: secret, redirect_uris: [redirectUri] }, {
        client_id: 'another',
        client_secret: secret,
        redirect_uris: [redirectUri],
      }],
      jwks: { keys: [key] },
      pkce: { required: () => true },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...people.get(id) }) }),
      // Grants consent without asking the user.
      loadExistingGrant: async ({ oidc: { session, client } }) => {
        const grant = new provider!.Grant({
          clientId: client?.clientId,
          accountId: session?.accountId,
        })
        grant.addOIDCScope('openid profile email')
        await grant.save()
        return grant
      },
      cookies: { keys: ['of the tests'] },
      ...options,
    })
    provider.on('server_error', (_, error) => process.stderr.write(`${error.stack}\n`))
    provider.use(async (context, next) => {
      await next()
      const { body } = context
      if (
        context.path !== '/token' || typeof body !== 'object' || body === null ||
        !('id_token' in body)
      ) return
      if (change === undefined && forgedWith === undefined) return
      const claims = decodeJwt(String(body.id_token))
      const by = forgedWith ?? key
      body.id_token = await new SignJWT(change?.(claims) ?? claims).setProtectedHeader({
        alg: 'RS256',
        kid: by.kid!,
      }).sign(await importJWK(by))
    })
  }

  return {
    issuer,
    people,
    env: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'finance',
      OIDC_CLIENT_SECRET: secret,
      OIDC_NAME: 'The House',
    },
    /** Starts to serve a client. @param publicUrl PUBLIC_URL of the client */
    serve: (publicUrl: string, options?: Configuration) => {
      redirectUri = `${publicUrl}/api/auth/callback/oidc`
      begin(options)
    },
    stopServing: () => {
      provider = undefined
    },
    /** Replaces the signing key, and stops publishing the previous one. */
    rotateKey: async () => {
      key = await signingKey()
      begin()
    },
    /** Changes the claims of ID tokens. The signature stays valid. */
    changeClaims: (changed: typeof change) => {
      change = changed
    },
    /** Signs with an unpublished key under the key id of the published one. */
    forgeSignatures: async () => {
      forgedWith = { ...await signingKey(), kid: key.kid! }
    },
    /** Undoes `changeClaims` and `forgeSignatures`. */
    resetTokens: () => {
      change = undefined
      forgedWith = undefined
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export type TestProvider = Awaited<ReturnType<typeof oidcProvider>>

/**
 * Signs in at the provider, in a browser without cookies.
 * @param url the authorization URL from the service
 * @returns the callback URL that the provider redirects to
 */
export async function signInAtProvider(url: string, sub: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let at = new URL(url)
  let form: URLSearchParams | undefined
  for (let hop = 0; hop < 12; hop++) {
    const response = await fetch(at, {
      redirect: 'manual',
      method: form === undefined ? 'GET' : 'POST',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { body: form }),
    })
    form = undefined
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) {
      const html = await response.text()
      if (!html.includes('value="login"'))
        throw new Error(
          `The provider shows no sign-in form: ${response.status} ${
            html.replace(/[^]*<body>/, '')
          }`,
        )
      form = new URLSearchParams({ prompt: 'login', login: sub, password: 'any' })
    } else {
      at = new URL(location, at)
      if (at.pathname.endsWith('/callback/oidc')) return at
    }
  }
  throw new Error('The provider does not redirect to the callback.')
}

/**
 * Starts a sign-in at the service and signs in at the provider. @returns the callback URL, not yet
 * opened
 */
export async function callbackFromProvider(
  user: Person,
  sub: string,
  redirectTo?: string,
): Promise<URL> {
  const begun = await user.post('/sign-in/oidc', redirectTo === undefined ? {} : { redirectTo })
  if (begun.status !== 200) throw new Error(JSON.stringify(begun.body))
  return signInAtProvider(begun.body.url, sub)
}

/** Opens the callback URL as a program, which receives JSON instead of a redirect. */
export const openCallback = (user: Person, from: URL) => user.get(`/callback/oidc${from.search}`)

/** Signs in at the provider and opens the callback URL. */
export const signInWithProvider = async (user: Person, sub: string) =>
  openCallback(user, await callbackFromProvider(user, sub))

/** A real OpenID provider on this machine, whose people, keys and answers a test decides. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt, exportJWK, generateKeyPair, importJWK, SignJWT, type JWK, type JWTPayload } from 'jose'
import { Provider, type Configuration } from 'oidc-provider'
import type { Person } from './person.ts'

/** What it says of somebody beside `sub`, which is what they sign in with there. */
type Claims = { email?: string, email_verified?: unknown, name?: string }

const secret = 'a secret of the provider and the service'

const signingKey = async (): Promise<JWK> => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...await exportJWK(privateKey), alg: 'RS256', use: 'sig', kid: crypto.randomUUID() }
}

/** Starts one, which answers nothing before `open` says whom it serves. */
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
      // nobody is asked whether the service may know who they are
      loadExistingGrant: async ({ oidc: { session, client } }) => {
        const grant = new provider!.Grant({ clientId: client?.clientId, accountId: session?.accountId })
        grant.addOIDCScope('openid profile email')
        await grant.save()
        return grant
      },
      cookies: { keys: ['of the tests'] },
      ...options,
    })
    // its warnings are about what a provider of tests may do
    provider.on('server_error', (_, error) => process.stderr.write(`${error.stack}\n`))
    provider.use(async (context, next) => {
      await next()
      const { body } = context
      if (context.path !== '/token' || typeof body !== 'object' || body === null || !('id_token' in body)) return
      if (change === undefined && forgedWith === undefined) return
      const claims = decodeJwt(String(body.id_token))
      const by = forgedWith ?? key
      body.id_token = await new SignJWT(change?.(claims) ?? claims).setProtectedHeader({ alg: 'RS256', kid: by.kid! }).sign(await importJWK(by))
    })
  }

  return {
    issuer,
    people,
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'finance', OIDC_CLIENT_SECRET: secret, OIDC_NAME: 'The House' },
    /** @param at PUBLIC_URL of the service */
    open: (at: string, options?: Configuration) => {
      redirectUri = `${at}/api/auth/callback/oidc`
      begin(options)
    },
    shut: () => {
      provider = undefined
    },
    /** Signs with another key from now on, and no longer publishes the one before. */
    rotate: async () => {
      key = await signingKey()
      begin()
    },
    /** Changes what it says in ID tokens, which it signs all the same. */
    says: (changed: typeof change) => {
      change = changed
    },
    /** Signs with a key that it does not publish, under the name of the one that it does. */
    forges: async () => {
      forgedWith = { ...await signingKey(), kid: key.kid! }
    },
    isHonest: () => {
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
 * Signs in at the provider, in a browser that has never been there.
 * @param url where the service sent it
 * @returns where the provider sends it back to
 */
export async function signInAtProvider(url: string, who: string): Promise<URL> {
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
      if (!html.includes('value="login"')) throw new Error(`The provider asks for something else: ${response.status} ${html.replace(/[^]*<body>/, '')}`)
      form = new URLSearchParams({ prompt: 'login', login: who, password: 'any' })
    } else {
      at = new URL(location, at)
      if (at.pathname.endsWith('/callback/oidc')) return at
    }
  }
  throw new Error('The provider does not send the browser back.')
}

/** Begins at the service and signs in at the provider. @returns the address to come back to, which nobody has opened yet */
export async function toProvider(someone: Person, who: string, redirectTo?: string): Promise<URL> {
  const begun = await someone.post('/sign-in/oidc', redirectTo === undefined ? {} : { redirectTo })
  if (begun.status !== 200) throw new Error(JSON.stringify(begun.body))
  return signInAtProvider(begun.body.url, who)
}

/** Comes back from the provider as a program would, which is told in JSON what became of it. */
export const comeBack = (someone: Person, from: URL) => someone.get(`/callback/oidc${from.search}`)

/** All of it. */
export const signInByProvider = async (someone: Person, who: string) => comeBack(someone, await toProvider(someone, who))

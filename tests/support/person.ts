/** Somebody with a browser: a cookie jar, and the calls a client of the auth surface makes. */
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { hashPassword } from 'better-auth/crypto'
import { expectDescribed } from './described.ts'
import { linkIn } from './mail-sink.ts'
import type { Stack } from './stack.ts'

/** What a person sees of an answer. */
export type Answer = { status: number, body: any, headers: Headers }

export const password = 'correct horse battery'

let count = 0

const newAddress = (name: string) => `${name.toLowerCase()}-${++count}@example.org`

/** A person nobody has heard of yet; or, with an address that has an account, that person in another browser. */
export function person(stack: Pick<Stack, 'url' | 'sql' | 'mail'>, name = 'someone', email = newAddress(name)) {
  const cookies = new Map<string, string>()

  /** One call as the person's browser makes it, without an origin unless `headers` has one. */
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ')
    const response = await fetch(`${stack.url}/api/auth${path}`, {
      method,
      headers: { ...(cookie === '' ? {} : { cookie }), ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, key, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (key === undefined || value === undefined) continue
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(key)
      else cookies.set(key, value)
    }
    const text = await response.text()
    const answer = {
      status: response.status,
      body: text === '' ? null : response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text,
      headers: response.headers,
    }
    expectDescribed(method, path, answer)
    return answer
  }

  const someone = {
    email,
    name,
    cookies,
    call,
    get: (path: string, headers?: Record<string, string>) => call('GET', path, undefined, headers),
    post: (path: string, body?: unknown, headers?: Record<string, string>) => call('POST', path, body, headers),
    patch: (path: string, body?: unknown) => call('PATCH', path, body),
    delete: (path: string, body?: unknown) => call('DELETE', path, body),
    signUp: () => call('POST', '/sign-up/email', { email, password, name }),
    signIn: (with_ = password) => call('POST', '/sign-in/email', { email, password: with_ }),
    /** Opens the link of the newest verification mail. */
    verify: async () => {
      const mail = await stack.mail.waitFor(email, ({ text }) => text.includes('/verify-email'))
      return call('GET', `/verify-email${new URL(linkIn(mail)).search}`)
    },
    id: async () => (await call('GET', '/get-session')).body.user.id as string,
    token: async () => (await call('POST', '/token')).body.token as string,
    /** Gives the person a plan, as an operator would. */
    subscribe: (product = 'teams') =>
      stack.sql.query(
        `insert into api.app_subscriptions (user_id, product_id, period_end) select id, $2, now() + interval '1 year' from auth.users where email = $1`,
        [email, product],
      ),
  }
  return someone
}

export type Person = ReturnType<typeof person>

let hashed: Promise<string> | undefined

/**
 * A person with an account, a session and a verified address. All of it is stored as the service stores it, to spare the
 * mail and a hash, which takes a tenth of a second of a core: who tests signing up does it with `person`.
 */
export async function signedIn(stack: Stack, name?: string): Promise<Person> {
  const someone = person(stack, name)
  hashed ??= hashPassword(password)
  const [id, token] = [randomUUID(), randomBytes(24).toString('base64url')]
  await stack.sql.query(
    `with person as (insert into auth.users (id, name, email, email_verified) values ($1, $2, $3, true)),
      account as (insert into auth.accounts (id, account_id, provider_id, user_id, password) values ($1, $1, 'credential', $1, $4))
    insert into auth.sessions (id, user_id, token, expires_at, ip_address, user_agent) values ($1, $1, $5, now() + interval '7 days', '127.0.0.1', 'node')`,
    [id, someone.name, someone.email, await hashed, token],
  )
  const signature = createHmac('sha256', stack.secret).update(token).digest('base64')
  const prefix = stack.publicUrl.startsWith('https:') ? '__Secure-' : ''
  someone.cookies.set(`${prefix}better-auth.session_token`, encodeURIComponent(`${token}.${signature}`))
  return someone
}

/** A person who may create organizations. */
export async function subscribed(stack: Stack, name?: string): Promise<Person> {
  const someone = await signedIn(stack, name)
  await someone.subscribe()
  return someone
}

/** An organization with one member in each of the given roles, all of them in its context. */
export async function team<Role extends 'admin' | 'editor' | 'viewer'>(
  stack: Stack,
  roles: Role[],
): Promise<{ id: string, owner: Person } & Record<Role, Person>> {
  const owner = await subscribed(stack, 'Owner')
  const { body: { id } } = await owner.post('/organization/create', { name: 'The Team' })
  const members = await Promise.all(roles.map(async (role) => {
    const someone = await signedIn(stack, role)
    const { body } = await owner.post('/organization/invite-member', { organizationId: id, email: someone.email, role })
    await someone.post('/organization/accept-invitation', { invitationId: body.id })
    await someone.post('/organization/set-active', { organizationId: id })
    return [role, someone] as const
  }))
  await owner.post('/organization/set-active', { organizationId: id })
  return { id, owner, ...Object.fromEntries(members) as Record<Role, Person> }
}

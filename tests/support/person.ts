/** A user's browser in tests: a cookie jar and the requests of a client of the auth surface. */
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { hashPassword } from 'better-auth/crypto'
import { expectMatchesDescription } from './check-description.ts'
import { linkIn } from './mail-sink.ts'
import type { Stack } from './stack.ts'

/** A response. `body` is the parsed JSON, or the text. */
export type Answer = { status: number, body: any, headers: Headers }

export const password = 'correct horse battery'

let count = 0

/** Returns the header `cookie` of a user's browser. */
export const cookieOf = ({ cookies }: { cookies: ReadonlyMap<string, string> }) =>
  [...cookies].map(([key, value]) => `${key}=${value}`).join('; ')

const newAddress = (name: string) => `${name.toLowerCase()}-${++count}@example.org`

/**
 * Creates a browser for a new user, or for an existing user if the address has an account. Sends no
 * request.
 */
export function person(
  stack: Pick<Stack, 'url' | 'sql' | 'mail'>,
  name = 'user',
  email = newAddress(name),
) {
  const cookies = new Map<string, string>()

  /**
   * Sends one request with the browser's cookies. Sends an Origin header only if `headers` has one.
   */
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const cookie = cookieOf({ cookies })
    const response = await fetch(`${stack.url}/api/auth${path}`, {
      method,
      headers: {
        ...(cookie === '' ? {} : { cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
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
      body: text === ''
        ? null
        : response.headers.get('content-type')?.includes('json')
        ? JSON.parse(text)
        : text,
      headers: response.headers,
    }
    expectMatchesDescription(method, path, answer)
    return answer
  }

  const user = {
    email,
    name,
    cookies,
    call,
    get: (path: string, headers?: Record<string, string>) => call('GET', path, undefined, headers),
    post: (path: string, body?: unknown, headers?: Record<string, string>) =>
      call('POST', path, body, headers),
    patch: (path: string, body?: unknown) => call('PATCH', path, body),
    delete: (path: string, body?: unknown) => call('DELETE', path, body),
    signUp: () => call('POST', '/sign-up/email', { email, password, name }),
    signIn: (with_ = password) => call('POST', '/sign-in/email', { email, password: with_ }),
    /** Opens the link of the verification mail. */
    verify: async () => {
      const mail = await stack.mail.waitFor(email, ({ text }) => text.includes('/verify-email'))
      return call('GET', `/verify-email${new URL(linkIn(mail)).search}`)
    },
    id: async () => (await call('GET', '/get-session')).body.user.id as string,
    token: async () => (await call('POST', '/token')).body.token as string,
    /** Stores a plan of the user, like an operator. */
    subscribe: (product = 'teams') =>
      stack.sql.query(
        `insert into api.app_subscriptions (user_id, product_id, period_end) select id, $2, now() + interval '1 year' from auth.users where email = $1`,
        [email, product],
      ),
  }
  return user
}

export type Person = ReturnType<typeof person>

let hashed: Promise<string> | undefined

/**
 * Creates a user with a verified address and a session, by inserting the rows that the service
 * would store. This saves the mail and a password hash, which takes 0.1 s of processor time. Tests
 * of sign-up use `person` instead.
 */
export async function signedIn(
  stack: Pick<Stack, 'url' | 'sql' | 'mail' | 'secret' | 'publicUrl'>,
  name?: string,
): Promise<Person> {
  const user = person(stack, name)
  hashed ??= hashPassword(password)
  const [id, token] = [randomUUID(), randomBytes(24).toString('base64url')]
  await stack.sql.query(
    `with person as (insert into auth.users (id, name, email, email_verified) values ($1, $2, $3, true)),
      account as (insert into auth.accounts (id, account_id, provider_id, user_id, password) values ($1, $1, 'credential', $1, $4))
    insert into auth.sessions (id, user_id, token, expires_at, ip_address, user_agent) values ($1, $1, $5, now() + interval '7 days', '127.0.0.1', 'node')`,
    [id, user.name, user.email, await hashed, token],
  )
  const signature = createHmac('sha256', stack.secret).update(token).digest('base64')
  const prefix = stack.publicUrl.startsWith('https:') ? '__Secure-' : ''
  user.cookies.set(
    `${prefix}better-auth.session_token`,
    encodeURIComponent(`${token}.${signature}`),
  )
  return user
}

/** Creates a signed-in user with a plan that allows organizations. */
export async function subscribed(stack: Stack, name?: string): Promise<Person> {
  const user = await signedIn(stack, name)
  await user.subscribe()
  return user
}

/**
 * Creates an organization with an owner and one member per given role. It is active in all their
 * sessions.
 */
export async function team<Role extends 'admin' | 'editor' | 'viewer'>(
  stack: Stack,
  roles: Role[],
): Promise<{ id: string, owner: Person } & Record<Role, Person>> {
  const owner = await subscribed(stack, 'Owner')
  const { body: { id } } = await owner.post('/organization/create', { name: 'The Team' })
  const members = await Promise.all(roles.map(async (role) => {
    const member = await signedIn(stack, role)
    const { body } = await owner.post('/organization/invite-member', {
      organizationId: id,
      email: member.email,
      role,
    })
    await member.post('/organization/accept-invitation', { invitationId: body.id })
    await member.post('/organization/set-active', { organizationId: id })
    return [role, member] as const
  }))
  await owner.post('/organization/set-active', { organizationId: id })
  return { id, owner, ...Object.fromEntries(members) as Record<Role, Person> }
}

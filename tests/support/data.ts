/**
 * The data surface for a test file: a database of its own, the real PostgREST on a free port, and people.
 *
 * There is no auth service here. A person is a user with a session, an organization is its members, and a token is signed
 * with a key of the test's own, exactly as the auth service would sign it.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import pg from 'pg'
import { postgrestConnection } from '../../infra/local/environment.ts'
import { freePort } from '../../infra/local/ports.ts'
import { startPostgrest } from '../../infra/local/postgrest.ts'
import { freshDatabase, passwords } from './database.ts'

export type Role = 'owner' | 'admin' | 'editor' | 'viewer'
export const roles: Role[] = ['owner', 'admin', 'editor', 'viewer']

/** Somebody with an account and a session. */
export type Person = { id: string, email: string, sessionId: string }
/** A team; `members` says who is what. */
export type Organization = { id: string, members: Map<string, Role> }

/** A body is JSON, of which each test says what it expects. */
export type Answer = { status: number, body: any, text: string, headers: Headers }
/** Headers to send. */
type Sent = Record<string, string>

/** The five verbs, as one caller. A body that is not a string is sent as JSON; an answer that is not JSON is its text. */
export type Caller = {
  get(path: string, headers?: Sent): Promise<Answer>
  head(path: string, headers?: Sent): Promise<Answer>
  post(path: string, body: unknown, headers?: Sent): Promise<Answer>
  patch(path: string, body: unknown, headers?: Sent): Promise<Answer>
  put(path: string, body: unknown, headers?: Sent): Promise<Answer>
  delete(path: string, headers?: Sent): Promise<Answer>
  /** Creates and returns the rows. @throws when the answer is not 201. */
  create(table: string, rows: unknown, headers?: Sent): Promise<any>
  /** The bearer token of this caller. */
  token(change?: Record<string, unknown>): Promise<string>
}

export type DataStack = {
  url: string
  /** The owner's connection: sees and may do everything, past every row rule. */
  owner: pg.Client
  ownerUrl: string
  person(name?: string): Promise<Person>
  organization(members: Partial<Record<Role, Person>>): Promise<Organization>
  /** A person in the personal context, or with an organization active. */
  as(person: Person, organization?: Organization): Caller
  anonymous: Caller
  stop(): Promise<void>
}

export const publicUrl = 'http://localhost:3000'
export const returning = { prefer: 'return=representation' }

function caller(url: string, token: (change?: Record<string, unknown>) => Promise<string | undefined>): Caller {
  async function send(method: string, path: string, body: unknown, headers: Sent = {}): Promise<Answer> {
    const bearer = await token()
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    let parsed: unknown = text
    try {
      parsed = text === '' ? undefined : JSON.parse(text)
    } catch {
      // CSV, for one
    }
    return { status: response.status, body: parsed, text, headers: response.headers }
  }
  return {
    get: (path, headers) => send('GET', path, undefined, headers),
    head: (path, headers) => send('HEAD', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    patch: (path, body, headers) => send('PATCH', path, body, headers),
    put: (path, body, headers) => send('PUT', path, body, headers),
    delete: (path, headers) => send('DELETE', path, undefined, headers),
    async create(table, rows, headers = {}) {
      const { status, body, text } = await send('POST', `/${table}`, rows, { ...returning, ...headers })
      if (status !== 201) throw new Error(`POST /${table} answered ${status} ${text}`)
      return Array.isArray(rows) ? body : body[0]
    },
    async token(change) {
      const bearer = await token(change)
      if (bearer === undefined) throw new Error('an anonymous caller has no token')
      return bearer
    },
  }
}

/** Starts all of it; `stop()` in `afterAll`. */
export async function dataStack(): Promise<DataStack> {
  const database = await freshDatabase()
  const owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()

  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const kid = `key-${randomBytes(4).toString('hex')}`
  await owner.query('insert into auth.jwks (id, public_key, private_key) values ($1, $2, $3)', [kid, JSON.stringify(await exportJWK(publicKey)), '"encrypted"'])

  const port = await freePort()
  const postgrest = await startPostgrest({
    host: '127.0.0.1', port, env: postgrestConnection(database.ownerUrl, passwords.authenticator), log: () => {},
  })
  const url = `http://127.0.0.1:${port}`

  let people = 0
  async function person(name = 'person'): Promise<Person> {
    const id = `${name}-${++people}-${randomBytes(4).toString('hex')}`
    const email = `${id}@example.com`
    const sessionId = randomUUID()
    await owner.query('insert into auth.users (id, name, email, email_verified) values ($1, $2, $3, true)', [id, name, email])
    await owner.query(
      `insert into auth.sessions (id, token, user_id, expires_at) values ($1, $1, $2, now() + interval '1 day')`,
      [sessionId, id],
    )
    return { id, email, sessionId }
  }

  async function organization(members: Partial<Record<Role, Person>>): Promise<Organization> {
    const id = `org-${randomBytes(6).toString('hex')}`
    const founder = members.owner ?? await person('owner')
    const all = new Map<string, Role>([[founder.id, 'owner']])
    for (const role of roles) {
      const member = members[role]
      if (member !== undefined) all.set(member.id, role)
    }
    await owner.query('insert into auth.organizations (id, name, slug) values ($1, $1, $1)', [id])
    // in one statement, because an organization always has an owner
    await owner.query(
      'insert into auth.members (id, organization_id, user_id, role) select gen_random_uuid()::text, $1, * from unnest($2::text[], $3::text[])',
      [id, [...all.keys()], [...all.values()]])
    return { id, members: all }
  }

  function as(who: Person, active?: Organization): Caller {
    let usual: Promise<string> | undefined
    const sign = (change: Record<string, unknown>) => new SignJWT({
      sub: who.id,
      user_id: who.id,
      email: who.email,
      aud: publicUrl,
      iss: publicUrl,
      role: 'authenticated',
      sid: who.sessionId,
      exp: Math.floor(Date.now() / 1000) + 3600,
      claims: active === undefined ? {} : { organization_id: active.id, organization_role: active.members.get(who.id) },
      ...change,
    }).setProtectedHeader({ alg: 'RS256', kid }).setIssuedAt().sign(privateKey)
    return caller(url, (change) => change === undefined ? usual ??= sign({}) : sign(change))
  }

  return {
    url,
    owner,
    ownerUrl: database.ownerUrl,
    person,
    organization,
    as,
    anonymous: caller(url, () => Promise.resolve(undefined)),
    async stop() {
      await postgrest.stop()
      await owner.end()
      await database.drop()
    },
  }
}

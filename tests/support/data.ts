/**
 * Callers of the data surface, without the auth service. Accounts and organizations are inserted as
 * rows. Tokens are signed with a key of the test, in the format of the auth service.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { symmetricEncrypt } from 'better-auth/crypto'
import pg from 'pg'
import { roles, storeAccounts, storeOrganization, type Account, type Role } from './accounts.ts'
import { publicUrl } from './database.ts'
import { tokenSigner, type Signer } from './signer.ts'
import { startStack, type Stack } from './stack.ts'

export { roles, type Account, type Role } from './accounts.ts'

/** An organization with the role of each member by account id. */
export type Organization = { id: string, members: Map<string, Role> }

/** A response. `body` is the parsed JSON. */
export type Answer = { status: number, body: any, text: string, headers: Headers }
type RequestHeaders = Record<string, string>

/**
 * Sends requests with one caller's token. Bodies other than strings are sent as JSON. A response
 * that is not JSON is returned as text.
 */
export type Caller = {
  get(path: string, headers?: RequestHeaders): Promise<Answer>
  head(path: string, headers?: RequestHeaders): Promise<Answer>
  post(path: string, body: unknown, headers?: RequestHeaders): Promise<Answer>
  patch(path: string, body: unknown, headers?: RequestHeaders): Promise<Answer>
  put(path: string, body: unknown, headers?: RequestHeaders): Promise<Answer>
  delete(path: string, headers?: RequestHeaders): Promise<Answer>
  /** Creates and returns the rows. @throws if the status is not 201 */
  create(table: string, rows: unknown, headers?: RequestHeaders): Promise<any>
  /** Returns this caller's bearer token. */
  token(change?: Record<string, unknown>): Promise<string>
}

export type DataStack = AsyncDisposable & {
  url: string
  /** Starts the auth service, with the edge in front of both surfaces. @returns its URL */
  startAuth(): Promise<string>
  startAnotherPostgrest: Stack['startAnotherPostgrest']
  /** A connection of the database owner, which bypasses row level security. */
  owner: pg.Client
  ownerUrl: string
  person(name?: string): Promise<Account>
  organization(members: Partial<Record<Role, Account>>): Promise<Organization>
  /**
   * Returns a caller in the personal context, or with an active organization. @param address the
   * URL of an edge; by default of PostgREST
   */
  as(account: Account, organization?: Organization, address?: string): Caller
  anonymous: Caller
  stop(): Promise<void>
}

export const returning = { prefer: 'return=representation' }

/** Returns a caller. @param url the URL of PostgREST or of an edge */
export function caller(
  url: string,
  token: (change?: Record<string, unknown>) => Promise<string | undefined>,
): Caller {
  async function send(
    method: string,
    path: string,
    body: unknown,
    headers: RequestHeaders = {},
  ): Promise<Answer> {
    const bearer = await token()
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    let parsed: unknown = text
    try {
      parsed = text === '' ? undefined : JSON.parse(text)
    } catch {
      // The response is not JSON, for example CSV.
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
      const { status, body, text } = await send('POST', `/${table}`, rows, {
        ...returning,
        ...headers,
      })
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

/**
 * Starts a database and PostgREST. Stop them by `stop()` in `afterAll`, or by `await using`.
 * @param dataEnv additional settings of PostgREST
 * @param prepareDatabase runs as the owner, before PostgREST starts
 */
export async function dataStack(
  dataEnv: Record<string, string> = {},
  prepareDatabase: (sql: pg.Pool) => Promise<unknown> = () => Promise.resolve(),
): Promise<DataStack> {
  const resources = new AsyncDisposableStack()
  // Publishes the key before PostgREST starts, so that the first request already finds it.
  const { promise: signer, resolve } = Promise.withResolvers<Signer>()
  const prepare = async (sql: pg.Pool) => {
    await prepareDatabase(sql)
    resolve(await tokenSigner(sql, publicUrl))
  }
  const env = { PUBLIC_URL: publicUrl }
  const services = resources.use(
    await startStack({ auth: false, data: true, dataEnv, env, prepare }),
  )
  const { dataUrl: url, ownerUrl, secret, startAnotherAuth, startAnotherPostgrest } = services
  const { sign } = await signer
  // A single session, so that a test can set a role or hold a lock.
  const owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  resources.defer(() => owner.end())

  let people = 0
  async function person(name = 'person'): Promise<Account> {
    const id = `${name}-${++people}-${randomBytes(4).toString('hex')}`
    const account = { id, email: `${id}@example.com`, sessionId: randomUUID() }
    await storeAccounts(owner, [account])
    return account
  }

  async function organization(members: Partial<Record<Role, Account>>): Promise<Organization> {
    const id = `org-${randomBytes(6).toString('hex')}`
    const founder = members.owner ?? await person('owner')
    const all = new Map<string, Role>([[founder.id, 'owner']])
    for (const role of roles) {
      const member = members[role]
      if (member !== undefined) all.set(member.id, role)
    }
    await storeOrganization(owner, id, all)
    return { id, members: all }
  }

  function as(account: Account, active?: Organization, address = url): Caller {
    const role = active?.members.get(account.id)
    const subject = {
      ...account,
      ...(active !== undefined &&
        { organization: { id: active.id, ...(role !== undefined && { role }) } }),
    }
    let usual: Promise<string> | undefined
    return caller(
      address,
      (change) => change === undefined ? usual ??= sign(subject) : sign(subject, change),
    )
  }

  async function startAuth(): Promise<string> {
    // the service refuses a key that its secret does not decrypt
    const sealed = await symmetricEncrypt({ key: secret, data: 'a key of the tests' })
    await owner.query('update auth.jwks set private_key = $1', [JSON.stringify(sealed)])
    return startAnotherAuth()
  }

  const stop = () => resources.disposeAsync()
  return {
    url,
    startAuth,
    startAnotherPostgrest,
    owner,
    ownerUrl,
    person,
    organization,
    as,
    anonymous: caller(url, () => Promise.resolve(undefined)),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

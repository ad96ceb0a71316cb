/**
 * The two answers that are asked for most, a session and a token, in one statement each and without the engine: where the
 * engine would read a session, find nothing to change, and say so. It decides nothing else. Whatever would be refused, renewed,
 * deleted or answered with a cookie goes to the engine, which finds the request counted already. Of API keys the engine
 * knows nothing: their tokens are issued and refused here.
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { createRateLimitKey, getIP } from '@better-auth/core/utils/ip'
import type { AuthContext } from 'better-auth'
import type { Pool, QueryResultRow } from 'pg'
import type { AuthDatabase } from '../database.ts'
import { refusal } from '../errors.ts'
import { signingKey } from '../keys/adapter.ts'
import type { Signer } from '../keys/signer.ts'
import { activeProduct, statusOf } from '../plans.ts'
import { perMinute, type Policy, type Shortcut } from '../policy.ts'
import { clientAddressHeader, type RequestContext } from '../request-context.ts'
import { apiKeyIn, hashOfApiKey } from './api-keys.ts'
import { addressLimit, otherAddressLimit, type CountedRow, type Limits, type Verdict } from './rate-limits.ts'
import { claims, claimsOfKey, issuedAt } from './token-claims.ts'

export type ShortcutParts = {
  context: AuthContext
  policies: Policy[]
  pool: Pool
  db: AuthDatabase
  limits: Limits
  defaultProduct: string | undefined
  sign: Signer
}

/** Who asks: the fields `cookie` and `authorization`, and the client's address. */
export type Asked = { cookie: string | undefined, authorization: string | undefined, address: string }

type SessionRow = {
  session_id: string
  user_id: string
  active_organization_id: string | null
  expires_at: Date
  session_created_at: Date
  ip_address: string | null
  user_agent: string | null
  email: string
}

/** What a shortcut reads beside the session. */
type Extra = {
  session: { name: string, email_verified: boolean, user_created_at: Date, user_updated_at: Date, product_id: string | null }
  token: { role: string | null, kid: string | null, tokens_issued_after: string }
}

/** A key that is good and whose it is, or that there is none; and which signing key there is. */
type KeyRow =
  & ({ id: null } | { id: string, user_id: string, organization_id: string | null, role: string, email: string })
  & { kid: string | null, tokens_issued_after: string }

/** Per client address: nobody guesses a key, and whoever tries is told to stop. */
const wrongKeys = { what: '/token with a wrong key', limit: perMinute(60) }

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/**
 * Finds the session's token in a `cookie` field, where it is the only cookie of the engine's and is signed by us.
 * @returns undefined for everything else, which the engine judges
 */
function tokenReader({ authCookies, secret }: AuthContext): (cookie: string) => string | undefined {
  const { name } = authCookies.sessionToken
  const prefix = name.slice(0, name.lastIndexOf('.') + 1)
  const key = createSecretKey(secret, 'utf8')
  return (cookie) => {
    const [pair, ...others] = cookie.split(';').map((one) => one.trim()).filter((one) => one.startsWith(prefix))
    if (pair === undefined || others.length > 0 || !pair.startsWith(`${name}=`)) return undefined
    const [, token, signature] = /^([\w-]{1,128})\.([A-Za-z0-9+/]{43}=)$/.exec(decoded(pair.slice(name.length + 1))) ?? []
    if (token === undefined || signature === undefined) return undefined
    const given = Buffer.from(signature, 'base64')
    const right = createHmac('sha256', key).update(token).digest()
    return timingSafeEqual(given, right) ? token : undefined
  }
}

/**
 * Builds the shortcuts.
 * @returns what the engine would have answered; undefined when the engine has to be asked, then with `own`
 * @throws Error when a row with a shortcut asks for something that only the engine's hook enforces
 */
export function createShortcuts({ context, policies, pool, db, limits, defaultProduct, sign }: ShortcutParts) {
  const policyOf = new Map(policies.flatMap((policy) => (policy.shortcut === undefined ? [] : [[policy.shortcut, policy] as const])))
  for (const { engine, limits: { account }, namesOrganization, hashesPassword, signsIn } of policyOf.values()) {
    if (account !== undefined || namesOrganization || hashesPassword || signsIn !== 'no')
      throw new Error(`${engine.path} has a policy that its shortcut would not enforce.`)
  }
  const { expiresIn, updateAge } = context.sessionConfig
  const tokenIn = tokenReader(context)
  /** The session that was asked for beside the count of this request, which is made whether there is one or not. */
  const sessionAndCount = (columns: string) =>
    `(
    select s.id as session_id, s.user_id, s.active_organization_id, s.expires_at, s.created_at as session_created_at, s.ip_address, s.user_agent, u.email${columns}
    from auth.sessions s join auth.users u on u.id = s.user_id where s.token = $4
  ) session right join ${limits.addressRelation} counted on true`
  const statements: Record<Shortcut, { name: string, text: string, values: unknown[] }> = {
    session: {
      name: 'session',
      text: `select * from ${sessionAndCount(', u.name, u.email_verified, u.created_at as user_created_at, u.updated_at as user_updated_at')}
        left join lateral ${activeProduct('session.user_id', '$5')} product on session.session_id is not null`,
      values: [defaultProduct ?? null],
    },
    token: {
      name: 'token',
      text: `select session.*, counted.*, m.role, key.id as kid, settings.tokens_issued_after from ${sessionAndCount('')}
        cross join private.settings
        left join auth.members m on m.organization_id = session.active_organization_id and m.user_id = session.user_id
        left join (${signingKey(db).select('id').compile().sql}) key on true`,
      values: [],
    },
  }

  const ipOf = (address: string) => getIP(new Headers({ [clientAddressHeader]: address }), context.options)

  /** Asks one statement, which counts the request. @returns its row, and what the limit of the address says */
  async function ask(
    { engine: { path }, limits: { address } }: Policy,
    ip: string,
    own: RequestContext,
    { values, ...statement }: { name: string, text: string, values: unknown[] },
  ): Promise<{ row: QueryResultRow, counted: { key: string, verdict: Verdict } } | undefined> {
    const key = createRateLimitKey(ip, path)
    const rule = addressLimit(address ?? otherAddressLimit, own)
    // of one connection, because a pool's own query is told by a callback, which is not traced
    const client = await pool.connect()
    try {
      const { rows: [row] } = await client.query<QueryResultRow & CountedRow>({ ...statement, values: [...limits.addressValues(key, rule), ...values] })
      return row && { row, counted: { key, verdict: limits.addressVerdict(row) } }
    } finally {
      client.release()
    }
  }

  /** Reads, counting the request. @returns undefined when the session is none that the engine would leave as it is */
  async function read<Name extends Shortcut>(name: Name, { cookie, address }: Asked, own: RequestContext): Promise<SessionRow & Extra[Name] | undefined> {
    const policy = policyOf.get(name)
    const token = cookie === undefined ? undefined : tokenIn(cookie)
    const ip = ipOf(address)
    if (policy === undefined || token === undefined || ip === null) return undefined
    const statement = statements[name]
    const found = await ask(policy, ip, own, { ...statement, values: [token, ...statement.values] })
    if (found === undefined) return undefined
    const row = found.row as { session_id: null } | SessionRow & Extra[Name]
    own.counted = found.counted
    if (!own.counted.verdict.allowed || row.session_id === null) return undefined
    // as the engine decides that it is time to renew it, of which having ended is a case
    return row.expires_at.getTime() - expiresIn * 1000 + updateAge * 1000 > Date.now() ? row : undefined
  }

  const keyStatement = {
    name: 'api-key',
    text: `with asking as materialized (
        select k.id, k.user_id, k.organization_id, k.role, u.email from auth.api_keys k join auth.users u on u.id = k.user_id
        where k.key_hash = $4 and auth.is_alive(k)
      ), used as (
        update auth.api_keys k set last_used_at = now() from asking
        where k.id = asking.id and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute')
      )
      select asking.*, counted.*, key.id as kid, settings.tokens_issued_after
      from asking right join ${limits.addressRelation} counted on true
      cross join private.settings
      left join (${signingKey(db).select('id').compile().sql}) key on true`,
  }

  /** A token of an API key, which decides alone, whatever cookie came with it. @throws Refusal */
  async function tokenOfKey(key: string, address: string, own: RequestContext): Promise<{ token: string }> {
    const policy = policyOf.get('token')
    const ip = ipOf(address)
    const found = policy && ip !== null ? await ask(policy, ip, own, { ...keyStatement, values: [hashOfApiKey(key)] }) : undefined
    if (found === undefined || ip === null) throw refusal('UNAUTHORIZED')
    const row = found.row as KeyRow
    const { verdict } = found.counted
    if (!verdict.allowed) throw refusal('RATE_LIMIT_EXCEEDED', undefined, verdict.retryAfterSeconds)
    if (row.id === null) {
      const { allowed, retryAfterSeconds } = await limits.consumeForAddress(createRateLimitKey(ip, wrongKeys.what), addressLimit(wrongKeys.limit, own))
      throw allowed ? refusal('UNAUTHORIZED', 'The API key is none, has ended or was revoked.') : refusal('RATE_LIMIT_EXCEEDED', undefined, retryAfterSeconds)
    }
    // the last one was revoked, and the next does not sign yet
    if (row.kid === null) throw refusal('SERVICE_BUSY', undefined, 5)
    const subject = { userId: row.user_id, email: row.email, keyId: row.id, organizationId: row.organization_id, role: row.role }
    return { token: await sign(row.kid, { iat: issuedAt(Number(row.tokens_issued_after)), ...claimsOfKey(subject), sub: row.user_id }) }
  }

  return {
    session: async (asked: Asked, own: RequestContext) => {
      const row = await read('session', asked, own)
      if (row === undefined) return undefined
      return {
        user: {
          id: row.user_id,
          email: row.email,
          name: row.name,
          emailVerified: row.email_verified,
          createdAt: row.user_created_at,
          updatedAt: row.user_updated_at,
        },
        session: {
          id: row.session_id,
          userId: row.user_id,
          activeOrganizationId: row.active_organization_id,
          expiresAt: row.expires_at,
          createdAt: row.session_created_at,
          ipAddress: row.ip_address,
          userAgent: row.user_agent,
        },
        plan: statusOf(row.product_id ?? undefined),
      }
    },
    token: async (asked: Asked, own: RequestContext) => {
      const key = apiKeyIn(asked.authorization)
      if (key !== undefined) return tokenOfKey(key, asked.address, own)
      const row = await read('token', asked, own)
      // without a key that signs, the engine says that there is none
      if (row === undefined || row.kid === null) return undefined
      const subject = { user: { id: row.user_id, email: row.email }, session: { id: row.session_id, activeOrganizationId: row.active_organization_id } }
      const payload = { iat: issuedAt(Number(row.tokens_issued_after)), ...claims(subject, row.role ?? undefined), sub: row.user_id }
      return { token: await sign(row.kid, payload) }
    },
  } satisfies Record<Shortcut, (asked: Asked, own: RequestContext) => Promise<unknown>>
}

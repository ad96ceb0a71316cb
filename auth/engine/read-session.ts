/**
 * Reads the session of a request with one statement if better-auth would change nothing.
 * better-auth reads it if the cookie is not exactly the one that it sets, or if the session must be
 * renewed or deleted.
 */
import { createSecretKey } from 'node:crypto'
import type { AuthContext } from 'better-auth'
import { getSessionFromCtx } from 'better-auth/api'
import type { Caller } from '../../http/policy.ts'
import type { PreparedQuery } from '../../http/database.ts'
import type { RouteContext } from '../../http/route.ts'
import { headerForEachValue, signedText } from './cookies.ts'
import { withBetterAuth } from './engine.ts'

/**
 * Returns a function that finds the session's token in a Cookie header. It returns undefined for
 * all other input.
 */
function tokenReader({ authCookies, secret }: AuthContext): (cookie: string) => string | undefined {
  const { name } = authCookies.sessionToken
  const prefix = name.slice(0, name.lastIndexOf('.') + 1)
  const key = createSecretKey(secret, 'utf8')
  return (cookie) => {
    const [pair, ...others] = cookie.split(';').map((one) => one.trim()).filter((one) =>
      one.startsWith(prefix)
    )
    if (pair === undefined || others.length > 0 || !pair.startsWith(`${name}=`)) return undefined
    return signedText(pair.slice(name.length + 1), key)
  }
}

const sessionByToken = {
  name: 'session',
  text:
    `select s.id as "sessionId", s.token, s.active_organization_id as "activeOrganizationId", s.ip_address as "ipAddress", s.user_agent as "userAgent",
      s.expires_at as "expiresAt", s.created_at as "sessionCreatedAt", s.updated_at as "sessionUpdatedAt",
      u.id, u.name, u.email, u.email_verified as "emailVerified", u.image, u.created_at as "createdAt", u.updated_at as "updatedAt"
    from auth.sessions s join auth.users u on u.id = s.user_id where s.token = $1`,
}

type Row = Caller['user'] & Omit<Caller['session'], 'id' | 'userId' | 'createdAt' | 'updatedAt'> & {
  sessionId: string
  sessionCreatedAt: Date
  sessionUpdatedAt: Date
}

function callerOfRow(
  {
    sessionId,
    token,
    activeOrganizationId,
    ipAddress,
    userAgent,
    expiresAt,
    sessionCreatedAt,
    sessionUpdatedAt,
    ...user
  }: Row,
): Caller {
  const session = {
    id: sessionId,
    userId: user.id,
    token,
    activeOrganizationId,
    ipAddress,
    userAgent,
    expiresAt,
  }
  return { user, session: { ...session, createdAt: sessionCreatedAt, updatedAt: sessionUpdatedAt } }
}

/**
 * Builds the reader. If the request has several cookies of the name, the first one with a session
 * counts, and `cookie` keeps only that one.
 */
export function sessionReader(
  context: AuthContext,
  query: PreparedQuery,
): (c: RouteContext) => Promise<Caller | null> {
  const tokenIn = tokenReader(context)
  const { expiresIn, updateAge } = context.sessionConfig
  const isDueForRenewal = (expiresAt: Date) =>
    expiresAt.getTime() - expiresIn * 1_000 + updateAge * 1_000 <= Date.now()
  const read = async (c: RouteContext, cookie: string): Promise<Caller | null> => {
    const token = tokenIn(cookie)
    const row = token === undefined ? undefined : await query<Row>(sessionByToken, [token])
    if (row !== undefined && !isDueForRenewal(row.expiresAt)) return callerOfRow(row)
    const caller: Caller | null = await withBetterAuth(c, getSessionFromCtx)
    // better-auth would clear the cookie. The client keeps it, because a restored backup may have
    // its session.
    if (caller === null) c.set('cookies', [])
    return caller
  }
  return async (c) => {
    for (
      const cookie of c.var.cookie === undefined
        ? []
        : headerForEachValue(c.var.cookie, context.authCookies.sessionToken.name)
    ) {
      c.set('cookie', cookie)
      const caller = await read(c, cookie)
      if (caller !== null) return caller
    }
    return null
  }
}

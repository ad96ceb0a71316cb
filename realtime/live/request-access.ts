/**
 * Reads the access of a request for a live stream: a session, a token of the data surface, or an
 * API key.
 */
import { rejection, reject } from '../../http/errors.ts'
import { originOf } from '../../http/origins.ts'
import { callerOf, type RouteContext } from '../../http/route.ts'
import type { Access } from './stream-access.ts'

async function accessOfSession(c: RouteContext): Promise<Access> {
  const { user, session } = callerOf(c)
  const activeOrganizationId = session.activeOrganizationId ?? null
  const member = activeOrganizationId === null ?
    undefined :
    await c.var.services.db.selectFrom('auth.members').select('role')
      .where('organizationId', '=', activeOrganizationId).where('userId', '=', user.id)
      .executeTakeFirst()
  return {
    sessionId: session.id,
    userId: user.id,
    organizationId: member === undefined ? null : activeOrganizationId,
    role: member?.role ?? null,
    keyRole: null,
    token: null,
    activeOrganizationId,
  }
}

async function accessOfToken(c: RouteContext, token: string): Promise<Access> {
  const claims = await c.var.services.identity.verifyToken(token)
  if (claims === undefined)
    throw rejection('UNAUTHORIZED', 'This token was not issued by this service.')
  const problem = await c.var.services.prepared<{ problem: string | null }>({
    name: 'token-problem',
    text:
      'select private.token_problem($1, s.public_url, s.tokens_issued_after) as problem from private.settings s',
  }, [JSON.stringify(claims)])
  if (problem?.problem !== null)
    throw rejection('UNAUTHORIZED', 'The token has expired or was revoked. Request a new one.')
  const {
    sid: sessionId,
    sub: userId,
    iat: issuedAt,
    exp,
    claims: { organization_id: organizationId = null, organization_role: role = null },
    api_key: keyRole = null,
  } = claims
  return {
    sessionId,
    userId,
    organizationId,
    role,
    keyRole,
    token: { issuedAt, endsAt: new Date(exp * 1_000) },
    activeOrganizationId: undefined,
  }
}

async function accessOfApiKey(c: RouteContext, key: string): Promise<Access> {
  const { id: sessionId, userId, organizationId, role: keyRole } = await c.var.services.identity
    .useApiKey(c, key)
  return {
    sessionId,
    userId,
    organizationId,
    role: organizationId === null ? null : keyRole,
    keyRole,
    token: null,
    activeOrganizationId: undefined,
  }
}

/**
 * Reads the access of a request.
 * @throws Rejection UNAUTHORIZED; FORBIDDEN for a page of an origin that is not trusted, which may
 * not use the user's cookie
 */
export async function accessOf(c: RouteContext): Promise<Access> {
  const { apiKey, token } = c.var
  if (apiKey !== undefined) return accessOfApiKey(c, apiKey)
  if (token !== undefined) return accessOfToken(c, token)
  const { publicUrl, origins } = c.var.services.config
  if (!origins.trusts(originOf(c) ?? publicUrl)) reject('FORBIDDEN')
  return accessOfSession(c)
}

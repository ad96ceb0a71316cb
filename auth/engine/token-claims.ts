/** What a token says. Source: interface "JWT claims", design "The token". */
import type { AuthDatabase } from '../database.ts'
import { secondsUntilIssued } from '../../infra/shared/revocation.ts'
import { refusal } from '../errors.ts'

/** Seconds from issue to expiry: the interface's one hour. */
export const tokenLifetimeSeconds = 3_600

/**
 * When a token is dated, in seconds since 1970: now, or right after what a revocation has ended. That includes what the thief
 * of a key may have dated ahead (private.end_tokens_of_key), so for half a minute after a revocation our own are dated ahead too.
 * @param issuedAfter private.settings.tokens_issued_after
 * @throws SERVICE_BUSY in the seconds after a revocation in which PostgREST would not take that date
 */
export function issuedAt(issuedAfter: number, now = Math.floor(Date.now() / 1000)): number {
  const wait = secondsUntilIssued(issuedAfter, now)
  if (wait > 0) throw refusal('SERVICE_BUSY', undefined, wait)
  return Math.max(now, issuedAfter + 1)
}

type Subject = {
  user: { id: string, email: string }
  session: { id: string, activeOrganizationId?: string | null | undefined }
}

/**
 * The claims for one token; the engine adds sub, aud, iss and exp, and issuedAt() says the iat. No I/O.
 * @param role the caller's in the session's active organization; undefined where there is none
 */
export const claims = ({ user, session }: Subject, role: string | undefined): Record<string, unknown> => ({
  user_id: user.id,
  email: user.email,
  // PostgREST runs a token without a role claim as the anonymous role
  role: 'authenticated',
  sid: session.id,
  claims: role === undefined ? {} : { organization_id: session.activeOrganizationId, organization_role: role },
})

/** Whom a key's token is for, and the key. */
type KeySubject = { userId: string, email: string, keyId: string, organizationId: string | null, role: string }

/** The claims for a token of an API key: a session's, of the key's context and role, and that it is of a key. No I/O. */
export const claimsOfKey = ({ userId, email, keyId, organizationId, role }: KeySubject): Record<string, unknown> => ({
  ...claims({ user: { id: userId, email }, session: { id: keyId, activeOrganizationId: organizationId } }, organizationId === null ? undefined : role),
  api_key: role,
})

/**
 * The claims with the role as it is now, and the date. It is read from the membership each time, never from the session, so that a token
 * issued after a change already says the new role.
 */
export async function claimsOf(db: AuthDatabase, subject: Subject): Promise<Record<string, unknown>> {
  const { user, session: { activeOrganizationId } } = subject
  const member = activeOrganizationId == null ? undefined : await db.selectFrom('auth.members').select('role')
    .where('organizationId', '=', activeOrganizationId).where('userId', '=', user.id).executeTakeFirst()
  const { tokensIssuedAfter } = await db.selectFrom('private.settings').select('tokensIssuedAfter').executeTakeFirstOrThrow()
  return { iat: issuedAt(Number(tokensIssuedAfter)), ...claims(subject, member?.role) }
}

/** Tokens for the data surface: their claims and their issue. */
import { secondsUntilIssued } from '../../../common/revocation.ts'
import { reject } from '../../../http/errors.ts'
import { isSigningKey } from '../../keys/signing-keys.ts'
import { callerOf, type RouteContext } from '../../../http/route.ts'

/**
 * Returns the issue date of a token, in seconds since 1970: now, or the second after the last
 * revocation of a signing key. A thief may have dated tokens ahead (private.revoke_issued_tokens),
 * so ours are dated ahead for half a minute after a revocation.
 * @param issuedAfter private.settings.tokens_issued_after
 * @throws Rejection SERVICE_BUSY while PostgREST would not accept that date
 */
export function issuedAt(issuedAfter: number, now = Math.floor(Date.now() / 1_000)): number {
  const wait = secondsUntilIssued(issuedAfter, now)
  if (wait > 0) reject('SERVICE_BUSY', wait)
  return Math.max(now, issuedAfter + 1)
}

/** The signing key now, if there is one, and the date after which tokens are valid. */
export type SigningKeyRow = { kid: string | null, tokens_issued_after: string }

/** The columns of a `SigningKeyRow` and their relations, to which a statement can join more. */
export const signingKeyColumns = `key.id as kid, settings.tokens_issued_after
    from private.settings left join (select id from auth.jwks where ${isSigningKey}) key on true`

type Subject = {
  userId: string
  email: string
  sessionId: string
  organizationId: string | null
  role: string | undefined
}

/** Signs a token. PostgREST runs a token without a role claim as the anonymous role. */
export async function issueToken(
  c: RouteContext,
  { kid, tokens_issued_after: issuedAfter }: SigningKeyRow,
  { userId, email, sessionId, organizationId, role }: Subject,
  more: Record<string, unknown> = {},
): Promise<string> {
  // the last key was revoked, and the next one does not sign yet
  if (kid === null) reject('SERVICE_BUSY', 5)
  return c.var.services.engine.sign(kid, {
    iat: issuedAt(Number(issuedAfter)),
    user_id: userId,
    email,
    role: 'authenticated',
    sid: sessionId,
    claims: role === undefined ? {} : { organization_id: organizationId, organization_role: role },
    ...more,
    sub: userId,
  })
}

const sessionStatement = {
  name: 'token',
  text:
    `select m.role, ${signingKeyColumns} left join auth.members m on m.organization_id = $1 and m.user_id = $2`,
}

/**
 * Issues a token of the session. The role is read from the membership each time, so it is the
 * current one.
 */
export async function issueSessionToken(c: RouteContext): Promise<string> {
  const { user, session } = callerOf(c)
  const organizationId = session.activeOrganizationId ?? null
  const row = await c.var.services.prepared<SigningKeyRow & { role: string | null }>(
    sessionStatement,
    [organizationId, user.id],
  )
  if (row === undefined) throw new Error('private.settings has no row.')
  return issueToken(c, row, {
    userId: user.id,
    email: user.email,
    sessionId: session.id,
    organizationId,
    role: row.role ?? undefined,
  })
}

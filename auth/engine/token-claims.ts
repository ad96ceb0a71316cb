/** What a token says. Source: interface "JWT claims", design "The token". */
import type { AuthDatabase } from '../database.ts'

/** Seconds from issue to expiry: the interface's one hour. */
export const tokenLifetimeSeconds = 3_600

type Subject = {
  user: { id: string, email: string }
  session: { id: string, activeOrganizationId?: string | null | undefined }
}

/**
 * The claims for one token; the engine adds sub, aud, iss, iat and exp. The role is read from the membership each time,
 * never from the session, so that a token issued after a change already says the new role.
 */
export async function claimsOf(db: AuthDatabase, { user, session }: Subject): Promise<Record<string, unknown>> {
  const organizationId = session.activeOrganizationId
  const member = organizationId == null ? undefined : await db.selectFrom('auth.members').select('role')
    .where('organizationId', '=', organizationId).where('userId', '=', user.id).executeTakeFirst()
  return {
    user_id: user.id,
    email: user.email,
    // PostgREST runs a token without a role claim as the anonymous role
    role: 'authenticated',
    sid: session.id,
    claims: member === undefined ? {} : { organization_id: organizationId, organization_role: member.role },
  }
}

/** Invitations: the queries that better-auth lacks. */
import type { z } from 'zod'
import type { AuthDatabase } from '../../../http/database.ts'
import { reject } from '../../../http/errors.ts'
import { plainName } from '../../sanitize-names.ts'
import { callerOf, type RouteContext } from '../../../http/route.ts'
import { invitationOf, row, type input, type output } from './schemas.ts'

const invitations = (db: AuthDatabase) =>
  db.selectFrom('auth.invitations')
    .innerJoin('auth.organizations', 'auth.organizations.id', 'auth.invitations.organizationId')
    .selectAll('auth.invitations').select('auth.organizations.name as organizationName')

/** Returns an address that its owner recognizes and others cannot complete: `a…@example.org`. */
const addressHint = (email: string): string => email.replace(/^(.)[^@]*(?=@)/u, '$1…')

/**
 * Returns an invitation to anyone who knows its random id, which is in its mail and visible to
 * managers. A user who declined or was uninvited gets no names, because they are the current ones.
 */
export async function invitationOfLink(
  c: RouteContext,
  { invitationId }: z.output<typeof input.invitation>,
): Promise<z.output<typeof output.ofLink>> {
  const { db, identity: { readSession } } = c.var.services
  const found =
    await invitations(db).innerJoin('auth.users', 'auth.users.id', 'auth.invitations.inviterId')
      .select('auth.users.name as inviterName')
      .where('auth.invitations.id', '=', invitationId).executeTakeFirst() ?? reject('NOT_FOUND')
  const { id, email, role, status, expiresAt } = row.parse(found)
  const isNamed = status === 'pending' || status === 'accepted'
  return {
    id,
    organization_name: isNamed ? plainName(found.organizationName) : null,
    inviter_name: isNamed ? plainName(found.inviterName) : null,
    role,
    status: status === 'pending' && expiresAt <= new Date() ? 'expired' : status,
    expires_at: expiresAt.toISOString(),
    email_hint: addressHint(email),
    is_for_caller: (await readSession(c))?.user.email === email,
  }
}

/**
 * Lists the pending invitations of the caller; none if the address is unverified. better-auth would
 * refuse such a caller.
 */
export async function listInvitationsOfCaller(
  c: RouteContext,
): Promise<z.output<typeof output.list>> {
  const { email, emailVerified } = callerOf(c).user
  if (!emailVerified) return []
  const rows = await invitations(c.var.services.db).where('auth.invitations.email', '=', email)
    .where('auth.invitations.status', '=', 'pending')
    .orderBy('auth.invitations.createdAt').orderBy('auth.invitations.id').execute()
  return rows.map((one) => invitationOf(row.parse(one)))
}

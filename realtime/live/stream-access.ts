/**
 * The access of a live stream, and its end. db/core/access.sql checks it, as for each data request.
 */
import type pg from 'pg'

export type Access = {
  /** The id of the session or of the API key. */
  sessionId: string
  userId: string
  /** null if the stream reports only personal rows. */
  organizationId: string | null
  role: string | null
  /**
   * The role of an API key; null for a session. The stream of an organization's key reports no
   * personal rows.
   */
  keyRole: string | null
  /** For a token: its date of issue in seconds since 1970, and its end. */
  token: { issuedAt: number, endsAt: Date } | null
  /** For a session without a token: its active organization. */
  activeOrganizationId: string | null | undefined
}

/** An access that has not ended. */
export type LivingAccess = {
  /** The time at which it ends, in milliseconds since 1970. */
  endsAt: number
  /** The id of the membership; null without one. A member who joins again has another. */
  membership: string | null
}

const ends = {
  name: 'access-ends',
  text: `select case
      when s.issued_at is not null and s.issued_at <= settings.tokens_issued_after then null
      when private.is_elsewhere(private.tenant_of(s.person, s.organization)) then null
      when s.is_session and not exists (select from auth.sessions a where a.id = s.session and a.active_organization_id is not distinct from s.active) then null
      else private.access_end(s.session, s.person, s.organization, s.role, s.key_role)
    end as ends_at, (select m.id from auth.members m where m.organization_id = s.organization and m.user_id = s.person) as membership
    from private.settings, unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::boolean[], $8::text[])
      with ordinality as s (session, person, organization, role, key_role, issued_at, is_session, active, place)
    order by s.place`,
}

/** Reads accesses with one statement. @returns undefined for an access that has ended */
export async function readAccesses(
  pool: pg.Pool,
  accesses: Access[],
): Promise<(LivingAccess | undefined)[]> {
  const column = <Value>(of: (access: Access) => Value) => accesses.map(of)
  const { rows } = await pool.query<{ ends_at: Date | null, membership: string | null }>({
    ...ends,
    values: [
      column(({ sessionId }) => sessionId),
      column(({ userId }) => userId),
      column(({ organizationId }) => organizationId),
      column(({ role }) => role),
      column(({ keyRole }) => keyRole),
      column(({ token }) => token?.issuedAt ?? null),
      column(({ activeOrganizationId }) => activeOrganizationId !== undefined),
      column(({ activeOrganizationId }) => activeOrganizationId ?? null),
    ],
  })
  return rows.map(({ ends_at: endsAt, membership }, at) => {
    const ofToken = accesses[at]?.token?.endsAt.getTime() ?? Infinity
    return endsAt === null || ofToken <= Date.now()
      ? undefined
      : { endsAt: Math.min(endsAt.getTime(), ofToken), membership }
  })
}

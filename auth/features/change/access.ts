/** The access of a live stream, and its end. db/functions/private/access.sql judges it, as for each data request. */
import type pg from 'pg'

export type Access = {
  /** The id of the session or of the API key. */
  sessionId: string
  userId: string
  /** null if the stream reports only personal rows. */
  organizationId: string | null
  role: string | null
  /** The role of an API key; null for a session. The stream of an organization's key reports no personal rows. */
  keyRole: string | null
  /** For a token: its date of issue in seconds since 1970, and its end. */
  token: { issuedAt: number, endsAt: Date } | null
  /** For a session without a token: its active organization. */
  activeOrganizationId: string | null | undefined
}

/** The times at which accesses end, in milliseconds since 1970; undefined for an access that has ended. */
export type AccessEnds = (number | undefined)[]

const ends = {
  name: 'access-ends',
  text: `select case
      when s.issued_at is not null and s.issued_at <= settings.tokens_issued_after then null
      when s.is_session and not exists (select from auth.sessions a where a.id = s.session and a.active_organization_id is not distinct from s.active) then null
      else private.access_end(s.session, s.person, s.organization, s.role, s.key_role)
    end as ends_at
    from private.settings, unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::boolean[], $8::text[])
      with ordinality as s (session, person, organization, role, key_role, issued_at, is_session, active, place)
    order by s.place`,
}

/** Reads the ends of accesses with one statement. */
export async function readAccessEnds(pool: pg.Pool, accesses: Access[]): Promise<AccessEnds> {
  const column = <Value>(of: (access: Access) => Value) => accesses.map(of)
  const { rows } = await pool.query<{ ends_at: Date | null }>({
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
  return rows.map(({ ends_at: endsAt }, at) => {
    const ofToken = accesses[at]?.token?.endsAt.getTime() ?? Infinity
    return endsAt === null || ofToken <= Date.now() ? undefined : Math.min(endsAt.getTime(), ofToken)
  })
}

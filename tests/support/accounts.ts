/**
 * Inserts users, sessions and organizations as rows, for tests of the data surface that run without
 * the auth service.
 */
import type pg from 'pg'

export type Role = 'owner' | 'admin' | 'editor' | 'viewer'
export const roles: Role[] = ['owner', 'admin', 'editor', 'viewer']

/** A user with a verified address and a session. */
export type Account = { id: string, email: string, sessionId: string }

type Owner = Pick<pg.ClientBase, 'query'>

/** Stores accounts, each with a session that expires after a day. */
export async function storeAccounts(owner: Owner, accounts: Account[]): Promise<void> {
  const ids = accounts.map(({ id }) => id)
  await owner.query(
    'insert into auth.users (id, name, email, email_verified) select id, id, email, true from unnest($1::text[], $2::text[]) as account (id, email)',
    [
      ids,
      accounts.map(({ email }) => email),
    ],
  )
  await owner.query(
    `insert into auth.sessions (id, token, user_id, expires_at) select id, id, user_id, now() + interval '1 day' from unnest($1::text[], $2::text[]) as session (id, user_id)`,
    [accounts.map(({ sessionId }) => sessionId), ids],
  )
}

/**
 * Stores an organization. @param members the role of each member by account id; one must be the
 * owner
 */
export async function storeOrganization(
  owner: Owner,
  id: string,
  members: Map<string, Role>,
): Promise<void> {
  await owner.query('insert into auth.organizations (id, name, slug) values ($1, $1, $1)', [id])
  // One statement, because a constraint requires an owner.
  await owner.query(
    `insert into auth.members (id, organization_id, user_id, role) select $1 || ' ' || id, $1, id, role from unnest($2::text[], $3::text[]) as member (id, role)`,
    [id, [...members.keys()], [...members.values()]],
  )
}

/** What becomes of a person's organizations when their account is deleted. The rule is auth.successor_of. */
import type { AuthDatabase } from './database.ts'

/** An organization and who owns it afterwards; without anybody it stays, without members, for the operator to decide about. */
export type Succession = { id: string, name: string, successor: { id: string, name: string } | null }

/** The organizations that a person owns, in the order they were made. */
export async function successions(db: AuthDatabase, userId: string): Promise<Succession[]> {
  const rows = await db.selectFrom('auth.members')
    .innerJoin('auth.organizations', 'auth.organizations.id', 'auth.members.organizationId')
    .leftJoin('auth.users', (join) => join.on('auth.users.id', '=', (on) => on.fn('auth.successor_of', ['auth.organizations.id'])))
    .select(['auth.organizations.id', 'auth.organizations.name', 'auth.users.id as successorId', 'auth.users.name as successorName'])
    .where('auth.members.userId', '=', userId).where('auth.members.role', '=', 'owner')
    .orderBy('auth.organizations.createdAt').orderBy('auth.organizations.id').execute()
  return rows.map(({ id, name, successorId, successorName }) => ({
    id,
    name,
    successor: successorId === null ? null : { id: successorId, name: successorName ?? '' },
  }))
}

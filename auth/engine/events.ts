/** The endpoints that read what happened in an account and in an organization. */
import { createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import { sql, type RawBuilder } from 'kysely'
import { z } from 'zod'
import type { AuthDatabase } from '../database.ts'
import type { RoleName } from '../roles.ts'
import { roles } from './access-control.ts'
import { refuse } from './refuse.ts'

const part = { limit: z.coerce.number(), before: z.string().optional() }

/**
 * The newest of some events, or those before one of them; what is read of them is for the caller to say.
 * @throws APIError NOT_FOUND when there is no such event among them
 */
async function newest(db: AuthDatabase, which: RawBuilder<boolean>, { limit, before }: { limit: number, before?: string | undefined }) {
  const events = db.selectFrom('auth.events as event').where(which)
  // as text, because a Date has no microseconds
  const last = before === undefined
    ? undefined
    : await events.select(sql<string>`event.happened_at::text`.as('at')).where('event.id', '=', before).executeTakeFirst() ?? refuse('NOT_FOUND')
  return events
    .$if(last !== undefined, (all) => all.where(sql<boolean>`(event.happened_at, event.id) < (${last?.at}::timestamptz, ${before})`))
    .orderBy('event.happenedAt', 'desc').orderBy('event.id', 'desc').limit(limit)
}

/** The two endpoints. */
export const eventEndpoints = (db: AuthDatabase) => ({
  listEvents: createAuthEndpoint('/list-events', {
    method: 'GET',
    query: z.object(part),
    use: [sessionMiddleware],
  }, async (context) => {
    const { id } = context.context.session.user
    const events = await newest(db, sql`event.user_id = ${id} and event.organization_id is null`, context.query)
    return context.json(
      await events.select(['event.id', 'event.kind', 'event.happenedAt', 'event.ipAddress', 'event.userAgent', 'event.detail']).execute(),
    )
  }),

  listMembershipEvents: createAuthEndpoint('/organization/list-events', {
    method: 'GET',
    query: z.object({ ...part, organizationId: z.string() }),
    use: [sessionMiddleware],
  }, async (context) => {
    const { organizationId } = context.query
    const caller = await db.selectFrom('auth.members').select('role')
      .where('organizationId', '=', organizationId).where('userId', '=', context.context.session.user.id).executeTakeFirst()
    if (caller === undefined) refuse('NOT_FOUND')
    if (!roles[caller.role as RoleName].authorize({ event: ['list'] }).success) refuse('FORBIDDEN')
    const events = await newest(db, sql`event.organization_id = ${organizationId}`, context.query)
    return context.json(
      await events
        .leftJoin('auth.users as user', 'user.id', 'event.userId').leftJoin('auth.users as actor', 'actor.id', 'event.actorId')
        .select(['event.id', 'event.kind', 'event.happenedAt', 'event.detail'])
        .select(['user.id as userId', 'user.name as userName', 'actor.id as actorId', 'actor.name as actorName']).execute(),
    )
  }),
})

/** Lists the events of accounts and organizations. Triggers write them: db/functions/private/events.sql. */
import { sql, type RawBuilder } from 'kysely'
import type { z } from 'zod'
import type { AuthDatabase } from '../../database.ts'
import { refuse } from '../../errors.ts'
import { callerOf, type RouteContext } from '../../route.ts'
import { serialize } from '../fields.ts'
import { checkRight } from '../organization/organizations.ts'
import { accountEvent, detail, membershipEvent, type input, type output } from './schemas.ts'

/**
 * Returns a query for one page of events, newest first. The caller selects its columns.
 * @throws Refusal NOT_FOUND if there is no event `before`
 */
async function newest(db: AuthDatabase, which: RawBuilder<boolean>, { limit, before }: z.output<typeof input.account>) {
  const events = db.selectFrom('auth.events as event').where(which)
  // as text, because a Date has no microseconds
  const last = before === undefined
    ? undefined
    : await events.select(sql<string>`event.happened_at::text`.as('at')).where('event.id', '=', before).executeTakeFirst() ?? refuse('NOT_FOUND')
  return events
    .$if(last !== undefined, (all) => all.where(sql<boolean>`(event.happened_at, event.id) < (${last?.at}::timestamptz, ${before})`))
    .orderBy('event.happenedAt', 'desc').orderBy('event.id', 'desc').limit(limit)
}

export async function listAccountEvents(c: RouteContext, page: z.output<typeof input.account>): Promise<z.output<typeof output.account>> {
  const events = await newest(c.var.services.db, sql`event.user_id = ${callerOf(c).user.id} and event.organization_id is null`, page)
  const rows = await events.select(['event.id', 'event.kind', 'event.happenedAt', 'event.ipAddress', 'event.userAgent', 'event.detail']).execute()
  return rows.map((row) => serialize(accountEvent, { ...row, ...detail.parse(row.detail) }))
}

const person = (id: string | null, name: string | null) => (id === null ? null : { id, name: name ?? '' })

export async function listMembershipEvents(
  c: RouteContext,
  { organizationId, ...page }: z.output<typeof input.membership>,
): Promise<z.output<typeof output.membership>> {
  await checkRight(c, organizationId, { event: ['list'] })
  const events = await newest(c.var.services.db, sql`event.organization_id = ${organizationId}`, page)
  const rows = await events
    .leftJoin('auth.users as user', 'user.id', 'event.userId').leftJoin('auth.users as actor', 'actor.id', 'event.actorId')
    .select(['event.id', 'event.kind', 'event.happenedAt', 'event.detail'])
    .select(['user.id as userId', 'user.name as userName', 'actor.id as actorId', 'actor.name as actorName']).execute()
  return rows.map((row) =>
    serialize(membershipEvent, {
      ...row,
      ...detail.parse(row.detail),
      user: person(row.userId, row.userName),
      actor: person(row.actorId, row.actorName),
    })
  )
}

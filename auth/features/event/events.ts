/**
 * The events of accounts and organizations: schemas and lists. Triggers write them:
 * db/identity/events.sql.
 */
import { sql, type RawBuilder } from 'kysely'
import { z } from 'zod'
import type { AuthDatabase } from '../../../http/database.ts'
import { reject } from '../../../http/errors.ts'
import { accountEventKinds, membershipEventKinds } from '../../events.ts'
import { roleNames } from '../../roles.ts'
import { callerOf, type RouteContext } from '../../../http/route.ts'
import { address, exampleId, id, rowId, serialize, time } from '../../../http/fields.ts'
import { checkRight } from '../organization/organizations.ts'

/** The fields that select a page of a list. */
const pageFields = {
  limit: z.coerce.number().int().min(1).max(100).default(50),
  before: id.optional().meta({
    description:
      'Id of the last event of the previous page. The list begins with the next older event.',
    examples: [exampleId],
  }),
}

export const input = {
  account: z.object(pageFields),
  membership: z.object({ organizationId: id, ...pageFields }),
}

/** The `detail` column, as the triggers write it. */
const detail = z.object({
  newDevice: z.boolean(),
  name: z.string(),
  email: z.string(),
  previousEmail: z.string(),
  role: z.enum(roleNames),
  previousRole: z.enum(roleNames),
}).partial()

const somebody = z.object({ id: rowId, name: z.string().meta({ examples: ['Ann'] }) }).nullable()

const accountEvent = z.object({
  id: rowId,
  kind: z.enum(accountEventKinds),
  happened_at: time,
  ip_address: z.string().nullable().meta({
    description: 'null if no request caused it.',
    examples: ['203.0.113.7'],
  }),
  user_agent: z.string().nullable().meta({ examples: ['Mozilla/5.0'] }),
  new_device: z.boolean().optional().meta({
    description: 'For a sign-in: whether it is the first of this program in this network.',
  }),
  name: z.string().optional().meta({
    description: 'Name of the added or removed object, if it has one.',
    examples: ['My phone'],
  }),
  email: address.optional(),
  previous_email: address.optional(),
}).meta({ id: 'AccountEvent', description: 'An event of an account.' })

const membershipEvent = z.object({
  id: rowId,
  kind: z.enum(membershipEventKinds),
  happened_at: time,
  user: somebody.meta({ description: 'The member; null after the deletion of the account.' }),
  actor: somebody.meta({
    description: 'The user who caused it; null if unknown, and after the deletion of the account.',
  }),
  role: z.enum(roleNames).optional().meta({
    description: 'The role of a new member, or the new role of a member.',
  }),
  previous_role: z.enum(roleNames).optional(),
}).meta({ id: 'MembershipEvent', description: 'An event of a membership.' })

export const output = { account: z.array(accountEvent), membership: z.array(membershipEvent) }

/**
 * Returns a query for one page of events, newest first. The caller selects its columns.
 * @throws Rejection NOT_FOUND if there is no event `before`
 */
async function newest(
  db: AuthDatabase,
  which: RawBuilder<boolean>,
  { limit, before }: z.output<typeof input.account>,
) {
  const events = db.selectFrom('auth.events as event').where(which)
  // read as text, because a Date would lose the microseconds
  const last = before === undefined
    ? undefined
    : await events.select(sql<string>`event.happened_at::text`.as('at')).where(
      'event.id',
      '=',
      before,
    ).executeTakeFirst() ?? reject('NOT_FOUND')
  return events
    .$if(
      last !== undefined,
      (all) =>
        all.where(
          sql<boolean>`(event.happened_at, event.id) < (${last?.at}::timestamptz, ${before})`,
        ),
    )
    .orderBy('event.happenedAt', 'desc').orderBy('event.id', 'desc').limit(limit)
}

export async function listAccountEvents(
  c: RouteContext,
  page: z.output<typeof input.account>,
): Promise<z.output<typeof output.account>> {
  const events = await newest(
    c.var.services.db,
    sql`event.user_id = ${callerOf(c).user.id} and event.organization_id is null`,
    page,
  )
  const rows = await events.select([
    'event.id',
    'event.kind',
    'event.happenedAt',
    'event.ipAddress',
    'event.userAgent',
    'event.detail',
  ]).execute()
  return rows.map((row) => serialize(accountEvent, { ...row, ...detail.parse(row.detail) }))
}

const person = (
  userId: string | null,
  name: string | null,
) => (userId === null ? null : { id: userId, name: name ?? '' })

export async function listMembershipEvents(
  c: RouteContext,
  { organizationId, ...page }: z.output<typeof input.membership>,
): Promise<z.output<typeof output.membership>> {
  await checkRight(c, organizationId, { event: ['list'] })
  const events = await newest(
    c.var.services.db,
    sql`event.organization_id = ${organizationId}`,
    page,
  )
  const rows = await events
    .leftJoin('auth.users as user', 'user.id', 'event.userId').leftJoin(
      'auth.users as actor',
      'actor.id',
      'event.actorId',
    )
    .select(['event.id', 'event.kind', 'event.happenedAt', 'event.detail'])
    .select([
      'user.id as userId',
      'user.name as userName',
      'actor.id as actorId',
      'actor.name as actorName',
    ]).execute()
  return rows.map((row) =>
    serialize(membershipEvent, {
      ...row,
      ...detail.parse(row.detail),
      user: person(row.userId, row.userName),
      actor: person(row.actorId, row.actorName),
    })
  )
}

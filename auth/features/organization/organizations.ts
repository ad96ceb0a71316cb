/** Organizations: the operations that better-auth lacks, or does in several steps. */
import { randomBytes } from 'node:crypto'
import anyAscii from 'any-ascii'
import { generateId } from 'better-auth'
import type { z } from 'zod'
import { reject } from '../../../http/errors.ts'
import { roles, type RoleName } from '../../roles.ts'
import { callerOf, type RouteContext } from '../../../http/route.ts'
import { memberOf, organizationOf, type input, type output } from './schemas.ts'

/** Length of the readable part. A slug has up to 64 characters, and the random part needs nine. */
const readableLength = 48

/**
 * Makes a unique, readable slug from a name in any script.
 * @returns `zurich-` and eight random characters for "Zürich"; `team-…` if no part of the name is
 * readable
 */
export function slugOf(name: string): string {
  const asciiName = anyAscii(name.normalize('NFC')).toLowerCase().replace(/['`]/g, '').replace(
    /[^a-z0-9]+/g,
    '-',
  )
  const readable = asciiName.replace(/^-/, '').slice(0, readableLength).replace(/-$/, '')
  return `${readable === '' ? 'team' : readable}-${randomBytes(4).toString('hex')}`
}

/**
 * Creates an organization and its owner in one transaction. A trigger of auth.members enforces the
 * limit of five, so concurrent requests cannot exceed it. The active organization stays, because
 * only set-active changes it.
 */
export async function createOrganization(
  c: RouteContext,
  given: z.output<typeof input.create>,
): Promise<z.output<typeof output.organization>> {
  const { db, plans } = c.var.services
  const { user } = callerOf(c)
  if (!user.emailVerified) reject('EMAIL_NOT_VERIFIED')
  if (!await plans.mayCreateOrganizations(user.id)) reject('SUBSCRIPTION_REQUIRED')
  const createdAt = new Date()
  const metadata = given.metadata === undefined ? null : JSON.stringify(given.metadata)
  const values = {
    id: generateId(),
    name: given.name,
    slug: given.slug ?? slugOf(given.name),
    logo: given.logo ?? null,
    metadata,
    createdAt,
  }
  return db.transaction().execute(async (trx) => {
    const organization = await trx.insertInto('auth.organizations').values(values).returningAll()
      .executeTakeFirstOrThrow()
    await trx.insertInto('auth.members').values({
      id: generateId(),
      userId: user.id,
      organizationId: values.id,
      role: 'owner',
      createdAt,
    }).execute()
    return organizationOf(organization)
  })
}

/** Lists the caller's organizations with one query. better-auth needs one for each organization. */
export async function listOrganizations(c: RouteContext): Promise<z.output<typeof output.list>> {
  const rows = await c.var.services.db.selectFrom('auth.members')
    .innerJoin('auth.organizations', 'auth.organizations.id', 'auth.members.organizationId')
    .selectAll('auth.organizations').select('auth.members.role')
    .where('auth.members.userId', '=', callerOf(c).user.id)
    .orderBy('auth.organizations.createdAt').orderBy('auth.organizations.id').execute()
  return rows.map((row) => ({ ...organizationOf(row), role: row.role as RoleName }))
}

export async function countMembers(c: RouteContext, organizationId: string): Promise<number> {
  const { count } = await c.var.services.db.selectFrom('auth.members').select(({ fn }) =>
    fn.countAll<string>().as('count')
  )
    .where('organizationId', '=', organizationId).executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Checks the caller's right in an organization.
 * @throws Rejection NOT_FOUND if the caller is no member, FORBIDDEN if the role does not allow it
 */
export async function checkRight(
  c: RouteContext,
  organizationId: string,
  right: Parameters<typeof roles.owner.authorize>[0],
): Promise<void> {
  const member = await c.var.services.db.selectFrom('auth.members').select('role')
    .where('organizationId', '=', organizationId).where('userId', '=', callerOf(c).user.id)
    .executeTakeFirst()
  if (member === undefined) reject('NOT_FOUND')
  if (!roles[member.role as RoleName].authorize(right).success) reject('FORBIDDEN')
}

/**
 * Changes the given fields. better-auth's own endpoint reads the metadata back with a parser that
 * changes dates and throws at a field named `constructor`.
 */
export async function updateOrganization(
  c: RouteContext,
  { organizationId, metadata, ...change }: z.output<typeof input.update>,
): Promise<z.output<typeof output.updated>> {
  await checkRight(c, organizationId, { organization: ['update'] })
  const row = await c.var.services.db.updateTable('auth.organizations')
    .set({ ...change, ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }) })
    .where('id', '=', organizationId).returningAll().executeTakeFirst() ?? reject('NOT_FOUND')
  return { ...organizationOf(row), updated_at: row.updatedAt.toISOString() }
}

/**
 * Returns the member id that better-auth expects. For a user who is not a member, returns an id
 * that no member has.
 */
export async function memberIdOf(
  c: RouteContext,
  { organizationId, userId }: z.output<typeof input.member>,
): Promise<string> {
  const row = await c.var.services.db.selectFrom('auth.members').select('id')
    .where('organizationId', '=', organizationId).where('userId', '=', userId).executeTakeFirst()
  return row?.id ?? 'nobody'
}

/**
 * Makes a member the owner and the owner an admin, in one transaction.
 * @throws Rejection FORBIDDEN if the caller is not the owner, NOT_FOUND if the other user is no
 * member
 */
export function transferOwnership(
  c: RouteContext,
  { organizationId, userId }: z.output<typeof input.member>,
) {
  const owner = callerOf(c).user.id
  if (userId === owner) reject('VALIDATION_ERROR')
  return c.var.services.db.transaction().execute(async (trx) => {
    const update = (member: string, role: RoleName) =>
      trx.updateTable('auth.members').set({ role }).where('organizationId', '=', organizationId)
        .where('userId', '=', member)
    const demoted = await update(owner, 'admin').where('role', '=', 'owner').executeTakeFirst()
    if (demoted.numUpdatedRows !== 1n) reject('FORBIDDEN')
    const promoted = await update(userId, 'owner').returningAll().executeTakeFirst() ??
      reject('NOT_FOUND')
    return memberOf({ ...promoted, role: 'owner' })
  })
}

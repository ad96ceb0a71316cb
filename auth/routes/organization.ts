/** Organizations and members. Source: interface "Organization endpoints", design "Where the interface is silent". */
import { randomBytes } from 'node:crypto'
import type { AuthDatabase } from '../database.ts'
import { member, native, organization, organizationWithRole, schemas, updatedOrganization } from '../shapes.ts'
import { route } from '../translate.ts'

/** A slug from a name: readable, and never one that somebody has. */
const slugOf = (name: string): string => {
  const readable = name.normalize('NFKD').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 48).replace(/-$/, '')
  return `${readable === '' ? 'team' : readable}-${randomBytes(4).toString('hex')}`
}

/** The engine knows members by an id of their own. An unknown user becomes an id that no member has. */
const memberIdOf = async (db: AuthDatabase, { organizationId, userId }: { organizationId: string, userId: string }): Promise<string> => {
  const row = await db.selectFrom('auth.members').select('id')
    .where('organizationId', '=', organizationId).where('userId', '=', userId).executeTakeFirst()
  return row?.id ?? 'nobody'
}

export const organizationRoutes = [
  route({
    method: 'POST', path: '/organization/create', input: schemas.createOrganization, reply: native.organization,
    native: { method: 'POST', path: '/organization/create-with-owner' },
    // it does not become the active one: only set-active changes that
    toNative: (input) => ({ ...input, slug: input.slug ?? slugOf(input.name) }),
    present: organization,
  }),
  route({
    method: 'GET', path: '/organization/list', input: schemas.nothing, reply: native.organizations,
    native: { method: 'GET', path: '/organization/list-with-role' },
    present: (reply) => reply.map(organizationWithRole),
  }),
  route({
    method: 'GET', path: '/organization/get', input: schemas.organization, reply: native.organization,
    native: { method: 'GET', path: '/organization/get-organization' },
    present: async (reply, { db }) => {
      const { count } = await db.selectFrom('auth.members').select(({ fn }) => fn.countAll<string>().as('count'))
        .where('organizationId', '=', reply.id).executeTakeFirstOrThrow()
      return { ...organization(reply), members_count: Number(count) }
    },
  }),
  route({
    method: 'PATCH', path: '/organization/update', input: schemas.updateOrganization, reply: native.organization,
    native: { method: 'POST', path: '/organization/update-as-given' },
    present: updatedOrganization,
  }),
  route({
    method: 'DELETE', path: '/organization/delete', input: schemas.organization, reply: native.organization,
    native: { method: 'POST', path: '/organization/delete' },
    present: (reply) => ({ success: true, organization: organization(reply) }),
  }),
  route({
    method: 'POST', path: '/organization/set-active', input: schemas.setActive, reply: native.done,
    native: { method: 'POST', path: '/organization/set-active' },
    present: (_, { input, caller }) => ({ session: { id: caller?.sessionId, active_organization_id: input.organizationId } }),
  }),
  route({
    method: 'GET', path: '/organization/list-members', input: schemas.organization, reply: native.members,
    native: { method: 'GET', path: '/organization/list-members' },
    present: ({ members }) => members.map(member),
  }),
  route({
    method: 'PATCH', path: '/organization/update-member-role', input: schemas.updateMemberRole, reply: native.member,
    native: { method: 'POST', path: '/organization/update-member-role' },
    toNative: async (input, db) => ({ organizationId: input.organizationId, memberId: await memberIdOf(db, input), role: input.role }),
    present: (reply) => ({ success: true, member: member(reply) }),
  }),
  route({
    method: 'POST', path: '/organization/remove-member', input: schemas.member, reply: native.memberChanged,
    native: { method: 'POST', path: '/organization/remove-member' },
    toNative: async (input, db) => ({ organizationId: input.organizationId, memberIdOrEmail: await memberIdOf(db, input) }),
    present: (reply) => ({ success: true, member: member(reply.member) }),
  }),
  route({
    method: 'POST', path: '/organization/leave', input: schemas.organization, reply: native.member,
    native: { method: 'POST', path: '/organization/leave' },
    present: (reply) => ({ success: true, member: member(reply) }),
  }),
  route({
    method: 'POST', path: '/organization/transfer-ownership', input: schemas.member, reply: native.member,
    native: { method: 'POST', path: '/organization/transfer-ownership' },
    present: (reply) => ({ success: true, member: member(reply) }),
  }),
]

/** Organizations and members. Source: interface "Organization endpoints", design "Where the interface is silent". */
import { randomBytes } from 'node:crypto'
import type { AuthDatabase } from '../database.ts'
import { engineReplies } from './engine-replies.ts'
import { member, organization, organizationWithRole, updatedOrganization } from './presenters.ts'
import { route } from './route.ts'
import { schemas } from './schemas.ts'

/** A slug from a name: readable, and never one that somebody has. */
const slugOf = (name: string): string => {
  const readable = name.normalize('NFKD').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 48).replace(/-$/, '')
  return `${readable === '' ? 'team' : readable}-${randomBytes(4).toString('hex')}`
}

/** The engine knows members by an id of their own. An unknown user becomes an id that no member has. */
const memberIdOf = async ({ organizationId, userId }: { organizationId: string, userId: string }, db: AuthDatabase): Promise<string> => {
  const row = await db.selectFrom('auth.members').select('id')
    .where('organizationId', '=', organizationId).where('userId', '=', userId).executeTakeFirst()
  return row?.id ?? 'nobody'
}

export const organizationRoutes = [
  route({
    method: 'POST',
    path: '/organization/create',
    input: schemas.createOrganization,
    reply: engineReplies.organization,
    engine: { method: 'POST', path: '/organization/create-with-owner' },
    // only set-active changes the active organization
    toEngine: (input) => ({ ...input, slug: input.slug ?? slugOf(input.name) }),
    present: organization,
  }),
  route({
    method: 'GET',
    path: '/organization/list',
    input: schemas.nothing,
    reply: engineReplies.organizations,
    engine: { method: 'GET', path: '/organization/list-with-role' },
    present: (reply) => reply.map(organizationWithRole),
  }),
  route({
    method: 'GET',
    path: '/organization/get',
    input: schemas.organization,
    reply: engineReplies.organization,
    engine: { method: 'GET', path: '/organization/get-organization' },
    namesOrganization: true,
    load: (reply, { db }) =>
      db.selectFrom('auth.members').select(({ fn }) => fn.countAll<string>().as('count'))
        .where('organizationId', '=', reply.id).executeTakeFirstOrThrow(),
    present: (reply, { loaded: { count } }) => ({ ...organization(reply), members_count: Number(count) }),
  }),
  route({
    method: 'PATCH',
    path: '/organization/update',
    input: schemas.updateOrganization,
    reply: engineReplies.organization,
    engine: { method: 'POST', path: '/organization/update-as-given' },
    namesOrganization: true,
    present: updatedOrganization,
  }),
  route({
    method: 'DELETE',
    path: '/organization/delete',
    input: schemas.organization,
    reply: engineReplies.organization,
    engine: { method: 'POST', path: '/organization/delete' },
    namesOrganization: true,
    present: (reply) => ({ success: true, organization: organization(reply) }),
  }),
  route({
    method: 'POST',
    path: '/organization/set-active',
    input: schemas.setActive,
    reply: engineReplies.done,
    engine: { method: 'POST', path: '/organization/set-active' },
    namesOrganization: true,
    present: (_, { input, caller }) => ({ session: { id: caller?.sessionId, active_organization_id: input.organizationId } }),
  }),
  route({
    method: 'GET',
    path: '/organization/list-members',
    input: schemas.organization,
    reply: engineReplies.members,
    engine: { method: 'GET', path: '/organization/list-members' },
    namesOrganization: true,
    present: ({ members }) => members.map(member),
  }),
  route({
    method: 'PATCH',
    path: '/organization/update-member-role',
    input: schemas.updateMemberRole,
    reply: engineReplies.member,
    engine: { method: 'POST', path: '/organization/update-member-role' },
    namesOrganization: true,
    find: memberIdOf,
    toEngine: ({ organizationId, role }, memberId) => ({ organizationId, memberId, role }),
    present: (reply) => ({ success: true, member: member(reply) }),
  }),
  route({
    method: 'POST',
    path: '/organization/remove-member',
    input: schemas.member,
    reply: engineReplies.memberChanged,
    engine: { method: 'POST', path: '/organization/remove-member' },
    namesOrganization: true,
    find: memberIdOf,
    toEngine: ({ organizationId }, memberId) => ({ organizationId, memberIdOrEmail: memberId }),
    present: (reply) => ({ success: true, member: member(reply.member) }),
  }),
  route({
    method: 'POST',
    path: '/organization/leave',
    input: schemas.organization,
    reply: engineReplies.member,
    engine: { method: 'POST', path: '/organization/leave' },
    namesOrganization: true,
    present: (reply) => ({ success: true, member: member(reply) }),
  }),
  route({
    method: 'POST',
    path: '/organization/transfer-ownership',
    input: schemas.member,
    reply: engineReplies.member,
    engine: { method: 'POST', path: '/organization/transfer-ownership' },
    namesOrganization: true,
    present: (reply) => ({ success: true, member: member(reply) }),
  }),
]

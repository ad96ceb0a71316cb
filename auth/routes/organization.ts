/** Organizations and members. Source: interface "Organization endpoints", design "Where the interface is silent". */
import type { AuthDatabase } from '../database.ts'
import { engineReplies } from './engine-replies.ts'
import { member, organization, organizationWithRole, updatedOrganization } from './presenters.ts'
import { route } from './route.ts'
import { exampleId, schemas } from './schemas.ts'
import { slugOf } from './slug.ts'
import { wire } from './wire.ts'

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
    summary: 'Creates an organization, whose owner is who is signed in.',
    description: 'Needs a verified address and a plan of the Teams tier or higher.',
    input: schemas.createOrganization,
    example: { name: 'The Household' },
    refuses: ['EMAIL_NOT_VERIFIED', 'SUBSCRIPTION_REQUIRED', 'ORGANIZATION_LIMIT_REACHED', 'SLUG_TAKEN'],
    reply: engineReplies.organization,
    engine: { method: 'POST', path: '/organization/create-with-owner' },
    // only set-active changes the active organization
    toEngine: (input) => ({ ...input, slug: input.slug ?? slugOf(input.name) }),
    answer: wire.organization,
    present: organization,
  }),
  route({
    method: 'GET',
    path: '/organization/list',
    summary: 'Lists the organizations of who is signed in, each with their role.',
    input: schemas.nothing,
    reply: engineReplies.organizations,
    engine: { method: 'GET', path: '/organization/list-with-role' },
    answer: wire.organizations,
    present: (reply) => reply.map(organizationWithRole),
  }),
  route({
    method: 'GET',
    path: '/organization/get',
    summary: 'Reads an organization, with how many belong to it.',
    input: schemas.organization,
    example: { organizationId: exampleId },
    reply: engineReplies.organization,
    engine: { method: 'GET', path: '/organization/get-organization' },
    namesOrganization: true,
    load: (reply, { db }) =>
      db.selectFrom('auth.members').select(({ fn }) => fn.countAll<string>().as('count'))
        .where('organizationId', '=', reply.id).executeTakeFirstOrThrow(),
    answer: wire.organizationWithCount,
    present: (reply, { loaded: { count } }) => ({ ...organization(reply), members_count: Number(count) }),
  }),
  route({
    method: 'PATCH',
    path: '/organization/update',
    summary: 'Changes an organization. Owners and admins may.',
    input: schemas.updateOrganization,
    example: { organizationId: exampleId, name: 'The New Household' },
    refuses: ['SLUG_TAKEN'],
    reply: engineReplies.organization,
    engine: { method: 'POST', path: '/organization/update-as-given' },
    namesOrganization: true,
    answer: wire.updatedOrganization,
    present: updatedOrganization,
  }),
  route({
    method: 'DELETE',
    path: '/organization/delete',
    summary: 'Deletes an organization with all its data. Its owner may.',
    input: schemas.organization,
    example: { organizationId: exampleId },
    reply: engineReplies.organization,
    engine: { method: 'POST', path: '/organization/delete' },
    namesOrganization: true,
    answer: wire.organizationDeleted,
    present: (reply) => ({ success: true, organization: organization(reply) }),
  }),
  route({
    method: 'POST',
    path: '/organization/set-active',
    summary: 'Chooses the context of the session: an organization, or with null the personal one.',
    description: 'A token that was issued before stays in its own context.',
    input: schemas.setActive,
    example: { organizationId: null },
    reply: engineReplies.done,
    engine: { method: 'POST', path: '/organization/set-active' },
    ofSession: 'moves',
    namesOrganization: true,
    answer: wire.activeSession,
    present: (_, { input, caller }) => ({ session: { id: caller?.sessionId ?? '', active_organization_id: input.organizationId } }),
  }),
  route({
    method: 'GET',
    path: '/organization/list-members',
    summary: 'Lists who belongs to an organization.',
    input: schemas.organization,
    example: { organizationId: exampleId },
    reply: engineReplies.members,
    engine: { method: 'GET', path: '/organization/list-members' },
    namesOrganization: true,
    answer: wire.members,
    present: ({ members }) => members.map(member),
  }),
  route({
    method: 'PATCH',
    path: '/organization/update-member-role',
    summary: 'Gives a member another role. Owners and admins may.',
    input: schemas.updateMemberRole,
    example: { organizationId: exampleId, userId: exampleId, role: 'editor' },
    refuses: ['OWNER_REQUIRED'],
    reply: engineReplies.member,
    engine: { method: 'POST', path: '/organization/update-member-role' },
    namesOrganization: true,
    find: memberIdOf,
    toEngine: ({ organizationId, role }, memberId) => ({ organizationId, memberId, role }),
    answer: wire.memberChanged,
    present: (reply) => ({ success: true, member: member(reply) }),
  }),
  route({
    method: 'POST',
    path: '/organization/remove-member',
    summary: 'Removes somebody from an organization. Owners and admins may.',
    input: schemas.member,
    example: { organizationId: exampleId, userId: exampleId },
    refuses: ['OWNER_REQUIRED'],
    reply: engineReplies.memberChanged,
    engine: { method: 'POST', path: '/organization/remove-member' },
    namesOrganization: true,
    find: memberIdOf,
    toEngine: ({ organizationId }, memberId) => ({ organizationId, memberIdOrEmail: memberId }),
    answer: wire.memberChanged,
    present: (reply) => ({ success: true, member: member(reply.member) }),
  }),
  route({
    method: 'POST',
    path: '/organization/leave',
    summary: 'Leaves an organization. Its owner transfers the ownership first.',
    input: schemas.organization,
    example: { organizationId: exampleId },
    refuses: ['OWNER_REQUIRED'],
    reply: engineReplies.member,
    engine: { method: 'POST', path: '/organization/leave' },
    namesOrganization: true,
    answer: wire.memberChanged,
    present: (reply) => ({ success: true, member: member(reply) }),
  }),
  route({
    method: 'POST',
    path: '/organization/transfer-ownership',
    summary: 'Makes a member the owner, and the owner an admin.',
    input: schemas.member,
    example: { organizationId: exampleId, userId: exampleId },
    reply: engineReplies.member,
    engine: { method: 'POST', path: '/organization/transfer-ownership' },
    namesOrganization: true,
    answer: wire.memberChanged,
    present: (reply) => ({ success: true, member: member(reply) }),
  }),
]

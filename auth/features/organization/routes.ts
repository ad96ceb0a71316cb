/** The routes of organizations and members. */
import { callBetterAuth, passToBetterAuth } from '../../engine/engine.ts'
import { callerOf, route } from '../../../http/route.ts'
import { deleteWithRows } from '../delete-with-rows.ts'
import { exampleId, nothing } from '../../../http/fields.ts'
import {
  countMembers,
  createOrganization,
  listOrganizations,
  memberIdOf,
  transferOwnership,
  updateOrganization,
} from './organizations.ts'
import { input, memberOf, organizationOf, output, reply } from './schemas.ts'

export const organizationRoutes = [
  route('POST', '/organization/create', {
    summary: 'Creates an organization. The signed-in user becomes its owner.',
    description: 'Needs a verified address and a plan of the Teams tier or higher.',
    input: input.create,
    example: { name: 'The Household' },
    rejects: [
      'EMAIL_NOT_VERIFIED',
      'SUBSCRIPTION_REQUIRED',
      'ORGANIZATION_LIMIT_REACHED',
      'SLUG_TAKEN',
    ],
    output: output.organization,
    handle: createOrganization,
  }),
  route('GET', '/organization/list', {
    summary: 'Lists the organizations of the signed-in user, with the role in each.',
    input: nothing,
    output: output.list,
    handle: listOrganizations,
  }),
  route('GET', '/organization/get', {
    summary: 'Returns an organization with the number of its members.',
    input: input.organization,
    example: { organizationId: exampleId },
    betterAuth: 'GET /organization/get-organization',
    namesOrganization: true,
    output: output.withCount,
    handle: async (c, query) => {
      const organization = await callBetterAuth(c, reply.organization, query)
      return {
        ...organizationOf(organization),
        members_count: await countMembers(c, organization.id),
      }
    },
  }),
  route('PATCH', '/organization/update', {
    summary: 'Changes an organization. For owners and admins.',
    input: input.update,
    example: { organizationId: exampleId, name: 'The New Household' },
    rejects: ['SLUG_TAKEN'],
    namesOrganization: true,
    output: output.updated,
    handle: updateOrganization,
  }),
  route('DELETE', '/organization/delete', {
    summary: 'Deletes an organization with all its data. For its owner.',
    input: input.organization,
    example: { organizationId: exampleId },
    betterAuth: 'POST /organization/delete',
    namesOrganization: true,
    // deleteWithRows() makes the transaction
    isAtomic: false,
    output: output.deleted,
    handle: async (c, body) => {
      // per caller, so that nobody else can hold the owner's deletion up
      const subject = `organization ${body.organizationId} by ${callerOf(c).user.id}`
      return {
        success: true,
        organization: organizationOf(
          await deleteWithRows(c, subject, () => callBetterAuth(c, reply.organization, body)),
        ),
      }
    },
  }),
  route('POST', '/organization/set-active', {
    summary: 'Sets the context of the session: an organization, or the personal one with null.',
    description: 'An earlier token keeps its context.',
    input: input.setActive,
    example: { organizationId: null },
    betterAuth: 'POST /organization/set-active',
    sessionEffect: 'switches',
    namesOrganization: true,
    output: output.activeSession,
    handle: async (c, body) => {
      await passToBetterAuth(c, body)
      return {
        session: { id: callerOf(c).session.id, active_organization_id: body.organizationId },
      }
    },
  }),
  route('GET', '/organization/list-members', {
    summary: 'Lists the members of an organization.',
    input: input.organization,
    example: { organizationId: exampleId },
    betterAuth: 'GET /organization/list-members',
    namesOrganization: true,
    output: output.members,
    handle: async (c, query) =>
      (await callBetterAuth(c, reply.members, query)).members.map(memberOf),
  }),
  route('PATCH', '/organization/update-member-role', {
    summary: 'Changes the role of a member. For owners and admins.',
    input: input.updateMemberRole,
    example: { organizationId: exampleId, userId: exampleId, role: 'editor' },
    rejects: ['OWNER_REQUIRED'],
    betterAuth: 'POST /organization/update-member-role',
    namesOrganization: true,
    output: output.memberChanged,
    handle: async (c, body) => {
      const { organizationId, role } = body
      const member = await callBetterAuth(c, reply.member, {
        organizationId,
        role,
        memberId: await memberIdOf(c, body),
      })
      return { success: true, member: memberOf(member) }
    },
  }),
  route('POST', '/organization/remove-member', {
    summary: 'Removes a member from an organization. For owners and admins.',
    input: input.member,
    example: { organizationId: exampleId, userId: exampleId },
    rejects: ['OWNER_REQUIRED'],
    betterAuth: 'POST /organization/remove-member',
    namesOrganization: true,
    output: output.memberChanged,
    handle: async (c, body) => {
      const { member } = await callBetterAuth(c, reply.memberChanged, {
        organizationId: body.organizationId,
        memberIdOrEmail: await memberIdOf(c, body),
      })
      return { success: true, member: memberOf(member) }
    },
  }),
  route('POST', '/organization/leave', {
    summary: 'Leaves an organization. Its owner transfers the ownership first.',
    input: input.organization,
    example: { organizationId: exampleId },
    rejects: ['OWNER_REQUIRED'],
    betterAuth: 'POST /organization/leave',
    namesOrganization: true,
    output: output.memberChanged,
    handle: async (c, body) => ({
      success: true,
      member: memberOf(await callBetterAuth(c, reply.member, body)),
    }),
  }),
  route('POST', '/organization/transfer-ownership', {
    summary: 'Makes a member the owner, and the owner an admin.',
    input: input.member,
    example: { organizationId: exampleId, userId: exampleId },
    namesOrganization: true,
    output: output.memberChanged,
    handle: async (c, body) => ({ success: true, member: await transferOwnership(c, body) }),
  }),
]

/** Teams, members and invitations. The service calls teams organizations. */
import { queryOptions } from '@tanstack/react-query'
import type { Invitation } from 'finance-client'
import { finance } from './client.ts'
import { chooseContext, eventPages } from './me.ts'
import { team as m } from '../messages/team.ts'

const { organization } = finance.auth

/** Roles of an invitation. There is one owner, who can transfer the ownership. */
export type GrantableRole = Invitation['role']
export const grantableRoles: Record<GrantableRole, string> = m.roles

export const membersQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, 'members'],
    queryFn: () => organization.listMembers({ organizationId }),
  })

/** Pending invitations of a team, for its owner and admins. */
export const invitationsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, 'invitations'],
    queryFn: async () =>
      (await organization.listInvitations({ organizationId })).filter(({ status }) =>
        status === 'pending'
      ),
  })

/** Pending invitations of the user. Requires a verified address. */
export const myInvitationsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['me', userId, 'invitations'],
    queryFn: () => organization.listUserInvitations(),
  })

/** The invitation of a link. @param userId the signed-in user, if any */
export const invitationQuery = (invitationId: string, userId: string | null) =>
  queryOptions({
    queryKey: ['invitation', invitationId, userId],
    queryFn: () => organization.getInvitation({ invitationId }),
    retry: false,
  })

/** Creates a team and makes it the context. */
export async function createTeam(name: string): Promise<void> {
  const { id } = await organization.create({ name })
  await chooseContext(id)
}

export const renameTeam = (input: { organizationId: string, name: string }) =>
  organization.update(input)

/** Returns to the personal context. */
export async function leaveTeam(organizationId: string): Promise<void> {
  await organization.leave({ organizationId })
  await chooseContext(null)
}

/** Returns to the personal context. */
export async function deleteTeam(organizationId: string): Promise<void> {
  await organization.delete({ organizationId })
  await chooseContext(null)
}

type MemberKey = { organizationId: string, userId: string }
export const changeRole = (input: MemberKey & { role: GrantableRole }) =>
  organization.updateMemberRole(input)
export const removeMember = (input: MemberKey) => organization.removeMember(input)
export const transferTeam = (input: MemberKey) => organization.transferOwnership(input)

export const invite = (input: { organizationId: string, email: string, role: GrantableRole }) =>
  organization.inviteMember(input)
export const cancelInvitation = (invitationId: string) =>
  organization.cancelInvitation({ invitationId })

/**
 * Returns the answered invitation. The token of the mailed link verifies the address. Accepting
 * does not switch the context.
 */
export const answerInvitation = (
  { isAccepted, ...input }: { invitationId: string, token?: string, isAccepted: boolean },
) => isAccepted ? organization.acceptInvitation(input) : organization.rejectInvitation(input)

/** Membership events, for the owner and admins. */
export const membershipEventsQuery = (organizationId: string) =>
  eventPages(
    [organizationId, 'events'],
    (page) => organization.listEvents({ organizationId, ...page }),
  )

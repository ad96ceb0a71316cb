/** Teams: who belongs to them, in which role, and who is invited. The service calls them organizations. */
import { queryOptions } from '@tanstack/react-query'
import type { Invitation } from 'finance-client'
import { finance } from './client.ts'
import { chooseContext } from './me.ts'

const { organization } = finance.auth

/** The roles that can be given; there is one owner, who passes that on. */
export type GivenRole = Invitation['role']
export const givenRoles: Record<GivenRole, string> = {
  admin: 'Admin: everything, members too, but not the deletion of the team',
  editor: 'Editor: reads and changes what the team has',
  viewer: 'Viewer: reads what the team has',
}

export const membersQuery = (organizationId: string) =>
  queryOptions({ queryKey: [organizationId, 'members'], queryFn: () => organization.listMembers({ organizationId }) })

/** Those of a team that wait for an answer. Its owner and admins may ask. */
export const invitationsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [organizationId, 'invitations'],
    queryFn: async () => (await organization.listInvitations({ organizationId })).filter(({ status }) => status === 'pending'),
  })

/** Those that wait for who is signed in, whose address has to be verified. */
export const myInvitationsQuery = (userId: string) =>
  queryOptions({ queryKey: ['me', userId, 'invitations'], queryFn: () => organization.listUserInvitations() })

/** One as its link tells it, to whoever has the link. @param asker whose answer it is */
export const invitationQuery = (invitationId: string, asker: string | null) =>
  queryOptions({ queryKey: ['invitation', invitationId, asker], queryFn: () => organization.getInvitation({ invitationId }), retry: false })

/** Creates a team and makes it the context. */
export async function createTeam(name: string): Promise<void> {
  const { id } = await organization.create({ name })
  await chooseContext(id)
}

export const renameTeam = (input: { organizationId: string, name: string }) => organization.update(input)

/** The context is the personal one then. */
export async function leaveTeam(organizationId: string): Promise<void> {
  await organization.leave({ organizationId })
  await chooseContext(null)
}

/** The context is the personal one then. */
export async function deleteTeam(organizationId: string): Promise<void> {
  await organization.delete({ organizationId })
  await chooseContext(null)
}

type OfMember = { organizationId: string, userId: string }
export const giveRole = (input: OfMember & { role: GivenRole }) => organization.updateMemberRole(input)
export const removeMember = (input: OfMember) => organization.removeMember(input)
export const transferTeam = (input: OfMember) => organization.transferOwnership(input)

export const invite = (input: { organizationId: string, email: string, role: GivenRole }) => organization.inviteMember(input)
export const takeInvitationBack = (invitationId: string) => organization.cancelInvitation({ invitationId })

/** @returns the invitation as it is then; accepting it changes no context */
export const answerInvitation = ({ invitationId, isAccepted }: { invitationId: string, isAccepted: boolean }) =>
  isAccepted ? organization.acceptInvitation({ invitationId }) : organization.rejectInvitation({ invitationId })

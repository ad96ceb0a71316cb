/** The routes of invitations. */
import { callBetterAuth } from '../../engine/engine.ts'
import { perMinute } from '../../../http/policy.ts'
import { route } from '../../../http/route.ts'
import { exampleId, nothing } from '../../../http/fields.ts'
import { input as organizationInput, memberOf } from '../organization/schemas.ts'
import { verifyInvitedAddress } from './address-proof.ts'
import { invitationOfLink, listInvitationsOfCaller } from './invitations.ts'
import { input, invitationOf, output, reply } from './schemas.ts'

export const invitationRoutes = [
  route('POST', '/organization/invite-member', {
    summary: 'Invites a user by email. For owners and admins.',
    input: input.invite,
    example: { organizationId: exampleId, email: 'bob@example.com', role: 'editor' },
    rejects: [
      'ALREADY_INVITED',
      'ALREADY_MEMBER',
      'INVITATION_LIMIT_REACHED',
      'MEMBERSHIP_LIMIT_REACHED',
    ],
    betterAuth: 'POST /organization/invite-member',
    namesOrganization: true,
    // by the caller, so that no stranger can use up the invitations of an address
    limits: {
      accounts: [
        { by: 'caller', window: 3_600, max: 100 },
        { by: 'caller and email', window: 3_600, max: 20 },
      ],
    },
    output: output.invitation,
    handle: async (c, body) => invitationOf(await callBetterAuth(c, reply.invitation, body)),
  }),
  route('POST', '/organization/accept-invitation', {
    summary: 'Accepts an invitation to the address of the signed-in user.',
    description: 'With the `token` of the mailed link, an unverified address is verified first.',
    input: input.answer,
    example: { invitationId: exampleId },
    rejects: ['NOT_FOUND', 'EMAIL_NOT_VERIFIED', 'MEMBERSHIP_LIMIT_REACHED', 'ALREADY_MEMBER'],
    betterAuth: 'POST /organization/accept-invitation',
    output: output.accepted,
    handle: async (c, { invitationId, token }) => {
      await verifyInvitedAddress(c, invitationId, token)
      const { invitation, member } = await callBetterAuth(c, reply.answered, { invitationId })
      return {
        success: true,
        invitation: invitationOf(invitation),
        ...(member ? { member: memberOf(member) } : {}),
      }
    },
  }),
  route('POST', '/organization/reject-invitation', {
    summary: 'Declines an invitation to the address of the signed-in user.',
    description: 'With the `token` of the mailed link, an unverified address is verified first.',
    input: input.answer,
    example: { invitationId: exampleId },
    rejects: ['NOT_FOUND', 'EMAIL_NOT_VERIFIED'],
    betterAuth: 'POST /organization/reject-invitation',
    output: output.answered,
    handle: async (c, { invitationId, token }) => {
      await verifyInvitedAddress(c, invitationId, token)
      return {
        success: true,
        invitation: invitationOf(
          (await callBetterAuth(c, reply.answered, { invitationId })).invitation,
        ),
      }
    },
  }),
  route('POST', '/organization/cancel-invitation', {
    summary: 'Cancels an invitation. For owners and admins.',
    input: input.invitation,
    example: { invitationId: exampleId },
    rejects: ['NOT_FOUND'],
    betterAuth: 'POST /organization/cancel-invitation',
    output: output.answered,
    handle: async (c, body) => ({
      success: true,
      invitation: invitationOf(await callBetterAuth(c, reply.invitation, body)),
    }),
  }),
  route('GET', '/organization/list-invitations', {
    summary: 'Lists the invitations of an organization. For owners and admins.',
    input: organizationInput.organization,
    example: { organizationId: exampleId },
    rejects: ['FORBIDDEN'],
    betterAuth: 'GET /organization/list-invitations',
    namesOrganization: true,
    output: output.list,
    handle: async (c, query) => (await callBetterAuth(c, reply.list, query)).map(invitationOf),
  }),
  route('GET', '/organization/get-invitation', {
    summary:
      'Returns an invitation to any client that has the link of its email, with or without a session.',
    description:
      'For the page of the link. Also returns an answered invitation, until a month after its expiry. A declined or canceled one has no names.',
    input: input.invitation,
    example: { invitationId: exampleId },
    rejects: ['NOT_FOUND'],
    credentials: [],
    limits: { address: perMinute(60) },
    output: output.ofLink,
    handle: invitationOfLink,
  }),
  route('GET', '/organization/list-user-invitations', {
    summary: 'Lists the pending invitations of the signed-in user.',
    description: 'Empty before the address is verified.',
    input: nothing,
    output: output.list,
    handle: listInvitationsOfCaller,
  }),
]

/** Invitations. Source: interface "Invitation", design "Where the interface is silent". */
import { invitation, member, native, schemas } from '../shapes.ts'
import { route } from '../route.ts'

export const invitationRoutes = [
  route({
    method: 'POST', path: '/organization/invite-member', input: schemas.inviteMember, reply: native.invitation,
    engine: { method: 'POST', path: '/organization/invite-member' },
    namesOrganization: true, limits: { account: { by: 'email', window: 3_600, max: 20 } },
    present: invitation,
  }),
  route({
    method: 'POST', path: '/organization/accept-invitation', input: schemas.invitation, reply: native.invitationAnswered,
    engine: { method: 'POST', path: '/organization/accept-invitation' },
    present: (reply) => ({ success: true, invitation: invitation(reply.invitation), ...(reply.member ? { member: member(reply.member) } : {}) }),
  }),
  route({
    method: 'POST', path: '/organization/reject-invitation', input: schemas.invitation, reply: native.invitationAnswered,
    engine: { method: 'POST', path: '/organization/reject-invitation' },
    present: (reply) => ({ success: true, invitation: invitation(reply.invitation) }),
  }),
  route({
    method: 'POST', path: '/organization/cancel-invitation', input: schemas.invitation, reply: native.invitation,
    engine: { method: 'POST', path: '/organization/cancel-invitation' },
    present: (reply) => ({ success: true, invitation: invitation(reply) }),
  }),
  route({
    method: 'GET', path: '/organization/list-invitations', input: schemas.organization, reply: native.invitations,
    engine: { method: 'GET', path: '/organization/list-invitations' },
    namesOrganization: true,
    present: (reply) => reply.map(invitation),
  }),
  route({
    method: 'GET', path: '/organization/list-user-invitations', input: schemas.nothing, reply: native.invitations,
    engine: { method: 'GET', path: '/organization/list-user-invitations' },
    present: (reply) => reply.map(invitation),
  }),
]

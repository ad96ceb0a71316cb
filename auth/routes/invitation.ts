/** Invitations. Source: interface "Invitation", design "Where the interface is silent". */
import { engineReplies } from './engine-replies.ts'
import { invitation, member } from './presenters.ts'
import { route } from './route.ts'
import { schemas } from './schemas.ts'

export const invitationRoutes = [
  route({
    method: 'POST',
    path: '/organization/invite-member',
    input: schemas.inviteMember,
    reply: engineReplies.invitation,
    engine: { method: 'POST', path: '/organization/invite-member' },
    namesOrganization: true,
    limits: { account: { by: 'email', window: 3_600, max: 20 } },
    present: invitation,
  }),
  route({
    method: 'POST',
    path: '/organization/accept-invitation',
    input: schemas.invitation,
    reply: engineReplies.invitationAnswered,
    engine: { method: 'POST', path: '/organization/accept-invitation' },
    present: (reply) => ({ success: true, invitation: invitation(reply.invitation), ...(reply.member ? { member: member(reply.member) } : {}) }),
  }),
  route({
    method: 'POST',
    path: '/organization/reject-invitation',
    input: schemas.invitation,
    reply: engineReplies.invitationAnswered,
    engine: { method: 'POST', path: '/organization/reject-invitation' },
    present: (reply) => ({ success: true, invitation: invitation(reply.invitation) }),
  }),
  route({
    method: 'POST',
    path: '/organization/cancel-invitation',
    input: schemas.invitation,
    reply: engineReplies.invitation,
    engine: { method: 'POST', path: '/organization/cancel-invitation' },
    present: (reply) => ({ success: true, invitation: invitation(reply) }),
  }),
  route({
    method: 'GET',
    path: '/organization/list-invitations',
    input: schemas.organization,
    reply: engineReplies.invitations,
    engine: { method: 'GET', path: '/organization/list-invitations' },
    namesOrganization: true,
    present: (reply) => reply.map(invitation),
  }),
  route({
    method: 'GET',
    path: '/organization/list-user-invitations',
    input: schemas.nothing,
    reply: engineReplies.invitations,
    engine: { method: 'GET', path: '/organization/list-user-invitations' },
    present: (reply) => reply.map(invitation),
  }),
]

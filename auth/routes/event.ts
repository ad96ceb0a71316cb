/** What happened: in one's own account, and to the membership of an organization. */
import { engineReplies } from './engine-replies.ts'
import { accountEvent, membershipEvent } from './presenters.ts'
import { route } from './route.ts'
import { exampleId, schemas } from './schemas.ts'
import { wire } from './wire.ts'

export const eventRoutes = [
  route({
    method: 'GET',
    path: '/list-events',
    summary: 'Lists what happened in the account of who is signed in, newest first: sign-ins, and whatever opens the account.',
    description: 'How long an event is kept is the operator’s to say.',
    input: schemas.events,
    example: {},
    refuses: ['NOT_FOUND'],
    reply: engineReplies.accountEvents,
    engine: { method: 'GET', path: '/list-events' },
    answer: wire.accountEvents,
    present: (reply) => reply.map(accountEvent),
  }),
  route({
    method: 'GET',
    path: '/organization/list-events',
    summary: 'Lists who joined, left and was removed, and whose role changed, newest first. Owners and admins may.',
    description: 'How long an event is kept is the operator’s to say.',
    input: schemas.membershipEvents,
    example: { organizationId: exampleId },
    refuses: ['NOT_FOUND', 'FORBIDDEN'],
    reply: engineReplies.membershipEvents,
    engine: { method: 'GET', path: '/organization/list-events' },
    namesOrganization: true,
    answer: wire.membershipEvents,
    present: (reply) => reply.map(membershipEvent),
  }),
]

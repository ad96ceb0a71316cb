/** Events of accounts and of organizations. */
import { route } from '../../route.ts'
import { exampleId } from '../fields.ts'
import { input, listAccountEvents, listMembershipEvents, output } from './events.ts'

export const eventRoutes = [
  route('GET', '/list-events', {
    summary: 'Lists what happened in the account of who is signed in, newest first: sign-ins, and whatever opens the account.',
    description: 'How long an event is kept is the operator’s to say.',
    input: input.account,
    example: {},
    refuses: ['NOT_FOUND'],
    output: output.account,
    handle: listAccountEvents,
  }),
  route('GET', '/organization/list-events', {
    summary: 'Lists who joined, left and was removed, and whose role changed, newest first. Owners and admins may.',
    description: 'How long an event is kept is the operator’s to say.',
    input: input.membership,
    example: { organizationId: exampleId },
    refuses: ['NOT_FOUND', 'FORBIDDEN'],
    namesOrganization: true,
    output: output.membership,
    handle: listMembershipEvents,
  }),
]

/** Events of accounts and of organizations. */
import { route } from '../../../http/route.ts'
import { exampleId } from '../../../http/fields.ts'
import { input, listAccountEvents, listMembershipEvents, output } from './events.ts'

export const eventRoutes = [
  route('GET', '/list-events', {
    summary:
      'Lists the events of the account, newest first: sign-ins, and changes of passwords, factors, keys and addresses.',
    description: 'The operator configures the retention (`EVENTS_DAYS`).',
    input: input.account,
    example: {},
    rejects: ['NOT_FOUND'],
    output: output.account,
    handle: listAccountEvents,
  }),
  route('GET', '/organization/list-events', {
    summary:
      'Lists the membership events of an organization, newest first: joins, leaves, removals and changes of roles. For owners and admins.',
    description: 'The operator configures the retention (`EVENTS_DAYS`).',
    input: input.membership,
    example: { organizationId: exampleId },
    rejects: ['NOT_FOUND', 'FORBIDDEN'],
    namesOrganization: true,
    output: output.membership,
    handle: listMembershipEvents,
  }),
]

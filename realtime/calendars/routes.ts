/** The routes of calendars. */
import { respondWith, route } from '../../http/route.ts'
import { done, exampleId, needsConfirmation, nothing, unconfirmed } from '../../http/fields.ts'
import {
  createCalendar,
  input,
  listCalendars,
  output,
  readCalendar,
  revokeCalendar,
} from './handlers.ts'

export const calendarRoutes = [
  route('POST', '/calendar/create', {
    summary:
      'Creates a link that shows due payments in a calendar app. The link is returned only once.',
    description:
      'It shows the due days of recurring expenses, income and transfers of one context, without amounts unless `amounts` is true. ' +
      'It ends by `/calendar/revoke`, when the user leaves the team, by a password reset, and by a stopped change of the address.',
    input: input.create,
    example: { name: 'What is due', password: 'correct horse' },
    rejects: [...unconfirmed, 'EMAIL_NOT_VERIFIED', 'CALENDAR_LIMIT_REACHED'],
    namesOrganization: true,
    ...needsConfirmation,
    output: output.created,
    handle: createCalendar,
  }),
  route('GET', '/calendar/list', {
    summary: 'Lists the addresses of calendars of the signed-in user, of all contexts.',
    input: nothing,
    output: output.list,
    handle: listCalendars,
  }),
  route('POST', '/calendar/revoke', {
    summary: 'Revokes the address of a calendar.',
    input: input.revoke,
    example: { calendarId: exampleId },
    rejects: ['NOT_FOUND'],
    output: done,
    handle: respondWith({ success: true }, revokeCalendar),
  }),
  route('GET', '/calendar/{secret}.ics', {
    summary:
      'Returns a calendar, for calendar programs. The secret in the address is the only credential.',
    description:
      'All-day events from 31 days ago to 366 days from now, at most 2,000. `ETag` saves a program from reading the same calendar again. ' +
      'A wrong or revoked secret is 404.',
    credentials: [],
    input: input.read,
    example: { secret: 'cal_5xQ2' },
    rejects: ['NOT_FOUND', 'SERVICE_BUSY'],
    requestHeaders: {
      'If-None-Match': 'The `ETag` of the last response. An unchanged calendar is 304.',
    },
    mediaType: 'text/calendar',
    output: output.read,
    handle: readCalendar,
  }),
]

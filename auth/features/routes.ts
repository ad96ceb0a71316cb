/** The table of all routes. A path that has no row here is not reachable. */
import type { Route } from '../route.ts'
import { accountRoutes } from './account/routes.ts'
import { apiKeyRoutes } from './api-key/routes.ts'
import { calendarRoutes } from './calendar/routes.ts'
import { changeRoutes } from './change/routes.ts'
import { eventRoutes } from './event/routes.ts'
import { fileRoutes } from './file/routes.ts'
import { invitationRoutes } from './invitation/routes.ts'
import { organizationRoutes } from './organization/routes.ts'
import { passkeyRoutes } from './passkey/routes.ts'
import { sessionRoutes } from './session/routes.ts'
import { singleSignOnRoutes } from './single-sign-on/routes.ts'
import { twoFactorRoutes } from './two-factor/routes.ts'
import { webhookRoutes } from './webhook/routes.ts'

/** The features, in the order and with the names of the description. */
export const groups: { name: string, description: string, routes: Route[] }[] = [
  { name: 'Accounts', description: 'Sign-up, sign-in, passwords, addresses and deletion.', routes: accountRoutes },
  { name: 'Sessions', description: 'The signed-in user, sessions, and the token for the data surface.', routes: sessionRoutes },
  { name: 'Two factors', description: 'A code in addition to the password.', routes: twoFactorRoutes },
  { name: 'Passkeys', description: 'Sign-in without a password.', routes: passkeyRoutes },
  { name: 'Single sign-on', description: 'The ways to sign in, and sign-in with the provider of the operator.', routes: singleSignOnRoutes },
  { name: 'Organizations', description: 'Teams, their members, and the active team of a session.', routes: organizationRoutes },
  { name: 'Invitations', description: 'Invitations to a team, and their answers.', routes: invitationRoutes },
  { name: 'Events', description: 'Events of an account and of a team.', routes: eventRoutes },
  { name: 'Live', description: 'Changes of rows, as they happen.', routes: changeRoutes },
  { name: 'API keys', description: 'Keys for programs of a user.', routes: apiKeyRoutes },
  { name: 'Webhooks', description: 'Servers that receive a message when rows change.', routes: webhookRoutes },
  { name: 'Files', description: 'The bytes of attachments.', routes: fileRoutes },
  { name: 'Calendars', description: 'Addresses at which calendar programs read what is due.', routes: calendarRoutes },
]

export const routes: Route[] = groups.flatMap((group) => group.routes)

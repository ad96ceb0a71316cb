/** The routes of identity. auth/rooms.ts adds those of the other rooms. */
import type { RouteGroup } from '../../http/room.ts'
import { accountRoutes } from './account/routes.ts'
import { apiKeyRoutes } from './api-key/routes.ts'
import { eventRoutes } from './event/routes.ts'
import { invitationRoutes } from './invitation/routes.ts'
import { organizationRoutes } from './organization/routes.ts'
import { passkeyRoutes } from './passkey/routes.ts'
import { sessionRoutes } from './session/routes.ts'
import { singleSignOnRoutes } from './single-sign-on/routes.ts'
import { twoFactorRoutes } from './two-factor/routes.ts'

/** The features, in the order and with the names of the description. */
export const identityGroups: RouteGroup[] = [
  {
    name: 'Accounts',
    description: 'Sign-up, sign-in, passwords, addresses and deletion.',
    routes: accountRoutes,
  },
  {
    name: 'Sessions',
    description: 'The signed-in user, sessions, and the token for the data surface.',
    routes: sessionRoutes,
  },
  {
    name: 'Two factors',
    description: 'A code in addition to the password.',
    routes: twoFactorRoutes,
  },
  { name: 'Passkeys', description: 'Sign-in without a password.', routes: passkeyRoutes },
  {
    name: 'Single sign-on',
    description: 'The ways to sign in, and sign-in with the provider of the operator.',
    routes: singleSignOnRoutes,
  },
  {
    name: 'Organizations',
    description: 'Teams, their members, and the active team of a session.',
    routes: organizationRoutes,
  },
  {
    name: 'Invitations',
    description: 'Invitations to a team, and their answers.',
    routes: invitationRoutes,
  },
  { name: 'Events', description: 'Events of an account and of a team.', routes: eventRoutes },
  { name: 'API keys', description: 'Keys for programs of a user.', routes: apiKeyRoutes },
]

/** The table of all routes. A path that has no row here is not reachable. */
import type { Route } from '../route.ts'
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
export const groups: { name: string, description: string, routes: Route[] }[] = [
  { name: 'Accounts', description: 'From sign-up to a new password.', routes: accountRoutes },
  { name: 'Sessions', description: 'Who is signed in, and the token for the data surface.', routes: sessionRoutes },
  { name: 'Two factors', description: 'A code beside the password.', routes: twoFactorRoutes },
  { name: 'Passkeys', description: 'How somebody signs in without a password.', routes: passkeyRoutes },
  { name: 'Single sign-on', description: 'How one signs in here, and signing in with the provider of the operator.', routes: singleSignOnRoutes },
  { name: 'Organizations', description: 'Teams, who belongs to them, and which of them a session works in.', routes: organizationRoutes },
  { name: 'Invitations', description: 'How somebody comes to a team.', routes: invitationRoutes },
  { name: 'Events', description: 'What happened in an account and in a team.', routes: eventRoutes },
  { name: 'API keys', description: "Keys for a person's programs.", routes: apiKeyRoutes },
]

export const routes: Route[] = groups.flatMap((group) => group.routes)

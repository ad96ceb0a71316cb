/** The route table. */
import { accountRoutes } from './account.ts'
import { apiKeyRoutes } from './api-key.ts'
import { eventRoutes } from './event.ts'
import { invitationRoutes } from './invitation.ts'
import { oidcRoutes } from './oidc.ts'
import { organizationRoutes } from './organization.ts'
import { passkeyRoutes } from './passkey.ts'
import type { Route } from './route.ts'
import { sessionRoutes } from './session.ts'
import { twoFactorRoutes } from './two-factor.ts'

/** The routes by what they are about: the name and the sentence under which a description lists them. */
export const groups: { name: string, description: string, routes: Route[] }[] = [
  { name: 'Accounts', description: 'From sign-up to a new password.', routes: accountRoutes },
  { name: 'Sessions', description: 'Who is signed in, and the token for the data surface.', routes: sessionRoutes },
  { name: 'Two factors', description: 'A code beside the password.', routes: twoFactorRoutes },
  { name: 'Passkeys', description: 'How somebody signs in without a password.', routes: passkeyRoutes },
  { name: 'Single sign-on', description: 'How one signs in here, and signing in with the provider of the operator.', routes: oidcRoutes },
  { name: 'Organizations', description: 'Teams, who belongs to them, and which of them a session works in.', routes: organizationRoutes },
  { name: 'Invitations', description: 'How somebody comes to a team.', routes: invitationRoutes },
  { name: 'Events', description: 'What happened in an account and in a team.', routes: eventRoutes },
  { name: 'API keys', description: "Keys for a person's programs.", routes: apiKeyRoutes },
]

/** All of the auth surface. What is not a row here is not reachable. */
export const routes: Route[] = groups.flatMap((group) => group.routes)

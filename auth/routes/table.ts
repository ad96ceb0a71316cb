/** The route table. */
import { accountRoutes } from './account.ts'
import { invitationRoutes } from './invitation.ts'
import { organizationRoutes } from './organization.ts'
import type { Route } from './route.ts'
import { sessionRoutes } from './session.ts'

/** All of the auth surface. What is not a row here is not reachable. */
export const routes: Route[] = [...accountRoutes, ...sessionRoutes, ...organizationRoutes, ...invitationRoutes]

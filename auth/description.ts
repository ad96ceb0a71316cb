/**
 * The description of the auth surface, and the files that `npm run schema` writes from its routes
 * and errors.
 */
import { clientRoutesFile } from '../http/client-routes.ts'
import { surfaceDescription } from '../http/description.ts'
import { errorsFile } from '../http/errors-page.ts'
import { pageRoutes } from './pages/pages.ts'
import { groups, routes } from './rooms.ts'

/** Describes all routes and pages. */
export const describeSurface = () => surfaceDescription(groups, pageRoutes)

/** Returns the text of each generated file. */
export const surfaceFiles = (): Record<string, string> => ({
  'client/routes.ts': clientRoutesFile(routes),
  'docs/errors.md': errorsFile(),
})

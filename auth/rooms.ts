/**
 * The rooms that the auth service runs, and the tables of all routes and sweeps. A path that has no
 * row is not reachable.
 */
import type { Kept, Sweep } from '../common/jobs/sweep.ts'
import type { Program, RouteGroup } from '../http/room.ts'
import type { Route } from '../http/route.ts'
import { rates } from '../rates/index.ts'
import { realtime } from '../realtime/index.ts'
import { storage } from '../storage/index.ts'
import { identityGroups } from './features/routes.ts'
import { identitySweeps } from './housekeeping.ts'

/**
 * All routes of the auth surface in the groups of the description, also those that realtime/ serves
 * in a process of its own.
 */
export const groups: RouteGroup[] = [
  ...identityGroups,
  ...realtime.routes,
  ...storage.routes,
  ...rates.routes,
]

export const routes: Route[] = groups.flatMap((group) => group.routes)

/**
 * Returns the routes of a process. @param servesRealtime false if realtime/ has a process of its
 * own
 */
export const routesOf = (servesRealtime: boolean): Route[] => {
  const ofRealtime = new Set(realtime.routes.flatMap((group) => group.routes))
  return servesRealtime ? routes : routes.filter((row) => !ofRealtime.has(row))
}

/** The sweeps of all rooms. The auth service runs them wherever the rooms are. */
export const sweepsOf = (program: Pick<Program, 'pool' | 'objects'>, kept: Kept): Sweep[] => [
  ...identitySweeps(program.pool, kept),
  ...[realtime, storage, rates].flatMap((room) => room.sweeps(program, kept)),
]

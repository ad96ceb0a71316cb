/** Where the person is: who they are, in which context, and what they may do there. */
import { useQuery } from '@tanstack/react-query'
import type { OrganizationWithRole, User } from 'finance-client'
import { createContext, type ReactNode, use, useMemo } from 'react'
import { type Context, contextOf } from '../data/context.ts'
import { meQuery, teamsQuery } from '../data/me.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { type Rights, rightsOf, type Role } from './rights.ts'
import { useSession } from './session.ts'

export type Here = {
  user: User
  teams: OrganizationWithRole[]
  context: Context
  /** null in the personal context. */
  team: OrganizationWithRole | null
  role: Role | null
  rights: Rights
  isSubscribed: boolean
}

const HereContext = createContext<Here | null>(null)

/** @throws outside of the pages of somebody who is signed in */
export function useHere(): Here {
  const here = use(HereContext)
  if (here === null) throw new Error('useHere belongs to pages below HereProvider')
  return here
}

/** Shows its children when it is known who is here. */
export function HereProvider({ children }: { children: ReactNode }) {
  const { session } = useSession()
  const userId = session?.user_id ?? ''
  const organizationId = session?.active_organization_id ?? null
  const me = useQuery({ ...meQuery(userId), enabled: userId !== '' })
  const teams = useQuery({ ...teamsQuery(userId), enabled: userId !== '' })
  const here = useMemo((): Here | null => {
    if (me.data === undefined || teams.data === undefined) return null
    // of a team that the person has left only the personal context is left
    const team = teams.data.find(({ id }) => id === organizationId) ?? null
    const role = team?.role ?? null
    const { user, subscription: { isSubscribed } } = me.data
    return { user, teams: teams.data, context: contextOf(team?.id ?? null), team, role, rights: rightsOf(role), isSubscribed }
  }, [me.data, teams.data, organizationId])
  const error = me.error ?? teams.error
  if (here === null) return error === null ? <Skeleton rows={6} /> : <ErrorNote error={error} />
  return <HereContext value={here}>{children}</HereContext>
}

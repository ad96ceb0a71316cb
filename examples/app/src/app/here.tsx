/** Where the person is: who they are, in which context, and what they may do there. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { OrganizationWithRole, User } from 'finance-client'
import { createContext, type ReactNode, use, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { type Context, contextOf } from '../data/context.ts'
import { meQuery, teamsQuery } from '../data/me.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { isWriting } from '../parts/form.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useTell } from '../parts/toast.tsx'
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
  /** Where the session has gone while something was written here; null while it is where this page is. */
  elsewhere: { name: string, follow: () => void } | null
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
  const chosen = session?.active_organization_id ?? null
  const me = useQuery({ ...meQuery(userId), enabled: userId !== '' })
  const teams = useQuery({ ...teamsQuery(userId), enabled: userId !== '' })
  const [shown, setShown] = useState(chosen)
  // a team that the person belongs to no more is left at once
  const isGone = shown !== null && teams.data?.some(({ id }) => id === shown) === false
  useLayoutEffect(() => {
    if (shown !== chosen && (isGone || !isWriting())) setShown(chosen)
  }, [shown, chosen, isGone])
  useTeamNews(teams.data)
  const isElsewhere = shown !== chosen && !teams.isFetching
  const here = useMemo((): Here | null => {
    if (me.data === undefined || teams.data === undefined) return null
    const teamOf = (organizationId: string | null) => teams.data.find(({ id }) => id === organizationId) ?? null
    const team = teamOf(shown)
    const role = team?.role ?? null
    const { user, subscription: { isSubscribed } } = me.data
    const elsewhere = isElsewhere ? { name: nameOf(teamOf(chosen)), follow: () => setShown(chosen) } : null
    return { user, teams: teams.data, context: contextOf(team?.id ?? null), team, role, rights: rightsOf(role), isSubscribed, elsewhere }
  }, [me.data, teams.data, shown, chosen, isElsewhere])
  const error = me.error ?? teams.error
  if (here === null) return error === null ? <Skeleton rows={6} /> : <ErrorNote error={error} />
  return <HereContext value={here}>{children}</HereContext>
}

/** A context as people read it. @param team null for one's own */
export const nameOf = (team: OrganizationWithRole | null): string => team?.name ?? 'Personal'

/** Tells of a team that one is no longer in, and forgets what it has; and of a role that is another by now. */
function useTeamNews(teams: OrganizationWithRole[] | undefined): void {
  const client = useQueryClient()
  const tell = useTell()
  const known = useRef(teams)
  useEffect(() => {
    if (teams === undefined) return
    for (const { id, name, role } of known.current ?? []) {
      const now = teams.find((team) => team.id === id)
      if (now === undefined) {
        client.removeQueries({ queryKey: [id] })
        tell(`You are no longer in ${name}.`)
      } else if (now.role !== role) tell(`Your role in ${name} is now ${now.role}.`)
    }
    known.current = teams
  }, [teams, client, tell])
}

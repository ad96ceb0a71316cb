/** The signed-in user, the shown context, and the user's rights in it. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { OrganizationWithRole, User } from 'finance-client'
import {
  createContext,
  type ReactNode,
  use,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { type Context, contextOf } from '../data/client.ts'
import { meQuery, teamsQuery } from '../data/me.ts'
import { shell as m } from '../messages/shell.ts'
import { useToast } from '../parts/toast.tsx'
import { ErrorNote, Skeleton } from '../parts/ui.tsx'
import { type Rights, rightsOf, type Role } from './rights.ts'
import { useSession } from './session.ts'
import { common } from '../messages/common.ts'

type SessionContextValue = {
  user: User
  teams: OrganizationWithRole[]
  context: Context
  /** null in the personal context. */
  team: OrganizationWithRole | null
  role: Role | null
  rights: Rights
  isSubscribed: boolean
  /**
   * The session's new context while a form here has unsaved input; null while both are the same.
   */
  elsewhere: { name: string, follow: () => void } | null
}

const SessionContext = createContext<SessionContextValue | null>(null)

/** @throws outside of SessionContextProvider */
export function useSessionContext(): SessionContextValue {
  const value = use(SessionContext)
  if (value === null)
    throw new Error('useSessionContext belongs to pages below SessionContextProvider')
  return value
}

/** Returns the user and the context that drafts belong to; null on pages without a session. */
export function useDraftScope(): string | null {
  const value = use(SessionContext)
  return value === null ? null : `${value.user.id} ${value.context.key}`
}

/** The mounted forms with unsaved input. */
const unsavedForms = new Set<string>()

/** Registers a form's unsaved input, which keeps the page in its context. */
export function useUnsavedInput(formId: string, isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined
    unsavedForms.add(formId)
    return () => void unsavedForms.delete(formId)
  }, [formId, isUnsaved])
}

/** Renders its children when the user and the teams are loaded. */
export function SessionContextProvider({ children }: { children: ReactNode }) {
  const { session } = useSession()
  const userId = session?.user_id ?? ''
  const chosen = session?.active_organization_id ?? null
  const me = useQuery({ ...meQuery(userId), enabled: userId !== '' })
  const teams = useQuery({ ...teamsQuery(userId), enabled: userId !== '' })
  const [shown, setShown] = useState(chosen)
  // the page leaves a team at once if the user is no longer a member
  const isGone = shown !== null && teams.data?.some(({ id }) => id === shown) === false
  useLayoutEffect(() => {
    if (shown !== chosen && (isGone || unsavedForms.size === 0)) setShown(chosen)
  }, [shown, chosen, isGone])
  useMembershipNews(teams.data)
  useEffect(() => {
    if (teams.data !== undefined && teams.isFetchedAfterMount)
      import('../data/last-seen.ts').then(({ keepLastSeenOf }) =>
        keepLastSeenOf(['personal', ...teams.data.map(({ id }) => id)])
      ).catch(() => undefined)
  }, [teams.data, teams.isFetchedAfterMount])
  const isElsewhere = shown !== chosen && !teams.isFetching
  const value = useMemo((): SessionContextValue | null => {
    if (me.data === undefined || teams.data === undefined) return null
    const teamOf = (organizationId: string | null) =>
      teams.data.find(({ id }) => id === organizationId) ?? null
    const team = teamOf(shown)
    const role = team?.role ?? null
    const { user, subscription: { isSubscribed } } = me.data
    const elsewhere = isElsewhere
      ? { name: nameOf(teamOf(chosen)), follow: () => setShown(chosen) }
      : null
    return {
      user,
      teams: teams.data,
      context: contextOf(team?.id ?? null),
      team,
      role,
      rights: rightsOf(role),
      isSubscribed,
      elsewhere,
    }
  }, [me.data, teams.data, shown, chosen, isElsewhere])
  const error = me.error ?? teams.error
  if (value === null) return error === null ? <Skeleton rows={6} /> : <ErrorNote error={error} />
  return <SessionContext value={value}>{children}</SessionContext>
}

/** The name of a context. @param team null in the personal context */
export const nameOf = (team: OrganizationWithRole | null): string => team?.name ?? m.personal

/** Reports lost memberships and changed roles. Drops the cache of teams that the user has left. */
function useMembershipNews(teams: OrganizationWithRole[] | undefined): void {
  const client = useQueryClient()
  const toast = useToast()
  const previousTeams = useRef(teams)
  useEffect(() => {
    if (teams === undefined) return
    for (const { id, name, role } of previousTeams.current ?? []) {
      const now = teams.find((team) => team.id === id)
      if (now === undefined) {
        client.removeQueries({ queryKey: [id] })
        toast(m.removedFrom(name))
      } else if (now.role !== role) toast(m.roleChanged(name, common.roles[now.role]))
    }
    previousTeams.current = teams
  }, [teams, client, toast])
}

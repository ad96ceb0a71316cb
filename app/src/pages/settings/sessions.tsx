import { useQuery } from '@tanstack/react-query'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { endOtherSessions, endSession, sessionsQuery, signOut } from '../../data/me.ts'
import { formatMoment } from '../../locale/days.ts'
import { settings as m } from '../../messages/settings.ts'
import { ErrorNote, Skeleton } from '../../parts/ui.tsx'
import { useToast } from '../../parts/toast.tsx'

/** Returns the browser and the system of a user agent. */
export function deviceOf(agent: string): string {
  const browser = /(Firefox|Edg|Chrome|Safari)\//.exec(agent)?.[1]?.replace('Edg', 'Edge') ??
    m.unknownProgram
  const system = /(Windows|Android|iPhone|iPad|Mac OS|Linux)/.exec(agent)?.[1]
  return system === undefined ? browser : m.browserOn(browser, system)
}

/** The sessions of the account, and buttons to end them. */
export function Sessions() {
  const { user } = useSessionContext()
  const toast = useToast()
  const sessions = useQuery(sessionsQuery(user.id))
  const end = useAccountChange(endSession, () => toast(m.sessionEnded))
  const endOthers = useAccountChange(endOtherSessions, () => toast(m.otherSessionsEnded))
  const endAll = useAccountChange(async () => {
    await endOtherSessions()
    await signOut()
  })
  const others = sessions.data?.filter(({ current }) => !current) ?? []
  return (
    <section className='section'>
      <h3>{m.sessions}</h3>
      <ErrorNote error={sessions.error ?? end.error ?? endOthers.error ?? endAll.error} />
      {sessions.isPending && <Skeleton />}
      <ul className='list'>
        {sessions.data?.map((session) => (
          <li key={session.id}>
            <span>
              {deviceOf(session.user_agent)}
              <small>
                {m.since(formatMoment(session.created_at))}
                {session.ip_address !== '' && `, ${session.ip_address}`}
              </small>
            </span>
            {session.current
              ? <span className='badge'>{m.thisSession}</span>
              : (
                <button
                  type='button'
                  className='quiet'
                  disabled={end.isPending}
                  onClick={() => end.mutate(session.id)}
                >
                  {m.endSession}
                </button>
              )}
          </li>
        ))}
      </ul>
      <div className='buttons'>
        {others.length > 0 && (
          <button
            type='button'
            disabled={endOthers.isPending}
            onClick={() => endOthers.mutate(undefined)}
          >
            {m.signOutEverywhereElse}
          </button>
        )}
        <button type='button' disabled={endAll.isPending} onClick={() => endAll.mutate(undefined)}>
          {m.signOutEverywhere}
        </button>
      </div>
    </section>
  )
}

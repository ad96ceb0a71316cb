import { useQuery } from '@tanstack/react-query'
import { useHere } from '../../app/here.tsx'
import { usePeopleChange } from '../../data/change.ts'
import { endOtherSessions, endSession, sessionsQuery, signOut } from '../../data/me.ts'
import { formatMoment } from '../../locale/days.ts'
import { deviceOf } from '../../parts/device.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useTell } from '../../parts/toast.tsx'

/** Where the account is signed in, and how to end that. */
export function Sessions() {
  const { user } = useHere()
  const tell = useTell()
  const sessions = useQuery(sessionsQuery(user.id))
  const end = usePeopleChange(endSession, () => tell('The session has ended.'))
  const endOthers = usePeopleChange(endOtherSessions, () => tell('Every other session has ended.'))
  const endAll = usePeopleChange(async () => {
    await endOtherSessions()
    await signOut()
  })
  const others = sessions.data?.filter(({ current }) => !current) ?? []
  return (
    <section className='section'>
      <h3>Where you are signed in</h3>
      <ErrorNote error={sessions.error ?? end.error ?? endOthers.error ?? endAll.error} />
      {sessions.isPending && <Skeleton />}
      <ul className='list'>
        {sessions.data?.map((session) => (
          <li key={session.id}>
            <span>
              {deviceOf(session.user_agent)}
              <small>since {formatMoment(session.created_at)}{session.ip_address !== '' && `, ${session.ip_address}`}</small>
            </span>
            {session.current
              ? <span className='badge'>this one</span>
              : <button type='button' className='quiet' disabled={end.isPending} onClick={() => end.mutate(session.id)}>End</button>}
          </li>
        ))}
      </ul>
      <div className='buttons'>
        {others.length > 0 && (
          <button type='button' disabled={endOthers.isPending} onClick={() => endOthers.mutate(undefined)}>
            Sign out everywhere else
          </button>
        )}
        <button type='button' disabled={endAll.isPending} onClick={() => endAll.mutate(undefined)}>Sign out everywhere</button>
      </div>
    </section>
  )
}

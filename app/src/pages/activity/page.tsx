import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useSessionContext } from '../../shell/session-context.tsx'
import { accountsQuery } from '../../data/accounts.ts'
import { activityQuery, type Request } from '../../data/activity.ts'
import { categoriesQuery, tagsQuery } from '../../data/categories.ts'
import { membersQuery } from '../../data/teams.ts'
import { activity as m } from '../../messages/activity.ts'
import { formatDay, today } from '../../locale/days.ts'
import { EmptyState, ErrorNote, PageHead, Skeleton } from '../../parts/ui.tsx'
import { RequestItem } from './request-item.tsx'

export function Page() {
  const { rights, role } = useSessionContext()
  return (
    <>
      <PageHead title={m.activity} />
      {role === 'editor' && <p className='field-note'>{m.ownOnlyHint}</p>}
      {rights.write
        ? <Requests />
        : (
          <EmptyState>
            {m.viewerHint}
          </EmptyState>
        )}
    </>
  )
}

function Requests() {
  const { context, user } = useSessionContext()
  const activity = useInfiniteQuery(activityQuery(context, user.id))
  // names of the ids in rows
  const named = [
    useQuery(accountsQuery(context)),
    useQuery(categoriesQuery(context)),
    useQuery(tagsQuery(context)),
  ]
  const members = useQuery({ ...membersQuery(context.id ?? ''), enabled: context.id !== null })
  const people = new Map(
    members.data?.map((
      { user_id: id, user: who },
    ) => [id, who?.name || who?.email || m.unknownMember]),
  )
  const names = new Map(
    named.flatMap(({ data }) => data?.map(({ id, name }) => [id, name] as const) ?? []),
  )
  const isKnown = named.every(({ data }) => data !== undefined) &&
    (context.id === null || members.data !== undefined)
  const requests = activity.data?.pages.flatMap((page) => page.requests) ?? []
  return (
    <>
      <ErrorNote
        error={activity.error ?? named.find(({ error }) => error !== null)?.error ?? members.error}
      />
      {(activity.isPending || !isKnown) && <Skeleton rows={6} />}
      {activity.data !== undefined && requests.length === 0 && <EmptyState>{m.empty}</EmptyState>}
      {isKnown &&
        inDays(requests).map(({ day, requests: some }) => (
          <section key={day} className='activity-day' aria-labelledby={`activity-${day}`}>
            <h2 id={`activity-${day}`}>{formatDay(day)}</h2>
            <ol className='activity-requests'>
              {some.map((request) => (
                <RequestItem key={request.id} request={request} people={people} names={names} />
              ))}
            </ol>
          </section>
        ))}
      {activity.hasNextPage && (
        <button
          type='button'
          aria-disabled={activity.isFetchingNextPage}
          onClick={() => void activity.fetchNextPage()}
        >
          {m.showOlder}
        </button>
      )}
    </>
  )
}

/** Groups requests by the day in the user's time zone. Their order stays. */
function inDays(requests: readonly Request[]): Array<{ day: string, requests: Request[] }> {
  const dayOf = ({ happened_at: moment }: Request) => today(new Date(moment))
  return [...new Set(requests.map(dayOf))].map((day) => ({
    day,
    requests: requests.filter((request) => dayOf(request) === day),
  }))
}

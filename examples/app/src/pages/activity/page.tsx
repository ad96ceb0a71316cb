import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useHere } from '../../app/here.tsx'
import { accountsQuery } from '../../data/accounts.ts'
import { activityQuery } from '../../data/activity.ts'
import { categoriesQuery } from '../../data/categories.ts'
import { tagsQuery } from '../../data/tags.ts'
import { membersQuery } from '../../data/teams.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { RequestItem } from './request-item.tsx'

export function Page() {
  const { rights, role } = useHere()
  return (
    <>
      <PageHead title='Activity' />
      {role === 'editor' && <p className='field-note'>These are your own changes. The owner and the admins of the team see everybody’s.</p>}
      {rights.write
        ? <Requests />
        : (
          <EmptyState>
            Who changed what in a team is for those who change it; you are a viewer here. Your own activity is in your personal context.
          </EmptyState>
        )}
    </>
  )
}

function Requests() {
  const { context, user } = useHere()
  const activity = useInfiniteQuery(activityQuery(context, user.id))
  // what the ids in rows refer to
  const named = [useQuery(accountsQuery(context)), useQuery(categoriesQuery(context)), useQuery(tagsQuery(context))]
  const members = useQuery({ ...membersQuery(context.id ?? ''), enabled: context.id !== null })
  const people = new Map(members.data?.map(({ user_id: id, user: who }) => [id, who?.name || who?.email || 'A member']))
  const names = new Map(named.flatMap(({ data }) => data?.map(({ id, name }) => [id, name] as const) ?? []))
  const isKnown = named.every(({ data }) => data !== undefined) && (context.id === null || members.data !== undefined)
  const requests = activity.data?.pages.flatMap((page) => page.requests) ?? []
  return (
    <>
      <ErrorNote error={activity.error ?? named.find(({ error }) => error !== null)?.error ?? members.error} />
      {(activity.isPending || !isKnown) && <Skeleton rows={6} />}
      {activity.data !== undefined && requests.length === 0 && (
        <EmptyState>Nothing was changed yet. Every change will stand here, with who made it and the way back.</EmptyState>
      )}
      {isKnown && requests.length > 0 && (
        <ol className='requests'>
          {requests.map((request) => <RequestItem key={request.id} request={request} people={people} names={names} />)}
        </ol>
      )}
      {activity.hasNextPage && (
        <button type='button' aria-disabled={activity.isFetchingNextPage} onClick={() => void activity.fetchNextPage()}>Show older</button>
      )}
    </>
  )
}

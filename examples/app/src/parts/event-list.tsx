import type { UseInfiniteQueryResult, InfiniteData } from '@tanstack/react-query'
import { formatMoment } from '../locale/days.ts'
import { ErrorNote } from './error-note.tsx'
import { Skeleton } from './skeleton.tsx'

type Event = { id: string, happened_at: string }

/** Events with their moments, and the way to older ones. `beside` is what is said beside the moment. */
export function EventList<One extends Event>({ events, says, beside }: {
  events: UseInfiniteQueryResult<InfiniteData<One[]>>
  says: (event: One) => string
  beside?: (event: One) => string[]
}) {
  return (
    <>
      <ErrorNote error={events.error} />
      {events.isPending && <Skeleton />}
      <ul className='list'>
        {events.data?.pages.flat().map((event) => (
          <li key={event.id}>
            <span>
              {says(event)}
              <small>{[formatMoment(event.happened_at), ...beside?.(event) ?? []].join(', ')}</small>
            </span>
          </li>
        ))}
      </ul>
      {events.hasNextPage && <button type='button' aria-disabled={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>Show older</button>}
    </>
  )
}

import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { formatMoment } from '../locale/days.ts'
import { ErrorNote, Skeleton } from './ui.tsx'
import { parts as m } from '../messages/parts.ts'

type QueryBoundaryProps<Data extends unknown[]> = {
  /** The queries. Each boundary waits and fails by itself. */
  of: [...{ [Index in keyof Data]: UseQueryResult<Data[Index]> }]
  /** Replaces an empty list of the first query. */
  empty: ReactNode
  /** A placeholder of the content's size. */
  loading?: ReactNode
  children: (...data: { [Index in keyof Data]: NonNullable<Data[Index]> }) => ReactNode
}

/** Renders the data of queries when all are loaded. Keeps former data if a refresh fails. */
export function QueryBoundary<Data extends unknown[]>(
  { of, empty, loading = <Skeleton />, children }: QueryBoundaryProps<Data>,
) {
  const queries: UseQueryResult[] = of
  const error = queries.find((query) => query.error !== null)?.error ?? null
  const data = queries.map((query) => query.data)
  const isLoaded = !data.includes(undefined)
  const isEmpty = Array.isArray(data[0]) && data[0].length === 0
  return (
    <>
      <ErrorNote error={error} />
      {!isLoaded && error === null && loading}
      {isLoaded &&
        (isEmpty
          ? empty
          : children(...data as { [Index in keyof Data]: NonNullable<Data[Index]> }))}
    </>
  )
}

type Event = { id: string, happened_at: string }

type EventListProps<Kind extends Event> = {
  events: UseInfiniteQueryResult<InfiniteData<Kind[]>>
  textOf: (event: Kind) => string
  /** Further facts beside the time. */
  detailsOf?: (event: Kind) => string[]
}

/** Events with their times, and a button for older ones. */
export const EventList = <Kind extends Event>(
  { events, textOf, detailsOf }: EventListProps<Kind>,
) => (
  <>
    <ErrorNote error={events.error} />
    {events.isPending && <Skeleton />}
    <ul className='list'>
      {events.data?.pages.flat().map((event) => (
        <li key={event.id}>
          <span>
            {textOf(event)}
            <small>
              {[formatMoment(event.happened_at), ...detailsOf?.(event) ?? []].join(', ')}
            </small>
          </span>
        </li>
      ))}
    </ul>
    {events.hasNextPage && (
      <button
        type='button'
        aria-disabled={events.isFetchingNextPage}
        onClick={() => void events.fetchNextPage()}
      >
        {m.showOlder}
      </button>
    )}
  </>
)

/** What happened in the account of who is signed in, and to who belongs to a team: the newest first, part by part. */
import { infiniteQueryOptions } from '@tanstack/react-query'
import { finance } from './client.ts'

const limit = 20

const partsOf = <Event extends { id: string }>(queryKey: readonly unknown[], read: (part: { limit: number, before?: string }) => Promise<Event[]>) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam === '' ? { limit } : { limit, before: pageParam }),
    initialPageParam: '',
    getNextPageParam: (events) => events.length === limit ? events.at(-1)?.id : undefined,
  })

export const accountEventsQuery = (userId: string) => partsOf(['me', userId, 'events'], (part) => finance.auth.listEvents(part))

/** Owner and admins of the team may ask. */
export const membershipEventsQuery = (organizationId: string) =>
  partsOf([organizationId, 'events'], (part) => finance.auth.organization.listEvents({ organizationId, ...part }))

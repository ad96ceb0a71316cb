/** What the app has read, by keys that begin with the context, so that a switch shows nothing of another context. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { FinanceError } from 'finance-client'
import { hasNoAnswer, isPassing, sawConnection } from './connection.ts'

const seen = {
  onError: (error: Error) => {
    if (hasNoAnswer(error)) sawConnection(false)
  },
  onSuccess: () => sawConnection(true),
}

/** Teams that the session was in before. What they have would now seem to be empty, so that it is not asked for. */
const left = new Set<unknown>()

/** Takes where the session is. */
export function movedTo(team: string | null, before: string | null): void {
  if (before !== null) left.add(before)
  left.delete(team)
}

export const queries = new QueryClient({
  queryCache: new QueryCache(seen),
  mutationCache: new MutationCache({
    ...seen,
    onError: (error) => {
      seen.onError(error)
      // the role may be another by now
      if (error instanceof FinanceError && error.status === 403) void queries.invalidateQueries({ queryKey: ['me'] })
    },
  }),
  defaultOptions: {
    queries: {
      enabled: ({ queryKey: [owner] }) => !left.has(owner),
      staleTime: 15_000,
      // others write too: in another tab, or in the team
      refetchOnWindowFocus: 'always',
      // while there is no answer it is asked again on and on; a service that is not well, twice
      retry: (failures, error) => {
        if (hasNoAnswer(error)) sawConnection(false)
        return hasNoAnswer(error) || (isPassing(error) && failures < 2)
      },
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 5_000),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

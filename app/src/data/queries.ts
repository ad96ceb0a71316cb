/**
 * The query cache. Keys begin with the context, so that a switch shows no data of another context.
 */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { FinanceError } from 'finance-client'
import { useSyncExternalStore } from 'react'
import { hasNoAnswer, isPassing, sawConnection } from './connection.ts'

const seen = {
  onError: (error: Error) => {
    if (hasNoAnswer(error)) sawConnection(false)
  },
  onSuccess: () => sawConnection(true),
}

/** Former teams of the session. Their queries would now return no rows and are disabled. */
const left = new Set<unknown>()

/** Records a switch of the session's context. */
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
      // the user's role may have changed
      if (error instanceof FinanceError && error.status === 403)
        void queries.invalidateQueries({ queryKey: ['me'] })
    },
  }),
  defaultOptions: {
    queries: {
      enabled: ({ queryKey: [owner] }) => !left.has(owner),
      staleTime: 15_000,
      // other tabs and team members write too
      refetchOnWindowFocus: 'always',
      // without a response retry for ever, after a server error twice
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

/**
 * Returns the time of the oldest data on the page; null if nothing is shown or the connection is
 * there.
 */
export function useAsOf(isLost: boolean): number | null {
  return useSyncExternalStore(
    (listener) => queries.getQueryCache().subscribe(listener),
    () => {
      if (!isLost) return null
      const active = queries.getQueryCache().findAll({
        type: 'active',
        predicate: ({ queryKey: [owner], state }) => owner !== 'me' && state.dataUpdatedAt > 0,
      })
      return active.length === 0
        ? null
        : Math.min(...active.map(({ state }) => state.dataUpdatedAt))
    },
  )
}

/** What the app has read, by keys that begin with the context, so that a switch shows nothing of another context. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { FinanceError } from 'finance-client'
import { sawConnection } from './connection.ts'

const isLost = (error: Error) => error instanceof FinanceError && error.code === 'NETWORK_ERROR'

/** Whether the same request may succeed later: no answer, or one of a service that is not well. */
const isPassing = (error: Error) => error instanceof FinanceError && (error.code === 'NETWORK_ERROR' || error.status >= 500)

const seen = {
  onError: (error: Error) => {
    if (isLost(error)) sawConnection(false)
  },
  onSuccess: () => sawConnection(true),
}

export const queries = new QueryClient({
  queryCache: new QueryCache(seen),
  mutationCache: new MutationCache(seen),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // while there is no answer it is asked again on and on; a service that is not well, twice
      retry: (failures, error) => {
        if (isLost(error)) sawConnection(false)
        return isLost(error) || (isPassing(error) && failures < 2)
      },
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 5_000),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

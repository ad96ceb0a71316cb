/** Changes: each reads again what the context shows, because a row changes balances and reports too. */
import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query'
import { useHere } from '../app/here.tsx'
import type { Context } from './context.ts'

/** What a change shows before it is stored: the key of rows that were read, and what becomes of each. */
export type Ahead<Row> = { queryKey: readonly unknown[], change: (row: Row) => Row }

/** A row of an id gets other values. */
export const withValues = <Row extends { id: string }>(queryKey: readonly unknown[], id: string, values: Partial<Row>): Ahead<Row> => ({
  queryKey,
  change: (row) => row.id === id ? { ...row, ...values } : row,
})

/**
 * A change in the context that is shown.
 * @param work the request, with the context it is made in
 * @param then what happens when it is stored
 * @param aheadOf what is shown at once, where that is safe; it is put back when the change is refused
 * @returns the mutation, and whether what it changes is shown already
 */
export function useChange<Input, Output, Row = never>(
  work: (context: Context, input: Input) => Promise<Output>,
  then?: (output: Output, input: Input) => void,
  aheadOf?: (context: Context, input: Input) => Ahead<Row> | null,
): UseMutationResult<Output, Error, Input, (() => void) | null> & { isAhead: boolean } {
  const client = useQueryClient()
  const { context } = useHere()
  const mutation = useMutation({
    mutationFn: (input: Input) => work(context, input),
    onMutate: async (input) => {
      const ahead = aheadOf?.(context, input) ?? null
      if (ahead === null) return null
      const { queryKey, change } = ahead
      // an answer that is on its way does not know of it
      await client.cancelQueries({ queryKey })
      const before = client.getQueryData<Row[]>(queryKey)
      client.setQueryData<Row[]>(queryKey, before?.map(change))
      return () => client.setQueryData(queryKey, before)
    },
    onError: (_error, _input, putBack) => {
      if (!putBack) return
      putBack()
      void client.invalidateQueries({ queryKey: [context.key] })
    },
    onSuccess: async (output, input) => {
      then?.(output, input)
      await client.invalidateQueries({ queryKey: [context.key] })
    },
  })
  return { ...mutation, isAhead: mutation.isPending && mutation.context != null }
}

/** A change of what is one's own or a team's beside its rows: all that is shown is read again. */
export function usePeopleChange<Input, Output>(
  work: (input: Input) => Promise<Output>,
  then?: (output: Output, input: Input) => void,
): UseMutationResult<Output, Error, Input> {
  const client = useQueryClient()
  return useMutation({
    mutationFn: work,
    onSuccess: async (output, input) => {
      then?.(output, input)
      await client.invalidateQueries()
    },
  })
}

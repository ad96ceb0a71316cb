/** Changes: each reads again what the context shows, because a row changes balances and reports too. */
import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query'
import { useHere } from '../app/here.tsx'
import type { Context } from './context.ts'

/**
 * A change in the context that is shown.
 * @param work the request, with the context it is made in
 * @param then what happens when it is stored
 */
export function useChange<Input, Output>(
  work: (context: Context, input: Input) => Promise<Output>,
  then?: (output: Output, input: Input) => void,
): UseMutationResult<Output, Error, Input> {
  const client = useQueryClient()
  const { context } = useHere()
  return useMutation({
    mutationFn: (input: Input) => work(context, input),
    onSuccess: async (output, input) => {
      then?.(output, input)
      await client.invalidateQueries({ queryKey: [context.key] })
    },
  })
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

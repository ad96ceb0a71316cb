/**
 * Mutations: optimistic update, rollback after a refusal, toast with undo, refresh. Each change of
 * stored rows uses it.
 */
import {
  type QueryClient,
  useMutation,
  type UseMutationResult,
  useQueryClient,
} from '@tanstack/react-query'
import { unwrap } from 'finance-client'
import { useSessionContext } from '../shell/session-context.tsx'
import { common } from '../messages/common.ts'
import { parts as m } from '../messages/parts.ts'
import { useToast } from '../parts/toast.tsx'
import { type Context, finance } from './client.ts'

/** Undoes an optimistic update. */
type Rollback = () => unknown

/**
 * The sentence of a toast, and the action of its Undo button, or the id of the row whose change it
 * undoes. Without both there is no way back.
 */
export type Outcome = {
  text: string | Error
  undo?: (() => Promise<unknown>) | null
  undoOf?: string
}

type ChangeOptions<Input, Output> = {
  /**
   * Shows the change before it is stored. Returns the rollback, or null if only the service can
   * compute the result.
   */
  optimistic?: (input: Input, context: Context, client: QueryClient) => Promise<Rollback | null>
  /** Runs after the change is stored. */
  onStored?: (output: Output, input: Input) => unknown
  /** The toast of a stored change. */
  outcome?: (output: Output, input: Input) => Outcome | null
  /** Shows a refusal as a toast. Forms show it themselves. */
  toastsErrors?: boolean
  /**
   * Reads again everything that the change may have affected. By default all queries of the
   * context, because a row also changes balances and reports.
   */
  refresh?: () => Promise<unknown>
}

type Change<Input, Output> = UseMutationResult<Output, Error, Input, Rollback | null> & {
  /** Whether the page shows the change before it is stored. */
  isOptimistic: boolean
}

/** Sends a change in the context that the page shows. */
export function useChange<Input, Output>(
  work: (context: Context, input: Input) => Promise<Output>,
  options: ChangeOptions<Input, Output> = {},
): Change<Input, Output> {
  const { context, user } = useSessionContext()
  const client = useQueryClient()
  const toast = useToast()
  const refresh = options.refresh ?? (() => client.invalidateQueries({ queryKey: [context.key] }))
  const showUndo = (
    { text, undoOf, undo = undoOf === undefined ? null : makeUndoOf(undoOf, user.id) }: Outcome,
  ) => {
    const takeBack = async () => {
      try {
        await undo?.()
        toast(m.undone)
      } finally {
        await refresh()
      }
    }
    toast(
      text,
      undo == null ? undefined : { label: common.undo, act: () => void takeBack().catch(toast) },
    )
  }
  const mutation = useMutation({
    mutationFn: (input: Input) => work(context, input),
    onMutate: async (input): Promise<Rollback | null> =>
      await options.optimistic?.(input, context, client) ?? null,
    onError: async (error, _, rollback) => {
      if (options.toastsErrors === true) toast(error)
      await rollback?.()
      // a part may be stored, or another user may have changed the rows
      void refresh()
    },
    onSuccess: async (output, input) => {
      await options.onStored?.(output, input)
      const outcome = options.outcome?.(output, input)
      if (outcome != null) showUndo(outcome)
      await refresh()
    },
  })
  return { ...mutation, isOptimistic: mutation.isPending && mutation.context != null }
}

/** Changes the rows of a query before the service has. Returns the rollback. */
export async function updateRows<Row>(
  client: QueryClient,
  queryKey: readonly unknown[],
  change: (row: Row) => Row,
): Promise<Rollback> {
  // a response that is on its way does not include the change
  await client.cancelQueries({ queryKey })
  const before = client.getQueryData<Row[]>(queryKey)
  client.setQueryData<Row[]>(queryKey, before?.map(change))
  return () => client.setQueryData(queryKey, before)
}

/** Gives the row of an id other values before the service has. Returns the rollback. */
export const updateRow = <Row extends { id: string }>(
  client: QueryClient,
  queryKey: readonly unknown[],
  id: string,
  values: Partial<Row>,
): Promise<Rollback> =>
  updateRows<Row>(client, queryKey, (row) => row.id === id ? { ...row, ...values } : row)

/** Returns the id of the activity entry of the user's newest change of a row. */
export async function newestEntryOf(rowId: string, userId: string): Promise<string> {
  const ofUser = finance.data.from('activity').select('id').eq('row_id', rowId).eq(
    'actor_id',
    userId,
  )
  const { id } = await unwrap(
    ofUser.order('happened_at', { ascending: false }).order('id', { ascending: false }).limit(1)
      .single(),
  )
  return id
}

/**
 * Returns a function that undoes the user's newest change of a row, with everything else of that
 * request. Looks the change up now, because a later change is another request. The function throws
 * FinanceError 409 if the row has changed since.
 */
export function makeUndoOf(rowId: string, userId: string): () => Promise<void> {
  const entry = newestEntryOf(rowId, userId)
  entry.catch(() => undefined)
  return async () => void await unwrap(finance.data.rpc('undo', { p_activity_id: await entry }))
}

/**
 * Deletes a row, with undo. A page calls it, because the component of the row is unmounted by the
 * deletion.
 * @param nameOf the row's name in the toast
 */
export function useDeletion<Row extends { id: string }>(
  remove: (context: Context, row: Row) => Promise<void>,
  nameOf: (row: Row) => string,
): (row: Row) => void {
  const { mutate } = useChange(remove, {
    outcome: (_, row) => ({ text: common.deleted(nameOf(row)), undoOf: row.id }),
    toastsErrors: true,
  })
  return mutate
}

/**
 * Sends a change of accounts, teams or sessions, which have no rows in a context, and reads
 * everything again.
 */
export function useAccountChange<Input, Output>(
  work: (input: Input) => Promise<Output>,
  onStored?: (output: Output, input: Input) => void,
): UseMutationResult<Output, Error, Input> {
  const client = useQueryClient()
  return useMutation({
    mutationFn: work,
    onSuccess: async (output, input) => {
      onStored?.(output, input)
      await client.invalidateQueries()
    },
  })
}

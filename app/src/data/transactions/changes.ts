/** The changes of transactions, each with its undo. */
import { useQueryClient } from '@tanstack/react-query'
import type { NewRow, RowChange } from 'finance-client'
import { useSessionContext } from '../../shell/session-context.tsx'
import { transactions } from '../../messages/transactions.ts'
import { type Outcome, useChange } from '../change.ts'
import { type Context, gone } from '../client.ts'
import type { Suggestion } from '../suggestions.ts'
import {
  type Categorized,
  categorizeEach,
  changeTransactions,
  createTransaction,
  createTransfer,
  deleteTransactions,
  linkTransfer,
  reread,
  type Transaction,
  unlinkTransfer,
} from './api.ts'
import { saveTransaction, type TransactionChange } from './conflict.ts'
import { cachedList } from './pages.ts'
import { makeUndo, makeUndoOfAll, writeBack } from './undo.ts'

const { changes: m } = transactions
const counted = (rows: readonly Transaction[]) => m.rows(rows.length, rows[0]?.name ?? '')

/** The list that the changes update in place, and their author. */
type Target = { list: ReturnType<typeof cachedList>, userId: string }

/** The list is updated in place, so that no page is read again. Everything else is. */
const refreshOthers = ({ list }: Target) => async () => void list.refreshOthers()

/** Reads rows again. Removes deleted ones from the list. */
async function renewIn({ list }: Target, rows: readonly Transaction[]): Promise<void> {
  const now = await reread(rows)
  await list.drop(rows.filter(({ id }) => now.every((row) => row.id !== id)))
  await list.put(now)
}

/**
 * An outcome with undo. A failed undo also reads the rows again, because another user may have
 * changed them.
 */
const withUndo = (
  target: Target,
  text: string,
  undo: (() => Promise<void>) | null,
  rows: readonly Transaction[],
): Outcome => ({
  text,
  undo: undo && (async () => {
    try {
      await undo()
    } finally {
      await renewIn(target, rows)
    }
  }),
})

/** The outcome of a request that stored all its rows. */
const outcomeOfAll = (target: Target, text: string, rows: readonly Transaction[]): Outcome =>
  withUndo(target, text, makeUndo(rows, rows, target.userId), rows)

/** The outcome of a change of many rows, some of which another user may have deleted. */
function outcomeOfMany(
  target: Target,
  text: (rows: string) => string,
  { requested, changed, now }: Record<'requested' | 'changed' | 'now', readonly Transaction[]>,
): Outcome {
  const missing = requested.filter((row) => !changed.includes(row))
  const note = missing.length === 0 ? '' : m.alreadyDeleted(counted(missing), missing.length)
  if (changed.length === 0) return { text: note }
  return withUndo(
    target,
    [text(counted(changed)), note].filter(Boolean).join(' '),
    makeUndo(requested, changed, target.userId),
    now,
  )
}

/** New transactions and transfers, and the links between existing ones. */
function useAdditions(target: Target) {
  const [onStored, refresh] = [target.list.put, refreshOthers(target)]
  const add = useChange(
    (of: Context, values: NewRow<'transactions'>) => createTransaction(of, values),
    {
      onStored,
      outcome: (rows) => outcomeOfAll(target, m.added(counted(rows)), rows),
      refresh,
    },
  )
  const transfer = useChange(createTransfer, {
    onStored,
    outcome: (rows) => outcomeOfAll(target, m.transferred, rows),
    refresh,
  })
  const link = useChange(linkTransfer, {
    onStored,
    outcome: (rows) => outcomeOfAll(target, m.linked, rows),
    refresh,
  })
  const unlink = useChange(unlinkTransfer, {
    onStored,
    outcome: (rows) => outcomeOfAll(target, m.unlinked(counted(rows), rows.length), rows),
    refresh,
  })
  return { add, transfer, link, unlink }
}

/** Stores suggested categories, with one request for each. */
const useCategorization = (target: Target) =>
  useChange(async (_: Context, suggestions: readonly Suggestion[]) => {
    const requests: Categorized[] = []
    try {
      await categorizeEach(suggestions, requests)
      return requests
    } finally {
      // another user may have changed some, and a part is stored if a later request fails
      await renewIn(target, suggestions.map(({ row }) => row)).catch(() => undefined)
    }
  }, {
    outcome: (requests) => {
      const now = requests.flatMap((request) => request.now)
      if (now.length === 0) return { text: m.noneUncategorized }
      return withUndo(target, m.changed(counted(now)), makeUndoOfAll(requests, target.userId), now)
    },
    refresh: refreshOthers(target),
  })

/** A change of one row by its form, which shows refusals and conflicts. */
const useSaving = (target: Target) =>
  useChange(
    (_: Context, { row, changed }: { row: Transaction, changed: TransactionChange }) =>
      saveTransaction(row, changed),
    {
      onStored: target.list.put,
      outcome: (now, { row, changed }) => {
        const left = now.find(({ id }) => id === row.id)
        // tags and line items are requests of their own, of which `undo` would undo only one
        const isOneRequest = changed.tags === undefined && changed.items === undefined
        const byHand = left === undefined ? null : () => writeBack(row, left, changed)
        return withUndo(
          target,
          m.changed(row.name),
          isOneRequest ? makeUndo([row], [row], target.userId) : byHand,
          now,
        )
      },
      refresh: refreshOthers(target),
    },
  )

/** A change of the same columns in many rows. */
function useChangeOfMany(target: Target) {
  const { list } = target
  return useChange(
    (
      _: Context,
      { rows, values }: { rows: readonly Transaction[], values: RowChange<'transactions'> },
    ) => changeTransactions(rows, values),
    {
      optimistic: async ({ rows, values: { category_id } }) => {
        if (category_id === undefined) return null
        await list.changeAll(new Map(rows.map(({ id }) => [id, { category_id }])))
        return () =>
          list.changeAll(new Map(rows.map((row) => [row.id, { category_id: row.category_id }])))
      },
      onStored: async (now, { rows }) => {
        await list.drop(rows.filter(({ id }) => now.every((row) => row.id !== id)))
        await list.put(now)
      },
      outcome: (now, { rows }) => {
        const changed = rows.filter(({ id }) => now.some((row) => row.id === id))
        return changed.length === 0
          ? { text: gone() }
          : outcomeOfMany(target, m.changed, { requested: rows, changed, now })
      },
      toastsErrors: true,
      refresh: refreshOthers(target),
    },
  )
}

const useRemoval = (target: Target) =>
  useChange((_: Context, rows: readonly Transaction[]) => deleteTransactions(rows), {
    optimistic: async (rows) => {
      await target.list.drop(rows)
      return () => target.list.put(rows)
    },
    outcome: (deleted, rows) =>
      outcomeOfMany(target, m.deleted, { requested: rows, changed: deleted, now: deleted }),
    toastsErrors: true,
    refresh: refreshOthers(target),
  })

/** The changes of transactions in the context of the page. */
export function useTransactionChanges() {
  const { context, user } = useSessionContext()
  const target: Target = { list: cachedList(useQueryClient(), context), userId: user.id }
  const { add, transfer, link, unlink } = useAdditions(target)
  const categorize = useCategorization(target)
  const save = useSaving(target)
  const change = useChangeOfMany(target)
  const remove = useRemoval(target)
  const renew = (rows: readonly Transaction[]) => renewIn(target, rows)
  return { add, transfer, link, unlink, save, change, categorize, remove, renew }
}

export type TransactionChanges = ReturnType<typeof useTransactionChanges>

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

export function useTransactionChanges() {
  const { context, user } = useSessionContext()
  const list = cachedList(useQueryClient(), context)
  /** The list is updated in place, so that no page is read again. Everything else is. */
  const refresh = async () => void list.refreshOthers()

  /** Reads rows again. Removes deleted ones from the list. */
  const renew = async (rows: readonly Transaction[]) => {
    const now = await reread(rows)
    await list.drop(rows.filter(({ id }) => now.every((row) => row.id !== id)))
    await list.put(now)
  }
  /**
   * An outcome with undo. A failed undo also reads the rows again, because another user may have
   * changed them.
   */
  const withUndo = (
    text: string,
    undo: (() => Promise<void>) | null,
    rows: readonly Transaction[],
  ): Outcome => ({
    text,
    undo: undo && (async () => {
      try {
        await undo()
      } finally {
        await renew(rows)
      }
    }),
  })
  /** The outcome of a change of many rows, some of which another user may have deleted. */
  const outcomeOfMany = (
    text: (rows: string) => string,
    requested: readonly Transaction[],
    changed: readonly Transaction[],
    now: readonly Transaction[],
  ) => {
    const missing = requested.filter((row) => !changed.includes(row))
    const note = missing.length === 0 ? '' : m.alreadyDeleted(counted(missing))
    if (changed.length === 0) return { text: note }
    return withUndo(
      [text(counted(changed)), note].filter(Boolean).join(' '),
      makeUndo(requested, changed, user.id),
      now,
    )
  }

  const add = useChange(
    (of: Context, values: NewRow<'transactions'>) => createTransaction(of, values),
    {
      onStored: list.put,
      outcome: (rows) => withUndo(m.added(counted(rows)), makeUndo(rows, rows, user.id), rows),
      refresh,
    },
  )
  const transfer = useChange(createTransfer, {
    onStored: list.put,
    outcome: (rows) => withUndo(m.transferred, makeUndo(rows, rows, user.id), rows),
    refresh,
  })
  const link = useChange(linkTransfer, {
    onStored: list.put,
    outcome: (rows) => withUndo(m.linked, makeUndo(rows, rows, user.id), rows),
    refresh,
  })
  const unlink = useChange(unlinkTransfer, {
    onStored: list.put,
    outcome: (rows) =>
      withUndo(m.unlinked(counted(rows), rows.length), makeUndo(rows, rows, user.id), rows),
    refresh,
  })
  /** Stores suggested categories, with one request for each. */
  const categorize = useChange(async (_: Context, suggestions: readonly Suggestion[]) => {
    const requests: Categorized[] = []
    try {
      await categorizeEach(suggestions, requests)
      return requests
    } finally {
      // another user may have changed some, and a part is stored if a later request fails
      await renew(suggestions.map(({ row }) => row)).catch(() => undefined)
    }
  }, {
    outcome: (requests) => {
      const now = requests.flatMap((request) => request.now)
      if (now.length === 0) return { text: m.noneUncategorized }
      return withUndo(m.changed(counted(now)), makeUndoOfAll(requests, user.id), now)
    },
    refresh,
  })
  /** A change of one row by its form, which shows refusals and conflicts. */
  const save = useChange(
    (_: Context, { row, changed }: { row: Transaction, changed: TransactionChange }) =>
      saveTransaction(row, changed),
    {
      onStored: list.put,
      outcome: (now, { row, changed }) => {
        const left = now.find(({ id }) => id === row.id)
        // tags and line items are requests of their own, of which `undo` would undo only one
        const isOneRequest = changed.tags === undefined && changed.items === undefined
        const byHand = left === undefined ? null : () => writeBack(row, left, changed)
        return withUndo(
          m.changed(row.name),
          isOneRequest ? makeUndo([row], [row], user.id) : byHand,
          now,
        )
      },
      refresh,
    },
  )
  const change = useChange(
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
          : outcomeOfMany(m.changed, rows, changed, now)
      },
      toastsErrors: true,
      refresh,
    },
  )
  const remove = useChange((_: Context, rows: readonly Transaction[]) => deleteTransactions(rows), {
    optimistic: async (rows) => {
      await list.drop(rows)
      return () => list.put(rows)
    },
    outcome: (deleted, rows) => outcomeOfMany(m.deleted, rows, deleted, deleted),
    toastsErrors: true,
    refresh,
  })
  return { add, transfer, link, unlink, save, change, categorize, remove, renew }
}

export type TransactionChanges = ReturnType<typeof useTransactionChanges>

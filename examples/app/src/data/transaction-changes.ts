/** Changes of transactions, each told with its way back. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { RowChange } from 'finance-client'
import { useHere } from '../app/here.tsx'
import { useTell } from '../parts/toast.tsx'
import { gone } from './client.ts'
import { listOf } from './transaction-pages.ts'
import {
  asTheyAre,
  type Changed,
  changeTransactions,
  createTransaction,
  createTransfer,
  deleteTransactions,
  putBack,
  saveTransaction,
  slipsOf,
  type Transaction,
  undoAll,
} from './transactions.ts'

const counted = (rows: readonly Transaction[]) => rows.length === 1 && rows[0] !== undefined ? rows[0].name : `${rows.length} transactions`
const are = (rows: readonly Transaction[]) => rows.length === 1 ? 'is' : 'are'
const wereGone = (rows: readonly Transaction[]) => rows.length === 0 ? '' : ` ${counted(rows)} had been deleted by somebody else.`

export function useTransactionChanges() {
  const client = useQueryClient()
  const { context, user } = useHere()
  const tell = useTell()
  const list = listOf(client, context)
  const failed = (error: Error) => tell(error)

  /** Takes requests back by `undo`. Their changes are looked up at once, because a later change of the same rows is another request. */
  const slipped = (asked: readonly Transaction[], changed = asked) => {
    const slips = slipsOf(asked, changed, user.id)
    slips.catch(() => undefined)
    return async () => undoAll(await slips)
  }

  /** Tells a sentence, with Undo where there is a way back. */
  const tellWithUndo = (sentence: string, back: (() => Promise<void>) | null, after: () => Promise<void>) => {
    const undo = async () => {
      try {
        await back?.()
        tell('Taken back.')
      } finally {
        // what somebody else did since is to be seen too
        await after()
        await list.settle()
      }
    }
    tell(sentence, back === null ? undefined : { label: 'Undo', act: () => void undo().catch(failed) })
  }

  /** Rows as they are now; of those that were asked for, the ones that are not there are gone from the list too. */
  const renew = async (rows: readonly Transaction[]) => {
    const now = await asTheyAre(rows)
    await list.drop(rows.filter(({ id }) => now.every((row) => row.id !== id)))
    await list.put(now)
  }

  const created = async (sentence: string, rows: readonly Transaction[]) => {
    await list.put(rows)
    tellWithUndo(sentence, slipped(rows), () => renew(rows))
    void list.settle()
  }
  const add = useMutation({
    mutationFn: (values: Parameters<typeof createTransaction>[1]) => createTransaction(context, values),
    onSuccess: (rows) => created(`${counted(rows)} is added.`, rows),
  })
  const transfer = useMutation({ mutationFn: createTransfer, onSuccess: (rows) => created('The transfer is made.', rows) })

  /** What somebody has written of one row. Its form tells what is wrong, and whether somebody else was there first. */
  const save = useMutation({
    mutationFn: ({ row, changed }: { row: Transaction, changed: Changed }) => saveTransaction(row, changed),
    onError: () => list.settle(),
    onSuccess: async (now, { row, changed }) => {
      await list.put(now)
      const left = now.find(({ id }) => id === row.id)
      // tags and parts are requests of their own, of which `undo` would take back one
      const isOneRequest = changed.tags === undefined && changed.items === undefined
      const byHand = left === undefined ? null : () => putBack(row, left, changed)
      tellWithUndo(`${row.name} is changed.`, isOneRequest ? slipped([row]) : byHand, () => renew(now))
      void list.settle()
    },
  })

  /** The same of many rows. */
  const change = useMutation({
    mutationFn: ({ rows, values }: { rows: readonly Transaction[], values: RowChange<'transactions'> }) => changeTransactions(rows, values),
    onError: failed,
    onSuccess: async (now, { rows }) => {
      const changed = rows.filter(({ id }) => now.some((row) => row.id === id))
      const missing = rows.filter((row) => !changed.includes(row))
      await list.drop(missing)
      await list.put(now)
      void list.settle()
      if (changed.length === 0) {
        failed(gone())
        return
      }
      tellWithUndo(`${counted(changed)} ${are(changed)} changed.${wereGone(missing)}`, slipped(rows, changed), () => renew(now))
    },
  })

  const remove = useMutation({
    mutationFn: (rows: readonly Transaction[]) => deleteTransactions(rows),
    // seen at once, because it can be taken back
    onMutate: (rows) => list.drop(rows),
    onError: async (error, rows) => {
      await list.put(rows)
      failed(error)
    },
    onSuccess: (deleted, rows) => {
      void list.settle()
      const missing = rows.filter((row) => !deleted.includes(row))
      if (deleted.length === 0) {
        tell(wereGone(missing).trim())
        return
      }
      tellWithUndo(`${counted(deleted)} ${are(deleted)} deleted.${wereGone(missing)}`, slipped(rows, deleted), () => renew(deleted))
    },
  })

  return { add, transfer, save, change, remove, renew, shorten: () => void list.shorten() }
}

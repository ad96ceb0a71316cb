/** Changes of transactions, each told with its way back. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { RowChange } from 'finance-client'
import { useHere } from '../app/here.tsx'
import { useTell } from '../parts/toast.tsx'
import { listOf } from './transaction-pages.ts'
import {
  asTheyAre,
  changeAsRead,
  changeTransactions,
  createTransaction,
  createTransfer,
  deleteTransactions,
  Overtaken,
  setLineItems,
  setTags,
  slipsOf,
  storeAnew,
  type Transaction,
  undoAll,
} from './transactions.ts'

const counted = (rows: readonly Transaction[]) => rows.length === 1 && rows[0] !== undefined ? rows[0].name : `${rows.length} transactions`
const are = (rows: readonly Transaction[]) => rows.length === 1 ? 'is' : 'are'

/** Of rows, what a change replaces, so that it can be put back. */
const former = (row: Transaction, change: RowChange<'transactions'>) =>
  Object.fromEntries(Object.keys(change).map((field) => [field, row[field as keyof Transaction]])) as RowChange<'transactions'>

export function useTransactionChanges() {
  const client = useQueryClient()
  const { context, user, rights } = useHere()
  const tell = useTell()
  const list = listOf(client, context)

  /** Tells a sentence, with Undo. @param after puts into the list what is there then */
  const tellWithBack = (sentence: string, back: () => Promise<void>, after: () => Promise<void>) => {
    const undo = async () => {
      await back()
      await after()
      await list.settle()
      tell('Taken back.')
    }
    tell(sentence, { label: 'Undo', act: () => void undo().catch(tell) })
  }

  /** Tells it, with Undo by activity. @param byHand what takes the change back for somebody who may not read activity; null where nothing does */
  const tellWithUndo = (sentence: string, rows: readonly Transaction[], after: () => Promise<void>, byHand: (() => Promise<void>) | null) => {
    // asked for at once: what somebody changes later is another change
    const slips = rights.undo ? slipsOf(rows, user.id) : null
    slips?.catch(() => undefined)
    const back = slips === null ? byHand : async () => undoAll(await slips)
    if (back === null) tell(sentence)
    else tellWithBack(sentence, back, after)
  }

  const add = useMutation({
    mutationFn: (values: Parameters<typeof createTransaction>[1]) => createTransaction(context, values),
    onSuccess: (rows) => {
      list.put(rows)
      tellWithUndo(`${counted(rows)} is added.`, rows, async () => list.drop(rows), () => deleteTransactions(rows))
      void list.settle()
    },
  })

  const transfer = useMutation({
    mutationFn: createTransfer,
    onSuccess: (rows) => {
      list.put(rows)
      tellWithUndo('The transfer is made.', rows, async () => list.drop(rows), () => deleteTransactions(rows))
      void list.settle()
    },
  })

  const change = useMutation({
    /** `read` is the one row as the person knows it, who is told what others have changed of it; of many the last change counts. */
    mutationFn: ({ rows, values, read }: { rows: readonly Transaction[], values: RowChange<'transactions'>, read?: Transaction }) =>
      read === undefined ? changeTransactions(rows, values) : changeAsRead(read, values),
    onError: (error, { read }) => {
      if (error instanceof Overtaken) list.put([error.row])
      // a line or a dialog shows it itself
      if (read === undefined) tell(error)
    },
    onSuccess: (now, { rows, values }) => {
      list.put(now)
      const putBack = async () => {
        for (const row of rows) await changeTransactions([row], former(row, values))
      }
      tellWithUndo(`${counted(rows)} ${are(rows)} changed.`, rows, async () => list.put(await asTheyAre(now)), putBack)
      void list.settle()
    },
  })

  const remove = useMutation({
    mutationFn: (rows: readonly Transaction[]) => deleteTransactions(rows),
    // seen at once, because it can be taken back
    onMutate: (rows) => list.drop(rows),
    onError: (error, rows) => {
      list.put(rows)
      tell(error)
    },
    onSuccess: (_, rows) => {
      const isWhole = rows.every(({ transfer_id }) => transfer_id === null)
      const back = isWhole ? () => storeAnew(context, rows) : null
      tellWithUndo(`${counted(rows)} ${are(rows)} deleted.`, rows, async () => list.put(await asTheyAre(rows)), back)
      void list.settle()
    },
  })

  /** What a row has beside its own columns. */
  const detail = useMutation({
    mutationFn: async ({ row, tags, items }: { row: Transaction, tags?: string[], items?: Parameters<typeof setLineItems>[1] }) => {
      if (tags !== undefined) await setTags(row, tags)
      if (items !== undefined) await setLineItems(row, items)
      return asTheyAre([row])
    },
    onSuccess: (rows, { row, tags, items }) => {
      list.put(rows)
      const now = rows.find(({ id }) => id === row.id)
      const back = async () => {
        if (now === undefined) return
        if (tags !== undefined) await setTags(now, row.tags.map(({ id }) => id))
        if (items !== undefined) await setLineItems(now, row.line_items)
      }
      const what = [tags !== undefined && 'tags', items !== undefined && 'parts'].filter((one) => one !== false).join(' and ')
      // several requests, some of other rows, so that activity has no one way back
      tellWithBack(`The ${what} of ${row.name} are changed.`, back, async () => list.put(await asTheyAre([row])))
      void list.settle()
    },
  })

  return { add, transfer, change, remove, detail, shorten: list.shorten }
}

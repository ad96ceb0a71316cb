/** Changes of transactions, each told with its way back. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FinanceError, type RowChange } from 'finance-client'
import { useHere } from '../app/here.tsx'
import { useTell } from '../parts/toast.tsx'
import { gone } from './client.ts'
import { listOf } from './transaction-pages.ts'
import {
  asTheyAre,
  type Changed,
  ChangedMeanwhile,
  changeTransactions,
  createTransaction,
  createTransfer,
  deleteTransactions,
  dropNew,
  putBack,
  saveTransaction,
  slipsOf,
  storeAnew,
  type Transaction,
  undoAll,
} from './transactions.ts'

const counted = (rows: readonly Transaction[]) => rows.length === 1 && rows[0] !== undefined ? rows[0].name : `${rows.length} transactions`
const are = (rows: readonly Transaction[]) => rows.length === 1 ? 'is' : 'are'
const wereGone = (rows: readonly Transaction[]) => rows.length === 0 ? '' : ` ${counted(rows)} had been deleted by somebody else.`

/** Whether somebody else was there first. */
const isMeanwhile = (error: unknown) => error instanceof ChangedMeanwhile || (error instanceof FinanceError && error.code === 'GONE')

export function useTransactionChanges() {
  const client = useQueryClient()
  const { context, user, rights } = useHere()
  const tell = useTell()
  const list = listOf(client, context)
  const failed = (error: Error) => tell(error)

  /** Where requests can be taken back by `undo`; asked for at once, because what somebody changes later is another change. */
  const slipped = (asked: readonly Transaction[], changed = asked) => {
    if (!rights.undo) return null
    const slips = slipsOf(asked, changed, user.id)
    slips.catch(() => undefined)
    return async () => undoAll(await slips)
  }

  /** Tells a sentence, with Undo where there is a way back. */
  const tellWithUndo = (sentence: string, back: (() => Promise<string | undefined | void>) | null, after: () => Promise<void>) => {
    const undo = async () => {
      try {
        tell(await back?.() ?? 'Taken back.')
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
    tellWithUndo(sentence, slipped(rows) ?? (() => dropNew(rows)), () => renew(rows))
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
      tellWithUndo(`${row.name} is changed.`, (isOneRequest ? slipped([row]) : null) ?? byHand, () => renew(now))
      void list.settle()
    },
  })

  /** The same of many rows. */
  const change = useMutation({
    mutationFn: async ({ rows, values }: { rows: readonly Transaction[], values: RowChange<'transactions'> }) => {
      const before = await asTheyAre(rows)
      const now = await changeTransactions(rows, values)
      return { before, now }
    },
    onError: failed,
    onSuccess: async ({ before, now }, { rows, values }) => {
      const changed = rows.filter(({ id }) => now.some((row) => row.id === id))
      const missing = rows.filter((row) => !changed.includes(row))
      await list.drop(missing)
      await list.put(now)
      void list.settle()
      if (changed.length === 0) {
        failed(gone())
        return
      }
      const byHand = async () => {
        const kept: Transaction[] = []
        for (const { id } of changed) {
          const [was, left] = [before, now].map((all) => all.find((row) => row.id === id))
          if (was === undefined || left === undefined) continue
          await putBack(was, left, { values }).catch((error: unknown) => {
            if (!isMeanwhile(error)) throw error
            kept.push(was)
          })
        }
        return kept.length === 0 ? undefined : `Somebody has changed ${counted(kept)} since, which ${are(kept)} left so.`
      }
      tellWithUndo(`${counted(changed)} ${are(changed)} changed.${wereGone(missing)}`, slipped(rows, changed) ?? byHand, () => renew(now))
    },
  })

  const remove = useMutation({
    mutationFn: async (rows: readonly Transaction[]) => {
      // whoever stores them anew stores what somebody else made of them
      const before = rights.undo ? rows : await asTheyAre(rows)
      const deleted = await deleteTransactions(rows)
      return { before, deleted }
    },
    // seen at once, because it can be taken back
    onMutate: (rows) => list.drop(rows),
    onError: async (error, rows) => {
      await list.put(rows)
      failed(error)
    },
    onSuccess: ({ before, deleted }, rows) => {
      void list.settle()
      const missing = rows.filter((row) => !deleted.includes(row))
      if (deleted.length === 0) {
        tell(wereGone(missing).trim())
        return
      }
      const isWhole = rows.every(({ transfer_id }) => transfer_id === null)
      const anew = before.filter(({ id }) => deleted.some((row) => row.id === id))
      const back = slipped(rows, deleted) ?? (isWhole ? () => storeAnew(context, anew) : null)
      tellWithUndo(`${counted(deleted)} ${are(deleted)} deleted.${wereGone(missing)}`, back, () => renew(deleted))
    },
  })

  return { add, transfer, save, change, remove, renew, shorten: () => void list.shorten() }
}

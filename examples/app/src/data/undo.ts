/** The way back from a change. */
import { unwrap } from 'finance-client'
import { useHere } from '../app/here.tsx'
import { type Way, useTell } from '../parts/toast.tsx'
import { useChange } from './change.ts'
import { finance } from './client.ts'
import type { Context } from './context.ts'

/** Takes back the last change of a row, and all that the same request changed. @throws FinanceError 409 when it has changed since */
async function undoLastOf(rowId: string): Promise<void> {
  const newest = finance.data.from('activity').select('id').eq('row_id', rowId).order('happened_at', { ascending: false }).order('id', { ascending: false })
  const { id } = await unwrap(newest.limit(1).single())
  await unwrap(finance.data.rpc('undo', { p_activity_id: id }))
}

/**
 * Tells what was done to a row, with Undo.
 * @returns a function that takes the way of those whose `rights.undo` allows none, if there is another
 */
export function useTellWithUndo(): (sentence: string, rowId: string, other?: Way) => void {
  const { rights } = useHere()
  const tell = useTell()
  const undo = useChange((_, rowId: string) => undoLastOf(rowId), () => tell('Taken back.'))
  return (sentence, rowId, other) => {
    const act = () => undo.mutate(rowId, { onError: (error) => tell(error) })
    tell(sentence, rights.undo ? { label: 'Undo', act } : other)
  }
}

/**
 * Deletes a row with which nothing else goes. Who may not take it back by activity stores the same row again.
 * For pages: what is shown of a row is gone with it, and could tell no failure.
 * @param nameOf what it is called
 */
export function useDeletion<Row extends { id: string }>(
  remove: (context: Context, row: Row) => Promise<void>,
  restore: (context: Context, row: Row) => Promise<unknown>,
  nameOf: (row: Row) => string,
): (row: Row) => void {
  const tell = useTell()
  const tellWithUndo = useTellWithUndo()
  const onError = (error: Error) => tell(error)
  const { mutate: store } = useChange(restore, (_, row) => tell(`${nameOf(row)} is back.`))
  const { mutate } = useChange(
    remove,
    (_, row) => tellWithUndo(`${nameOf(row)} is deleted.`, row.id, { label: 'Undo', act: () => store(row, { onError }) }),
  )
  return (row) => mutate(row, { onError })
}

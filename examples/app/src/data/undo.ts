/** The way back from a change. */
import { unwrap } from 'finance-client'
import { useTell } from '../parts/toast.tsx'
import { useChange } from './change.ts'
import { finance } from './client.ts'
import type { Context } from './context.ts'

/** Takes back the last change of a row, and all that the same request changed. @throws FinanceError 409 when it has changed since */
async function undoLastOf(rowId: string): Promise<void> {
  const newest = finance.data.from('activity').select('id').eq('row_id', rowId).order('happened_at', { ascending: false }).order('id', { ascending: false })
  const { id } = await unwrap(newest.limit(1).single())
  await unwrap(finance.data.rpc('undo', { p_activity_id: id }))
}

/** Tells what was done to a row, with Undo. */
export function useTellWithUndo(): (sentence: string, rowId: string) => void {
  const tell = useTell()
  const undo = useChange((_, rowId: string) => undoLastOf(rowId), () => tell('Taken back.'))
  return (sentence, rowId) => {
    tell(sentence, { label: 'Undo', act: () => undo.mutate(rowId, { onError: (error) => tell(error) }) })
  }
}

/**
 * Deletes a row. A page calls it, and not the part that shows the row: that part is gone with the row, and could tell no failure.
 * @param nameOf the row's name in the sentence that tells of it
 */
export function useDeletion<Row extends { id: string }>(
  remove: (context: Context, row: Row) => Promise<void>,
  nameOf: (row: Row) => string,
): (row: Row) => void {
  const tell = useTell()
  const tellWithUndo = useTellWithUndo()
  const { mutate } = useChange(remove, (_, row) => tellWithUndo(`${nameOf(row)} is deleted.`, row.id))
  return (row) => mutate(row, { onError: (error) => tell(error) })
}

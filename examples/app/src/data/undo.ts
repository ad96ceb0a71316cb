/** The way back from a change. */
import { unwrap } from 'finance-client'
import { useChange } from './change.ts'
import { finance } from './client.ts'
import { useTell } from '../parts/toast.tsx'

/** Takes back the last change of a row, and all that the same request changed. @throws FinanceError 409 when it has changed since */
async function undoLastOf(rowId: string): Promise<void> {
  const newest = finance.data.from('activity').select('id').eq('row_id', rowId).order('happened_at', { ascending: false }).order('id', { ascending: false })
  const { id } = await unwrap(newest.limit(1).single())
  await unwrap(finance.data.rpc('undo', { p_activity_id: id }))
}

/** Tells what was done to a row, with Undo. Only for those whose `rights.undo` says so. */
export function useTellWithUndo(): (sentence: string, rowId: string) => void {
  const tell = useTell()
  const undo = useChange((_, rowId: string) => undoLastOf(rowId), () => tell('Taken back.'))
  return (sentence, rowId) =>
    tell(sentence, {
      label: 'Undo',
      act: () => undo.mutate(rowId, { onError: (error) => tell(error) }),
    })
}

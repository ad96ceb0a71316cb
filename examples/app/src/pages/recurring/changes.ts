/** What is done to a recurring cost from the list, each with the way back. */
import { useHere } from '../../app/here.tsx'
import { useChange, withValues } from '../../data/change.ts'
import { deleteRecurring, type Recurring, recurringQuery, restoreRecurring, setActive } from '../../data/recurring.ts'
import { useTell } from '../../parts/toast.tsx'
import { useTellWithUndo } from '../../data/undo.ts'

export function usePause() {
  const tell = useTell()
  const back = useChange(setActive)
  return useChange(
    setActive,
    ({ title }, { id, is_active }) =>
      tell(is_active ? `${title} goes on.` : `${title} is paused.`, {
        label: 'Undo',
        act: () => back.mutate({ id, is_active: !is_active }, { onError: (error) => tell(error) }),
      }),
    (context, { id, is_active }) => withValues<Recurring>(recurringQuery(context).queryKey, id, { is_active }),
  )
}

/** Who may not take back by activity creates the same row again: nothing else is deleted with it. */
export function useDeleteRecurring() {
  const { rights } = useHere()
  const tell = useTell()
  const tellWithUndo = useTellWithUndo()
  const restore = useChange(restoreRecurring, ({ title }) => tell(`${title} is back.`))
  return useChange(deleteRecurring, (_, cost: Recurring) => {
    const sentence = `${cost.title} is deleted.`
    if (rights.undo) tellWithUndo(sentence, cost.id)
    else tell(sentence, { label: 'Undo', act: () => restore.mutate(cost, { onError: (error) => tell(error) }) })
  })
}

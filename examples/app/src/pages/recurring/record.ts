/** Makes a due day a transaction, and offers the way back. */
import { useHere } from '../../app/here.tsx'
import { useChange } from '../../data/change.ts'
import { recordDue } from '../../data/recurring.ts'
import { useTellWithUndo } from '../../data/undo.ts'
import { formatDay } from '../../locale/days.ts'
import { useTell } from '../../parts/toast.tsx'

/** @returns a function that records a day of a recurring cost */
export function useRecord() {
  const { rights } = useHere()
  const tell = useTell()
  const tellWithUndo = useTellWithUndo()
  const { mutate } = useChange(recordDue, ({ id, name }, { due_on }) => {
    const sentence = `${name} of ${formatDay(due_on)} is recorded.`
    if (rights.undo) tellWithUndo(sentence, id)
    else tell(sentence)
  })
  // a second press of the same day answers the transaction that the first has made
  return (due: { subscription_id: string, due_on: string }) => mutate(due, { onError: (error) => tell(error) })
}

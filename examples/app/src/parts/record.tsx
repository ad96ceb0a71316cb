import { useChange } from '../data/change.ts'
import { recordDue } from '../data/recurring.ts'
import { useTellWithUndo } from '../data/undo.ts'
import { formatDay } from '../locale/days.ts'
import { Action } from './action.tsx'
import { useTell } from './toast.tsx'

/** Makes a day of a recurring cost a transaction. A second press of the same day answers the transaction that the first has made. */
export function Record({ subscription_id, title, due_on }: { subscription_id: string, title: string, due_on: string }) {
  const tell = useTell()
  const tellWithUndo = useTellWithUndo()
  const record = useChange(recordDue, ({ id, name }) => tellWithUndo(`${name} of ${formatDay(due_on)} is recorded.`, id))
  const onError = (error: Error) => tell(error)
  return <Action name='Record' of={`${title} of ${formatDay(due_on)}`} onClick={() => record.mutate({ subscription_id, due_on }, { onError })} />
}
